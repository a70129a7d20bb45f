#include "control_protocol.h"

#include "join/rendezvous.h"
#include "message/message.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_MS = 5000 };

static int receive(int socket, struct control_status *status)
{
	struct pollfd answer = {.fd = socket, .events = POLLIN};
	int fd, code = poll(&answer, 1, ANSWER_MS) > 0
			       ? message_receive(socket, status, sizeof(*status), &fd)
			       : -ETIMEDOUT;

	if (!code && fd >= 0)
		close(fd);
	status->command[sizeof(status->command) - 1] = '\0';
	return code;
}

/* At the socket of a recorder that is stopped, only so many requests can wait (/proc/sys/net/unix/max_dgram_qlen). */
static int send_request(int recorder, const struct control_request *request, int answer)
{
	const struct timeval patience = {.tv_sec = ANSWER_MS / 1000};
	int code;

	if (setsockopt(recorder, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)))
		return -errno;
	code = message_send(recorder, request, sizeof(*request), answer);
	return code == -EAGAIN ? -ETIMEDOUT : code;
}

/* This process must close its copy of the other end, so that the wait ends if the recorder dies. */
static int ask(int recorder, const struct control_request *request, struct control_status *status)
{
	int pair[2], code;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	code = send_request(recorder, request, pair[1]);
	close(pair[1]);
	if (!code)
		code = receive(pair[0], status);
	close(pair[0]);
	return code;
}

int control_send(const char *recorder, enum control_word word, const char *text,
		 struct control_status *status, struct error *err)
{
	struct control_request request = {.word = word, .pid = (int32_t)getpid()};
	char *name = mem_format(CONTROL_PREFIX "%s", recorder);
	struct join_rendezvous *rendezvous = rendezvous_open(name, err);
	int socket = rendezvous ? rendezvous_send_to(rendezvous, err) : -err->code;
	int code;

	memset(status, 0, sizeof(*status));
	snprintf(request.text, sizeof(request.text), "%s", text ? text : "");
	join_rendezvous_unlock(rendezvous);
	free(name);
	if (socket == -ENOENT)
		return error_say(err, ENOENT, "%s: you have no recording with this name", recorder);
	if (socket < 0)
		return socket;
	code = ask(socket, &request, status);
	close(socket);
	if (code == -EBADMSG)
		return error_say(err, EBADMSG, "%s: the recorder is another version of iotrace",
				 recorder);
	return code ? error_set(err, -code, "%s: the recording does not answer", recorder) : 0;
}

struct listing {
	struct text_list *recorders;
};

/* If nobody receives at a socket, a killed recorder has left it. */
static void add(void *context, const char *name)
{
	struct listing *listing = context;
	struct join_rendezvous *rendezvous = rendezvous_open(name, NULL);
	int socket = rendezvous ? rendezvous_send_to(rendezvous, NULL) : -1;

	if (socket >= 0) {
		text_list_add(listing->recorders, mem_strdup(name + strlen(CONTROL_PREFIX)));
		close(socket);
	} else if (socket == -ENOENT) {
		rendezvous_remove(rendezvous);
	}
	join_rendezvous_unlock(rendezvous);
}

void control_list(struct text_list *recorders)
{
	struct listing listing = {recorders};

	rendezvous_each(CONTROL_PREFIX, add, &listing);
}
