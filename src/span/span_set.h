/* span_set: the spans of a command line, and what must be recorded for them. */
#pragma once

#include "span_file.h"

#include <iotrace/recording.h>
#include <iotrace/span.h>

struct error;

struct span_set {
	struct span_lines lines; /* lines of the files of --spans */
	struct span *span[SPANS_MAX];
	uint32_t spans;
	struct text_list events; /* texts that the recording has borrowed; owned */
};

/*
 * Adds the spans of --span and --spans; without --span, all spans of the files. is_of_archive: the words are names of spans that an
 * archive has. Returns 0, or -errno with a message.
 */
int span_set_parse(struct span_set *set, const struct text_list *words,
		   const struct text_list *files, bool is_of_archive, struct error *err);
/* The same for one word: a name, or the definition of a span. */
int span_set_add(struct span_set *set, const char *word, bool is_of_archive, struct error *err);
/* Finds the addresses of probes, and checks that this kernel has the tracepoints and their fields. Returns as above. */
int span_set_place(struct span_set *set, struct recording *recording, char *const *argv,
		   struct error *err);
/* Adds the tracepoints of the spans to the recording. is_left_out: by span, those that are not recorded; NULL: none. */
void span_set_record(struct span_set *set, const bool *is_left_out, bool with_context,
		     struct recording *recording);
/* Adds the begins of all calls that are recorded, with their stacks. */
void span_set_record_calls(struct recording *recording);
/* Adds the tracepoints that begin block requests, with their stacks. */
void span_set_record_requests(struct recording *recording);
/* Also removes the tracepoints and probes from the recording, which is not used again. */
void span_set_release(struct span_set *set, struct recording *recording);
/* Returns 0, or -ENOENT with a message: a tracepoint or a field that this kernel lacks, and the nearest names. */
int span_check(const struct span *span, struct error *err);
