#include "pause_filter.h"

#include <iotrace/pause.h>

enum part {
	PART_STATE,     /* later events depend on it */
	PART_CALL,      /* passes with its call, or alone */
	PART_OPERATION, /* passes with its begin */
};

static const enum part part_of[IO_EVENT_KINDS] = {
	[IO_ENTER] = PART_CALL,
	[IO_LEAVE] = PART_CALL,
	[IO_SEEK] = PART_CALL,
	[IO_DELETE_FILE] = PART_CALL,
	[IO_TRY_LOCK] = PART_CALL,
	[IO_METRIC] = PART_CALL,
	[IO_PARAMETER] = PART_CALL,
	[IO_OP_BEGIN] = PART_OPERATION,
	[IO_OP_ISSUED] = PART_OPERATION,
	[IO_OP_COMPLETE] = PART_OPERATION,
	[IO_OP_CANCELLED] = PART_OPERATION,
};

static bool is_outside(const struct model *m, uint64_t time)
{
	return time < m->out.since || trace_is_paused(&m->trace, time);
}

static struct out_pause *call_of(struct model *m, thread_id thread)
{
	MEM_GROW(m->out.pause, m->out.pauses, thread + 1);
	return &m->out.pause[thread];
}

/* The end of a call that began before the first pause passes. */
static bool pass_call(struct model *m, const struct io_event *event)
{
	struct out_pause *call = call_of(m, event->thread);
	bool is_out = call->is_in_call ? !call->is_excluded
				       : event->kind == IO_LEAVE || !is_outside(m, event->time);

	if (event->kind == IO_ENTER) {
		call->is_in_call = true;
		call->is_excluded = !is_out;
	} else if (event->kind == IO_LEAVE) {
		call->is_in_call = false;
	}
	return is_out;
}

static bool pass_operation(struct model *m, const struct io_event *event)
{
	bool is_begin = event->kind == IO_OP_BEGIN;
	bool is_end = event->kind == IO_OP_COMPLETE || event->kind == IO_OP_CANCELLED;
	bool is_excluded;

	if (is_begin && !pass_call(m, event)) {
		map_set(&m->out.paused, event->op.id, 1);
		return false;
	}
	is_excluded = !is_begin && map_get(&m->out.paused, event->op.id) != MAP_NONE;
	if (is_end && is_excluded)
		map_remove(&m->out.paused, event->op.id);
	return !is_excluded;
}

/* The region of a span, in which there may be calls. */
static bool is_of_span(const struct model *m, const struct io_event *event)
{
	return (event->kind == IO_ENTER || event->kind == IO_LEAVE) &&
	       m->trace.region[event->region.id].source == REGION_SPAN;
}

bool pause_filter_passes(struct model *m, const struct io_event *event)
{
	if ((!m->trace.pauses && !m->out.since) || event->thread == ID_NONE)
		return true;
	if (is_of_span(m, event))
		return !is_outside(m, event->region.span->begun);
	switch (part_of[event->kind]) {
	case PART_CALL:
		return pass_call(m, event);
	case PART_OPERATION:
		return pass_operation(m, event);
	case PART_STATE:
		break;
	}
	return true;
}
