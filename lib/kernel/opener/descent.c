/*
 * descent: follows parents, as /proc/PID/status names them, until it reaches a root, process 1, or a process that does not exist.
 */
#include "descent.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GENERATIONS = 1024, STATUS_SIZE = 4096, ROOTS_MOST = 1 << 16 };

static void append(struct descent *descent, uint32_t pid)
{
	descent->root[descent->roots] = pid;
	descent->alive[descent->roots++] = (int)syscall(SYS_pidfd_open, pid, 0);
}

void descent_init(struct descent *descent, int proc, const uint32_t *root, uint32_t roots)
{
	*descent = (struct descent){.proc = proc, .checked_fd = -1};
	descent->root = mem_array(ROOTS_MOST, sizeof(*descent->root));
	descent->alive = mem_array(ROOTS_MOST, sizeof(*descent->alive));
	for (uint32_t i = 0; i < roots && i < ROOTS_MOST; i++)
		append(descent, root[i]);
}

static bool has_ended(int fd)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};

	return poll(&end, 1, 0) != 0;
}

static bool is_root(const struct descent *descent, uint32_t pid)
{
	for (uint32_t i = 0; i < descent->roots; i++)
		if (descent->root[i] == pid &&
		    (descent->alive[i] < 0 || !has_ended(descent->alive[i])))
			return true;
	return false;
}

static uint32_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? (uint32_t)strtoul(at + strlen(word), NULL, 10) : 0;
}

/* Reads the status of the thread. Returns whether it exists. */
static bool read_text(const struct descent *descent, uint32_t tid, char text[STATUS_SIZE])
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%u/status", tid);
	fd = openat(descent->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, STATUS_SIZE - 1);
	close(fd);
	if (n > 0)
		text[n] = '\0';
	return n > 0;
}

/* The name comes first in the file, and newlines in it are escaped, so no later line can be part of the name. */
static bool read_status(const struct descent *descent, uint32_t tid, uint32_t *pid,
			uint32_t *parent)
{
	char text[STATUS_SIZE];

	if (!read_text(descent, tid, text))
		return false;
	*pid = number_after(text, "\nTgid:");
	*parent = number_after(text, "\nPPid:");
	return *pid != 0;
}

/* Root owns the folder of a process that others may not inspect. */
static bool is_own(const struct descent *descent, uint32_t pid)
{
	uint32_t user = (uint32_t)getuid(), id[4];
	char path[32], text[STATUS_SIZE];
	struct stat status;
	const char *line;

	snprintf(path, sizeof(path), "%u", pid);
	if (fstatat(descent->proc, path, &status, 0) || status.st_uid != user ||
	    !read_text(descent, pid, text))
		return false;
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4 &&
	       id[0] == user && id[1] == user && id[2] == user && id[3] == user;
}

int descent_add(struct descent *descent, uint32_t pid)
{
	if (descent->roots == ROOTS_MOST)
		return -ENOSPC;
	if (!is_own(descent, pid))
		return -EPERM;
	append(descent, pid);
	return has_ended(descent->alive[descent->roots - 1]) ? -ESRCH : 0;
}

static int follow_parents(const struct descent *descent, uint32_t tid)
{
	uint32_t pid, parent;

	if (!read_status(descent, tid, &pid, &parent))
		return -ESRCH;
	for (int i = 0; i < GENERATIONS; i++) {
		if (is_root(descent, pid))
			return 0;
		if (parent <= 1 || !read_status(descent, parent, &pid, &parent))
			break;
	}
	return -EPERM;
}

int descent_check(struct descent *descent, uint32_t tid)
{
	int fd, code;

	if (descent->checked_fd >= 0 && descent->checked == tid && !has_ended(descent->checked_fd))
		return 0;
	/* pidfd_open() works only for processes, and since Linux 5.3. */
	fd = (int)syscall(SYS_pidfd_open, tid, 0);
	code = follow_parents(descent, tid);
	if (code || fd < 0) {
		if (fd >= 0)
			close(fd);
		return code;
	}
	if (descent->checked_fd >= 0)
		close(descent->checked_fd);
	descent->checked = tid;
	descent->checked_fd = fd;
	return has_ended(fd) ? -ESRCH : 0;
}
