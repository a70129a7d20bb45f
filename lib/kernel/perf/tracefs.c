/*
 * tracefs: finds tracefs, or mounts it privately, and reads format files.
 *
 * A private mount is detached (fsmount): it has a descriptor but no path, and disappears with the descriptor. The id and the
 * offsets of single fields are parsed here, because libtraceevent belongs to lib/decode, which this layer does not use.
 */
#include "tracefs.h"

#include "rights/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, FSCONFIG_CREATE = 6, CLOEXEC_FLAG = 1 };

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Returns a descriptor of the directory if tracefs is mounted there, else -errno. */
static int open_mount(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (dir < 0)
		return -errno;
	if (fstatfs(dir, &fs) == 0 && (unsigned long)fs.f_type == TRACEFS_MAGIC)
		return dir;
	close(dir);
	return -ENOENT;
}

/* Some systems mount it elsewhere. In mountinfo, the type follows " - ". */
static int open_other_mount(void)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int dir = -ENOENT;

	if (!mounts)
		return -errno;
	while (dir < 0 && getline(&line, &size, mounts) > 0) {
		char mount_point[4096];

		if (strstr(line, " - tracefs ") &&
		    sscanf(line, "%*s %*s %*s %*s %4095s", mount_point) == 1)
			dir = open_mount(mount_point);
	}
	free(line);
	fclose(mounts);
	return dir;
}

static int open_detached(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", CLOEXEC_FLAG);
	int dir = -1;
	int code;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CREATE, NULL, NULL, 0) == 0)
		dir = (int)syscall(SYS_fsmount, fs, CLOEXEC_FLAG, 0);
	code = errno;
	close(fs);
	return dir < 0 ? -code : dir;
}

static void hint_rights(struct error *err)
{
	error_hint(err,
		   "to give a group access: mount -o remount,mode=750,gid=%u /sys/kernel/tracing",
		   rights_outer_group());
	rights_hint_setcap(err);
}

static int refused(int code, struct error *err)
{
	if (code == EACCES || code == EPERM) {
		error_set(err, code, "cannot open tracefs /sys/kernel/tracing");
		hint_rights(err);
		return -code;
	}
	error_say(err, code, "tracefs is not mounted, and mounting it failed: %s", strerror(code));
	error_hint(err, "as root: mount -t tracefs tracefs /sys/kernel/tracing");
	return -code;
}

int tracefs_open(struct tracefs *tracefs, struct error *err)
{
	int worst = -ENOENT;

	tracefs_open_at(tracefs, -1);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		tracefs->dir = open_mount(places[i]);
		if (tracefs->dir >= 0)
			return 0;
		if (tracefs->dir == -EACCES)
			worst = -EACCES;
	}
	tracefs->dir = open_other_mount();
	if (tracefs->dir >= 0)
		return 0;
	tracefs->dir = open_detached();
	if (tracefs->dir >= 0) {
		tracefs->is_detached = true;
		return 0;
	}
	if (worst == -ENOENT)
		worst = tracefs->dir;
	tracefs->dir = -1;
	return refused(-worst, err);
}

void tracefs_open_at(struct tracefs *tracefs, int dir)
{
	*tracefs = (struct tracefs){.dir = dir};
}

void tracefs_close(struct tracefs *tracefs)
{
	if (tracefs->dir >= 0)
		close(tracefs->dir);
	tracefs->dir = -1;
}

