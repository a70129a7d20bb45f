/*
 * sink: the table of all sinks.
 *
 * Each sink has its own struct sink_ops, and a row here.
 */
#include "sinks.h"

#include <stddef.h>
#include <string.h>

static const struct sink_ops *const sinks[] = {
	&sink_otf2_ops,
	&sink_text_ops,
	&sink_summary_ops,
	&sink_null_ops,
};

const struct sink_ops *sink_at(uint32_t index)
{
	return index < sizeof(sinks) / sizeof(sinks[0]) ? sinks[index] : NULL;
}

const struct sink_ops *sink_find(const char *name)
{
	for (uint32_t i = 0; sink_at(i); i++)
		if (strcmp(sink_at(i)->name, name) == 0)
			return sink_at(i);
	return NULL;
}
