/*
 * cgroup: a control group is a directory that has cgroup.procs. Whether the kernel can record one is tried, not concluded from
 * versions.
 */
#include "cgroup.h"

#include "perf/perf_event.h"
#include "proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH_MAX = 64 };

/* Returns a descriptor, -ENOENT, or -ENOTDIR if it is no control group. */
static int open_group(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = errno;

	if (fd < 0)
		return -code;
	if (!faccessat(fd, "cgroup.procs", R_OK, 0))
		return fd;
	close(fd);
	return -ENOTDIR;
}

struct search {
	const char *path;
	int fd;
};

/* With version 1, each controller has a mount. A name can only mean a group of a hierarchy with perf_event. */
static void try_mount(void *context, const struct procfs_mount *mount)
{
	struct search *search = context;
	bool is_perf = strstr(mount->mount_point, "perf_event");
	char *path;

	if (search->fd >= 0 ||
	    (strcmp(mount->type, "cgroup2") && !(is_perf && !strcmp(mount->type, "cgroup"))))
		return;
	path = mem_format("%s/%s", mount->mount_point, search->path);
	search->fd = open_group(path);
	free(path);
}

int cgroup_open(const struct procfs *proc, const char *path, struct error *err)
{
	struct search search = {.path = path, .fd = open_group(path)};

	if (search.fd < 0)
		procfs_mounts(proc, (uint32_t)getpid(), try_mount, &search);
	if (search.fd >= 0)
		return search.fd;
	return error_say(
		err, ENOENT,
		"no cgroup %s: neither this directory nor the one below the mount of cgroup2 has "
		"a file cgroup.procs",
		path);
}

/* Whether the directory `low` is `top` or below it. */
static bool lies_in(int low, int top)
{
	char low_path[PATH_MAX], top_path[PATH_MAX], name[64];
	ssize_t low_size, top_size;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", low);
	low_size = readlink(name, low_path, sizeof(low_path) - 1);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", top);
	top_size = readlink(name, top_path, sizeof(top_path) - 1);
	if (low_size < top_size || top_size <= 0)
		return false;
	return !memcmp(low_path, top_path, (size_t)top_size) &&
	       (low_size == top_size || low_path[top_size] == '/');
}

bool cgroup_overlap(int a, int b)
{
	return lies_in(a, b) || lies_in(b, a);
}

bool cgroup_is_recordable(int fd)
{
	struct perf_event_attr attr;
	int event;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.inherit = 0;
	event = (int)syscall(SYS_perf_event_open, &attr, fd, 0, -1,
			     PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
	if (event < 0) /* a missing right is reported when the real events are opened */
		return errno == EACCES || errno == EPERM;
	close(event);
	return true;
}

static void read_processes(int fd, struct number_list *numbers)
{
	int procs = openat(fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *file = procs < 0 ? NULL : fdopen(procs, "r");
	unsigned pid;

	if (!file) {
		if (procs >= 0)
			close(procs);
		return;
	}
	while (fscanf(file, "%u", &pid) == 1)
		number_list_add(numbers, pid);
	fclose(file);
}

static void walk(int fd, int depth, struct number_list *numbers)
{
	DIR *dir = procfs_opendir(fd, ".", 0);
	const struct dirent *entry;

	read_processes(fd, numbers);
	if (!dir)
		return;
	while (depth < DEPTH_MAX && (entry = readdir(dir)) != NULL) {
		int child;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		child = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child < 0)
			continue;
		walk(child, depth + 1, numbers);
		close(child);
	}
	closedir(dir);
}

void cgroup_processes(int fd, struct number_list *numbers)
{
	walk(fd, 0, numbers);
}
