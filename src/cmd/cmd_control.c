/* control: the commands pause, start, snapshot and status, which send a request to a recording and print its answer. */
#include "recorder.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/publication.h>

static int run_pause(void *context, int argc, char **argv)
{
	(void)context;
	return recorder_run(&command_pause, CONTROL_PAUSE, argc, argv);
}

const struct command command_pause = {
	.name = "pause",
	.help = "Pauses a recording until 'iotrace start'.",
	.operands = "[PID|NAME]",
	.about = RECORDER_OPERAND
	"Calls that begin in the pause are not in the archive. Files and descriptors are\n"
	"still followed, so that names are right afterwards.\n",
	.row = options_help_only,
	.run = run_pause,
};

static int run_start(void *context, int argc, char **argv)
{
	(void)context;
	return recorder_run(&command_start, CONTROL_START, argc, argv);
}

const struct command command_start = {
	.name = "start",
	.help = "Resumes a paused recording.",
	.operands = "[PID|NAME]",
	.about = RECORDER_OPERAND
	"The recording was paused by --start-stopped, --delay or 'iotrace pause'.\n",
	.row = options_help_only,
	.run = run_start,
};

struct snapshot_options {
	const char *directory; /* of the daemon; NULL: another recording is meant */
};

static int parse_daemon(void *field, const char *arg, struct error *err)
{
	if (arg && !*arg)
		return error_say(err, EINVAL, "--daemon=: the name of the directory is empty");
	*(const char **)field = arg ? arg : PUBLICATION_DEFAULT;
	return 0;
}

static const struct option_row snapshot_rows[] = {
	{0, "daemon", "[=DIR]",
	 "ask the flight recorder of iotrace daemon, which publishes in DIR (default: /run/iotrace)",
	 OPTION_CALL, offsetof(struct snapshot_options, directory), parse_daemon, NULL},
	OPTION_ROW_HELP,
	{0},
};

static int run_snapshot(void *context, int argc, char **argv)
{
	const struct snapshot_options *options = context;
	struct error err = {0};

	if (!options->directory)
		return recorder_run(&command_snapshot, CONTROL_SNAPSHOT, argc, argv);
	if (argc) {
		error_say(&err, EINVAL, "either --daemon or '%s', not both", argv[0]);
		return command_misused(&command_snapshot, &err);
	}
	return recorder_ask_daemon(options->directory, "snapshot");
}

const struct command command_snapshot = {
	.name = "snapshot",
	.help = "Makes a flight recorder write what it has in memory to an archive.",
	.operands = "[PID|NAME]",
	.about = RECORDER_OPERAND
	"The recorder was started with 'iotrace record --flight', or with --flight of the\n"
	"daemon. It continues.\n",
	.row = snapshot_rows,
	.size = sizeof(struct snapshot_options),
	.run = run_snapshot,
};

static int run_status(void *context, int argc, char **argv)
{
	(void)context;
	return recorder_run(&command_status, CONTROL_STATUS, argc, argv);
}

const struct command command_status = {
	.name = "status",
	.help = "Lists your recordings on this machine.",
	.operands = "[PID|NAME]",
	.about = "Without PID or NAME: all of them, a line each. The exit status is 1 if there\n"
		 "is none.\n",
	.row = options_help_only,
	.run = run_status,
};
