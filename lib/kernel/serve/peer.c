/* peer: see <iotrace/peer.h>. */
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/peer.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BACKLOG = 8, PATIENCE_MS = 5000, MODE = 0666 };

struct peers {
	int fd;
	char *path;
	pid_t pid[PEERS_MOST]; /* 0: free */
};

static int address_of(struct sockaddr_un *address, const char *path, struct error *err)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address->sun_path))
		return error_set(err, ENAMETOOLONG, "socket %s", path);
	memcpy(address->sun_path, path, strlen(path) + 1);
	return 0;
}

struct peers *peers_open(const char *path, struct error *err)
{
	struct sockaddr_un address;
	struct peers *peers;

	if (address_of(&address, path, err))
		return NULL;
	peers = mem_zero(sizeof(*peers));
	peers->path = mem_strdup(path);
	peers->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlink(path);
	if (peers->fd >= 0 &&
	    !bind(peers->fd, (const struct sockaddr *)&address, sizeof(address)) &&
	    !chmod(path, MODE) && !listen(peers->fd, BACKLOG))
		return peers;
	error_set(err, errno, "cannot make the socket %s", path);
	peers_close(peers);
	return NULL;
}

void peers_close(struct peers *peers)
{
	if (!peers)
		return;
	for (int i = 0; i < PEERS_MOST; i++)
		if (peers->pid[i])
			kill(peers->pid[i], SIGTERM);
	if (peers->fd >= 0) {
		close(peers->fd);
		unlink(peers->path);
	}
	free(peers->path);
	free(peers);
}

void peers_leave(const struct peers *peers)
{
	if (peers)
		close(peers->fd);
}

int peers_fd(const struct peers *peers)
{
	return peers->fd;
}

/* Reads a line. Returns false if none comes in time. */
static bool read_request(int fd, char text[PEER_REQUEST])
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	size_t length = 0;
	ssize_t size;

	while (length < PEER_REQUEST - 1 && poll(&ready, 1, PATIENCE_MS) == 1) {
		size = read(fd, text + length, PEER_REQUEST - 1 - length);
		if (size <= 0)
			return false;
		length += (size_t)size;
		text[length] = '\0';
		if (strchr(text, '\n')) {
			*strchr(text, '\n') = '\0';
			return true;
		}
	}
	return false;
}

static void __attribute__((noreturn))
child_main(const struct peers *peers, int fd, uint32_t uid, pid_t parent,
	   int (*run)(void *context, uint32_t uid, const char *request), void *context)
{
	char request[PEER_REQUEST];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close(peers->fd);
	fcntl(fd, F_SETFL, 0);
	if (!read_request(fd, request) || dup2(fd, STDOUT_FILENO) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	close(fd);
	_exit(run(context, uid, request));
}

static void refuse(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_info("a client was refused, and has left: %s", strerror(errno));
}

void peers_serve(struct peers *peers, int (*run)(void *context, uint32_t uid, const char *request),
		 void *context)
{
	int fd = accept4(peers->fd, NULL, NULL, SOCK_CLOEXEC), slot = 0;
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t size = sizeof(peer);
	pid_t parent = getpid();

	peers_reap(peers);
	if (fd < 0)
		return;
	while (slot < PEERS_MOST && peers->pid[slot])
		slot++;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid == (uid_t)-1) {
		refuse(fd, "iotrace: the kernel does not say who has connected\n");
	} else if (slot == PEERS_MOST) {
		refuse(fd, "iotrace: the daemon serves as many displays as it may; try later\n");
	} else {
		peers->pid[slot] = fork();
		if (!peers->pid[slot])
			child_main(peers, fd, peer.uid, parent, run, context);
		if (peers->pid[slot] < 0)
			peers->pid[slot] = 0;
	}
	close(fd);
}

void peers_reap(struct peers *peers)
{
	for (int i = 0; i < PEERS_MOST; i++)
		if (peers->pid[i] && waitpid(peers->pid[i], NULL, WNOHANG) == peers->pid[i])
			peers->pid[i] = 0;
}

int peer_ask(const char *path, const char *request, struct error *err)
{
	char *line = mem_format("%s\n", request);
	struct sockaddr_un address;
	size_t length = strlen(line);
	int code = address_of(&address, path, err);
	int fd = code ? code : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* A server that refuses may have left already; its answer is still there. */
	if (fd >= 0 &&
	    (connect(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	     (send(fd, line, length, MSG_NOSIGNAL) != (ssize_t)length && errno != EPIPE))) {
		error_set(err, errno, "cannot ask the daemon at %s", path);
		close(fd);
		fd = -err->code;
	}
	free(line);
	return fd;
}
