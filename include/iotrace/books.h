/*
 * books: what was recorded and whether it is complete, as iotrace.json in the archive and as a sentence.
 *
 * iotrace.json is one object. Keys are only ever added; "schema" rises if one changes its meaning:
 *
 *   schema, iotrace, source ("perf", "bpf"), source_why (why it was not the other),
 *   refused [ { name, why, instead ("perf") } ] (what was asked for, and the kernel let no BPF program record),
 *   options [ { from (a file, "IOTRACE_OPTIONS", "command line"), line, words[] } ] (in the order in which they hold),
 *   command { argv[], cwd, exit_status, signal },
 *   commands [ { pid, rank, argv[], exit_status, signal } ] (all that joined; the status of one whose iotrace was killed is null),
 *   host { name, kernel, machine, cpus },
 *   job { system ("Slurm"), id, name, user, nodes, ranks } (null if the recorder was in none),
 *   start, start_ns, duration_ns, pauses [ { start_ns, duration_ns } ] (from the start; what began there was left out),
 *   end, end_errno, archive_end { duration_ns, errno }, is_complete, syscalls[], metrics[],
 *   series [ { name, metrics [ { name, unit } ] } ], parameters[],
 *   devices [ { name, dev, trace, scheduler, rotational, size, disk, under, backing, balanced,
 *               read { requests, sectors, kernel_requests, kernel_sectors }, write, discard, flush } ],
 *   trace { processes, sharing_processes, threads, devices, files, handles, processes_seen, threads_seen, processes_left },
 *   books { balanced, sentence, counters { one for each row of tally.def } },
 *   events [ { name, counted, lost, samples } ]
 *
 * What is not known is null. end_errno: of the write that ended the recording; archive_end: null unless the archive takes no
 * events from there on. is_complete: all was converted, the recording has an end, a command was recorded to its own, and the kernel
 * refused nothing of what was asked for.
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
	BOOKS_LOSS,     /* events are missing, and it is known how many */
	BOOKS_WRONG,    /* an equation does not hold */
};

struct sink_end;

/* What the stream says of records that are not in it. */
struct books_missing {
	uint64_t records; /* what the records of loss say, for kernels that count no loss */
	uint64_t cut;     /* of these, what was cut out of the spool: the kernel did not lose it */
};

/*
 * The stream has ended: books what the kernel counted against what came, event by event. `samples` has how many came
 * of each event of the capture.
 */
void books_settle(struct tally *tally, const struct trace *trace, const uint64_t *samples,
		  uint32_t events, const struct books_missing *missing);

/*
 * Returns the state, with sentences for people in text: "complete: all 1,234 events recorded", or how many are missing,
 * why, and what to do about it.
 */
enum books_state books_check(const struct trace *trace, const struct tally *tally, char *text,
			     size_t size);
/* Returns whether the counter counts events that are missing. */
bool books_is_loss(enum tally_counter counter);
/* Returns whether what it counts makes events missing of which nobody knows how many. */
bool books_is_gap(enum tally_counter counter);

/* Returns whether the recording was stopped before the command that it was made of ended. */
bool books_ends_early(const struct trace *trace);

/* Lent. */
struct books {
	const struct trace *trace;
	const struct tally *tally;
	const char *version; /* of iotrace */
	uint32_t groups;     /* bits 1 << enum call_group that were asked for; 0: not known */
	bool is_complete;    /* the stream was converted to its end, whatever that was */
	const struct sink_end *end; /* of the archive; NULL: it is whole */
	const uint64_t *samples;    /* how many came of each event of the capture */
	uint32_t events;
};

/* Returns the text of iotrace.json, which the caller frees. */
char *books_json(const struct books *books);
/* Makes iotrace.json in a directory, given by its descriptor. */
int books_write(const struct books *books, int directory, struct error *err);
