/*
 * state: the state of the model, private to lib/model. Each part has its own file and functions.
 *
 * Everything is an index into an array of struct model. There are two kinds of ids:
 *   - public ids of io_event.h (thread_id, process_id, handle_id, file_id) refer to definitions of the archive and are never
 *     reused;
 *   - working ids below (task, process, table, open, description) are reused when their object is gone, so memory depends on
 *     the number of live objects and not on the length of the run.
 *
 * A descriptor number leads to a slot of a table; the slot to an `open` (one I/O handle of the archive:
 * what open, dup or accept made); that to a `description` (POSIX's open file description: file, position
 * and status flags, shared by dup and fork).
 */
#pragma once

#include <iotrace/cold.h>
#include <iotrace/hash.h>
#include <iotrace/index.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/model.h>

enum {
	LOCATION_LIMIT = 448, /* number of locations for a single thread, see location.c */
	FD_LIMIT = 1 << 20, /* larger descriptors are not followed (the kernel's default nr_open) */
	OUT_LIMIT = 1 << 18,           /* maximum number of io_events that wait in the outbox */
	LOCATION_LIMIT_LATE = 1 << 16, /* the same without an archive, to limit the memory */
	TASKS_NEAR = 256,              /* size of the cache in front of the map of tasks */
	SELECTIONS_MOST = 1 << 16,     /* limit for invalid streams */
	SHARED_LIMIT = 32, /* number of shared locations, unless more threads are alive at once */
};

/* A working array of T with a free list of ids; element 0 is valid. */
struct pool {
	uint32_t count, capacity; /* count: number of elements that were ever in use */
	uint32_t *free_id;
	uint32_t free_count, free_capacity;
};

#include "aio_state.h"
#include "block_state.h"
#include "selection_state.h"
#include "span_state.h"

struct call {
	call_id id; /* CALL_ID_NONE: no call in flight */
	uint64_t enter;
	uint64_t arg[EVENT_ARGS];
	uint32_t path[EVENT_PATHS];    /* absolute, str_id; 0: not known */
	bool is_relative[EVENT_PATHS]; /* the path was given relative to a directory */
	str_id up_from[EVENT_PATHS];   /* the start directory if the path contains ".."; or 0 */
	bool is_directory;             /* the first path ends with "/", "." or ".." */
	bool is_unnamed[EVENT_PATHS];  /* the program gave a path, but its file is unknown */
	str_id written;       /* the first path as the program gave it, if path[0] is unknown */
	bool has_succeeded;   /* the call has ended, and does not need `written` */
	uint32_t open, open2; /* opens of fd and fd2 at the begin, held; or ID_NONE */
	uint64_t offset[2];   /* position of the description at the begin */
};

struct task {
	uint32_t tid;
	uint32_t process; /* ID_NONE: the element is free */
	str_id name;
	uint64_t begin; /* 0: not seen */
	thread_id location;
	uint32_t table;           /* its own table, not shared with its process; or ID_NONE */
	uint64_t lock_time;       /* time of the last LOCK record for its fcntl; 0: none */
	uint32_t lock_type;       /* F_RDLCK, F_WRLCK, F_UNLCK */
	enum event_choice choice; /* the kernel's last answer whether it is recorded */
	uint32_t shared;          /* index in shared[]; ID_NONE: its location is not shared */
	struct call call;
	uint32_t
		forked; /* last child process of this task, for the clone flags that follow; or ID_NONE */
	uint32_t forked_thread; /* the same for a thread of its process */
	struct task_counters *counters;
};

/* Definitions for an event of -e. */
struct tracepoint_kind {
	bool is_set;
	uint32_t series; /* series of its numbers, or ID_NONE */
	uint32_t numbers, strings;
	uint32_t parameter; /* the first parameter for its strings */
};

/* A location that several threads use one after the other. */
struct shared_location {
	thread_id location;
	bool is_taken;
	uint64_t since;                 /* when its current thread got it */
	uint64_t last;                  /* end of its last thread: no later event may be earlier */
	uint64_t total[EVENT_COUNTERS]; /* totals of the counters of -E */
};

