/*
 * metric: series, their metrics, and parameters. See metric.h.
 */
#include "state.h"

#include <string.h>

static str_id text(struct model *m, const char *words)
{
	return model_string(m, words, strlen(words));
}

uint32_t model_add_series(struct model *m, const char *name, bool is_of_calls,
			  const struct model_metric_text *metric, uint32_t metrics)
{
	MEM_GROW(m->series, m->series_cap, m->seriess + 1);
	m->series[m->seriess] = (struct model_series){.name = text(m, name),
						      .metric = m->metrics,
						      .metrics = metrics,
						      .is_of_calls = is_of_calls};
	for (uint32_t i = 0; i < metrics; i++) {
		MEM_GROW(m->metric, m->metrics_cap, m->metrics + 1);
		m->metric[m->metrics++] = (struct model_metric){
			.name = text(m, metric[i].name),
			.unit = text(m, metric[i].unit),
			.description = text(m, metric[i].description),
			.is_accumulated = metric[i].is_accumulated,
			.is_signed = metric[i].is_signed,
		};
	}
	return m->seriess++;
}

void model_set_counters(struct model *m, const char *const *name, uint32_t count)
{
	struct model_metric_text row[EVENT_COUNTERS];

	for (uint32_t i = 0; i < count && i < EVENT_COUNTERS; i++)
		row[i] = (struct model_metric_text){
			.name = name[i],
			.unit = "#",
			.description = "Counter of the thread since recording began",
			.is_accumulated = true};
	if (count)
		m->call_series = model_add_series(m, "counters", true, row,
						  count < EVENT_COUNTERS ? count : EVENT_COUNTERS);
}

uint32_t model_add_parameter(struct model *m, const char *name)
{
	MEM_GROW(m->parameter, m->parameters_cap, m->parameters + 1);
	m->parameter[m->parameters] = text(m, name);
	return m->parameters++;
}

uint32_t model_parameters(const struct model *m)
{
	return m->parameters;
}

str_id model_parameter(const struct model *m, uint32_t id)
{
	return m->parameter[id];
}

uint32_t model_series_count(const struct model *m)
{
	return m->seriess;
}

uint32_t model_metrics(const struct model *m)
{
	return m->metrics;
}

const struct model_series *model_series(const struct model *m, uint32_t id)
{
	return &m->series[id];
}

const struct model_metric *model_metric(const struct model *m, uint32_t id)
{
	return &m->metric[id];
}
