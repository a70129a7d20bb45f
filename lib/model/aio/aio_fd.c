/*
 * aio_fd: requests that open and close descriptors. See aio_fd.h.
 *
 * BPF records name the descriptor and its file; tracepoints do not.
 */
#include "aio_fd.h"

#include "aio_op.h"
#include "aio_out.h"
#include "aio_queue.h"
#include "fd/fdtable.h"
#include "fd/handle.h"
#include "fd/identity.h"
#include "out/outbox.h"
#include "task/location.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

void aio_fd_take(struct model *m, uint32_t op)
{
	struct aio_op *o = &m->aio.op[op];

	if (o->request.fd >= 0 && !(o->request.flags & AIO_DIRECT))
		o->closed = table_take(m, aio_op_table(m, op), (uint64_t)o->request.fd);
}

void aio_fd_forget_fixed(struct model *m, uint32_t op, int64_t result)
{
	const struct aio_op *o = &m->aio.op[op];
	const struct aio *request = &o->request;
	bool is_range = request->action == AIO_FIX;
	int64_t index = request->index;

	if (request->action == AIO_PASS) {
		if (request->flags & AIO_DIRECT)
			aio_queue_forget_all_fixed(m);
		return;
	}
	if (!is_range && !(request->flags & AIO_DIRECT))
		return;
	if (index < 0 && !is_range)
		index = result;
	if (index >= 0)
		aio_queue_forget_fixed(m, o->process, request, (uint32_t)index,
				       is_range ? request->bytes : 1);
}

void aio_fd_closed(struct model *m, uint32_t op, const struct event *event)
{
	const struct aio_op *o = &m->aio.op[op];
	uint32_t table = aio_op_table(m, op);
	int64_t result = event->aio.step.result;
	struct slot *slot;

	/* The record does not say which descriptor it was. */
	if (o->request.fd < 0 && !(o->request.flags & AIO_DIRECT) && !result)
		table_doubt(m, table, DOUBT_REQUEST);
	if (o->closed == ID_NONE)
		return;
	slot = table_slot(m, table, (uint64_t)o->request.fd);
	if (result == -ECANCELED && slot && slot->open == ID_NONE)
		table_set(m, table, (uint64_t)o->request.fd, o->closed, slot->cloexec);
	else
		aio_out_destroy(m, o, event->time, o->closed);
	/* It may be the descriptor that was closed. */
	if (o->request.flags & AIO_LATE && slot && slot->open != ID_NONE && !result)
		slot_doubt(m, slot, DOUBT_REQUEST);
}

/* Empties the slot if its close is missing in the stream. */
static void replace(struct model *m, uint32_t op, uint64_t fd, uint64_t time)
{
	uint32_t old = table_take(m, aio_op_table(m, op), fd);

	if (old != ID_NONE)
		aio_out_destroy(m, &m->aio.op[op], time, old);
	open_drop(m, old);
}

/* The record waits in the outbox, but the handle is assigned now, so that it is not one that is destroyed meanwhile. */
static void create(struct model *m, uint32_t op, const struct event *event)
{
	const struct event_file *file = &event->aio.file;
	uint32_t description = description_new(m, file->flags);
	uint32_t open = open_new(m, description, process_group(m, m->aio.op[op].process));
	struct io_event made = {.kind = IO_CREATE_HANDLE,
				.thread = m->aio.op[op].location,
				.time = event->time,
				.handle = ID_NONE};

	m->description[description].is_file = S_ISREG(file->mode) || S_ISDIR(file->mode);
	identity_describe(m, description, file);
	replace(m, op, (uint64_t)file->fd, event->time);
	table_set(m, aio_op_table(m, op), (uint64_t)file->fd, open, cloexec_of(file->flags));
	handle_assign(m, open, true);
	made.create.flags = file->flags;
	out_emit_beside(m, &made, open, ID_NONE);
	open_drop(m, open);
}

/*
 * A request that continues is known only by the program's number for it, which another request may have, too. Then the result is
 * no new descriptor.
 */
static bool is_another(const struct aio *aio, const struct slot *slot)
{
	return aio->flags & AIO_MORE && slot && slot->open != ID_NONE;
}

/*
 * If the record has no file, the number may be that of a descriptor or of a fixed file. It is also unknown which number was
 * closed before, so the slot becomes uncertain.
 */
void aio_fd_opened(struct model *m, uint32_t op, const struct event *event)
{
	const struct aio *aio = &event->aio.step;
	int64_t result = aio->result;
	struct slot *slot;

	if (result < 0)
		return;
	slot = table_slot(m, aio_op_table(m, op), (uint64_t)result);
	/* The new descriptor may be in the table that a worker of io_uring kept. */
	if (m->table[aio_op_table(m, op)].is_unshared)
		return;
	if (event->aio.file.fd == result && !is_another(aio, slot)) {
		create(m, op, event);
		return;
	}
	if (slot)
		slot_doubt(m, slot, DOUBT_REQUEST);
}
