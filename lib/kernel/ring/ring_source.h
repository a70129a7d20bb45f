/*
 * ring_source: the interface of the sources of records, for the thread that drains them.
 *
 * A source has rings, for example one for each CPU. A round asks every source how far its rings are filled (head). Then each
 * source moves all records up to there into the spool (move). The order of time depends on one rule: a record behind the head is
 * later than all records that any source moved in the round before. So a record must appear in its ring soon after it gets its
 * time. A source that gets records late, such as a stream from another machine, holds the round (is_held) until it has them.
 *
 * The sources are called in the order in which they were added; stop and close use the reverse order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Optional functions may be NULL. `self` is the argument of ring_sources_add(). */
struct ring_source_ops {
	const char *name;
	/* Enables the rings. Returns 0, or -errno with a message. */
	int (*open)(void *self, struct error *err);
	/* A round begins, or a held one continues: notes the head of each ring. */
	void (*head)(void *self);
	/* Moves the records before these heads into the spool, with records of losses between them. Returns the number of bytes. */
	uint64_t (*move)(void *self);
	/* Returns whether a ring is so full that a round is due. Optional if the source wakes the thread itself. */
	bool (*is_due)(const void *self);
	/* Returns whether a record before the head is still being written, so that the round must continue. Optional. */
	bool (*is_held)(const void *self);
	/* Stops the source: it writes no more records. */
	void (*stop)(void *self);
	/* Returns whether all written records have been moved. Called after stop(). Optional. */
	bool (*has_all)(const void *self);
	/* Appends records of what has not ended, after the last record. Optional. */
	void (*put_rest)(void *self);
	/* Adds facts about the number of records and of losses. */
	void (*lost)(void *self);
	/* Accepts a source that was not opened. */
	void (*close)(void *self);
};

enum { RING_SOURCES_MAX = 4 };

struct ring_source {
	const struct ring_source_ops *ops;
	void *self; /* lent */
};

struct ring_sources {
	struct ring_source source[RING_SOURCES_MAX];
	uint32_t count;
	int wake_fd; /* readable when a watched ring wants a round; -1: not open */
	bool is_woken;
};

void ring_sources_init(struct ring_sources *sources);
void ring_sources_add(struct ring_sources *sources, const struct ring_source_ops *ops, void *self);
/* Opens all sources. Returns 0, or -errno with a message. */
int ring_sources_open(struct ring_sources *sources, struct error *err);
/* For the sources: a round is due when this descriptor becomes readable (< 0: ignored). Returns 0 or -errno. */
int ring_sources_watch(struct ring_sources *sources, int fd, struct error *err);
/* Consumes the wake-ups. */
void ring_sources_take_wakes(struct ring_sources *sources);
bool ring_sources_are_due(const struct ring_sources *sources);
void ring_sources_head(struct ring_sources *sources);
uint64_t ring_sources_move(struct ring_sources *sources);
bool ring_sources_are_held(const struct ring_sources *sources);
void ring_sources_stop(struct ring_sources *sources);
bool ring_sources_have_all(const struct ring_sources *sources);
void ring_sources_put_rest(struct ring_sources *sources);
void ring_sources_lost(struct ring_sources *sources);
/* Closes and removes all sources. */
void ring_sources_close(struct ring_sources *sources);
