/*
 * workload_uring: requests of io_uring, and a line of JSON that says what became of them.
 *
 * usage: workload_uring DIRECTORY [sqpoll | left | few | descriptors | silent | bad]
 *
 * left: a thread ends before its requests do. few: a small recording. descriptors: requests open and close files, and move nothing.
 * silent: only requests whose success has no completion. bad: only requests that have no file, and one that its process leaves behind.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, DEPTH = 8 };

static int rounds = 100;
static struct io_uring ring;
static char buffer[DEPTH][BLOCK] __attribute__((aligned(4096)));

static void die(const char *what, int code)
{
	fprintf(stderr, "workload_uring: %s: %s\n", what, strerror(code < 0 ? -code : code));
	exit(1);
}

static struct io_uring_sqe *next(uint64_t data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (!sqe)
		die("io_uring_get_sqe", EBUSY);
	io_uring_sqe_set_data64(sqe, data);
	return sqe;
}

static void submit(void)
{
	int submitted = io_uring_submit(&ring);

	if (submitted < 0)
		die("io_uring_submit", submitted);
}

/* Returns the result of the next completion. */
static int reap(void)
{
	struct io_uring_cqe *cqe;
	int code = io_uring_wait_cqe(&ring, &cqe);

	if (code)
		die("io_uring_wait_cqe", code);
	code = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return code;
}

static int reap_sum(int count)
{
	int sum = 0;

	while (count--) {
		int result = reap();

		if (result < 0)
			die("a request", result);
		sum += result;
	}
	return sum;
}

static int make(const char *directory, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		die(path, errno);
	return fd;
}

/* DEPTH at a time, written and read back. Returns how many bytes were moved each way. */
static long many(int fd)
{
	long moved = 0;

	for (int round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < DEPTH; i++)
			io_uring_prep_write(next(i), fd, buffer[i], BLOCK,
					    (uint64_t)(round * DEPTH) * BLOCK + i * BLOCK);
		submit();
		moved += reap_sum(DEPTH);
		for (uint64_t i = 0; i < DEPTH; i++)
			io_uring_prep_read(next(i), fd, buffer[i], BLOCK,
					   (uint64_t)(round * DEPTH) * BLOCK + i * BLOCK);
		submit();
		if (reap_sum(DEPTH) != DEPTH * BLOCK)
			die("read", EIO);
	}
	return moved;
}

static void flush(int fd)
{
	io_uring_prep_fsync(next(1), fd, 0);
	submit();
	reap_sum(1);
}

/* In a worker, whatever the file. */
static void forced(int fd)
{
	struct io_uring_sqe *sqe = next(1);

	io_uring_prep_read(sqe, fd, buffer[0], BLOCK, 0);
	sqe->flags |= IOSQE_ASYNC;
	submit();
	reap_sum(1);
}

/* A read beyond the end is short: what is linked to it does not begin. */
static void broken_link(int fd)
{
	struct io_uring_sqe *sqe = next(1);

	io_uring_prep_read(sqe, fd, buffer[0], BLOCK, 1 << 30);
	sqe->flags |= IOSQE_IO_LINK;
	io_uring_prep_write(next(2), fd, buffer[0], BLOCK, 0);
	submit();
	if (reap() != 0 || reap() != -ECANCELED)
		die("a broken link", EPROTO);
}

/*
 * A write waits for a read, and its descriptor leads to another file before the read ends. Returns the name of the file that
 * was written: Linux 6.1 takes the first, 6.18 the second.
 */
static const char *replaced(const char *directory)
{
	int fd = make(directory, "early"), early = dup(fd), late = make(directory, "late"), ends[2];
	struct io_uring_sqe *sqe = next(1);

	if (pipe(ends))
		die("pipe", errno);
	io_uring_prep_read(sqe, ends[0], buffer[0], 1, 0);
	sqe->flags |= IOSQE_IO_LINK;
	io_uring_prep_write(next(2), fd, buffer[1], BLOCK, 0);
	submit();
	while (io_uring_sq_ready(&ring)) /* the kernel's thread takes them when it comes to it */
		usleep(1000);
	if (dup2(late, fd) != fd || write(ends[1], "", 1) != 1)
		die("dup2", errno);
	reap_sum(2);
	return lseek(late, 0, SEEK_END) == BLOCK ? "late"
	       : lseek(early, 0, SEEK_END)       ? "early"
						 : "";
}

/* Linux writes at the end, whatever the offset. */
static void append(const char *directory)
{
	int fd = make(directory, "appended");

	if (fcntl(fd, F_SETFL, O_APPEND))
		die("F_SETFL", errno);
	for (int i = 0; i < 2; i++) {
		io_uring_prep_write(next(1), fd, buffer[0], BLOCK, 0);
		submit();
		reap_sum(1);
	}
	if (lseek(fd, 0, SEEK_END) != 2 * BLOCK)
		die("O_APPEND", EPROTO);
}

