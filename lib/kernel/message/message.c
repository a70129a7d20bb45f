/*
 * message: see message.h. A message of an unexpected size is discarded, and its descriptors are closed.
 */
#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int message_send(int socket, const void *bytes, size_t size, int fd)
{
	union control control = {.bytes = {0}};
	struct iovec part = {(void *)(uintptr_t)bytes, size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *head;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int descriptor_of(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

int message_receive(int socket, void *bytes, size_t size, int *fd)
{
	union control control;
	struct iovec part = {bytes, size};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t n;

	*fd = -1;
	do {
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -EPIPE;
	*fd = descriptor_of(&message);
	if ((size_t)n == size && !(message.msg_flags & MSG_TRUNC))
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EBADMSG;
}
