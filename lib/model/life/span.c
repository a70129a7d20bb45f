#include "span.h"

#include "aio/aio_in.h"
#include "out/outbox.h"
#include "task/location.h"
#include "task/task.h"

#include <stdlib.h>
#include <sys/wait.h>

static struct span_location *location_of(struct model *m, thread_id location)
{
	MEM_GROW(m->spans.location, m->spans.locations, location + 1);
	return &m->spans.location[location];
}

static uint32_t *first_of(struct model *m, thread_id location)
{
	process_id process = m->trace.thread[location].process;

	MEM_GROW(m->spans.first, m->spans.firsts, process + 1);
	return &m->spans.first[process];
}

/* Returns the handle of the span in this process. It exists as long as the process, so it is pre-created. */
static handle_id handle_of_span(struct model *m, process_id process, uint32_t span)
{
	uint64_t key = map_key(process, span);
	handle_id id = map_get(&m->spans.handle_of, key);

	if (id != MAP_NONE)
		return id;
	id = m->trace.handles;
	COLD_GROW(&m->trace.handle_area, m->trace.handle, m->trace.handles_cap, id + 1);
	m->trace.handle[id] = (struct trace_handle){.process = process,
						    .file = ID_NONE,
						    .name = m->trace.span[span].name,
						    .is_pre_created = true,
						    .is_span = true};
	m->trace.handles++;
	map_set(&m->spans.handle_of, key, id);
	return id;
}

static void emit(struct model *m, const struct span_slot *slot, enum io_event_kind kind,
		 uint64_t time, const struct model_span *span, int end)
{
	struct io_event event = {.kind = kind,
				 .thread = slot->location,
				 .time = time,
				 .handle = slot->handle};

	if (slot->handle == ID_NONE) {
		event.region.id = m->trace.span[slot->span].region;
		event.region.file = ID_NONE;
		event.region.is_cut = end != SPAN_NO_REASON;
		event.region.end = (enum io_end)(end == SPAN_NO_REASON ? 0 : end);
		event.region.span = &span->what;
	} else {
		event.op.id = slot->id;
		event.op.mode = IO_MODE_FLUSH; /* it moves no data of a file */
		event.op.bytes = span->bytes ? span->bytes : IO_BYTES_UNDEFINED;
		event.op.offset = IO_OFFSET_UNKNOWN;
		event.op.is_non_blocking = true;
		event.op.file = ID_NONE;
		event.op.end = (enum io_end)(end == SPAN_NO_REASON ? 0 : end);
		event.op.span = kind == IO_OP_BEGIN || kind == IO_OP_COMPLETE ? &span->what : NULL;
	}
	out_emit_beside(m, &event, ID_NONE, ID_NONE);
}

static void begin_region(struct model *m, uint32_t slot, const struct model_span *span)
{
	struct span_location *location = location_of(m, m->spans.slot[slot].location);

	m->spans.slot[slot].after = location->region - 1;
	location->region = slot + 1;
	emit(m, &m->spans.slot[slot], IO_ENTER, span->time, span, SPAN_NO_REASON);
}

static void begin_operation(struct model *m, uint32_t slot, const struct model_span *span)
{
	struct span_slot *s = &m->spans.slot[slot];
	uint32_t *first = first_of(m, s->location);

	s->id = m->next_op++;
	s->handle = handle_of_span(m, m->trace.thread[s->location].process, s->span);
	s->before = ID_NONE;
	s->after = *first - 1;
	if (s->after != ID_NONE)
		m->spans.slot[s->after].before = slot;
	*first = slot + 1;
	location_of(m, s->location)->busy++;
	emit(m, s, IO_OP_BEGIN, span->time, span, SPAN_NO_REASON);
	emit(m, s, IO_OP_ISSUED, span->time, span, SPAN_NO_REASON);
}

static void end_region(struct model *m, uint32_t slot, const struct model_span *span, int end)
{
	struct span_slot *s = &m->spans.slot[slot];

	m->spans.location[s->location].region = s->after + 1;
	emit(m, s, IO_LEAVE, span->time, span, end);
	s->location = ID_NONE;
}

