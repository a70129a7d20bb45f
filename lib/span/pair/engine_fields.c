/* engine_fields: the fields of tracepoints: where they are, their types, and conditions on them. */
#include "engine.h"

#include <ctype.h>
#include <fnmatch.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

str_id engine_comm(const struct span_engine *engine, uint32_t tid)
{
	uint32_t comm = map_get(&engine->comm, tid);

	return comm == MAP_NONE ? 0 : comm;
}

const struct arch *engine_arch(const struct span_engine *engine)
{
	const char *machine = trace_text(engine->trace, trace_host(engine->trace)->machine);

	return *machine ? arch_find(machine, strlen(machine)) : arch_here();
}

/* Returns the type at the end of a probe's field name, such as "u32" of "arg1_16_u32"; "" if there is none. */
static const char *type_of(const char *name)
{
	const char *last = name ? strrchr(name, '_') : NULL;

	return last && !isdigit((unsigned char)last[1]) && last[1] != 'm' ? last + 1 : "";
}

/* Finds a field in the entry of the function. */
static bool locate_entry(const struct engine_use *use, const char *name, struct locator *locator)
{
	uint32_t index = use->is_entry ? ENTRY_FIELDS : entry_find(&use->names, name);

	if (index >= ENTRY_FIELDS)
		return false;
	*locator = (struct locator){AT_ENTRY, index, *type_of(name) == 's'};
	return true;
}

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

static void refuse_mask(struct engine_span *span, const struct decode_event *fields,
			const char *name)
{
	if (!span->trouble)
		span->trouble = mem_format(
			"span '%s': field '%s' of tracepoint %s is a text, and only numbers have bits",
			span->span->name, name, fields->name);
}

static bool find(const struct engine_use *use, const struct decode_event *fields, const char *name,
		 struct locator *locator)
{
	return locate_entry(use, name, locator) || locate(fields, name, locator);
}

static bool is_text(const struct locator *locator, const char *name)
{
	return locator->at == AT_STRING || locator->at == AT_COMM ||
	       (locator->at == AT_ENTRY && !strcmp(type_of(name), "string"));
}

static bool locate_point(struct engine_span *span, struct engine_use *use,
			 const struct decode_event *fields)
{
	const struct span_point *point = use->point;
	const char *missing = NULL;

	for (uint32_t i = 0; i < point->keys && !missing; i++)
		missing = find(use, fields, point->key[i], &use->key[i]) ? NULL : point->key[i];
	for (uint32_t i = 0; i < point->tests && !missing; i++)
		missing = find(use, fields, point->test[i].field, &use->test[i])
				  ? NULL
				  : point->test[i].field;
	if (missing)
		refuse(span, fields, missing);
	for (uint32_t i = 0; i < point->keys && !missing; i++) {
		bool is_text_key = is_text(&use->key[i], point->key[i]);

		if (is_text_key && point->mask[i])
			refuse_mask(span, fields, missing = point->key[i]);
		if (use->side == SPAN_BEGIN)
			span->is_text_key[i] = is_text_key;
	}
	return !missing;
}

static bool locate_values(struct engine_span *span, struct engine_use *use,
			  const struct decode_event *fields)
{
	for (uint32_t i = 0; i < use->names.count; i++) {
		if (locate(fields, use->names.name[i], &use->entry_field[i]))
			continue;
		refuse(span, fields, use->names.name[i]);
		return false;
	}
	return true;
}

static enum group_kind kind_of(const struct engine_span *span, const struct locator *locator)
{
	const char *type = span->span->has_probes ? type_of(span->span->group) : "";

	if (is_text(locator, span->span->group))
		return GROUP_IS_TEXT;
	if (*type == 'x')
		return GROUP_IS_HEX;
	switch (locator->at) {
	case AT_PID:
		return GROUP_IS_PID;
	case AT_TID:
		return GROUP_IS_TID;
	case AT_ENTRY:
	case AT_NUMBER:
		return locator->is_signed ? GROUP_IS_SIGNED : GROUP_IS_NUMBER;
	default:
		return GROUP_IS_NUMBER;
	}
}

