#include "aio_in.h"

#include "aio_fd.h"
#include "aio_fixed.h"
#include "aio_op.h"
#include "aio_out.h"
#include "aio_queue.h"
#include "fd/position.h"
#include "map/mapping.h"
#include "out/outbox.h"
#include "task/location.h"
#include "task/task.h"

#include <errno.h>
#include <stdlib.h>

/* A step: what happened, when, and whose request it is. */
struct step {
	const struct event *event;
	uint32_t task, process;
};

/* Some ends are not recorded. The next use of the same request then shows that the earlier one has ended, but not when. */
static bool is_silent(const struct aio *request)
{
	return request->api == AIO_LIBAIO || request->flags & AIO_SILENT;
}

bool aio_is_busy(const struct model *m, thread_id location)
{
	if (location < m->spans.locations && m->spans.location[location].busy)
		return true;
	for (uint32_t i = 0; m->aio.in_flight && i < m->aio.ops.count; i++)
		if (m->aio.op[i].is_in_flight && m->aio.op[i].location == location)
			return true;
	return false;
}

/* Takes the request out of flight. If it was the last one that an ended thread left behind, its location ends. */
static void end_flight(struct model *m, uint32_t op)
{
	thread_id location = m->aio.op[op].location;

	aio_op_remove(m, op);
	if (location != ID_NONE && m->trace.thread[location].is_ending && !aio_is_busy(m, location))
		location_end(m, location);
}

/* The request has ended at an unknown time. */
static void end_unseen(struct model *m, uint32_t op, uint64_t time, enum io_end why)
{
	const struct aio *request = &m->aio.op[op].request;

	if (aio_is_operation(request)) {
		aio_decide_now(m, op);
		if (is_silent(request) && why != IO_END_RECORDING)
			why = IO_END_UNREPORTED;
		aio_out_cancelled(m, op, time, why);
	}
	end_flight(m, op);
}

/* Returns how an earlier request with the same number ended. If its thread had ended, the kernel may have cancelled it silently. */
static enum io_end end_of_reused(const struct model *m, uint32_t op)
{
	thread_id location = m->aio.op[op].location;

	return m->trace.thread[location].is_ending ? IO_END_ABORTED : IO_END_LOST;
}

/*
 * Finds the file as far as it is known at once. The end of a late request shows it. If the table does not have the descriptor,
 * the end shows whether there is a file.
 */
static void find_file(struct model *m, uint32_t op, uint64_t time)
{
	const struct aio *request = &m->aio.op[op].request;
	uint32_t open;

	if (request->flags & AIO_LATE)
		return;
	open = aio_open_of(m, op, time);
	if (open != ID_NONE)
		aio_decide(m, op, open);
	else if ((request->flags & AIO_FIXED && !aio_fixed_waits(m, op)) ||
		 request->api == AIO_LIBAIO)
		aio_decide_now(m, op);
}

/* The kernel gets the file of most requests when they are submitted, and of the others at START. */
static bool has_file(const struct aio *request)
{
	return request->flags & AIO_FIXED || request->fd >= 0;
}

static int32_t started_fd(struct model *m, const struct step *step)
{
	struct aio_queue *queue = aio_queue_get(m, step->process, &step->event->aio.step);
	int32_t fd = queue->started_tid == m->task[step->task].tid ? queue->started_fd
								   : AIO_FD_UNKNOWN;

	queue->started_fd = AIO_FD_NONE;
	return fd < 0 ? AIO_FD_UNKNOWN : fd;
}

