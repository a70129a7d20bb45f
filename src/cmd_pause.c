/*
 * pause: pauses a recording.
 */
#include "recorder.h"

struct pause_options {
	bool unused;
};

static const struct option_row rows[] = {OPTION_ROW_HELP, {0}};

static int run(void *context, int argc, char **argv)
{
	(void)context;
	return recorder_run(&command_pause, CONTROL_PAUSE, argc, argv);
}

const struct command command_pause = {
	.name = "pause",
	.help = "Pauses a recording until 'iotrace start'.",
	.operands = "[PID|NAME]",
	.about = RECORDER_OPERAND
	"What begins in the pause is not in the archive. Files and descriptors are\n"
	"followed all the same, so that names are right later.\n",
	.row = rows,
	.size = sizeof(struct pause_options),
	.run = run,
};
