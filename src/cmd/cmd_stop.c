/* stop: ends a recording, but not the recorded programs. */
#include "recorder.h"

#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/stop.h>
#include <stdlib.h>

/* Returns the process of the named recording, or of the only one; 0 with a message. */
static pid_t find(const char *name, struct error *err)
{
	struct control_status *status = mem_zero(sizeof(*status));
	struct recorder_list list = {0};
	int code = recorder_choose(name, false, &list, err);
	pid_t pid;

	if (!code)
		code = control_send(list.names.item[0], CONTROL_STATUS, NULL, status, err);
	pid = code ? 0 : status->pid;
	recorder_list_release(&list);
	free(status);
	return pid;
}

/* A process id also stops a recording that has no control socket. */
static int stop_one(const char *word)
{
	struct error err = {0};
	pid_t pid = word ? recorder_pid(word) : 0;

	if (!pid)
		pid = find(word, &err);
	if (pid && !stop_recorder(pid, &err))
		return STATUS_OK;
	log_failure(LOG_ERROR, &err);
	return STATUS_FOUND;
}

static int stop(void *context, int argc, char **argv)
{
	int status = argc ? STATUS_OK : stop_one(NULL);

	(void)context;
	for (int i = 0; i < argc; i++)
		if (stop_one(argv[i]) != STATUS_OK)
			status = STATUS_FOUND;
	return status;
}

const struct command command_stop = {
	.name = "stop",
	.help = "Ends a recording without disturbing the recorded programs.",
	.operands = "[PID|NAME...]",
	.about = RECORDER_OPERAND
	"The recorder writes its archive. If it started a command, the command continues,\n"
	"and the recorder waits for it and exits with its status. The exit status of\n"
	"stop is 0, or 1 if one of the arguments is not a recording.\n",
	.row = options_help_only,
	.run = stop,
};
