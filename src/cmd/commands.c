/* commands: the table, and what all commands have in common: options, --help, the end of the output. */
#include "commands.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
#define COMMAND(id, name) &command_##id,
#include "commands.def"
#undef COMMAND
};

const struct command *command_at(uint32_t index)
{
	return index < sizeof(commands) / sizeof(commands[0]) ? commands[index] : NULL;
}

const struct command *command_find(const char *name)
{
	for (uint32_t i = 0; command_at(i); i++) {
		if (!strcmp(command_at(i)->name, name))
			return command_at(i);
	}
	return NULL;
}

static const char *usage_name(const struct command *command)
{
	return command->is_default ? "[record]" : command->name;
}

static void put_usage(const char *before, const struct command *command, FILE *out)
{
	fprintf(out, "%s iotrace %s [OPTION]...%s%s\n", before, usage_name(command),
		*command->operands ? " " : "", command->operands);
}

void command_usage(const struct command *command, FILE *out)
{
	put_usage("usage:", command, out);
	for (uint32_t i = 1; command->is_default && command_at(i); i++)
		put_usage("      ", command_at(i), out);
}

void command_help(const struct command *command, FILE *out)
{
	command_usage(command, out);
	fprintf(out, "\n%s\n\n", command->help);
	options_help(command->row, out);
	if (command->about)
		fprintf(out, "\n%s", command->about);
}

/* Checks what went to standard output: a full disk must not look like success. */
static int finish_output(int status)
{
	int code = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;

	if (!code || status == STATUS_FAILED)
		return status;
	log_error("cannot write standard output: %s", strerror(code));
	return STATUS_FAILED;
}

/* Returns as options_parse(). The command line is parsed last, so it has precedence. */
static int parse(const struct command *command, void *options, int argc, char **argv,
		 struct error *err)
{
	bool takes_defaults;

	if (command->defaults) {
		int first = options_scan(command->row, command->runs_command, argc, argv,
					 &takes_defaults);

		if (command->defaults(options, !takes_defaults, first, argv, err))
			return -1;
	}
	return options_parse(command->row, command->hint, command->runs_command, options, argc,
			     argv, err);
}

static int parse_and_run(const struct command *command, void *options, int argc, char **argv)
{
	struct error err = {0};
	int first = parse(command, options, argc, argv, &err);

	switch (first) {
	case OPTIONS_HELP:
		command_help(command, stdout);
		return finish_output(STATUS_OK);
	case OPTIONS_VERSION:
		printf("iotrace %s\n", IOTRACE_VERSION);
		return finish_output(STATUS_OK);
	case -1:
		return command_misused(command, &err);
	default:
		return finish_output(command->run(options, argc - first, argv + first));
	}
}

int command_run(const struct command *command, int argc, char **argv)
{
	void *options = mem_zero(command->size);
	int status;

	if (command->init)
		command->init(options);
	status = parse_and_run(command, options, argc, argv);
	if (command->release)
		command->release(options);
	free(options);
	return status;
}