struct process {
	uint32_t pid;
	uint32_t parent; /* public id, ID_NONE */
	uint32_t table;
	uint32_t tasks; /* number of running tasks; 0 and table == ID_NONE: the element is free */
	str_id name, argv;
	uint64_t begin;
	uint32_t fs;      /* its current directory and root directory */
	uint32_t opening; /* calls in flight that may make a descriptor */
	uint32_t closing; /* requests in flight that close a descriptor */
	bool is_prelude;  /* the command before its exec, which is not recorded */
	bool is_excluded; /* of a user who is not recorded: its descriptors are unknown */
	bool is_foreign;  /* runs a 32-bit program */
	bool is_foreign_counted;
	bool is_argv_cut;   /* argv is truncated */
	bool is_argv_typed; /* argv is that of the recorded command, as given to iotrace */
	bool is_replaced;   /* an exec is in flight, so it cannot end before that */
	bool is_lost;       /* perf lost its events, so nobody sees its end */
	struct trace_rank rank;
	uint32_t selection;
	int32_t status;          /* its wait status; -1: unknown */
	uint64_t executed;       /* time of its last exec */
	struct mapping *mapping; /* mapped files, sorted by address */
	uint32_t mappings, mappings_cap;
	process_id group; /* public, ID_NONE until it did I/O */
	thread_id leader; /* location of its first thread, ID_NONE */
};

/* Whether an exec closes it. */
enum cloexec { CLOEXEC_NO, CLOEXEC_YES, CLOEXEC_UNKNOWN };

/* Why the file of a descriptor is uncertain. Each reason has a counter of affected uses. */
enum doubt {
	DOUBT_NONE,
	DOUBT_LOSS,    /* data was lost since its file was last known */
	DOUBT_EXEC,    /* an exec may have closed it */
	DOUBT_FOREIGN, /* a 32-bit program used the table, and its calls are not followed */
	DOUBT_REQUEST, /* a request of io_uring may have closed or created it */
	DOUBT_PUT,     /* another process may have put a descriptor there */
	DOUBTS
};

struct slot {
	uint32_t open; /* ID_NONE: closed */
	enum cloexec cloexec;
	enum doubt doubt;
	bool is_busy;     /* a dup2 onto it is in flight */
	uint64_t doubted; /* the doubt holds for calls that begin at this time or later */
	uint64_t changed; /* time when it was last opened or closed */
	/* The open before its last close, for calls that began before that. Held; or ID_NONE. */
	uint32_t was;
	uint64_t was_from, was_until;
	uint64_t empty_close; /* last time when a close found it empty */
};

struct table {
	struct slot *slot;
	uint32_t capacity;
	uint32_t users; /* number of processes, and of threads with an own table, that use it */
	uint32_t busy;  /* number of calls in flight that may close any of its descriptors */
	bool is_shared; /* all its descriptions may be shared: see position.h */
	/* Its task has unshared it: a worker of io_uring that began before may use the older one. */
	bool is_unshared;
	bool is_hidden; /* table_doubt_hidden() found nothing certain, and nothing was added since */
	uint64_t empty_close; /* last time when a close named a number beyond the capacity */
	uint64_t
		emptied; /* last time when an exec or close_range() closed descriptors, known or unknown */
};

/* A current directory and a root directory, of one process or shared with CLONE_FS. */
struct fs {
	uint32_t users;           /* processes */
	uint32_t moving;          /* calls in flight that change it */
	uint64_t moved;           /* time when the last of them ended */
	uint32_t rooting;         /* calls in flight that change the root */
	uint64_t rooted;          /* time when the last of these ended */
	str_id root;              /* 0: not known */
	uint64_t mount_namespace; /* inode of the namespace, 0: unknown */
};

enum name_state {
	NAME_AWAITED, /* a look-up may still find it */
	NAME_TEXT,    /* from the path argument of the call; a look-up is better (symbolic links) */
	NAME_SURE,
	NAME_NEVER, /* the look-up failed */
};

