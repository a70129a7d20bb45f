/*
 * verify_io: checks that handles are active when they are used, and that operations begin, are issued and end.
 *
 * Handles belong to a location group, and a process inherits those of its creator: a handle that was not yet used in a group has
 * the state that it has in the group's ancestors. Events of different locations with the same time have no order, so a use just
 * before an activation at the same time is accepted. A group of shared locations stands for many processes, so it inherits from
 * any process, and any process inherits from it.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>

enum {
	ANCESTORS_MOST = 1000,   /* limit, because parents may form a cycle in a broken archive */
	ID_WORDS_MOST = 1 << 26, /* matching ids up to 2^32 are checked to be unique */
};

static struct activity *activity_find(const struct verify *v, uint32_t group, uint32_t handle)
{
	uint32_t index = map_get(&v->activity_of, map_key(group, handle));

	return index == MAP_NONE ? NULL : &v->activity[index];
}

static struct activity *activity_get(struct verify *v, uint32_t group, uint32_t handle)
{
	struct activity *activity = activity_find(v, group, handle);

	if (activity)
		return activity;
	MEM_GROW(v->activity, v->activity_capacity, v->activities + 1);
	map_set(&v->activity_of, map_key(group, handle), v->activities);
	return &v->activity[v->activities++];
}

static bool has_flag(const struct verify *v, uint32_t handle, uint32_t flag)
{
	uint32_t id = walk_id(&v->walk, KIND_HANDLE, handle);

	return id != NONE && v->handle_flags[id] & flag;
}

static bool was_active_anywhere(const struct verify *v, uint32_t handle)
{
	for (uint64_t i = 0; i < v->walk.defined[KIND_GROUP].count; i++) {
		const struct activity *activity = activity_find(v, v->group[i].ref, handle);

		if (activity && activity->was_active)
			return true;
	}
	return false;
}

static bool is_active(const struct verify *v, uint32_t group, uint32_t handle, uint64_t time)
{
	const struct activity *activity = activity_find(v, group, handle);
	const struct verify_group *process;

	if (activity)
		return activity->is_active || activity->changed == time;
	if (has_flag(v, handle, OTF2_IO_HANDLE_FLAG_PRE_CREATED | OTF2_IO_HANDLE_FLAG_ALL_PROXY))
		return true;
	process = verify_group(v, group);
	if (process && process->is_shared)
		return was_active_anywhere(v, handle);
	for (int i = 0; i < ANCESTORS_MOST && process; i++) {
		activity = activity_find(v, process->parent, handle);
		if (activity && activity->was_active)
			return true;
		process = verify_group(v, process->parent);
	}
	return false;
}

static bool descends(const struct verify *v, const struct verify_group *process, uint32_t ancestor)
{
	for (int i = 0; i < ANCESTORS_MOST && process; i++) {
		if (process->parent == ancestor)
			return true;
		process = verify_group(v, process->parent);
	}
	return false;
}

/*
 * A process that shares its descriptor table with its child (CLONE_FILES) uses descriptors that the child opened. In the process,
 * such a handle begins with its first use.
 */
static bool is_shared(struct verify *v, uint32_t ancestor, uint32_t handle, uint64_t time)
{
	if (activity_find(v, ancestor, handle))
		return false;
	for (uint64_t i = 0; i < v->walk.defined[KIND_GROUP].count; i++) {
		const struct verify_group *process = &v->group[i];
		const struct activity *activity = activity_find(v, process->ref, handle);

		if (!activity || !activity->is_active ||
		    !(process->is_shared || descends(v, process, ancestor)))
			continue;
		*activity_get(v, ancestor, handle) = (struct activity){true, true, time};
		return true;
	}
	return false;
}

static void inactive(struct verify *v)
{
	if (v->has_early)
		walk_found(&v->walk,
			   "IoHandle %u is used in LocationGroup %u at %" PRIu64
			   ", but is not active there",
			   v->early.handle, v->early.group, v->early.time);
	v->has_early = false;
}

/* Uses a defined handle in a group. */
static void use(struct verify *v, uint32_t group, uint32_t handle, uint64_t time)
{
	if (is_active(v, group, handle, time) || is_shared(v, group, handle, time))
		return;
	inactive(v);
	v->early = (struct early_use){time, group, handle};
	v->has_early = true;
}

static void activate(struct verify *v, uint32_t group, uint32_t handle, uint64_t time)
{
	struct activity *activity;

	if (has_flag(v, handle, OTF2_IO_HANDLE_FLAG_ALL_PROXY))
		walk_found(&v->walk, "IoHandle %u stands for all handles, but is created", handle);
	activity = activity_get(v, group, handle);
	if (activity->is_active)
		walk_found(&v->walk,
			   "IoHandle %u is created in LocationGroup %u at %" PRIu64
			   ", but is active there",
			   handle, group, time);
	*activity = (struct activity){true, true, time};
	if (v->has_early && v->early.handle == handle && v->early.group == group &&
	    v->early.time == time)
		v->has_early = false;
}

static void destroy(struct verify *v, uint32_t group, uint32_t handle, uint64_t time)
{
	const struct activity *activity = activity_find(v, group, handle);

	/* Two activations at the same time count as two. */
	if (activity && !activity->is_active)
		walk_found(&v->walk,
			   "IoHandle %u is destroyed in LocationGroup %u at %" PRIu64
			   ", but is not active there",
			   handle, group, time);
	else
		use(v, group, handle, time);
	*activity_get(v, group, handle) = (struct activity){false, true, time};
}

