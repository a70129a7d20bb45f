#include "marks.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * POSIX only requires shells to redirect descriptors of one digit, and dash supports no others. Programs get the low ones
 * first, so the search begins with the highest.
 */
enum { WRITER_FIRST = 9, WRITER_LAST = 3 };

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(struct ucred))];
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void marks_init(struct marks *marks)
{
	*marks = (struct marks){-1, -1};
}

/* Returns a duplicate of the descriptor with a one-digit number if one is free, otherwise the descriptor itself. */
static int with_one_digit(int fd)
{
	for (int number = WRITER_FIRST; number >= WRITER_LAST; number--)
		if (fcntl(number, F_GETFD) < 0 && dup3(fd, number, O_CLOEXEC) == number) {
			close(fd);
			return number;
		}
	return fd;
}

int marks_open(struct marks *marks, struct error *err)
{
	static const int yes = 1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return error_set(err, errno, "--marks: socket");
	marks->receiver = pair[0];
	marks->writer = with_one_digit(pair[1]);
	if (setsockopt(marks->receiver, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)))
		return error_set(err, errno, "--marks: socket");
	return 0;
}

void marks_give(struct marks *marks)
{
	close_fd(&marks->writer);
}

static pid_t sender(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	struct ucred ucred;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_CREDENTIALS)
		return 0;
	memcpy(&ucred, CMSG_DATA(head), sizeof(ucred));
	return ucred.pid;
}

/* The receive buffer has no room for descriptors that come with a mark, so the kernel closes them. */
bool marks_next(const struct marks *marks, char text[MARK_TEXT_MOST + 1], pid_t *pid)
{
	union control control;
	struct iovec part = {text, MARK_TEXT_MOST};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t size;

	if (marks->receiver < 0)
		return false;
	size = recvmsg(marks->receiver, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (size < 0)
		return false;
	while (size && text[size - 1] == '\n')
		size--;
	text[size] = '\0';
	*pid = sender(&message);
	return true;
}

void marks_release(struct marks *marks)
{
	close_fd(&marks->receiver);
	close_fd(&marks->writer);
}
