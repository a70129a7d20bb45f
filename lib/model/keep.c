/*
 * keep: a call is kept with all its records if one of them is of a file that is wanted.
 */
#include "keep.h"

#include "op.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 4096 };

enum verdict { UNKNOWN, WANTED, UNWANTED };

/* A location; its thread is between the begin and the end of a call, or not. */
struct region {
	enum { OUTSIDE, WAITING, GONE_OUT } state;
	bool is_unwanted; /* something in it is */
	struct io_event enter;
	struct io_event begin; /* of the thread or its program, that waits */
	bool has_begin;
};

struct keep {
	struct keep_glob {
		bool is_exclusion;
		str_id glob;
	} * glob;
	uint32_t globs, cap, inclusions;
	bool is_partial;  /* some may match a file, and not what is below it; or what is no path */
	uint8_t *verdict; /* by str_id */
	uint32_t verdicts;
	struct region *region; /* by thread_id */
	uint32_t regions;
};

/* Returns whether the pattern is of paths, and matches all that is below what it matches. */
static bool is_of_tree(const char *glob)
{
	size_t length = strlen(glob);

	return length >= 2 && glob[0] == '/' && glob[length - 1] == '*' && glob[length - 2] != '\\';
}

void keep_add(struct model *m, bool is_exclusion, str_id glob)
{
	if (!m->keep)
		m->keep = mem_zero(sizeof(*m->keep));
	struct keep *k = m->keep;

	MEM_GROW(k->glob, k->cap, k->globs + 1);
	k->glob[k->globs++] = (struct keep_glob){is_exclusion, glob};
	k->inclusions += !is_exclusion;
	k->is_partial |= is_exclusion || !is_of_tree(model_text(m, glob));
}

void keep_release(struct model *m)
{
	if (!m->keep)
		return;
	free(m->keep->glob);
	cold_area_release(&m->area[AREA_VERDICTS], m->keep->verdict);
	free(m->keep->region);
	free(m->keep);
}

static bool judge(const struct model *m, const char *name)
{
	const struct keep *k = m->keep;
	bool is_included = !k->inclusions;

	for (uint32_t i = 0; i < k->globs; i++) {
		if (fnmatch(model_text(m, k->glob[i].glob), name, 0))
			continue;
		if (k->glob[i].is_exclusion)
			return false;
		is_included = true;
	}
	return is_included;
}

static bool is_needed(const struct model *m, const char *bytes, size_t length)
{
	char name[NAME_SIZE];

	if (m->is_nameless)
		return false;
	if (!m->keep || m->keep->is_partial || m->host.block != BLOCK_NONE || length >= NAME_SIZE)
		return true;
	memcpy(name, bytes, length);
	name[length] = '\0';
	return judge(m, name);
}

str_id keep_text(struct model *m, const char *bytes, size_t length)
{
	static const char stand_in[] = "(not kept)";

	if (!length || is_needed(m, bytes, length))
		return model_string(m, bytes, length);
	if (!m->stand_in)
		m->stand_in = model_string(m, stand_in, sizeof(stand_in) - 1);
	return m->stand_in;
}

bool keep_is_stand_in(const struct model *m, str_id name)
{
	return name && name == m->stand_in;
}

bool keep_name(struct model *m, str_id name)
{
	struct keep *k = m->keep;

	if (!k)
		return true;
	if (!name)
		return !k->inclusions;
	COLD_GROW(&m->area[AREA_VERDICTS], k->verdict, k->verdicts, name + 1);
	if (k->verdict[name] == UNKNOWN)
		k->verdict[name] = judge(m, model_text(m, name)) ? WANTED : UNWANTED;
	return k->verdict[name] == WANTED;
}

/* What is known of the file that a record concerns. */
static enum verdict verdict_of(struct model *m, const struct io_event *event, uint32_t open)
{
	file_id file = ID_NONE;

	if (open != ID_NONE)
		return m->open[open].is_unwanted ? UNWANTED : WANTED;
	if (event->kind == IO_ENTER)
		file = event->region.file;
	else if (event->kind == IO_DELETE_FILE)
		file = event->delete_file.file;
	else if (event->kind == IO_LEAVE && event->region.path)
		return keep_name(m, event->region.path) ? WANTED : UNWANTED;
	if (file == ID_NONE)
		return UNKNOWN;
	return keep_name(m, m->file[file].path) ? WANTED : UNWANTED;
}

static struct region *region_of(struct model *m, thread_id thread)
{
	struct keep *k = m->keep;