struct description {
	file_id file;
	str_id name;
	enum name_state state;
	bool is_stream; /* no position: pipe, socket ... */
	bool is_file;   /* created by an open call: counted by its name */
	bool is_early;  /* one of its handles was assigned before its name was known */
	bool is_shared; /* processes that are not in the stream may move the position: see position.h */
	bool may_append; /* F_SETFL may have set O_APPEND: see position_may_append() */
	bool is_network; /* a socket that cannot pass descriptors */
	uint32_t flags;  /* O_*, UINT32_MAX: not known */
	/* The model's append_changes when it was shared or its flags were set. A later change may concern it. */
	uint64_t append_changes;
	uint64_t position;
	uint64_t moved;   /* when the position last changed */
	uint32_t active;  /* number of calls in flight that use the position */
	uint32_t slots;   /* descriptors that lead here */
	uint32_t holders; /* opens */
};

struct open {
	uint32_t description;
	uint32_t fd;        /* its descriptor number, the same in all tables; ID_NONE: none */
	uint64_t born;      /* calls that began at this time or earlier do not use it */
	process_id creator; /* ID_NONE: open before recording, not used yet */
	handle_id handle;   /* ID_NONE until it is assigned */
	uint32_t slots;     /* descriptors that lead here */
	uint32_t holders;   /* slots, calls in flight, waiting events, mappings */
	bool is_found;      /* its open is not in the stream */
	bool is_coming;     /* its call is being processed, and will give it a descriptor */
	bool is_all_proxy;
	bool is_gone;     /* destroyed in the shared group, see location.c */
	bool is_excluded; /* excluded by --path: it has no handle */
	uint32_t share;   /* handles of processes that did not inherit it; ID_NONE */
};

struct share {
	process_id process;
	handle_id handle;
	uint32_t next;
};

/* A waiting io_event. Its handles are still ids of opens. */
struct waiting {
	struct io_event event;
	uint32_t open, open2; /* ID_NONE */
	uint32_t aio;         /* the asynchronous request that has its handle instead; ID_NONE */
	bool is_growing;      /* the BEGIN of a block request: its size is not final */
	bool is_discarded;    /* it never began, and will not leave the outbox */
};

struct out_ring {
	struct waiting *at; /* a power of two */
	uint32_t head, count, capacity;
};

/* The waiting io_events of a location. */
struct out_location {
	struct out_ring
		queue; /* in order; the first one waits for something, and blocks the others */
	struct out_ring beside; /* not part of a call, in the order of time */
	uint64_t first;         /* sequence number of the first one in `queue` */
	uint64_t reached;       /* time of the last one that was put into `queue` */
	/* Time of the last event beside calls that was put into `queue` without a later record. */
	uint64_t floor;
	bool is_straight, is_blocked;
};

/* A location inside or outside of a call: see path_filter.h. */
struct region {
	enum { OUTSIDE, WAITING, GONE_OUT } state;
	bool has_excluded; /* one of its records was excluded */
	struct io_event enter;
	struct io_event begin; /* the begin of the thread or its program, if it waits */
	bool has_begin;
};

/* The call in flight of a location, if the recording has pauses: see pause_filter.h. */
struct out_pause {
	bool is_in_call, is_excluded;
};

struct outbox {
	struct out_location *location; /* by thread_id */
	thread_id *blocked;            /* locations whose first event is blocked */
	uint32_t locations, blocked_count, blocked_cap;
	uint32_t waiting;      /* number of io_events that wait, on all locations */
	uint64_t due;          /* the earliest time when an event has waited too long */
	struct region *region; /* by thread_id */
	uint32_t regions;
	struct out_pause *pause; /* by thread_id */
	uint32_t pauses;
	struct map paused; /* operations in flight that began in a pause, by matching id */
	uint64_t since;    /* what begins earlier is excluded, like what begins in a pause */
};

/* Arrays that grow with the number of files: see cold.h. */
enum model_area { AREA_IDLE, AREA_PATHS, AREA_PARENTS, AREA_MAPPED, AREA_WRITERS, AREAS };

/* A destroyed handle that may be used again for the same file. */
struct idle_handle {
	handle_id next; /* the one that was destroyed before it */
	str_id name;    /* its name at that time */
	uint64_t since; /* ns */
};

