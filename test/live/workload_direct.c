/*
 * workload_direct: files and sockets that requests of io_uring open as fixed files, in DIRECTORY, without a descriptor.
 *
 * Prints JSON: how often each file was written and with how many bytes, and the inodes of the sockets that were read from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SLOTS = 16, AGAIN = 20, CONNECTIONS = 3, OP_SOCKET = 45, OP_FD_INSTALL = 54 };

static struct io_uring ring;
static char bytes[64] = "direct";

static int need(int code, const char *what)
{
	if (code < 0) {
		fprintf(stderr, "workload_direct: %s: %s\n", what,
			strerror(code == -1 ? errno : -code));
		exit(1);
	}
	return code;
}

static struct io_uring_sqe *next(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (!sqe)
		need(-EBUSY, "io_uring_get_sqe");
	return sqe;
}

static int reap(void)
{
	struct io_uring_cqe *cqe;
	int code = need(io_uring_wait_cqe(&ring, &cqe), "io_uring_wait_cqe");

	code = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return code;
}

static int run(const char *what)
{
	need(io_uring_submit(&ring), "io_uring_submit");
	return need(reap(), what);
}

/* Returns where it is: `slot`, or the one that the kernel chose. */
static int open_direct(const char *name, unsigned int slot)
{
	struct io_uring_sqe *sqe = next();
	int code;

	io_uring_prep_openat_direct(sqe, AT_FDCWD, name, O_RDWR | O_CREAT, 0600, 0);
	sqe->file_index = slot == IORING_FILE_INDEX_ALLOC ? slot : slot + 1;
	code = run(name);
	return slot == IORING_FILE_INDEX_ALLOC ? code : (int)slot;
}

static struct io_uring_sqe *prepare_write(int slot, unsigned int size)
{
	struct io_uring_sqe *sqe = next();

	io_uring_prep_write(sqe, slot, bytes, size, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	return sqe;
}

static void write_direct(int slot, unsigned int size)
{
	prepare_write(slot, size);
	run("write");
}

static void close_direct(unsigned int slot)
{
	io_uring_prep_close_direct(next(), slot);
	run("close");
}

static void replaced(void)
{
	struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600};

	write_direct(open_direct("there", 1), 11);
	write_direct(open_direct("anywhere", IORING_FILE_INDEX_ALLOC), 12);
	io_uring_prep_openat2_direct(next(), AT_FDCWD, "replaced", &how, 1);
	run("openat2");
	write_direct(1, 13);
	close_direct(1);
}

/*
 * Opened, written and closed by one chain, again and again in one slot. The kernel uses the memory of the file and of its inode
 * again, too.
 */
static void linked(void)
{
	for (int i = 0; i < AGAIN; i++) {
		char name[16];
		struct io_uring_sqe *sqe = next();

		snprintf(name, sizeof(name), "again-%d", i);
		io_uring_prep_openat_direct(sqe, AT_FDCWD, name, O_RDWR | O_CREAT, 0600, 3);
		sqe->flags |= IOSQE_IO_LINK;
		prepare_write(3, 14)->flags |= IOSQE_IO_LINK;
		io_uring_prep_close_direct(next(), 3);
		need(io_uring_submit(&ring), "io_uring_submit");
		for (int request = 0; request < 3; request++)
			need(reap(), "a chain");
		need(unlink(name), "unlink");
	}
}

/* Returns a descriptor of a fixed file, or what it failed with: Linux 6.8 is the first to make one. */
static int install(int slot)
{
	struct io_uring_sqe *sqe = next();

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = OP_FD_INSTALL;
	sqe->fd = slot;
	sqe->flags = IOSQE_FIXED_FILE;
	need(io_uring_submit(&ring), "io_uring_submit");
	return reap();
}

/* Returns how many bytes were written through the descriptor. */
static int installed(void)
{
	int fd;

	write_direct(open_direct("installed", 5), 16);
	fd = install(5);
	return fd < 0 ? 0 : need((int)write(fd, bytes, 17), "write");
}

static void updated(void)
{
	int fd = need(open("updated", O_RDWR | O_CREAT, 0600), "updated");

	io_uring_prep_files_update(next(), &fd, 1, 6);
	run("files_update");
	write_direct(6, 18);
	write_direct(6, 18);
}

static void fails(void)
{
	prepare_write(9, 20);
	need(io_uring_submit(&ring), "io_uring_submit");
	if (reap() != -EBADF)
		need(-EPROTO, "an empty slot");
	io_uring_prep_openat_direct(next(), AT_FDCWD, "missing/file", O_RDONLY, 0, 9);
	need(io_uring_submit(&ring), "io_uring_submit");
	if (reap() != -ENOENT)
		need(-EPROTO, "a missing file");
}

static unsigned long inode_of(int slot)
{
	struct stat status = {0};
	int fd = install(slot);

	if (fd >= 0) {
		need(fstat(fd, &status), "fstat");
		close(fd);
	}
	return status.st_ino;
}

static void receive(int slot, int flags)
{
	struct io_uring_sqe *sqe = next();

	io_uring_prep_recv(sqe, slot, bytes, sizeof(bytes), flags);
	sqe->flags |= IOSQE_FIXED_FILE;
	need(io_uring_submit(&ring), "io_uring_submit");
	reap();
}

/* Says their inodes: of those that one request accepts again and again, and of one that a request makes. */
static void sockets(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int listener = need(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	struct io_uring_sqe *sqe;

	need(bind(listener, (struct sockaddr *)&name, sizeof(name)), "bind");
	need(listen(listener, CONNECTIONS), "listen");
	io_uring_prep_multishot_accept_direct(next(), listener, NULL, NULL, 0);
	need(io_uring_submit(&ring), "io_uring_submit");
	for (int i = 0; i < CONNECTIONS; i++) {
		int client = need(socket(AF_UNIX, SOCK_STREAM, 0), "socket"), slot;

		need(connect(client, (struct sockaddr *)&name, sizeof(name)), "connect");
		slot = need(reap(), "accept");
		need((int)write(client, bytes, 5), "write");
		receive(slot, 0);
		printf("%lu, ", inode_of(slot));
	}
	sqe = next();
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = OP_SOCKET;
	sqe->fd = AF_UNIX;
	sqe->off = SOCK_DGRAM;
	sqe->file_index = 12 + 1;
	run("socket");
	receive(12, MSG_DONTWAIT);
	printf("%lu", inode_of(12));
}

int main(int argc, char **argv)
{
	int more;

	if (argc < 2 || chdir(argv[1])) {
		fputs("usage: workload_direct DIRECTORY\n", stderr);
		return 1;
	}
	need(io_uring_queue_init(8, &ring, 0), "io_uring_queue_init");
	need(io_uring_register_files_sparse(&ring, SLOTS), "io_uring_register_files_sparse");
	replaced();
	linked();
	more = installed();
	updated();
	fails();
	printf("{\"sockets\": [");
	sockets();
	printf("], \"files\": {\"there\": [1, 11], \"anywhere\": [1, 12], \"replaced\": [1, 13], \"installed\": [%d, %d], "
	       "\"updated\": [2, 36]}, \"again\": %d}\n",
	       more ? 2 : 1, 16 + more, AGAIN);
	return 0;
}
