/* span_options: the options of `iotrace latency` and `iotrace leaks`. */
#pragma once

#include "option/options.h"
#include "record/record_options.h"
#include "span_set.h"

#include <iotrace/counted.h>
#include <iotrace/span.h>

struct span_file {
	bool is_wanted;
	const char *path; /* NULL: standard output */
};

struct span_options {
	struct record_options record; /* first, because the rows of its options are used here */
	struct text_list words;       /* values of --span */
	struct text_list files;       /* values of --spans */
	struct span_set set;          /* set by span_options_complete() */
	bool is_of_archive;           /* the spans of an archive are read */
	const char *by;               /* NULL: as each span defines */
	struct span_file json, heat;
	uint64_t above, interval, older_than; /* ns; interval: of --interval or --every */
	uint64_t syscalls;                    /* bits of --syscalls; 0: not given */
	uint32_t slowest, context, top;
	uint32_t room; /* number of open spans of each kind in the kernel */
	bool has_histogram, has_stacks;
	const char *why; /* why a span is not counted; lent */
	bool is_stat; /* the numbers of intervals are wanted, and of calls only those of --syscalls */
	bool is_countable; /* only numbers are wanted, so the kernel may count */
	struct counted_span counted[SPANS_MAX]; /* see span_counted.h */
	uint32_t counted_of[SPANS_MAX];         /* index of each in `span` */
	uint32_t counted_count;
	struct span *calls; /* that the kernel counts for a span of the model; NULL: none */
	bool is_of_owners; /* numbers are those of devices, file systems and connections, and of kinds of operations */
	bool has_user; /* only calls of threads of this user are counted */
	uint32_t user;
	uint64_t spool_memory; /* bytes of memory for the records of tasks; 0: they are in a file */
	uint32_t cells;        /* see struct counted_span */
	uint8_t about[SPANS_MAX][COUNTED_VALUES], fd[COUNTED_VALUES],
		fd2[COUNTED_VALUES]; /* of counted spans, and of calls */
};

extern const struct option_row span_latency_rows[], span_leaks_rows[];

/* Parsers of rows that `iotrace stat` has, too. */
int span_parse_file(void *file, const char *arg, struct error *err);
int span_parse_top(void *number, const char *arg, struct error *err);
int span_parse_number(uint32_t *field, const char *arg, uint32_t least, uint32_t most,
		      struct error *err);
int span_parse_syscalls(void *groups, const char *arg, struct error *err);
/* The names of all spans that are built in, for completion. */
extern const char span_names[];

void span_options_init(void *options);
void span_options_release(void *options);
/* Finds the spans of the words, or the span `otherwise`. Returns 0, or -EINVAL with a message. */
int span_options_complete(struct span_options *options, const char *otherwise, struct error *err);
/* The same: checks that all options can be used with a file. */
int span_options_check_file(const struct span_options *options, const char *file,
			    struct error *err);
/* The same: decides what must be recorded, and checks that this kernel has it. argv: the command, or NULL; lent. */
int span_options_record(struct span_options *options, char *const *argv, struct error *err);
