/*
 * workload_cloexec: files behind descriptors that an exec closes or keeps, made and flagged in every way there is. After the exec
 * each number that is free is taken by one half of a socket pair, which perf does not see. Every write has a size of its own;
 * the ledger says which file it went to: "SIZE PATH", "-" for a socket.
 *
 * workload_cloexec DIRECTORY LEDGER [execve|execveat]
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAYS = 18, STEP = 100 };

static char path[4096], block[1 << 14];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int works(long result, const char *what)
{
	if (result < 0)
		die(what);
	return (int)result;
}

static const char *file(const char *directory, int way)
{
	snprintf(path, sizeof(path), "%s/%d", directory, way);
	return path;
}

/* Another description of the file than that which the writer of the message keeps to nobody. */
static int received(int fd, int flags)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {{0}};
	char byte = 0;
	struct iovec iovec = {&byte, 1};
	struct msghdr message = {.msg_iov = &iovec,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int pair[2], got;

	works(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	works(sendmsg(pair[0], &message, 0), "sendmsg");
	close(fd);
	works(recvmsg(pair[1], &message, flags), "recvmsg");
	memcpy(&got, CMSG_DATA(&control.head), sizeof(got));
	close(pair[0]);
	close(pair[1]);
	return got;
}

static int taken(int fd)
{
	int self = works(syscall(SYS_pidfd_open, getpid(), 0), "pidfd_open");
	int got = works(syscall(SYS_pidfd_getfd, self, fd, 0), "pidfd_getfd");

	close(self);
	close(fd);
	return got;
}

static int opened2(const char *name, uint64_t flags)
{
	struct open_how how = {.flags = O_RDWR | flags};

	return works(syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how)), "openat2");
}

static int flagged(int fd, unsigned long request)
{
	works(ioctl(fd, request), "ioctl");
	return fd;
}

static int set(int fd, int flags)
{
	works(fcntl(fd, F_SETFD, flags), "F_SETFD");
	return fd;
}

static int made(const char *directory, int way)
{
	const char *name = file(directory, way);
	int kept = open(name, O_RDWR | O_CREAT, 0600);

	if (kept < 0)
		die(name);
	switch (way) {
	case 0:
		return open(name, O_RDWR | O_CLOEXEC);
	case 1:
		return open(name, O_RDWR);
	case 2:
		return opened2(name, O_CLOEXEC);
	case 3:
		return opened2(name, 0);
	case 4:
		return fcntl(kept, F_DUPFD_CLOEXEC, 0);
	case 5:
		return fcntl(kept, F_DUPFD, 0);
	case 6:
		return dup3(kept, 60, O_CLOEXEC);
	case 7:
		return dup2(kept, 61);
	case 8:
		return flagged(open(name, O_RDWR), FIOCLEX);
	case 9:
		return flagged(open(name, O_RDWR | O_CLOEXEC), FIONCLEX);
	case 10:
		return set(open(name, O_RDWR), FD_CLOEXEC);
	case 11:
		return set(open(name, O_RDWR | O_CLOEXEC), 0);
	case 12:
		return received(open(name, O_RDWR), MSG_CMSG_CLOEXEC);
	case 13:
		return received(open(name, O_RDWR), 0);
	case 14:
		return taken(open(name, O_RDWR));
	case 15:
		return set(taken(open(name, O_RDWR)), 0);
	case 16:
		return flagged(opened2(name, O_CLOEXEC), FIONCLEX);
	default:
		return flagged(opened2(name, 0), FIOCLEX);
	}
}

/* Puts each at a number of its own, as it is: a dup would have its own flag. */
static void make_all(const char *directory)
{
	for (int way = 0; way < WAYS; way++) {
		int fd = made(directory, way);

		if (fd < 0)
			die("made");
		dprintf(3, "number %d %d\n", way, fd);
		if (write(fd, block, (size_t)(STEP + way)) != STEP + way)
			die("write");
		dprintf(3, "%d %s\n", STEP + way, file(directory, way));
	}
}

static void fill(void)
{
	int pair[2];

	for (int i = 0; i < 40; i++)
		if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			fcntl(pair[0], F_GETFD);
}

/* A number that leads to no file now is a socket. */
static void use_all(const char *directory, const char *ledger)
{
	char line[4200];
	FILE *in = fopen(ledger, "r");
	int way, fd;

	if (!in)
		die(ledger);
	while (fgets(line, sizeof(line), in)) {
		char link[64];
		ssize_t length;

		if (sscanf(line, "number %d %d", &way, &fd) != 2)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, path, sizeof(path) - 1);
		if (length < 0)
			continue;
		path[length] = 0;
		if (write(fd, block, (size_t)(2 * STEP + way)) != 2 * STEP + way)
			die("write after exec");
		dprintf(3, "%d %s\n", 2 * STEP + way, path[0] == '/' ? file(directory, way) : "-");
	}
	fclose(in);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (argc == 3) {
		fill();
		use_all(argv[1], argv[2]);
		return 0;
	}
	int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	char *again[] = {argv[0], argv[1], argv[2], NULL};

	if (out < 0 || (out != 3 && dup2(out, 3) < 0))
		die(argv[2]);
	make_all(argv[1]);
	if (!strcmp(argv[3], "execve")) {
		execv("/proc/self/exe", again);
	} else {
		int program = open("/proc/self/exe", O_PATH | O_CLOEXEC);

		syscall(SYS_execveat, program, "", again, environ, AT_EMPTY_PATH);
	}
	die(argv[3]);
}
