/*
 * stop: ends a recording and leaves alone what it records.
 */
#include "command.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/stop.h>
#include <limits.h>
#include <stdlib.h>

struct stop_options {
	bool unused;
};

static const struct option_row rows[] = {OPTION_ROW_HELP, {0}};

/* Returns the number that a word is, or 0. */
static pid_t take_pid(const char *word)
{
	char *end = NULL;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	return *word < '0' || *word > '9' || *end || errno || pid < 1 || pid > INT_MAX ? 0
										       : (pid_t)pid;
}

static int stop(void *context, int argc, char **argv)
{
	struct error err = {0};
	int status = STATUS_OK;

	(void)context;
	if (!argc) {
		error_say(&err, EINVAL, "no process: iotrace stop PID");
		return command_misused(&command_stop, &err);
	}
	for (int i = 0; i < argc; i++) {
		if (!take_pid(argv[i])) {
			error_say(&err, EINVAL, "invalid process id '%s': expected a number",
				  argv[i]);
			return command_misused(&command_stop, &err);
		}
	}
	for (int i = 0; i < argc; i++) {
		if (!stop_recorder(take_pid(argv[i]), &err))
			continue;
		log_error("%s", err.text);
		status = STATUS_FOUND;
	}
	return status;
}

const struct command command_stop = {
	.name = "stop",
	.help = "Ends a recording and leaves the recorded programs alone.",
	.operands = "PID...",
	.about =
		"PID is the process id of iotrace itself. The recording ends, the archive is\n"
		"written, and a command that was recorded runs on; iotrace waits for it and exits\n"
		"with its status. The exit status is 0, or 1 if a PID is not a recording.\n",
	.row = rows,
	.size = sizeof(struct stop_options),
	.run = stop,
};
