/*
 * Private to the otf2 sink: its state, and what its files call of each other.
 *
 *	otf2.c          open, event, close: which events are taken, and what a trouble means
 *	otf2_event.c    one io_event becomes one record, of the bytes of otf2_record.h
 *	otf2_program.c  begin and end of a program
 *	otf2_host.c     the number of this host, without a resolver
 *	otf2_use.c      numbers of regions and files, by their first use
 *	otf2_text.c     strings, by their ids
 *	otf2_file.c     the event file of a location
 *	otf2_library.c  the same where the library writes it
 *	otf2_chunk.c    memory and files of the library, its messages
 *	otf2_space.c    room on the disk: what is free, and a reserve for the end
 *	otf2_repair.c   an event file that could not be written in full, ended properly
 *	otf2_defs.c     strings, tree, locations, regions      } written once, at close,
 *	otf2_defs_device.c  block devices: nodes, groups        } from the trace's arrays
 *	otf2_defs_metric.c  series, who records them, parameters }
 *	otf2_defs_io.c  files, handles                          }
 *	otf2_mark.c     markers: losses, pauses, marks of users
 *	otf2_flags.c    O_* flags in the words of OTF2
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
	CHUNK_SIZE = 256 * 1024, /* the smallest that OTF2 allows */
	/* Of a location's events so much waits in memory: a chunk of each of hundreds would be no more in any cache. */
	WRITE_SIZE = 64 * 1024,
};

enum location_state {
	LOCATION_NEW, /* no event yet */
	LOCATION_OPEN,
	LOCATION_ENDED,  /* its thread has ended; all is on disk */
	LOCATION_TORN,   /* a write failed: ends with the last chunk that was written */
	LOCATION_CLOSED, /* closed after it was torn */
};

enum { NEST_MOST = 8 }; /* regions, one within the other; a call within a call does not occur */

/* What is open in a location: regions from the outermost to the innermost, and the program. */
struct nest {
	uint32_t depth; /* those beyond NEST_MOST are counted only */
	OTF2_RegionRef region[NEST_MOST];
	bool in_program; /* ProgramBegin written, ProgramEnd not */
};

struct location {
	uint8_t *at;   /* of its buffer: where the next record goes */
	uint8_t *soon; /* a record may not reach it before otf2_make_room() */
	uint64_t last_time;
	uint64_t events; /* taken */
	enum location_state state;
	struct nest nest;
	bool had_program;
	bool is_begin_due;       /* ProgramBegin is to be put before all other records */
	uint64_t begin;          /* its time */
	int fd;                  /* -1: not open */
	struct buffer *buffer;   /* NULL unless it is open */
	OTF2_EvtWriter *writer;  /* of the library, if that writes events; NULL: not open */
	uint64_t library_time;   /* of the last record that it was given */
	uint64_t written;        /* bytes of the file that are on disk */
	uint64_t flushed_events; /* of them, in whole chunks on disk */
	uint64_t flushed_bytes;
	uint64_t flushed_time; /* of the last of them */
	struct nest flushed;   /* what is open behind them */
	OTF2_LocationRef
		ref; /* from the end of all events on; until then its file has the trace's number */
};

struct lost_mark {
	uint64_t first, last, count;
};

/* A mark that a user or a program set. */
struct set_mark {
	uint64_t time;
	uint32_t pid; /* 0: not known */
	str_id text;
};

struct space {
	int directory;     /* lent; -1: not open */
	bool has_file;     /* of the reserve */
	uint64_t reserved; /* its size */
	uint64_t keep;     /* bytes of the file system to leave free */
};

/* A location that a series was sampled on. */
struct recorder {
	uint32_t series;
	thread_id thread;
};

struct chunk;  /* otf2_chunk.c */
struct buffer; /* otf2_file.c */

enum { PARADIGM_POSIX, PARADIGM_BLOCK }; /* IoParadigmRefs; the second only if a handle is of it */

enum attribute {
#define OTF2_ATTRIBUTE(id, ...) ATTRIBUTE_##id,
#include <iotrace/otf2.def>
	ATTRIBUTES
};

