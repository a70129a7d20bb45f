/*
 * workload_libaio: iocbs, and a line of JSON that says what became of them.
 *
 * usage: workload_libaio DIRECTORY [many]
 *
 * many: two threads that submit thousands with each call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BLOCK = 4096, ROUNDS = 50, DEPTH = 8, MANY = 16384, MANY_ROUNDS = 8, THREADS = 2 };

static char buffer[DEPTH][BLOCK] __attribute__((aligned(BLOCK)));

static void die(const char *what, int code)
{
	fprintf(stderr, "workload_libaio: %s: %s\n", what, strerror(code < 0 ? -code : code));
	exit(1);
}

static void submit(io_context_t context, int count, struct iocb **iocb)
{
	int code = io_submit(context, count, iocb);

	if (code != count)
		die("io_submit", code);
}

static long reap(io_context_t context, int count)
{
	struct io_event event[DEPTH];
	int code = io_getevents(context, count, count, event, NULL);
	long sum = 0;

	if (code != count)
		die("io_getevents", code);
	for (int i = 0; i < count; i++) {
		if ((long)event[i].res < 0)
			die("an iocb", (int)event[i].res);
		sum += (long)event[i].res;
	}
	return sum;
}

static long round_of(io_context_t context, int fd, int round, int is_write)
{
	struct iocb iocb[DEPTH], *list[DEPTH];

	for (int i = 0; i < DEPTH; i++) {
		long long offset = (long long)(round * DEPTH + i) * BLOCK;

		if (is_write)
			io_prep_pwrite(&iocb[i], fd, buffer[i], BLOCK, offset);
		else
			io_prep_pread(&iocb[i], fd, buffer[i], BLOCK, offset);
		list[i] = &iocb[i];
	}
	submit(context, DEPTH, list);
	return reap(context, DEPTH);
}

static void vector(io_context_t context, int fd)
{
	struct iovec part[2] = {{buffer[0], 100}, {buffer[1], 200}};
	struct iocb iocb, *list = &iocb;

	io_prep_preadv(&iocb, fd, part, 2, 0);
	submit(context, 1, &list);
	if (reap(context, 1) != 300)
		die("preadv", EIO);
}

/* The kernel takes the first and refuses the second: a descriptor that is none. */
static void refused(io_context_t context, int fd)
{
	struct iocb iocb[2], *list[2] = {&iocb[0], &iocb[1]};

	io_prep_pread(&iocb[0], fd, buffer[0], BLOCK, 0);
	io_prep_pread(&iocb[1], 999, buffer[1], BLOCK, 0);
	if (io_submit(context, 2, list) != 1)
		die("io_submit of a bad descriptor", EPROTO);
	reap(context, 1);
}

struct left {
	io_context_t context;
	int fd;
	struct iocb iocb[DEPTH];
};

static void *submit_and_end(void *argument)
{
	struct left *left = argument;
	struct iocb *list[DEPTH];

	for (int i = 0; i < DEPTH; i++) {
		io_prep_pread(&left->iocb[i], left->fd, buffer[i], BLOCK, i * BLOCK);
		list[i] = &left->iocb[i];
	}
	submit(left->context, DEPTH, list);
	return NULL;
}

/* Who submits them is gone when they are reaped. */
static long left_behind(io_context_t context, int fd)
{
	struct left left = {.context = context, .fd = fd};
	pthread_t thread;
	int code = pthread_create(&thread, NULL, submit_and_end, &left);

	if (code)
		die("pthread_create", code);
	pthread_join(thread, NULL);
	return reap(context, DEPTH);
}

static void *submit_many(void *argument)
{
	struct iocb *iocb = calloc(MANY, sizeof(*iocb)), **list = calloc(MANY, sizeof(*list));
	struct io_event *event = calloc(MANY, sizeof(*event));
	io_context_t context = NULL;
	int code = io_setup(MANY, &context);

	if (code || !iocb || !list || !event)
		die("io_setup", code ? code : ENOMEM);
	for (int i = 0; i < MANY; i++) {
		io_prep_pread(&iocb[i], *(int *)argument, buffer[0], 1, i);
		list[i] = &iocb[i];
	}
	for (int round = 0; round < MANY_ROUNDS; round++)
		for (int done = 0, n; done < MANY; done += n) {
			n = io_submit(context, MANY - done, list + done);
			if (n < 1 || io_getevents(context, n, n, event, NULL) != n)
				die("io_submit", n ? n : EIO);
		}
	io_destroy(context);
	return NULL;
}

/* Returns the exit status. */
static int many(int fd)
{
	pthread_t thread[THREADS];

	if (pwrite(fd, buffer, sizeof(buffer), 0) != sizeof(buffer) || ftruncate(fd, MANY))
		die("pwrite", errno);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, submit_many, &fd))
			die("pthread_create", EAGAIN);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("{\"data\": {\"reads\": %d, \"read_bytes\": %d, \"writes\": 1, \"written_bytes\": %zu}}\n",
	       THREADS * MANY_ROUNDS * MANY, THREADS * MANY_ROUNDS * MANY, sizeof(buffer));
	return 0;
}

int main(int argc, char **argv)
{
	io_context_t context = NULL;
	long written = 0, read_bytes = 0;
	char path[4096];
	int code, fd;

	if (argc < 2)
		die("usage: workload_libaio DIRECTORY", EINVAL);
	code = io_setup(DEPTH, &context);
	if (code)
		die("io_setup", code);
	snprintf(path, sizeof(path), "%s/data", argv[1]);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		die(path, errno);
	if (argc > 2 && !strcmp(argv[2], "many"))
		return many(fd);
	for (int round = 0; round < ROUNDS; round++)
		written += round_of(context, fd, round, 1);
	for (int round = 0; round < ROUNDS; round++)
		read_bytes += round_of(context, fd, round, 0);
	read_bytes += left_behind(context, fd);
	vector(context, fd);
	refused(context, fd);
	io_destroy(context);
	printf("{\"data\": {\"reads\": %d, \"read_bytes\": %ld, \"writes\": %d, \"written_bytes\": %ld}, "
	       "\"offsets\": %d, \"cancelled\": 0, \"pid\": %d}\n",
	       (ROUNDS + 1) * DEPTH + 2, read_bytes + 300 + BLOCK, ROUNDS * DEPTH, written,
	       (2 * ROUNDS + 1) * DEPTH + 2, (int)getpid());
	return 0;
}
