/*
 * carry: copies an object when something refers to it. The array of each kind maps its old id to its new id + 1, or 0 if it was not
 * copied yet. So what was shared is shared again.
 */
#include "carry.h"

#include "fd/fdtable.h"
#include "fd/fs.h"
#include "file/file.h"
#include "file/name_filter.h"
#include "map/mapping.h"
#include "task/task.h"

#include <iotrace/pause.h>
#include <stdlib.h>

struct carry {
	struct model *to;
	const struct model *from;
	bool has_positions;
	uint32_t *process, *task, *table, *fs, *open, *description; /* new_id */
};

static str_id text(struct carry *c, str_id id)
{
	const struct strtab *strings = c->from->trace.strings;

	return id ? model_string(c->to, strtab_text(strings, id), strtab_length(strings, id)) : 0;
}

static str_id name(struct carry *c, str_id id)
{
	const struct strtab *strings = c->from->trace.strings;

	if (name_is_stand_in(c->from, id))
		return name_stand_in(c->to);
	return id ? name_add(c->to, strtab_text(strings, id), strtab_length(strings, id)) : 0;
}

static uint32_t mount_of(struct carry *c, uint32_t mount)
{
	return mount == ID_NONE ? ID_NONE
				: map_get(&c->to->mount_by_id, c->from->trace.mount[mount].id);
}

static file_id file_of(struct carry *c, file_id id)
{
	const struct trace_file *old;
	struct trace_file *file;
	file_id copy;

	if (id == ID_NONE)
		return ID_NONE;
	old = &c->from->trace.file[id];
	copy = old->is_deleted
		       ? file_add_deleted(c->to, name(c, old->path), old->kind, old->dev, old->ino)
		       : file_add(c->to, name(c, old->path), old->kind);
	file = &c->to->trace.file[copy];
	file->kind = old->kind;
	file->mount = mount_of(c, old->mount);
	file_set_inode(c->to, copy, old->dev, old->ino);
	return copy;
}

static uint32_t description_of(struct carry *c, uint32_t id)
{
	const struct description *old = &c->from->description[id];
	struct description *d;
	uint32_t copy;
	file_id file;
	str_id called;

	if (c->description[id])
		return c->description[id] - 1;
	file = file_of(c, old->file);
	called = old->is_file ? name(c, old->name) : text(c, old->name);
	copy = description_new(c->to, old->flags);
	d = &c->to->description[copy];
	*d = *old;
	d->file = file;
	d->name = called;
	d->slots = d->holders = 0;
	d->is_early = false;
	if (!c->has_positions)
		d->position = IO_OFFSET_UNKNOWN;
	c->description[id] = copy + 1;
	return copy;
}

/* Not held for the caller: release_opens() drops the hold that each copy is made with. */
static uint32_t open_of(struct carry *c, uint32_t id)
{
	const struct open *old;
	struct open *open;
	uint32_t copy;

	if (id == ID_NONE)
		return ID_NONE;
	if (c->open[id])
		return c->open[id] - 1;
	old = &c->from->open[id];
	copy = open_new(c->to, description_of(c, old->description), ID_NONE);
	open = &c->to->open[copy];
	open->fd = old->fd;
	open->born = old->born;
	open->is_found = true;
	open->is_coming = old->is_coming;
	c->open[id] = copy + 1;
	return copy;
}

static void release_opens(struct carry *c)
{
	for (uint32_t i = 0; i < c->from->opens.count; i++)
		if (c->open[i])
			open_drop(c->to, c->open[i] - 1);
}

/* Calls that began earlier use what an empty slot had before. */
static void carry_slot(struct carry *c, uint32_t table, const struct slot *old, uint32_t fd)
{
	uint32_t was = open_of(c, old->was);
	struct slot *slot;

	if (old->open != ID_NONE)
		table_set(c->to, table, fd, open_of(c, old->open), old->cloexec);
	slot = table_reach(c->to, table, fd);
	open_hold(c->to, was);
	*slot = (struct slot){.open = slot->open,
			      .cloexec = old->cloexec,
			      .doubt = old->doubt,
			      .is_busy = old->is_busy,
			      .doubted = old->doubted,
			      .changed = old->changed,
			      .was = was,
			      .was_from = old->was_from,
			      .was_until = old->was_until,
			      .empty_close = old->empty_close};
}

