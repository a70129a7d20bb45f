/* recorded: facts about a recording as a whole: its machine, command, filters and gaps. */
#pragma once

#include <iotrace/definition.h>

/* The kernel's count of one event at the end of the recording. */
struct trace_count {
	str_id name;
	uint32_t event; /* index in capture_info */
	uint64_t counted, lost;
	bool has_lost;   /* the kernel counts losses (Linux 6.0) */
	bool is_inexact; /* `counted` includes events that the kernel delivers to nobody */
};

enum trace_source { TRACE_SOURCE_UNKNOWN, TRACE_SOURCE_PERF, TRACE_SOURCE_BPF }; /* fact SOURCE */
enum { TRACE_ATTACHED = 4, TRACE_MISSING = 3 };
/* Reasons of fact END: a write failed; --limit was reached. */
enum { TRACE_END_ERROR = 2, TRACE_END_DETACHED = 3, TRACE_END_LIMIT = 4 };

/* How far the capture was converted. */
enum trace_conversion {
	TRACE_CONVERSION_WHOLE = 0,
	TRACE_CONVERSION_STOPPED,   /* the user stopped it */
	TRACE_CONVERSION_UNWRITTEN, /* an output took no more */
};

/* The job of a batch system in which the recording was made (fact JOB). */
struct trace_job {
	str_id system; /* "Slurm"; 0: there was none */
	str_id id, name, user;
	uint32_t nodes, ranks; /* numbers of them; 0: unknown */
};

/* A part of an archive that is missing or damaged. */
struct trace_missing {
	thread_id thread; /* the thread whose events are in the part; ID_NONE: none */
	str_id what;      /* "traces/3.evt: is truncated" */
};

/* The recorded command, or a command that joined. */
struct trace_command {
	uint32_t pid;
	struct trace_rank rank;
	str_id argv;        /* words separated by NUL */
	int32_t status;     /* wait status, -1: not known */
	uint32_t selection; /* see trace_filter */
};

struct trace_host {
	str_id hostname, release, machine,
		argv;            /* argv: arguments of the recorded command, separated by NUL */
	int64_t realtime_offset; /* CLOCK_REALTIME - clock of the trace, ns */
	uint32_t cpus;
	int32_t status; /* wait status of the recorded command; -1: unknown */
	int end_reason; /* fact END, -1 if the stream is truncated */
	int end_errno;  /* TRACE_END_ERROR: of the write that failed; 0: not known */
	enum trace_conversion conversion;
	uint64_t first_time, last_time; /* of recorded tasks; is_system: of the recording */
	uint64_t cpu_some;              /* us, when the recording began: see fact BEGIN */
	uint64_t cpu_wait; /* ns in which some task of the machine waited for a CPU; 0: not known */
	uint32_t processes_seen, threads_seen; /* recorded, with and without I/O */
	uint32_t processes_left; /* alive at the end; 0, too, if the conversion ended early */
	/* Without a command and is_system: number of processes that were already running, and the first of them. */
	uint32_t attached, attached_pid[TRACE_ATTACHED];
	str_id attached_name[TRACE_ATTACHED];
	struct trace_missing
		missing[TRACE_MISSING]; /* the first of an archive's tally.parts_missing */
	bool is_joined;                 /* commands join: argv and cwd are those of the first */
	uint32_t commands;              /* is_joined: how many did */
	str_id cwd; /* working directory of the command at its start (fact COMMAND); 0: unknown */
	uint32_t source;       /* source of the calls: 1: perf, 2: BPF; 0: unknown */
	str_id source_why;     /* why not the other one */
	uint32_t block_source; /* source of block requests; 0: none, or unknown */
	str_id block_why;      /* why it was perf, although BPF recorded the calls */
	struct trace_job job;
	str_id creator; /* the program that wrote an archive: "Score-P 8.4" */
	bool is_of_others; /* from an archive of another program, which does not say which events are missing */
	bool is_system, is_argv_cut; /* all processes are recorded; argv is truncated */
	enum block_choice block;     /* which block requests are recorded */
	uint32_t block_mode;         /* bits of enum block_output */
	uint64_t sample_interval;    /* ns, of devices and the machine; 0: none, or not known */
};

/* A pause of the recording, in ns; PAUSE_LASTS: to its end. See iotrace/pause.h. */
struct trace_pause {
	uint64_t from, to;
};

/*
 * A filter of the recording: --path, --comm, --uid, --cgroup, --device, --syscalls. It holds for processes with this selection: commands
 * that joined may have different ones.
 */
struct trace_filter {
	enum fact_filter kind;
	str_id text; /* a glob, or a name */
	uint32_t selection;
	uint32_t groups; /* FILTER_GROUPS: bits 1 << enum call_group */
};

enum { TRACE_OTHERS = 3 };

/* Whether the filters matched, and what they excluded. */
struct trace_filters {
	struct trace_filter *filter;
	uint32_t count, cap;
	str_id other
		[TRACE_OTHERS]; /* command names of the first few excluded tasks that made calls */
	uint32_t others;
	bool has_met_path;        /* a name passed --path */
	uint64_t calls_elsewhere; /* calls that --path excluded: on other files, or on no file */
};

/* A requested kind of record whose BPF program the kernel refused. */
struct trace_refused {
	str_id name;    /* "io_uring requests" */
	str_id why;     /* "this kernel has no tracepoint ..." */
	str_id instead; /* the source that recorded it instead: "perf"; 0: none */
};

/* Options of the recording (fact OPTION). */
struct trace_option {
	str_id from;   /* a file, a variable of the environment, or "command line" */
	str_id words;  /* separated by NUL */
	uint32_t line; /* line of the file, from 1; otherwise 0 */
};
