/* span_options: the options of `iotrace latency` and `iotrace leaks`. */
#pragma once

#include "option/options.h"
#include "record/record_options.h"
#include "span_file.h"

#include <iotrace/counted.h>
#include <iotrace/span.h>

struct span_file {
	bool is_wanted;
	const char *path; /* NULL: standard output */
};

struct span_options {
	struct record_options record; /* first: its rows are ours */
	struct text_list words;       /* --span, as they were given */
	struct text_list files;       /* --spans, as they were given */
	struct span_lines lines;      /* theirs */
	struct span *span[SPANS_MAX]; /* after span_options_complete() */
	uint32_t spans;
	const char *by; /* NULL: by what each span says */
	struct span_file json, heat;
	uint64_t above, interval, older_than; /* ns; interval: --every, too */
	uint64_t syscalls; /* the bits that --syscalls gave; 0: it was not given */
	uint32_t slowest, context, top;
	uint32_t room; /* for open spans in the kernel, of each span */
	bool has_histogram, has_stacks;
	bool is_countable; /* numbers are all that is wanted: the kernel may count */
	struct counted_span counted[SPANS_MAX]; /* see span_counted.h */
	uint32_t counted_of[SPANS_MAX];         /* their numbers in `span` */
	uint32_t counted_count;
};

extern const struct option_row span_latency_rows[], span_leaks_rows[];

void span_options_init(void *options);
void span_options_release(void *options);
/* Makes options->span of the words, or of the name `otherwise`. Returns 0, or -EINVAL with a sentence. */
int span_options_complete(struct span_options *options, const char *otherwise, struct error *err);
/* Whether all that was given goes together with a file. The same. */
int span_options_check_file(const struct span_options *options, const char *file,
			    struct error *err);
/* Decides what must be recorded, and sees whether this kernel has it. argv: the command, or NULL; lent. The same. */
int span_options_record(struct span_options *options, char *const *argv, struct error *err);
/* Returns 0, or -ENOENT with a sentence: a tracepoint or a field that this kernel does not have, and the nearest names. */
int span_check(const struct span *span, struct error *err);
