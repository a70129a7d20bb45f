#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/escape.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/peer.h>
#include <iotrace/stop.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recorder_list_release(struct recorder_list *list)
{
	for (uint32_t i = 0; i < list->names.count; i++)
		free((void *)(uintptr_t)list->names.item[i]);
	text_list_release(&list->names);
}

pid_t recorder_pid(const char *word)
{
	char *end = NULL;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	return *word < '0' || *word > '9' || *end || errno || pid < 1 || pid > INT_MAX ? 0
										       : (pid_t)pid;
}

/* Returns the recorded command in one line, safe for a terminal; the caller frees it. */
static char *command_text(const struct control_status *status)
{
	size_t size = 4 * strlen(status->command) + 1;
	char *text = mem_alloc(size);

	escape_text(text, size, status->command, strlen(status->command));
	return text;
}

static int refuse_several(const struct recorder_list *list, struct error *err)
{
	char *names = mem_strdup("");

	for (uint32_t i = 0; i < list->names.count; i++)
		mem_append(&names, "%s%s", i ? ", " : "", list->names.item[i]);
	error_say(err, EINVAL, "you have several recordings; name one of them: %s", names);
	free(names);
	return -EINVAL;
}

/* A recording that has a name can also be found by its process id. */
static bool has_pid(const char *name, const char *pid)
{
	struct control_status *status = mem_zero(sizeof(*status));
	char *text;
	bool is_it;

	if (control_send(name, CONTROL_STATUS, NULL, status, NULL))
		status->pid = 0;
	text = mem_format("%d", (int)status->pid);
	is_it = !strcmp(text, pid);
	free(text);
	free(status);
	return is_it;
}

/* Reports that no recording of the user has this name. */
static int refuse_unknown(const char *word, struct error *err)
{
	pid_t pid = recorder_pid(word);

	if (!pid)
		return error_say(err, ENOENT,
				 "you have no recording named %s; see 'iotrace status'", word);
	if (!stop_check(pid, err))
		error_say(err, ENOENT,
			  "process %s records, but you cannot control it: it belongs to another "
			  "user, or has no control socket",
			  word);
	return -ENOENT;
}

/* A name that fits needs no answer of any recorder, so one that is stopped keeps nobody waiting. */
static const char *find_named(const char *word, const struct recorder_list *list)
{
	for (uint32_t i = 0; i < list->names.count; i++)
		if (!strcmp(list->names.item[i], word))
			return list->names.item[i];
	for (uint32_t i = 0; i < list->names.count; i++)
		if (has_pid(list->names.item[i], word))
			return list->names.item[i];
	return NULL;
}

static int choose_named(const char *word, struct recorder_list *list, struct error *err)
{
	const char *name = find_named(word, list);
	char *found = name ? mem_strdup(name) : NULL;

	recorder_list_release(list);
	if (!found)
		return refuse_unknown(word, err);
	text_list_add(&list->names, found);
	return 0;
}

int recorder_choose(const char *word, bool takes_all, struct recorder_list *list, struct error *err)
{
	control_list(&list->names);
	if (word)
		return choose_named(word, list, err);
	if (!list->names.count)
		return error_say(err, ENOENT, "you have no recording on this machine");
	return takes_all || list->names.count == 1 ? 0 : refuse_several(list, err);
}

static void print_status(const struct control_status *status)
{
	char *command = command_text(status);

	printf("%" PRId32 "  %s  %.1f s", status->pid,
	       status->is_paused ? "paused   " : "recording", (double)status->running_ns / 1e9);
	if (status->paused_ns)
		printf(", of which %.1f s paused", (double)status->paused_ns / 1e9);
	printf("  %s\n", command);
	free(command);
}

/* Returns 0, or -errno with a message. If the request is for all, a recording that has ended meanwhile is not an error. */
static int send_to(const struct recorder_list *list, bool is_for_all, enum control_word word,
		   struct error *err)
{
	struct control_status *status = mem_zero(sizeof(*status));
	int failed = 0;

	for (uint32_t i = 0; i < list->names.count; i++) {
		struct error why = {0};
		int code = control_send(list->names.item[i], word, NULL, status, &why);

		if (!code && word == CONTROL_SNAPSHOT && !status->takes_snapshots)
			failed = error_say(
				err, ENOTSUP,
				"%s: this recording makes one archive, at its end; only one with --flight "
				"makes snapshots",
				list->names.item[i]);
		else if (!code)
			print_status(status);
		else if (!is_for_all || (code != -EPIPE && code != -ENOENT))
			*err = why, failed = code;
	}
	free(status);
	return failed;
}

static int say(const char *recorder, bool is_for_all, enum control_word word)
{
	struct recorder_list list = {0};
	struct error err = {0};
	int code = recorder_choose(recorder, is_for_all, &list, &err);

	if (!code)
		code = send_to(&list, is_for_all, word, &err);
	if (code)
		log_failure(LOG_ERROR, &err);
	recorder_list_release(&list);
	return code ? STATUS_FOUND : STATUS_OK;
}

int recorder_run(const struct command *command, enum control_word word, int argc, char **argv)
{
	struct error err = {0};

	if (argc > 1) {
		error_say(&err, EINVAL, "expected one recording, but '%s' was given, too", argv[1]);
		return command_misused(command, &err);
	}
	return say(argc ? argv[0] : NULL, word == CONTROL_STATUS, word);
}

/* Messages begin as those of this program do. Another program may answer at the socket, so nothing is printed as it comes. */
static int copy_answer(FILE *from)
{
	static const char mark[] = "iotrace: ";
	int status = STATUS_FOUND;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, from)) >= 0) {
		bool is_message = !strncmp(line, mark, sizeof(mark) - 1);
		FILE *to = is_message ? stderr : stdout;

		escape_print_again(to, line, (size_t)length - (line[length - 1] == '\n'));
		fputc('\n', to);
		status = is_message ? STATUS_FOUND : STATUS_OK;
	}
	free(line);
	return status;
}

int recorder_ask_daemon(const char *directory, const char *request)
{
	char *path = mem_format("%s/socket", directory);
	struct error err = {0};
	int fd = peer_ask(path, request, &err), status = STATUS_FOUND;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");

	if (from)
		status = copy_answer(from);
	else
		log_failure(LOG_ERROR, &err);
	if (from)
		fclose(from);
	free(path);
	return status;
}
