/*
 * who: which task, and which file, a request is for. See who.h.
 */
#include "who.h"

#include "file.h"
#include "place.h"
#include "task.h"

#include <fnmatch.h>
#include <string.h>

enum {
	ORIGINS_MAX = 1 << 14, /* a bio is a request soon after it was queued */
	ORIGIN_SECONDS = 30,   /* what was queued earlier is not what is issued now */
};

static const char writeback[] = "writeback";

static uint32_t origin_find(const struct model *m, uint32_t device, uint64_t sector)
{
	const struct block *b = &m->block;
	uint32_t id = map_get(&b->origin_by_place, place_key(device, sector));

	if (id == MAP_NONE || b->origin[id].device != device || b->origin[id].sector != sector)
		return ID_NONE;
	return b->origin[id].time + ORIGIN_SECONDS * UINT64_C(1000000000) < m->now ? ID_NONE : id;
}

/* Returns the element for one more: a new one, or the oldest. */
static uint32_t origin_take(struct block *b)
{
	uint32_t id;

	if (b->origins < ORIGINS_MAX) {
		MEM_GROW(b->origin, b->origin_cap, b->origins + 1);
		return b->origins++;
	}
	id = b->origin_next++ % ORIGINS_MAX;
	uint64_t key = place_key(b->origin[id].device, b->origin[id].sector);

	if (map_get(&b->origin_by_place, key) == id)
		map_remove(&b->origin_by_place, key);
	return id;
}

static void origin_set(struct model *m, uint32_t device, uint64_t sector, const struct who *who)
{
	struct block *b = &m->block;
	uint32_t id = origin_find(m, device, sector);

	if (id == ID_NONE) {
		id = origin_take(b);
		map_set(&b->origin_by_place, place_key(device, sector), id);
	}
	b->origin[id] =
		(struct origin){.device = device, .sector = sector, .time = m->now, .who = *who};
}

static str_id task_name(struct model *m, const struct event *event)
{
	const struct event_string *name = &event->request.name;
	uint32_t task = task_find(m, event->tid);

	if (name->at && name->length)
		return model_string(m, name->at, name->length);
	return task == MAP_NONE ? 0 : m->task[task].name;
}

void who_want(struct model *m, str_id glob)
{
	struct block *b = &m->block;

	MEM_GROW(b->comm, b->comm_cap, b->comms + 1);
	b->comm[b->comms++] = glob;
}

bool who_wants_names(const struct model *m)
{
	return m->block.comms != 0;
}

bool who_is_choosy(const struct model *m)
{
	return m->block.comms != 0 || m->block.has_users;
}

/* The kernel matches the names of those who make calls; requests come from all, and are matched here. */
bool who_is_wanted(const struct model *m, str_id name)
{
	const struct block *b = &m->block;

	for (uint32_t i = 0; i < b->comms; i++)
		if (!fnmatch(strtab_text(m->strings, b->comm[i]), strtab_text(m->strings, name), 0))
			return true;
	return !b->comms;
}

/* Where the kernel does not say it, the name decides; nobody has asked for a task whose name is not known yet. */
bool who_is_unwanted(const struct model *m, uint32_t task)
{
	const struct task *t = &m->task[task];

	if (t->choice != CHOICE_UNKNOWN)
		return t->choice == CHOICE_OUT;
	return who_wants_names(m) && (!t->name || !who_is_wanted(m, t->name));
}

static bool is_recorded(const struct model *m, const struct who *who, const struct event *event)
{
	uint32_t process = process_find(m, who->pid), task = task_find(m, event->tid);
	enum event_choice choice = event->choice;

	if (choice == CHOICE_UNKNOWN && task != MAP_NONE)
		choice = m->task[task].choice;
	return choice != CHOICE_OUT && process != MAP_NONE && process_is_recorded(m, process) &&
	       who_is_wanted(m, who->name);
}

/* The task of the event. That of the idle task, or of one that is gone, is none. */
static struct who who_here(struct model *m, const struct event *event)
{
	const struct request *request = &event->request;
	const struct event_string *rwbs = &request->rwbs;
	struct who who = {.file = file_by_inode(m, request->inode_dev, request->inode),
			  .cgroup = request->cgroup};

	if (!event->pid || event->pid == UINT32_MAX)
		return who;
	who.pid = event->pid;
	who.name = task_name(m, event);
	who.is_recorded = is_recorded(m, &who, event);
	who.has_flush = rwbs->length && memchr(rwbs->at, 'F', rwbs->length);
	return who;
}

static bool is_kworker(const struct model *m, const struct who *who)
{
	return !strncmp(strtab_text(m->strings, who->name), "kworker/", 8);
}

void who_queued(struct model *m, uint32_t device, const struct event *event)
{
	const struct request *request = &event->request;
	struct who who = who_here(m, event);
	uint32_t before = origin_find(m, device, request->sector);

	/* A worker of a stacked device goes on with what another task asked that device for. */
	if (before != ID_NONE && m->block.origin[before].is_copy && is_kworker(m, &who))
		who = m->block.origin[before].who;
	origin_set(m, device, request->sector, &who);
	if (who.has_flush)
		origin_set(m, device, SECTOR_NONE, &who);
}

void who_copy(struct model *m, uint32_t device, uint64_t sector, uint32_t to, uint64_t to_sector)
{
	uint32_t from = origin_find(m, device, sector);

	if (from == ID_NONE)
		return;
	struct who who = m->block.origin[from].who;

	origin_set(m, to, to_sector, &who);
	m->block.origin[origin_find(m, to, to_sector)].is_copy = true;
}

/* Who wrote to a file last is why the page cache writes it. */
static void find_writer(struct model *m, struct who *who)
{
	file_id file = who->file;
	bool is_known = file != ID_NONE && file < m->block.writers && m->block.writer[file].name;

	if (is_known) {
		who->pid = m->block.writer[file].pid;
		who->name = m->block.writer[file].name;
		who->is_recorded = m->block.writer[file].is_recorded;
		return;
	}
	who->pid = 0;
	who->name = model_string(m, writeback, sizeof(writeback) - 1);
}

struct who who_of(struct model *m, uint32_t device, const struct event *event)
{
	const struct request *request = &event->request;
	uint32_t origin = origin_find(m, device, request->sector);
	struct who who = who_here(m, event);

	if (origin != ID_NONE) {
		file_id file = who.file;

		who = m->block.origin[origin].who;
		if (who.file == ID_NONE)
			who.file = file;
	}
	if (request->type == REQUEST_WRITE && is_kworker(m, &who))
		find_writer(m, &who);
	return who;
}

void who_wrote(struct model *m, file_id file, uint32_t process)
{
	struct block *b = &m->block;
	const struct process *p = &m->process[process];

	COLD_GROW(&m->area[AREA_WRITERS], b->writer, b->writers, file + 1);
	b->writer[file] =
		(struct who){.pid = p->pid, .name = p->name, .file = file, .is_recorded = true};
}
