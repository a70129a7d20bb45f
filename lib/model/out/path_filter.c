#include "path_filter.h"

#include "file/name_filter.h"
#include "out_send.h"

#include <stdlib.h>

enum verdict { UNKNOWN, WANTED, EXCLUDED };

/* The processes of the shared group may have any selection. */
static bool is_of_open_wanted(struct model *m, uint32_t selection, uint32_t open)
{
	const struct open *o = &m->open[open];

	if (o->is_excluded || !m->choice.is_ours)
		return !o->is_excluded;
	return name_is_wanted(m, selection, open_description(m, open)->name);
}

/* Returns the verdict about the file that a record concerns. */
static enum verdict verdict_of(struct model *m, const struct io_event *event, uint32_t open)
{
	uint32_t selection = m->trace.thread[event->thread].selection;
	file_id file = ID_NONE;

	if (open != ID_NONE)
		return is_of_open_wanted(m, selection, open) ? WANTED : EXCLUDED;
	if (event->kind == IO_ENTER)
		file = event->region.file;
	else if (event->kind == IO_DELETE_FILE)
		file = event->delete_file.file;
	else if (event->kind == IO_LEAVE && event->region.path)
		return name_is_wanted(m, selection, event->region.path) ? WANTED : EXCLUDED;
	if (file == ID_NONE)
		return UNKNOWN;
	return name_is_wanted(m, selection, m->trace.file[file].path) ? WANTED : EXCLUDED;
}

static struct region *region_of(struct model *m, thread_id thread)
{
	MEM_GROW(m->out.region, m->out.regions, thread + 1);
	return &m->out.region[thread];
}

/* Whether the event belongs to no call and no file. */
static bool is_independent(const struct model *m, const struct io_event *event)
{
	switch (event->kind) {
	case IO_PARAMETER:
		return true;
	case IO_METRIC:
		return !m->trace.series[event->metric.series].is_of_calls;
	case IO_ENTER:
	case IO_LEAVE:
		return m->trace.region[event->region.id].source == REGION_SPAN;
	default:
		return m->trace.thread[event->thread].kind != LOCATION_THREAD ||
		       (event->handle < m->trace.handles && m->trace.handle[event->handle].is_span);
	}
}

/* Defines the location, its process, and the process that created it. */
static void list_location(struct model *m, thread_id thread)
{
	const struct region *region = region_of(m, thread);
	process_id group = m->trace.thread[thread].process;

	if (!m->trace.thread[thread].is_excluded)
		return;
	m->trace.thread[thread].is_excluded = false;
	for (; group != ID_NONE && m->trace.process[group].is_excluded;
	     group = m->trace.process[group].parent)
		m->trace.process[group].is_excluded = false;
	if (region->has_begin)
		out_send(m, &region->begin);
}

/* Sends the begin of a call that has waited. */
static void release_enter(struct model *m, const struct io_event *enter)
{
	list_location(m, enter->thread);
	out_send(m, enter);
}

/* A failed call has no open file, but may have named one. A call that concerns no file at all passes unless --path is given. */
static bool pass_leave(struct model *m, const struct io_event *event, struct region *region,
		       enum verdict verdict)
{
	uint32_t selection = m->trace.thread[event->thread].selection;
	bool is_wanted = verdict == WANTED ||
			 (verdict == UNKNOWN && !name_filter_has_inclusions(m, selection));
	bool is_out = region->state == GONE_OUT;

	if (region->state == WAITING && !region->has_excluded && is_wanted) {
		release_enter(m, &region->enter);
		is_out = true;
	}
	tally_add(m->tally, records_excluded, region->state == WAITING && !is_out);
	m->trace.filters.calls_elsewhere += !is_out;
	region->state = OUTSIDE;
	return is_out;
}

static bool pass_enter(struct region *region, const struct io_event *event, enum verdict verdict)
{
	region->state = verdict == WANTED ? GONE_OUT : WAITING;
	region->has_excluded = verdict == EXCLUDED;
	region->enter = *event;
	return verdict == WANTED;
}

static bool pass_inner(struct model *m, struct region *region, enum verdict verdict)
{
	region->has_excluded |= verdict == EXCLUDED;
	if (verdict == UNKNOWN)
		return region->state == GONE_OUT;
	if (verdict == WANTED && region->state == WAITING) {
		release_enter(m, &region->enter);
		region->state = GONE_OUT;
	}
	return verdict == WANTED;
}

/* A begin and an end pass only if something between them passes. Returns whether the event passes now. */
static bool pass_life(struct model *m, const struct io_event *event)
{
	bool is_begin = event->kind == IO_PROGRAM_BEGIN || event->kind == IO_THREAD_BEGIN;
	bool is_excluded = m->trace.thread[event->thread].is_excluded;

	if (is_begin && is_excluded) {
		struct region *region = region_of(m, event->thread);

		region->begin = *event;
		region->has_begin = true;
	}
	return !is_excluded;
}

static bool is_of_life(const struct io_event *event)
{
	return event->kind == IO_PROGRAM_BEGIN || event->kind == IO_PROGRAM_END ||
	       event->kind == IO_THREAD_BEGIN || event->kind == IO_THREAD_END;
}

static bool pass_of_call(struct model *m, const struct io_event *event, uint32_t open)
{
	struct region *region = region_of(m, event->thread);
	bool is_out;

	if (event->kind == IO_LEAVE)
		is_out = pass_leave(m, event, region, verdict_of(m, event, open));
	else if (event->kind == IO_ENTER)
		return pass_enter(region, event, verdict_of(m, event, open));
	else
		is_out = pass_inner(m, region, verdict_of(m, event, open));
	if (!is_out)
		tally_add(m->tally, records_excluded, 1);
	return is_out;
}

bool path_filter_passes(struct model *m, const struct io_event *event, uint32_t open)
{
	if (!m->has_names || event->thread == ID_NONE ||
	    !m->selection[m->trace.thread[event->thread].selection].names)
		return true;
	if (is_of_life(event))
		return pass_life(m, event);
	if (!is_independent(m, event) && !pass_of_call(m, event, open))
		return false;
	list_location(m, event->thread);
	return true;
}
