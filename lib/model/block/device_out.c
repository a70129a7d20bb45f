/*
 * device_out: io_events of operations on devices. See device_out.h.
 *
 * An operation has one ISSUED, at its first issue: OTF2 allows no second one. COMPLETE contains the time of the last issue, where
 * the service time begins.
 */
#include "device_out.h"

#include "cgroup.h"
#include "device.h"
#include "out/outbox.h"

/* Requests without an OTF2 mode move no data of the program, so their bytes do not count as written. */
static enum io_mode mode_of(enum request_kind type)
{
	static const enum io_mode mode[REQUEST_KINDS] = {
		[REQUEST_READ] = IO_MODE_READ,    [REQUEST_WRITE] = IO_MODE_WRITE,
		[REQUEST_FLUSH] = IO_MODE_FLUSH,  [REQUEST_DISCARD] = IO_MODE_FLUSH,
		[REQUEST_ZEROES] = IO_MODE_WRITE, [REQUEST_OTHER] = IO_MODE_FLUSH,
	};

	return mode[type];
}

static struct io_event event_of(struct model *m, const struct block_op *o, enum io_event_kind kind)
{
	struct io_event event = {.kind = kind, .time = m->now};

	event.thread = device_location(m, o->device);
	event.handle = m->trace.device[o->device].handle;
	event.op.id = o->id;
	event.op.mode = mode_of(o->type);
	event.op.type = o->type;
	event.op.is_non_blocking = true;
	event.op.bytes = IO_BYTES_UNDEFINED;
	event.op.offset = IO_OFFSET_UNKNOWN;
	event.op.file = event.op.cgroup = ID_NONE;
	return event;
}

/* Flushes and commands have no position and no size. */
static bool has_extent(const struct block_op *o)
{
	return o->type != REQUEST_FLUSH && o->type != REQUEST_OTHER;
}

static void set_extent(struct io_event *event, const struct block_op *o)
{
	if (!has_extent(o))
		return;
	event->op.bytes = (uint64_t)o->sectors * 512;
	event->op.offset = o->sector * 512;
}

void device_out_begin(struct model *m, uint32_t op, bool is_final)
{
	struct block_op *o = &m->block.op[op];

	o->is_shown = o->is_recorded && m->trace.host.block_mode & BLOCK_EVENTS;
	if (!o->is_shown)
		return;
	o->id = m->next_op++;
	struct io_event event = event_of(m, o, IO_OP_BEGIN);

	event.time = o->begun;
	event.op.pid = o->cause.pid;
	event.op.tid = o->cause.tid;
	event.op.name = o->cause.name;
	event.op.file = o->cause.file;
	event.op.rwbs = o->rwbs;
	event.op.cgroup = cgroup_get(m, o->cause.cgroup);
	set_extent(&event, o);
	if (is_final)
		out_emit(m, &event, ID_NONE, ID_NONE);
	else
		o->begin = out_emit_growing(m, &event);
	o->is_growing = !is_final;
}

/* The size of the BEGIN is final. */
static void set_begin(struct model *m, struct block_op *o)
{
	struct io_event event = {.op.bytes = IO_BYTES_UNDEFINED, .op.offset = IO_OFFSET_UNKNOWN};

	if (!o->is_growing)
		return;
	o->is_growing = false;
	set_extent(&event, o);
	out_set_extent(m, device_location(m, o->device), o->begin, event.op.bytes, event.op.offset);
}

void device_out_issue(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown || o->is_issue_out)
		return;
	o->is_issue_out = true;
	struct io_event event = event_of(m, o, IO_OP_ISSUED);

	if (o->issued)
		event.time = o->issued;
	set_begin(m, o);
	out_emit(m, &event, ID_NONE, ID_NONE);
}

void device_out_complete(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown)
		return;
	device_out_issue(m, op); /* its issue was not seen */
	struct io_event event = event_of(m, o, IO_OP_COMPLETE);

	if (has_extent(o) && (!o->error || o->done))
		event.op.bytes = o->done;
	event.op.error = o->error;
	event.op.begun = o->begun;
	event.op.issued = o->issued;
	event.op.cgroup = cgroup_get(m, o->cause.cgroup);
	out_emit(m, &event, ID_NONE, ID_NONE);
}

void device_out_cancel(struct model *m, uint32_t op, enum io_end why)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown)
		return;
	device_out_issue(m, op); /* OTF2 requires an ISSUED */
	struct io_event event = event_of(m, o, IO_OP_CANCELLED);

	event.op.end = why;
	event.op.begun = o->begun;
	out_emit(m, &event, ID_NONE, ID_NONE);
}

void device_out_merge(struct model *m, uint32_t op)
{
	const struct block_op *o = &m->block.op[op];

	if (!o->is_growing || !out_discard(m, device_location(m, o->device), o->begin))
		device_out_cancel(m, op, IO_END_MERGED);
}
