/* bpf_span_format: the format files of a span's tracepoints, and fields that programs can read. */
#pragma once

#include "bpf_span_spec.h"

struct bpf_span_options;
/* Returns the format of a tracepoint, to be freed; NULL with a message. */
char *bpf_span_read_format(const struct bpf_span_options *options, const char *event,
			   struct error *err);
/* Fills the formats of the points' tracepoints, to be freed. Returns 0, or -errno with a message. */
int bpf_span_read_formats(const struct bpf_span_options *options, char *format[BPF_SPAN_POINTS],
			  struct error *err);
/* Find a field: a number, or a text. Return 1; 0 if the tracepoint does not have it; -ENOTSUP if it is something else. */
int bpf_span_find_number(const char *format, const char *name, struct bpf_span_field *field,
			 struct bpf_span_offset *where, struct error *err); /* with a message */
int bpf_span_find_text(const char *format, const char *name, struct bpf_span_field *field);
/* Whether programs read all of the text for a condition. */
bool bpf_span_is_short_text(const struct bpf_span_field *field);
bool bpf_span_has_key_text(const struct bpf_span_spec *spec);
/* Sets how much room the texts of keys and groups need. */
void bpf_span_size_texts(struct bpf_span_spec *spec);