/* Returns the table with one more user. */
static uint32_t table_of(struct carry *c, uint32_t id)
{
	const struct table *old;
	struct table *table, mine;
	uint32_t copy;

	if (id == ID_NONE)
		return ID_NONE;
	if (c->table[id]) {
		c->to->table[c->table[id] - 1].users++;
		return c->table[id] - 1;
	}
	copy = table_new(c->to);
	c->table[id] = copy + 1;
	old = &c->from->table[id];
	for (uint32_t fd = 0; fd < old->capacity; fd++)
		carry_slot(c, copy, &old->slot[fd], fd);
	table = &c->to->table[copy];
	mine = *table;
	*table = *old;
	table->slot = mine.slot;
	table->capacity = mine.capacity;
	table->users = mine.users;
	return copy;
}

/* Returns the directories with one more user. */
static uint32_t fs_of(struct carry *c, uint32_t id)
{
	str_id root = text(c, c->from->fs[id].root);
	uint32_t copy;

	if (c->fs[id]) {
		c->to->fs[c->fs[id] - 1].users++;
		return c->fs[id] - 1;
	}
	copy = fs_new(c->to);
	c->to->fs[copy] = c->from->fs[id];
	c->to->fs[copy].users = 1;
	c->to->fs[copy].root = root;
	c->fs[id] = copy + 1;
	return copy;
}

static void carry_mappings(struct carry *c, uint32_t copy, const struct process *old)
{
	for (uint32_t i = 0; i < old->mappings; i++) {
		const struct mapping *mapping = &old->mapping[i];
		const struct mapped mapped = {open_of(c, mapping->open), mapping->tid,
					      mapping->written != ID_NONE};

		mapping_set(c->to, copy, mapping->start, mapping->end - mapping->start, mapped);
	}
}

/* A fact about the command has already made its process, with an empty table. */
static uint32_t process_reach(struct model *to, uint32_t pid)
{
	uint32_t id = process_find(to, pid);

	if (id == MAP_NONE || !to->process[id].is_prelude)
		id = process_new(to, pid);
	else
		table_drop(to, to->process[id].table, NULL, NULL);
	fs_drop(to, to->process[id].fs);
	return id;
}

static void carry_process(struct carry *c, uint32_t id)
{
	struct process old = c->from->process[id];
	uint32_t copy = process_reach(c->to, old.pid);

	c->process[id] = copy + 1;
	old.tasks = c->to->process[copy].tasks;
	old.parent = old.group = ID_NONE;
	old.leader = ID_NONE;
	old.begin = 0;   /* not in the new trace, which needs no end for it then */
	old.closing = 0; /* by requests, which are not copied */
	old.name = text(c, old.name);
	old.argv = text(c, old.argv);
	old.table = table_of(c, old.table);
	old.fs = fs_of(c, old.fs);
	old.mapping = NULL;
	old.mappings = old.mappings_cap = 0;
	c->to->process[copy] = old;
	carry_mappings(c, copy, &c->from->process[id]);
}

static void carry_call(struct carry *c, struct call *call)
{
	if (call->id == CALL_ID_NONE)
		return;
	for (uint32_t i = 0; i < EVENT_PATHS; i++) {
		call->path[i] = name(c, call->path[i]);
		call->up_from[i] = text(c, call->up_from[i]);
	}
	call->written = text(c, call->written);
	call->open = open_of(c, call->open);
	call->open2 = open_of(c, call->open2);
	open_hold(c->to, call->open);
	open_hold(c->to, call->open2);
	if (!c->has_positions)
		call->offset[0] = call->offset[1] = IO_OFFSET_UNKNOWN;
}

