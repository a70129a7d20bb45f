/* span_set: the spans of a command line, and what must be recorded for them. */
#pragma once

#include "span_file.h"

#include <iotrace/recording.h>
#include <iotrace/span.h>

struct error;

struct span_set {
	struct span_lines lines; /* of --spans */
	struct span *span[SPANS_MAX];
	uint32_t spans;
	struct text_list events; /* what the recording got; owned */
};

/*
 * Adds the spans of --span and --spans; without --span all of the files. is_of_archive: they are what an archive has, by any name.
 * Returns 0, or -errno with a sentence.
 */
int span_set_parse(struct span_set *set, const struct text_list *words,
		   const struct text_list *files, bool is_of_archive, struct error *err);
/* Adds a name, or a sentence that defines a span. The same. */
int span_set_add(struct span_set *set, const char *word, bool is_of_archive, struct error *err);
/* Finds the places of probes, and sees whether this kernel has the tracepoints and their fields. The same. */
int span_set_place(struct span_set *set, struct recording *recording, char *const *argv,
		   struct error *err);
/* Adds their tracepoints to the recording, but of those that are left out (NULL: none is). */
void span_set_record(struct span_set *set, const bool *is_left_out, bool with_context,
		     struct recording *recording);
/* The recording has none of its tracepoints and probes any more: it is not used again. */
void span_set_release(struct span_set *set, struct recording *recording);
/* Returns 0, or -ENOENT with a sentence: a tracepoint or a field that this kernel does not have, and the nearest names. */
int span_check(const struct span *span, struct error *err);
