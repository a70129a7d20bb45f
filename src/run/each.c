#include "each.h"

#include "each_route.h"

#include <iotrace/error.h>
#include <iotrace/fact.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 4 }; /* maximum number of archives that a message names */

/* The archive of one command. It does not move in memory, because its output refers to its options. */
struct part {
	uint32_t pid;
	char *path;
	struct output output; /* .run: NULL if it could not be opened, or is closed */
	struct error trouble; /* the reason */
	bool has_begun;       /* its program has run */
	bool is_made;         /* the archive has its final name */
};

struct each {
	const struct each_options *options;
	struct each_route route;
	struct part **part;
	uint32_t parts, parts_cap;
	struct event *lasting; /* facts that later commands need, with copies of their strings */
	uint32_t lastings, lastings_cap;
};

struct each *each_new(const struct each_options *options)
{
	struct each *each = mem_zero(sizeof(*each));

	each->options = options;
	return each;
}

static void keep(struct each *each, const struct event *event)
{
	struct event *kept;

	MEM_GROW(each->lasting, each->lastings_cap, each->lastings + 1);
	kept = &each->lasting[each->lastings++];
	*kept = *event;
	for (int i = 0; i < FACT_STRINGS; i++) {
		const struct fact_string *string = &event->fact.string[i];

		kept->fact.string[i].at = string->length ? mem_dup(string->at, string->length)
							 : NULL;
	}
}

static void feed(const struct each *each, struct part *part, const struct event *event)
{
	if (part->output.run)
		run_feed(part->output.run, each->options->run, event);
}

static void give_up(struct part *part, const struct error *trouble)
{
	part->trouble = *trouble;
	output_discard(&part->output);
	run_free(part->output.run);
	place_close(part->output.place);
	part->output.run = NULL;
	part->output.place = NULL;
}

static void open_part(struct each *each, struct part *part, struct place *place)
{
	const struct each_options *options = each->options;
	struct error err = {0};

	part->path = mem_strdup(place_target(place));
	part->output = (struct output){.options = options->output,
				       .path = part->path,
				       .run = run_new(),
				       .groups = options->groups,
				       .place = place,
				       .is_private = options->is_private,
				       .has_no_summary = true};
	if (options->spans)
		run_record_spans(part->output.run, options->span, options->spans, true);
	if (output_open(&part->output, &err))
		give_up(part, &err);
	for (uint32_t i = 0; i < each->lastings; i++)
		feed(each, part, &each->lasting[i]);
}

/* If a process id is reused, the last command with it counts. */
static void add_part(struct each *each, const struct event *command)
{
	struct place *place = each->options->place_of(each->options->context, command);
	struct part *part;

	if (!place)
		return;
	part = mem_zero(sizeof(*part));
	part->pid = (uint32_t)command->fact.number[FACT_COMMAND_pid];
	MEM_GROW(each->part, each->parts_cap, each->parts + 1);
	each->part[each->parts] = part;
	each_route_add(&each->route, part->pid, each->parts++);
	open_part(each, part, place);
}

void each_take(struct each *each, const struct event *event)
{
	uint32_t to;

	if (event->kind == EVENT_FACT && event->fact.kind == FACT_COMMAND)
		add_part(each, event);
	to = each_route_of(&each->route, event);
	if (each_route_is_lasting(event))
		keep(each, event);
	if (to == ROUTE_ALL) {
		for (uint32_t i = 0; i < each->parts; i++)
			feed(each, each->part[i], event);
	} else if (to != ROUTE_NONE) {
		struct part *part = each->part[to];

		part->has_begun |= event->kind == EVENT_COMM && event->comm.is_exec;
		feed(each, part, event);
	}
}

void each_take_span(struct each *each, const struct event *event)
{
	for (uint32_t i = 0; i < each->parts; i++)
		if (each->part[i]->output.run)
			run_feed_span(each->part[i]->output.run, each->options->run, event);
}

bool each_is_cut_short(const struct each *each)
{
	for (uint32_t i = 0; i < each->parts; i++)
		if (each->part[i]->output.run && run_is_cut_short(each->part[i]->output.run))
			return true;
	return false;
}

bool each_place(const struct each *each, uint32_t index, const struct place **place)
{
	if (index >= each->parts)
		return false;
	*place = each->part[index]->output.place;
	return true;
}

/* A command that could not be run leaves no archive, as without --each. */
static bool is_empty(const struct part *part)
{
	return !part->has_begun && !trace_threads(run_trace(part->output.run));
}

static int close_part(struct each *each, struct part *part, bool is_complete, struct error *err)
{
	int code;

	if (!part->output.run) {
		if (part->trouble.code && err)
			*err = part->trouble;
		return -part->trouble.code;
	}
	run_end(part->output.run, each->options->run, each->route.unknown);
	if (is_empty(part)) {
		give_up(part, &(struct error){0});
		return 0;
	}
	code = output_close_main(&part->output, is_complete, err);
	part->is_made = place_is_published(part->output.place);
	run_free(part->output.run);
	part->output.run = NULL;
	place_close(part->output.place);
	part->output.place = NULL;
	return code;
}

int each_close(struct each *each, bool is_complete, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < each->parts; i++) {
		int also = close_part(each, each->part[i], is_complete, code ? NULL : err);

		code = code ? code : also;
	}
	return code;
}

static int by_path(const void *a, const void *b)
{
	const struct part *const *x = a, *const *y = b;

	return strverscmp((*x)->path, (*y)->path);
}

void each_log(const struct each *each)
{
	const struct part **made = mem_array(each->parts + 1, sizeof(*made));
	char *names = mem_strdup("");
	uint32_t count = 0;

	for (uint32_t i = 0; i < each->parts; i++)
		if (each->part[i]->is_made)
			made[count++] = each->part[i];
	qsort(made, count, sizeof(*made), by_path);
	for (uint32_t i = 0; i < count; i++) {
		if (i + 1 < NAMED_MOST || i + 1 == count)
			mem_append(&names, "%s%s", i ? ", " : "", made[i]->path);
		else if (i + 1 == NAMED_MOST)
			mem_append(&names, ", ...");
	}
	if (count)
		log_warn("%u archive%s, one for each command: %s", count, count == 1 ? "" : "s",
			 names);
	free(names);
	free(made);
}

void each_free(struct each *each)
{
	if (!each)
		return;
	for (uint32_t i = 0; i < each->parts; i++) {
		if (each->part[i]->output.run)
			give_up(each->part[i], &(struct error){0});
		free(each->part[i]->path);
		free(each->part[i]);
	}
	for (uint32_t i = 0; i < each->lastings; i++)
		for (int k = 0; k < FACT_STRINGS; k++)
			free((void *)(uintptr_t)each->lasting[i].fact.string[k].at);
	each_route_release(&each->route);
	free(each->lasting);
	free(each->part);
	free(each);
}
