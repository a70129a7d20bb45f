/* command: errors of commands. */
#include "command.h"

#include "option/limit.h"

#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/nearest.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Names that commands have in other tools. */
static const struct {
	const char *word, *command;
} others[] = {
	{"annotate", "report"}, {"dump", "convert"},           {"info", "report"},
	{"print", "report"},    {"script", "convert"},         {"show", "report"},
	{"summary", "report"},  {"validate", "check-archive"}, {"verify", "check-archive"},
};

const char *command_nearest(const char *name)
{
	static const char *const known[] = {
#define COMMAND(id, name) name,
#include "cmd/commands.def"
#undef COMMAND
		"help",
		"version",
	};
	struct nearest nearest;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].word, name))
			return others[i].command;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		nearest_try(&nearest, known[i]);
	return nearest.best;
}

void command_complain(struct error *err)
{
	limit_hint(err);
	log_failure(LOG_ERROR, err);
}

void command_begin_line(bool has_ctrl_c)
{
	if (has_ctrl_c && probe_columns(STDERR_FILENO) > 0)
		fputc('\n', stderr);
}

char *command_line(int argc, char **argv)
{
	char *line = mem_strdup("iotrace");

	for (int i = 0; i < argc; i++)
		mem_append(&line, " %s", argv[i]);
	return line;
}

int command_exit_status(int wait_status)
{
	if (wait_status < 0)
		return STATUS_OK;
	return WIFSIGNALED(wait_status) ? STATUS_SIGNAL + WTERMSIG(wait_status)
					: WEXITSTATUS(wait_status);
}

int command_misused(const struct command *command, const struct error *err)
{
	log_failure(LOG_ERROR, err);
	log_error("Try 'iotrace%s%s --help'.", command->is_default ? "" : " ",
		  command->is_default ? "" : command->name);
	return STATUS_FAILED;
}
