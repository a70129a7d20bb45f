/*
 * verify_refs: what all checks need: findings, ids and references to them, and what holds for every event.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/hash.h>
#include <stdarg.h>
#include <stdio.h>

const char *const verify_kind_name[KINDS] = {
	[KIND_STRING] = "String",
	[KIND_ATTRIBUTE] = "Attribute",
	[KIND_NODE] = "SystemTreeNode",
	[KIND_GROUP] = "LocationGroup",
	[KIND_LOCATION] = "Location",
	[KIND_REGION] = "Region",
	[KIND_METRIC_MEMBER] = "MetricMember",
	[KIND_METRIC] = "Metric",
	[KIND_PARAMETER] = "Parameter",
	[KIND_MEMBERS] = "Group",
	[KIND_COMM] = "Comm",
	[KIND_PARADIGM] = "IoParadigm",
	[KIND_FILE] = "IoFile",
	[KIND_HANDLE] = "IoHandle",
};

__attribute__((format(printf, 3, 0))) static void add(struct verify *v, bool is_deviation,
						      const char *format, va_list arguments)
{
	struct archive_report *report = v->report;

	if (report->findings < ARCHIVE_FINDINGS) {
		vsnprintf(report->finding[report->findings], ARCHIVE_FINDING_SIZE, format,
			  arguments);
		report->is_deviation[report->findings] = is_deviation;
	}
	report->findings++;
	report->deviations += is_deviation;
}

void verify_found(struct verify *v, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(v, false, format, arguments);
	va_end(arguments);
}

void verify_deviates(struct verify *v, const char *format, ...)
{
	va_list arguments;

	if (!v->is_of_iotrace)
		return;
	va_start(arguments, format);
	add(v, true, format, arguments);
	va_end(arguments);
}

uint64_t verify_pair(uint64_t first, uint64_t second)
{
	const uint64_t both[2] = {first, second};

	return hash_bytes(hash_key_of_process(), both, sizeof(both));
}

uint32_t verify_index(const struct verify *v, enum kind kind, uint64_t ref)
{
	const struct defined *defined = &v->defined[kind];

	return ref < defined->dense ? (uint32_t)ref : map_get(&defined->index_of, ref);
}

uint32_t verify_define(struct verify *v, enum kind kind, uint64_t self)
{
	struct defined *defined = &v->defined[kind];
	uint32_t index = (uint32_t)defined->count;

	if (verify_index(v, kind, self) != NONE) {
		verify_found(v, "%s %" PRIu64 " is defined twice", verify_kind_name[kind], self);
		return NONE;
	}
	if (self != index)
		verify_deviates(v, "%s %" PRIu64 " is defined where %" PRIu32 " should be",
				verify_kind_name[kind], self, index);
	if (self == index && defined->dense == index)
		defined->dense++;
	else
		map_set(&defined->index_of, self, index);
	map_remove(&defined->missing, self);
	defined->count++;
	return index;
}

void verify_refer(struct verify *v, enum kind kind, uint64_t ref)
{
	const uint64_t undefined = kind == KIND_LOCATION ? OTF2_UNDEFINED_LOCATION : NONE;

	if (ref != undefined && verify_index(v, kind, ref) == NONE)
		map_set(&v->defined[kind].missing, ref, 1);
}

struct verify_group *verify_group(const struct verify *v, uint32_t ref)
{
	uint32_t index = verify_index(v, KIND_GROUP, ref);

	return index == NONE ? NULL : &v->group[index];
}

bool verify_ref(struct verify *v, enum kind kind, uint64_t ref, const char *what, uint64_t location)
{
	if (verify_index(v, kind, ref) != NONE)
		return true;
	verify_found(v, "%s on location %" PRIu64 " names %s %" PRIu64 ", which is not defined",
		     what, location, verify_kind_name[kind], ref);
	return false;
}

/* What an attribute refers to, by its type; NONE: to nothing that is checked. */
static uint32_t attribute_kind(OTF2_Type type)
{
	switch (type) {
	case OTF2_TYPE_STRING:
		return KIND_STRING;
	case OTF2_TYPE_IO_FILE:
		return KIND_FILE;
	case OTF2_TYPE_IO_HANDLE:
		return KIND_HANDLE;
	default:
		return NONE;
	}
}

static void check_attributes(struct verify *v, uint64_t location, OTF2_AttributeList *attributes)
{
	uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);

	for (uint32_t i = 0; i < count; i++) {
		OTF2_AttributeRef ref;
		OTF2_Type type;
		OTF2_AttributeValue value;

		if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &ref, &type, &value) !=
			    OTF2_SUCCESS ||
		    !verify_ref(v, KIND_ATTRIBUTE, ref, "an event", location))
			continue;
		if (v->attribute_type[verify_index(v, KIND_ATTRIBUTE, ref)] != type)
			verify_found(v,
				     "an attribute on location %" PRIu64
				     " is not of the type of Attribute %u",
				     location, ref);
		uint32_t kind = attribute_kind(type);

		if (kind != NONE)
			verify_ref(v, kind, value.uint32, "an attribute", location);
	}
}

struct verify_location *verify_event(struct verify *v, uint64_t location, uint64_t time,
				     OTF2_AttributeList *attributes)
{
	uint32_t index = verify_index(v, KIND_LOCATION, location);

	v->report->events++;
	if (index == NONE) {
		verify_found(v, "there is an event on location %" PRIu64 ", which is not defined",
			     location);
		return NULL;
	}
	struct verify_location *state = &v->location[index];

	if (state->events && time < state->last_time)
		verify_found(v,
			     "time decreases on location %" PRIu64 ", from %" PRIu64 " to %" PRIu64,
			     location, state->last_time, time);
	if (v->has_clock && (time < v->clock_first || time > v->clock_last))
		verify_found(v,
			     "an event on location %" PRIu64 " at %" PRIu64
			     " is outside the clock properties",
			     location, time);
	state->events++;
	state->last_time = time;
	check_attributes(v, location, attributes);
	return state;
}
