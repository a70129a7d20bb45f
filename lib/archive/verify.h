/*
 * Private to lib/archive: what is known while an archive is verified. See walk.h.
 *
 *	verify.c          the whole, markers
 *	verify_defs.c     definitions: what they refer to is defined
 *	verify_events.c   each event: time, references, regions, programs, metrics
 *	verify_io.c       handles and operations
 *	verify_books.c    iotrace.json
 */
#pragma once

#include "walk.h"

struct verify_location { /* what is known of a location */
	uint64_t defined_events, last_time;
	bool has_events;
	uint32_t group; /* reference */
	OTF2_LocationType type;
	uint32_t *region; /* entered and not left */
	uint32_t depth, region_capacity;
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

struct early_use { /* of an inactive handle, forgiven if it becomes active at the same time */
	uint64_t time;
	uint32_t group, handle;
};

struct verify {
	struct walk walk;
	struct archive_report *report;

	uint8_t *attribute_type; /* by id, as all that follows */
	struct verify_location *location;
	struct verify_group *group;
	uint32_t *handle_flags;
	uint8_t *member_type;
	struct series *series;
	uint32_t *class_member; /* references */
	uint32_t class_members, class_member_capacity;
	uint32_t *handle_state; /* references of handles that have a state before their creation */
	uint32_t handle_states, handle_state_capacity;
	OTF2_StringRef sharing_name; /* of the property that says so; 0: no string is */
	struct map missing[KINDS];   /* what definitions refer to and is not defined */
	struct map recorder;         /* by walk_pair() of metric and location */

	uint64_t clock_first, clock_last;
	bool has_clock;

	struct map activity_of; /* by references of group and handle */
	struct activity *activity;
	uint32_t activities, activity_capacity;
	uint64_t *id_seen; /* a bit for each matchingId */
	uint32_t id_words;
	struct early_use early;
	bool has_early;
};

/* verify_defs.c */
void verify_definitions(struct verify *v);
/* Returns the location group, or NULL: it is not defined. */
struct verify_group *verify_group(const struct verify *v, uint32_t ref);

/* verify_events.c: walk_event() calls it with each event, and then verify_events_end() is due. */
bool verify_event(void *context, const struct walk_event *event);
void verify_events_end(struct verify *v);

/* verify_io.c: checks a record of a handle or an operation, and ignores all others. */
void verify_io(struct verify *v, const struct walk_event *event);
void verify_io_end(struct verify *v);

/* verify_books.c */
void verify_books(struct verify *v);
/* Returns iotrace.json, which the caller puts back; or NULL, and what is wrong (NULL: it is not there). */
struct json_object *verify_read_books(const char *dir, const char **wrong);
