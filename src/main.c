/* main: selects the command: `iotrace WORD` if WORD is one, otherwise `iotrace record`. */
#include "cmd/commands.h"
#include "cmd/completion.h"

#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/probe.h>
#include <string.h>
#include <unistd.h>

/*
 * The next file that iotrace opens would get the number of a closed standard stream, so a message could go into the archive.
 * Writing to the replacement of standard output fails, as on a closed one. The replacements are close-on-exec, so the command
 * gets its streams as they were.
 */
static void fill_streams(void)
{
	for (int fd = 0; fd < 3; fd++) {
		int mode = fd == STDERR_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode | O_CLOEXEC) < 0)
			return;
	}
}

/* Words that users may try first. To record a program with such a name, write "--" before it. */
static bool is_word(int argc, char **argv, int most, const char *word)
{
	return argc >= 2 && argc <= most && !strcmp(argv[1], word);
}

static int help(const char *name)
{
	static char own[] = "iotrace", option[] = "--help";
	bool is_of_all = !name || !strcmp(name, "help");
	const struct command *command = is_of_all ? &command_record : command_find(name);
	const char *near = name ? command_nearest(name) : NULL;

	if (command)
		return command_run(command, 2, (char *[]){own, option, NULL});
	if (near && strcmp(near, name) != 0)
		log_error("unknown command '%s'; did you mean '%s'?", name, near);
	else
		log_error("unknown command '%s'; 'iotrace help' lists the commands", name);
	return STATUS_FAILED;
}

static int version(const char *operand)
{
	static char own[] = "iotrace", option[] = "--version";

	if (!operand)
		return command_run(&command_record, 2, (char *[]){own, option, NULL});
	log_error("version takes no operand, but '%s' was given", operand);
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	struct error err = {0};

	fill_streams();
	log_set_columns((size_t)probe_columns(STDERR_FILENO));
	if (confine_begin(!command || command->needs_rights, &err)) {
		log_failure(LOG_ERROR, &err);
		return STATUS_FAILED;
	}
	if (argc == 3 && !strcmp(argv[1], "--completion"))
		return completion_print(argv[2], stdout) ? STATUS_FAILED : STATUS_OK;
	if (is_word(argc, argv, 3, "help"))
		return help(argc == 3 ? argv[2] : NULL);
	if (is_word(argc, argv, argc, "help") && command_find(argv[2])) {
		log_error("help: one command at a time: iotrace help %s", argv[2]);
		return STATUS_FAILED;
	}
	if (is_word(argc, argv, argc, "version"))
		return version(argv[2]);
	if (argc < 2) {
		command_usage(&command_record, stderr);
		fputs("Try 'iotrace --help', or 'iotrace check' to see what works here.\n", stderr);
		return STATUS_FAILED;
	}
	if (!command)
		return command_run(&command_record, argc, argv);
	return command_run(command, argc - 1, argv + 1);
}
