/*
 * start: lets a recording go on.
 */
#include "recorder.h"

struct start_options {
	bool unused;
};

static const struct option_row rows[] = {OPTION_ROW_HELP, {0}};

static int run(void *context, int argc, char **argv)
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
	.row = rows,
	.size = sizeof(struct start_options),
	.run = run,
};
