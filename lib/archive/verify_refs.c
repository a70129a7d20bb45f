/*
 * verify_refs: what all checks need: findings, ids and references to them, and what holds for every event.
 */
#include "verify.h"

#include <inttypes.h>
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

void verify_found(struct verify *v, const char *format, ...)
{
	va_list arguments;

	if (v->report->findings < ARCHIVE_FINDINGS) {
		va_start(arguments, format);
		vsnprintf(v->report->finding[v->report->findings], ARCHIVE_FINDING_SIZE, format,
			  arguments);
		va_end(arguments);
	}
	v->report->findings++;
}

bool verify_define(struct verify *v, enum kind kind, uint64_t self)
{
	bool is_next = self == v->defined[kind];

	if (!is_next)
		verify_found(v, "%s %" PRIu64 " is defined where %" PRIu64 " should be",
			     verify_kind_name[kind], self, v->defined[kind]);
	v->defined[kind]++;
	return is_next;
}

void verify_refer(struct verify *v, enum kind kind, uint32_t ref)
{
	if (ref != NONE && (uint64_t)ref + 1 > v->referred[kind])
		v->referred[kind] = (uint64_t)ref + 1;
}

uint32_t verify_place(const struct verify *v, uint64_t location)
{
	return map_get(&v->place_of, location);
}

bool verify_ref(struct verify *v, enum kind kind, uint64_t ref, const char *what, uint64_t location)
{
	if (ref < v->defined[kind])
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
		if (ref < v->attribute_capacity && v->attribute_type[ref] != type)
			verify_found(v,
				     "an attribute on location %" PRIu64
				     " is not of the type of Attribute %u",
				     location, ref);
		uint32_t kind = attribute_kind(type);

		if (kind != NONE)
			verify_ref(v, kind, value.uint32, "an attribute", location);
	}
}

struct place *verify_event(struct verify *v, uint64_t location, uint64_t time,
			   OTF2_AttributeList *attributes)
{
	uint32_t index = verify_place(v, location);

	v->report->events++;
	if (index == NONE) {
		verify_found(v, "there is an event on location %" PRIu64 ", which is not defined",
			     location);
		return NULL;
	}
	struct place *place = &v->place[index];

	if (place->events && time < place->last_time)
		verify_found(v, "time falls on location %" PRIu64 ", from %" PRIu64 " to %" PRIu64,
			     location, place->last_time, time);
	if (v->has_clock && (time < v->clock_first || time > v->clock_last))
		verify_found(v,
			     "an event on location %" PRIu64 " at %" PRIu64
			     " is outside the clock properties",
			     location, time);
	place->events++;
	place->last_time = time;
	check_attributes(v, location, attributes);
	return place;
}