/* Files of tracefs have no size, so they are read to their end. */
static char *read_all(int fd, int *code)
{
	size_t cap = 4096, size = 0;
	char *text = mem_alloc(cap);
	ssize_t n;

	while ((n = read(fd, text + size, cap - size - 1)) > 0) {
		size += (size_t)n;
		if (cap - size > 1)
			continue;
		if (cap >= TEXT_MAX) {
			*code = EFBIG;
			free(text);
			return NULL;
		}
		cap *= 2;
		text = mem_resize(text, cap);
	}
	if (n < 0) {
		*code = errno;
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

char *tracefs_text(const struct tracefs *tracefs, const char *path, struct error *err)
{
	int fd = openat(tracefs->dir, path, O_RDONLY | O_CLOEXEC);
	int code = errno;
	char *text;

	if (fd < 0) {
		error_set(err, code, "cannot open %s in tracefs", path);
		return NULL;
	}
	text = read_all(fd, &code);
	close(fd);
	if (!text)
		error_set(err, code, "cannot read %s in tracefs", path);
	return text;
}

char *tracefs_format(const struct tracefs *tracefs, const char *system, const char *name,
		     struct error *err)
{
	char *path = mem_format("events/%s/%s/format", system, name);
	struct error why = {0};
	char *text = tracefs_text(tracefs, path, &why);

	free(path);
	if (text)
		return text;
	if (why.code == ENOENT) {
		error_say(err, ENOENT, "this kernel has no tracepoint %s:%s", system, name);
		error_hint(err, "a kernel built with CONFIG_FTRACE_SYSCALLS=y has it");
	} else {
		if (err)
			*err = why;
		error_wrap(err, "tracepoint %s:%s", system, name);
	}
	if (why.code == EACCES || why.code == EPERM)
		hint_rights(err);
	return NULL;
}

int tracefs_id(const char *format)
{
	const char *at = strstr(format, "\nID: ");
	char *end;
	long id;

	if (!at)
		return -1;
	id = strtol(at + 5, &end, 10);
	return *end == '\n' && id > 0 && id <= INT32_MAX ? (int)id : -1;
}

/* Returns the number after a word in a line of a format ("\toffset:8;"). */
static bool number_after(const char *line, const char *end, const char *word, uint32_t *number)
{
	const char *at = strstr(line, word);

	if (!at || at >= end)
		return false;
	*number = (uint32_t)strtoul(at + strlen(word), NULL, 10);
	return true;
}

/* The name is the last word of the declaration, before ';' or '['. */
static bool names_field(const char *line, const char *field)
{
	const char *end = strchr(line, ';');
	size_t length = strlen(field);

	for (const char *at = strstr(line, field); at && end && at < end;
	     at = strstr(at + 1, field))
		if (at[-1] == ' ' && (at + length == end || at[length] == '['))
			return true;
	return false;
}

bool tracefs_field(const char *format, const char *field, uint32_t *offset, uint32_t *size)
{
	for (const char *line = strstr(format, "\tfield:"); line;
	     line = strstr(line + 1, "\tfield:")) {
		const char *end = strchr(line, '\n');

		if (!end)
			return false;
		if (names_field(line, field))
			return number_after(line, end, "offset:", offset) &&
			       number_after(line, end, "size:", size);
	}
	return false;
}

static bool is_address_field(const char *line)
{
	static const char *const name[] = {"ip",   "parent_ip", "caller_ip", "call_site",
					   "addr", "address",   "func",      "function"};
	const char *end = strchr(line, ';'), *star = strchr(line, '*');

	if (end && star && star < end)
		return true;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (names_field(line, name[i]))
			return true;
	return false;
}

/* %pI4, %pM, %pU and others print what the pointer leads to, and not the address. */
static bool prints_address(const char *format)
{
	const char *print = strstr(format, "\nprint fmt:");

	for (const char *at = print ? strstr(print, "%p") : NULL; at; at = strstr(at + 1, "%p"))
		if (!at[2] || !strchr("IMmUhbEVtgGdD", at[2]))
			return true;
	return false;
}

bool tracefs_has_address(const char *system, const char *format)
{
	const char *line = strstr(format, "\nformat:");

	/* Pointers of system calls are addresses in the program. */
	if (!strcmp(system, "syscalls") || !strcmp(system, "raw_syscalls"))
		return false;
	for (line = line ? strstr(line, "\tfield:") : NULL; line;
	     line = strstr(line + 1, "\tfield:"))
		if (is_address_field(line))
			return true;
	return prints_address(format);
}
