/* probe_events: lists tracepoints and their fields. */
#include <iotrace/probe.h>

#include "perf/tracefs.h"
#include "perf/uprobes.h"

#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

int probe_tracepoints(void (*call)(void *context, const char *name), void *context,
		      struct error *err)
{
	struct tracefs tracefs;
	char *text = NULL, *rest, *line;

	confine_raise();
	if (!tracefs_open(&tracefs, err))
		text = tracefs_text(&tracefs, "available_events", err);
	tracefs_close(&tracefs);
	confine_lower();
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			call(context, line);
	free(text);
	return text ? 0 : -1;
}

/* Finds TYPE and NAME in a line "\tfield:TYPE NAME;..." or "\tfield:TYPE NAME[SIZE];...". */
static void take_field(char *line, void (*call)(void *context, const char *type, const char *name),
		       void *context)
{
	char *type = strstr(line, "field:"), *end = type ? strchr(type, ';') : NULL, *name;

	if (!end)
		return;
	*end = '\0';
	type += strlen("field:");
	name = strrchr(type, ' ');
	if (!name || !strncmp(name + 1, "common_", 7))
		return;
	*name++ = '\0';
	call(context, type, name);
}

/* Returns its format file, which the caller frees, or NULL. */
static char *format_of(const char *tracepoint)
{
	size_t length = strcspn(tracepoint, ":");
	char *path = mem_format("events/%.*s/%s/format", (int)length, tracepoint,
				tracepoint[length] ? tracepoint + length + 1 : "");
	struct tracefs tracefs;
	char *text = NULL;

	confine_raise();
	if (!tracefs_open(&tracefs, NULL))
		text = tracefs_text(&tracefs, path, NULL);
	tracefs_close(&tracefs);
	confine_lower();
	free(path);
	return text;
}

int probe_fields(const char *tracepoint,
		 void (*call)(void *context, const char *type, const char *name), void *context)
{
	char *text = format_of(tracepoint), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		take_field(line, call, context);
	free(text);
	return text ? 0 : -1;
}

int probe_uprobes(struct error *err)
{
	struct tracefs tracefs;
	int code;

	confine_raise();
	code = tracefs_open(&tracefs, err);
	if (!code)
		code = uprobes_check(&tracefs, err);
	tracefs_close(&tracefs);
	confine_lower();
	return code;
}
