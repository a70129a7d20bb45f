/* mark: sets a mark in the archive of a running recording. */
#include "recorder.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct mark_options {
	const char *recorder;
};

/* The caller frees it. */
static char *join(int argc, char **argv)
{
	char *text = mem_strdup(argv[0]);

	for (int i = 1; i < argc; i++)
		mem_append(&text, " %s", argv[i]);
	return text;
}

static int send_mark(const char *recorder, const char *text, struct error *err)
{
	struct control_status *status = mem_zero(sizeof(*status));
	struct recorder_list list = {0};
	int code = recorder_choose(recorder, false, &list, err);

	if (!code)
		code = control_send(list.names.item[0], CONTROL_MARK, text, status, err);
	recorder_list_release(&list);
	free(status);
	return code;
}

static int mark(void *context, int argc, char **argv)
{
	const struct mark_options *options = context;
	struct error err = {0};
	char *text;
	int code;

	if (!argc) {
		error_say(&err, EINVAL, "no text: iotrace mark TEXT");
		return command_misused(&command_mark, &err);
	}
	text = join(argc, argv);
	if (strlen(text) >= CONTROL_TEXT_MOST)
		code = error_say(&err, EINVAL, "the text of a mark may have at most %d bytes",
				 CONTROL_TEXT_MOST - 1);
	else
		code = send_mark(options->recorder, text, &err);
	if (code)
		log_failure(LOG_ERROR, &err);
	free(text);
	return code ? STATUS_FOUND : STATUS_OK;
}

static const struct option_row mark_rows[] = {
	{'r', "recording", "PID|NAME", "set the mark in this recording", OPTION_TEXT,
	 offsetof(struct mark_options, recorder), NULL, NULL},
	OPTION_ROW_HELP,
	{0},
};

const struct command command_mark = {
	.name = "mark",
	.help = "Sets a mark in the archive of a recording, at the current time.",
	.operands = "TEXT...",
	.about = "Without -r, iotrace uses your only recording on this machine.\n",
	.row = mark_rows,
	.size = sizeof(struct mark_options),
	.run = mark,
};
