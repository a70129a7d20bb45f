/*
 * request: the steps of block requests. See request.h and block_state.h.
 *
 * The begin is insert or issue, whichever comes first. A request that its driver gives back and issues again is one operation. If
 * no request fits a completion, it is either the second end of a request with a flush (without sectors; its data ended before),
 * or the begin was not seen.
 */
#include "request.h"

#include "bio.h"
#include "block_op.h"
#include "device.h"
#include "device_out.h"
#include "origin.h"
#include "request_index.h"

#include <stdlib.h>

/*
 * The kernel's counter of a perf event includes samples that were not delivered. BPF programs that the kernel did not run have no
 * such counter. So an end that must have happened is counted here, unless it may be among the lost records.
 */
static void note_unseen_end(struct model *m, const struct block_op *o)
{
	if (!o->key || o->is_bio || o->is_doubtful)
		return;
	m->block.work[o->device].unseen_ends++;
	m->trace.unseen_ends++;
}

/* The request's address is used again, so the earlier request has ended unseen. */
static void end_earlier_life(struct model *m, const struct request *request)
{
	uint32_t op = request->key ? map_get(&m->block.op_by_key, request->key) : MAP_NONE;

	if (op == MAP_NONE)
		return;
	note_unseen_end(m, &m->block.op[op]);
	block_op_cancel(m, op, IO_END_LOST);
}

static void step_insert(struct model *m, uint32_t device, const struct event *event,
			const struct request *request)
{
	static const struct wanted given_back = {.states = BLOCK_REQUEUED, .is_exact = true};
	uint32_t op = request_index_find(m, device, request, &given_back);

	if (op == ID_NONE) {
		end_earlier_life(m, request);
		op = block_op_new(m, device, event, request);
		block_op_show(m, op, false);
	}
	m->block.op[op].state = BLOCK_INSERTED;
}

/* Returns the request that is issued a second time although no step gave it back. It can only be found by its key. */
static uint32_t issued_before(struct model *m, uint32_t device, const struct request *request)
{
	static const struct wanted same = {.states = BLOCK_ISSUED, .is_exact = true};
	uint32_t op = request->key ? request_index_find(m, device, request, &same) : ID_NONE;

	return op != ID_NONE && m->block.op[op].sector == request->sector ? op : ID_NONE;
}

static void step_issue(struct model *m, uint32_t device, const struct event *event,
		       const struct request *request)
{
	static const struct wanted waiting = {.states = BLOCK_INSERTED | BLOCK_REQUEUED};
	uint32_t op = request_index_find(m, device, request, &waiting);

	if (op == ID_NONE)
		op = issued_before(m, device, request);
	if (op == ID_NONE) {
		end_earlier_life(m, request);
		op = block_op_new(m, device, event, request);
		block_op_show(m, op, true);
	}
	block_op_issue(m, op, request);
}

/* A driver usually gives back the request that it got last. */
static void step_requeue(struct model *m, uint32_t device, const struct event *event,
			 const struct request *request)
{
	static const struct wanted latest = {.states = BLOCK_ISSUED, .is_last = true};
	uint32_t op = request_index_find(m, device, request, &latest);

	(void)event;
	tally_add(m->tally, requests_requeued, 1);
	if (op != ID_NONE)
		m->block.op[op].state = BLOCK_REQUEUED;
}

/* The request of the event is gone; the other one has grown. A request that was never inserted never began. */
static void step_merge(struct model *m, uint32_t device, const struct event *event,
		       const struct request *request)
{
	static const struct wanted waiting = {.states = BLOCK_INSERTED | BLOCK_REQUEUED};
	uint32_t op = request_index_find(m, device, request, &waiting);

	(void)event;
	tally_add(m->tally, requests_merged, 1);
	device_count_merge(m, device, request->type);
	if (op != ID_NONE)
		block_op_merge(m, op);
}

/* A bio merged before a request moves its begin. The issue shows the new size. */
static void step_bio_merge(struct model *m, uint32_t device, const struct event *event,
			   const struct request *request)
{
	static const struct wanted waiting = {.states = BLOCK_INSERTED};
	struct request before = *request;

	(void)event;
	device_count_merge(m, device, request->type);
	before.sector = request->old_sector;
	uint32_t op = before.sector == SECTOR_NONE || before.key
			      ? ID_NONE
			      : request_index_find(m, device, &before, &waiting);

	if (op == ID_NONE)
		return;
	m->block.op[op].sectors += request->sectors;
	request_index_move(m, op, request->sector);
}

/* The completion fits no request. */
static void orphan(struct model *m, uint32_t device, const struct request *request)
{
	struct device_work *w = &m->block.work[device];
	bool is_second = !request->sectors && request->type != REQUEST_FLUSH;

	if (!is_second) {
		tally_add(m->tally, requests_orphan, 1);
		device_count(m, device, request->type, request->sectors, true);
		return;
	}
	tally_add(m->tally, requests_flushed, 1);
	/* The kernel counts a flush without data as a write; one with data was counted before. */
	if (request->sector)
		return;
	if (w->second_ends)
		w->second_ends--;
	else
		device_count(m, device, request->type, 0, true);
}

