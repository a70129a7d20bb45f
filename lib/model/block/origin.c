#include "origin.h"

#include "file/file.h"
#include "request_index.h"
#include "task/choice.h"
#include "task/task.h"

#include <string.h>

enum {
	/* Enough, because a bio becomes a request soon after it was queued. */
	ORIGINS_MAX = 1 << 14,
	ORIGIN_SECONDS = 30, /* an older bio is not the one that is issued now */
};

static const char writeback[] = "writeback";

static uint32_t origin_find(const struct model *m, uint32_t device, uint64_t sector)
{
	const struct block *b = &m->block;
	uint32_t id = map_get(&b->origin_by_sector, request_index_key(device, sector));

	if (id == MAP_NONE || b->origin[id].device != device || b->origin[id].sector != sector)
		return ID_NONE;
	return b->origin[id].time + ORIGIN_SECONDS * UINT64_C(1000000000) < m->now ? ID_NONE : id;
}

/* Returns an element for a new entry: a free one, or the oldest. */
static uint32_t origin_take(struct block *b)
{
	uint32_t id;

	if (b->origins < ORIGINS_MAX) {
		MEM_GROW(b->origin, b->origin_cap, b->origins + 1);
		return b->origins++;
	}
	id = b->origin_next++ % ORIGINS_MAX;
	uint64_t key = request_index_key(b->origin[id].device, b->origin[id].sector);

	if (map_get(&b->origin_by_sector, key) == id)
		map_remove(&b->origin_by_sector, key);
	return id;
}

static void origin_set(struct model *m, uint32_t device, uint64_t sector, const struct cause *cause)
{
	struct block *b = &m->block;
	uint32_t id = origin_find(m, device, sector);

	if (id == ID_NONE) {
		id = origin_take(b);
		map_set(&b->origin_by_sector, request_index_key(device, sector), id);
	}
	b->origin[id] = (struct origin){.device = device,
					.sector = sector,
					.time = m->now,
					.cause = *cause};
}

static str_id task_name(struct model *m, const struct event *event)
{
	const struct event_string *name = &event->request.name;
	uint32_t task = task_find(m, event->tid);

	if (name->at && name->length)
		return model_string(m, name->at, name->length);
	return task == MAP_NONE ? 0 : m->task[task].name;
}

static bool is_recorded(const struct model *m, const struct cause *cause, const struct event *event)
{
	uint32_t process = process_find(m, cause->pid), task = task_find(m, event->tid);
	enum event_choice choice = event->choice;

	if (choice == CHOICE_UNKNOWN && task != MAP_NONE)
		choice = m->task[task].choice;
	return choice != CHOICE_OUT && process != MAP_NONE && process_is_recorded(m, process) &&
	       choice_wants_comm(m, process, cause->name);
}

/* Returns the task of the event. The idle task, and tasks that have ended, do not count. */
static struct cause cause_here(struct model *m, const struct event *event)
{
	const struct request *request = &event->request;
	const struct event_string *rwbs = &request->rwbs;
	struct cause cause = {.file = file_by_inode(m, request->inode_dev, request->inode),
			      .cgroup = request->cgroup};

	if (!event->pid || event->pid == UINT32_MAX)
		return cause;
	cause.pid = event->pid;
	cause.tid = event->tid;
	cause.name = task_name(m, event);
	cause.is_recorded = is_recorded(m, &cause, event);
	cause.has_flush = rwbs->length && memchr(rwbs->at, 'F', rwbs->length);
	return cause;
}

static bool is_kworker(const struct model *m, const struct cause *cause)
{
	return !strncmp(strtab_text(m->trace.strings, cause->name), "kworker/", 8);
}

void origin_queued(struct model *m, uint32_t device, const struct event *event)
{
	const struct request *request = &event->request;
	struct cause cause = cause_here(m, event);
	uint32_t before = origin_find(m, device, request->sector);

	/* A worker of a stacked device continues a request of another task to that device. */
	if (before != ID_NONE && m->block.origin[before].is_copy && is_kworker(m, &cause))
		cause = m->block.origin[before].cause;
	origin_set(m, device, request->sector, &cause);
	if (cause.has_flush)
		origin_set(m, device, SECTOR_NONE, &cause);
}

void origin_copy(struct model *m, uint32_t device, uint64_t sector, uint32_t to, uint64_t to_sector)
{
	uint32_t from = origin_find(m, device, sector);

	if (from == ID_NONE)
		return;
	struct cause cause = m->block.origin[from].cause;

	origin_set(m, to, to_sector, &cause);
	m->block.origin[origin_find(m, to, to_sector)].is_copy = true;
}

/* The page cache writes a file because of the task that wrote last to it. */
static void find_writer(struct model *m, struct cause *cause)
{
	file_id file = cause->file;
	bool is_known = file != ID_NONE && file < m->block.writers && m->block.writer[file].name;

	if (is_known) {
		cause->pid = m->block.writer[file].pid;
		cause->tid = m->block.writer[file].tid;
		cause->name = m->block.writer[file].name;
		cause->is_recorded = m->block.writer[file].is_recorded;
		return;
	}
	cause->pid = cause->tid = 0;
	cause->name = model_string(m, writeback, sizeof(writeback) - 1);
}

struct cause origin_of(struct model *m, uint32_t device, const struct event *event)
{
	const struct request *request = &event->request;
	uint32_t origin = origin_find(m, device, request->sector);
	struct cause cause = cause_here(m, event);

	if (origin != ID_NONE) {
		file_id file = cause.file;

		cause = m->block.origin[origin].cause;
		if (cause.file == ID_NONE)
			cause.file = file;
	}
	if (request->type == REQUEST_WRITE && is_kworker(m, &cause))
		find_writer(m, &cause);
	return cause;
}

void origin_wrote(struct model *m, file_id file, uint32_t task)
{
	struct block *b = &m->block;
	const struct process *p = &m->process[m->task[task].process];

	COLD_GROW(&m->area[AREA_WRITERS], b->writer, b->writers, file + 1);
	b->writer[file] = (struct cause){.pid = p->pid,
					 .tid = m->task[task].tid,
					 .name = p->name,
					 .file = file,
					 .is_recorded = true};
}
