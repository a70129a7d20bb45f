/* latency_name: groups and keys as text for a terminal. */
#include "latency.h"
#include "print/summary_name.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096 };

char *latency_group_text(const struct span_report *report, const struct latency_group *group)
{
	char *bytes, *text;
	size_t length;

	if (group->is_rest)
		return mem_strdup("(groups that found no room)");
	bytes = mem_alloc(NAME_MOST);
	length = span_engine_group(report->engine, group->span, group->group, bytes, NAME_MOST);
	text = length ? summary_escape(bytes, length) : mem_strdup("-");
	free(bytes);
	return text;
}

char *latency_about_text(const struct span_report *report, const struct span_seen *seen)
{
	const char *about = span_engine_about(report->engine, seen);
	char *bytes, *text;
	size_t length;

	if (*about)
		return summary_escape(about, strlen(about));
	bytes = mem_alloc(NAME_MOST);
	length = span_engine_key(report->engine, seen, bytes, NAME_MOST);
	text = length ? summary_escape(bytes, length) : mem_strdup("-");
	free(bytes);
	return text;
}
