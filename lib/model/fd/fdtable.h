/*
 * fdtable: descriptor tables, their slots, and what the slots lead to.
 *
 * handles_created, handles_inherited and handles_destroyed are counted here and nowhere else, each time
 * a slot is filled, copied or emptied, so that the books balance by construction.
 */
#pragma once

#include "state/state.h"

#include <fcntl.h>

uint32_t table_new(struct model *m);
uint32_t table_copy(struct model *m, uint32_t table);
/* One user less; the last one empties it: `emptied` (may be NULL) is called for each open, before its hold goes. */
typedef void (*table_emptied)(struct model *m, uint32_t open, void *context);
void table_drop(struct model *m, uint32_t table, table_emptied emptied, void *context);
/* Returns the slot, or NULL if the number was never used or is out of range. Lent until a slot is set. */
static inline struct slot *table_slot(const struct model *m, uint32_t table, uint64_t fd)
{
	const struct table *t = &m->table[table];

	return fd < t->capacity ? &t->slot[fd] : NULL;
}
/* From flags as open() has them; UINT32_MAX: not known. */
static inline enum cloexec cloexec_of(uint32_t flags)
{
	if (flags == UINT32_MAX)
		return CLOEXEC_UNKNOWN;
	return flags & O_CLOEXEC ? CLOEXEC_YES : CLOEXEC_NO;
}
/* Fills an empty slot, takes one hold on open. Returns false if the number is out of range. */
bool table_set(struct model *m, uint32_t table, uint64_t fd, uint32_t open, enum cloexec cloexec);
/* Empties a slot; the slot's hold passes to the caller, who gives it back with open_drop(). */
uint32_t table_take(struct model *m, uint32_t table, uint64_t fd);
/* The same for one that can no longer be believed: nothing is known of it since `time`. Counts why. */
uint32_t table_forget(struct model *m, uint32_t table, uint64_t fd, uint64_t time);
/* A copy of a table has opens of its own, which are younger than its slots say: nothing earlier uses them. */
static inline uint32_t slot_open_at(const struct model *m, const struct slot *slot, uint64_t time)
{
	return slot->open == ID_NONE || m->open[slot->open].born < time ? slot->open : ID_NONE;
}
/* Returns what the number led to at a time now or before; ID_NONE: nothing, or it cannot be told. Not held. */
static inline uint32_t table_at(const struct model *m, uint32_t table, uint64_t fd, uint64_t time)
{
	const struct slot *slot = table_slot(m, table, fd);

	if (!slot)
		return ID_NONE;
	if (slot->changed <= time)
		return slot_open_at(m, slot, time);
	return slot->was_from <= time && time < slot->was_until ? slot->was : ID_NONE;
}
/* Whether nothing shows that a call changed the number between then and now, or may be doing so. */
bool table_is_quiet(const struct model *m, uint32_t table, uint64_t fd, uint64_t since);
/* The same if the number still leads there. */
static inline uint32_t table_since(const struct model *m, uint32_t table, uint64_t fd,
				   uint64_t time)
{
	const struct slot *slot = table_slot(m, table, fd);

	return slot && slot->changed <= time ? slot_open_at(m, slot, time) : ID_NONE;
}
/* Whether the open still has its descriptor in this table, or never had one in any. */
static inline bool table_has(const struct model *m, uint32_t table, uint32_t open)
{
	uint32_t fd = m->open[open].fd;
	const struct slot *slot = table_slot(m, table, fd);

	return fd == ID_NONE || (slot && slot->open == open);
}
/* A call closes the number now, though nothing seems to be there. */
void table_stray(struct model *m, uint32_t table, uint64_t fd);
/*
 * Returns whether nothing shows that another call closed or used the number since `begin`: then what the
 * kernel had there when a call ended that began at that time is what the call made.
 */
bool table_is_own(const struct model *m, uint32_t table, uint64_t fd, uint64_t begin);
/* What is there is not to be believed from now on without another look: a filled slot, a table, or all of them. */
void slot_doubt(const struct model *m, struct slot *slot, enum doubt why);
void table_doubt(struct model *m, uint32_t table, enum doubt why);
void table_doubt_all(struct model *m, enum doubt why);

uint32_t description_new(struct model *m, uint32_t flags);
/* Returns an open of the description with one hold, the caller's. */
uint32_t open_new(struct model *m, uint32_t description, process_id creator);
/* The same for one that nobody saw being made and nobody will close; known: its description, in which nothing is counted. */
uint32_t open_new_always(struct model *m, const struct description *known, process_id creator);
/* Returns the one that the process has for this name and way of access. Not held; it stays. */
uint32_t open_lasting(struct model *m, const struct description *known, process_id process);
static inline void open_hold(struct model *m, uint32_t open)
{
	if (open != ID_NONE)
		m->open[open].holders++;
}
void open_end(struct model *m, uint32_t open);
static inline void open_drop(struct model *m, uint32_t open)
{
	if (open != ID_NONE && !--m->open[open].holders)
		open_end(m, open);
}

/* Counts the description among the names known or unknown: once, when it ends or the recording does. */
void description_count(struct model *m, uint32_t description);

/* Made by O_TMPFILE. Flags that are not known may be those. */
static inline bool description_is_nameless(const struct description *d)
{
	return d->flags != UINT32_MAX && (d->flags & O_TMPFILE) == O_TMPFILE;
}
