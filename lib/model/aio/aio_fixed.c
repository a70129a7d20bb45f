/*
 * aio_fixed: fixed files that ends of requests describe. See aio_fixed.h.
 *
 * Their handles are permanent, because fixed files are not closed as descriptors are.
 */
#include "aio_fixed.h"

#include "aio_fd.h"
#include "aio_out.h"
#include "aio_queue.h"
#include "fd/fdtable.h"
#include "fd/identity.h"

bool aio_fixed_waits(struct model *m, uint32_t op)
{
	const struct aio_op *o = &m->aio.op[op];
	const struct aio_queue *queue = aio_queue_get(m, o->process, &o->request);

	return o->request.flags & AIO_TELLS && aio_queue_fixed(queue, o->request.index) == ID_NONE;
}

/* Returns the permanent open of the file, or ID_NONE if it has no name. */
static uint32_t open_of_file(struct model *m, process_id process, const struct event_file *file)
{
	uint32_t description = description_new(m, file->flags);
	struct description known;

	identity_describe(m, description, file);
	known = m->description[description];
	known.position = IO_OFFSET_UNKNOWN;
	pool_give(&m->descriptions, description);
	return known.name ? open_lasting(m, &known, process) : ID_NONE;
}

/*
 * Returns the open that the end of a request describes, or ID_NONE. Another process than that of the ring may reach the file by
 * another path.
 */
static uint32_t open_at_end(struct model *m, uint32_t op, const struct event *event)
{
	const struct aio_op *o = &m->aio.op[op];
	struct aio_queue *queue = aio_queue_get(m, o->process, &o->request);
	uint64_t key = event->aio.step.file;
	uint32_t open;

	if (!key || queue->process != o->process)
		return ID_NONE;
	if (!event->aio.file.mode)
		return map_get(&queue->by_address, key);
	open = open_of_file(m, m->trace.thread[o->location].process, &event->aio.file);
	if (open == ID_NONE)
		map_remove(&queue->by_address, key);
	else
		map_set(&queue->by_address, key, open);
	return open;
}

/* From now on, the slot is known if it has not changed since the request was submitted. */
void aio_fixed_ended(struct model *m, uint32_t op, const struct event *event)
{
	const struct aio_op *o = &m->aio.op[op];
	struct aio_queue *queue = aio_queue_get(m, o->process, &o->request);
	int32_t index = o->request.index;
	bool is_same = aio_queue_is_fixed(queue, index, o->begin);
	uint32_t known = is_same ? aio_queue_fixed(queue, index) : ID_NONE, open;

	if (!(o->request.flags & AIO_FIXED))
		return;
	open = open_at_end(m, op, event);
	if (open == ID_NONE || known != ID_NONE)
		return;
	if (is_same && index >= 0)
		aio_queue_learn_fixed(m, queue, (uint32_t)index, open);
	aio_decide(m, op, open);
}

/*
 * If several requests open the same slot at a time, it is unknown which one came last. The kernel never gives two of them the
 * same free slot.
 */
void aio_fixed_opened(struct model *m, uint32_t op, const struct event *event)
{
	const struct aio_op *o = &m->aio.op[op];
	struct aio_queue *queue = aio_queue_get(m, o->process, &o->request);
	int32_t index = o->request.index;
	bool is_sure = index < 0 || aio_queue_is_fixed(queue, index, o->begin);
	int64_t result = event->aio.step.result;
	uint32_t open;

	aio_fd_forget_fixed(m, op, result);
	if (result < 0)
		return;
	open = open_at_end(m, op, event);
	if (is_sure && open != ID_NONE)
		aio_queue_learn_fixed(m, queue, index < 0 ? (uint32_t)result : (uint32_t)index,
				      open);
}
