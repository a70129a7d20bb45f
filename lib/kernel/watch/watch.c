/* watch: the recorder's side. See <iotrace/watch.h>. */
#include "watch_process.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct watch {
	int socket;
	pid_t pid;
};

struct watch *watch_new(const char *command, struct error *err)
{
	struct watch *watch = mem_zero(sizeof(*watch));
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		error_set(err, errno, "socket of the process that looks at hangs");
		free(watch);
		return NULL;
	}
	watch->pid = fork();
	if (!watch->pid) {
		close(pair[0]);
		watch_main(pair[1], command);
	}
	close(pair[1]);
	watch->socket = pair[0];
	if (watch->pid > 0)
		return watch;
	error_set(err, errno, "process that looks at hangs");
	close(pair[0]);
	free(watch);
	return NULL;
}

/* The process may hang as well, so this does not wait for it. Once iotrace has ended, init reaps it. */
void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	close(watch->socket);
	waitpid(watch->pid, NULL, WNOHANG);
	free(watch);
}

pid_t watch_pid(const struct watch *watch)
{
	return watch->pid;
}

static bool send_it(const struct watch *watch, const void *message, size_t size)
{
	struct iovec part = {(void *)(uintptr_t)message, size};
	const struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

	return sendmsg(watch->socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

bool watch_ask(struct watch *watch, uint32_t pid, uint32_t tid)
{
	const uint32_t request[2] = {pid, tid};

	_Static_assert(sizeof(request) == WATCH_HEAD, "a message without text");
	return send_it(watch, request, sizeof(request));
}

bool watch_answer(struct watch *watch, struct watch_task *task, int wait_ms)
{
	struct pollfd ready = {.fd = watch->socket, .events = POLLIN};
	struct iovec part = {task, sizeof(*task)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

	if (poll(&ready, 1, wait_ms) != 1)
		return false;
	return recvmsg(watch->socket, &header, MSG_DONTWAIT) == sizeof(*task);
}

bool watch_run(struct watch *watch, const char *environment, const char *input)
{
	struct watch_request request = {0};
	size_t first = strlen(environment) + 1, second = strlen(input) + 1;

	if (first + second > WATCH_TEXT)
		return false;
	memcpy(request.text, environment, first);
	memcpy(request.text + first, input, second);
	return send_it(watch, &request, WATCH_HEAD + first + second);
}
