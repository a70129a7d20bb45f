/*
 * location: the locations and location groups of the archive. See location.h and state.h.
 *
 * A thread becomes a location, and its process a location group, with its first io_event. Readers open up to two files for each
 * location, and most users may open 1024. So there are 480 locations unless more threads are alive at a time. Beyond a limit,
 * locations are shared: a new thread takes over the location of a thread that has ended, of the same name if possible. New
 * processes are then members of one group, the shared group. Time must not decrease on a location, so a thread only gets a
 * location that was free before its first event.
 *
 * Shared locations and groups have no PROGRAM_BEGIN, THREAD_BEGIN and ends. In the shared group, a handle lives as long as any
 * descriptor of any member leads to it, because a reader takes all members for one process. Handles that a member inherited from
 * outside are never destroyed there. All children of members are members.
 */
#include "location.h"

#include "out/outbox.h"

static void emit(struct model *m, enum io_event_kind kind, thread_id location, uint64_t time)
{
	struct io_event event = {.kind = kind, .thread = location, .time = time, .handle = ID_NONE};

	event.program.exit_status = -1;
	out_emit(m, &event, ID_NONE, ID_NONE);
}

static bool is_full(const struct model *m)
{
	return m->trace.threads >= m->location_limit;
}

process_id group_add(struct model *m, const struct trace_process *group)
{
	MEM_GROW(m->trace.process, m->trace.processes_cap, m->trace.processes + 1);
	m->trace.process[m->trace.processes] = *group;
	return m->trace.processes++;
}

/* With --path, a location is defined only when a record passes the filter. */
static bool is_filtered(const struct model *m, uint32_t selection)
{
	return m->selection[selection].names != NULL;
}

static process_id group_new(struct model *m, const struct trace_process *group)
{
	process_id id = group_add(m, group);

	m->trace.process[id].is_excluded = is_filtered(m, group->selection);
	return id;
}

static process_id shared_group_join(struct model *m)
{
	static const char name[] = "shared locations";

	if (m->shared_group == ID_NONE)
		m->shared_group = group_new(
			m, &(struct trace_process){.kind = TRACE_SHARED_GROUP,
						   .parent = ID_NONE,
						   .name = model_string(m, name, sizeof(name) - 1),
						   .begin = m->now,
						   .status = -1});
	m->trace.process[m->shared_group].sharing++;
	return m->shared_group;
}

process_id process_group(struct model *m, uint32_t process)
{
	struct process *p = &m->process[process];
	const struct fs *fs = &m->fs[p->fs];

	if (p->group != ID_NONE)
		return p->group;
	p->group = is_full(m) ? shared_group_join(m)
			      : group_new(m, &(struct trace_process){.pid = p->pid,
								     .parent = p->parent,
								     .name = p->name,
								     .rank = p->rank,
								     .selection = p->selection,
								     .argv = p->argv,
								     .is_argv_cut = p->is_argv_cut,
								     .root = fs->root,
								     .mount_namespace =
									     fs->mount_namespace,
								     .begin = p->begin,
								     .status = -1});
	return p->group;
}

thread_id location_add(struct model *m, const struct trace_thread *location)
{
	MEM_GROW(m->trace.thread, m->trace.threads_cap, m->trace.threads + 1);
	m->trace.thread[m->trace.threads] = *location;
	return m->trace.threads++;
}

static thread_id thread_new(struct model *m, const struct trace_thread *thread)
{
	thread_id id = location_add(m, thread);

	m->trace.thread[id].is_excluded = is_filtered(m, thread->selection);
	if (!m->trace.thread[id].is_excluded)
		m->trace.process[thread->process].is_excluded = false;
	return id;
}

/* Returns 0 if the thread cannot have the location, 1 if it can, and 2 if the location also has the same name. */
static int fits(const struct model *m, const struct shared_location *shared,
		const struct trace_thread *wanted)
{
	const struct trace_thread *thread = &m->trace.thread[shared->location];

	if (shared->is_taken || shared->last > wanted->begin ||
	    thread->process != wanted->process || thread->selection != wanted->selection)
		return 0;
	return thread->name == wanted->name ? 2 : 1;
}

/* Returns a free shared location, or ID_NONE: one of the same name, or, if there are many already, any. */
static uint32_t shared_find(const struct model *m, const struct trace_thread *wanted)
{
	uint32_t any = ID_NONE;

	for (uint32_t i = 0; i < m->shareds; i++) {
		int fit = fits(m, &m->shared[i], wanted);

		if (fit == 2)
			return i;
		if (fit)
			any = i;
	}
	return m->shareds < SHARED_LIMIT ? ID_NONE : any;
}

