/*
 * procfs: reads information about processes from /proc, through one directory descriptor.
 *
 * Tests can use a saved tree. Everything here races with the process, so a file that is gone is a normal result without a message.
 */
#pragma once

#include <dirent.h>
#include <iotrace/list.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct procfs {
	int root; /* -1: closed */
};

struct procfs_task {
	uint32_t ppid;
	uint64_t start_time; /* clock ticks since boot */
	char comm[64];
	bool has_ended; /* a zombie that waits for its parent */
};

struct procfs_fdinfo {
	uint64_t flags, pos, mnt_id; /* UINT64_MAX: unknown */
};

/* Lent until the call returns, without the escapes of the file. */
struct procfs_mount {
	uint64_t mnt_id;
	uint64_t dev;
	const char *mount_point, *source, *type;
	const char *top; /* the directory of the file system that is mounted there */
};

int procfs_open(struct procfs *proc, const char *path, struct error *err);
void procfs_close(struct procfs *proc);

/* Returns the length of a file's text (at most size - 1, terminated), or -errno. */
ssize_t procfs_read(const struct procfs *proc, char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Returns the length of a link's target (terminated), or -errno. */
ssize_t procfs_link(const struct procfs *proc, char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Opens a directory below another one; flags: O_NOFOLLOW or 0. Returns NULL and sets errno on failure. */
DIR *procfs_opendir(int above, const char *name, int flags);
/* Lists at most `max` entries of a directory that are numbers, sorted. Returns 0 or -errno. */
int procfs_list(const struct procfs *proc, struct number_list *numbers, uint32_t max,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

int procfs_task(const struct procfs *proc, uint32_t pid, uint32_t tid, struct procfs_task *task);
/* Returns the size of a process's arguments, with a NUL after each; 0: unknown. is_cut: there are more than size - 1 bytes. */
uint32_t procfs_arguments(const struct procfs *proc, uint32_t pid, char *out, size_t size,
			  bool *is_cut);
/* Returns whether the real user id of a process is among these; false if the process is gone. */
bool procfs_is_of(const struct procfs *proc, uint32_t pid, const uint32_t *uid, uint32_t uids);
int procfs_fdinfo(const struct procfs *proc, uint32_t pid, uint32_t fd, struct procfs_fdinfo *info);
/* Calls back for each mount in the namespace of the process. Returns 0 or -errno. */
int procfs_mounts(const struct procfs *proc, uint32_t pid,
		  void (*mount)(void *context, const struct procfs_mount *mount), void *context);
/* Returns whether the program of the process is a 32-bit one (on a machine of 64 bits). */
bool procfs_is_foreign(const struct procfs *proc, uint32_t pid);
