/*
 * Private to lib/archive: what is known while an archive is verified.
 *
 *	verify.c          opens, reads in the right order, closes
 *	verify_anchor.c   numbers of the anchor that cannot be
 *	verify_files.c    files that broke off, before the library sees them
 *	verify_records.c  records that cannot be, likewise
 *	verify_defs.c     definitions: ids dense, what they refer to defined
 *	verify_events.c   each event: time, regions, ids, attributes
 *	verify_metric.c   metrics, who may record them, parameters
 *	verify_io.c       handles and operations
 *	verify_books.c    iotrace.json
 */
#ifndef ARCHIVE_VERIFY_H
#define ARCHIVE_VERIFY_H

#include <iotrace/archive.h>
#include <iotrace/bytes.h>
#include <iotrace/map.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum { NONE = UINT32_MAX };

/* Kinds of definitions that others, or events, refer to. */
enum kind {
	KIND_STRING,
	KIND_ATTRIBUTE,
	KIND_NODE,
	KIND_GROUP, /* a location group */
	KIND_LOCATION,
	KIND_REGION,
	KIND_METRIC_MEMBER,
	KIND_METRIC,
	KIND_PARAMETER,
	KIND_MEMBERS, /* OTF2's Group */
	KIND_COMM,
	KIND_PARADIGM, /* an IoParadigm */
	KIND_FILE,
	KIND_HANDLE,
	KINDS
};

/* Of a file. */
enum content {
	CONTENT_EVENTS,
	CONTENT_DEFINITIONS,
	CONTENT_LOCAL_DEFINITIONS,
	CONTENT_MARKERS,
};

/* How files begin and end. */
enum {
	VERIFY_END_OF_FILE = 2,
	VERIFY_CHUNK_HEADER = 3,
	VERIFY_HEADER_SIZE = 18,
	VERIFY_BIG_ENDIAN = 0x23,
	VERIFY_LITTLE_ENDIAN = 0x42,
};

/* Of a file, record by record. */
struct reading {
	uint64_t offset;     /* of the chunk, then of the record */
	bool has_attributes; /* for the next event */
	uint64_t highest;    /* id that must be in order, and how many were not */
	uint32_t disorder;
	char wrong[160]; /* empty: nothing */
};

struct place { /* a location */
	uint64_t ref, defined_events, events, last_time;
	uint32_t group;
	OTF2_LocationType type;
	uint32_t *region; /* entered and not left */
	uint32_t depth, region_capacity;
	bool has_file; /* its event file can be read */
};

struct team {            /* a location group */
	uint32_t parent; /* NONE */
	bool has_begun, has_ended;
	bool is_folded; /* stands for many processes, with any parents */
};

struct series { /* a metric class */
	OTF2_MetricOccurrence occurrence;
	uint8_t members;
	uint32_t first; /* of them, in class_member */
};

struct grip { /* a handle in a location group */
	bool is_active, was_active;
	uint64_t changed;
};

struct operation { /* that has not ended */
	uint32_t handle, place;
	bool is_non_blocking, is_issued;
};

struct early_use { /* of an inactive handle, forgiven if it becomes active at the same time */
	uint64_t time;
	uint32_t group, handle;
};

struct verify {
	const char *dir;
	struct archive_report *report;
	OTF2_Reader *reader;
	bool is_bad;                            /* the library could not go on */
	char message[200];                      /* its first complaint */
	uint64_t event_limit;                   /* no more can be in the files */
	uint64_t event_chunk, definition_chunk; /* sizes */

	uint64_t defined[KINDS];
	uint64_t referred[KINDS]; /* highest ref of a definition to it, + 1 */
	OTF2_Type *attribute_type;
	uint32_t attribute_capacity;
	struct place *place;
	uint32_t places, place_capacity;
	struct map place_of;        /* by location */
	OTF2_StringRef folded_name; /* of the property that says so; 0: no string is */
	struct team *team;
	uint32_t team_capacity;
	uint32_t *handle_flags;
	uint32_t handle_capacity;

