/*
 * verify_defs: checks that definitions refer only to defined ones.
 *
 * The table of records shows which fields are references. Arrays are indexed by id, so a reference of any value cannot make them
 * larger than the number of definitions.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <string.h>

static void refer(struct verify *v, const struct value *field)
{
	if (field->kind != KIND_NONE && !walk_is_undefined(field) &&
	    walk_id_of(&v->walk, field) == NONE)
		map_set(&v->missing[field->kind], field->is, 1);
}

static void on_clock(struct verify *v, const struct value *is)
{
	uint64_t offset = is[1].is, length = is[2].is;

	if (is[0].is == 0)
		walk_found(&v->walk, "the clock has no resolution");
	if (v->has_clock)
		walk_found(&v->walk, "the clock properties are defined twice");
	v->has_clock = true;
	v->clock_first = offset;
	v->clock_last = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
}

/* Its fields: itself, name, type, node, what created it. */
static void on_group(struct verify *v, const struct value *is, uint32_t id)
{
	struct verify_group *group = &v->group[id];

	group->ref = (uint32_t)is[0].is;
	group->parent = (uint32_t)is[4].is;
	if (group->parent == group->ref)
		walk_found(&v->walk, "LocationGroup %u created itself", group->ref);
}

/* Its fields: itself, name, type, number of events, group. */
static void on_location(struct verify *v, const struct value *is, uint32_t id)
{
	v->location[id] = (struct verify_location){.defined_events = is[3].is,
						   .group = (uint32_t)is[4].is,
						   .type = (OTF2_LocationType)is[2].is};
}

/*
 * Its fields: itself, name, type before OTF2 1.2, number of members, members, type. The members are definitions only if they are
 * locations.
 */
static void on_members(struct verify *v, const struct value *is)
{
	uint64_t count = is[3].is;

	for (uint64_t i = 0; is[4 + count].is == OTF2_GROUP_TYPE_COMM_LOCATIONS && i < count; i++)
		refer(v, &(const struct value){is[4 + i].is, KIND_LOCATION, OTF2_TYPE_NONE});
}

/* Its fields: itself, number of members, members, occurrence. */
static void on_class(struct verify *v, const struct value *is, uint32_t id)
{
	uint8_t count = (uint8_t)is[1].is;

	v->series[id] = (struct series){(OTF2_MetricOccurrence)is[2 + count].is, count,
					v->class_members, NONE};
	MEM_GROW(v->class_member, v->class_member_capacity, v->class_members + count);
	for (uint8_t i = 0; i < count; i++)
		v->class_member[v->class_members++] = (uint32_t)is[2 + i].is;
}

static void on_handle_state(struct verify *v, uint32_t handle)
{
	MEM_GROW(v->handle_state, v->handle_state_capacity, v->handle_states + 1);
	v->handle_state[v->handle_states++] = handle;
}

/* Definitions without an id of their own. */
static void on_other(struct verify *v, const struct record *record)
{
	const struct value *is = record->value;
	struct verify_group *process;

	if (record->type == DEFINE_CLOCK) {
		on_clock(v, is);
	} else if (record->type == DEFINE_METRIC_RECORDER) {
		map_set(&v->recorder, walk_pair(is[0].is, is[1].is), 1);
	} else if (record->type == DEFINE_HANDLE_STATE) {
		on_handle_state(v, (uint32_t)is[0].is);
	} else if (record->type == DEFINE_GROUP_PROPERTY) {
		process = verify_group(v, (uint32_t)is[0].is);
		if (process && is[1].is == v->sharing_name && v->sharing_name &&
		    v->walk.is_of_iotrace)
			process->is_shared = true;
	}
}

