/*
 * workload_message: a fixed file of one ring that another ring replaces by a message (IORING_MSG_SEND_FD), in DIRECTORY.
 *
 * What it writes: 11 bytes to "first"; 12, after a message that is only a number, to "first" as well; 13 to "second", which the
 * other ring has put in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OP_MSG_RING = 40, SEND_FD = 1 };

static struct io_uring sender, receiver;

static void die(const char *what, int code)
{
	fprintf(stderr, "workload_message: %s: %s\n", what, strerror(abs(code)));
	exit(1);
}

static int make(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		die(name, errno);
	return fd;
}

static void reap(struct io_uring *ring, const char *what)
{
	struct io_uring_cqe *cqe;
	int code = io_uring_wait_cqe(ring, &cqe);

	if (code || cqe->res < 0)
		die(what, code ? code : cqe->res);
	io_uring_cqe_seen(ring, cqe);
}

static void write_fixed(unsigned int size)
{
	static char bytes[64];
	struct io_uring_sqe *sqe = io_uring_get_sqe(&receiver);

	io_uring_prep_write(sqe, 0, bytes, size, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_submit(&receiver);
	reap(&receiver, "write");
}

/* Of its own first fixed file, if it is to send one. */
static void send_message(int what)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&sender);

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = OP_MSG_RING;
	sqe->fd = receiver.ring_fd;
	sqe->addr = (uint64_t)what;
	sqe->off = 7;
	sqe->file_index = what ? 1 : 0;
	io_uring_submit(&sender);
	reap(&sender, "message");
	reap(&receiver, "message");
}

int main(int argc, char **argv)
{
	int first, second, code;

	if (argc < 2 || chdir(argv[1]))
		die("DIRECTORY", ENOTDIR);
	first = make("first");
	second = make("second");
	code = io_uring_queue_init(4, &sender, 0);
	if (!code)
		code = io_uring_queue_init(4, &receiver, 0);
	if (!code)
		code = io_uring_register_files(&sender, &second, 1);
	if (!code)
		code = io_uring_register_files(&receiver, &first, 1);
	if (code)
		die("rings", code);
	write_fixed(11);
	send_message(0);
	write_fixed(12);
	send_message(SEND_FD);
	write_fixed(13);
	return 0;
}
