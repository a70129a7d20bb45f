/*
 * watch_call: see watch_call.h.
 *
 * The kernel knows the paths of open files, and of the directories of a task, so it asks no file system. A path that the call was given
 * is in the memory of the task.
 */
#include "watch_call.h"

#include "watch_memory.h"

#include <fcntl.h>
#include <iotrace/syscall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 64, LINE_SIZE = 256, NUMBERS = 9, ARGUMENT = 1, STACK_AT = 7 };

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

/* Reads a link of the task in /proc into a text of WATCH_FILE bytes. Returns its length; 0: unknown. */
static size_t read_link(const struct watch_task *task, const char *name, char *text)
{
	char path[PATH_SIZE];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", task->pid, task->tid, name);
	length = readlink(path, text, WATCH_FILE - 1);
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

static size_t read_descriptor(const struct watch_task *task, uint64_t fd, char *text)
{
	char name[PATH_SIZE];

	if ((int)fd == AT_FDCWD)
		return read_link(task, "cwd", text);
	snprintf(name, sizeof(name), "fd/%d", (int)fd);
	return read_link(task, name, text);
}

/* The text becomes the path behind the directory that it starts at, or "" if it is too long. An empty path means the directory itself. */
static void join(const struct watch_task *task, uint64_t directory, const char *path, char *text)
{
	size_t length = *path == '/' ? read_link(task, "root", text)
				     : read_descriptor(task, directory, text);
	size_t room;

	if (!length || !*path)
		return;
	if (text[length - 1] == '/')
		length--;
	path += *path == '/';
	room = WATCH_FILE - length;
	if ((size_t)snprintf(text + length, room, "/%s", path) >= room)
		*text = '\0';
}

static uint64_t argument(const uint64_t number[NUMBERS], int8_t which, uint64_t otherwise)
{
	return which == CALL_NO_ARG ? otherwise : number[ARGUMENT + which];
}

static void find_paths(struct watch_task *task, struct watch_memory *memory,
		       const struct call_row *row, const uint64_t number[NUMBERS])
{
	struct watch_paths paths = {
		.address = {argument(number, row->path, 0), argument(number, row->path2, 0)}};

	watch_memory_read(memory, task, &paths);
	if (paths.is_known[0])
		join(task, argument(number, row->fd, (uint64_t)AT_FDCWD), paths.text[0],
		     task->file);
	if (paths.is_known[1] && row->path2 != CALL_NO_ARG)
		join(task, argument(number, row->fd2, (uint64_t)AT_FDCWD), paths.text[1], task->to);
}

/* If the task is in another call now, its descriptors and its memory may be others, too. */
static void forget_if_gone(struct watch_task *task, const char *line)
{
	char after[LINE_SIZE];

	watch_read(task, "syscall", after, sizeof(after));
	if (strcmp(line, after) != 0)
		*task->call = *task->file = *task->to = '\0';
}

void watch_find_call(struct watch_task *task, struct watch_memory *memory)
{
	uint64_t number[NUMBERS];
	const struct call_row *row;
	char line[LINE_SIZE];

	watch_read(task, "syscall", line, sizeof(line));
	row = read_numbers(line, number) ? row_of(number) : NULL;
	if (!row)
		return;
	snprintf(task->call, sizeof(task->call), "%s", row->name);
	if (row->path != CALL_NO_ARG)
		find_paths(task, memory, row, number);
	else if (row->fd != CALL_NO_ARG)
		read_descriptor(task, number[ARGUMENT + row->fd], task->file);
	else
		return;
	forget_if_gone(task, line);
}
