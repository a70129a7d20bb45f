/* read_io: handles, operations and locks. Operations get ids that are unique in the archive. */
#include "reader.h"

#include <fcntl.h>
#include <iotrace/mem.h>
#include <string.h>
#include <unistd.h>

static enum io_mode mode_of(uint64_t mode)
{
	return mode == OTF2_IO_OPERATION_MODE_READ    ? IO_MODE_READ
	       : mode == OTF2_IO_OPERATION_MODE_WRITE ? IO_MODE_WRITE
						      : IO_MODE_FLUSH;
}

/* The letters of a block request are more exact than OTF2's mode. */
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

/* Emits an event if its handle (the first field of the record) is defined. */
static void emit(struct reader *r, const struct walk_event *from, struct io_event *event)
{
	event->handle = read_handle(r, from, from->record->value);
	if (event->handle != ID_NONE)
		read_emit(r, from, event);
}

/* Its fields: old handle, new handle, status. */
static void duplicate(struct reader *r, const struct walk_event *from)
{
	const struct value *is = from->record->value;
	struct io_event event = read_new(r, from, IO_DUPLICATE_HANDLE);

	event.duplicate.flags = read_open_flags(OTF2_IO_ACCESS_MODE_READ_ONLY, 0, is[2].is);
	event.duplicate.new_handle = read_handle(r, from, &is[1]);
	if (event.duplicate.new_handle != ID_NONE)
		emit(r, from, &event);
}

/* Its fields: handle, requested offset, whence, result. */
static void seek(struct reader *r, const struct walk_event *from)
{
	static const uint32_t whence[] = {
		[OTF2_IO_SEEK_FROM_START] = SEEK_SET, [OTF2_IO_SEEK_FROM_CURRENT] = SEEK_CUR,
		[OTF2_IO_SEEK_FROM_END] = SEEK_END,   [OTF2_IO_SEEK_DATA] = SEEK_DATA,
		[OTF2_IO_SEEK_HOLE] = SEEK_HOLE,
	};
	const struct value *is = from->record->value;
	struct io_event event = read_new(r, from, IO_SEEK);

	event.seek.request = (int64_t)is[1].is;
	event.seek.result = is[3].is;
	event.seek.whence = is[2].is < sizeof(whence) / sizeof(*whence) ? whence[is[2].is]
									: UINT32_MAX;
	emit(r, from, &event);
}

/* Its fields: paradigm, file. */
static void delete_file(struct reader *r, const struct walk_event *from)
{
	struct io_event event = read_new(r, from, IO_DELETE_FILE);

	event.delete_file.file = walk_id_of(&r->walk, &from->record->value[1]);
	if (event.delete_file.file == NONE)
		read_ignore(r);
	else
		read_emit(r, from, &event);
}

static void lock(struct reader *r, const struct walk_event *from)
{
	uint8_t type = from->record->type;
	struct io_event event = read_new(r, from,
					 type == EVENT_IO_ACQUIRE_LOCK   ? IO_ACQUIRE_LOCK
					 : type == EVENT_IO_RELEASE_LOCK ? IO_RELEASE_LOCK
									 : IO_TRY_LOCK);

	event.lock.lock = from->record->value[1].is == OTF2_LOCK_SHARED ? IO_LOCK_SHARED
									: IO_LOCK_EXCLUSIVE;
	emit(r, from, &event);
}

static void read_request(struct reader *r, const struct walk_event *from, struct io_event *event)
{
	str_id cgroup = read_attribute_string(r, from, READ_BLOCK_CGROUP);
	uint64_t pid, tid;

	if (read_attribute_number(r, from, READ_BLOCK_PROCESS, &pid))
		event->op.pid = event->op.tid = (uint32_t)pid;
	if (read_attribute_number(r, from, READ_BLOCK_THREAD, &tid))
		event->op.tid = (uint32_t)tid;
	event->op.name = read_attribute_string(r, from, READ_BLOCK_COMMAND);
	event->op.rwbs = read_attribute_string(r, from, READ_BLOCK_RWBS);
	event->op.type = type_of(r, event);
	if (cgroup)
		event->op.cgroup = cgroup_of(r, cgroup);
	event->op.file = read_attribute_file(r, from);
}

/* A flush moves no bytes, but its OTF2 record has a byte count. */
static uint64_t bytes_of(const struct io_event *event, uint64_t bytes)
{
	return event->op.mode == IO_MODE_FLUSH && !bytes ? IO_BYTES_UNDEFINED : bytes;
}

/* Returns an event of the operation with the data of its begin. In archives of iotrace, the id is already unique. */
static struct io_event new_of(const struct reader *r, const struct walk_event *from,
			      enum io_event_kind kind)
{
	const struct operation *op = from->operation;
	struct io_event event = read_new(r, from, kind);

