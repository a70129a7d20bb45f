/*
 * model: what the events mean.
 *
 * It knows processes, threads, descriptor tables, open file descriptions, files; turns events into io_events and
 * hands each to one function. It asks no questions: all it knows came through model_event(). It owns what its
 * arrays hold; sinks read them, by id, at any time.
 */
#ifndef IOTRACE_MODEL_H
#define IOTRACE_MODEL_H

#include <iotrace/io_event.h>
#include <iotrace/tally.h>

#ifdef __cplusplus
extern "C" {
#endif

struct model;

/* A location: a thread, the requests of a block device, or samples. Listed only once it has had an io_event. */
enum model_location { LOCATION_THREAD, LOCATION_DEVICE, LOCATION_METRIC };

struct model_thread {
	enum model_location kind;
	uint32_t tid; /* LOCATION_THREAD */
	process_id process;
	str_id name;
	uint64_t begin, end; /* 0: not seen */
	bool is_left_out,
		is_ending; /* no io_event was kept (--path); not all that it submitted has ended */
	uint32_t folded;   /* threads that had it one after the other; 0: it is one thread's own */
	uint64_t lived; /* folded: how long they lived, in sum, but for the last if it still does */
};

/*
 * A location group: a process, a block device, the machine (for its samples), or all processes beyond a limit, for which
 * archives have no room. Listed with its first location.
 */
enum model_group { MODEL_PROCESS, MODEL_DEVICE, MODEL_MACHINE, MODEL_SHARED_GROUP };

struct model_process {
	enum model_group kind;
	bool is_left_out;  /* it has no location, nor has a process that comes from it (--path) */
	uint32_t device;   /* MODEL_DEVICE: model_device() */
	uint32_t pid;      /* MODEL_PROCESS */
	process_id parent; /* ID_NONE, or the recorded process that forked it */
	str_id name;       /* last command name, or program path if known */
	str_id argv;       /* words separated by NUL; 0 if not known */
	bool is_argv_cut;  /* it had more */
	str_id root;       /* the last root directory; 0: not known */
	uint64_t mount_namespace, begin, end; /* its inode; ns */
	uint32_t folded;                      /* MODEL_SHARED_GROUP: how many processes */
	int32_t status;                       /* wait status, -1: unknown */
};

enum model_file_kind { FILE_REGULAR, FILE_DIRECTORY, FILE_DEVICE, FILE_FIFO };

struct model_file {
	str_id path; /* absolute */
	enum model_file_kind kind;
	uint32_t mount; /* index in mounts, or ID_NONE */
	bool is_gone;   /* the last that was seen of it: its name was taken away */
	bool is_deleted; /* it had no name any more when it was opened; another file may have that path */
	uint64_t dev, ino; /* 0: not known */
};

/* Destroyed handles of one process and file are used again. */
struct model_handle {
	process_id process; /* that created it */
	file_id file;       /* ID_NONE: not a file, or its name is not known */
	str_id name;        /* "pipe:[17]", "socket:[4]"; for a file its path; 0: not known */
	bool is_pre_created;
	bool is_block;      /* of a block device: paradigm block_io */
	bool is_all_proxy;  /* stands for every file: sync() */
	uint32_t pre_flags; /* is_pre_created: O_* flags */
};

struct model_mount {
	uint64_t id;
	str_id mount_point, source, type;
};

/* What the kernel says of one of its events at the end of the recording. */
struct model_count {
	str_id name;
	uint32_t event; /* index in capture_info */
	uint64_t counted, lost;
	bool has_lost; /* the kernel could say (Linux 6.0) */
};

enum model_source { MODEL_SOURCE_UNKNOWN, MODEL_SOURCE_PERF, MODEL_SOURCE_BPF }; /* fact SOURCE */
enum { MODEL_ATTACHED = 4 };

struct model_host {
	str_id hostname, release, machine,
		argv;            /* argv: words of the recorded command, separated by NUL */
	int64_t realtime_offset; /* CLOCK_REALTIME - clock of the trace, ns */
	uint32_t cpus;
	int32_t status;                 /* of the recorded command: wait status, -1: unknown */
	int end_reason;                 /* fact END, -1 if the stream broke off */
	uint64_t first_time, last_time; /* of recorded tasks; is_system: of the recording */
	uint32_t processes_seen, threads_seen; /* recorded, with and without I/O */
	uint32_t processes_left;               /* still alive at the end */
	/* Without a command and is_system: processes that ran already, and the first of these. */
	uint32_t attached, attached_pid[MODEL_ATTACHED];
	str_id attached_name[MODEL_ATTACHED];
	str_id cwd;        /* where the recorded command was started (fact COMMAND); 0: not known */
	uint32_t source;   /* who paired the calls: 1: perf, 2: BPF; 0: not said */
	str_id source_why; /* why it was not the other */
	uint32_t block_source; /* who told of block requests: as source; 0: nobody, or not said */
	str_id block_why;      /* why it was perf, though BPF paired the calls */
	bool is_system, is_argv_cut; /* all processes are recorded; argv is not whole */
	enum block_choice block;     /* which block requests are */
	uint32_t block_mode;         /* bits of enum block_output: what they become */
	uint64_t sample_interval;    /* ns, of devices and the machine; 0: none, or not known */
};

typedef void (*model_output)(void *context, const struct io_event *event);

/* Counts in tally. The events of each location go to output() in the order of time; those of several have no order. */
struct model *model_new(struct tally *tally, model_output output, void *context);
void model_free(struct model *model);
/* What is known of files may lie in unlinked files in this directory. */
void model_use_directory(struct model *model, int directory);
void model_forget_names(struct model *model);       /* of files: no sink needs them */
struct cold *model_cold(const struct model *model); /* their store, which sinks share, or NULL */
void model_event(struct model *model, const struct event *event);
/* The stream has ended: closes what is in flight, counts what is open. Call once. */
void model_end(struct model *model);

uint32_t model_threads(const struct model *model);
uint32_t model_processes(const struct model *model);
uint32_t model_files(const struct model *model);
uint32_t model_handles(const struct model *model);
uint32_t model_mounts(const struct model *model);
uint32_t model_counts(const struct model *model);
const struct model_count *model_count(const struct model *model, uint32_t id);
const struct model_thread *model_thread(const struct model *model, thread_id id);
const struct model_process *model_process(const struct model *model, process_id id);
const struct model_file *model_file(const struct model *model, file_id id);
const struct model_handle *model_handle(const struct model *model, handle_id id);
const struct model_mount *model_mount(const struct model *model, uint32_t id);
const struct model_host *model_host(const struct model *model);
const struct strtab *model_strings(const struct model *model);
const char *model_text(const struct model *model, str_id id);

#ifdef __cplusplus
}
#endif
#endif
