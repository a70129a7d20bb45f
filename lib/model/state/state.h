/*
 * state: what the model keeps. Private to lib/model; each part has its own file and functions.
 *
 * Everything is an index into an array that struct model owns. Two kinds of ids must not be mixed up:
 *   - the public ones of io_event.h (thread_id, process_id, handle_id, file_id) name definitions of the
 *     archive and are never taken back;
 *   - the working ones below (task, process, table, open, description) are used again when their object is
 *     gone, so that memory follows what is alive and not the length of the run.
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
	LOCATION_LIMIT = 448, /* locations for one thread each, see location.c */
	FD_LIMIT = 1 << 20,   /* numbers beyond are not followed (the kernel's default nr_open) */
	OUT_LIMIT = 1 << 18,  /* io_events that may wait before they leave */
	LOCATION_LIMIT_LATE =
		1 << 16,   /* the same where no archive is made: for the sake of memory */
	TASKS_NEAR = 256,  /* tasks that are found without the map */
	SHARED_LIMIT = 32, /* locations that are shared, if fewer than that live at a time */
};

/* Working array of T with a free list of ids; element 0 is a valid one. */
struct pool {
	uint32_t count, capacity; /* count: elements ever in use */
	uint32_t *free_id;
	uint32_t free_count, free_capacity;
};

#include "aio_state.h"
#include "block_state.h"

struct call {
	call_id id; /* CALL_ID_NONE: none in flight */
	uint64_t enter;
	uint64_t arg[EVENT_ARGS];
	uint32_t path[EVENT_PATHS];    /* absolute, str_id; 0: not known */
	bool is_relative[EVENT_PATHS]; /* the path was given relative to a directory */
	bool is_directory;             /* the first path ends with "/", "." or ".." */
	bool is_unnamed[EVENT_PATHS];  /* it was given, but what it leads to is not known */
	str_id written;       /* the first path as it was given, where path[0] is not known */
	bool has_succeeded;   /* it is over, and needs no `written` */
	uint32_t open, open2; /* what fd and fd2 named at enter, held; ID_NONE */
	uint64_t offset[2];   /* position of the description at enter */
};

struct task {
	uint32_t tid;
	uint32_t process; /* ID_NONE: the element is free */
	str_id name;
	uint64_t begin; /* 0: not seen */
	thread_id location;
	uint32_t table;     /* its own, that others of its process do not share; ID_NONE */
	uint64_t lock_time; /* when the kernel said which record lock fcntl asks for; 0: never */
	uint32_t lock_type; /* F_RDLCK, F_WRLCK, F_UNLCK */
	enum event_choice choice; /* what the kernel said of it last */
	uint32_t shared;          /* index in shared[]; ID_NONE: the location is its own */
	struct call call;
	uint32_t
		forked; /* last child process by this task, for the clone flags that follow; ID_NONE */
	uint32_t forked_thread; /* the same for a thread of its process */
	struct task_counters *counters;
};

/* An event of -e. */
struct tracepoint_kind {
	bool is_set;
	uint32_t series; /* of its numbers, ID_NONE */
	uint32_t numbers, strings;
	uint32_t parameter; /* the first of its strings */
};

/* A location that threads have one after the other. */
struct shared_location {
	thread_id location;
	bool is_taken;
	uint64_t since;                 /* its thread has it */
	uint64_t last;                  /* it was left: nothing may stand there that is earlier */
	uint64_t total[EVENT_COUNTERS]; /* of -E */
};

struct process {
	uint32_t pid;
	uint32_t parent; /* public id, ID_NONE */
	uint32_t table;
	uint32_t tasks; /* alive; 0 and table == ID_NONE: the element is free */
	str_id name, argv;
	uint64_t begin;
	uint32_t fs;      /* its current directory and root */
	uint32_t opening; /* calls in flight that may make a descriptor */
	bool is_prelude;  /* the command before its exec: nothing is recorded */
	bool is_left_out; /* of a user who is not recorded: nothing is, and its descriptors are not known */
	bool is_foreign; /* runs a 32-bit program */
	bool is_foreign_counted;
	bool is_argv_cut;   /* argv is not all of its words */
	bool is_argv_typed; /* argv is what the recorded command was called with */
	bool is_replaced;   /* by the program of an exec that is in flight: it cannot end before */
	struct trace_rank rank;
	int32_t status;          /* its wait status, -1: not known */
	uint64_t executed;       /* when it last began another program */
	struct mapping *mapping; /* files in its memory, by address */
	uint32_t mappings, mappings_cap;
	process_id group; /* public, ID_NONE until it did I/O */
	thread_id leader; /* location of its first thread, ID_NONE */
};

