/*
 * fork: the host gets a process of its own. A launcher that ends its ranks, or waits for their output to end, does not reach it.
 */
#include <iotrace/join.h>

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who started us waits until its streams are closed, and its other descriptors are not for us. */
static void leave_streams(int *listener, int *log)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(*log, STDOUT_FILENO);
	dup2(*log, STDERR_FILENO);
	dup2(*listener, STDERR_FILENO + 1);
	fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
	*listener = STDERR_FILENO + 1;
	*log = STDOUT_FILENO;
	if (!syscall(SYS_close_range, STDERR_FILENO + 2, ~0U, 0))
		return;
	for (long fd = STDERR_FILENO + 2, most = sysconf(_SC_OPEN_MAX); fd < most;
	     fd++) /* before Linux 5.9 */
		close((int)fd);
}

/* A process in between, which ends at once, so that the host is nobody's child. Returns as fork() does. */
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

int join_fork_host(struct join_rendezvous *rendezvous, int *listener, int *log, struct error *err)
{
	int text = memfd_create("iotrace", MFD_CLOEXEC);
	pid_t pid = text < 0 ? -1 : fork_host();
	int code = errno;

	if (pid) {
		if (text >= 0)
			close(text);
		return pid < 0 ? error_set(err, code, "--join: start the recorder of this node")
			       : 1;
	}
	join_rendezvous_unlock(
		rendezvous); /* first: the numbers of its descriptors are taken by others then */
	leave_streams(listener, &text);
	*log = text;
	return 0;
}
