#include "fdtable.h"

#include "handle.h"
#include "position.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

uint32_t description_new(struct model *m, uint32_t flags)
{
	uint32_t id = pool_take(&m->descriptions, &m->description, sizeof(*m->description));

	m->description[id] = (struct description){.file = ID_NONE, .flags = flags};
	return id;
}

uint32_t open_new(struct model *m, uint32_t description, process_id creator)
{
	uint32_t id = pool_take(&m->opens, &m->open, sizeof(*m->open));

	m->open[id] = (struct open){.description = description,
				    .fd = ID_NONE,
				    .born = m->now,
				    .creator = creator,
				    .handle = ID_NONE,
				    .holders = 1,
				    .share = ID_NONE};
	m->description[description].holders++;
	return id;
}

uint32_t open_new_always(struct model *m, const struct description *known, process_id creator)
{
	uint32_t description = description_new(m, known->flags), open;

	m->description[description] = *known;
	open = open_new(m, description, creator);
	m->open[open].is_found = true;
	m->open[open].slots = 1; /* which is never emptied */
	return open;
}

uint32_t open_lasting(struct model *m, const struct description *known, process_id process)
{
	struct map *map = &m->lasting[known->flags & O_ACCMODE];
	bool is_deleted = known->file != ID_NONE && m->trace.file[known->file].is_deleted;
	/* The highest bit of a string's id is never set. */
	uint64_t key = map_key(process, is_deleted ? known->file | 1U << 31 : known->name);
	uint32_t open = map_get(map, key);

	if (open != MAP_NONE)
		return open;
	open = open_new_always(m, known, process);
	map_set(map, key, open);
	return open;
}

void description_count(struct model *m, uint32_t description)
{
	const struct description *d = &m->description[description];

	if (d->is_file && d->name)
		tally_add(m->tally, names_known, 1);
	else if (d->is_file)
		tally_add(m->tally, names_unknown, 1);
}

/* The last holder is gone. */
void open_end(struct model *m, uint32_t open)
{
	uint32_t description = m->open[open].description;

	handle_release(m, open);
	pool_give(&m->opens, open);
	if (--m->description[description].holders)
		return;
	description_count(m, description);
	pool_give(&m->descriptions, description);
}

uint32_t table_new(struct model *m)
{
	uint32_t id = pool_take(&m->tables, &m->table, sizeof(*m->table));

	m->table[id] = (struct table){.users = 1};
	return id;
}

struct slot *table_reach(struct model *m, uint32_t table, uint64_t fd)
{
	struct table *t = &m->table[table];

	if (fd >= FD_LIMIT)
		return NULL;
	if (fd >= t->capacity) {
		uint32_t old = t->capacity;

		t->slot = mem_grow(t->slot, &t->capacity, (uint32_t)fd + 1, sizeof(*t->slot));
		for (uint32_t i = old; i < t->capacity; i++)
			t->slot[i] = (struct slot){.open = ID_NONE,
						   .was = ID_NONE,
						   .empty_close = t->empty_close};
	}
	return &t->slot[fd];
}

static void slot_fill(struct model *m, struct slot *slot, uint32_t open, enum cloexec cloexec)
{
	slot->open = open;
	slot->cloexec = cloexec;
	/* Events that come next may be lost, too. */
	slot->doubt = m->now <= m->lost_until ? DOUBT_LOSS : DOUBT_NONE;
	slot->doubted = 0;
	slot->changed = m->now;
	open_hold(m, open);
	m->open[open].slots++;
	m->description[m->open[open].description].slots++;
}

bool table_set(struct model *m, uint32_t table, uint64_t fd, uint32_t open, enum cloexec cloexec)
{
	struct slot *slot = table_reach(m, table, fd);

	if (!slot)
		return false;
	m->table[table].is_shared = m->table[table].is_hidden = false;
	slot_fill(m, slot, open, cloexec);
	m->open[open].fd = (uint32_t)fd;
	tally_add(m->tally, handles_created, 1);
	return true;
}

/* Empties a filled slot. Its hold passes to the caller. */
static uint32_t slot_empty(struct model *m, struct slot *slot, uint64_t time)
{
	uint32_t open = slot->open;

	slot->open = ID_NONE;
	slot->doubt = DOUBT_NONE;
	slot->changed = time;
	tally_add(m->tally, handles_destroyed, 1);
	if (!--m->open[open].slots)
		m->is_unblocked = true;
	m->description[m->open[open].description].slots--;
	return open;
}

static void slot_remember(struct model *m, struct slot *slot, uint32_t open, uint64_t from,
			  uint64_t until)
{
	open_hold(m, open);
	open_drop(m, slot->was);
	slot->was = open;
	slot->was_from = from;
	slot->was_until = until;
}

uint32_t table_take(struct model *m, uint32_t table, uint64_t fd)
{
	struct slot *slot = table_slot(m, table, fd);

	if (!slot || slot->open == ID_NONE)
		return ID_NONE;
	uint64_t born = m->open[slot->open].born;

	slot_remember(m, slot, slot->open, slot->changed > born ? slot->changed : born, m->now);
	return slot_empty(m, slot, m->now);
}