static void carry_task(struct carry *c, uint32_t index)
{
	const struct task *old = &c->from->task[index];
	uint32_t process = c->process[old->process] - 1, id = task_find(c->to, old->tid);
	struct task *task;
	struct call call = old->call;
	uint32_t table = table_of(c, old->table);
	str_id comm = text(c, old->name);

	carry_call(c, &call);
	if (id == MAP_NONE || c->to->task[id].process != process)
		id = task_new(c->to, process, old->tid);
	task = &c->to->task[id];
	task->name = comm;
	task->table = table;
	task->lock_time = old->lock_time;
	task->lock_type = old->lock_type;
	task->choice = old->choice;
	task->call = call;
	c->task[index] = id + 1;
}

static uint32_t new_id(const uint32_t *ids, uint32_t old)
{
	return old != ID_NONE && ids[old] ? ids[old] - 1 : ID_NONE;
}

/* The flags of a clone arrive after the new task, so the last child of each task is carried, too. */
static void carry_forks(struct carry *c)
{
	for (uint32_t i = 0; i < c->from->tasks.count; i++) {
		const struct task *old = &c->from->task[i];

		if (!c->task[i])
			continue;
		c->to->task[c->task[i] - 1].forked = new_id(c->process, old->forked);
		c->to->task[c->task[i] - 1].forked_thread = new_id(c->task, old->forked_thread);
	}
}

static bool is_alive(const struct process *p)
{
	return p->tasks || p->table != ID_NONE;
}

/*
 * The kernel may have reused a number before the end of its first process, or thread, was seen. The one that has the number now is
 * copied last, so a search for the number finds it.
 */
static void carry_processes(struct carry *c, bool is_last)
{
	const struct model *from = c->from;

	for (uint32_t i = 0; i < from->processes.count; i++)
		if (is_alive(&from->process[i]) &&
		    (process_find(from, from->process[i].pid) == i) == is_last)
			carry_process(c, i);
}

static void carry_tasks(struct carry *c, bool is_last)
{
	const struct model *from = c->from;

	for (uint32_t i = 0; i < from->tasks.count; i++)
		if (from->task[i].process != ID_NONE && c->process[from->task[i].process] &&
		    (task_find(from, from->task[i].tid) == i) == is_last)
			carry_task(c, i);
}

/* The processes of -p, which the summary and iotrace.json name. */
static void carry_attached(struct carry *c)
{
	struct trace_host *to = &c->to->trace.host;
	const struct trace_host *from = &c->from->trace.host;

	to->attached = from->attached;
	for (uint32_t i = 0; i < from->attached && i < TRACE_ATTACHED; i++) {
		to->attached_pid[i] = from->attached_pid[i];
		to->attached_name[i] = text(c, from->attached_name[i]);
	}
}

static void carry_times(struct carry *c)
{
	const struct model *from = c->from;
	struct model *to = c->to;

	to->now = from->now;
	to->lost_time = from->lost_time;
	to->lost_until = from->lost_until;
	to->pivoting = from->pivoting;
	to->pivoted = from->pivoted;
	to->append_changes = from->append_changes;
	if (trace_is_paused(&from->trace, from->now))
		trace_set_paused(&to->trace, from->now, true);
}

void carry_state(struct model *to, const struct model *from, bool has_positions)
{
	struct carry c = {
		.to = to,
		.from = from,
		.has_positions = has_positions,
		.process = mem_array(from->processes.count + 1, sizeof(uint32_t)),
		.task = mem_array(from->tasks.count + 1, sizeof(uint32_t)),
		.table = mem_array(from->tables.count + 1, sizeof(uint32_t)),
		.fs = mem_array(from->fss.count + 1, sizeof(uint32_t)),
		.open = mem_array(from->opens.count + 1, sizeof(uint32_t)),
		.description = mem_array(from->descriptions.count + 1, sizeof(uint32_t)),
	};

	carry_times(&c);
	carry_processes(&c, false);
	carry_processes(&c, true);
	carry_tasks(&c, false);
	carry_tasks(&c, true);
	carry_forks(&c);
	carry_attached(&c);
	release_opens(&c);
	free(c.process);
	free(c.task);
	free(c.table);
	free(c.fs);
	free(c.open);
	free(c.description);
}
