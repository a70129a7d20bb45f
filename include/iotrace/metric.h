/*
 * metric: what is sampled: counters of threads, figures of devices and of the machine, fields of events.
 */
#ifndef IOTRACE_METRIC_H
#define IOTRACE_METRIC_H

#include <iotrace/decode.h>
#include <iotrace/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values that are sampled together, on one or more locations. */
struct model_series {
	str_id name;
	uint32_t metric;  /* index of the first in model_metric() */
	uint32_t metrics; /* at most EVENT_COUNTERS */
	bool is_of_calls; /* sampled at the end of calls (-E), on the threads' locations */
};

struct model_metric {
	str_id name, unit, description;
	bool is_accumulated; /* grows from the start; else an absolute value */
	bool is_signed;
};

/* Returns a new series. Texts are copied; before the first event of it. */
struct model_metric_text {
	const char *name, *unit, *description;
	bool is_accumulated, is_signed;
};
uint32_t model_add_series(struct model *model, const char *name, bool is_of_calls,
			  const struct model_metric_text *metric, uint32_t metrics);
/* The counters of -E, a series of calls: their names are copied. Before the first event. */
void model_set_counters(struct model *model, const char *const *name, uint32_t count);
/* Returns a new parameter: a string that an event of -e carries. The name is copied. */
uint32_t model_add_parameter(struct model *model, const char *name);
uint32_t model_parameters(const struct model *model);
str_id model_parameter(const struct model *model, uint32_t id);

/*
 * Says what an event of -e carries: its numbers become a series, its strings parameters. Copied; before its first
 * EVENT_TRACEPOINT, of which nothing is recorded else.
 */
void model_set_tracepoint(struct model *model, uint32_t event, const struct decode_event *text);
bool model_has_tracepoint(const struct model *model, uint32_t event);

uint32_t model_series_count(const struct model *model);
uint32_t model_metrics(const struct model *model);
const struct model_series *model_series(const struct model *model, uint32_t id);
const struct model_metric *model_metric(const struct model *model, uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
