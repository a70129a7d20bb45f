/* process: see process.h of <iotrace/>. */
#include <iotrace/process.h>

#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

void process_each(void (*call)(void *context, uint32_t pid), void *context)
{
	struct number_list pids = {0};
	struct procfs proc;

	if (!procfs_open(&proc, "/proc", NULL))
		procfs_list(&proc, &pids, UINT32_MAX, ".");
	procfs_close(&proc);
	for (uint32_t i = 0; i < pids.count; i++)
		call(context, pids.item[i]);
	number_list_release(&pids);
}

char *process_link(uint32_t pid, const char *name)
{
	char *path = mem_format("/proc/%u/%s", pid, name), target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	int code = errno;

	free(path);
	if (length < 0) {
		errno = code;
		return NULL;
	}
	target[length] = '\0';
	return mem_strdup(target);
}

char *process_program(uint32_t pid)
{
	return mem_format("/proc/%u/exe", pid);
}

char *process_path(uint32_t pid, const char *path)
{
	return mem_format("/proc/%u/root%s", pid, path);
}

int process_kernel_symbols(void)
{
	return open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
}
