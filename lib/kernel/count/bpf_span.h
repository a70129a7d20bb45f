/*
 * bpf_span: the programs that count one span, and the numbers that they counted.
 *
 * They follow the tasks that the programs of a bpf_source mark. In a build without libbpf, bpf_span_open() fails.
 */
#pragma once

#include "bpf_span_shared.h"

#include <iotrace/counted_read.h>
#include <sys/types.h>

struct bpf_source;
struct bpf_span;
struct error;
struct recording_probes;
struct tracefs;

struct bpf_span_options {
	const struct counted_span *span;
	const struct bpf_source *source;
	const struct tracefs *tracefs;
	const struct recording_probes *probes;
	pid_t pid;    /* a process in which probes may be; -1: all */
	uint32_t cpu; /* one online CPU */
	/* Of block requests: only those of these devices, numbered as in the kernel's events; 0: all. Copied. */
	const uint32_t *device;
	uint32_t devices;
	bool is_system;
};

/* Returns the programs, attached and disabled; NULL with a message. Later steps need no rights. */
struct bpf_span *bpf_span_open(const struct bpf_span_options *options, struct error *err);
void bpf_span_close(struct bpf_span *span);
/* Excludes these processes of iotrace from all tasks; 0: none. */
void bpf_span_leave_out(struct bpf_span *span, const pid_t pid[BPF_SPAN_HELPERS]);
void bpf_span_enable(struct bpf_span *span, bool is_on);
/* Detaches the programs: none runs any more. */
void bpf_span_detach(struct bpf_span *span);
/* Returns how many bytes of kernel memory it uses. */
uint64_t bpf_span_memory(const struct bpf_span *span);
/* Returns the number of failed spans by errno: BPF_SPAN_ERRNOS. */
const uint64_t *bpf_span_errors(const struct bpf_span *span);
uint64_t bpf_span_missed(const struct bpf_span *span);
void bpf_span_add_books(const struct bpf_span *span, struct counted_books *books);
void bpf_span_parts(const struct bpf_span *span,
		    void (*call)(void *context, const struct counted_part *part), void *context);
/* The same for what was counted since the last call, of a span that is taken in parts. */
void bpf_span_take(const struct bpf_span *span,
		   void (*call)(void *context, const struct counted_part *part), void *context);
/* Calls back for each flight of a span that counts them. `now`: the current time. */
void bpf_span_flights(const struct bpf_span *span, uint64_t now,
		      void (*call)(void *context, const struct counted_flight *flight),
		      void *context);
/* Returns the text of a group, or the name of a file, "" if it has none; lent until the next call. NULL: groups are numbers. */
const char *bpf_span_text(struct bpf_span *span, uint64_t group);
/* Returns whether a field of the span's events chooses the names of groups, and its last value: decode_choose(). */
bool bpf_span_chooser(const struct bpf_span *span, uint64_t *value);
/* Calls back for each open span. Returns 0 or -errno. The span must have been opened to read its flights repeatedly. */
int bpf_span_left(struct bpf_span *span,
		  void (*call)(void *context, const struct counted_open *open), void *context);