static void on_definition(void *context, const struct record *record, uint32_t id)
{
	struct verify *v = context;
	const struct value *is = record->value;

	for (uint32_t i = 0; i < record->values; i++)
		refer(v, &is[i]);
	if (id == NONE) {
		on_other(v, record);
		return;
	}
	switch (record->type) {
	case DEFINE_STRING:
		if (!strcmp(record->text[0], "Sharing processes"))
			v->sharing_name = (OTF2_StringRef)is[0].is;
		break;
	case DEFINE_ATTRIBUTE:
		v->attribute_type[id] = (uint8_t)is[2].is;
		break;
	case DEFINE_GROUP:
		on_group(v, is, id);
		break;
	case DEFINE_LOCATION:
		on_location(v, is, id);
		break;
	case DEFINE_MEMBERS:
		on_members(v, is);
		break;
	case DEFINE_METRIC_MEMBER:
		v->member_type[id] = (uint8_t)is[5].is;
		break;
	case DEFINE_METRIC_CLASS:
		on_class(v, is, id);
		break;
	case DEFINE_METRIC_INSTANCE:
		v->series[id] = (struct series){.instance_of = (uint32_t)is[1].is};
		break;
	case DEFINE_HANDLE:
		v->handle_flags[id] = (uint32_t)is[4].is;
		break;
	default:
		break;
	}
}

struct verify_group *verify_group(const struct verify *v, uint32_t ref)
{
	uint32_t id = walk_id(&v->walk, KIND_GROUP, ref);

	return id == NONE ? NULL : &v->group[id];
}

static void check_missing(struct verify *v, enum kind kind)
{
	const struct map *missing = &v->missing[kind];
	uint64_t first = UINT64_MAX;

	if (!missing->count)
		return;
	for (uint32_t i = 0; i < missing->capacity; i++)
		if (missing->entry[i].state == MAP_USED && missing->entry[i].key < first)
			first = missing->entry[i].key;
	if (missing->count == 1)
		walk_found(&v->walk, "a definition names %s %" PRIu64 ", which is not defined",
			   walk_kind_name[kind], first);
	else
		walk_found(&v->walk,
			   "definitions name %s %" PRIu64
			   ", which is not defined, and %u other such",
			   walk_kind_name[kind], first, missing->count - 1);
}

static void check_references(struct verify *v)
{
	for (enum kind kind = KIND_STRING; kind < KINDS; kind++)
		check_missing(v, kind);
	for (uint32_t i = 0; i < v->handle_states; i++) {
		uint32_t id = walk_id(&v->walk, KIND_HANDLE, v->handle_state[i]);

		if (id != NONE && !(v->handle_flags[id] & OTF2_IO_HANDLE_FLAG_PRE_CREATED))
			walk_found(&v->walk,
				   "IoHandle %u has a state before its creation, but is created",
				   v->handle_state[i]);
	}
	if (!v->has_clock)
		walk_found(&v->walk, "there are no clock properties");
}

void verify_definitions(struct verify *v)
{
	const struct defined *defined = v->walk.defined;
	struct archive_report *report = v->report;

	v->attribute_type = mem_array(defined[KIND_ATTRIBUTE].count + 1, 1);
	v->location = mem_array(v->walk.locations + 1, sizeof(*v->location));
	v->group = mem_array(defined[KIND_GROUP].count + 1, sizeof(*v->group));
	v->handle_flags = mem_array(defined[KIND_HANDLE].count + 1, sizeof(*v->handle_flags));
	v->member_type = mem_array(defined[KIND_METRIC_MEMBER].count + 1, 1);
	v->series = mem_array(defined[KIND_METRIC].count + 1, sizeof(*v->series));
	walk_definitions(&v->walk, on_definition, v);
	check_references(v);
	if (v->walk.anchor.definitions != v->walk.definitions)
		walk_found(&v->walk, "the anchor says %" PRIu64 " definitions, there are %" PRIu64,
			   v->walk.anchor.definitions, v->walk.definitions);
	report->definitions = v->walk.definitions;
	report->locations = v->walk.locations;
	report->processes = defined[KIND_GROUP].count;
	report->regions = defined[KIND_REGION].count;
	report->files = defined[KIND_FILE].count;
	report->handles = defined[KIND_HANDLE].count;
	report->first_time = v->clock_first;
	report->last_time = v->clock_last;
}
