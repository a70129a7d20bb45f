#include "opener.h"

#include "helper.h"
#include "message/message.h"

#include <errno.h>
#include <iotrace/error.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void opener_init(struct opener *opener)
{
	*opener = (struct opener){.socket = -1};
}

int opener_start(struct opener *opener, const struct opener_table *table, struct error *err)
{
	int end[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
		return error_set(err, errno, "socketpair");
	opener->pid = fork();
	if (opener->pid == 0) {
		close(end[0]);
		helper_main(end[1], table);
	}
	int code = errno;

	close(end[1]);
	opener->socket = end[0];
	if (opener->pid > 0)
		return 0;
	opener->pid = 0;
	opener_close(opener);
	return error_set(err, code, "cannot create the process that opens events");
}

/* fd: the descriptor that came with the reply, -1: none. Returns 0 or -errno. */
static int ask(const struct opener *opener, const struct opener_request *request, int *fd)
{
	struct opener_reply reply;
	int code;

	if (!opener->pid)
		return -EPERM;
	code = message_send(opener->socket, request, sizeof(*request), -1);
	if (!code)
		code = message_receive(opener->socket, &reply, sizeof(reply), fd);
	return code ? code : reply.code;
}

int opener_open(const struct opener *opener, uint32_t event, pid_t tid, uint32_t cpu)
{
	const struct opener_request request = {event, tid, cpu};
	int fd, code = ask(opener, &request, &fd);

	if (code)
		return code;
	return fd < 0 ? -EMFILE : fd; /* this process had no free descriptor */
}

int opener_add_root(const struct opener *opener, pid_t pid)
{
	const struct opener_request request = {.event = OPENER_NEW_ROOT, .tid = pid};
	int fd;

	return ask(opener, &request, &fd);
}

void opener_close(struct opener *opener)
{
	if (opener->socket >= 0)
		close(opener->socket);
	while (opener->pid && waitpid(opener->pid, NULL, 0) < 0 && errno == EINTR)
		;
	opener_init(opener);
}
