/*
 * books: event accounting: what was recorded and whether it is complete, as iotrace.json and as a sentence.
 *
 * iotrace.json is one object. Keys are only added; "schema" increases if one changes its meaning:
 *
 *   schema, iotrace, source ("perf", "bpf"), source_why (why not the other one),
 *   refused [ { name, why, instead ("perf") } ] (requested records whose BPF programs the kernel refused),
 *   options [ { from (a file, "IOTRACE_OPTIONS", "command line"), line, words[] } ] (in the order in which they apply),
 *   command { argv[], cwd, exit_status, signal },
 *   commands [ { pid, rank, argv[], exit_status, signal } ] (all that joined; the status of one whose iotrace was killed is null),
 *   host { name, kernel, machine, cpus },
 *   job { system ("Slurm"), id, name, user, nodes, ranks } (null if there was none),
 *   start, start_ns, duration_ns, pauses [ { start_ns, duration_ns } ] (from the start; what began there is not recorded),
 *   cpu_wait_ns (in which some task of the machine waited for a CPU),
 *   end, end_errno, conversion_end ("stopped", "error"; null: all was converted), archive_end { duration_ns, errno }, is_complete, syscalls[], metrics[],
 *   series [ { name, metrics [ { name, unit } ] } ], parameters[],
 *   devices [ { name, dev, trace, scheduler, rotational, size, disk, under, backing, balanced,
 *               read { requests, sectors, kernel_requests, kernel_sectors }, write, discard, flush } ],
 *   trace { processes, sharing_processes, threads, devices, files, handles, processes_seen, threads_seen, processes_left },
 *   books { balanced, sentence, counters { one for each row of tally.def } },
 *   events [ { name, counted, lost, samples } ]
 *
 * Unknown values are null. end_errno: of the write that ended the recording. archive_end: null unless the archive ends early.
 * is_complete: everything was converted, the recording has an end, the command was recorded to its end, and the kernel refused no
 * requested kind of record.
 */
#pragma once

#include <iotrace/tally.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct trace;

#define BOOKS_FILE "iotrace.json"
enum { BOOKS_SCHEMA = 1 };

enum books_state {
	BOOKS_BALANCED, /* nothing is missing */
	BOOKS_LOSS,     /* events are missing */
	BOOKS_WRONG,    /* an equation does not hold */
	BOOKS_UNKNOWN,  /* the archive of another program does not say it */
};

struct sink_end;

/* Records that are missing in the stream, as the stream itself says. */
struct books_missing {
	uint64_t records; /* sum over the LOST records, for kernels that do not count losses */
	uint64_t
		cut; /* those of them that iotrace removed from the spool; the kernel did not lose them */
};

/*
 * Compares the kernel's count of each event with the samples that arrived. Call it at the end of the stream. `samples` has the
 * number of samples for each event of the capture.
 */
void books_settle(struct tally *tally, const struct trace *trace, const uint64_t *samples,
		  uint32_t events, const struct books_missing *missing);

/*
 * Returns the state, and a message for users in text: "complete: all 1,234 events recorded", or how many are missing, why,
 * and what to do about it.
 */
enum books_state books_check(const struct trace *trace, const struct tally *tally, char *text,
			     size_t size);
/*
 * While the stream grows, no equation holds yet, and not all losses are known. Returns whether there are gaps so far, and a
 * sentence about them.
 */
bool books_gaps(const struct trace *trace, const struct tally *tally, char *text, size_t size);
/* Returns whether the counter counts events that are missing. */
bool books_is_loss(enum tally_counter counter);
/* Returns whether the counter stands for an unknown number of missing events. */
bool books_is_gap(enum tally_counter counter);

/* Returns whether the recording was stopped before its command ended. */
bool books_ends_early(const struct trace *trace);

/* What the books of an archive are made of. All members are lent. */
struct books {
	const struct trace *trace;
	const struct tally *tally;
	const char *version;        /* of iotrace */
	uint32_t groups;            /* requested groups: bits 1 << enum call_group; 0: unknown */
	bool is_complete;           /* the stream was converted to its end */
	const struct sink_end *end; /* of the archive; NULL: it is complete */
	const uint64_t *samples;    /* number of samples of each event of the capture */
	uint32_t events;
};

/* Returns the text of iotrace.json, which the caller frees. */
char *books_json(const struct books *books);
/* Creates iotrace.json in a directory, given by its descriptor. */
int books_write(const struct books *books, int directory, struct error *err);
