#include "notify.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/place.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Removes only the SIGPIPE of this write, not one that was pending before. */
int notify(int fd, const char *bytes, size_t size)
{
	sigset_t pipe_only, old, pending;
	bool waits;
	int code;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
	sigpending(&pending);
	waits = sigismember(&pending, SIGPIPE);
	code = place_write_all(fd, bytes, size);
	if (code == -EPIPE && !waits)
		sigtimedwait(&pipe_only, NULL, &(struct timespec){0});
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

int notify_keep(int fd, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (fd <= STDERR_FILENO)
		return error_say(err, EINVAL,
				 "descriptor %d is one of the command's own streams: use 3 or more",
				 fd);
	if (flags < 0)
		return error_say(err, EBADF,
				 "descriptor %d is not open: a shell opens it with %d>FILE", fd,
				 fd);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return error_say(err, EBADF, "descriptor %d is not open for writing", fd);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC))
		return error_set(err, errno, "descriptor %d", fd);
	return 0;
}
