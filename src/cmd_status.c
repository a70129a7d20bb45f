/*
 * status: says which recordings run.
 */
#include "recorder.h"

struct status_options {
	bool unused;
};

static const struct option_row rows[] = {OPTION_ROW_HELP, {0}};

static int run(void *context, int argc, char **argv)
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
	.row = rows,
	.size = sizeof(struct status_options),
	.run = run,
};
