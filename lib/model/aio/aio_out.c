#include "aio_out.h"

#include "aio_op.h"
#include "aio_queue.h"
#include "fd/fdtable.h"
#include "fd/position.h"
#include "out/outbox.h"
#include "task/location.h"
#include "task/unseen.h"

bool aio_is_operation(const struct aio *request)
{
	return request->action == AIO_READ || request->action == AIO_WRITE ||
	       request->action == AIO_FLUSH;
}

static struct io_event event_of(const struct aio_op *op, enum io_event_kind kind, uint64_t time)
{
	static const enum io_mode mode[AIO_ACTIONS] = {[AIO_READ] = IO_MODE_READ,
						       [AIO_WRITE] = IO_MODE_WRITE,
						       [AIO_FLUSH] = IO_MODE_FLUSH};
	struct io_event event = {.kind = kind,
				 .thread = op->location,
				 .time = time,
				 .handle = ID_NONE};

	event.op.id = op->id;
	event.op.mode = mode[op->request.action];
	event.op.bytes = IO_BYTES_UNDEFINED;
	event.op.offset = IO_OFFSET_UNKNOWN;
	event.op.is_non_blocking = true;
	event.op.file = ID_NONE;
	return event;
}

void aio_out_begin(struct model *m, uint32_t op, uint64_t time)
{
	struct aio_op *o = &m->aio.op[op];

	o->id = m->next_op++;
	struct io_event event = event_of(o, IO_OP_BEGIN, time);

	if (o->request.action != AIO_FLUSH) {
		event.op.bytes = o->request.bytes;
		event.op.offset = o->request.offset;
	}
	out_emit_beside(m, &event, ID_NONE, op);
}

void aio_out_issued(struct model *m, uint32_t op, uint64_t time)
{
	struct aio_op *o = &m->aio.op[op];
	struct io_event event = event_of(o, IO_OP_ISSUED, time);

	if (o->is_issued || !aio_is_operation(&o->request))
		return;
	o->is_issued = true;
	out_emit_beside(m, &event, ID_NONE, op);
}

void aio_out_complete(struct model *m, uint32_t op, uint64_t time, uint64_t bytes, int error)
{
	struct io_event event = event_of(&m->aio.op[op], IO_OP_COMPLETE, time);

	if (event.op.mode != IO_MODE_FLUSH)
		event.op.bytes = bytes;
	event.op.error = error;
	aio_out_issued(m, op, time);
	out_emit_beside(m, &event, ID_NONE, op);
}

void aio_out_cancelled(struct model *m, uint32_t op, uint64_t time, enum io_end why)
{
	struct io_event event = event_of(&m->aio.op[op], IO_OP_CANCELLED, time);

	event.op.end = why;
	aio_out_issued(m, op, time);
	out_emit_beside(m, &event, ID_NONE, op);
}

void aio_out_destroy(struct model *m, const struct aio_op *op, uint64_t time, uint32_t open)
{
	struct io_event event = {.kind = IO_DESTROY_HANDLE,
				 .thread = op->location,
				 .time = time,
				 .handle = ID_NONE};

	if (!location_keeps(m, op->process, open))
		out_emit_beside(m, &event, open, ID_NONE);
}

/* Programs set offset 0 for files without a position; and a write that appends begins at the end of the file. */
static bool is_elsewhere(struct model *m, uint32_t open, enum aio_action action)
{
	if (open == ID_NONE)
		return false;
	const struct description *d = open_description(m, open);

	return d->is_stream || (action == AIO_WRITE && position_appends(m, d));
}

void aio_decide(struct model *m, uint32_t op, uint32_t open)
{
	struct aio_op *o = &m->aio.op[op];

	if (o->is_decided)
		return;
	o->is_decided = m->is_unblocked = true;
	o->open = open;
	o->is_elsewhere = is_elsewhere(m, open, o->request.action);
	open_hold(m, open);
}

/* The file is uncertain: forgets the handle, as a call that uses the descriptor would. */
static void let_go(struct model *m, uint32_t op, uint32_t table, int32_t fd, uint64_t time)
{
	uint32_t open = table_forget(m, table, (uint64_t)fd, m->aio.op[op].begin);

	aio_out_destroy(m, &m->aio.op[op], time, open);
	open_drop(m, open);
}

uint32_t aio_open_of(struct model *m, uint32_t op, uint64_t time)
{
	uint32_t table = aio_op_table(m, op);
	int32_t fd = m->aio.op[op].request.fd;
	uint32_t open = fd < 0 ? ID_NONE : table_since(m, table, (uint64_t)fd, m->aio.op[op].begin);

	if (open == ID_NONE || !table_slot(m, table, (uint64_t)fd)->doubt)
		return open;
	let_go(m, op, table, fd, time);
	return ID_NONE;
}

/*
 * Programs close descriptors that they have registered as fixed files. The handle of the descriptor is destroyed then, so a
 * permanent one stands for the file.
 */
static uint32_t fixed_open(struct model *m, uint32_t id, const struct aio_queue *queue)
{
	const struct aio_op *op = &m->aio.op[id];
	uint32_t open = aio_queue_fixed(queue, op->request.index);
	struct description known;

	if (op->request.flags & (AIO_LATE | AIO_TELLS) &&
	    !aio_queue_is_fixed(queue, op->request.index, op->begin))
		return ID_NONE;
	if (open == ID_NONE || table_has(m, aio_op_table(m, id), open))
		return open;
	known = *open_description(m, open);
	known.holders = known.active = known.slots = 0;
	return known.name ? open_lasting(m, &known, m->trace.thread[op->location].process)
			  : ID_NONE;
}

/* Returns the ring, as a stand-in for an unknown file. */
static uint32_t stand_in(struct model *m, uint32_t op)
{
	const struct aio_op *o = &m->aio.op[op];

	return aio_queue_open(m, aio_queue_get(m, o->process, &o->request), o->begin);
}

void aio_decide_none(struct model *m, uint32_t op)
{
	aio_decide(m, op, stand_in(m, op));
}

/* Does not use the file that its descriptor leads to now, because the descriptor may have been reused. */
void aio_give_up(struct model *m, uint32_t op)
{
	const struct aio *request = &m->aio.op[op].request;

	if (request->flags & AIO_LATE && m->aio.op[op].is_in_flight && !m->aio.op[op].is_decided)
		aio_decide_none(m, op);
	else
		aio_decide_now(m, op);
}

void aio_decide_now(struct model *m, uint32_t op)
{
	const struct aio *request = &m->aio.op[op].request;
	uint32_t process = m->aio.op[op].process, open, found = ID_NONE;

	if (m->aio.op[op].is_decided)
		return;
	open = aio_open_of(m, op, m->now);
	if (open == ID_NONE && request->fd >= 0)
		open = found = unseen_fd(m, process, aio_op_table(m, op), request->fd,
					 m->aio.op[op].begin);
	if (open == ID_NONE)
		open = fixed_open(m, op, aio_queue_get(m, process, request));
	if (open == ID_NONE)
		open = stand_in(m, op);
	aio_decide(m, op, open);
	open_drop(m, found);
}