struct sink {
	const struct trace *trace;
	struct tally *tally; /* or NULL */
	struct sink_options options;
	struct place *place, *own_place; /* where the archive is made; NULL: somebody else's */
	char *path, *part;               /* the archive; where it grows, for sentences */
	int directory;                   /* that, open */
	OTF2_Archive *archive;
	bool is_of_library;                /* it writes events, too */
	OTF2_GlobalDefWriter *definitions; /* at close only */

	struct location *location;
	uint32_t location_capacity;
	struct strtab *strings; /* ids are StringRefs */
	uint32_t strings_written;
	char *scratch;           /* of escape: SCRATCH_SIZE */
	uint32_t *ref_of_string; /* of the trace: StringRef + 1; 0: not known yet */
	uint32_t ref_of_string_capacity;
	bool is_empty;           /* at close: a location without events stands for none */
	struct map node_of_rank; /* at close: SystemTreeNodeRefs */
	OTF2_LocationGroupRef *group_of_process; /* at close, of those that are defined */
	struct map cgroup_of_ref; /* strings of groups whose path was not known then */
	uint32_t *ref_of_region;  /* of the trace: RegionRef + 1; 0: not used */
	region_id *region_of_ref;
	uint32_t regions, ref_of_region_capacity, region_of_ref_capacity;
	struct cold_area ref_area, file_area; /* of the next two */
	uint32_t *ref_of_file;                /* IoFileRef + 1; 0: not used */
	uint32_t ref_of_file_capacity;
	file_id *file_of_ref;
	uint32_t file_refs, file_of_ref_capacity;
	uint32_t *comm_of_process; /* ref + 1; 0: none */
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
	struct buffer *buffers; /* for the next location */
	uint32_t spare;         /* how many */
	uint32_t open;          /* locations that have a buffer */
	uint32_t files;         /* open */
	uint32_t files_most;    /* that stay open */
	int write_code;         /* errno of the last write that failed, 0: none did */
	uint64_t
		unchecked; /* bytes that were written since the disk was looked at, or may be at any time */
	struct space space;

	uint64_t first_time, last_time;
	bool is_stopped; /* no further events, but to the end of a call */
	uint64_t stop_time;
	int stop_code;        /* errno: why */
	uint64_t not_written; /* events that came after the stop, or were torn off */
	uint64_t refused;     /* events that the library, or this sink, did not take */
	OTF2_ErrorCallback old_callback;
	OTF2_ErrorCode library_code; /* the library's first complaint */
	int library_errno;
	char library_text[256];
};

enum { SCRATCH_SIZE = 64 * 1024 };

/* The disk is looked at each time so much may have been written. */
enum { CHECK_BYTES = 2 * CHUNK_SIZE };

/* otf2_space.c: looks whether there is room for all that is in memory, and what will come until the next look. */
void otf2_check_space(struct sink *sink, uint64_t time);
void otf2_stop(struct sink *sink, int code, uint64_t time);
/* Returns the number of locations: at least one, for readers refuse an archive with none. */
uint32_t otf2_locations(const struct sink *sink);
/* Returns whether one of these is defined. Others have no ref. */
bool otf2_is_defined(const struct sink *sink, thread_id location);

/* otf2_event.c: writes the record; the location is open. Returns whether it was written. */
bool otf2_write_event(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time);

/* otf2_program.c: the same for the begin and the end of a program. */
bool otf2_program_begin(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time);
bool otf2_program_end(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time);
bool otf2_write_program_end(struct sink *sink, struct location *location, int64_t status,
			    uint64_t time);
/* Returns the bytes of the location's ProgramBegin but its time; the caller frees them. */
uint8_t *otf2_program_put(struct sink *sink, const struct location *location, uint32_t *size);

/* otf2_use.c: Return the reference; what has one is defined at close. */
OTF2_RegionRef otf2_region(struct sink *sink, region_id region);
OTF2_IoFileRef otf2_file(struct sink *sink, file_id file);

