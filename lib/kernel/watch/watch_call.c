/*
 * watch_call: see watch_call.h.
 *
 * The kernel knows the path of an open file, so it asks no file system. A path that the call was given is in the memory of the task,
 * which is not read.
 */
#include "watch_call.h"

#include <fcntl.h>
#include <iotrace/syscall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 64, LINE_SIZE = 256, NUMBERS = 9, STACK_AT = 7 };

void watch_read(const struct watch_task *task, const char *name, char *text, size_t size)
{
	char path[PATH_SIZE];
	ssize_t length = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", task->pid, task->tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, size - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
}

/* Splits a line such as "0 0x3 0x7ffc... 0x7ffc... 0x7f12...": the call, six arguments, and the addresses of stack and code. */
static bool read_numbers(const char *line, uint64_t number[NUMBERS])
{
	for (int i = 0; i < NUMBERS; i++) {
		char *end;

		number[i] = strtoull(line, &end, 0);
		if (end == line)
			return false;
		line = end;
	}
	return true;
}

/* The numbers of 32-bit calls are others. The stack of a 32-bit program is below 4 GiB. */
static const struct call_row *row_of(const uint64_t number[NUMBERS])
{
	call_id id = number[STACK_AT] > UINT32_MAX ? call_by_number((long)number[0]) : CALL_ID_NONE;

	return id == CALL_ID_NONE ? NULL : call_row(id);
}

static void read_link(struct watch_task *task, const char *line, uint64_t fd)
{
	char path[PATH_SIZE], after[LINE_SIZE];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/fd/%d", task->pid, task->tid, (int)fd);
	length = readlink(path, task->file, sizeof(task->file) - 1);
	watch_read(task, "syscall", after, sizeof(after));
	/* If it is in another call now, the descriptor may be that of another file. */
	if (strcmp(line, after) != 0)
		*task->call = '\0';
	task->file[length > 0 && *task->call ? length : 0] = '\0';
}

void watch_find_call(struct watch_task *task)
{
	uint64_t number[NUMBERS];
	const struct call_row *row;
	char line[LINE_SIZE];

	watch_read(task, "syscall", line, sizeof(line));
	row = read_numbers(line, number) ? row_of(number) : NULL;
	if (!row)
		return;
	snprintf(task->call, sizeof(task->call), "%s", row->name);
	if (row->fd >= 0 && row->path < 0)
		read_link(task, line, number[1 + row->fd]);
}
