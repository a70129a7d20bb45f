/* span_check: checks that this kernel has the tracepoints and fields of a span. */
#include "span_options.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

struct search {
	const char *wanted;
	bool is_found;
	struct nearest nearest;
	char best[NAME_SIZE];
};

static void search_init(struct search *search, const char *wanted)
{
	*search = (struct search){.wanted = wanted};
	nearest_init(&search->nearest, wanted);
}

static void compare(void *context, const char *name)
{
	struct search *search = context;

	search->is_found |= !strcmp(name, search->wanted);
	nearest_try(&search->nearest, name);
	if (search->nearest.best == name) { /* the name is lent for this call only */
		snprintf(search->best, sizeof(search->best), "%s", name);
		search->nearest.best = search->best;
	}
}

static void compare_field(void *context, const char *type, const char *name)
{
	char plain[NAME_SIZE];

	(void)type;
	/* An array has the name NAME[SIZE]. */
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "["), name);
	compare(context, plain);
}

static int refuse(const struct search *search, const struct span *span, const char *what,
		  struct error *err)
{
	return error_say(err, ENOENT, "span '%s': %s '%s'%s%s%s", span->name, what, search->wanted,
			 search->nearest.best ? "; did you mean '" : "",
			 search->nearest.best ? search->best : "",
			 search->nearest.best ? "'?" : "");
}

static int check_field(const struct span *span, const char *event, const char *field,
		       struct error *err)
{
	struct search search;
	char *what;
	int code;

	search_init(&search, field);
	if (probe_fields(event, compare_field, &search) || search.is_found ||
	    span_is_of_task(field))
		return 0;
	what = mem_format("tracepoint %s has no field", event);
	code = refuse(&search, span, what, err);
	if (!search.nearest.best)
		error_hint(err, "To see its fields: iotrace list -e %s", event);
	free(what);
	return code;
}

static int check_point(const struct span *span, const struct span_point *point, struct error *err)
{
	struct search search;
	int code = 0;

	if (point->is_probe)
		return 0;
	search_init(&search, point->event);
	if (probe_tracepoints(compare, &search, err))
		return -err->code;
	if (!search.is_found)
		return refuse(&search, span, "this kernel has no tracepoint", err);
	for (uint32_t i = 0; i < point->keys && !code; i++)
		code = check_field(span, point->event, point->key[i], err);
	for (uint32_t i = 0; i < point->tests && !code; i++)
		code = check_field(span, point->event, point->test[i].field, err);
	return code;
}

/* A group or a size may be a field of either side. */
static int check_either(const struct span *span, const char *field, struct error *err)
{
	struct error ignored = {0};

	if (!field || span->side[SPAN_BEGIN].is_probe || span->side[SPAN_END].is_probe ||
	    !check_field(span, span->side[SPAN_END].event, field, &ignored))
		return 0;
	return check_field(span, span->side[SPAN_BEGIN].event, field, err);
}

int span_check(const struct span *span, struct error *err)
{
	int code = 0;

	if (span->source != SPAN_OF_TRACEPOINTS)
		return 0;
	for (int side = 0; side < SPAN_SIDES && !code; side++)
		for (const struct span_point *point = &span->side[side];
		     point && point->event && !code; point = point->other)
			code = check_point(span, point, err);
	if (!code)
		code = check_either(span, span->group, err);
	if (!code)
		code = check_either(span, span->size, err);
	return code ? code : check_either(span, span->result, err);
}
