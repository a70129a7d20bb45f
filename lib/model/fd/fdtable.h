/*
 * fdtable: descriptor tables, their slots, and the opens of the slots.
 *
 * handles_created, handles_inherited and handles_destroyed are counted here and nowhere else, each time
 * a slot is filled, copied or emptied, so their equation always holds.
 */
#pragma once

#include "state/state.h"

#include <fcntl.h>

uint32_t table_new(struct model *m);
uint32_t table_copy(struct model *m, uint32_t table);
/* Removes a user. The last one empties the table: it calls `emptied` (or NULL) for each open before its hold ends. */
typedef void (*table_emptied)(struct model *m, uint32_t open, void *context);
void table_drop(struct model *m, uint32_t table, table_emptied emptied, void *context);
/* Returns the slot, or NULL if the number was never used or is out of range. Lent until a slot is set. */
static inline struct slot *table_slot(const struct model *m, uint32_t table, uint64_t fd)
{
	const struct table *t = &m->table[table];

	return fd < t->capacity ? &t->slot[fd] : NULL;
}
/* The same, but creates the slot if necessary; NULL if the number is out of range. */
struct slot *table_reach(struct model *m, uint32_t table, uint64_t fd);
/* Converts flags of open(); UINT32_MAX: unknown. */
static inline enum cloexec cloexec_of(uint32_t flags)
{
	if (flags == UINT32_MAX)
		return CLOEXEC_UNKNOWN;
	return flags & O_CLOEXEC ? CLOEXEC_YES : CLOEXEC_NO;
}
/* Fills an empty slot and holds the open. Returns false if the number is out of range. */
bool table_set(struct model *m, uint32_t table, uint64_t fd, uint32_t open, enum cloexec cloexec);
/* Empties a slot. Its hold passes to the caller, who calls open_drop(). */
uint32_t table_take(struct model *m, uint32_t table, uint64_t fd);
/* The same for a slot that has been uncertain since `time`. Counts the reason. */
uint32_t table_forget(struct model *m, uint32_t table, uint64_t fd, uint64_t time);
/* The opens in a copy of a table are younger than its slots: earlier calls do not use them. */
static inline uint32_t slot_open_at(const struct model *m, const struct slot *slot, uint64_t time)
{
	return slot->open == ID_NONE || m->open[slot->open].born < time ? slot->open : ID_NONE;
}
/* Returns the open of a descriptor at a time (now or earlier), not held; ID_NONE: none, or uncertain. */
static inline uint32_t table_at(const struct model *m, uint32_t table, uint64_t fd, uint64_t time)
{
	const struct slot *slot = table_slot(m, table, fd);

	if (!slot)
		return ID_NONE;
	if (slot->changed <= time)
		return slot_open_at(m, slot, time);
	return slot->was_from <= time && time < slot->was_until ? slot->was : ID_NONE;
}
/* Whether no call has changed the descriptor since `since`, and no call in flight may change it. */
bool table_is_quiet(const struct model *m, uint32_t table, uint64_t fd, uint64_t since);
/* The same, and the descriptor still has this open. */
static inline uint32_t table_since(const struct model *m, uint32_t table, uint64_t fd,
				   uint64_t time)
{
	const struct slot *slot = table_slot(m, table, fd);

	return slot && slot->changed <= time ? slot_open_at(m, slot, time) : ID_NONE;
}
/* Whether the open still has its descriptor in this table, or never had a descriptor. */
static inline bool table_has(const struct model *m, uint32_t table, uint32_t open)
{
	uint32_t fd = m->open[open].fd;
	const struct slot *slot = table_slot(m, table, fd);

	return fd == ID_NONE || (slot && slot->open == open);
}
/* Notes that a call closes a descriptor whose slot is empty. */
void table_note_empty_close(struct model *m, uint32_t table, uint64_t fd);
/*
 * Returns whether no other call has closed or used the descriptor since `begin`. Then the file that the kernel had there at the end of
 * a call that began at that time is the file that this call created.
 */
bool table_is_own(const struct model *m, uint32_t table, uint64_t fd, uint64_t begin);
/*
 * Marks a filled slot, a table or all tables as uncertain from now on, until a look-up confirms them. Until then, no call on the
 * descriptor moves the position of its file in the model, so that position is uncertain, too.
 */
void slot_doubt(struct model *m, struct slot *slot, enum doubt why);
void table_doubt(struct model *m, uint32_t table, enum doubt why);
void table_doubt_all(struct model *m, enum doubt why);
/*
 * Requests that are not in the stream may have closed any descriptor of the table but `kept`, and opened another file there. What has
 * no name yet never gets one.
 */
void table_doubt_hidden(struct model *m, uint32_t table, int kept);

uint32_t description_new(struct model *m, uint32_t flags);
/* Returns a new open of the description, held by the caller. */
uint32_t open_new(struct model *m, uint32_t description, process_id creator);
/*
 * The same for an open whose creation is not in the stream, and which will not be closed. known: its description, without any
 * count.
 */
uint32_t open_new_always(struct model *m, const struct description *known, process_id creator);
/* Returns the permanent open of the process for this name and access mode. Not held. */
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

/* Counts the description in names_known or names_unknown: once, at its end or at the end of the recording. */
void description_count(struct model *m, uint32_t description);

/* Whether it was created by O_TMPFILE. Unknown flags may include it. */
static inline bool description_is_nameless(const struct description *d)
{
	return d->flags != UINT32_MAX && (d->flags & O_TMPFILE) == O_TMPFILE;
}
