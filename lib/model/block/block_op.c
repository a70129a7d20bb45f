#include "block_op.h"

#include "device.h"
#include "device_out.h"
#include "device_sample.h"
#include "origin.h"
#include "request_index.h"

/* Nothing of a command is recorded before its exec, so earlier requests are not recorded either. */
static bool has_begun(const struct model *m)
{
	return m->trace.host.is_system || !m->trace.host.argv || m->trace.host.first_time;
}

uint32_t block_op_new(struct model *m, uint32_t device, const struct event *event,
		      const struct request *request)
{
	struct event here = *event;

	here.request = *request;
	uint32_t op = request_index_add(m, device, request);
	struct block_op *o = &m->block.op[op];

	o->begun = m->now;
	o->cause = origin_of(m, device, &here);
	o->rwbs = model_string(m, request->rwbs.at, request->rwbs.length);
	return op;
}

/* The direction in the samples of requests in flight: reads, or all others. */
static uint32_t direction(const struct block_op *o)
{
	return o->type != REQUEST_READ;
}

void block_op_show(struct model *m, uint32_t op, bool is_final)
{
	struct block_op *o = &m->block.op[op];

	o->is_counted = has_begun(m);
	o->is_recorded = o->is_counted &&
			 (m->trace.host.block != BLOCK_OWN || o->cause.is_recorded);
	m->block.work[o->device].in_flight[direction(o)] += o->is_counted;
	if (!o->is_recorded) {
		tally_add(m->tally, requests_excluded, 1);
		return;
	}
	if (!m->trace.host.first_time)
		m->trace.host.first_time = o->begun;
	sample_begin(m, o->device, o->begun);
	device_out_begin(m, op, is_final);
}

void block_op_issue(struct model *m, uint32_t op, const struct request *request)
{
	struct block_op *o = &m->block.op[op];

	o->state = BLOCK_ISSUED;
	o->sectors = request->sectors;
	o->issued = m->now;
	o->is_doubtful = false;
	request_index_move(m, op, request->sector); /* behind all others at this sector */
	device_out_issue(m, op);
}

static void release(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (o->is_counted)
		m->block.work[o->device].in_flight[direction(o)]--;
	request_index_remove(m, op);
}

static void finish(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];
	uint32_t device = o->device;
	bool is_counted = o->is_counted;

	if (is_counted)
		sample_add(m, o);
	device_out_complete(m, op);
	release(m, op);
	if (is_counted)
		sample_at_event(m, device);
}

/* A part of a split bio has ended. The operation ends with the last part. */
static void finish_part(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];
	uint32_t whole = o->whole == ID_NONE ? op : o->whole;
	struct block_op *w = &m->block.op[whole];

	if (whole == op) {
		w->state = BLOCK_ENDED;
	} else {
		w->done += o->done;
		w->error = w->error ? w->error : o->error;
		w->parts--;
		request_index_remove(m, op);
	}
	if (w->state == BLOCK_ENDED && !w->parts)
		finish(m, whole);
}

/* A write with a flush behind it ends a second time after the flush. At sector 0, that looks like the end of a flush alone. */
static void note_second_end(struct model *m, const struct block_op *o)
{
	if (o->type == REQUEST_WRITE && !o->sector && o->cause.has_flush && !o->is_bio)
		m->block.work[o->device].second_ends++;
}

void block_op_complete(struct model *m, uint32_t op, const struct request *request)
{
	struct block_op *o = &m->block.op[op];
	bool is_part = request->sectors < o->sectors;

	/* A waiting request may have grown since it was last seen. */
	if (o->state != BLOCK_ISSUED && o->sectors < request->sectors)
		o->sectors = request->sectors;
	if (o->state != BLOCK_ISSUED)
		device_out_issue(m, op);
	if (request->error)
		o->error = request->error;
	else
		o->done += (uint64_t)request->sectors * 512;
	if (o->whole == ID_NONE)
		device_count(m, o->device, o->type, request->sectors, !is_part);
	else
		device_count(m, o->device, o->type, request->sectors, false);
	if (is_part) {
		tally_add(m->tally, requests_partial, 1);
		o->sectors -= request->sectors;
		request_index_move(m, op, o->sector + request->sectors);
		return;
	}
	o->sectors = 0;
	note_second_end(m, o);
	finish_part(m, op);
}

void block_op_cancel(struct model *m, uint32_t op, enum io_end why)
{
	device_out_cancel(m, op, why);
	release(m, op);
}

void block_op_merge(struct model *m, uint32_t op)
{
	device_out_merge(m, op);
	release(m, op);
}
