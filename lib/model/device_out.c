/*
 * device_out: io_events of operations on devices. See device_out.h.
 *
 * One ISSUED for each operation, at its first issue: OTF2 knows no second one. COMPLETE says when the last was, which
 * is where the service time begins.
 */
#include "device_out.h"

#include "cgroup.h"
#include "device.h"
#include "op.h"
#include "settle.h"

#include <stdlib.h>

enum { HELD_MOST = 1 << 16, HELD_SECONDS = 30 };

/* What OTF2 has no word for moves no data of the program: its bytes are no bytes written. */
static enum io_mode mode_of(enum request_kind type)
{
	static const enum io_mode mode[REQUEST_KINDS] = {
		[REQUEST_READ] = IO_MODE_READ,    [REQUEST_WRITE] = IO_MODE_WRITE,
		[REQUEST_FLUSH] = IO_MODE_FLUSH,  [REQUEST_DISCARD] = IO_MODE_FLUSH,
		[REQUEST_ZEROES] = IO_MODE_WRITE, [REQUEST_OTHER] = IO_MODE_FLUSH,
	};

	return mode[type];
}

static struct held *held_at(struct device_work *w, uint64_t number)
{
	uint64_t index = number - w->held_first;

	if (index >= w->helds) /* let go */
		return NULL;
	return &w->held[(w->held_head + index) & (w->held_cap - 1)];
}

static void held_grow(struct device_work *w)
{
	uint32_t capacity = w->held_cap ? 2 * w->held_cap : 16;
	struct held *held = mem_array(capacity, sizeof(*held));

	for (uint32_t i = 0; i < w->helds; i++)
		held[i] = *held_at(w, w->held_first + i);
	free(w->held);
	w->held = held;
	w->held_cap = capacity;
	w->held_head = 0;
}

static void emit(struct model *m, struct io_event *event)
{
	tally_add(m->tally, begun, event->kind == IO_OP_BEGIN);
	settle_push(m, event, ID_NONE, ID_NONE);
}

static void run(struct model *m, uint32_t device, bool is_forced)
{
	struct device_work *w = &m->block.work[device];

	while (w->helds) {
		struct held *head = held_at(w, w->held_first);
		uint64_t due = head->event.time + HELD_SECONDS * UINT64_C(1000000000);

		if (head->is_open && !is_forced && w->helds < HELD_MOST && m->now < due)
			return;
		w->held_head = (w->held_head + 1) & (w->held_cap - 1);
		w->held_first++;
		w->helds--;
		if (!head->is_dropped)
			emit(m, &head->event);
	}
}

/* Hands the event out, or puts it at the end of what is held back. Returns its number there. */
static uint64_t push(struct model *m, uint32_t device, struct io_event *event, bool is_open)
{
	struct device_work *w = &m->block.work[device];
	uint64_t number = w->held_first + w->helds;

	if (!is_open && !w->helds) {
		emit(m, event);
		w->held_first++;
		return number;
	}
	if (w->helds == w->held_cap)
		held_grow(w);
	w->helds++;
	*held_at(w, number) = (struct held){.event = *event, .is_open = is_open};
	run(m, device, false);
	return number;
}

static struct io_event event_of(struct model *m, const struct block_op *o, enum io_event_kind kind)
{
	struct io_event event = {.kind = kind, .time = m->now};

	event.thread = device_location(m, o->device);
	event.handle = m->device[o->device].handle;
	event.op.id = o->id;
	event.op.mode = mode_of(o->type);
	event.op.type = o->type;
	event.op.is_non_blocking = true;
	event.op.bytes = IO_BYTES_UNDEFINED;
	event.op.offset = IO_OFFSET_UNKNOWN;
	event.op.file = event.op.cgroup = ID_NONE;
	return event;
}

/* Flushes and commands are nowhere and of no size. */
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

void out_begin(struct model *m, uint32_t op, bool is_final)
{
	struct block_op *o = &m->block.op[op];

	o->is_shown = o->is_kept && m->host.block_mode & BLOCK_EVENTS;
	if (!o->is_shown)
		return;
	o->id = m->next_op++;
	struct io_event event = event_of(m, o, IO_OP_BEGIN);

	event.time = o->begun;
	event.op.pid = o->who.pid;
	event.op.name = o->who.name;
	event.op.file = o->who.file;
	event.op.rwbs = o->rwbs;
	event.op.cgroup = cgroup_get(m, o->who.cgroup);
	set_extent(&event, o);
	o->begin = push(m, o->device, &event, !is_final);
}

/* The size of a BEGIN is settled. */
static void settle_begin(struct model *m, const struct block_op *o, bool is_dropped)
{
	struct held *held = held_at(&m->block.work[o->device], o->begin);

	if (!held || !held->is_open)
		return;
	set_extent(&held->event, o);
	held->is_open = false;
	held->is_dropped = is_dropped;
	run(m, o->device, false);
}

void out_issue(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown || o->is_told)
		return;
	o->is_told = true;
	struct io_event event = event_of(m, o, IO_OP_ISSUED);

	if (o->issued)
		event.time = o->issued;
	settle_begin(m, o, false);
	push(m, o->device, &event, false);
}

void out_complete(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown)
		return;
	out_issue(m, op); /* where it was not seen */
	struct io_event event = event_of(m, o, IO_OP_COMPLETE);

	if (has_extent(o) && (!o->error || o->done))
		event.op.bytes = o->done;
	event.op.error = o->error;
	event.op.begun = o->begun;
	event.op.issued = o->issued;
	event.op.cgroup = cgroup_get(m, o->who.cgroup);
	tally_add(m->tally, completed, 1);
	push(m, o->device, &event, false);
}

void out_cancel(struct model *m, uint32_t op, enum io_end why)
{
	struct block_op *o = &m->block.op[op];

	if (!o->is_shown)
		return;
	out_issue(m, op); /* OTF2 wants one in any case */
	struct io_event event = event_of(m, o, IO_OP_CANCELLED);

	event.op.end = why;
	event.op.begun = o->begun;
	m->tally->n[op_counter_of(why)]++;
	push(m, o->device, &event, false);
}

void out_merge(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];
	struct held *held = o->is_shown ? held_at(&m->block.work[o->device], o->begin) : NULL;

	if (held && held->is_open)
		settle_begin(m, o, true);
	else
		out_cancel(m, op, IO_END_MERGED);
}

void out_flush(struct model *m, uint32_t device)
{
	run(m, device, true);
}
