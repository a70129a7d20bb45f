/*
 * engine_entry: earlier events of threads: the entries of functions that have not returned, and the last end.
 *
 * The return of a function lacks its arguments, which the entry has. A thread returns from its calls in reverse order, so it has
 * a stack of entries for each such event. The return of a call that began before the recording has no entry, and is skipped.
 *
 * An end may contain another end of the same span (virtqueue_push() calls virtqueue_fill()). The second one does not count.
 */
#pragma once

#include <iotrace/map.h>
#include <iotrace/span.h>

enum { ENTRY_CALLS = 8, ENTRY_FIELDS = 8 };

/* The fields of an entry that a point needs. */
struct entry_names {
	const char *name[ENTRY_FIELDS]; /* lent by the span */
	uint32_t count;
};

struct entry_stack {
	uint64_t value[ENTRY_CALLS][ENTRY_FIELDS];
	uint32_t depth; /* number of calls that have not returned */
	uint32_t lost;  /* depth of the outermost call whose values inner ones have overwritten */
};

struct last_end {
	uint64_t key[SPAN_KEYS];
	const struct span_point *point; /* NULL: none */
};

struct entry_thread {
	struct entry_stack *stack; /* one for each point with an entry */
	struct last_end *last;     /* one for each span */
	uint32_t next;             /* list of free elements */
};

struct entries {
	struct entry_thread *thread;
	uint32_t threads, cap, free;
	uint32_t points, spans;
	struct map by_tid;
};

void entries_init(struct entries *entries, uint32_t spans);
void entries_release(struct entries *entries);
/* Finds the fields. Returns false if there are too many. */
bool entry_names_of(struct entry_names *names, const struct span *span,
		    const struct span_point *point);
/* Returns the index of the name, or ENTRY_FIELDS. */
uint32_t entry_find(const struct entry_names *names, const char *name);

/* A function begins. `point`: its number, from 0. Returns where to store its values. */
uint64_t *entries_push(struct entries *entries, uint32_t point, uint32_t tid);
/* The function returns. Returns its values, lent until the next call; NULL: unknown. */
const uint64_t *entries_pop(struct entries *entries, uint32_t point, uint32_t tid);
/* This point has ended a span with this key. */
void entries_ended(struct entries *entries, uint32_t span, uint32_t tid,
		   const struct span_point *point, const uint64_t *key);
/* Returns whether the last end in this thread was of the same span and key, by another point. */
bool entries_has_ended(const struct entries *entries, uint32_t span, uint32_t tid,
		       const struct span_point *point, const uint64_t *key);
void entries_exit(struct entries *entries, uint32_t tid);