static void step_submit(struct model *m, const struct step *step)
{
	const struct aio *aio = &step->event->aio.step;
	uint32_t old = aio->key ? aio_op_find(m, step->process, aio) : ID_NONE;

	if (old != ID_NONE && m->aio.op[old].request.key == aio->key)
		end_unseen(m, old, step->event->time, end_of_reused(m, old));
	uint32_t op = aio_op_add(m, step->process, aio);
	thread_id location = task_location(m, step->task, step->event->time);

	m->aio.op[op].location = location;
	m->aio.op[op].begin = step->event->time;
	out_set_straight(m, location, aio->flags & AIO_BY_THREAD);
	if (aio->fd == AIO_FD_UNKNOWN)
		m->aio.op[op].request.fd = started_fd(m, step);
	if (aio->action == AIO_CLOSE)
		aio_fd_take(m, op);
	aio_fd_forget_fixed(m, op, -1);
	if (!aio_is_operation(aio))
		return;
	find_file(m, op, step->event->time);
	if (aio->flags & AIO_PASSES)
		position_pass(m, aio_op_table(m, op), m->aio.op[op].open);
	aio_out_begin(m, op, step->event->time);
	if (has_file(&m->aio.op[op].request))
		aio_out_issued(m, op, step->event->time);
}

static void step_start(struct model *m, const struct step *step)
{
	const struct aio *aio = &step->event->aio.step;
	uint32_t op = aio_op_find(m, step->process, aio);

	if (!aio->key && !aio->user_data) {
		struct aio_queue *queue = aio_queue_get(m, step->process, aio);

		queue->started_fd = aio->fd;
		queue->started_tid = m->task[step->task].tid;
		return;
	}
	if (op == ID_NONE || !aio_is_operation(&m->aio.op[op].request))
		return;
	m->aio.op[op].request.fd = aio->fd;
	find_file(m, op, step->event->time);
	aio_out_issued(m, op, step->event->time);
}

/* A read or write at an offset does not move the position of the file, but some records do not say whether there was an offset. */
static void forget_position(struct model *m, const struct aio_op *op)
{
	bool is_sure = op->request.offset != AIO_UNKNOWN && !(op->request.flags & AIO_POSITIONED);

	if (op->open != ID_NONE && op->request.action != AIO_FLUSH && !is_sure)
		open_description(m, op->open)->position = IO_OFFSET_UNKNOWN;
}

static void note_written(struct model *m, const struct aio_op *op, int64_t result)
{
	if (op->request.action == AIO_FLUSH && op->open != ID_NONE && result >= 0)
		mapping_written(m, open_description(m, op->open)->file);
}

/* Returns whether the result of an operation shows that there was no file. */
static bool was_without_file(const struct aio_op *op, int64_t result)
{
	return !op->is_decided && result == -EBADF;
}

static void complete_operation(struct model *m, uint32_t op, const struct step *step)
{
	int64_t result = step->event->aio.step.result;
	struct aio_op *o = &m->aio.op[op];

	aio_fixed_ended(m, op, step->event);
	if (was_without_file(o, result))
		aio_decide_none(m, op);
	aio_decide_now(m, op);
	forget_position(m, o);
	note_written(m, o, result);
	if (result == -ECANCELED)
		aio_out_cancelled(m, op, step->event->time, IO_END_ABORTED);
	else if (result < 0 && !o->done)
		aio_out_complete(m, op, step->event->time, IO_BYTES_UNDEFINED, (int)-result);
	else
		aio_out_complete(m, op, step->event->time,
				 o->done + (result > 0 ? (uint64_t)result : 0), 0);
}

static void step_complete(struct model *m, const struct step *step)
{
	const struct aio *aio = &step->event->aio.step;
	uint32_t op = aio_op_find(m, step->process, aio);

	if (op == ID_NONE) {
		tally_add(m->tally, orphan_completions, 1);
		return;
	}
	struct aio_op *o = &m->aio.op[op];

	if (o->request.action == AIO_OPEN && o->request.flags & AIO_DIRECT) {
		aio_fixed_opened(m, op, step->event);
	} else {
		aio_fd_forget_fixed(m, op, aio->result);
		if (o->request.action == AIO_OPEN)
			aio_fd_opened(m, op, step->event);
	}
	if (aio->flags & AIO_MORE) {
		o->done += aio->result > 0 ? (uint64_t)aio->result : 0;
		return;
	}
	if (o->request.action == AIO_CLOSE)
		aio_fd_closed(m, op, step->event);
	if (aio_is_operation(&o->request))
		complete_operation(m, op, step);
	end_flight(m, op);
}

