/*
 * recording: what the user wants to be recorded.
 *
 * One struct from the command line to the BPF programs. The options of `iotrace record` are parsed into it, and everything
 * below holds it by a const pointer and reads what it needs. Nobody copies a field. What becomes of a wish is state of
 * those who find it out: block requests that the kernel refuses, or the descriptors of the control groups.
 *
 * All of it belongs to the caller, and does not change from live_open() to live_close(). Lists may be empty. Times are in
 * nanoseconds, sizes in bytes. A recording that is zero but for a command or processes is a valid one.
 */
#pragma once

#include <iotrace/list.h>
#include <iotrace/request.h>
#include <stdbool.h>
#include <stdint.h>

/* Who pairs system calls: see iotrace(1). */
enum live_source { SOURCE_AUTO, SOURCE_PERF, SOURCE_BPF };

/* --block, --device and --block-mode. What the user left open is decided before live_open(). */
struct recording_blocks {
	bool is_given;   /* --block: if there are none, that is an error, not a remark */
	bool has_choice; /* the user said which */
	enum block_choice choice;
	uint32_t mode;            /* bits of enum block_output: what is made of them */
	struct text_list devices; /* only these: names as in /sys/block, or paths */
};

/* --uid: only tasks of these users. */
struct recording_users {
	struct number_list ids;
	struct text_list names; /* each as the user wrote it */
};

/* Options as they were given: words of the command line, of a line of a file, or of a variable of the environment. */
struct recording_words {
	char *from;    /* a path, the name of a variable, or "command line" */
	uint32_t line; /* of the file, from 1; 0: it is no file */
	int argc;
	char **argv; /* as main() gets them: the first is the program's name, NULL behind the last */
};

struct recording {
	/* Which tasks: those of a command, of processes, or all of the machine. */
	char *const *argv;        /* the command, NULL-terminated; NULL: none */
	struct number_list pids;  /* -p: all their threads and new children, too */
	bool is_system;           /* -a: all processes of the machine */
	struct text_list cgroups; /* only tasks of these: paths, or names below the mount */
	struct recording_users users;
	struct text_list comms; /* only tasks with these command names: globs */

	/* What they do. */
	uint32_t groups; /* of calls: bits 1 << enum call_group; OPEN and TASK are always in */
	struct text_list paths;    /* only records of these files: globs */
	struct text_list excluded; /* no records of these files: globs */
	struct recording_blocks blocks;
	struct text_list tracepoints; /* -e SYSTEM:EVENT[=FIELD,...] */
	struct text_list counters;    /* -E: read with each call */
	uint64_t sample_interval;     /* of the machine and its devices; 0: no samples */

	/* How long. */
	uint64_t duration;  /* the recording ends then, a command runs on; 0: no limit */
	uint64_t delay;     /* it is paused from the begin for so long; 0: not */
	bool is_stopped;    /* it is paused from the begin until a user starts it */
	const char *name;   /* by which a user can talk to it, beside its process id; NULL: none */
	bool waits_for_all; /* for the last descendant, not only for the command; not with -a */
	bool has_marks;     /* the command has a descriptor that it writes marks to */
	int ready_fd;       /* gets "ready\n" and is closed when everything is recorded; 0: none */

	/* How. */
	enum live_source source;
	uint64_t ring_bytes;   /* for each CPU, rounded up; 0: the default */
	uint64_t buffer_bytes; /* bound of the queue in memory; 0: the default */
	const struct recording_words
		*given; /* what all this comes from, for readers of the stream */
	uint32_t given_count;
	const char *refused; /* for tests: the kernel is made to refuse this BPF program */
};

/* Returns whether the user asked for block requests, beside what -a records anyway. */
static inline bool recording_asks_for_blocks(const struct recording *recording)
{
	return recording->blocks.is_given || recording->blocks.devices.count;
}
