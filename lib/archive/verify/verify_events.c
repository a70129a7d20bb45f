/*
 * verify_events: checks every event, and regions, programs and metrics.
 *
 * The values of a metric must have the types and the number of its class. Only the listed recorders of an asynchronous class may
 * record it.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>

enum { INSTANCES_MOST = 100 }; /* maximum depth of instances of instances, which may form a cycle */

static uint64_t ref_of(const struct verify *v, const struct walk_event *event)
{
	return v->walk.location[event->location].ref;
}

/* Reports a reference of an event to something undefined. */
static bool check_reference(struct verify *v, const struct walk_event *event,
			    const struct value *field, const char *what)
{
	if (field->kind == KIND_NONE || walk_id_of(&v->walk, field) != NONE)
		return true;
	walk_found(&v->walk,
		   "%s on location %" PRIu64 " names %s %" PRIu64 ", which is not defined", what,
		   ref_of(v, event), walk_kind_name[field->kind], field->is);
	return false;
}

/* An attribute list has a count, and then the id and the value of each attribute. */
static void check_attributes(struct verify *v, const struct walk_event *event)
{
	const struct record *list = event->attributes;

	for (uint32_t i = 1; i + 1 < list->values; i += 2) {
		const struct value *of = &list->value[i], *is = of + 1;

		if (!check_reference(v, event, of, "an event"))
			continue;
		if (v->attribute_type[walk_id_of(&v->walk, of)] != is->type)
			walk_found(&v->walk,
				   "an attribute on location %" PRIu64
				   " is not of the type of Attribute %" PRIu64,
				   ref_of(v, event), of->is);
		check_reference(v, event, is, "an attribute");
	}
}

static const char *what_is(const struct record *record)
{
	switch (record->type) {
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
		return "a thread's begin or end";
	case EVENT_IO_ACQUIRE_LOCK:
	case EVENT_IO_RELEASE_LOCK:
	case EVENT_IO_TRY_LOCK:
		return "a lock";
	default:
		return record->row->name;
	}
}

static void check_references(struct verify *v, const struct walk_event *event)
{
	const struct record *record = event->record;

	for (uint32_t i = 0; record->row && i < record->values; i++)
		check_reference(v, event, &record->value[i], what_is(record));
}

static void enter(struct verify_location *state, uint32_t region)
{
	MEM_GROW(state->region, state->region_capacity, state->depth + 1);
	state->region[state->depth++] = region;
}

static void leave(struct verify *v, const struct walk_event *event, uint32_t region)
{
	struct verify_location *state = &v->location[event->location];

	if (state->depth == 0)
		walk_found(&v->walk,
			   "region %u is left on location %" PRIu64 " at %" PRIu64
			   ", but none was entered",
			   region, ref_of(v, event), event->time);
	else if (state->region[--state->depth] != region)
		walk_found(&v->walk,
			   "region %u is left on location %" PRIu64 " at %" PRIu64
			   " where %u was entered",
			   region, ref_of(v, event), event->time, state->region[state->depth]);
}

static void begin_program(struct verify *v, const struct walk_event *event)
{
	struct verify_group *process = verify_group(v, v->location[event->location].group);

	if (process && process->has_begun)
		walk_found(&v->walk, "the program on location %" PRIu64 " begins twice",
			   ref_of(v, event));
	if (process)
		process->has_begun = true;
}

static void end_program(struct verify *v, const struct walk_event *event)
{
	struct verify_group *process = verify_group(v, v->location[event->location].group);

	if (process && (!process->has_begun || process->has_ended))
		walk_found(&v->walk, "the program on location %" PRIu64 " ends %s",
			   ref_of(v, event), process->has_ended ? "twice" : "but did not begin");
	if (process)
		process->has_ended = true;
}

/* Returns the class of a metric, or NULL if it is an instance of nothing. */
static const struct series *class_of(const struct verify *v, uint64_t metric)
{
	for (int i = 0; i < INSTANCES_MOST; i++) {
		uint32_t id = walk_id(&v->walk, KIND_METRIC, metric);

		if (id == NONE || v->series[id].instance_of == NONE)
			return id == NONE ? NULL : &v->series[id];
		metric = v->series[id].instance_of;
	}
	return NULL;
}

