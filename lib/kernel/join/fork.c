/*
 * fork: creates the process of the host. A launcher that ends its ranks, or waits for the end of their output, does not affect
 * it.
 */
#include "rights/descriptors.h"

#include <iotrace/join.h>

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_FREE = STDERR_FILENO + 2 };

/* Streams and listener take the first numbers. */
static void move_kept(const struct join_kept *kept)
{
	for (uint32_t i = 0; i < kept->count; i++)
		if (kept->fd[i] < FIRST_FREE)
			kept->fd[i] = fcntl(kept->fd[i], F_DUPFD_CLOEXEC, FIRST_FREE);
}

/* Returns the smallest of them from `from` on; INT_MAX: there is none. */
static int next_kept(const struct join_kept *kept, int from)
{
	int next = INT_MAX;

	for (uint32_t i = 0; i < kept->count; i++)
		if (kept->fd[i] >= from && kept->fd[i] < next)
			next = kept->fd[i];
	return next;
}

static void close_others(const struct join_kept *kept)
{
	int from = FIRST_FREE, next;

	while ((next = next_kept(kept, from)) < INT_MAX) {
		descriptors_close(from, next);
		from = next + 1;
	}
	descriptors_close(from, INT_MAX);
}

/* The caller waits until its streams are closed, so the host closes them, and all other descriptors of the caller. */
static void leave_streams(int *listener, int *log, const struct join_kept *kept)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	move_kept(kept);
	dup2(null, STDIN_FILENO);
	dup2(*log, STDOUT_FILENO);
	dup2(*log, STDERR_FILENO);
	dup2(*listener, STDERR_FILENO + 1);
	fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
	*listener = STDERR_FILENO + 1;
	*log = STDOUT_FILENO;
	close_others(kept);
}

/* Forks twice, and the process in between ends at once, so that the host has no parent here. Returns as fork() does. */
static pid_t fork_host(void)
{
	pid_t pid = fork();

	if (pid) {
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return pid;
	}
	setsid();
	pid = fork();
	if (pid)
		_exit(pid < 0);
	return 0;
}

int join_fork_host(struct join_rendezvous *rendezvous, int *listener, int *log,
		   const struct join_kept *kept, struct error *err)
{
	int text = memfd_create("iotrace", MFD_CLOEXEC);
	pid_t pid = text < 0 ? -1 : fork_host();
	int code = errno;

	if (pid) {
		if (text >= 0)
			close(text);
		return pid < 0 ? error_set(err, code,
					   "--join: cannot start the recorder of this node")
			       : 1;
	}
	/* First, because other descriptors will reuse the numbers. */
	join_rendezvous_unlock(rendezvous);
	leave_streams(listener, &text, kept);
	*log = text;
	return 0;
}
