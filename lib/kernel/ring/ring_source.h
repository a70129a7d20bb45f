/*
 * ring_source: where records come from, as the thread that drains them sees it.
 *
 * A source has rings, for example one for each CPU. A round asks every source how far its rings are filled (head), and then
 * each source moves all records up to there into the spool (move). The order of time depends on one rule: a record behind the
 * head is later than all records that any source moved in the round before. So a record must appear in its ring soon after it
 * gets its time. A source that gets records late, such as a stream from another machine, holds the round (is_held) until it has
 * them.
 *
 * The sources are asked in the order in which they were added, and stopped and closed in the reverse one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Optional functions may be NULL. `self` is the argument of ring_sources_add(). */
struct ring_source_ops {
	const char *name;
	/* Switches the rings on. Returns 0, or -errno with a sentence. */
	int (*open)(void *self, struct error *err);
	/* A round begins, or a held one continues: sets how far it goes in each ring. */
	void (*head)(void *self);
	/*
	 * Moves the records before these heads into the spool, and records of losses in their places. Returns the number of
	 * bytes.
	 */
	uint64_t (*move)(void *self);
	/* Returns whether a ring is so full that a round is due. Optional if the source wakes the thread itself. */
	bool (*is_due)(const void *self);
	/* Returns whether a record before the head is still being written: the round goes on. May be missing. */
	bool (*is_held)(const void *self);
	/* Nothing more will be written. */
	void (*stop)(void *self);
	/* Returns whether all that was written has been moved. Asked after stop(). May be missing. */
	bool (*has_all)(const void *self);
	/* Appends what has no end yet after the last record. May be missing. */
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
	int wake_fd; /* readable when a ring that is watched wants a round; -1: not open */
	bool is_woken;
};

void ring_sources_init(struct ring_sources *sources);
void ring_sources_add(struct ring_sources *sources, const struct ring_source_ops *ops, void *self);
/* Opens all. Returns 0, or -errno with a sentence. */
int ring_sources_open(struct ring_sources *sources, struct error *err);
/* For the sources: a round is due when this descriptor becomes readable; < 0: there is none. Returns 0 or -errno. */
int ring_sources_watch(struct ring_sources *sources, int fd, struct error *err);
/* Takes the wake-ups that came. */
void ring_sources_take_wakes(struct ring_sources *sources);
bool ring_sources_are_due(const struct ring_sources *sources);
void ring_sources_head(struct ring_sources *sources);
uint64_t ring_sources_move(struct ring_sources *sources);
bool ring_sources_are_held(const struct ring_sources *sources);
void ring_sources_stop(struct ring_sources *sources);
bool ring_sources_have_all(const struct ring_sources *sources);
void ring_sources_put_rest(struct ring_sources *sources);
void ring_sources_lost(struct ring_sources *sources);
/* There are none afterwards. */
void ring_sources_close(struct ring_sources *sources);
