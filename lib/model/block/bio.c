#include "bio.h"

#include "block_op.h"
#include "device_out.h"
#include "origin.h"
#include "request_index.h"

#include <stdlib.h>

enum { PENDING_MAX = 1 << 14 }; /* bios beyond this number have no recorded end */

/* A bio without data was queued for its flush. Its sector means nothing: a bio that is split keeps it. */
static struct request normal(const struct request *request)
{
	struct request r = *request;

	r.key = 0;
	if (r.type == REQUEST_WRITE && !r.sectors) {
		r.type = REQUEST_FLUSH;
		r.sector = SECTOR_NONE;
	}
	return r;
}

static void forget_pending(struct device_work *w)
{
	free(w->pending);
	w->pending = NULL;
	w->pendings = w->pending_cap = 0;
}

/* The device has requests, so the requests are recorded instead of its bios. */
static void drop_pending(struct model *m, uint32_t device)
{
	struct device_work *w = &m->block.work[device];

	for (uint32_t i = 0; i < w->pendings; i++)
		request_index_remove(m, w->pending[i]);
	forget_pending(w);
}

/* The bio began when it was queued, and was issued at once. */
static void show(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	o->state = BLOCK_ISSUED;
	o->issued = o->begun;
	block_op_show(m, op, true);
	device_out_issue(m, op);
}

static void has_bios(struct model *m, uint32_t device)
{
	struct device_work *w = &m->block.work[device];

	w->kind = DEVICE_OF_BIOS;
	for (uint32_t i = 0; i < w->pendings; i++)
		show(m, w->pending[i]);
	forget_pending(w);
}

static void pend(struct model *m, uint32_t device, uint32_t op)
{
	struct device_work *w = &m->block.work[device];

	MEM_GROW(w->pending, w->pending_cap, w->pendings + 1);
	w->pending[w->pendings++] = op;
	if (w->pendings < PENDING_MAX)
		return;
	tally_add(m->tally, bios_skipped, w->pendings);
	drop_pending(m, device);
	w->kind = DEVICE_OF_REQUESTS;
}

void bio_queue(struct model *m, uint32_t device, const struct event *event,
	       const struct request *request)
{
	struct device_work *w = &m->block.work[device];
	struct request bio = normal(request);

	w->has_bios = true;
	origin_queued(m, device, event);
	if (w->kind == DEVICE_OF_REQUESTS)
		return;
	uint32_t op = block_op_new(m, device, event, &bio);

	m->block.op[op].is_bio = true;
	m->block.op[op].state = BLOCK_QUEUED;
	if (w->kind == DEVICE_OF_BIOS)
		show(m, op);
	else
		pend(m, device, op);
}

void bio_complete(struct model *m, uint32_t device, const struct event *event,
		  const struct request *request)
{
	static const struct wanted bios = {.states = BLOCK_QUEUED | BLOCK_ISSUED,
					   .is_completion = true};
	struct request bio = normal(request);

	(void)event;
	/* It failed before it became part of a request. */
	if (m->block.work[device].kind == DEVICE_OF_REQUESTS) {
		tally_add(m->tally, bios_skipped, 1);
		return;
	}
	uint32_t op = request_index_find(m, device, &bio, &bios);

	if (op == ID_NONE) {
		tally_add(m->tally, requests_orphan, 1);
		return;
	}
	has_bios(m, device);
	block_op_complete(m, op, &bio);
}

/* The rest has an end of its own; both together are one operation. */
static void cut(struct model *m, uint32_t device, const struct event *event,
		const struct request *request)
{
	static const struct wanted bios = {.states = BLOCK_QUEUED | BLOCK_ISSUED};
	struct request rest = normal(request);
	uint32_t op = request_index_find(m, device, &rest, &bios);
	uint32_t first = request->sectors;

	if (op == ID_NONE || !first || first >= m->block.op[op].sectors)
		return;
	rest.sector += first;
	rest.sectors = m->block.op[op].sectors - first;
	uint32_t part = block_op_new(m, device, event, &rest);
	uint32_t whole = m->block.op[op].whole == ID_NONE ? op : m->block.op[op].whole;

	m->block.op[op].sectors = first;
	m->block.op[part].state = BLOCK_ISSUED;
	m->block.op[part].is_bio = true;
	m->block.op[part].whole = whole;
	m->block.op[whole].parts++;
}

void bio_split(struct model *m, uint32_t device, const struct event *event,
	       const struct request *request)
{
	origin_copy(m, device, request->sector, device, request->old_sector);
	if (m->block.work[device].kind == DEVICE_OF_BIOS)
		cut(m, device, event, request);
}

/* Cancels the bios of a device whose requests are recorded: they are parts of requests. */
static void cancel_bios(struct model *m, uint32_t device)
{
	struct block *b = &m->block;

	for (uint32_t i = 0; i < b->ops.count; i++) {
		if (b->op[i].device != device || !b->op[i].is_bio)
			continue;
		if (b->op[i].whole == ID_NONE)
			block_op_cancel(m, i, IO_END_LOST);
		else
			request_index_remove(m, i);
	}
}

void bio_device_has_requests(struct model *m, uint32_t device)
{
	struct device_work *w = &m->block.work[device];

	if (w->kind == DEVICE_OF_REQUESTS)
		return;
	if (w->kind == DEVICE_OF_BIOS)
		cancel_bios(m, device);
	drop_pending(m, device);
	w->kind = DEVICE_OF_REQUESTS;
}

/* A device without a scheduler, not even "none", has no requests: its bios are still in flight. */
void bio_end_of(struct model *m, uint32_t device)
{
	const struct trace_device *d = &m->trace.device[device];
	struct device_work *w = &m->block.work[device];

	if (d->is_known && !d->scheduler) {
		has_bios(m, device);
		return;
	}
	tally_add(m->tally, bios_skipped, w->pendings);
	drop_pending(m, device);
}
