/* span_record: spans that an archive is to have: --span of `iotrace record` and `iotrace convert`. */
#pragma once

#include "record/record_options.h"
#include "run/run.h"
#include "span_set.h"

/* What the command line of `iotrace record` says. */
struct span_record {
	struct record_options options; /* first: the rows are its */
	struct span_set spans;
};

void span_record_release(void *context);
/* Finds out what a recording needs for its --span, and adds it. Returns 0, or -errno with a sentence. argv: the command, or NULL. */
int span_record_choose(struct span_set *set, struct record_options *options, char *const *argv,
		       struct error *err);
/* The spans of a capture. The same. */
int span_record_read(struct span_set *set, const struct text_list *words,
		     const struct text_list *files, struct error *err);
/* The run's outputs have the spans. */
void span_record_use(const struct span_set *set, struct run *run, bool is_of_some);
/* Says of each span why it could not be seen. */
void span_record_tell(const struct span_set *set, const struct run *run);
