/*
 * workload_net: the calls of sockets, and descriptors that travel through one to another process.
 */
#include "ledger.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static char buffer[4096];

/* Bytes go from a to b by every pair of calls; each end has no name of its own. */
static void test_transfer(int a, int b)
{
	struct iovec iov[2] = {{buffer, 30}, {buffer + 100, 12}};
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};
	struct msghdr nothing = {.msg_iov = iov,
				 .msg_iovlen = 2,
				 .msg_control = (void *)8,
				 .msg_controllen = 64};

	GIVES(100, on_write(OTHER, NO_OFFSET, CALL(sendto, a, buffer, 100, 0, NULL, 0)));
	GIVES(60, on_read(OTHER, NO_OFFSET, CALL(recvfrom, b, buffer, 60, 0, NULL, NULL)));
	GIVES(40, on_read(OTHER, NO_OFFSET, CALL(recvfrom, b, buffer, 60, 0, NULL, NULL)));
	FAILS(EAGAIN,
	      on_read(OTHER, NO_OFFSET, CALL(recvfrom, b, buffer, 60, MSG_DONTWAIT, NULL, NULL)));
	GIVES(42, on_write(OTHER, NO_OFFSET, CALL(sendmsg, a, &message, 0)));
	GIVES(42, on_read(OTHER, NO_OFFSET, CALL(recvmsg, b, &message, 0)));
	FAILS(EFAULT, on_write(OTHER, NO_OFFSET, CALL(sendmsg, a, &nothing, 0)));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(recvmsg, b, &message, MSG_DONTWAIT)));
	GIVES(17, on_write(OTHER, NO_OFFSET, CALL(write, a, buffer, 17)));
	GIVES(17, on_read(OTHER, NO_OFFSET, CALL(read, b, buffer, 100)));
	GIVES(42, on_write(OTHER, NO_OFFSET, CALL(writev, a, iov, 2)));
	GIVES(42, on_read(OTHER, NO_OFFSET, CALL(readv, b, iov, 2)));
}

/* What these return is a number of messages, so that no bytes can be told. */
static void test_many(int a, int b)
{
	struct iovec iov[2] = {{buffer, 30}, {buffer + 100, 12}};
	struct mmsghdr message[2] = {{.msg_hdr = {.msg_iov = iov, .msg_iovlen = 1}},
				     {.msg_hdr = {.msg_iov = iov + 1, .msg_iovlen = 1}}};

	GIVES(2, on_unsized(OTHER, false, CALL(sendmmsg, a, message, 2, 0)));
	GIVES(2, on_unsized(OTHER, true, CALL(recvmmsg, b, message, 2, MSG_DONTWAIT, NULL)));
}

static void test_pair(int type)
{
	int pair[2];

	WORKS(CALL(socketpair, AF_UNIX, type, 0, pair));
	if (type == SOCK_STREAM)
		test_transfer(pair[0], pair[1]);
	else
		test_many(pair[0], pair[1]);
	WORKS(CALL(shutdown, pair[0], SHUT_RDWR));
	WORKS(CALL(close, pair[0]));
	WORKS(CALL(close, pair[1]));
	FAILS(EBADF, CALL(sendto, pair[0], buffer, 1, 0, NULL, 0));
	FAILS(EAFNOSUPPORT, CALL(socket, 4711, SOCK_STREAM, 0));
}

static int socket_of(int family)
{
	return (int)WORKS(on_open(OTHER, 0, CALL(socket, family, SOCK_STREAM | SOCK_CLOEXEC, 0)));
}

static void test_connection(struct sockaddr *address, socklen_t size)
{
	int server = socket_of(address->sa_family), client = socket_of(address->sa_family), other,
	    a, b;

	other = socket_of(address->sa_family);
	WORKS(CALL(bind, server, address, size));
	if (getsockname(server, address, &size))
		ledger_die("getsockname");
	FAILS(ECONNREFUSED, CALL(connect, client, address, size));
	WORKS(CALL(close, client));
	client = socket_of(address->sa_family);
	WORKS(CALL(listen, server, 5));
	WORKS(CALL(connect, client, address, size));
	WORKS(CALL(connect, other, address, size));
	a = (int)WORKS(on_open(OTHER, 0, CALL(accept, server, NULL, NULL)));
	b = (int)WORKS(on_open(OTHER, 0, CALL(accept4, server, NULL, NULL, SOCK_NONBLOCK)));
	test_transfer(client, a);
	test_transfer(other, b);
	FAILS(ENOTSOCK, CALL(accept, 0, NULL, NULL));
	for (int i = 0; i < 5; i++)
		WORKS(CALL(close, ((int[]){server, client, other, a, b})[i]));
}

static void pass(int to, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec iov = {buffer, 1};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	GIVES(1, on_write(OTHER, NO_OFFSET, CALL(sendmsg, to, &message, 0)));
}

static int taken(int from)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {buffer, 1};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int fd;

	GIVES(1, on_read(OTHER, NO_OFFSET, CALL(recvmsg, from, &message, 0)));
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

/*
 * The child gets a descriptor that no call of its own made, under a number that it used for another
 * file before. It may be known by name or not; it must not be taken for the other file.
 */
static void receiver(int from)
{
	const char *passed = in("passed"), *before = in("before");
	int fd, number;

	ledger_child();
	number = (int)WORKS(
		on_open(before, O_RDWR | O_CREAT, CALL(open, before, O_RDWR | O_CREAT, 0600)));
	nap();
	GIVES(3, on_write(before, 0, CALL(write, number, buffer, 3)));
	WORKS(on_close(before, CALL(close, number)));
	fd = taken(from);
	GIVES(number, fd);
	nap();
	GIVES(50, on_read(passed, ANY_OFFSET, CALL(read, fd, buffer, 50)));
	GIVES(50, on_read(passed, ANY_OFFSET, CALL(read, fd, buffer, 400)));
	nap();
	GIVES(20, on_read(passed, ANY_OFFSET, CALL(pread64, fd, buffer, 20, 0)));
	WORKS(CALL(close, fd));
	ledger_merge(passed);
	ledger_close();
}

static int test_passing(void)
{
	const char *passed = in("passed");
	int fd = (int)WORKS(
		on_open(passed, O_RDWR | O_CREAT, CALL(open, passed, O_RDWR | O_CREAT, 0600)));
	int pair[2], status;
	pid_t pid;

	nap();
	GIVES(150, on_write(passed, 0, CALL(write, fd, buffer, 150)));
	GIVES(50, on_seek(passed, CALL(lseek, fd, 50, SEEK_SET)));
	WORKS(CALL(socketpair, AF_UNIX, SOCK_SEQPACKET, 0, pair));
	pid = (pid_t)WORKS(CALL(fork));
	if (!pid) {
		receiver(pair[1]);
		_exit(0);
	}
	pass(pair[0], fd);
	waitpid(pid, &status, 0);
	GIVES(0, on_read(passed, ANY_OFFSET, CALL(read, fd, buffer, 50)));
	WORKS(on_close(passed, CALL(close, fd)));
	WORKS(CALL(close, pair[0]));
	WORKS(CALL(close, pair[1]));
	return status;
}

int main(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "socket"};
	struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int status;

	signal(SIGPIPE, SIG_IGN);
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	ledger_open();
	test_pair(SOCK_STREAM);
	test_pair(SOCK_DGRAM | SOCK_CLOEXEC);
	test_connection((struct sockaddr *)&un, sizeof(un));
	test_connection((struct sockaddr *)&in4, sizeof(in4));
	status = test_passing();
	ledger_close();
	return status != 0;
}