	OTF2_Type *member_type;
	uint32_t member_capacity;
	uint32_t *class_member;
	uint32_t class_members, class_member_capacity;
	struct series *series;
	uint32_t series_capacity;
	struct map recorder; /* series, location */

	uint64_t clock_first, clock_last;
	bool has_clock;

	struct map grip_of; /* by group, handle */
	struct grip *grip;
	uint32_t grips, grip_capacity;
	struct map operation_of; /* by matchingId: in flight */
	struct operation *operation;
	uint32_t operations, operation_capacity;
	uint32_t *free_operation;
	uint32_t free_operations, free_operation_capacity;
	uint64_t *id_seen; /* a bit for each matchingId */
	uint32_t id_words;
	struct early_use early;
	bool has_early;
};

/*
 * verify.c, for archive_read() as well: the library's messages go to v->message, until the callback that is returned is
 * registered again; opens the archive, whose anchor and definitions are checked (0, or -errno and a sentence); opens the event
 * files that can be read (NULL: there are none).
 */
OTF2_ErrorCallback verify_take_messages(struct verify *v);
int verify_open_archive(struct verify *v, struct error *err);
OTF2_GlobalEvtReader *verify_open_events(struct verify *v);
void verify_close_events(struct verify *v, OTF2_GlobalEvtReader *events);
void verify_release(struct verify *v);

/* verify_refs.c: one more finding; the first of them are kept. */
void verify_found(struct verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What OTF2 calls each kind. */
extern const char *const verify_kind_name[KINDS];
/* Returns whether the id is the next one of its kind. */
bool verify_define(struct verify *v, enum kind kind, uint64_t self);
/* A definition refers to another, which may follow; NONE: to none. */
void verify_refer(struct verify *v, enum kind kind, uint32_t ref);
/* Returns the index in place[], or NONE. */
uint32_t verify_place(const struct verify *v, uint64_t location);
/* Finds fault with a reference of an event to something undefined. */
bool verify_ref(struct verify *v, enum kind kind, uint64_t ref, const char *what,
		uint64_t location);
/* Returns the place, or NULL; counts the event, checks its time and attributes. */
struct place *verify_event(struct verify *v, uint64_t location, uint64_t time,
			   OTF2_AttributeList *attributes);

/* verify_open.c: Returns the descriptor of a regular file, named within the archive, and its size; or -1, and what is wrong. */
int verify_open(const struct verify *v, const char *name, uint64_t *size, const char **wrong);

/* verify_anchor.c: Returns NULL, or what is wrong with the anchor. */
const char *verify_anchor(const struct verify *v);

/* verify_files.c: Returns whether the file, named within the archive, has all its chunks and an end, and can be read. */
bool verify_file(struct verify *v, const char *name, enum content content);

/*
 * verify_records.c: Walks over the records of a chunk. Returns whether another chunk must follow, and sets reading->wrong if the
 * library must not see the file.
 */
bool verify_records(struct reading *reading, enum content content, const uint8_t *chunk,
		    size_t size);
/* Returns a number of that many bytes. */
uint64_t verify_number(struct bytes *in, size_t size, bool is_big);

/* verify_defs.c */
bool verify_definitions(struct verify *v);

/* verify_events.c */
void verify_register_events(struct verify *v, OTF2_GlobalEvtReader *events);
void verify_events_end(struct verify *v);

/* verify_metric.c */
void verify_register_metric_definitions(OTF2_GlobalDefReaderCallbacks *callbacks);
void verify_register_metrics(OTF2_GlobalEvtReaderCallbacks *callbacks);

/* verify_io.c */
void verify_register_io(OTF2_GlobalEvtReaderCallbacks *callbacks);
void verify_io_end(struct verify *v);

/* verify_books.c */
void verify_books(struct verify *v);
/* Returns iotrace.json, which the caller puts back; or NULL, and what is wrong (NULL: it is not there). */
struct json_object *verify_read_books(const struct verify *v, const char **wrong);

#endif
