#include "owner.h"

#include "record_options.h"

#include <iotrace/mem.h>
#include <iotrace/syscall.h>
#include <stdlib.h>
#include <string.h>

const struct owner_row owner_rows[] = {
	{"output", OWNER_RECORDER, TAKES_LAST},
	{"pid", OWNER_RECORDER, TAKES_ALL},
	{"system", OWNER_RECORDER, TAKES_LAST},
	{"wait", OWNER_RECORDER, TAKES_LAST},
	{"join", OWNER_IOTRACE, TAKES_LAST},
	{"alone", OWNER_IOTRACE, TAKES_LAST},
	{"each", OWNER_RECORDER, TAKES_LAST},
	{"duration", OWNER_RECORDER, TAKES_LAST},
	{"delay", OWNER_RECORDER, TAKES_LAST},
	{"start-stopped", OWNER_RECORDER, TAKES_LAST},
	{"marks", OWNER_COMMAND, TAKES_LAST},
	{"flight", OWNER_RECORDER, TAKES_LAST},
	{"trigger", OWNER_RECORDER, TAKES_ALL},
	{"after", OWNER_RECORDER, TAKES_LAST},
	{"keep", OWNER_RECORDER, TAKES_LAST},
	{"spacing", OWNER_RECORDER, TAKES_LAST},
	{"limit", OWNER_RECORDER, TAKES_LAST},
	{"ready-fd", OWNER_IOTRACE, TAKES_LAST},
	{"syscalls", OWNER_COMMAND, TAKES_LAST}, /* except the groups below */
	{"source", OWNER_RECORDER, TAKES_LAST},
	{"cgroup", OWNER_RECORDER, TAKES_ALL},
	{"uid", OWNER_RECORDER, TAKES_ALL},
	{"comm", OWNER_COMMAND, TAKES_ALL},
	{"path", OWNER_COMMAND, TAKES_ALL},
	{"exclude-path", OWNER_COMMAND, TAKES_ALL},
	{"block", OWNER_RECORDER, TAKES_ALL},
	{"no-block", OWNER_RECORDER, TAKES_LAST},
	{"device", OWNER_RECORDER, TAKES_ALL},
	{"block-mode", OWNER_RECORDER, TAKES_LAST},
	{"sample-interval", OWNER_RECORDER, TAKES_LAST},
	{"tracepoint", OWNER_RECORDER, TAKES_ALL},
	{"span", OWNER_RECORDER, TAKES_ALL},
	{"spans", OWNER_RECORDER, TAKES_ALL},
	{"event", OWNER_RECORDER, TAKES_ALL},
	{"ring-size", OWNER_RECORDER, TAKES_LAST},
	{"buffer", OWNER_RECORDER, TAKES_LAST},
	{"capture", OWNER_RECORDER, TAKES_LAST},
	{"format", OWNER_RECORDER, TAKES_LAST},
	{"quiet", OWNER_RECORDER, TAKES_LAST},
	{"mode", OWNER_RECORDER, TAKES_LAST},
	{"summary", OWNER_RECORDER, TAKES_LAST},
	{"top", OWNER_RECORDER, TAKES_LAST},
	{"sort", OWNER_RECORDER, TAKES_LAST},
	{"strict", OWNER_RECORDER, TAKES_LAST},
	{"no-defaults", OWNER_IOTRACE, TAKES_LAST},
	{"verbose", OWNER_IOTRACE, TAKES_LAST},
	{"help", OWNER_IOTRACE, TAKES_LAST},
	{"version", OWNER_IOTRACE, TAKES_LAST},
	{NULL, OWNER_IOTRACE, TAKES_LAST},
};

/* Groups whose programs are loaded when the recorder begins, or not at all. */
static const enum call_group of_recorder[] = {GROUP_URING, GROUP_FAULT, GROUP_WRITEBACK};

enum { ROWS = sizeof(owner_rows) / sizeof(owner_rows[0]) };

/* The line of each option; NULL: not given. */
struct lines {
	char *line[ROWS];
};

static void take(void *context, const struct option_row *row, const char *arg)
{
	struct lines *lines = context;
	const struct owner_row *owner = owner_rows;
	char **line;

	while (owner->option && strcmp(owner->option, row->name) != 0)
		owner++;
	if (owner->owner != OWNER_RECORDER)
		return;
	line = &lines->line[owner - owner_rows];
	if (*line && owner->takes == TAKES_ALL) {
		mem_append(line, ",%s", arg ? arg : "");
		return;
	}
	free(*line);
	*line = mem_format("--%s%s%s", row->name, arg ? "=" : "", arg ? arg : "");
}

static void take_all(const struct record_options *options, struct lines *lines)
{
	memset(lines, 0, sizeof(*lines));
	for (uint32_t i = 0; i < options->given.count; i++)
		options_walk(record_rows, true, options->given.line[i].argc,
			     options->given.line[i].argv, take, lines);
}

static void add_groups(char **text, const struct record_options *options)
{
	for (size_t i = 0; i < sizeof(of_recorder) / sizeof(of_recorder[0]); i++)
		if (options->recording.selection.groups >> of_recorder[i] & 1)
			mem_append(text, "%s--syscalls=+%s", **text ? "\n" : "",
				   call_group_name(of_recorder[i]));
}

static bool is_name(const char *option)
{
	return !strcmp(option, "output") || !strcmp(option, "capture");
}

/* With --each, the name of the archive belongs to the command. */
static bool is_own_name(const struct record_options *options, const char *option)
{
	return options->is_each && !strcmp(option, "output");
}

static char *gather(const struct record_options *options, bool is_of_names)
{
	struct lines lines;
	char *text = mem_strdup("");

	take_all(options, &lines);
	for (int i = 0; i < ROWS; i++) {
		const char *option = owner_rows[i].option;

		if (lines.line[i] && !is_own_name(options, option) &&
		    (!is_of_names || is_name(option)))
			mem_append(&text, "%s%s", *text ? "\n" : "", lines.line[i]);
		free(lines.line[i]);
	}
	if (!is_of_names)
		add_groups(&text, options);
	return text;
}

char *owner_of_recorder(const struct record_options *options)
{
	return gather(options, false);
}

char *owner_of_names(const struct record_options *options)
{
	return gather(options, true);
}