/* Its fields: metric, number of values, and for each a type and a value. */
static void check_metric(struct verify *v, const struct walk_event *event)
{
	const struct value *is = event->record->value;
	const struct series *series = class_of(v, is[0].is);
	uint32_t metric = (uint32_t)is[0].is, count = (uint32_t)is[1].is;
	uint64_t ref = ref_of(v, event);

	if (!series)
		return;
	if (count != series->members)
		walk_found(&v->walk,
			   "Metric %u on location %" PRIu64 " has %u values, its class %u", metric,
			   ref, count, series->members);
	for (uint32_t i = 0; i < count && i < series->members; i++) {
		uint32_t member = walk_id(&v->walk, KIND_METRIC_MEMBER,
					  v->class_member[series->first + i]);

		if (member != NONE && v->member_type[member] != is[2 + 2 * i].is)
			walk_found(&v->walk,
				   "value %u of Metric %u on location %" PRIu64
				   " is not of the type of its member",
				   i, metric, ref);
	}
	if (series->occurrence == OTF2_METRIC_ASYNCHRONOUS &&
	    map_get(&v->recorder, walk_pair(metric, ref)) == MAP_NONE)
		walk_deviates(&v->walk,
			      "Metric %u is recorded on location %" PRIu64
			      ", which is not one of its recorders",
			      metric, ref);
}

static void check_time(struct verify *v, const struct walk_event *event)
{
	struct verify_location *state = &v->location[event->location];
	uint64_t time = event->time;

	if (state->has_events && time < state->last_time)
		walk_found(&v->walk,
			   "time decreases on location %" PRIu64 ", from %" PRIu64 " to %" PRIu64,
			   ref_of(v, event), state->last_time, time);
	if (v->has_clock && (time < v->clock_first || time > v->clock_last))
		walk_found(&v->walk,
			   "an event on location %" PRIu64 " at %" PRIu64
			   " is outside the clock properties",
			   ref_of(v, event), time);
	state->has_events = true;
	state->last_time = time;
}

bool verify_event(void *context, const struct walk_event *event)
{
	struct verify *v = context;
	const struct record *record = event->record;
	uint32_t first = record->values ? (uint32_t)record->value[0].is : 0;

	v->report->events++;
	check_time(v, event);
	check_attributes(v, event);
	check_references(v, event);
	if (!record->row)
		walk_deviates(&v->walk, "there is an event of an unknown kind on location %" PRIu64,
			      ref_of(v, event));
	else if (record->type == EVENT_ENTER)
		enter(&v->location[event->location], first);
	else if (record->type == EVENT_LEAVE)
		leave(v, event, first);
	else if (record->type == EVENT_PROGRAM_BEGIN)
		begin_program(v, event);
	else if (record->type == EVENT_PROGRAM_END)
		end_program(v, event);
	else if (record->type == EVENT_METRIC)
		check_metric(v, event);
	else
		verify_io(v, event);
	return true;
}

void verify_events_end(struct verify *v)
{
	for (uint32_t id = 0; id < v->walk.locations; id++) {
		const struct verify_location *state = &v->location[id];
		const struct location *location = &v->walk.location[id];

		if (!location->has_file)
			continue;
		if (location->events != state->defined_events)
			walk_found(&v->walk,
				   "location %" PRIu64 " has %" PRIu64
				   " events, its definition says %" PRIu64,
				   location->ref, location->events, state->defined_events);
		if (state->depth)
			walk_deviates(&v->walk, "location %" PRIu64 " ends inside region %u",
				      location->ref, state->region[state->depth - 1]);
	}
	for (uint32_t id = 0; id < v->walk.defined[KIND_GROUP].count; id++)
		if (v->group[id].has_begun && !v->group[id].has_ended)
			walk_found(&v->walk, "the program of LocationGroup %u does not end",
				   v->group[id].ref);
	verify_io_end(v);
}