/* Returns whether no earlier operation had this id. Ids beyond the limit count as new. */
static bool is_new_id(struct verify *v, uint64_t id)
{
	uint64_t word = id / 64, bit = UINT64_C(1) << id % 64;
	bool is_new;

	if (word >= ID_WORDS_MOST || word > v->report->events)
		return true;
	MEM_GROW(v->id_seen, v->id_words, (uint32_t)word + 1);
	is_new = !(v->id_seen[word] & bit);
	v->id_seen[word] |= bit;
	return is_new;
}

static uint64_t ref_of(const struct verify *v, const struct walk_event *event)
{
	return v->walk.location[event->location].ref;
}

static void begin(struct verify *v, const struct walk_event *event)
{
	uint64_t id = event->operation->id;

	if (event->is_again)
		walk_found(&v->walk,
			   "operation %" PRIu64 " begins twice, on location %" PRIu64
			   " at %" PRIu64,
			   id, ref_of(v, event), event->time);
	else if (v->walk.is_of_iotrace && !is_new_id(v, id))
		walk_deviates(&v->walk,
			      "operation %" PRIu64 " on location %" PRIu64 " at %" PRIu64
			      " has the id of an earlier one",
			      id, ref_of(v, event), event->time);
}

static void go_on(struct verify *v, const struct walk_event *event, const char *what)
{
	const struct record *record = event->record;
	const struct operation *op = event->operation;
	uint64_t id = record->value[record->values - 1].is;

	if (!op) {
		walk_found(&v->walk,
			   "operation %" PRIu64 " %s on location %" PRIu64 " at %" PRIu64
			   ", but is not in flight",
			   id, what, ref_of(v, event), event->time);
		return;
	}
	if (op->location != event->location)
		walk_deviates(&v->walk,
			      "operation %" PRIu64 " %s on location %" PRIu64 " at %" PRIu64
			      ", but did not begin there",
			      id, what, ref_of(v, event), event->time);
	if (record->type == EVENT_IO_ISSUED && (!op->is_non_blocking || op->is_issued))
		walk_found(&v->walk, "operation %" PRIu64 " is issued %s", id,
			   op->is_issued ? "twice" : "but is blocking");
	/* A request that was not issued when the recording ended is cancelled. */
	if (record->type == EVENT_IO_COMPLETE && op->is_non_blocking && !op->is_issued)
		walk_deviates(&v->walk, "operation %" PRIu64 " %s, but was not issued", id, what);
}

static void operate(struct verify *v, const struct walk_event *event)
{
	if (event->record->type == EVENT_IO_BEGIN)
		begin(v, event);
	else if (event->record->type == EVENT_IO_ISSUED)
		go_on(v, event, "is issued");
	else if (event->record->type == EVENT_IO_COMPLETE)
		go_on(v, event, "completes");
	else if (event->record->type == EVENT_IO_CANCELLED)
		go_on(v, event, "is cancelled");
}

static void count(struct archive_report *report, uint8_t type)
{
	report->created += type == EVENT_IO_CREATE_HANDLE;
	report->destroyed += type == EVENT_IO_DESTROY_HANDLE;
	report->duplicated += type == EVENT_IO_DUPLICATE_HANDLE;
	report->begun += type == EVENT_IO_BEGIN;
	report->completed += type == EVENT_IO_COMPLETE;
	report->cancelled += type == EVENT_IO_CANCELLED;
}

/* Whether the handle of such a record must be active. */
static bool uses(uint8_t type)
{
	return type != EVENT_IO_DELETE_FILE && type != EVENT_IO_ISSUED &&
	       type != EVENT_IO_COMPLETE && type != EVENT_IO_CANCELLED;
}

void verify_io(struct verify *v, const struct walk_event *event)
{
	const struct verify_location *state = &v->location[event->location];
	const struct value *is = event->record->value;
	uint8_t type = event->record->type;
	uint32_t handle;

	if (type < EVENT_IO_CREATE_HANDLE || type > EVENT_IO_TRY_LOCK || type == EVENT_IO_TEST)
		return;
	count(v->report, type);
	if (v->has_early && v->early.time != event->time)
		inactive(v);
	if (state->type != OTF2_LOCATION_TYPE_CPU_THREAD)
		walk_deviates(&v->walk,
			      "there is I/O on location %" PRIu64 ", which is not a thread",
			      ref_of(v, event));
	handle = (uint32_t)is[0].is;
	if (uses(type) && walk_id(&v->walk, KIND_HANDLE, handle) != NONE) {
		if (type == EVENT_IO_CREATE_HANDLE)
			activate(v, state->group, handle, event->time);
		else if (type == EVENT_IO_DESTROY_HANDLE)
			destroy(v, state->group, handle, event->time);
		else
			use(v, state->group, handle, event->time);
	}
	if (type == EVENT_IO_DUPLICATE_HANDLE && walk_id_of(&v->walk, &is[1]) != NONE)
		activate(v, state->group, (uint32_t)is[1].is, event->time);
	operate(v, event);
}

void verify_io_end(struct verify *v)
{
	inactive(v);
	for (uint32_t i = 0; i < v->walk.operations; i++)
		if (v->walk.operation[i].is_in_flight)
			walk_found(&v->walk, "operation %" PRIu64 " does not end",
				   v->walk.operation[i].id);
}
