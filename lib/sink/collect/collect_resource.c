/* collect_resource: tables of file systems and paths, to find the resource of a file. */
#include "collect_resource.h"

#include <iotrace/trace.h>
#include <string.h>

static const struct {
	const char *name;
	bool is_wait;
} resource_row[RESOURCES] = {
	[RESOURCE_FILES] = {"files", false},         [RESOURCE_PIPES] = {"pipes", true},
	[RESOURCE_SOCKETS] = {"sockets", true},      [RESOURCE_TERMINALS] = {"terminals", true},
	[RESOURCE_LOCKS] = {"locks", true},          [RESOURCE_ASYNC] = {"async", true},
	[RESOURCE_KERNEL] = {"kernel_files", false}, [RESOURCE_UNNAMED] = {"unnamed", false},
	[RESOURCE_OTHER] = {"other", false},
};

/* The resource of paths with this prefix, if the file system is unknown or may contain both kinds. */
static const struct {
	const char *prefix;
	enum collect_resource resource;
} path_row[] = {
	{"/proc/", RESOURCE_KERNEL},       {"/sys/", RESOURCE_KERNEL},
	{"/dev/shm/", RESOURCE_FILES},     {"/dev/hugepages/", RESOURCE_FILES},
	{"/dev/mqueue/", RESOURCE_KERNEL}, {"/dev/", RESOURCE_KERNEL},
};

static const char *const terminal[] = {"/dev/pts/", "/dev/tty", "/dev/console", "/dev/ptmx"};

/* Prefixes of block devices, if the stream describes none. */
static const char *const disk[] = {"/dev/sd",  "/dev/nvme",   "/dev/vd",    "/dev/xvd",
				   "/dev/hd",  "/dev/mmcblk", "/dev/loop",  "/dev/dm-",
				   "/dev/md",  "/dev/mapper", "/dev/sr",    "/dev/nbd",
				   "/dev/rbd", "/dev/ram",    "/dev/zram",  "/dev/disk/",
				   "/dev/zd",  "/dev/pmem",   "/dev/bcache"};

/* File systems of the kernel itself. */
static const char *const kernel_system[] = {"proc",        "sysfs",    "cgroup",     "cgroup2",
					    "debugfs",     "tracefs",  "securityfs", "bpf",
					    "pstore",      "configfs", "mqueue",     "efivarfs",
					    "binfmt_misc", "fusectl",  "selinuxfs",  "autofs",
					    "rpc_pipefs",  "nsfs"};

/* These contain device files as well as ordinary files, so the path decides. */
static const char *const mixed_system[] = {"devtmpfs", "tmpfs", "rootfs", "ramfs"};

#define IS_IN(list, text)  is_in(list, sizeof(list) / sizeof(*(list)), text)
#define BEGINS(list, text) begins(list, sizeof(list) / sizeof(*(list)), text)

static bool is_in(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

static bool begins(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(text, list[i], strlen(list[i])))
			return true;
	return false;
}

const char *collect_resource_name(enum collect_resource resource)
{
	return resource_row[resource].name;
}

bool collect_is_wait(enum collect_resource resource)
{
	return resource_row[resource].is_wait;
}

static enum collect_resource resource_of_path(const char *path)
{
	for (size_t i = 0; i < sizeof(path_row) / sizeof(*path_row); i++)
		if (!strncmp(path, path_row[i].prefix, strlen(path_row[i].prefix)))
			return path_row[i].resource;
	return RESOURCE_FILES;
}

enum collect_resource collect_resource_of_file(const struct trace *trace, file_id id)
{
	const struct trace_file *file = trace_file(trace, id);
	const char *path = trace_text(trace, file->path), *type = "";

	if (BEGINS(terminal, path))
		return RESOURCE_TERMINALS;
	if (file->kind == FILE_FIFO)
		return RESOURCE_PIPES;
	/* Only a look-up shows that a file is a device. */
	if (file->kind != FILE_DIRECTORY &&
	    (BEGINS(disk, path) || collect_device_by_path(trace, file->path) != ID_NONE))
		return RESOURCE_FILES;
	if (file->kind == FILE_DEVICE)
		return RESOURCE_KERNEL;
	if (file->mount < trace_mounts(trace))
		type = trace_text(trace, trace_mount(trace, file->mount)->type);
	if (IS_IN(kernel_system, type))
		return RESOURCE_KERNEL;
	if (*type && !IS_IN(mixed_system, type))
		return RESOURCE_FILES;
	return resource_of_path(path);
}

enum collect_resource collect_resource_of_handle(const struct trace *trace,
						 const struct trace_handle *handle)
{
	const char *name = trace_text(trace, handle->name);

	if (handle->is_all_proxy) /* sync() waits for the disks */
		return RESOURCE_FILES;
	if (!*name)
		return RESOURCE_UNNAMED;
	if (!strncmp(name, "pipe:", 5))
		return RESOURCE_PIPES;
	if (!strncmp(name, "socket:", 7))
		return RESOURCE_SOCKETS;
	if (!strncmp(name, "inode:", 6))
		return RESOURCE_FILES;
	return RESOURCE_OTHER;
}

enum collect_resource collect_resource_of_region(const struct trace_region *region)
{
	if (region->kind == CALL_LOCK)
		return RESOURCE_LOCKS;
	if (region->group == GROUP_AIO)
		return RESOURCE_ASYNC;
	if (region->has_path || region->kind == CALL_SYNC_ALL)
		return RESOURCE_FILES;
	return region->group == GROUP_NET ? RESOURCE_SOCKETS : RESOURCE_OTHER;
}

enum collect_class collect_class_of(const struct trace_region *region)
{
	if (region->group == GROUP_DIR)
		return CLASS_DIR;
	if (region->group == GROUP_META)
		return CLASS_META;
	switch (region->kind) {
	case CALL_READ:
		return CLASS_READ;
	case CALL_WRITE:
		return CLASS_WRITE;
	case CALL_COPY:
		return CLASS_COPY;
	case CALL_SYNC:
	case CALL_SYNC_ALL:
		return CLASS_SYNC;
	case CALL_OPEN:
		return CLASS_OPEN;
	case CALL_CLOSE:
	case CALL_CLOSE_RANGE:
		return CLASS_CLOSE;
	default:
		return CLASS_OTHER;
	}
}