static void share(struct model *m, uint32_t task, process_id group, uint64_t time)
{
	struct task *t = &m->task[task];
	str_id name = t->name ? t->name : m->process[t->process].name;
	const struct trace_thread wanted = {.process = group,
					    .name = name,
					    .begin = time,
					    .selection = m->process[t->process].selection};
	uint32_t shared = shared_find(m, &wanted);

	if (shared == ID_NONE) {
		MEM_GROW(m->shared, m->shared_cap, m->shareds + 1);
		shared = m->shareds++;
		m->shared[shared].location = thread_new(m, &wanted);
	} else {
		tally_add(m->tally, threads_sharing, 1);
	}
	m->shared[shared].is_taken = true;
	m->shared[shared].since = time;
	t->shared = shared;
	t->location = m->shared[shared].location;
	m->trace.thread[t->location].sharing++;
	if (m->trace.thread[t->location].name != name)
		m->trace.thread[t->location].name = model_string(m, "others", 6);
}

/* Records of a call in flight come later, with the time of its begin. */
static uint64_t earliest(const struct task *task, uint64_t time)
{
	return task->call.id != CALL_ID_NONE && task->call.enter < time ? task->call.enter : time;
}

thread_id location_new(struct model *m, uint32_t task, uint64_t time)
{
	process_id group = process_group(m, m->task[task].process);
	struct task *t = &m->task[task];
	struct process *p = &m->process[t->process];
	bool is_leader = t->tid == p->pid && group != m->shared_group;

	/* The location belongs to an earlier program: the thread that ran exec got this tid. */
	if (is_leader && p->leader != ID_NONE) {
		t->location = p->leader;
		return t->location;
	}
	if (group == m->shared_group || (is_full(m) && !is_leader)) {
		share(m, task, group, earliest(t, time));
		return t->location;
	}
	t->location = thread_new(m, &(struct trace_thread){.tid = t->tid,
							   .process = group,
							   .name = t->name ? t->name : p->name,
							   .begin = t->begin,
							   .selection = p->selection});
	if (is_leader)
		p->leader = t->location;
	if (t->begin)
		emit(m, is_leader ? IO_PROGRAM_BEGIN : IO_THREAD_BEGIN, t->location, t->begin);
	return t->location;
}

/* The next thread has the shared location from now on. */
static void shared_leave(struct model *m, struct task *t)
{
	struct shared_location *shared = &m->shared[t->shared];
	struct trace_thread *thread = &m->trace.thread[shared->location];

	shared->is_taken = false;
	shared->last = m->now;
	thread->end = m->now;
	thread->lived += m->now > shared->since ? m->now - shared->since : 0;
	t->shared = t->location = ID_NONE;
}

void location_rename(struct model *m, uint32_t task, str_id name)
{
	struct task *t = &m->task[task];

	if (t->shared != ID_NONE && name != t->name)
		shared_leave(m, t);
	t->name = name;
	if (t->location != ID_NONE && t->shared == ID_NONE)
		m->trace.thread[t->location].name = name;
}

void location_end(struct model *m, thread_id location)
{
	m->trace.thread[location].is_ending = false;
	emit(m, IO_THREAD_END, location, m->now);
}

void location_leave(struct model *m, uint32_t task, bool is_busy)
{
	struct task *t = &m->task[task];

	if (t->shared != ID_NONE) {
		shared_leave(m, t);
		return;
	}
	if (t->location == ID_NONE)
		return;
	m->trace.thread[t->location].end = m->now;
	if (t->location == m->process[t->process].leader || !t->begin)
		return;
	if (is_busy)
		m->trace.thread[t->location].is_ending = true;
	else
		location_end(m, t->location);
}

void location_end_program(struct model *m, thread_id location, uint64_t time, int32_t status)
{
	struct io_event event = {.kind = IO_PROGRAM_END,
				 .thread = location,
				 .time = time,
				 .handle = ID_NONE};

	event.program.exit_status = status;
	out_emit(m, &event, ID_NONE, ID_NONE);
}

bool location_is_in_shared_group(const struct model *m, uint32_t process)
{
	process_id group = m->process[process].group;

	return group == ID_NONE ? is_full(m) : group == m->shared_group;
}

uint64_t *location_totals(struct model *m, uint32_t task, uint64_t *own)
{
	uint32_t shared = m->task[task].shared;

	return shared == ID_NONE ? own : m->shared[shared].total;
}

bool location_may_close(const struct model *m, uint32_t process)
{
	const struct process *p = &m->process[process];

	return p->group != ID_NONE || (m->shared_group != ID_NONE && p->parent == m->shared_group);
}

bool location_keeps(struct model *m, uint32_t process, uint32_t open)
{
	struct open *o = &m->open[open];

	if (!location_is_in_shared_group(m, process))
		return false;
	if (o->slots || o->is_gone || (o->creator != ID_NONE && o->creator != m->shared_group))
		return true;
	o->is_gone = true;
	return false;
}
