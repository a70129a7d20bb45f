/*
 * verify_metric: what is sampled has the types and the number that its class says, and an asynchronous class is
 * recorded only by the locations that are listed as its recorders.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>

enum { INSTANCES_MOST = 100 }; /* of instances of instances; they may be a ring */

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
				   OTF2_StringRef description, OTF2_MetricType type,
				   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
				   int64_t exponent, OTF2_StringRef unit)
{
	struct verify *v = data;
	uint32_t index;

	(void)type;
	(void)mode;
	(void)base;
	(void)exponent;
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_STRING, description);
	verify_refer(v, KIND_STRING, unit);
	index = verify_define(v, KIND_METRIC_MEMBER, self);
	if (index != NONE) {
		MEM_GROW(v->member_type, v->member_capacity, index + 1);
		v->member_type[index] = value;
	}
	return OTF2_CALLBACK_SUCCESS;
}

/* Classes and instances share their ids. */
static void add_series(struct verify *v, OTF2_MetricRef self, struct series series)
{
	uint32_t index = verify_define(v, KIND_METRIC, self);

	if (index == NONE)
		return;
	MEM_GROW(v->series, v->series_capacity, index + 1);
	v->series[index] = series;
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t count,
				  const OTF2_MetricMemberRef *members,
				  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
	struct verify *v = data;

	(void)recorder;
	for (uint8_t i = 0; i < count; i++)
		verify_refer(v, KIND_METRIC_MEMBER, members[i]);
	add_series(v, self, (struct series){occurrence, count, v->class_members, NONE});
	MEM_GROW(v->class_member, v->class_member_capacity, v->class_members + count);
	for (uint8_t i = 0; i < count; i++)
		v->class_member[v->class_members++] = members[i];
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
				     OTF2_LocationRef recorder, OTF2_MetricScope kind,
				     uint64_t scope)
{
	struct verify *v = data;

	(void)kind;
	(void)scope;
	verify_refer(v, KIND_METRIC, class);
	verify_refer(v, KIND_LOCATION, recorder);
	add_series(v, self, (struct series){.instance_of = class});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recorder(void *data, OTF2_MetricRef metric, OTF2_LocationRef recorder)
{
	struct verify *v = data;

	verify_refer(v, KIND_METRIC, metric);
	verify_refer(v, KIND_LOCATION, recorder);
	map_set(&v->recorder, verify_pair(metric, recorder), 1);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter_definition(void *data, OTF2_ParameterRef self,
						 OTF2_StringRef name, OTF2_ParameterType type)
{
	struct verify *v = data;

	(void)type;
	verify_define(v, KIND_PARAMETER, self);
	verify_refer(v, KIND_STRING, name);
	return OTF2_CALLBACK_SUCCESS;
}

void verify_register_metric_definitions(OTF2_GlobalDefReaderCallbacks *c)
{
	OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
	OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(c, on_instance);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(c, on_recorder);
	OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter_definition);
}

/* Returns the class of a metric, or NULL: it is an instance of nothing. */
static const struct series *class_of(const struct verify *v, OTF2_MetricRef metric)
{
	for (int i = 0; i < INSTANCES_MOST; i++) {
		uint32_t index = verify_index(v, KIND_METRIC, metric);

		if (index == NONE || v->series[index].instance_of == NONE)
			return index == NONE ? NULL : &v->series[index];
		metric = v->series[index].instance_of;
	}
	return NULL;
}

static void check_values(struct verify *v, uint64_t location, OTF2_MetricRef metric, uint8_t count,
			 const OTF2_Type *types)
{
	const struct series *series = class_of(v, metric);

	if (!series)
		return;
	if (count != series->members)
		verify_found(v, "Metric %u on location %" PRIu64 " has %u values, its class %u",
			     metric, location, count, series->members);
	for (uint8_t i = 0; i < count && i < series->members; i++) {
		uint32_t ref = v->class_member[series->first + i];
		uint32_t member = verify_index(v, KIND_METRIC_MEMBER, ref);

		if (member != NONE && v->member_type[member] != types[i])
			verify_found(v,
				     "value %u of Metric %u on location %" PRIu64
				     " is not of the type of its member",
				     i, metric, location);
	}
	if (series->occurrence == OTF2_METRIC_ASYNCHRONOUS &&
	    map_get(&v->recorder, verify_pair(metric, location)) == MAP_NONE)
		verify_deviates(v,
				"Metric %u is recorded on location %" PRIu64
				", which is not one of its recorders",
				metric, location);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_MetricRef metric,
				   uint8_t count, const OTF2_Type *types,
				   const OTF2_MetricValue *values)
{
	struct verify *v = data;

	(void)values;
	verify_event(v, location, time, attributes);
	if (verify_ref(v, KIND_METRIC, metric, "Metric", location))
		check_values(v, location, metric, count, types);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_ParameterRef parameter,
				      OTF2_StringRef string)
{
	verify_event(data, location, time, attributes);
	verify_ref(data, KIND_PARAMETER, parameter, "ParameterString", location);
	verify_ref(data, KIND_STRING, string, "ParameterString", location);
	return OTF2_CALLBACK_SUCCESS;
}

void verify_register_metrics(OTF2_GlobalEvtReaderCallbacks *c)
{
	OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(c, on_metric);
	OTF2_GlobalEvtReaderCallbacks_SetParameterStringCallback(c, on_parameter);
}
