/* span_record: --span of `iotrace record` and `iotrace convert`: spans for the archive. */
#pragma once

#include "record/record_options.h"
#include "run/run.h"
#include "span_set.h"

/* The options of `iotrace record`. */
struct span_record {
	struct record_options options; /* first, because the rows of its options are used here */
	struct span_set spans;
};

void span_record_release(void *context);
/* Adds to the recording what its spans need. argv: the command, or NULL. Returns 0, or -errno with a message. */
int span_record_choose(struct span_set *set, struct record_options *options, char *const *argv,
		       struct error *err);
/* Parses the spans for a capture. Returns as above. */
int span_record_read(struct span_set *set, const struct text_list *words,
		     const struct text_list *files, struct error *err);
/* Adds the spans to the outputs of the run. */
void span_record_use(const struct span_set *set, struct run *run, bool is_of_some);
/* Logs why spans could not be found. */
void span_record_log_troubles(const struct span_set *set, const struct run *run);
