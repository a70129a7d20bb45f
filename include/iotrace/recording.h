/*
 * recording: what the user wants to record.
 *
 * This one struct is passed from the command line to the BPF programs. The options of `iotrace record` are parsed
 * into it, and all code below reads it through a const pointer, without copies. Results, such as refused block
 * requests or descriptors of control groups, are state of the code that finds them.
 *
 * The caller owns all of it, and does not change it between live_open() and live_close(). Lists may be empty. Times
 * are in nanoseconds, sizes in bytes. A recording with a command or processes, and zero otherwise, is valid.
 */
#pragma once

#include <iotrace/list.h>
#include <iotrace/request.h>
#include <stdbool.h>
#include <stdint.h>

/* The source of system calls: see iotrace-record(1). */
enum live_source { SOURCE_AUTO, SOURCE_PERF, SOURCE_BPF };

/* --block, --device and --block-mode. Defaults are filled in before live_open(). */
struct recording_blocks {
	bool is_given;   /* --block was given: a failure to record them is an error, not a remark */
	bool has_choice; /* the user chose which */
	enum block_choice choice;
	uint32_t mode;            /* bits of enum block_output */
	struct text_list devices; /* only these: names as in /sys/block, or paths */
};

/* What is recorded of the processes of a command. Each command that joins a recording has its own. */
struct recording_selection {
	uint32_t groups; /* of calls: bits 1 << enum call_group; OPEN and TASK are always in */
	struct text_list comms;    /* only tasks with these command names: globs */
	struct text_list paths;    /* only records of these files: globs */
	struct text_list excluded; /* no records of these files: globs */
};

/* --uid: only tasks of these users. */
struct recording_users {
	struct number_list ids;
	struct text_list names; /* each as the user wrote it */
};

/* Options as they were given on the command line, in a line of a file, or in an environment variable. */
struct recording_words {
	char *from;    /* a path, the name of a variable, or "command line" */
	uint32_t line; /* of the file, from 1; 0: not a file */
	int argc;
	char **argv; /* as main() gets them: the first is the program's name, NULL behind the last */
};

/* A probe of a program, which becomes a tracepoint. */
struct recording_probe {
	/* Name of the tracepoint, "iotrace_4711:NAME"; several locations of one event are consecutive. */
	char *event;
	char *text; /* as the user wrote it */
	bool is_return;
	int fd;                     /* descriptor of the program's file */
	uint64_t offset, semaphore; /* offset in the file; offset of the semaphore, 0: none */
	char *fields;               /* "NAME=FETCH:TYPE ..." */
};

struct recording_probes {
	struct recording_probe *item;
	uint32_t count, cap;
};

struct counted_span;

enum { RECORDING_OWN_WATCH, RECORDING_OWN_DISPLAY, RECORDING_OWN };

struct recording {
	/* Whose I/O is recorded. */
	char *const *argv;        /* the command, NULL-terminated; NULL: none */
	struct number_list pids;  /* -p: all their threads and new children, too */
	bool is_system;           /* -a: all processes of the machine */
	struct text_list cgroups; /* only tasks of these: paths, or names below the mount */
	struct recording_users users;

	/* What is recorded of these tasks. */
	struct recording_selection selection;
	struct recording_blocks blocks;
	struct text_list tracepoints; /* -e SYSTEM:EVENT[=FIELD,...] */
	struct text_list everywhere;  /* the same, but of all tasks of the machine */
	struct text_list
		of_spans; /* the same texts, of those in these two lists that only spans need */
	/* Of raw_syscalls:* in these two lists, only calls of these groups, as bits 1 << enum call_group; 0: all. */
	uint32_t raw_groups;
	struct text_list stacks;        /* those of them whose samples contain the stack */
	struct recording_probes probes; /* the tracepoints above include those of these probes */
	struct text_list counters;      /* -E: read with each call */
	/* Spans to be counted in the kernel: <iotrace/counted.h>. */
	const struct counted_span *counted;
	uint32_t counted_count;
	bool are_all_counted; /* no other spans are wanted */
	/* Only counted spans are recorded, so BPF programs need not look at calls. */
	bool is_without_calls;
	/* If the kernel does not count all of them, calls are recorded, as if nothing was to be counted. */
	bool records_uncounted;
	/* Nothing else is wanted, not even tasks: nothing is recorded of their begins and ends, and no file of /proc is read for them. */
	bool has_only_counts;
	bool has_checked_users;   /* the caller refuses events of all users if some are chosen */
	uint64_t sample_interval; /* of the machine and its devices; 0: no samples */
	/* How long these devices, names as in /sys/block, have been busy is recorded at an interval. */
	struct text_list busy_devices;
	uint64_t busy_interval;

	/* When the recording begins and ends. */
	uint64_t duration;  /* the recording ends then, a command continues; 0: no limit */
	uint64_t delay;     /* it begins paused for this time; 0: not paused */
	bool is_stopped;    /* it begins paused until a user starts it */
	const char *name;   /* another name than the process id for requests to it; NULL: none */
	bool waits_for_all; /* wait for the last descendant of the command; not with -a */
	bool has_marks;     /* the command gets a descriptor for marks */
	int ready_fd;       /* gets "ready\n" and is closed when the recording is active; 0: none */

	/* How it is recorded. */
	enum live_source source;
	uint32_t own_pid[RECORDING_OWN]; /* processes of iotrace that are not recorded; 0: none */
	/* Numbers are printed during the recording, so events must not wait long. */
	bool is_watched;
	uint64_t ring_bytes;   /* for each CPU, rounded up; 0: the default */
	uint64_t buffer_bytes; /* upper limit of the queue in memory; 0: the default */
	const struct recording_words *given; /* the original options, for readers of the stream */
	uint32_t given_count;
	const char *refused; /* for tests: make the kernel refuse this BPF program */
};

/* Returns whether the user requested block requests explicitly; -a records them anyway. */
static inline bool recording_asks_for_blocks(const struct recording *recording)
{
	return recording->blocks.is_given || recording->blocks.devices.count;
}