	event.op.id = r->is_ours ? op->id : op->number;
	event.op.mode = mode_of(op->mode);
	event.op.is_non_blocking = op->is_non_blocking;
	event.op.type = op->type;
	event.op.file = event.op.cgroup = ID_NONE;
	return event;
}

/* Its fields: handle, mode, flags, bytes, id. */
static void begin(struct reader *r, const struct walk_event *from)
{
	const struct value *is = from->record->value;
	struct io_event event = new_of(r, from, IO_OP_BEGIN);

	event.handle = read_handle(r, from, &is[0]);
	event.op.bytes = bytes_of(&event, is[3].is);
	event.op.offset = IO_OFFSET_UNKNOWN;
	read_attribute_number(r, from, READ_OFFSET, &event.op.offset);
	event.op.is_collective_proxy = r->trace->handle[event.handle].is_all_proxy;
	if (r->trace->handle[event.handle].is_block)
		read_request(r, from, &event);
	else if (r->trace->handle[event.handle].is_span)
		event.op.span = read_span(r, from);
	else
		event.op.name = read_attribute_string(r, from, READ_BY);
	from->operation->type = event.op.type;
	tally_add(r->source->tally, begun, !r->is_ours);
	read_emit(r, from, &event);
}

/* Reads a record of an operation after its begin. */
static void go_on(struct reader *r, const struct walk_event *from, struct io_event *event)
{
	const struct operation *op = from->operation;

	event->op.begun = read_time(r, op->begun);
	event->op.issued = op->is_issued ? read_time(r, op->issued) : 0;
	emit(r, from, event);
}

static void issue(struct reader *r, const struct walk_event *from)
{
	struct io_event event = new_of(r, from, IO_OP_ISSUED);

	go_on(r, from, &event);
}

/* Its fields: handle, bytes, id. */
static void complete(struct reader *r, const struct walk_event *from)
{
	struct io_event event = new_of(r, from, IO_OP_COMPLETE);
	uint64_t error;

	event.op.bytes = bytes_of(&event, from->record->value[1].is);
	if (read_attribute_number(r, from, READ_ERRNO, &error))
		event.op.error = (int32_t)error;
	event.op.span = read_span(r, from);
	tally_add(r->source->tally, completed, !r->is_ours);
	go_on(r, from, &event);
}

static void cancel(struct reader *r, const struct walk_event *from)
{
	struct io_event event = new_of(r, from, IO_OP_CANCELLED);

	event.op.bytes = IO_BYTES_UNDEFINED;
	event.op.end = IO_END_ABORTED;
	read_why(r, from, &event.op.end);
	tally_add(r->source->tally, cancelled, !r->is_ours);
	go_on(r, from, &event);
}

/* Fields of a created handle: handle, access, creation, status. Fields of a changed one: handle, status. */
static void handle(struct reader *r, const struct walk_event *from)
{
	const struct value *is = from->record->value;
	struct io_event event = read_new(r, from, IO_DESTROY_HANDLE);

	if (from->record->type == EVENT_IO_CREATE_HANDLE) {
		event.kind = IO_CREATE_HANDLE;
		event.create.flags = read_open_flags(is[1].is, is[2].is, is[3].is);
	} else if (from->record->type == EVENT_IO_CHANGE_STATUS_FLAGS) {
		event.kind = IO_CHANGE_STATUS_FLAGS;
		event.create.flags = read_open_flags(OTF2_IO_ACCESS_MODE_READ_ONLY, 0, is[1].is);
	}
	emit(r, from, &event);
}

void read_io(struct reader *r, const struct walk_event *from)
{
	static void (*const take[UINT8_MAX + 1])(struct reader *, const struct walk_event *) = {
		[EVENT_IO_CREATE_HANDLE] = handle,
		[EVENT_IO_DESTROY_HANDLE] = handle,
		[EVENT_IO_CHANGE_STATUS_FLAGS] = handle,
		[EVENT_IO_DUPLICATE_HANDLE] = duplicate,
		[EVENT_IO_SEEK] = seek,
		[EVENT_IO_DELETE_FILE] = delete_file,
		[EVENT_IO_BEGIN] = begin,
		[EVENT_IO_ISSUED] = issue,
		[EVENT_IO_COMPLETE] = complete,
		[EVENT_IO_CANCELLED] = cancel,
		[EVENT_IO_ACQUIRE_LOCK] = lock,
		[EVENT_IO_RELEASE_LOCK] = lock,
		[EVENT_IO_TRY_LOCK] = lock,
	};
	uint8_t type = from->record->type;
	bool is_op = type >= EVENT_IO_BEGIN && type <= EVENT_IO_CANCELLED;

	if (take[type] && is_op &&
	    (!from->operation || walk_id_of(&r->walk, from->record->value) == NONE))
		read_ignore(r);
	else if (take[type])
		take[type](r, from);
}
