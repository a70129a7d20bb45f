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
	"Calls that begin in the pause are not in the archive. Files and descriptors are\n"
	"still followed, so that names are right afterwards.\n",
	.row = rows,
	.size = sizeof(struct pause_options),
	.run = run,
};