/* Ends inner regions first, whose ends were not seen. */
static void end_region_with_inner(struct model *m, uint32_t slot, const struct model_span *span,
				  int end)
{
	const struct span_location *location = &m->spans.location[m->spans.slot[slot].location];

	while (location->region != slot + 1) {
		uint32_t inner = location->region - 1;
		struct model_span cut = {.time = span->time,
					 .what = {.begun = m->spans.slot[inner].begun}};

		end_region(m, inner, &cut, IO_END_LOST);
	}
	end_region(m, slot, span, end);
}

static void end_operation(struct model *m, uint32_t slot, const struct model_span *span, int end)
{
	struct span_slot *s = &m->spans.slot[slot];
	thread_id location = s->location;

	if (s->before != ID_NONE)
		m->spans.slot[s->before].after = s->after;
	else
		*first_of(m, location) = s->after + 1;
	if (s->after != ID_NONE)
		m->spans.slot[s->after].before = s->before;
	emit(m, s, end == SPAN_NO_REASON ? IO_OP_COMPLETE : IO_OP_CANCELLED, span->time, span, end);
	s->location = ID_NONE;
	m->spans.location[location].busy--;
	if (m->trace.thread[location].is_ending && !aio_is_busy(m, location))
		location_end(m, location);
}

void span_begin(struct model *m, const struct model_span *span, uint32_t task)
{
	struct span_slot *slot;

	MEM_GROW(m->spans.slot, m->spans.slots_cap, span->slot + 1);
	while (m->spans.slots <= span->slot)
		m->spans.slot[m->spans.slots++].location = ID_NONE;
	slot = &m->spans.slot[span->slot];
	*slot = (struct span_slot){.location = ID_NONE,
				   .span = span->span,
				   .begun = span->time,
				   .handle = ID_NONE};
	if (task == MAP_NONE) {
		tally_add(m->tally, spans_unplaced, 1);
		return;
	}
	if (!process_is_recorded(m, m->task[task].process))
		return;
	slot->location = task_location(m, task, span->time);
	if (m->trace.span[span->span].region == ID_NONE)
		begin_operation(m, span->slot, span);
	else
		begin_region(m, span->slot, span);
}

void span_end(struct model *m, const struct model_span *span, int why)
{
	uint32_t slot = span->slot;

	if (slot >= m->spans.slots || m->spans.slot[slot].location == ID_NONE)
		return;
	if (m->spans.slot[slot].handle == ID_NONE)
		end_region_with_inner(m, slot, span, why);
	else
		end_operation(m, slot, span, why);
}

static void cut_regions(struct model *m, thread_id location, uint64_t time, enum io_end why)
{
	while (location < m->spans.locations && m->spans.location[location].region) {
		uint32_t slot = m->spans.location[location].region - 1;
		const struct model_span cut = {.time = time,
					       .what = {.begun = m->spans.slot[slot].begun}};

		end_region(m, slot, &cut, (int)why);
	}
}

static enum io_end reason(const struct model *m, uint32_t process)
{
	int32_t status = m->process[process].status;

	return status >= 0 && WIFSIGNALED(status) ? IO_END_DEATH : IO_END_EXIT;
}

void span_thread_end(struct model *m, uint32_t task)
{
	if (m->task[task].location != ID_NONE)
		cut_regions(m, m->task[task].location, m->now, reason(m, m->task[task].process));
}

/* The processes of the shared group have one list of operations. So these end when their spans end. */
void span_process_end(struct model *m, uint32_t process)
{
	process_id group = m->process[process].group;
	const struct model_span cut = {.time = m->now};

	if (group == m->shared_group || group >= m->spans.firsts)
		return;
	while (m->spans.first[group])
		end_operation(m, m->spans.first[group] - 1, &cut, (int)reason(m, process));
}

void span_lost(struct model *m, uint64_t time)
{
	for (thread_id i = 0; i < m->spans.locations; i++)
		cut_regions(m, i, time, IO_END_LOST);
}

void span_release(struct model *m)
{
	free(m->spans.slot);
	free(m->spans.location);
	free(m->spans.first);
	map_release(&m->spans.handle_of);
}
