/*
 * workload_accept: one request of io_uring that accepts several connections (multishot), at the socket PATH. Reads from each, and
 * says the inodes of their sockets as a list of JSON.
 */
#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECTIONS = 3, SIZE = 5 };

static struct io_uring ring;
static struct sockaddr_un name = {.sun_family = AF_UNIX};

static int need(int code, const char *what)
{
	if (code < 0) {
		fprintf(stderr, "workload_accept: %s: %s\n", what,
			strerror(code == -1 ? errno : -code));
		exit(1);
	}
	return code;
}

static int new_socket(void)
{
	return need(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
}

static int reap(void)
{
	struct io_uring_cqe *cqe;
	int code = need(io_uring_wait_cqe(&ring, &cqe), "io_uring_wait_cqe");

	code = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return need(code, "accept");
}

/* Returns the inode of the socket that was accepted. */
static unsigned long connect_and_read(void)
{
	char bytes[SIZE] = "hello";
	int client = new_socket(), server;
	struct stat status;

	need(connect(client, (struct sockaddr *)&name, sizeof(name)), "connect");
	server = reap();
	need((int)write(client, bytes, SIZE), "write");
	need((int)read(server, bytes, SIZE), "read");
	need(fstat(server, &status), "fstat");
	return status.st_ino;
}

int main(int argc, char **argv)
{
	int listener = new_socket();

	if (argc != 2 || strlen(argv[1]) >= sizeof(name.sun_path))
		return 2;
	strcpy(name.sun_path, argv[1]);
	need(bind(listener, (struct sockaddr *)&name, sizeof(name)), "bind");
	need(listen(listener, CONNECTIONS), "listen");
	need(io_uring_queue_init(4, &ring, 0), "io_uring_queue_init");
	io_uring_prep_multishot_accept(io_uring_get_sqe(&ring), listener, NULL, NULL, 0);
	need(io_uring_submit(&ring), "io_uring_submit");
	for (int i = 0; i < CONNECTIONS; i++)
		printf("%s%lu", i ? ", " : "[", connect_and_read());
	puts("]");
	return 0;
}