/* Ends the requests that the filter selects. Removing one does not move the others. */
static void end_some(struct model *m, uint64_t time, enum io_end why, const void *context,
		     bool (*is_chosen)(const struct aio_op *op, const void *context))
{
	for (uint32_t i = 0; m->aio.in_flight && i < m->aio.ops.count; i++)
		if (m->aio.op[i].is_in_flight && is_chosen(&m->aio.op[i], context))
			end_unseen(m, i, time, why);
}

static bool is_of_queue(const struct aio_op *op, const void *context)
{
	const struct step *step = context;
	const struct aio *aio = &step->event->aio.step;

	return op->request.queue == aio->queue && op->request.api == aio->api &&
	       op->process == step->process;
}

/* The request never existed, unless its begin has already left the outbox. */
static void step_refuse(struct model *m, const struct step *step)
{
	uint32_t op = aio_op_find(m, step->process, &step->event->aio.step);

	if (op == ID_NONE)
		return;
	if (m->aio.op[op].is_begin_out)
		aio_out_cancelled(m, op, step->event->time, IO_END_ABORTED);
	else
		m->aio.op[op].is_discarded = m->aio.op[op].is_decided = m->is_unblocked = true;
	end_flight(m, op);
}

static void step_end(struct model *m, const struct step *step)
{
	end_some(m, step->event->time, IO_END_ABORTED, step, is_of_queue);
	aio_queue_end(m, step->process, &step->event->aio.step);
}

/*
 * A worker of the kernel ends requests of processes that end. It is no process of the recording, and a request of io_uring is known without
 * it.
 */
static bool ends_for_another(struct model *m, const struct event *event)
{
	const struct aio *aio = &event->aio.step;
	uint32_t op;

	if (aio->step != AIO_COMPLETE || aio->api != AIO_URING ||
	    process_find(m, event->pid) != MAP_NONE)
		return false;
	op = aio_op_find(m, ID_NONE, aio);
	if (op == ID_NONE)
		tally_add(m->tally, orphan_completions, 1);
	else
		step_complete(m, &(struct step){event, ID_NONE, m->aio.op[op].process});
	return true;
}

void aio_in(struct model *m, const struct event *event)
{
	const struct aio *aio = &event->aio.step;
	uint32_t task;
	struct step step;

	if (ends_for_another(m, event))
		return;
	task = task_get(m, event->pid, event->tid);
	step = (struct step){event, task, m->task[task].process};
	if (!process_is_recorded(m, step.process) || m->process[step.process].is_foreign)
		return;
	if (!m->trace.host.first_time)
		m->trace.host.first_time = event->time;
	m->aio.shows_uring |= aio->api == AIO_URING;
	switch (aio->step) {
	case AIO_QUEUE:
		aio_queue_begin(m, step.process, aio);
		break;
	case AIO_FILES:
		aio_queue_set_fixed(m, step.process, task_table(m, task), aio);
		break;
	case AIO_SUBMIT:
		step_submit(m, &step);
		break;
	case AIO_START:
		step_start(m, &step);
		break;
	case AIO_COMPLETE:
		step_complete(m, &step);
		break;
	case AIO_END:
		step_end(m, &step);
		break;
	case AIO_REFUSE:
		step_refuse(m, &step);
		break;
	case AIO_STEPS:
		break;
	}
}

static bool is_of_process(const struct aio_op *op, const void *context)
{
	return op->process == *(const uint32_t *)context;
}

void aio_process_end(struct model *m, uint32_t process)
{
	end_some(m, m->now, IO_END_ABORTED, &process, is_of_process);
	aio_queue_end_all(m, process);
}

static bool is_any(const struct aio_op *op, const void *context)
{
	(void)op;
	(void)context;
	return true;
}

void aio_end_all(struct model *m)
{
	end_some(m, m->trace.host.last_time, IO_END_RECORDING, NULL, is_any);
}

void aio_release(struct model *m)
{
	free(m->aio.op);
	free(m->aio.ops.free_id);
	for (enum aio_chain chain = 0; chain < AIO_CHAINS; chain++)
		map_release(&m->aio.chain[chain]);
	aio_queue_release(m);
}
