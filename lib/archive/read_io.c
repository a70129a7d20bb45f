/*
 * read_io: handles, operations and locks.
 *
 * OTF2 wants matching ids to be unique among the operations of a handle that are in flight, and only that: each operation gets
 * an id of its own. In our archives the ids are unique already, and stay.
 */
#include "reader.h"

#include <fcntl.h>
#include <iotrace/mem.h>
#include <string.h>
#include <unistd.h>

static enum io_mode mode_of(OTF2_IoOperationMode mode)
{
	return mode == OTF2_IO_OPERATION_MODE_READ    ? IO_MODE_READ
	       : mode == OTF2_IO_OPERATION_MODE_WRITE ? IO_MODE_WRITE
						      : IO_MODE_FLUSH;
}

static struct read_op *op_new(struct reader *r, OTF2_IoHandleRef handle, uint64_t matching)
{
	uint32_t index = r->free_op;

	if (index == ID_NONE || !r->op) {
		index = r->ops++;
		if (!r->op || r->ops > r->op_capacity)
			r->op = mem_grow(r->op, &r->op_capacity, r->ops, sizeof(*r->op));
	} else {
		r->free_op = r->op[index].next_free;
	}
	r->op[index] = (struct read_op){.id = r->is_ours ? matching : r->next_op++};
	map_set(&r->op_of, verify_pair(handle, matching), index);
	return &r->op[index];
}

/* Returns the operation, or NULL: its begin was not there. */
static struct read_op *op_find(struct reader *r, OTF2_IoHandleRef handle, uint64_t matching)
{
	uint32_t index = map_get(&r->op_of, verify_pair(handle, matching));

	return index == MAP_NONE ? NULL : &r->op[index];
}

static void op_end(struct reader *r, OTF2_IoHandleRef handle, uint64_t matching)
{
	uint32_t index = map_remove(&r->op_of, verify_pair(handle, matching));

	r->op[index].next_free = r->free_op;
	r->free_op = index;
}