/* Whether an exec closes it. */
enum cloexec { CLOEXEC_NO, CLOEXEC_YES, CLOEXEC_UNKNOWN };

/* Why nobody can be sure what a descriptor leads to: each has a counter of the uses that it spoiled. */
enum doubt {
	DOUBT_NONE,
	DOUBT_LOSS,    /* data was lost since it was last known */
	DOUBT_EXEC,    /* an exec may have closed it */
	DOUBT_FOREIGN, /* a 32-bit program had it, whose calls are not followed */
	DOUBT_REQUEST, /* a request of io_uring may have closed it, or made it */
	DOUBT_PUT,     /* another process put a descriptor there */
	DOUBTS
};

struct slot {
	uint32_t open; /* ID_NONE: closed */
	enum cloexec cloexec;
	enum doubt doubt;
	bool is_busy;     /* a dup2 onto it is in flight */
	uint64_t doubted; /* doubt: for calls that began then or later */
	uint64_t changed; /* when it last was opened or closed */
	/* What it was before it last was closed: a call that began then may end only now. Held; ID_NONE. */
	uint32_t was;
	uint64_t was_from, was_until;
	uint64_t stray; /* when a close last found it empty */
};

struct table {
	struct slot *slot;
	uint32_t capacity;
	uint32_t users;   /* processes, and threads that have it for their own */
	uint32_t busy;    /* calls in flight that may close any of it */
	bool is_shared;   /* all descriptions in it are */
	uint64_t stray;   /* when a close last named a number beyond capacity */
	uint64_t emptied; /* when an exec or close_range() last closed any, known here or not */
};

/* A current directory and a root: of one process, or of those that CLONE_FS has let share it. */
struct fs {
	uint32_t users;           /* processes */
	uint32_t moving;          /* calls in flight that change it */
	uint64_t moved;           /* when the last of them ended */
	str_id root;              /* 0: not known */
	uint64_t mount_namespace; /* its inode, 0: not known */
};

enum name_state {
	NAME_AWAITED, /* a look-up may still bring it */
	NAME_TEXT, /* from the string of the call: a look-up would know better (symbolic links) */
	NAME_SURE,
	NAME_NEVER, /* the look-up failed */
};

struct description {
	file_id file;
	str_id name;
	enum name_state state;
	bool is_stream; /* no position: pipe, socket ... */
	bool is_file;   /* made by an open call: its name counts */
	bool is_early;  /* a handle of it was settled before the name came */
	bool is_shared; /* others may move the position, whom the stream does not show: see position.h */
	bool may_append;        /* F_SETFL may have set O_APPEND: see position_may_append() */
	bool is_network;        /* a socket that no descriptor can be sent through */
	uint32_t flags;         /* O_*, UINT32_MAX: not known */
	uint64_t append_doubts; /* the model's, when it was shared or when its flags were set */
	uint64_t position;
	uint64_t moved;   /* when the position last changed */
	uint32_t active;  /* calls in flight that use the position */
	uint32_t slots;   /* descriptors that lead here */
	uint32_t holders; /* opens */
};

struct open {
	uint32_t description;
	uint32_t fd;        /* its number, the same in all tables; ID_NONE: it is in none */
	uint64_t born;      /* what began then or earlier does not use it */
	process_id creator; /* ID_NONE: open before recording, not used yet */
	handle_id handle;   /* ID_NONE until it is settled */
	uint32_t slots;     /* descriptors that lead here */
	uint32_t holders;   /* slots, calls in flight, waiting events, mappings */
	bool is_found;      /* nobody saw it being opened */
	bool is_coming; /* the call that made it is being told of: it gets its descriptor at once */
	bool is_all_proxy;
	bool is_gone;     /* destroyed in the shared group, see location.c */
	bool is_left_out; /* by --path: it has no handle */
	uint32_t share;   /* handles of processes that did not inherit it; ID_NONE */
};

struct share {
	process_id process;
	handle_id handle;
	uint32_t next;
};

/* An io_event whose handles are still working ids of opens. */
struct waiting {
	struct io_event event;
	uint32_t open, open2; /* ID_NONE */
	uint32_t aio;         /* the asynchronous request whose handle it has instead; ID_NONE */
	bool is_growing;      /* the BEGIN of a block request: its size is not final */
	bool is_withdrawn;    /* it never began */
};

struct out_ring {
	struct waiting *at; /* a power of two */
	uint32_t head, count, capacity;
};

