/* live_filter: see live_filter.h. */
#include "live_filter.h"

#include "perf/filter.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

char *live_filter_both(char *a, char *b)
{
	char *text;

	if (!a || !b)
		return a ? a : b;
	text = mem_format("(%s)&&%s", a, b);
	free(a);
	free(b);
	return text;
}

/* Appends "FORMAT" as an alternative to `text`, which it takes over. */
static char *either(char *text, char *another)
{
	if (!text)
		return another;
	mem_append(&text, "||%s", another);
	free(another);
	return text;
}

/* "COMM" is the kernel's own field; a tracepoint may have a field of the same name. */
static char *filter_of_names(const struct recording_selection *selection)
{
	const struct text_list *comms = &selection->comms;
	char *chosen = NULL, *text;

	for (uint32_t i = 0; i < comms->count; i++)
		chosen = either(chosen, mem_format("COMM~\"%s\"", comms->item[i]));
	if (!chosen)
		return NULL;
	text = mem_format("(%s)", chosen);
	free(chosen);
	return text;
}

char *live_filter_without_own(const struct live *live, char *filter)
{
	if (!*live->own_name)
		return filter;
	return live_filter_both(filter, mem_format("COMM!=\"%s\"", live->own_name));
}

/*
 * Calls that change descriptors are recorded for tasks with any name. Otherwise a descriptor that such a task leaves to a chosen
 * one would have a wrong name.
 */
static char *filter_of_calls(enum filter_use use, const struct recording_selection *selection)
{
	char *names = filter_of_names(selection), *always = NULL;
	char *filter = filter_calls(use, selection->groups);

	if (names) {
		filter = live_filter_both(filter, names);
		always = filter_calls(use, CALL_GROUPS_ALWAYS);
	}
	return always ? either(filter, always) : filter;
}

char *live_filter(const struct live *live, enum perf_role role,
		  const struct recording_selection *selection)
{
	switch (role) {
	case ROLE_ENTER:
		return live_filter_without_own(live, filter_of_calls(FILTER_ENTER, selection));
	case ROLE_EXIT:
		return live_filter_without_own(live, filter_of_calls(FILTER_EXIT, selection));
	case ROLE_OPENER:
		return live_filter_without_own(live, filter_of_calls(FILTER_OPENER, selection));
	case ROLE_PATH:
		return live_filter_without_own(live, filter_of_calls(FILTER_PATH, selection));
	case ROLE_OPTIONAL:
	case ROLE_CHOSEN:
		return live_filter_without_own(live, filter_of_names(selection));
	case ROLE_TASK:
	case ROLE_COUNTER:
	case ROLE_BLOCK:
		break;
	}
	return NULL;
}

char *live_filter_of_devices(const struct live *live, bool has_old_dev)
{
	char *text = NULL;

	for (uint32_t i = 0; i < live->devices; i++) {
		text = either(text, mem_format("dev==%u", live->device[i]));
		if (has_old_dev)
			text = either(text, mem_format("old_dev==%u", live->device[i]));
	}
	return text;
}

int live_filter_check(const char *name, const char *filter, struct error *err)
{
	if (!filter || strlen(filter) <= FILTER_SIZE_MAX)
		return 0;
	return error_say(err, E2BIG,
			 "tracepoint %s: a filter of more than %d bytes: name fewer commands "
			 "(--comm), devices (--device) or groups (--syscalls)",
			 name, FILTER_SIZE_MAX);
}

int live_filter_choose(struct live *live, const struct recording_selection *selection,
		       struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < live->set.specs && !code; i++) {
		struct perf_spec *spec = &live->set.spec[i];

		if (spec->role == ROLE_TASK || spec->role == ROLE_COUNTER ||
		    spec->role == ROLE_BLOCK)
			continue;
		free(spec->filter);
		spec->filter = live_filter(live, spec->role, selection);
		spec->is_skipped = spec->role == ROLE_PATH &&
				   !(selection->groups >> GROUP_META & 1);
		code = live_filter_check(spec->name, spec->filter, err);
	}
	return code;
}
