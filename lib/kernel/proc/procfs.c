/*
 * procfs: parsers of small files. A program can give itself a name with any bytes, also parentheses and newlines, so the last ')'
 * ends the name. In mountinfo, special characters are written in octal.
 */
#include "procfs.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { NAME_SIZE = 96 };

int procfs_open(struct procfs *proc, const char *path, struct error *err)
{
	proc->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc->root < 0)
		return error_set(err, errno, "cannot open %s", path);
	return 0;
}

void procfs_close(struct procfs *proc)
{
	if (proc->root >= 0)
		close(proc->root);
	proc->root = -1;
}

static ssize_t read_name(const struct procfs *proc, char *out, size_t size, const char *name)
{
	int fd = openat(proc->root, name, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 0;
	int code;

	out[0] = '\0';
	if (fd < 0)
		return -errno;
	while (used < size - 1 && (n = read(fd, out + used, size - 1 - used)) > 0)
		used += (size_t)n;
	code = errno;
	close(fd);
	out[used] = '\0';
	return n < 0 ? -code : (ssize_t)used;
}

ssize_t procfs_read(const struct procfs *proc, char *out, size_t size, const char *format, ...)
{
	char name[NAME_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return read_name(proc, out, size, name);
}

ssize_t procfs_link(const struct procfs *proc, char *out, size_t size, const char *format, ...)
{
	char name[NAME_SIZE];
	va_list args;
	ssize_t n;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	n = readlinkat(proc->root, name, out, size - 1);
	if (n < 0) {
		out[0] = '\0';
		return -errno;
	}
	out[n] = '\0';
	return n;
}

static bool is_number(const char *text, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*number = (uint32_t)value;
	return !errno && !*end && value <= UINT32_MAX;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

DIR *procfs_opendir(int above, const char *name, int flags)
{
	int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int code = errno;

	if (!dir && fd >= 0)
		close(fd);
	errno = code;
	return dir;
}

int procfs_list(const struct procfs *proc, struct number_list *numbers, uint32_t max,
		const char *format, ...)
{
	char name[NAME_SIZE];
	const struct dirent *entry;
	va_list args;
	uint32_t number;
	DIR *dir;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	numbers->count = 0;
	dir = procfs_opendir(proc->root, name, 0);
	if (!dir)
		return -errno;
	while (numbers->count < max && (entry = readdir(dir)) != NULL) {
		if (!is_number(entry->d_name, &number))
			continue;
		number_list_add(numbers, number);
	}
	closedir(dir);
	if (numbers->count)
		qsort(numbers->item, numbers->count, sizeof(*numbers->item), compare);
	return 0;
}

/* Returns the number behind "KEY:" at the start of a line, or UINT64_MAX. */
static uint64_t value_of(const char *text, const char *key, int base)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, key, length) && line[length] == ':')
			return strtoull(line + length + 1, NULL, base);
	return UINT64_MAX;
}

int procfs_task(const struct procfs *proc, uint32_t pid, uint32_t tid, struct procfs_task *task)
{
	char text[1024];
	ssize_t n = procfs_read(proc, text, sizeof(text), "%u/task/%u/stat", pid, tid);
	const char *begin, *end;
	unsigned long long start;
	size_t length;
	char state;

	memset(task, 0, sizeof(*task));
	if (n < 0)
		return (int)n;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end < begin)
		return -EBADMSG;
	length = (size_t)(end - begin - 1);
	if (length >= sizeof(task->comm))
		length = sizeof(task->comm) - 1;
	memcpy(task->comm, begin + 1, length);
	/* After the name: state, ppid, ... and starttime as the 20th word. */
	if (sscanf(end + 1,
		   " %c %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
		   &state, &task->ppid, &start) != 3)
		return -EBADMSG;
	task->start_time = start;
	task->has_ended = state == 'Z' || state == 'X';
	return 0;
}

/* If the text fills the buffer, the arguments may be longer. The kernel also ends the last argument with a NUL. */
uint32_t procfs_arguments(const struct procfs *proc, uint32_t pid, char *out, size_t size,
			  bool *is_cut)
{
	ssize_t length = procfs_read(proc, out, size, "%u/cmdline", pid);

	*is_cut = length == (ssize_t)size - 1;
	return length > 0 ? (uint32_t)length : 0;
}

