/* control: the commands pause, start, snapshot and status, which send a request to a recording and print its answer. */
#include "recorder.h"

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

static int run_snapshot(void *context, int argc, char **argv)
{
	(void)context;
	return recorder_run(&command_snapshot, CONTROL_SNAPSHOT, argc, argv);
}

const struct command command_snapshot = {
	.name = "snapshot",
	.help = "Makes a flight recorder write what it has in memory to an archive.",
	.operands = "[PID|NAME]",
	.about = RECORDER_OPERAND
	"The recorder was started with 'iotrace record --flight'. It continues.\n",
	.row = options_help_only,
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
