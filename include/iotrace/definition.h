/*
 * definition: the objects that the ids of io_events refer to, in the terms of OTF2's definitions.
 *
 * Each struct is an element of an array in struct trace (trace.h). Times are in ns of the trace's clock.
 */
#pragma once

#include <iotrace/io_event.h>

/* A location: a thread, the requests of a block device, or samples. Listed only once it has had an io_event. */
enum trace_location { LOCATION_THREAD, LOCATION_DEVICE, LOCATION_METRIC };

struct trace_thread {
	enum trace_location kind;
	uint32_t tid; /* LOCATION_THREAD */
	process_id process;
	str_id name;
	uint64_t begin, end; /* 0: not seen */
	bool is_excluded;    /* --path: no io_event of it is recorded */
	bool is_ending;      /* it has ended, but not all requests that it submitted */
	uint32_t selection;  /* which filters of the recording hold for it: see trace_filter */
	/* Shared: how many threads used it in turn (else 0), and their total lifetime in ns. If the last one still
	 * runs, it is not included. */
	uint32_t sharing;
	uint64_t lived;
};

/* Which rank of a parallel program a process is. */
struct trace_rank {
	bool is_known;
	uint32_t number, of; /* of: number of ranks; 0: unknown */
};

/*
 * A location group: a process, a block device, the machine (for its samples), or all processes that share locations. Listed with
 * its first location.
 */
enum trace_group { TRACE_PROCESS, TRACE_DEVICE, TRACE_MACHINE, TRACE_SHARED_GROUP };

struct trace_process {
	enum trace_group kind;
	bool is_excluded; /* --path excludes it and all its descendants: they have no location */
	uint32_t device;  /* TRACE_DEVICE: model_device() */
	uint32_t pid;     /* TRACE_PROCESS */
	struct trace_rank rank;               /* its own, or that of an ancestor */
	process_id parent;                    /* ID_NONE, or the recorded process that forked it */
	str_id name;                          /* last command name, or program path if known */
	str_id argv;                          /* arguments separated by NUL; 0: unknown */
	bool is_argv_cut;                     /* arguments are missing */
	str_id root;                          /* the last root directory; 0: not known */
	uint64_t mount_namespace, begin, end; /* its inode; ns */
	uint32_t sharing;                     /* TRACE_SHARED_GROUP: number of its processes */
	int32_t status;                       /* wait status, -1: unknown */
	/* Selection of its threads; in the shared group, each thread has its own. */
	uint32_t selection;
};

enum trace_file_kind { FILE_REGULAR, FILE_DIRECTORY, FILE_DEVICE, FILE_FIFO };

struct trace_file {
	str_id path; /* absolute */
	enum trace_file_kind kind;
	uint32_t mount; /* index in mounts, or ID_NONE */
	bool is_gone;   /* its name was removed, as far as the stream shows */
	bool is_deleted; /* it was already deleted when it was opened; another file may have its path */
	uint64_t dev, ino; /* 0: not known */
};

/* A handle. After its destruction it is used again for the same process and file. */
struct trace_handle {
	process_id process; /* that created it */
	file_id file;       /* ID_NONE: not a file, or its name is not known */
	str_id name;        /* "pipe:[17]", "socket:[4]"; for a file its path; 0: not known */
	bool is_pre_created;
	bool is_block;      /* of a block device: paradigm block_io */
	bool is_all_proxy;  /* stands for every file: sync() */
	bool is_span;       /* its operations are spans, which have its name: paradigm span */
	uint32_t pre_flags; /* is_pre_created: O_* flags */
};

/* The origin of a region. */
enum region_source {
	REGION_CALL, /* a system call; its id is the call_id */
	REGION_SPAN, /* what --span chose */
	REGION_OTHER /* of an archive that another program wrote */
};

/* Something that begins and ends on a thread (ENTER, LEAVE), and its purpose. */
struct trace_region {
	str_id name;
	enum region_source source;
	enum call_kind kind; /* for other regions: the kind of the most similar call */
	enum call_group group;
	uint32_t traits;    /* enum call_trait */
	bool has_path;      /* it names a file by its path */
	bool has_two_paths; /* it names two */
};

/* A kind of span that the recording has, besides calls and operations. */
struct trace_span {
	str_id name, definition; /* definition: as a user would write it */
	region_id region;        /* its spans are regions; ID_NONE: operations */
};

struct trace_mount {
	uint64_t id;
	str_id mount_point, source, type;
};