static void step_complete(struct model *m, uint32_t device, const struct event *event,
			  const struct request *request)
{
	static const struct wanted any = {.states = BLOCK_ISSUED | BLOCK_INSERTED | BLOCK_REQUEUED,
					  .is_completion = true};
	uint32_t op = request_index_find(m, device, request, &any);

	(void)event;
	if (op != ID_NONE)
		block_op_complete(m, op, request);
	else
		orphan(m, device, request);
}

/* The kernel has moved a bio to another device. */
static void step_remap(struct model *m, uint32_t device, const struct event *event,
		       const struct request *request)
{
	uint32_t upper = device_get(m, request->old_dev);

	(void)event;
	if (upper == ID_NONE)
		return;
	device_over(m, upper, device);
	origin_copy(m, upper, request->old_sector, device, request->sector);
}

typedef void (*step_function)(struct model *m, uint32_t device, const struct event *event,
			      const struct request *request);

static const struct {
	step_function function; /* NULL: another step says the same */
	bool is_of_request;
} steps[REQUEST_STEPS] = {
	[REQUEST_BIO_QUEUE] = {bio_queue, false},
	[REQUEST_BIO_COMPLETE] = {bio_complete, false},
	[REQUEST_BIO_REMAP] = {step_remap, false},
	[REQUEST_BIO_MERGE] = {step_bio_merge, false},
	[REQUEST_SPLIT] = {bio_split, false},
	[REQUEST_INSERT] = {step_insert, true},
	[REQUEST_MERGE] = {step_merge, true},
	[REQUEST_ISSUE] = {step_issue, true},
	[REQUEST_REQUEUE] = {step_requeue, true},
	[REQUEST_COMPLETE] = {step_complete, true},
	[REQUEST_ERROR] = {NULL, true},
};

/* A flush and a command have no sector; some steps have sector 0, others -1. */
static struct request normal(const struct request *request)
{
	struct request r = *request;

	if (r.type == REQUEST_FLUSH || r.type == REQUEST_OTHER)
		r.sector = SECTOR_NONE;
	return r;
}

void request_step(struct model *m, const struct event *event)
{
	uint32_t device = device_get(m, event->request.dev);
	struct request request = normal(&event->request);

	if (request.step >= REQUEST_STEPS || request.type >= REQUEST_KINDS)
		return;
	if (device == ID_NONE) {
		tally_add(m->tally, requests_excluded, request.step == REQUEST_ISSUE);
		return;
	}
	if (steps[request.step].is_of_request)
		bio_device_has_requests(m, device);
	if (steps[request.step].function)
		steps[request.step].function(m, device, event, &request);
}

void request_doubt_all(struct model *m)
{
	for (uint32_t i = 0; i < m->block.ops.count; i++)
		m->block.op[i].is_doubtful = true;
}

/*
 * According to its own counter, a device had this number of requests in flight when it was read: the ones that began last. The ends
 * of all others were not seen. What began later, until the events were stopped, may still be in flight.
 */
static int by_device_and_begin(const void *a, const void *b)
{
	const struct block_op *const *x = a, *const *y = b;

	if ((*x)->device != (*y)->device)
		return (*x)->device < (*y)->device ? -1 : 1;
	return (*x)->begun < (*y)->begun ? 1 : -1;
}

static bool is_later(const struct model *m, const struct block_op *o)
{
	return o->begun >= m->block.work[o->device].last_stat_at;
}

/* A request that waits in a scheduler is not in the counter of some kernels. */
static bool is_lost(const struct model *m, const struct block_op *o, uint32_t later)
{
	enum { IN_FLIGHT = 8 }; /* column of /sys/block/DEV/stat */
	const struct device_work *w = &m->block.work[o->device];

	if (!w->has_last_stat || o->is_bio || is_later(m, o))
		return false;
	return later >= m->trace.device[o->device].stat[1][IN_FLIGHT] &&
	       (o->state == BLOCK_ISSUED || w->unseen_ends < device_uncounted(m, o->device));
}

void request_end_all(struct model *m)
{
	struct block *b = &m->block;
	struct block_op **open = mem_array(b->ops.count ? b->ops.count : 1,
					   sizeof(struct block_op *));
	uint32_t n = 0, later = 0;

	for (uint32_t i = 0; i < m->trace.devices; i++)
		bio_end_of(m, i);
	for (uint32_t i = 0; i < b->ops.count; i++)
		if (b->op[i].device != ID_NONE && b->op[i].whole == ID_NONE)
			open[n++] = &b->op[i];
	qsort(open, n, sizeof(struct block_op *), by_device_and_begin);
	for (uint32_t i = 0; i < n; i++) {
		bool is;

		if (!i || open[i]->device != open[i - 1]->device)
			later = 0;
		is = is_lost(m, open[i], later);
		later += !is_later(m, open[i]);
		if (is &&
		    b->work[open[i]->device].unseen_ends < device_uncounted(m, open[i]->device))
			note_unseen_end(m, open[i]);
		device_out_cancel(m, (uint32_t)(open[i] - b->op),
				  is ? IO_END_LOST : IO_END_RECORDING);
	}
	free(open);
}
