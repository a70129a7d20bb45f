/*
 * engine_fields: the fields of tracepoints: where they are, what they are, whether a condition holds.
 */
#include "engine.h"

#include <fnmatch.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool locate(const struct decode_event *fields, const char *name, struct locator *locator)
{
	static const struct {
		const char *name;
		enum locator_at at;
	} of_task[] = {{"pid", AT_PID}, {"tid", AT_TID}, {"cpu", AT_CPU}, {"comm", AT_COMM}};

	for (uint32_t i = 0; i < fields->numbers; i++) {
		if (strcmp(fields->number[i], name) != 0)
			continue;
		*locator = (struct locator){AT_NUMBER, i, fields->is_signed[i]};
		return true;
	}
	for (uint32_t i = 0; i < fields->strings; i++) {
		if (strcmp(fields->string[i], name) != 0)
			continue;
		*locator = (struct locator){AT_STRING, i, false};
		return true;
	}
	for (size_t i = 0; i < sizeof(of_task) / sizeof(*of_task); i++) {
		if (strcmp(of_task[i].name, name) != 0)
			continue;
		*locator = (struct locator){of_task[i].at, 0, false};
		return true;
	}
	return false;
}

static void refuse(struct engine_span *span, const struct decode_event *fields, const char *name)
{
	if (!span->trouble)
		span->trouble = mem_format(
			"span '%s': tracepoint %s has no field '%s' that is a number or a string",
			span->span->name, fields->name, name);
}

static bool locate_point(struct engine_span *span, struct engine_use *use,
			 const struct span_point *point, const struct decode_event *fields)
{
	const char *missing = NULL;

	for (uint32_t i = 0; i < point->keys && !missing; i++)
		missing = locate(fields, point->key[i], &use->key[i]) ? NULL : point->key[i];
	for (uint32_t i = 0; i < point->tests && !missing; i++)
		missing = locate(fields, point->test[i].field, &use->test[i])
				  ? NULL
				  : point->test[i].field;
	if (missing)
		refuse(span, fields, missing);
	for (uint32_t i = 0; i < point->keys && use->side == SPAN_BEGIN; i++)
		span->is_text_key[i] = use->key[i].at == AT_STRING || use->key[i].at == AT_COMM;
	return !missing;
}

static enum group_kind kind_of(const struct locator *locator)
{
	switch (locator->at) {
	case AT_STRING:
	case AT_COMM:
		return GROUP_IS_TEXT;
	case AT_PID:
		return GROUP_IS_PID;
	case AT_TID:
		return GROUP_IS_TID;
	case AT_NUMBER:
		return locator->is_signed ? GROUP_IS_SIGNED : GROUP_IS_NUMBER;
	default:
		return GROUP_IS_NUMBER;
	}
}

static void locate_group(struct engine_span *span, struct engine_use *use,
			 const struct decode_event *fields)
{
	bool has_group = span->span->group && locate(fields, span->span->group, &use->group);
	bool has_size = span->span->size && locate(fields, span->span->size, &use->size);

	if (use->side == SPAN_BEGIN) {
		span->is_group_of_end = span->by == SPAN_BY_GROUP && span->span->group &&
					!has_group;
		span->is_size_of_end = span->span->size && !has_size;
	}
	if (span->by != SPAN_BY_GROUP || !has_group ||
	    (use->side == SPAN_END) != span->is_group_of_end)
		return;
	span->kind = kind_of(&use->group);
	span->group_fields = use->group.at == AT_NUMBER ? fields : NULL;
	span->group_index = use->group.index;
}

bool span_engine_is_defined(const struct span_engine *engine, uint32_t event)
{
	return engine->event[event].fields;
}

void span_engine_define(struct span_engine *engine, uint32_t event,
			const struct decode_event *fields)
{
	struct engine_event *what = &engine->event[event];

	what->fields = fields;
	what->uses = 0;
	for (uint32_t i = 0; i < engine->spans; i++) {
		struct engine_span *span = &engine->span[i];

		for (int side = 0; side < SPAN_SIDES; side++) {
			const struct span_point *point = &span->span->side[side];
			struct engine_use use = {.span = i, .side = (enum span_side)side};

			if (!point->event || strcmp(point->event, fields->name) != 0 ||
			    !locate_point(span, &use, point, fields))
				continue;
			locate_group(span, &use, fields);
			MEM_GROW(what->use, what->cap, what->uses + 1);
			what->use[what->uses++] = use;
		}
	}
}

bool engine_field(struct span_engine *engine, const struct locator *locator,
		  const struct event *event, uint64_t *value)
{
	const struct event_string *string;

	switch (locator->at) {
	case AT_NUMBER:
		*value = event->tracepoint.number[locator->index];
		return true;
	case AT_STRING:
		string = &event->tracepoint.string[locator->index];
		*value = strtab_add(engine->strings, string->at, string->length);
		return true;
	case AT_PID:
		*value = event->pid;
		return true;
	case AT_TID:
		*value = event->tid;
		return true;
	case AT_CPU:
		*value = event->cpu;
		return true;
	case AT_COMM:
		*value = engine_comm(engine, event->tid);
		return true;
	case AT_NOTHING:
		break;
	}
	return false;
}

static int compare(uint64_t a, const struct span_test *test, bool is_signed)
{
	if (is_signed || test->is_negative)
		return (int64_t)a < (int64_t)test->number ? -1 : a != test->number;
	return a < test->number ? -1 : a > test->number;
}

static bool holds(enum span_compare what, int difference)
{
	switch (what) {
	case SPAN_EQUAL:
		return !difference;
	case SPAN_UNEQUAL:
		return difference;
	case SPAN_LESS:
		return difference < 0;
	case SPAN_LESS_EQUAL:
		return difference <= 0;
	case SPAN_GREATER:
		return difference > 0;
	case SPAN_GREATER_EQUAL:
		return difference >= 0;
	case SPAN_MATCHES:
		break;
	}
	return false;
}

static bool test_holds(struct span_engine *engine, const struct span_test *test,
		       const struct locator *locator, const struct event *event)
{
	bool is_text = locator->at == AT_STRING || locator->at == AT_COMM;
	const char *text;
	char number[24];
	uint64_t value = 0;

	engine_field(engine, locator, event, &value);
	if (!is_text && test->is_number && test->compare != SPAN_MATCHES)
		return holds(test->compare, compare(value, test, locator->is_signed));
	snprintf(number, sizeof(number), locator->is_signed ? "%lld" : "%llu",
		 (unsigned long long)value);
	text = is_text ? strtab_text(engine->strings, (str_id)value) : number;
	if (test->compare == SPAN_MATCHES)
		return !fnmatch(test->text, text, 0);
	return holds(test->compare, strcmp(text, test->text));
}

/* && binds more than ||. */
bool engine_passes(struct span_engine *engine, const struct engine_use *use,
		   const struct span_point *point, const struct event *event)
{
	bool passes = true;

	for (uint32_t i = 0; i < point->tests; i++) {
		const struct span_test *test = &point->test[i];

		if (test->is_alternative && passes)
			return true;
		if (test->is_alternative)
			passes = true;
		passes = passes && test_holds(engine, test, &use->test[i], event);
	}
	return passes;
}
