/*
 * verify_io: handles are active when they are used, operations begin, are issued and end.
 *
 * Handles belong to a location group, and a process inherits those of the one that created it: a
 * handle that was not touched in a group yet is what it was in the groups it comes from. Events of
 * different locations with the same time have no order, so a use just before an activation at the
 * same time is fine. A group of shared locations stands for many processes, so it inherits from any process, and shares with any.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>

enum {
	ANCESTORS_MOST = 1000, /* a chain of parents may be a ring in a broken archive */
	ID_WORDS_MOST =
		1 << 26, /* matchingIds up to 2^32 are checked to be unique in the archive */
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
	uint32_t index = verify_index(v, KIND_HANDLE, handle);

	return index != NONE && v->handle_flags[index] & flag;
}

static bool was_active_anywhere(const struct verify *v, uint32_t handle)
{
	for (uint64_t i = 0; i < v->defined[KIND_GROUP].count; i++) {
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
 * A process that shares its table of descriptors with its child (CLONE_FILES) uses what the child
 * opened. Its own life of that handle begins with the first such use.
 */
static bool is_shared(struct verify *v, uint32_t ancestor, uint32_t handle, uint64_t time)
{
	if (activity_find(v, ancestor, handle))
		return false;
	for (uint64_t i = 0; i < v->defined[KIND_GROUP].count; i++) {
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
		verify_found(v,
			     "IoHandle %u is used in LocationGroup %u at %" PRIu64
			     ", but is not active there",
			     v->early.handle, v->early.group, v->early.time);
	v->has_early = false;
}

static void use(struct verify *v, const struct verify_location *state, uint32_t handle,
		uint64_t time, const char *what)
{
	if (!state || !verify_ref(v, KIND_HANDLE, handle, what, state->ref))
		return;
	if (is_active(v, state->group, handle, time) || is_shared(v, state->group, handle, time))
		return;
	inactive(v);
	v->early = (struct early_use){time, state->group, handle};
	v->has_early = true;
}

static void activate(struct verify *v, const struct verify_location *state, uint32_t handle,
		     uint64_t time, const char *what)
{
	if (!state || !verify_ref(v, KIND_HANDLE, handle, what, state->ref))
		return;
	if (has_flag(v, handle, OTF2_IO_HANDLE_FLAG_ALL_PROXY))
		verify_found(v, "IoHandle %u stands for all handles, but is created", handle);
	struct activity *activity = activity_get(v, state->group, handle);

	if (activity->is_active)
		verify_found(v,
			     "IoHandle %u is created in LocationGroup %u at %" PRIu64
			     ", but is active there",
			     handle, state->group, time);
	*activity = (struct activity){true, true, time};
	if (v->has_early && v->early.handle == handle && v->early.group == state->group &&
	    v->early.time == time)
		v->has_early = false;
}

/*
 * All events but those that this file is for come this way, too: the early use of another time is
 * one.
 */
static struct verify_location *event(struct verify *v, uint64_t location, uint64_t time,
				     OTF2_AttributeList *attributes)
{
	struct verify_location *state = verify_event(v, location, time, attributes);

	if (v->has_early && v->early.time != time)
		inactive(v);
	if (state && state->type != OTF2_LOCATION_TYPE_CPU_THREAD)
		verify_deviates(v, "there is I/O on location %" PRIu64 ", which is not a thread",
				location);
	return state;
}

static OTF2_CallbackCode on_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				   OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
				   OTF2_IoStatusFlag status)
{
	struct verify *v = data;

	(void)mode;
	(void)creation;
	(void)status;
	v->report->created++;
	activate(v, event(v, location, time, attributes), handle, time, "IoCreateHandle");
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_destroy(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle)
{
	struct verify *v = data;
	struct verify_location *state = event(v, location, time, attributes);

	v->report->destroyed++;
	if (!state || !verify_ref(v, KIND_HANDLE, handle, "IoDestroyHandle", location))
		return OTF2_CALLBACK_SUCCESS;
	const struct activity *activity = activity_find(v, state->group, handle);

	/* Twice at the same time is twice. */
	if (activity && !activity->is_active)
		verify_found(v,
			     "IoHandle %u is destroyed in LocationGroup %u at %" PRIu64
			     ", but is not active there",
			     handle, state->group, time);
	else
		use(v, state, handle, time, "IoDestroyHandle");
	*activity_get(v, state->group, handle) = (struct activity){false, true, time};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_duplicate(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_IoHandleRef old,
				      OTF2_IoHandleRef new, OTF2_IoStatusFlag status)
{
	struct verify *v = data;
	struct verify_location *state = event(v, location, time, attributes);

	(void)status;
	v->report->duplicated++;
	use(v, state, old, time, "IoDuplicateHandle");
	activate(v, state, new, time, "IoDuplicateHandle");
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_seek(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				 int64_t request, OTF2_IoSeekOption whence, uint64_t result)
{
	(void)request;
	(void)whence;
	(void)result;
	use(data, event(data, location, time, attributes), handle, time, "IoSeek");
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_flags(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				  OTF2_IoStatusFlag status)
{
	(void)status;
	use(data, event(data, location, time, attributes), handle, time, "IoChangeStatusFlags");
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_delete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoParadigmRef paradigm,
				   OTF2_IoFileRef file)
{
	event(data, location, time, attributes);
	verify_ref(data, KIND_PARADIGM, paradigm, "IoDeleteFile", location);
	verify_ref(data, KIND_FILE, file, "IoDeleteFile", location);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				 OTF2_LockType type)
{
	(void)type;
	use(data, event(data, location, time, attributes), handle, time, "a lock");
	return OTF2_CALLBACK_SUCCESS;
}

/* Returns whether no operation of the archive had the id. Of ids beyond what is kept this is not known. */
static bool is_new_id(struct verify *v, uint64_t id)
{
	uint64_t word = id / 64, bit = UINT64_C(1) << id % 64;

	if (word >= ID_WORDS_MOST || word > v->report->events)
		return true;
	MEM_GROW(v->id_seen, v->id_words, (uint32_t)word + 1);
	bool is_new = !(v->id_seen[word] & bit);

	v->id_seen[word] |= bit;
	return is_new;
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				  OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
				  uint64_t bytes, uint64_t id)
{
	struct verify *v = data;
	struct verify_location *state = event(v, location, time, attributes);
	uint64_t key = verify_pair(handle, id);
	uint32_t index;

	(void)mode;
	(void)bytes;
	v->report->begun++;
	use(v, state, handle, time, "IoOperationBegin");
	if (map_get(&v->operation_of, key) != MAP_NONE) {
		verify_found(v,
			     "operation %" PRIu64 " begins twice, on location %" PRIu64
			     " at %" PRIu64,
			     id, location, time);
		return OTF2_CALLBACK_SUCCESS;
	}
	if (v->is_of_iotrace && !is_new_id(v, id))
		verify_deviates(v,
				"operation %" PRIu64 " on location %" PRIu64 " at %" PRIu64
				" has the id of an earlier one",
				id, location, time);
	if (v->free_operations) {
		index = v->free_operation[--v->free_operations];
	} else {
		index = v->operations++;
		MEM_GROW(v->operation, v->operation_capacity, v->operations);
	}
	v->operation[index] =
		(struct operation){.id = id,
				   .location = location,
				   .is_in_flight = true,
				   .is_non_blocking = flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING};
	map_set(&v->operation_of, key, index);
	return OTF2_CALLBACK_SUCCESS;
}

/* Returns the operation in flight, or NULL. */
static struct operation *in_flight(struct verify *v, uint64_t location, uint64_t time,
				   uint32_t handle, uint64_t id, const char *what)
{
	uint32_t index = map_get(&v->operation_of, verify_pair(handle, id));

	if (index == MAP_NONE) {
		verify_found(v,
			     "operation %" PRIu64 " %s on location %" PRIu64 " at %" PRIu64
			     ", but is not in flight",
			     id, what, location, time);
		return NULL;
	}
	struct operation *operation = &v->operation[index];

	if (operation->location != location)
		verify_deviates(v,
				"operation %" PRIu64 " %s on location %" PRIu64 " at %" PRIu64
				", but did not begin there",
				id, what, location, time);
	return operation;
}

static OTF2_CallbackCode on_issued(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				   uint64_t id)
{
	struct verify *v = data;

	event(v, location, time, attributes);
	struct operation *operation = in_flight(v, location, time, handle, id, "is issued");

	if (!operation)
		return OTF2_CALLBACK_SUCCESS;
	if (!operation->is_non_blocking || operation->is_issued)
		verify_found(v, "operation %" PRIu64 " is issued %s", id,
			     operation->is_issued ? "twice" : "but is blocking");
	operation->is_issued = true;
	return OTF2_CALLBACK_SUCCESS;
}

static void end(struct verify *v, uint64_t location, uint64_t time, uint32_t handle, uint64_t id,
		const char *what, bool must_be_issued)
{
	struct operation *operation = in_flight(v, location, time, handle, id, what);

	if (!operation)
		return;
	if (operation->is_non_blocking && !operation->is_issued && must_be_issued)
		verify_deviates(v, "operation %" PRIu64 " %s, but was not issued", id, what);
	operation->is_in_flight = false;
	uint32_t index = map_remove(&v->operation_of, verify_pair(handle, id));

	MEM_GROW(v->free_operation, v->free_operation_capacity, v->free_operations + 1);
	v->free_operation[v->free_operations++] = index;
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				     OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				     uint64_t bytes, uint64_t id)
{
	struct verify *v = data;

	(void)bytes;
	v->report->completed++;
	event(v, location, time, attributes);
	end(v, location, time, handle, id, "completes", true);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				      uint64_t id)
{
	struct verify *v = data;

	v->report->cancelled++;
	event(v, location, time, attributes);
	/* A request that waited when the recording ended. */
	end(v, location, time, handle, id, "is cancelled", false);
	return OTF2_CALLBACK_SUCCESS;
}

void verify_register_io(OTF2_GlobalEvtReaderCallbacks *c)
{
	OTF2_GlobalEvtReaderCallbacks_SetIoCreateHandleCallback(c, on_create);
	OTF2_GlobalEvtReaderCallbacks_SetIoDestroyHandleCallback(c, on_destroy);
	OTF2_GlobalEvtReaderCallbacks_SetIoDuplicateHandleCallback(c, on_duplicate);
	OTF2_GlobalEvtReaderCallbacks_SetIoSeekCallback(c, on_seek);
	OTF2_GlobalEvtReaderCallbacks_SetIoChangeStatusFlagsCallback(c, on_flags);
	OTF2_GlobalEvtReaderCallbacks_SetIoDeleteFileCallback(c, on_delete);
	OTF2_GlobalEvtReaderCallbacks_SetIoAcquireLockCallback(c, on_lock);
	OTF2_GlobalEvtReaderCallbacks_SetIoReleaseLockCallback(c, on_lock);
	OTF2_GlobalEvtReaderCallbacks_SetIoTryLockCallback(c, on_lock);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(c, on_begin);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationIssuedCallback(c, on_issued);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(c, on_complete);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationCancelledCallback(c, on_cancelled);
}

void verify_io_end(struct verify *v)
{
	inactive(v);
	for (uint32_t i = 0; i < v->operations; i++)
		if (v->operation[i].is_in_flight)
			verify_found(v, "operation %" PRIu64 " does not end", v->operation[i].id);
}
