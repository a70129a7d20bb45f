/* check: shows what this user can record on this machine, and the command that would allow more. */
#include "command.h"
#include "path/left.h"
#include "path/paths.h"

#include <iotrace/error.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROBES_MAX = 64, INDENT = 32, INDENT_REMEDY = 9, WIDTH = 80 };

static const char *const state_name[] = {
	[PROBE_OK] = "ok",
	[PROBE_LIMITED] = "limited",
	[PROBE_MISSING] = "missing",
};

/*
 * Prints text in the last column of the table. On a terminal, it is wrapped. Commands to copy are never wrapped, and in a pipe
 * each test has one line.
 */
static void put_detail(const char *text, bool is_terminal)
{
	if (is_terminal)
		options_wrap(text, INDENT, stdout);
	else
		puts(text);
}

/* Prints the command to copy on a separate line, but not twice. */
static void put_remedy(const struct probe_result *result, uint32_t index, const char *last)
{
	const char *remedy = result[index].remedy;

	if (!*remedy || (last && !strcmp(last, remedy)))
		return;
	for (uint32_t i = 0; i < index; i++)
		if (!strcmp(result[i].remedy, remedy))
			return;
	printf("%*s%s\n", INDENT_REMEDY, "", remedy);
}

/* Prints the one command that replaces all commands above. */
static void put_setcap(const char *command)
{
	bool is_wide = command && strlen(command) + 2 > WIDTH;

	if (command)
		printf("As root, one command is enough for all that needs a right:\n%s%s\n",
		       is_wide ? "" : "  ", command);
}

/* Recordings without an output may be elsewhere: see record_places_open(). */
static void list_left(void)
{
	const char *directory;
	struct stat here = {0};

	stat(".", &here);
	left_list(".", stdout);
	for (uint32_t i = 0; (directory = path_temporary(i)); i++)
		if (!place_is_file(directory, &here))
			left_list(directory, stdout);
}

static int check(void *context, int argc, char **argv)
{
	struct probe_result result[PROBES_MAX];
	struct error err = {0};
	uint32_t count, in_the_way = 0;
	char *setcap;
	bool is_terminal = probe_columns(STDOUT_FILENO) > 0;

	(void)context;
	if (argc) {
		error_say(&err, 0, "check takes no operand, but '%s' was given", argv[0]);
		return command_misused(&command_check, &err);
	}
	setcap = probe_setcap();
	count = probe_all(result, PROBES_MAX);
	for (uint32_t i = 0; i < count && i < PROBES_MAX; i++) {
		printf("%-8s %-22s ", state_name[result[i].state], result[i].name);
		put_detail(result[i].detail, is_terminal);
		put_remedy(result, i, setcap);
		in_the_way += result[i].is_needed && result[i].state == PROBE_MISSING;
	}
	list_left();
	if (in_the_way)
		printf("\niotrace -- COMMAND cannot work here: %u of the above %s missing.\n",
		       in_the_way, in_the_way == 1 ? "is" : "are");
	else
		puts("\niotrace -- COMMAND works here.");
	put_setcap(setcap);
	free(setcap);
	return in_the_way ? STATUS_FOUND : STATUS_OK;
}

const struct command command_check = {
	.name = "check",
	.help = "Shows what can be recorded on this machine, and how to allow more.",
	.operands = "",
	.about = "The exit status is 0 if 'iotrace -- COMMAND' will work, and 1 otherwise.\n",
	.row = options_help_only,
	.needs_rights = true,
	.run = check,
};
