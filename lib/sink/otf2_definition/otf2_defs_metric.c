/*
 * otf2_defs_metric: metrics, their recorders, and the strings of -e.
 *
 * A series of calls is sampled at the ends of calls on any thread: it is a synchronous class, which needs no list of recorders.
 * Other series are asynchronous, and each location on which one was sampled is a recorder.
 */
#include "otf2_define.h"
#include "otf2_defs.h"

#include <iotrace/trace.h>

OTF2_Type otf2_metric_type(const struct trace_metric *metric)
{
	return metric->is_signed ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64;
}

static bool write_members(struct sink *sink)
{
	bool good = true;

	for (uint32_t i = 0; i < trace_metrics(sink->trace); i++) {
		const struct trace_metric *metric = trace_metric(sink->trace, i);

		good &= is_good(OTF2_GlobalDefWriter_WriteMetricMember(
			sink->definitions, i, define_str(sink, metric->name),
			define_str(sink, metric->description), OTF2_METRIC_TYPE_OTHER,
			metric->is_accumulated ? OTF2_METRIC_ACCUMULATED_START
					       : OTF2_METRIC_ABSOLUTE_POINT,
			otf2_metric_type(metric), OTF2_BASE_DECIMAL, 0,
			define_str(sink, metric->unit)));
	}
	return good;
}

static bool write_class(struct sink *sink, uint32_t id)
{
	const struct trace_series *series = trace_series(sink->trace, id);
	OTF2_MetricMemberRef members[EVENT_COUNTERS];

	if (series->metrics > EVENT_COUNTERS)
		return false;
	for (uint32_t i = 0; i < series->metrics; i++)
		members[i] = series->metric + i;
	return is_good(OTF2_GlobalDefWriter_WriteMetricClass(
		sink->definitions, id, (uint8_t)series->metrics, members,
		series->is_of_calls ? OTF2_METRIC_SYNCHRONOUS : OTF2_METRIC_ASYNCHRONOUS,
		series->is_of_calls ? OTF2_RECORDER_KIND_CPU : OTF2_RECORDER_KIND_UNKNOWN));
}

static bool write_parameters(struct sink *sink)
{
	bool good = true;

	for (uint32_t i = 0; i < trace_parameters(sink->trace); i++)
		good &= is_good(OTF2_GlobalDefWriter_WriteParameter(
			sink->definitions, i, define_str(sink, trace_parameter(sink->trace, i)),
			OTF2_PARAMETER_TYPE_STRING));
	return good;
}

bool otf2_write_metrics(struct sink *sink)
{
	bool good = write_members(sink);

	for (uint32_t i = 0; i < trace_series_count(sink->trace); i++)
		good &= write_class(sink, i);
	for (uint32_t i = 0; i < sink->recorders; i++)
		good &= is_good(OTF2_GlobalDefWriter_WriteMetricClassRecorder(
			sink->definitions, sink->recorder[i].series,
			sink->location[sink->recorder[i].thread].ref));
	return good && write_parameters(sink);
}
