/*
 * aio_queue: rings of io_uring, and the files of their requests. See aio_queue.h.
 *
 * There are few rings, so they are searched linearly.
 */
#include "aio_queue.h"

#include "fd/fdtable.h"

#include <fcntl.h>
#include <stdlib.h>

/* The name that /proc shows for a ring's descriptor. */
static const char RING[] = "anon_inode:[io_uring]";

static struct aio_queue *queue_find(struct model *m, uint32_t process, const struct aio *step)
{
	for (uint32_t i = 0; i < m->aio.queues; i++) {
		struct aio_queue *q = &m->aio.queue[i];

		if (q->is_used && q->api == step->api && q->key == step->queue &&
		    (q->api == AIO_URING || q->process == process))
			return q;
	}
	return NULL;
}

static struct aio_queue *queue_new(struct model *m)
{
	struct aio_state *a = &m->aio;

	for (uint32_t i = 0; i < a->queues; i++)
		if (!a->queue[i].is_used)
			return &a->queue[i];
	MEM_GROW(a->queue, a->queue_cap, a->queues + 1);
	return &a->queue[a->queues++];
}

struct aio_queue *aio_queue_get(struct model *m, uint32_t process, const struct aio *step)
{
	struct aio_queue *q = queue_find(m, process, step);

	if (q)
		return q;
	q = queue_new(m);
	*q = (struct aio_queue){.is_used = true,
				.api = step->api,
				.key = step->queue,
				.process = process,
				.fd = AIO_FD_NONE,
				.open = ID_NONE,
				.started_fd = AIO_FD_NONE};
	return q;
}

static void fixed_clear(struct model *m, struct aio_queue *q)
{
	for (uint32_t i = 0; i < q->fixed_count; i++)
		open_drop(m, q->fixed[i].open);
	q->fixed_count = 0;
	q->fixed_changed = m->now;
}

static void queue_forget(struct model *m, struct aio_queue *q)
{
	fixed_clear(m, q);
	open_drop(m, q->open);
	free(q->fixed);
	map_release(&q->by_address);
	*q = (struct aio_queue){0};
}

void aio_queue_begin(struct model *m, uint32_t process, const struct aio *step)
{
	aio_queue_end(m, process, step);
	aio_queue_get(m, process, step)->fd = step->fd;
}

void aio_queue_end(struct model *m, uint32_t process, const struct aio *step)
{
	struct aio_queue *q = queue_find(m, process, step);

	if (q)
		queue_forget(m, q);
}

void aio_queue_end_all(struct model *m, uint32_t process)
{
	for (uint32_t i = 0; i < m->aio.queues; i++)
		if (m->aio.queue[i].is_used && m->aio.queue[i].process == process)
			queue_forget(m, &m->aio.queue[i]);
}

/* Returns the open of the descriptor, if it is certain. */
static uint32_t open_of(struct model *m, uint32_t table, int32_t fd)
{
	const struct slot *slot = fd < 0 ? NULL : table_slot(m, table, (uint64_t)fd);

	return slot && !slot->doubt ? slot->open : ID_NONE;
}

/* Gives a slot another open and holds it. Returns the slot, or NULL if the number is too large. */
static struct fixed_slot *slot_put(struct model *m, struct aio_queue *q, uint32_t index,
				   uint32_t open)
{
	if (index >= FIXED_LIMIT)
		return NULL;
	MEM_GROW(q->fixed, q->fixed_cap, index + 1);
	while (q->fixed_count <= index)
		q->fixed[q->fixed_count++] = (struct fixed_slot){ID_NONE, q->fixed_changed};
	open_hold(m, open);
	open_drop(m, q->fixed[index].open);
	q->fixed[index].open = open;
	return &q->fixed[index];
}

void aio_queue_set_fixed(struct model *m, uint32_t process, uint32_t table, const struct aio *step)
{
	struct aio_queue *q = aio_queue_get(m, process, step);
	struct fixed_slot *slot;

	if (step->index < 0) {
		fixed_clear(m, q);
		return;
	}
	slot = slot_put(m, q, (uint32_t)step->index, open_of(m, table, step->fd));
	if (slot)
		slot->changed = m->now;
}

void aio_queue_learn_fixed(struct model *m, struct aio_queue *queue, uint32_t index, uint32_t open)
{
	slot_put(m, queue, index, open);
}

void aio_queue_forget_fixed(struct model *m, uint32_t process, const struct aio *step,
			    uint32_t index, uint64_t count)
{
	struct aio_queue *q = aio_queue_get(m, process, step);

	for (; index < q->fixed_count && count; index++, count--) {
		open_drop(m, q->fixed[index].open);
		q->fixed[index] = (struct fixed_slot){ID_NONE, m->now};
	}
	if (count)
		q->fixed_changed = m->now;
}

void aio_queue_forget_all_fixed(struct model *m)
{
	for (uint32_t i = 0; i < m->aio.queues; i++)
		if (m->aio.queue[i].is_used)
			fixed_clear(m, &m->aio.queue[i]);
}

uint32_t aio_queue_fixed(const struct aio_queue *queue, int32_t index)
{
	return index >= 0 && (uint32_t)index < queue->fixed_count ? queue->fixed[index].open
								  : ID_NONE;
}

bool aio_queue_is_fixed(const struct aio_queue *queue, int32_t index, uint64_t since)
{
	bool is_in_array = index >= 0 && (uint32_t)index < queue->fixed_count;

	return (is_in_array ? queue->fixed[index].changed : queue->fixed_changed) <= since;
}

/* Returns an open for a ring whose descriptor is unknown or closed, while the program uses the mapped ring. */
static uint32_t open_made_up(struct model *m)
{
	struct description known = {.file = ID_NONE,
				    .name = strtab_add_text(m->trace.strings, RING),
				    .state = NAME_SURE,
				    .is_stream = true,
				    .flags = O_RDWR};

	return open_new_always(m, &known, ID_NONE);
}

/* Returns the open of the ring's descriptor, or ID_NONE: the number may belong to something else by now. */
static uint32_t open_of_ring(struct model *m, const struct aio_queue *queue, uint64_t time)
{
	uint32_t table = m->process[queue->process].table;
	uint32_t open = open_of(m, table, queue->fd);

	if (open == ID_NONE || table_since(m, table, (uint64_t)queue->fd, time) != open)
		return ID_NONE;
	str_id name = open_description(m, open)->name;

	return name == strtab_add_text(m->trace.strings, RING) ||
			       name == strtab_add_text(m->trace.strings, "io_uring_setup")
		       ? open
		       : ID_NONE;
}

uint32_t aio_queue_open(struct model *m, struct aio_queue *queue, uint64_t time)
{
	if (queue->open != ID_NONE && table_has(m, m->process[queue->process].table, queue->open))
		return queue->open;
	open_drop(m, queue->open);
	queue->open = open_of_ring(m, queue, time);
	queue->fd = AIO_FD_NONE;
	if (queue->open == ID_NONE)
		queue->open = open_made_up(m);
	else
		open_hold(m, queue->open);
	return queue->open;
}

void aio_queue_release(struct model *m)
{
	for (uint32_t i = 0; i < m->aio.queues; i++) {
		free(m->aio.queue[i].fixed);
		map_release(&m->aio.queue[i].by_address);
	}
	free(m->aio.queue);
}