static void write_fixed(void)
{
	struct io_uring_sqe *sqe = next(1);

	io_uring_prep_write(sqe, 0, buffer[0], BLOCK, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	submit();
	reap_sum(1);
}

/* A fixed file without a descriptor, and another one in its place that never had one: both are written. */
static void fixed(const char *directory)
{
	int fd = make(directory, "fixed");
	char path[4096];
	int code = io_uring_register_files(&ring, &fd, 1);

	if (code)
		die("io_uring_register_files", code);
	close(fd);
	write_fixed();
	snprintf(path, sizeof(path), "%s/direct", directory);
	io_uring_prep_openat_direct(next(1), AT_FDCWD, path, O_RDWR | O_CREAT, 0644, 0);
	submit();
	reap_sum(1);
	write_fixed();
	io_uring_unregister_files(&ring);
}

static void *submit_and_end(void *fd)
{
	for (uint64_t i = 0; i < DEPTH; i++)
		io_uring_prep_read(next(i), *(int *)fd, buffer[i], BLOCK, i * BLOCK);
	submit();
	return NULL;
}

/* Returns how many bytes they moved. *cancelled: how many never did. */
static long left_behind(const char *directory, int *cancelled)
{
	char path[4096];
	pthread_t thread;
	long moved = 0;
	int fd = make(directory, "left");

	if (write(fd, buffer, sizeof(buffer)) != sizeof(buffer) || fsync(fd))
		die("write", errno);
	close(fd);
	snprintf(path, sizeof(path), "%s/left", directory);
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0)
		die(path, errno);
	if (pthread_create(&thread, NULL, submit_and_end, &fd))
		die("a thread", errno);
	pthread_join(thread, NULL);
	for (int i = 0; i < DEPTH; i++) {
		int result = reap();

		moved += result > 0 ? result : 0;
		*cancelled += result == -ECANCELED;
	}
	return moved;
}

static void cancelled(int pipe_end)
{
	io_uring_prep_read(next(7), pipe_end, buffer[0], BLOCK, 0);
	submit();
	io_uring_prep_cancel64(next(8), 7, 0);
	submit();
	if (reap() + reap() != -ECANCELED)
		die("a cancel", EPROTO);
}

/* A request opens a file that stays open, and another one closes a descriptor. */
static void descriptors(const char *directory)
{
	char path[4096];
	int fd = make(directory, "closed");

	close(make(directory, "kept"));
	snprintf(path, sizeof(path), "%s/kept", directory);
	io_uring_prep_openat(next(1), AT_FDCWD, path, O_RDONLY, 0);
	submit();
	if (reap() < 0)
		die(path, EPROTO);
	io_uring_prep_close(next(2), fd);
	submit();
	if (reap())
		die("close", EPROTO);
}

static void write_silent(uint64_t data, int fd, unsigned int size)
{
	struct io_uring_sqe *sqe = next(data);

	io_uring_prep_write(sqe, fd, buffer[0], size, 0);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	submit();
}

/* Three that succeed, a while apart, then one that fails, and one that has a completion. */
static int silent(const char *directory)
{
	int fd = make(directory, "silent"), closed = open("/dev/null", O_RDONLY | O_CLOEXEC), bad;

	for (int i = 0; i < 3; i++) {
		write_silent(i, fd, 100);
		usleep(50000);
	}
	write_silent(3, closed, 200);
	bad = reap();
	io_uring_prep_write(next(4), fd, buffer[0], 300, 0);
	submit();
	printf("{\"written\": %d, \"error\": %d, \"pid\": %d}\n", reap(), -bad, (int)getpid());
	return 0;
}

/* A descriptor and a fixed file that are none. */
static int bad(int pipe_end)
{
	int none = -1, first;
	struct io_uring_sqe *sqe;

	if (io_uring_register_files(&ring, &none, 1))
		die("io_uring_register_files", errno);
	io_uring_prep_read(next(1), 77, buffer[0], BLOCK, 0);
	submit();
	first = reap();
	sqe = next(2);
	io_uring_prep_write(sqe, 0, buffer[0], BLOCK, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	submit();
	if (reap() != -EBADF || first != -EBADF)
		die("a request without a file", EPROTO);
	io_uring_prep_read(next(3), pipe_end, buffer[0], BLOCK, 0); /* until the end */
	submit();
	usleep(20000);
	printf("{\"pid\": %d}\n", (int)getpid());
	return 0;
}

int main(int argc, char **argv)
{
	struct io_uring_params params = {0};
	bool is_polled = argc > 2 && !strcmp(argv[2], "sqpoll");
	bool is_left = argc > 2 && !strcmp(argv[2], "left");
	int code, fd, quiet, ends[2], never = 0;
	long moved, left = 0;
	const char *written;

	if (argc < 2)
		die("usage: workload_uring DIRECTORY [sqpoll | left | few | descriptors | silent | bad]",
		    EINVAL);
	if (argc > 2 && !strcmp(argv[2], "few"))
		rounds = 1;
	if (is_polled) {
		params.flags = IORING_SETUP_SQPOLL;
		params.sq_thread_idle = 50;
	}
	code = io_uring_queue_init_params(2 * DEPTH, &ring, &params);
	if (code)
		die("io_uring_queue_init_params", code);
	if (argc > 2 && !strcmp(argv[2], "descriptors")) {
		descriptors(argv[1]);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[2], "silent"))
		return silent(argv[1]);
	fd = make(argv[1], "data");
	quiet = make(argv[1], "flushed");
	if (pipe(ends))
		die("pipe", errno);
	if (argc > 2 && !strcmp(argv[2], "bad"))
		return bad(ends[0]);
	moved = many(fd);
	flush(quiet);
	forced(fd);
	broken_link(fd);
	written = replaced(argv[1]);
	append(argv[1]);
	fixed(argv[1]);
	if (is_left)
		left = left_behind(argv[1], &never);
	cancelled(ends[0]);
	io_uring_prep_read(next(9), ends[0], buffer[0], BLOCK, 0); /* until the end */
	submit();
	usleep(20000);
	printf("{\"data\": {\"reads\": %d, \"read_bytes\": %ld, \"writes\": %d, \"written_bytes\": %ld}, "
	       "\"flushed\": {\"flushes\": 1}, \"left\": %ld, \"offsets\": %d, \"cancelled\": %d, \"written\": \"%s\", \"pid\": %d}\n",
	       rounds * DEPTH + 2, moved + BLOCK, rounds * DEPTH, moved, left,
	       2 * rounds * DEPTH + 5 + (is_left ? DEPTH : 0), 3 + never, written, (int)getpid());
	return 0;
}