/* otf2_text.c: Returns the StringRef of the bytes, escaped to UTF-8 and at most SCRATCH_SIZE / 2 long. */
OTF2_StringRef otf2_string(struct sink *sink, const char *bytes, size_t length);
OTF2_StringRef otf2_text(struct sink *sink, const char *text);
OTF2_StringRef otf2_trace_string(struct sink *sink, str_id id);
/* For those that come again and again, as with block requests: they are escaped once. */
OTF2_StringRef otf2_known_string(struct sink *sink, str_id id);
/* Returns that of a control group's name, which may become known later: otf2_final_text() has it at close. */
OTF2_StringRef otf2_cgroup_string(struct sink *sink, uint32_t cgroup);
/* Returns the text of a string as it goes into the archive. Lent until the next string. */
const char *otf2_final_text(struct sink *sink, OTF2_StringRef string);
/*
 * Returns the StringRefs of a process's words, one at least (the caller frees them): argv[0] first, or the name of a process
 * whose words are not known. The last is "[...]" if they are not all.
 */
OTF2_StringRef *otf2_words(struct sink *sink, const struct trace_process *process, uint32_t *count);

/* otf2_file.c */
void otf2_file_open(struct sink *sink, struct location *location);
/* Ends the file. Its events are on disk after it: returns 0; or those in whole chunks are: -errno. */
int otf2_file_close(struct sink *sink, struct location *location);
/* Returns whether a record of this size, and what may stand before it, can be written now: false if a write failed. */
bool otf2_make_room(struct sink *sink, struct location *location, uint32_t size, uint64_t time);
void otf2_file_release(struct sink *sink);
/* Returns a descriptor of the location's event file, which the caller closes, or -errno. */
int otf2_file_fd(const struct sink *sink, OTF2_LocationRef ref);
/* The file of events with one number gets another, lower one. Returns 0 or -errno. */
int otf2_file_rename(const struct sink *sink, OTF2_LocationRef from, OTF2_LocationRef to);
/* Returns how many event files may stay open: few if the limit of descriptors is low. */
uint32_t otf2_files_most(void);

/* otf2_library.c: gives the library the records from there to location->at. Returns 0 or -errno. */
int otf2_library_take(struct sink *sink, struct location *location, const uint8_t *bytes);
/* Ends the library's file. Returns 0 or -errno: it has no end, then. */
int otf2_library_close(struct sink *sink, struct location *location);

/* otf2_chunk.c */
void otf2_chunk_install(struct sink *sink);
/* The library's messages come to this sink, and then to whom they came before. */
void otf2_messages_begin(struct sink *sink);
void otf2_messages_end(struct sink *sink);
void otf2_chunk_release(struct sink *sink);

/* otf2_space.c */
void space_open(struct space *space, int directory, uint64_t keep);
/* Returns the bytes that may still be written. */
uint64_t space_room(const struct space *space);
/* Makes the reserve file at least this large. Returns 0 or -errno. */
int space_reserve(struct space *space, uint64_t bytes);
/* Returns how many bytes space_reserve() takes for that. */
uint64_t space_with_margin(uint64_t bytes);
/* Returns how many bytes are free, with those that are reserved. */
uint64_t space_free(const struct space *space);
/* Deletes the reserve file: its room is for what must be written now. */
void space_release(struct space *space);
/* Returns the bytes that definitions and small files will take at close. */
uint64_t otf2_space_of_end(const struct sink *sink);

/* otf2_repair.c: ends the files of torn locations. Returns 0 or -errno. */
int otf2_repair(struct sink *sink);

/* otf2_defs_metric.c: Returns the type of its values. */
struct trace_metric;
OTF2_Type otf2_metric_type(const struct trace_metric *metric);

/* otf2_event.c: Returns whether the handle is of a block device: its events are requests. */
bool otf2_is_block(const struct sink *sink, handle_id handle);

/* otf2_defs.c, otf2_defs_io.c: false if the library refused one. */
bool otf2_write_definitions(struct sink *sink);
bool otf2_write_io_definitions(struct sink *sink);
/* otf2_mark.c. An event of no location becomes a marker at the end. */
void otf2_mark(struct sink *sink, const struct io_event *event);
bool otf2_write_markers(struct sink *sink);
void otf2_write_properties(struct sink *sink);