static void locate_group(struct engine_span *span, struct engine_use *use,
			 const struct decode_event *fields)
{
	bool has_group = span->span->group && find(use, fields, span->span->group, &use->group);
	bool has_size = span->span->size && find(use, fields, span->span->size, &use->size);

	if (span->span->result)
		find(use, fields, span->span->result, &use->result);
	if (use->side == SPAN_BEGIN) {
		span->is_group_of_end = span->by == SPAN_BY_GROUP && span->span->group &&
					!has_group;
		span->is_size_of_end = span->span->size && !has_size;
	}
	if ((span->by != SPAN_BY_GROUP && span->by != SPAN_BY_CONNECTION) || !has_group ||
	    (use->side == SPAN_END) != span->is_group_of_end)
		return;
	if (span->by == SPAN_BY_GROUP)
		span->kind = kind_of(span, &use->group);
	span->group_fields = use->group.at == AT_NUMBER ? fields : NULL;
	span->group_index = use->group.index;
}

bool span_engine_is_defined(const struct span_engine *engine, uint32_t event)
{
	return engine->event[event].fields;
}

static void add_use(struct engine_event *what, const struct engine_use *use)
{
	MEM_GROW(what->use, what->cap, what->uses + 1);
	what->use[what->uses++] = *use;
}

/* Defines what the event is for a point: the point itself, or its entry. */
static void define_point(struct span_engine *engine, struct engine_event *what,
			 struct engine_use use)
{
	struct engine_span *span = &engine->span[use.span];
	const struct decode_event *fields = what->fields;

	use.is_of_all_calls = use.point->event && !strncmp(use.point->event, "raw_syscalls:", 13);
	if (!use.point->event || !entry_names_of(&use.names, span->span, use.point))
		return;
	if (!strcmp(use.point->event, fields->name) && locate_point(span, &use, fields)) {
		locate_group(span, &use, fields);
		add_use(what, &use);
	}
	use.is_entry = true;
	if (use.point->entry && !strcmp(use.point->entry, fields->name) &&
	    locate_values(span, &use, fields))
		add_use(what, &use);
}

void span_engine_define(struct span_engine *engine, uint32_t event,
			const struct decode_event *fields)
{
	struct engine_event *what = &engine->event[event];
	uint32_t entry = 0;

	what->fields = fields;
	what->uses = 0;
	for (uint32_t i = 0; i < engine->spans; i++) {
		struct engine_use use = {.span = i, .entry = entry};

		for (int side = 0; side < SPAN_SIDES; side++) {
			use.side = (enum span_side)side;
			for (use.point = &engine->span[i].span->side[side]; use.point;
			     use.point = use.point->other) {
				define_point(engine, what, use);
				use.entry += use.point->entry != NULL;
			}
		}
		entry = use.entry;
	}
}

void engine_enter(struct span_engine *engine, const struct engine_use *use,
		  const struct event *event)
{
	uint64_t *value = entries_push(&engine->entries, use->entry, event->tid);

	for (uint32_t i = 0; i < use->names.count; i++)
		engine_field(engine, &use->entry_field[i], event, &value[i]);
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
	case AT_ENTRY:
		*value = engine->entry[locator->index];
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
	bool has_text = is_text(locator, test->field);
	const char *text;
	char number[24];
	uint64_t value = 0;

	engine_field(engine, locator, event, &value);
	if (!has_text && test->is_number && test->compare != SPAN_MATCHES)
		return holds(test->compare, compare(value, test, locator->is_signed));
	snprintf(number, sizeof(number), locator->is_signed ? "%lld" : "%llu",
		 (unsigned long long)value);
	text = has_text ? strtab_text(engine->strings, (str_id)value) : number;
	if (test->compare == SPAN_MATCHES)
		return !fnmatch(test->text, text, 0);
	return holds(test->compare, strcmp(text, test->text));
}

/* && binds stronger than ||. */
bool engine_passes(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event)
{
	const struct span_point *point = use->point;
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
