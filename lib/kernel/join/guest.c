#include "guest.h"

#include "message/message.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/place.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int send_place(int socket, const struct place *place)
{
	const struct place_parts parts = place_show(place);
	const struct {
		int fd;
		const char *text;
	} part[JOIN_PARTS] = {[JOIN_DIRECTORY] = {parts.parent, parts.path},
			      [JOIN_WORK] = {parts.work, parts.work_name},
			      [JOIN_OWNER] = {parts.owner, ""}};
	int code = 0;

	for (int i = 0; i < JOIN_PARTS && !code; i++) {
		struct join_request request = {.word = JOIN_PLACE, .status = i};

		snprintf(request.argv, sizeof(request.argv), "%s", part[i].text);
		code = message_send(socket, &request, sizeof(request), part[i].fd);
	}
	return code;
}

int guest_send_command(int socket, const struct guest_command *command, struct error *err)
{
	struct join_request request = {.word = JOIN_HERE, .is_cut = command->is_cut};
	int process, code = join_selection_pack(&request.selection, command->selection, err);

	if (code)
		return code;
	if (strlen(command->options) >= sizeof(request.options))
		return error_say(err, E2BIG, "--join: the options are longer than %zu bytes",
				 sizeof(request.options) - 1);
	memcpy(request.options, command->options, strlen(command->options) + 1);
	request.size = command->size < sizeof(request.argv) ? command->size : sizeof(request.argv);
	memcpy(request.argv, command->words, request.size);
	process = (int)syscall(SYS_pidfd_open, command->pid, 0);
	if (process < 0)
		return error_set(err, errno, "--join: cannot open the command's process");
	code = command->place ? send_place(socket, command->place) : 0;
	if (!code)
		code = message_send(socket, &request, sizeof(request), process);
	close(process);
	/* A host that could not start may have ended already. Its reply says why. */
	return code && code != -EPIPE
		       ? error_set(err, -code, "--join: cannot send to the recorder of this node")
		       : 0;
}

int guest_send_end(int socket, int status)
{
	const struct join_request request = {.word = JOIN_ENDED, .status = status};

	return message_send(socket, &request, sizeof(request), -1);
}

void guest_send_mark(int socket, pid_t pid, const char *text)
{
	struct join_request request = {.word = JOIN_MARK, .status = pid};

	snprintf(request.argv, sizeof(request.argv), "%s", text);
	message_send(socket, &request, sizeof(request), -1);
}

void guest_send_stop(int socket)
{
	const struct join_request request = {.word = JOIN_STOP};

	/* A host that has ended needs no message. */
	message_send(socket, &request, sizeof(request), -1);
}

int guest_receive(int socket, struct join_reply *reply, int *log)
{
	int code = message_receive(socket, reply, sizeof(*reply), log);

	/* The host ended without reading our last message, but its own reply may have come before. */
	if (code == -ECONNRESET)
		code = message_receive(socket, reply, sizeof(*reply), log);
	reply->text[sizeof(reply->text) - 1] = '\0';
	reply->hint[sizeof(reply->hint) - 1] = '\0';
	return code;
}
