/* recording_fact: see recording_fact.h. */
#include "recording_fact.h"

#include <iotrace/mem.h>

enum { OPTIONS_MOST = 1024 }; /* limit for invalid captures */

str_id fact_text(struct model *m, const struct event *event, uint32_t index)
{
	return model_string(m, event->fact.string[index].at, event->fact.string[index].length);
}

bool host_lasts_until_end(const struct model *m)
{
	return m->trace.host.first_time && m->trace.host.end_reason != TRACE_END_ERROR &&
	       (m->trace.host.is_system || !m->trace.host.argv ||
		(m->trace.host.status < 0 && !m->trace.host.is_joined));
}

void recording_fact_end(struct model *m, const struct event *event)
{
	uint64_t some = event->fact.number[FACT_END_cpu_some_us];
	int reason = (int)event->fact.number[FACT_END_reason];

	/* A part of a recording that goes on ends so, unless the recording has ended just now. */
	if (m->trace.host.end_reason >= 0 && reason == TRACE_END_DETACHED)
		return;
	m->trace.host.end_reason = reason;
	m->trace.host.end_errno = (int)event->fact.number[FACT_END_error];
	if (m->trace.host.cpu_some && some > m->trace.host.cpu_some)
		m->trace.host.cpu_wait = (some - m->trace.host.cpu_some) * 1000 /* ns */;
	if (host_lasts_until_end(m) && event->time > m->trace.host.last_time)
		m->trace.host.last_time = event->time;
}

void recording_fact_job(struct model *m, const struct event *event)
{
	m->trace.host.job = (struct trace_job){
		.system = fact_text(m, event, FACT_JOB_system),
		.id = fact_text(m, event, FACT_JOB_id),
		.name = fact_text(m, event, FACT_JOB_name),
		.user = fact_text(m, event, FACT_JOB_user),
		.nodes = (uint32_t)event->fact.number[FACT_JOB_nodes],
		.ranks = (uint32_t)event->fact.number[FACT_JOB_ranks],
	};
}

void recording_fact_option(struct model *m, const struct event *event)
{
	if (m->trace.options == OPTIONS_MOST)
		return;
	MEM_GROW(m->trace.option, m->trace.options_cap, m->trace.options + 1);
	m->trace.option[m->trace.options++] = (struct trace_option){
		.from = fact_text(m, event, FACT_OPTION_from),
		.words = fact_text(m, event, FACT_OPTION_words),
		.line = (uint32_t)event->fact.number[FACT_OPTION_line],
	};
}
