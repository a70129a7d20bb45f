#include "task.h"

#include "choice.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "fd/position.h"
#include "location.h"

uint32_t task_find(const struct model *m, uint32_t tid)
{
	return map_get(&m->task_by_tid, tid);
}

uint32_t process_find(const struct model *m, uint32_t pid)
{
	return map_get(&m->process_by_pid, pid);
}

/* Without BPF, a look-up finds the user of a process. Until then, nothing of it is recorded. */
static bool is_of_unknown_user(const struct model *m)
{
	return m->choice.has_users && m->trace.host.source != TRACE_SOURCE_BPF;
}

uint32_t process_new(struct model *m, uint32_t pid)
{
	uint32_t id = pool_take(&m->processes, &m->process, sizeof(*m->process));

	m->process[id] = (struct process){.pid = pid,
					  .parent = ID_NONE,
					  .table = ID_NONE,
					  .status = -1,
					  .group = ID_NONE,
					  .leader = ID_NONE,
					  .is_excluded = is_of_unknown_user(m),
					  .fs = fs_new(m)};
	map_set(&m->process_by_pid, pid, id);
	m->trace.host.processes_seen++;
	return id;
}

uint32_t process_table(const struct model *m, uint32_t process)
{
	uint32_t leader = task_find(m, m->process[process].pid);

	return leader != MAP_NONE && m->task[leader].process == process ? task_table(m, leader)
									: m->process[process].table;
}

uint32_t process_get(struct model *m, uint32_t pid)
{
	uint32_t id = process_find(m, pid);

	if (id != MAP_NONE)
		return id;
	id = process_new(m, pid);
	uint32_t table = table_new(m);

	m->process[id].table = table;
	return id;
}

uint32_t task_new(struct model *m, uint32_t process, uint32_t tid)
{
	uint32_t id = pool_take(&m->tasks, &m->task, sizeof(*m->task));

	m->task[id] = (struct task){.tid = tid,
				    .process = process,
				    .location = ID_NONE,
				    .table = ID_NONE,
				    .shared = ID_NONE,
				    .forked = ID_NONE,
				    .forked_thread = ID_NONE};
	m->task[id].call.id = CALL_ID_NONE;
	m->process[process].tasks++;
	map_set(&m->task_by_tid, tid, id);
	m->trace.host.threads_seen++;
	return id;
}

uint32_t task_seek(struct model *m, uint32_t pid, uint32_t tid)
{
	uint32_t id = task_find(m, tid);

	if (id == MAP_NONE || m->process[m->task[id].process].pid != pid)
		id = task_new(m, process_get(m, pid), tid);
	m->task_near[tid % TASKS_NEAR] = id;
	return id;
}

/* Returns the group of this process alone, or NULL. */
static struct trace_process *own_group(struct model *m, uint32_t process)
{
	process_id group = m->process[process].group;

	return group == ID_NONE || group == m->shared_group ? NULL : &m->trace.process[group];
}

static void name_set(struct model *m, uint32_t process, str_id name)
{
	struct trace_process *group = own_group(m, process);

	m->process[process].name = name;
	if (group)
		group->name = name;
}

void task_rename(struct model *m, uint32_t task, str_id name)
{
	uint32_t process = m->task[task].process;

	location_rename(m, task, name);
	if (name && !choice_wants_comm(m, process, name))
		position_share_table(m, task_table(m, task));
	if (m->task[task].tid == m->process[process].pid)
		name_set(m, process, name);
}
