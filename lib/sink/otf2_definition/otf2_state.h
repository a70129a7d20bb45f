/*
 * otf2_state: the state of the otf2 sink: what the archive contains, and whether it may still grow.
 *
 * The trace's ids are OTF2's references: thread_id = Location, process_id = LocationGroup, handle_id
 * = IoHandle; so are those of series = MetricClass, metric = MetricMember, parameter = Parameter.
 * Files, regions, comms and strings are numbered here, in the order of their first use.
 */
#pragma once

#include <iotrace/cold.h>
#include <iotrace/error.h>
#include <iotrace/map.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CHUNK_SIZE = 256 * 1024, /* the smallest size that OTF2 allows */
	/* Size of a location's buffer. With a whole chunk for each of hundreds of locations, no buffer would stay in a cache. */
	WRITE_SIZE = 64 * 1024,
};

enum location_state {
	LOCATION_NEW, /* no event yet */
	LOCATION_OPEN,
	LOCATION_ENDED,  /* its thread has ended; all events are on disk */
	LOCATION_TORN,   /* a write failed: it ends with the last chunk that was written */
	LOCATION_CLOSED, /* it was closed after it was torn */
};

enum { NEST_MOST = 8 }; /* regions, one inside the other; calls are never nested */

/* What is open in a location: regions, the outermost first, and the program. */
struct nest {
	uint32_t depth; /* regions beyond NEST_MOST are only counted */
	OTF2_RegionRef region[NEST_MOST];
	bool in_program; /* ProgramBegin written, ProgramEnd not */
};

struct location {
	uint8_t *at;   /* position of the next record in its buffer */
	uint8_t *soon; /* records must not reach this position before otf2_make_room() */
	uint64_t last_time;
	uint64_t events; /* number of written events */
	enum location_state state;
	struct nest nest;
	bool had_program;
	bool is_begin_due;     /* ProgramBegin must be put before all other records */
	uint64_t begin;        /* time of ProgramBegin */
	int fd;                /* -1: not open */
	struct buffer *buffer; /* NULL: it is closed */
	/* Writer of the library, if the library writes events; NULL: not open. */
	OTF2_EvtWriter *writer;
	uint64_t library_time;   /* time of the last record that the library got */
	uint64_t written;        /* bytes of the file that are on disk */
	uint64_t flushed_events; /* number of events in whole chunks on disk */
	uint64_t flushed_bytes;
	uint64_t flushed_time; /* time of the last of them */
	struct nest flushed;   /* what is open after them */
	/* Known at the end of all events; until then, the file has the trace's number. */
	OTF2_LocationRef ref;
};

struct lost_mark {
	uint64_t first, last, count;
};

/* A mark that a user or a program set. */
struct set_mark {
	uint64_t time;
	uint32_t pid; /* 0: unknown */
	str_id text;
};

struct space {
	int directory;     /* lent; -1: not open */
	bool has_file;     /* there is a reserve file */
	uint64_t reserved; /* size of the reserve file */
	uint64_t keep;     /* bytes of the file system that must stay free */
};

/* A location on which a series was sampled. */
struct recorder {
	uint32_t series;
	thread_id thread;
};

struct chunk;  /* otf2_chunk.c */
struct buffer; /* otf2_file.c */

enum {
	PARADIGM_POSIX,
	PARADIGM_BLOCK,
	PARADIGM_SPAN
}; /* IoParadigmRefs; those after the first are defined only if a handle has them */

enum attribute {
#define OTF2_ATTRIBUTE(id, ...) ATTRIBUTE_##id,
#include <iotrace/otf2.def>
	ATTRIBUTES
};

struct sink {
	const struct trace *trace;
	struct tally *tally; /* or NULL */
	struct sink_options options;
	/* Where the archive is created; own_place: NULL if the place belongs to somebody else. */
	struct place *place, *own_place;
	char *path, *part; /* path of the archive; path where it grows, for messages */
	int directory;     /* the open directory of `part` */
	OTF2_Archive *archive;
	bool is_of_library;                /* the library writes events, too */
	OTF2_GlobalDefWriter *definitions; /* only at close */

	struct location *location;
	uint32_t location_capacity;
	struct strtab *strings; /* its ids are StringRefs */
	uint32_t strings_written;
	char *scratch;           /* SCRATCH_SIZE bytes, to escape text */
	uint32_t *ref_of_string; /* by str_id: StringRef + 1; 0: unknown */
	uint32_t ref_of_string_capacity;
	bool is_empty; /* at close: there are no events, so a location without events is written */
	struct map node_of_rank;                 /* at close: maps a rank to a SystemTreeNodeRef */
	OTF2_LocationGroupRef *group_of_process; /* at close: references of the defined processes */
	struct map cgroup_of_ref; /* control groups by the StringRef of their preliminary name */
	uint32_t *ref_of_region;  /* by region_id: RegionRef + 1; 0: not used */
	region_id *region_of_ref;
	uint32_t regions, ref_of_region_capacity, region_of_ref_capacity;
	struct cold_area ref_area, file_area; /* areas of the next two arrays */
	uint32_t *ref_of_file;                /* by file_id: IoFileRef + 1; 0: not used */
	uint32_t ref_of_file_capacity;
	file_id *file_of_ref;
	uint32_t file_refs, file_of_ref_capacity;
	uint32_t *comm_of_process; /* by process_id: CommRef + 1; 0: none */
	uint32_t comm_capacity;
	process_id *process_of_comm;
	uint32_t comms, process_of_comm_capacity;

	struct recorder *recorder;
	uint32_t recorders, recorder_capacity;
	struct map recorder_of; /* series, thread */

	struct lost_mark *lost;
	uint32_t lost_count, lost_capacity;
	struct set_mark *mark;
	uint32_t marks, marks_cap;

	struct chunk *pool;
	uint32_t pooled;
	struct buffer *buffers; /* free buffers */
	uint32_t spare;         /* number of free buffers */
	uint32_t open;          /* number of locations with a buffer */
	uint32_t files;         /* number of open files */
	uint32_t files_most;    /* maximum number of files that stay open */
	int write_code;         /* errno of the last failed write, 0: none */
	/* Bytes that were written since the last check of the disk, or may be written. */
	uint64_t unchecked;
	struct space space;

	uint64_t first_time, last_time;
	bool is_stopped; /* only the ends of calls are still written */
	uint64_t stop_time;
	int stop_code;        /* errno of the reason */
	uint64_t not_written; /* events that came after the stop, or were cut off */
	uint64_t refused;     /* events that the library or this sink refused */
	OTF2_ErrorCallback old_callback;
	OTF2_ErrorCode library_code; /* the first error of the library */
	int library_errno;
	char library_text[256];
};

enum { SCRATCH_SIZE = 64 * 1024 };

/* The disk is checked each time this number of bytes may have been written. */
enum { CHECK_BYTES = 2 * CHUNK_SIZE };

/* The archive stops growing at this time, because of this errno. Only the first call counts. */
void otf2_stop(struct sink *sink, int code, uint64_t time);
/* Returns the number of locations: at least one, because readers refuse an archive without locations. */
uint32_t otf2_locations(const struct sink *sink);
/* Returns whether the location is defined. Others have no reference. */
bool otf2_is_defined(const struct sink *sink, thread_id location);
/* Returns whether the handle belongs to a block device, so that its events are requests. */
bool otf2_is_block(const struct sink *sink, handle_id handle);
