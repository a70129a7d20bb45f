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

#include "walk/walk.h"

struct verify_location { /* A location. */
	uint64_t defined_events, last_time;
	bool has_events;
	uint32_t group; /* reference of its group */
	OTF2_LocationType type;
	uint32_t *region; /* the regions that were entered and not left */
	uint32_t depth, region_capacity;
};

struct verify_group {         /* A location group. */
	uint32_t ref, parent; /* parent: may be NONE */
	bool has_begun, has_ended;
	bool is_shared; /* stands for many processes with any parents */
};

struct series { /* A metric class or instance. */
	OTF2_MetricOccurrence occurrence;
	uint8_t members;
	uint32_t first;       /* index of the first member in class_member */
	uint32_t instance_of; /* class or instance; NONE: it is a class */
};

struct activity { /* A handle in a location group. */
	bool is_active, was_active;
	uint64_t changed;
};

/* The use of an inactive handle, which is accepted if the handle becomes active at the same time. */
struct early_use {
	uint64_t time;
	uint32_t group, handle;
};

struct verify {
	struct walk walk;
	struct archive_report *report;

	uint8_t *attribute_type; /* by id, like all fields below */
	struct verify_location *location;
	struct verify_group *group;
	uint32_t *handle_flags;
	uint8_t *member_type;
	struct series *series;
	uint32_t *class_member; /* references */
	uint32_t class_members, class_member_capacity;
	uint32_t *handle_state; /* references of handles that exist before their creation */
	uint32_t handle_states, handle_state_capacity;
	OTF2_StringRef sharing_name; /* string of the property; 0: no such string */
	struct map missing[KINDS];   /* undefined definitions that others refer to */
	struct map recorder;         /* by walk_pair() of metric and location */

	uint64_t clock_first, clock_last;
	bool has_clock;

	struct map activity_of; /* by references of group and handle */
	struct activity *activity;
	uint32_t activities, activity_capacity;
	uint64_t *id_seen; /* one bit for each matching id */
	uint32_t id_words;
	struct early_use early;
	bool has_early;
};

/* verify_defs.c */
void verify_definitions(struct verify *v);
/* Returns the location group, or NULL if it is not defined. */
struct verify_group *verify_group(const struct verify *v, uint32_t ref);

/* verify_events.c: walk_events() calls the first for each event; verify_events_end() comes after the last one. */
bool verify_event(void *context, const struct walk_event *event);
void verify_events_end(struct verify *v);

/* verify_io.c: checks a record of a handle or an operation; ignores other records. */
void verify_io(struct verify *v, const struct walk_event *event);
void verify_io_end(struct verify *v);

/* verify_books.c */
void verify_books(struct verify *v);
/* Returns iotrace.json, which the caller releases; or NULL and an error text (NULL: the file does not exist). */
struct json_object *verify_read_books(const char *dir, const char **wrong);
