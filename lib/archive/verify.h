/*
 * Private to lib/archive: what is known while an archive is verified.
 *
 *	verify.c          opens, reads in the right order, closes
 *	verify_anchor.c   numbers of the anchor that cannot be
 *	verify_files.c    files that broke off, before the library sees them
 *	verify_records.c  records that cannot be, likewise
 *	verify_defs.c     definitions: what they refer to is defined
 *	verify_events.c   each event: time, regions, ids, attributes
 *	verify_metric.c   metrics, who may record them, parameters
 *	verify_io.c       handles and operations
 *	verify_books.c    iotrace.json
 */
#pragma once

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
	uint64_t events;
	char wrong[160]; /* empty: nothing */
};

/* The definitions of a kind. Each has an index, from 0 upwards in their order; references may have any value. */
struct defined {
	uint64_t count;
	uint64_t dense;      /* references below are their own index */
	struct map index_of; /* of all others */
	struct map missing;  /* what definitions refer to and is not defined yet */
};

struct verify_location { /* what is known of a location */
	uint64_t ref, defined_events, last_time;
	uint64_t events;      /* of the kinds that are looked at */
	uint64_t file_events; /* of all kinds */
	uint32_t group;
	OTF2_LocationType type;
	uint32_t *region; /* entered and not left */
	uint32_t depth, region_capacity;
	bool has_file; /* its event file can be read */
};

struct verify_group {         /* what is known of a location group */
	uint32_t ref, parent; /* parent: NONE */
	bool has_begun, has_ended;
	bool is_shared; /* stands for many processes, with any parents */
};

struct series { /* a metric class */
	OTF2_MetricOccurrence occurrence;
	uint8_t members;
	uint32_t first;       /* of them, in class_member */
	uint32_t instance_of; /* another series; NONE: it is a class */
};

struct activity { /* a handle in a location group */
	bool is_active, was_active;
	uint64_t changed;
};

struct operation {
	uint64_t id, location;
	bool is_in_flight, is_non_blocking, is_issued;
};

struct early_use { /* of an inactive handle, forgiven if it becomes active at the same time */
	uint64_t time;
	uint32_t group, handle;
};

struct verify {
	const char *dir;
	struct archive_report *report;
	OTF2_Reader *reader;
	bool is_of_iotrace;                     /* what iotrace promises is checked, too */
	bool is_bad;                            /* the library could not go on */
	char message[200];                      /* its first complaint */
	uint64_t event_limit;                   /* no more can be in the files */
	uint64_t event_chunk, definition_chunk; /* sizes */

	struct defined defined[KINDS];
	OTF2_Type *attribute_type; /* by index, as all below that definitions fill */
	uint32_t attribute_capacity;
	struct verify_location *location;
	uint32_t locations, location_capacity;
	OTF2_StringRef sharing_name; /* of the property that says so; 0: no string is */
	struct verify_group *group;
	uint32_t group_capacity;
	uint32_t *handle_flags;
	uint32_t handle_capacity;
	uint32_t *handle_state; /* references of handles that have a state before their creation */
	uint32_t handle_states, handle_state_capacity;

	OTF2_Type *member_type;
	uint32_t member_capacity;
	uint32_t *class_member;
	uint32_t class_members, class_member_capacity;
	struct series *series;
	uint32_t series_capacity;
	struct map recorder; /* by verify_pair() of metric and location */

	uint64_t clock_first, clock_last;
	bool has_clock;

	struct map activity_of; /* by references of group and handle */
	struct activity *activity;
	uint32_t activities, activity_capacity;
	struct map operation_of; /* by verify_pair() of handle and matchingId: in flight */
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
/* Checks the file of markers, if there is one, and calls back with each. on_definition may be NULL. */
void verify_markers(struct verify *v, OTF2_MarkerReaderCallback_DefMarker on_definition,
		    OTF2_MarkerReaderCallback_Marker on_one, void *context);
OTF2_GlobalEvtReader *verify_open_events(struct verify *v);
void verify_close_events(struct verify *v, OTF2_GlobalEvtReader *events);
void verify_release(struct verify *v);

/* verify.c: Returns who wrote the archive, to be freed by the caller; or NULL. */
char *verify_creator(const struct verify *v);

/* verify_refs.c: one more finding, which OTF2 forbids; the first of them are kept. */
void verify_found(struct verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what OTF2 allows, but iotrace promises to avoid: nothing if another program wrote the archive. */
void verify_deviates(struct verify *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns a key of both that, in practice, no other pair has. */
uint64_t verify_pair(uint64_t first, uint64_t second);
/* What OTF2 calls each kind. */
extern const char *const verify_kind_name[KINDS];
/* Returns the index of a new definition, or NONE: it was there before. */
uint32_t verify_define(struct verify *v, enum kind kind, uint64_t self);
/* A definition refers to another, which may follow; or to none (OTF2_UNDEFINED_...). */
void verify_refer(struct verify *v, enum kind kind, uint64_t ref);
/* Returns the index of what is defined, or NONE. */
uint32_t verify_index(const struct verify *v, enum kind kind, uint64_t ref);
/* Returns the location group, or NULL: it is not defined. */
struct verify_group *verify_group(const struct verify *v, uint32_t ref);
/* Finds fault with a reference of an event to something undefined. */
bool verify_ref(struct verify *v, enum kind kind, uint64_t ref, const char *what,
		uint64_t location);
/* Returns what is known of the location, or NULL; counts the event, checks its time and attributes. */
struct verify_location *verify_event(struct verify *v, uint64_t location, uint64_t time,
				     OTF2_AttributeList *attributes);

/* verify_open.c: Returns the descriptor of a regular file, named within the archive, and its size; or -1, and what is wrong. */
int verify_open(const struct verify *v, const char *name, uint64_t *size, const char **wrong);

/* verify_anchor.c: Returns NULL, or what is wrong with the anchor. */
const char *verify_anchor(const struct verify *v);

/* verify_files.c: Returns whether the file, named within the archive, has all its chunks and an end, and can be read; counts its events. */
bool verify_file(struct verify *v, const char *name, enum content content, uint64_t *events);

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