bool procfs_is_of(const struct procfs *proc, uint32_t pid, const uint32_t *uid, uint32_t uids)
{
	char text[4096];
	uint64_t value = UINT64_MAX;

	if (procfs_read(proc, text, sizeof(text), "%u/status", pid) > 0)
		value = value_of(text, "Uid", 10);
	for (uint32_t i = 0; i < uids; i++)
		if (uid[i] == value)
			return true;
	return false;
}

/*
 * O_LARGEFILE of <asm/fcntl.h>, which a 64-bit kernel adds to the flags of every open; the C library
 * calls it 0 there.
 */
#if defined(__aarch64__) || defined(__arm__)
#define KERNEL_O_LARGEFILE 0400000
#elif defined(__powerpc__)
#define KERNEL_O_LARGEFILE 0200000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

int procfs_fdinfo(const struct procfs *proc, uint32_t pid, uint32_t fd, struct procfs_fdinfo *info)
{
	char text[512]; /* the lines that are needed come first; those of an epoll may be long */
	ssize_t n = procfs_read(proc, text, sizeof(text), "%u/fdinfo/%u", pid, fd);

	*info = (struct procfs_fdinfo){UINT64_MAX, UINT64_MAX, UINT64_MAX};
	if (n < 0)
		return (int)n;
	info->flags = value_of(text, "flags", 8);
	if (info->flags != UINT64_MAX)
		info->flags &= ~(uint64_t)KERNEL_O_LARGEFILE;
	info->pos = value_of(text, "pos", 10);
	info->mnt_id = value_of(text, "mnt_id", 10);
	return 0;
}

static bool is_octal(const char *at)
{
	return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' &&
	       at[2] <= '7';
}

/* Undoes "\040" in place. */
static void unescape(char *text)
{
	char *out = text;

	for (const char *at = text; *at; at++) {
		if (*at == '\\' && is_octal(at + 1)) {
			*out++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			at += 3;
		} else {
			*out++ = *at;
		}
	}
	*out = '\0';
}

/* "36 35 98:0 /root /point options tags... - type source options" */
static bool parse_mount(char *line, struct procfs_mount *mount)
{
	char *words[5], *type, *source, *save = NULL;
	unsigned major, minor;
	char *tail = strstr(line, " - ");

	if (!tail)
		return false;
	*tail = '\0';
	for (int i = 0; i < 5; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!words[i])
			return false;
	}
	type = strtok_r(tail + 3, " \n", &save);
	source = type ? strtok_r(NULL, " \n", &save) : NULL;
	if (!source || sscanf(words[2], "%u:%u", &major, &minor) != 2)
		return false;
	unescape(words[3]);
	unescape(words[4]);
	unescape(type);
	unescape(source);
	*mount = (struct procfs_mount){.mnt_id = strtoull(words[0], NULL, 10),
				       .dev = makedev(major, minor),
				       .mount_point = words[4],
				       .source = source,
				       .type = type,
				       .top = words[3]};
	return true;
}

int procfs_mounts(const struct procfs *proc, uint32_t pid,
		  void (*call)(void *context, const struct procfs_mount *mount), void *context)
{
	char name[NAME_SIZE];
	struct procfs_mount mount;
	char *line = NULL;
	size_t size = 0;
	FILE *file;
	int fd;

	snprintf(name, sizeof(name), "%u/mountinfo", pid);
	fd = openat(proc->root, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	file = fdopen(fd, "r");
	if (!file) {
		int code = errno;

		close(fd);
		return -code;
	}
	while (getline(&line, &size, file) > 0)
		if (parse_mount(line, &mount))
			call(context, &mount);
	free(line);
	fclose(file);
	return 0;
}

bool procfs_is_foreign(const struct procfs *proc, uint32_t pid)
{
	char head[EI_CLASS + 2];

	return sizeof(void *) == 8 &&
	       procfs_read(proc, head, sizeof(head), "%u/exe", pid) == EI_CLASS + 1 &&
	       !memcmp(head, ELFMAG, SELFMAG) && head[EI_CLASS] == ELFCLASS32;
}