static OTF2_CallbackCode on_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				   OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
				   OTF2_IoStatusFlag status)
{
	struct io_event event = {.kind = IO_CREATE_HANDLE,
				 .handle = read_handle(data, location, handle),
				 .create.flags = read_open_flags(mode, creation, status)};

	if (event.handle != ID_NONE)
		read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_destroy(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle)
{
	struct io_event event = {.kind = IO_DESTROY_HANDLE,
				 .handle = read_handle(data, location, handle)};

	if (event.handle != ID_NONE)
		read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_duplicate(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_IoHandleRef old,
				      OTF2_IoHandleRef new, OTF2_IoStatusFlag status)
{
	struct io_event event = {.kind = IO_DUPLICATE_HANDLE,
				 .handle = read_handle(data, location, old),
				 .duplicate = {read_handle(data, location, new),
					       read_open_flags(OTF2_IO_ACCESS_MODE_READ_ONLY, 0,
							       status)}};

	if (event.handle != ID_NONE && event.duplicate.new_handle != ID_NONE)
		read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_seek(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				 int64_t request, OTF2_IoSeekOption option, uint64_t result)
{
	static const uint32_t whence[] = {
		[OTF2_IO_SEEK_FROM_START] = SEEK_SET, [OTF2_IO_SEEK_FROM_CURRENT] = SEEK_CUR,
		[OTF2_IO_SEEK_FROM_END] = SEEK_END,   [OTF2_IO_SEEK_DATA] = SEEK_DATA,
		[OTF2_IO_SEEK_HOLE] = SEEK_HOLE,
	};
	struct io_event event = {.kind = IO_SEEK,
				 .handle = read_handle(data, location, handle),
				 .seek = {request, result,
					  option < sizeof(whence) / sizeof(*whence) ? whence[option]
										    : UINT32_MAX}};

	if (event.handle != ID_NONE)
		read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_status_flags(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
					 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
					 OTF2_IoStatusFlag status)
{
	struct io_event event = {.kind = IO_CHANGE_STATUS_FLAGS,
				 .handle = read_handle(data, location, handle),
				 .create.flags = read_open_flags(OTF2_IO_ACCESS_MODE_READ_ONLY, 0,
								 status)};

	if (event.handle != ID_NONE)
		read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_delete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoParadigmRef paradigm,
				   OTF2_IoFileRef ref)
{
	struct reader *r = data;
	uint32_t file = read_id(r, READ_OF_FILE, ref);
	struct io_event event = {.kind = IO_DELETE_FILE,
				 .handle = ID_NONE,
				 .delete_file.file = file};

	(void)paradigm;
	if (file == MAP_NONE)
		tally_add(r->source->tally, ignored, 1);
	else
		read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

/* The letters of a block request say more than OTF2's mode does. */
static enum request_kind type_of(const struct reader *r, const struct io_event *event)
{
	const struct strtab *strings = r->trace->strings;
	struct request request = {.rwbs = {strtab_text(strings, event->op.rwbs),
					   strtab_length(strings, event->op.rwbs)},
				  .sector = event->op.offset,
				  .sectors = event->op.bytes != 0};

	if (event->op.rwbs)
		return request_kind(&request);
	return event->op.mode == IO_MODE_READ    ? REQUEST_READ
	       : event->op.mode == IO_MODE_WRITE ? REQUEST_WRITE
						 : REQUEST_FLUSH;
}

static uint32_t cgroup_of(struct reader *r, str_id name)
{
	struct trace *trace = r->trace;
	uint32_t id = map_get(&r->cgroup_of, name);

	if (id != MAP_NONE)
		return id;
	MEM_GROW(trace->cgroup, trace->cgroups_cap, trace->cgroups + 1);
	trace->cgroup[trace->cgroups] =
		(struct trace_cgroup){.name = name, .is_known = *trace_text(trace, name) == '/'};
	map_set(&r->cgroup_of, name, trace->cgroups);
	return trace->cgroups++;
}

static str_id string_attribute(const struct reader *r, OTF2_AttributeList *list,
			       enum read_attribute id)
{
	OTF2_AttributeValue value;

	return read_attribute(r, list, id, OTF2_TYPE_STRING, &value)
		       ? read_string(r, value.stringRef)
		       : 0;
}

static void read_request(struct reader *r, OTF2_AttributeList *list, struct io_event *event)
{
	OTF2_AttributeValue value;
	str_id cgroup = string_attribute(r, list, READ_BLOCK_CGROUP);

	if (read_attribute(r, list, READ_BLOCK_PROCESS, OTF2_TYPE_UINT64, &value))
		event->op.pid = (uint32_t)value.uint64;
	event->op.name = string_attribute(r, list, READ_BLOCK_COMMAND);
	event->op.rwbs = string_attribute(r, list, READ_BLOCK_RWBS);
	event->op.type = type_of(r, event);
	if (cgroup)
		event->op.cgroup = cgroup_of(r, cgroup);
	event->op.file = read_file(r, list);
}

static bool is_block(const struct reader *r, handle_id handle)
{
	return r->trace->handle[handle].is_block;
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_IoHandleRef ref,
				  OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
				  uint64_t bytes, uint64_t matching)
{
	struct reader *r = data;
	handle_id handle = read_handle(r, location, ref);
	struct io_event event = {.kind = IO_OP_BEGIN,
				 .handle = handle,
				 .op = {.bytes = bytes,
					.offset = IO_OFFSET_UNKNOWN,
					.mode = mode_of(mode),
					.is_non_blocking = flags &
							   OTF2_IO_OPERATION_FLAG_NON_BLOCKING,
					.file = ID_NONE,
					.cgroup = ID_NONE}};
	OTF2_AttributeValue value;
	struct read_op *op;

	if (handle == ID_NONE)
		return OTF2_CALLBACK_SUCCESS;
	if (event.op.mode == IO_MODE_FLUSH && !bytes)
		event.op.bytes = IO_BYTES_UNDEFINED;
	event.op.is_collective_proxy = r->trace->handle[handle].is_all_proxy;
	if (read_attribute(r, attributes, READ_OFFSET, OTF2_TYPE_UINT64, &value))
		event.op.offset = value.uint64;
	if (is_block(r, handle))
		read_request(r, attributes, &event);
	else
		event.op.name = string_attribute(r, attributes, READ_BY);
	op = op_find(r, ref, matching);
	if (!op)
		op = op_new(r, ref, matching);
	event.op.id = op->id;
	op->mode = event.op.mode;
	op->is_non_blocking = event.op.is_non_blocking;
	op->type = event.op.type;
	op->begun = read_time(r, time);
	tally_add(r->source->tally, begun, !r->is_ours);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

/* Fills in what the begin said. Returns whether there was one. */
static bool resume(struct reader *r, OTF2_LocationRef location, OTF2_IoHandleRef ref,
		   uint64_t matching, struct io_event *event)
{
	const struct read_op *op = op_find(r, ref, matching);

	event->handle = read_handle(r, location, ref);
	if (event->handle == ID_NONE)
		return false;
	if (!op) {
		tally_add(r->source->tally, ignored, 1);
		return false;
	}
	event->op.id = op->id;
	event->op.mode = op->mode;
	event->op.type = op->type;
	event->op.is_non_blocking = op->is_non_blocking;
	event->op.begun = op->begun;
	event->op.issued = op->issued;
	event->op.cgroup = event->op.file = ID_NONE;
	return true;
}

static OTF2_CallbackCode on_issued(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				   uint64_t matching)
{
	struct io_event event = {.kind = IO_OP_ISSUED};

	if (!resume(data, location, handle, matching, &event))
		return OTF2_CALLBACK_SUCCESS;
	op_find(data, handle, matching)->issued = read_time(data, time);
	read_emit(data, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				     OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				     uint64_t bytes, uint64_t matching)
{
	struct reader *r = data;
	struct io_event event = {.kind = IO_OP_COMPLETE, .op.bytes = bytes};
	OTF2_AttributeValue value;

	if (!resume(r, location, handle, matching, &event))
		return OTF2_CALLBACK_SUCCESS;
	if (event.op.mode == IO_MODE_FLUSH && !bytes)
		event.op.bytes = IO_BYTES_UNDEFINED;
	if (read_attribute(r, attributes, READ_ERRNO, OTF2_TYPE_INT32, &value))
		event.op.error = value.int32;
	op_end(r, handle, matching);
	tally_add(r->source->tally, completed, !r->is_ours);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				      uint64_t matching)
{
	static const char *const reason[] = {
#define OTF2_CANCEL(end, text) [IO_END_##end] = text,
#include <iotrace/otf2.def>
	};
	struct reader *r = data;
	struct io_event event = {.kind = IO_OP_CANCELLED, .op.bytes = IO_BYTES_UNDEFINED};
	const char *text;

	if (!resume(r, location, handle, matching, &event))
		return OTF2_CALLBACK_SUCCESS;
	event.op.end = IO_END_ABORTED;
	text = trace_text(r->trace, string_attribute(r, attributes, READ_CANCEL_REASON));
	for (size_t i = 0; i < sizeof(reason) / sizeof(*reason); i++)
		if (!strcmp(text, reason[i]))
			event.op.end = (enum io_end)i;
	op_end(r, handle, matching);
	tally_add(r->source->tally, cancelled, !r->is_ours);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock(struct reader *r, OTF2_LocationRef location, OTF2_TimeStamp time,
			      OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
			      OTF2_LockType type, enum io_event_kind kind)
{
	struct io_event event = {.kind = kind,
				 .handle = read_handle(r, location, handle),
				 .lock.lock = type == OTF2_LOCK_SHARED ? IO_LOCK_SHARED
								       : IO_LOCK_EXCLUSIVE};

	if (event.handle != ID_NONE)
		read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_acquire(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				    OTF2_LockType type)
{
	return lock(data, location, time, attributes, handle, type, IO_ACQUIRE_LOCK);
}

static OTF2_CallbackCode on_release(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				    OTF2_LockType type)
{
	return lock(data, location, time, attributes, handle, type, IO_RELEASE_LOCK);
}

static OTF2_CallbackCode on_try(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
				OTF2_LockType type)
{
	return lock(data, location, time, attributes, handle, type, IO_TRY_LOCK);
}

void read_register_io(OTF2_GlobalEvtReaderCallbacks *c)
{
	OTF2_GlobalEvtReaderCallbacks_SetIoCreateHandleCallback(c, on_create);
	OTF2_GlobalEvtReaderCallbacks_SetIoDestroyHandleCallback(c, on_destroy);
	OTF2_GlobalEvtReaderCallbacks_SetIoDuplicateHandleCallback(c, on_duplicate);
	OTF2_GlobalEvtReaderCallbacks_SetIoSeekCallback(c, on_seek);
	OTF2_GlobalEvtReaderCallbacks_SetIoChangeStatusFlagsCallback(c, on_status_flags);
	OTF2_GlobalEvtReaderCallbacks_SetIoDeleteFileCallback(c, on_delete);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(c, on_begin);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationIssuedCallback(c, on_issued);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(c, on_complete);
	OTF2_GlobalEvtReaderCallbacks_SetIoOperationCancelledCallback(c, on_cancelled);
	OTF2_GlobalEvtReaderCallbacks_SetIoAcquireLockCallback(c, on_acquire);
	OTF2_GlobalEvtReaderCallbacks_SetIoReleaseLockCallback(c, on_release);
	OTF2_GlobalEvtReaderCallbacks_SetIoTryLockCallback(c, on_try);
}