static void count_doubt(struct model *m, enum doubt why)
{
	static const enum tally_counter counter[DOUBTS] = {
		[DOUBT_LOSS] = TALLY_doubtful_fds,        [DOUBT_EXEC] = TALLY_doubtful_exec,
		[DOUBT_FOREIGN] = TALLY_doubtful_foreign, [DOUBT_REQUEST] = TALLY_doubtful_request,
		[DOUBT_PUT] = TALLY_doubtful_put,
	};

	if (why)
		m->tally->n[counter[why]]++;
}

uint32_t table_forget(struct model *m, uint32_t table, uint64_t fd, uint64_t time)
{
	struct slot *slot = table_slot(m, table, fd);

	if (!slot || slot->open == ID_NONE)
		return ID_NONE;
	slot_remember(m, slot, ID_NONE, 0, 0);
	count_doubt(m, slot->doubt);
	return slot_empty(m, slot, time);
}

void table_note_empty_close(struct model *m, uint32_t table, uint64_t fd)
{
	struct slot *slot = table_slot(m, table, fd);

	if (slot)
		slot->empty_close = m->now;
	else
		m->table[table].empty_close = m->now;
}

bool table_is_quiet(const struct model *m, uint32_t table, uint64_t fd, uint64_t since)
{
	const struct table *t = &m->table[table];
	const struct slot *slot = fd < t->capacity ? &t->slot[fd] : NULL;

	if (t->busy || t->emptied >= since)
		return false;
	/* The lost events may contain a close. */
	if (m->lost_until && m->lost_until >= since)
		return false;
	if (!slot)
		return t->empty_close < since;
	return !slot->is_busy && slot->changed < since && slot->empty_close < since;
}

bool table_is_own(const struct model *m, uint32_t table, uint64_t fd, uint64_t begin)
{
	const struct table *t = &m->table[table];
	const struct slot *slot = fd < t->capacity ? &t->slot[fd] : NULL;

	if (t->busy || m->lost_time >= begin)
		return false;
	if (!slot)
		return t->empty_close < begin;
	return !slot->is_busy && slot->empty_close < begin &&
	       (slot->open == ID_NONE || slot->changed < begin);
}

uint32_t table_copy(struct model *m, uint32_t table)
{
	uint32_t id = table_new(m);
	struct table *from = &m->table[table];
	struct table *to = &m->table[id];

	if (!from->capacity)
		return id;
	to->slot = mem_array(from->capacity, sizeof(*to->slot));
	to->capacity = from->capacity;
	for (uint32_t fd = 0; fd < from->capacity; fd++) {
		to->slot[fd] = (struct slot){.open = ID_NONE, .was = ID_NONE};
		if (from->slot[fd].open == ID_NONE)
			continue;
		slot_fill(m, &to->slot[fd], from->slot[fd].open, from->slot[fd].cloexec);
		to->slot[fd].doubt = from->slot[fd].doubt;
		to->slot[fd].doubted = from->slot[fd].doubted;
		to->slot[fd].changed = from->slot[fd].changed;
		tally_add(m->tally, handles_inherited, 1);
	}
	return id;
}

void table_drop(struct model *m, uint32_t table, table_emptied emptied, void *context)
{
	if (--m->table[table].users)
		return;
	for (uint32_t fd = 0; fd < m->table[table].capacity; fd++) {
		uint32_t open = table_take(m, table, fd);

		if (open != ID_NONE && emptied)
			emptied(m, open, context);
		open_drop(m, open);
		open_drop(m, m->table[table].slot[fd].was);
	}
	free(m->table[table].slot);
	m->table[table] = (struct table){0};
	pool_give(&m->tables, table);
}

void slot_doubt(struct model *m, struct slot *slot, enum doubt why)
{
	if (slot->open == ID_NONE || slot->doubt)
		return;
	position_share(m, open_description(m, slot->open));
	slot->doubt = why;
	slot->doubted = m->now;
}

void table_doubt(struct model *m, uint32_t table, enum doubt why)
{
	struct table *t = &m->table[table];

	if (why == DOUBT_REQUEST)
		tally_add(m->tally, doubtful_tables, 1);
	for (uint32_t fd = 0; fd < t->capacity; fd++)
		slot_doubt(m, &t->slot[fd], why);
}

void table_doubt_hidden(struct model *m, uint32_t table, int kept)
{
	struct table *t = &m->table[table];

	if (!t->is_hidden)
		tally_add(m->tally, doubtful_tables, 1);
	for (uint32_t fd = 0; !t->is_hidden && fd < t->capacity; fd++) {
		struct slot *slot = &t->slot[fd];
		struct description *d;

		if (slot->open == ID_NONE || fd == (uint32_t)kept)
			continue;
		d = open_description(m, slot->open);
		if (d->name) {
			slot_doubt(m, slot, DOUBT_REQUEST);
			continue;
		}
		d->state = NAME_NEVER;
		position_share(m, d);
		m->is_unblocked = true;
	}
	t->is_hidden = true;
}

void table_doubt_all(struct model *m, enum doubt why)
{
	for (uint32_t table = 0; table < m->tables.count; table++)
		table_doubt(m, table, why);
}