/* Which tasks are recorded. */
struct choice {
	bool has_users; /* only tasks of some users */
	/* Selections differ, so the kernel records more, and the model decides for each task. */
	bool is_ours;
};

struct model {
	struct trace trace; /* the definitions, which sinks read */
	struct tally *tally;
	model_output output;
	void *context;
	struct hash_key key;
	struct cold_area area[AREAS];
	uint32_t events; /* modulo 2^32 */
	/* Shared name of all files whose names no output needs: see name_add(); 0: none yet. */
	str_id stand_in;
	bool is_nameless; /* no output needs names of files */

	struct task *task;
	struct pool tasks;
	struct map task_by_tid;
	uint32_t task_near[TASKS_NEAR]; /* cache of tasks, by the last bits of the tid */
	struct process *process;
	struct pool processes;
	struct map process_by_pid;
	struct table *table;
	struct pool tables;
	struct open *open;
	struct pool opens;
	struct description *description;
	struct pool descriptions;
	struct share *share;
	struct pool shares;
	struct fs *fs;
	struct pool fss;

	struct outbox out;
	bool is_unblocked; /* something has arrived that an io_event may wait for */
	struct aio_state aio;
	struct span_state spans;
	struct mapped_file *mapped_file; /* by file_id */
	uint32_t mapped_file_cap;
	struct map
		lasting[4]; /* by O_ACCMODE, (process, name or deleted file): see open_lasting() */
	struct index idle_handle; /* by (process, name): the last destroyed handle */
	struct idle_handle *idle; /* by handle */
	uint32_t idle_capacity;
	struct selection *selection; /* at least one */
	uint32_t selections, selection_cap;
	bool has_names;     /* some selection has --path */
	uint32_t all_proxy; /* the open that stands for all files, ID_NONE */

	uint32_t location_limit;
	process_id shared_group; /* the group of processes that share locations, or ID_NONE */
	struct shared_location *shared;
	uint32_t shareds, shared_cap;
	file_id *file_of_path; /* by str_id: + 1, 0: none */
	uint32_t file_of_path_cap;
	bool *is_parent; /* by str_id: there is a file below this path */
	uint32_t is_parent_cap;
	struct index file_by_inode; /* by (dev, ino): the last file with this inode */
	struct map mount_by_id;
	bool misses_uring; /* requests are not recorded, but counted by the calls that submit them */

	struct map cgroup_by_id; /* maps the kernel's id to an index in cgroup[] */
	struct map cgroup_path;  /* maps the id of every group to its path (str_id) */
	struct map device_by_number;
	struct block block;
	bool is_paired; /* begin and end of a call are in one record */
	struct tracepoint_kind *tracepoint;
	uint32_t tracepoints, tracepoints_cap;

	struct choice choice;
	uint32_t call_series; /* of -E */
	uint64_t now;         /* time of the event at hand */
	uint64_t lost_time;   /* when data was last lost */
	uint64_t lost_until;  /* and the end of that loss */
	uint32_t pivoting;    /* calls in flight that change the root of other processes, too */
	uint64_t pivoted;     /* time when the last of them ended */
	/* Number of times that a shared description may have got O_APPEND. */
	uint64_t append_changes;
	uint64_t next_op;     /* matchingId */
	uint32_t command_pid; /* of the recorded command, 0: none */
	/* The command has ended at command_end, and its status will follow; or ID_NONE. */
	thread_id command_leader;
	uint64_t command_end;
};

static inline struct description *open_description(struct model *m, uint32_t open)
{
	return &m->description[m->open[open].description];
}

/* Returns the descriptor table that the thread uses. */
static inline uint32_t task_table(const struct model *m, uint32_t task)
{
	const struct task *t = &m->task[task];

	return t->table == ID_NONE ? m->process[t->process].table : t->table;
}

/* pool.c */
uint32_t pool_take(struct pool *pool, void *array_pointer, size_t size);
void pool_give(struct pool *pool, uint32_t id);
str_id model_string(struct model *m, const char *bytes, size_t length);