/* What a location has that did not leave yet. */
struct out_location {
	struct out_ring placed; /* in order; the first waits for something, and the others for it */
	struct out_ring beside; /* beside its calls, by time */
	uint64_t first;         /* number of the first of `placed`, from the begin */
	uint64_t reached;       /* time of the last that was placed */
	uint64_t
		floor; /* time of the last beside calls that was placed without a record after it */
	bool is_straight, is_blocked;
};

/* Between the begin and the end of a call, or not: see path_filter.h. */
struct region {
	enum { OUTSIDE, WAITING, GONE_OUT } state;
	bool has_left_out; /* something in it is left out */
	struct io_event enter;
	struct io_event begin; /* of the thread or its program, that waits */
	bool has_begin;
};

/* The call that a location is in, once the recording was paused: see pause_filter.h. */
struct out_pause {
	bool is_in_call, is_left_out;
};

struct outbox {
	struct out_location *location; /* by thread_id */
	thread_id *blocked;            /* those whose first waits */
	uint32_t locations, blocked_count, blocked_cap;
	uint32_t waiting;      /* io_events, on all locations */
	uint64_t due;          /* the first time at which one has waited for too long */
	struct region *region; /* by thread_id */
	uint32_t regions;
	struct out_pause *pause; /* by thread_id */
	uint32_t pauses;
	struct map paused; /* operations in flight that began in a pause, by matching id */
};

/* Arrays that grow with the files and names of the run: see cold.h. */
enum model_area {
	AREA_IDLE,
	AREA_PATHS,
	AREA_PARENTS,
	AREA_MAPPED,
	AREA_WRITERS,
	AREA_VERDICTS,
	AREAS
};

/* A destroyed handle that may be used again. */
struct idle_handle {
	handle_id next; /* the one destroyed before that */
	str_id name;    /* it had then */
	uint64_t since; /* ns */
};

/* Which tasks are recorded. */
struct choice {
	str_id *comm; /* globs of their names; none: all */
	uint32_t comms, comm_cap;
	bool has_users; /* only tasks of some users */
};

struct model {
	struct trace trace; /* the definitions, which sinks read */
	struct tally *tally;
	model_output output;
	void *context;
	struct hash_key key;
	struct cold_area area[AREAS];
	uint32_t events; /* modulo 2^32 */
	str_id stand_in; /* the name of all files that no output needs: see name_add(); 0: none yet */
	bool is_nameless; /* no output needs any */

	struct task *task;
	struct pool tasks;
	struct map task_by_tid;
	uint32_t task_near[TASKS_NEAR]; /* by the last bits of the tid: the task that had it last */
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
	bool is_unblocked; /* something that an io_event may wait for has come */
	struct aio_state aio;
	struct mapped_file *mapped_file; /* by file_id */
	uint32_t mapped_file_cap;
	struct map
		lasting[4]; /* by O_ACCMODE, (process, name or deleted file): see open_lasting() */
	struct index idle_handle; /* by (process, name): the last destroyed handle of it */
	struct idle_handle *idle; /* by handle */
	uint32_t idle_capacity;
	struct name_filter *name_filter; /* --path, NULL: all */
	uint32_t all_proxy;              /* the open that stands for all files, ID_NONE */

	uint32_t location_limit;
	process_id shared_group; /* the group of all processes beyond the limit, ID_NONE */
	struct shared_location *shared;
	uint32_t shareds, shared_cap;
	file_id *file_of_path; /* by str_id: + 1, 0: none */
	uint32_t file_of_path_cap;
	bool *is_parent; /* by str_id: a file is known below this path */
	uint32_t is_parent_cap;
	struct index file_by_inode; /* by (dev, ino): the last that was seen to have it */
	struct map mount_by_id;
	bool misses_uring; /* its requests: counted with the calls that submit them */

	struct map cgroup_by_id; /* the kernel's id: index in cgroup[] */
	struct map cgroup_path;  /* the same, of all groups that there are: str_id */
	struct map device_by_number;
	struct block block;
	bool is_paired; /* calls come when they end, with their begin */
	struct tracepoint_kind *tracepoint;
	uint32_t tracepoints, tracepoints_cap;

	struct choice choice;
	uint32_t call_series;   /* of -E */
	uint64_t now;           /* time of the event at hand */
	uint64_t lost_time;     /* when data was last lost */
	uint64_t lost_until;    /* and when that will be over */
	uint64_t append_doubts; /* how often any shared description may have got O_APPEND */
	uint64_t next_op;       /* matchingId */
	uint32_t command_pid;   /* of the recorded command, 0: none */
	thread_id
		command_leader; /* it has ended at command_end, and its status is awaited; ID_NONE */
	uint64_t command_end;
	bool has_command; /* the stream names one: nothing is recorded before its exec */
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