	MEM_GROW(k->region, k->regions, thread + 1);
	return &k->region[thread];
}

/* Those that are of no call, and of no file. */
static bool is_apart(const struct model *m, const struct io_event *event)
{
	switch (event->kind) {
	case IO_PARAMETER:
		return true;
	case IO_METRIC:
		return !m->series[event->metric.series].is_of_calls;
	default:
		return m->thread[event->thread].kind != LOCATION_THREAD;
	}
}

/* The location is told of from now on, and its process with those that it comes from. */
static void list(struct model *m, thread_id thread)
{
	const struct region *region = region_of(m, thread);
	process_id group = m->thread[thread].process;

	if (!m->thread[thread].is_left_out)
		return;
	m->thread[thread].is_left_out = false;
	for (; group != ID_NONE && m->group[group].is_left_out; group = m->group[group].parent)
		m->group[group].is_left_out = false;
	if (region->has_begin)
		m->output(m->context, &region->begin);
}

/* A call whose begin was kept back. */
static void let_out(struct model *m, const struct io_event *enter)
{
	list(m, enter->thread);
	m->output(m->context, enter);
}

/*
 * A call that failed has no file, but may have named one. A call that concerns no file at all is kept unless certain files
 * are asked for.
 */
static bool keep_leave(struct model *m, struct region *region, enum verdict verdict)
{
	bool is_wanted = verdict == WANTED || (verdict == UNKNOWN && !m->keep->inclusions);
	bool is_kept = region->state == GONE_OUT;

	if (region->state == WAITING && !region->is_unwanted && is_wanted) {
		let_out(m, &region->enter);
		is_kept = true;
	}
	tally_add(m->tally, left_out, region->state == WAITING && !is_kept);
	region->state = OUTSIDE;
	return is_kept;
}

static bool keep_enter(struct region *region, const struct io_event *event, enum verdict verdict)
{
	region->state = verdict == WANTED ? GONE_OUT : WAITING;
	region->is_unwanted = verdict == UNWANTED;
	region->enter = *event;
	return verdict == WANTED;
}

static bool keep_inner(struct model *m, struct region *region, enum verdict verdict)
{
	region->is_unwanted |= verdict == UNWANTED;
	if (verdict == UNKNOWN)
		return region->state == GONE_OUT;
	if (verdict == WANTED && region->state == WAITING) {
		let_out(m, &region->enter);
		region->state = GONE_OUT;
	}
	return verdict == WANTED;
}

/* The books tell of what went out. */
static void leave_out(struct model *m, const struct io_event *event)
{
	uint64_t *n = m->tally->n;

	tally_add(m->tally, left_out, 1);
	if (event->kind == IO_OP_BEGIN)
		n[TALLY_begun]--;
	else if (event->kind == IO_OP_COMPLETE)
		n[TALLY_completed]--;
	else if (event->kind == IO_OP_CANCELLED)
		n[op_counter_of(event->op.end)]--;
}

/* Of begins and ends there is one only where there is anything between. Returns whether it goes out now. */
static bool keep_life(struct model *m, const struct io_event *event)
{
	bool is_begin = event->kind == IO_PROGRAM_BEGIN || event->kind == IO_THREAD_BEGIN;
	bool is_left_out = m->thread[event->thread].is_left_out;

	if (is_begin && is_left_out) {
		struct region *region = region_of(m, event->thread);

		region->begin = *event;
		region->has_begin = true;
	}
	return !is_left_out;
}

static bool is_of_life(const struct io_event *event)
{
	return event->kind == IO_PROGRAM_BEGIN || event->kind == IO_PROGRAM_END ||
	       event->kind == IO_THREAD_BEGIN || event->kind == IO_THREAD_END;
}

static bool keep_of_call(struct model *m, const struct io_event *event, uint32_t open)
{
	struct region *region = region_of(m, event->thread);
	bool is_kept;

	if (event->kind == IO_LEAVE)
		is_kept = keep_leave(m, region, verdict_of(m, event, open));
	else if (event->kind == IO_ENTER)
		return keep_enter(region, event, verdict_of(m, event, open));
	else
		is_kept = keep_inner(m, region, verdict_of(m, event, open));
	if (!is_kept)
		leave_out(m, event);
	return is_kept;
}

bool keep_event(struct model *m, const struct io_event *event, uint32_t open)
{
	if (!m->keep || event->thread == ID_NONE)
		return true;
	if (is_of_life(event))
		return keep_life(m, event);
	if (!is_apart(m, event) && !keep_of_call(m, event, open))
		return false;
	list(m, event->thread);
	return true;
}
