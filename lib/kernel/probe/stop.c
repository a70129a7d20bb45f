/*
 * stop: holds a descriptor of the process while it inspects it. So the signal cannot reach another process that gets the same
 * number. /proc/PID/status is readable for everybody, even if the program has capabilities.
 */
#include <iotrace/stop.h>

#include "proc/procfs.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_BYTES = 4096 };

static const char own_name[] = "iotrace"; /* with -a, the name continues with ":PID" */

/* Returns where the value of a line "NAME:\tVALUE" of /proc/PID/status begins, or NULL. */
static const char *find_line(const char *status, const char *name)
{
	size_t length = strlen(name);
	const char *at = status;

	while (at && strncmp(at, name, length) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? at + length : NULL;
}

static int refuse(pid_t pid, const char *name, struct error *err)
{
	int length = name ? (int)strcspn(name, "\n") : 0;

	if (name && !strncmp(name, own_name, strlen(own_name)))
		error_say(err, EINVAL, "process %d is %.*s, but it is not recording", (int)pid,
			  length, name);
	else
		error_say(err, EINVAL, "process %d is not iotrace: it is '%.*s'", (int)pid, length,
			  name ? name : "");
	error_hint(err, "'iotrace status' lists your recordings");
	return -EINVAL;
}

int stop_check(pid_t pid, struct error *err)
{
	const char *name, *blocked;
	char status[STATUS_BYTES];
	struct procfs proc;
	ssize_t length;

	if (procfs_open(&proc, "/proc", err))
		return -err->code;
	length = procfs_read(&proc, status, sizeof(status), "%d/status", (int)pid);
	procfs_close(&proc);
	if (length < 0)
		return error_say(err, ESRCH, "no process %d", (int)pid);
	name = find_line(status, "Name:\t");
	blocked = find_line(status, "SigBlk:\t");
	if (!name || !blocked || strncmp(name, own_name, strlen(own_name)) != 0 ||
	    !(strtoull(blocked, NULL, 16) & 1ULL << (STOP_SIGNAL - 1)))
		return refuse(pid, name, err);
	return 0;
}

/* Kernels before 5.3 have no descriptors of processes, so the process number must do. */
static int send_stop(pid_t pid, int fd)
{
	if (fd < 0)
		return kill(pid, STOP_SIGNAL) ? errno : 0;
	return syscall(SYS_pidfd_send_signal, fd, STOP_SIGNAL, NULL, 0) ? errno : 0;
}

int stop_recorder(pid_t pid, struct error *err)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int code = fd < 0 ? errno : 0, rc;

	if (code == ESRCH)
		return error_say(err, ESRCH, "no process %d", (int)pid);
	if (code == EINVAL)
		return error_say(err, EINVAL,
				 "%d is a thread or not a process; give the id of a process",
				 (int)pid);
	rc = stop_check(pid, err);
	code = rc ? 0 : send_stop(pid, fd);
	if (code == EPERM)
		rc = error_say(err, EPERM, "process %d: that recording belongs to another user",
			       (int)pid);
	else if (code)
		rc = error_say(err, code, "process %d: %s", (int)pid, strerror(code));
	if (fd >= 0)
		close(fd);
	return rc;
}
