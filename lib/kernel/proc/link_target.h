/*
 * link_target: the target of a link in /proc, from the view of the process: a path from its own root, in its own mount namespace.
 *
 * The kernel shows such a link from the view of the reader. For a file behind a detached mount, it shows a path that may be that of
 * another file. For a deleted file, it shows a path with a suffix that another file may really have. So the mount is looked up in
 * the namespace of the process, and the inode tells whether the suffix is part of the name.
 *
 * Each look-up of a path reads the root of the process, too: the process may have changed it just before, and nobody has seen that
 * yet. The model does not believe a look-up beside a call that changes the root.
 */
#pragma once

#include "procfs.h"

#include <iotrace/map.h>
#include <linux/stat.h>
#include <sys/stat.h>

enum { LINK_TARGET_SIZE = 4096 + 16 };

/* State that the look-ups of all threads share. Initially all 0 except proc. */
struct links {
	const struct procfs *proc; /* lent */
	char **remote; /* mount points (of remote file systems) whose files are only named, without a stat */
	uint32_t remotes, remote_cap;
};

struct link_target {
	char target[LINK_TARGET_SIZE]; /* terminated; "pipe:[7]" and the like stay as they are */
	uint32_t length;               /* 0: no path of the process reaches the file */
	bool is_path;                  /* it is a path, even if the path is unknown */
	bool is_deleted;               /* the path is the last one of the file */
	bool has_status;
	struct statx status;
};

/* The mounts of iotrace's namespace, for one thread. All 0: not yet read. */
struct mounts {
	bool is_open;
	int fd;            /* of iotrace's mountinfo, to be polled for changes; -1: none */
	struct map here;   /* ids of the mounts that are attached */
	struct statx root; /* ours; stx_mask is 0: not known (a saved /proc) */
	bool has_root; /* our root is a mount point; otherwise the kernel also names files outside of it */
	bool have_changed; /* mounts changed since they were first read, so one may hide an open file */
};

void mounts_release(struct mounts *mounts);
void links_release(struct links *links);
/* Notes a mount whose file system may be remote: statx of its files may ask a server, or hang. */
void links_add_mount(struct links *links, const char *mount_point, const char *type);
/* Returns 0, or -errno if the link is gone. link: "fd/3", "cwd" below /proc/TID. */
int link_target_read(struct link_target *found, struct mounts *mounts, struct links *links,
		     uint32_t tid, const char *link);

/* The root directory of a process, and its mount namespace. */
struct link_root {
	char path
		[LINK_TARGET_SIZE]; /* terminated: from iotrace's root, or in another namespace from the root of that */
	uint32_t length;          /* 0: no path leads there */
	uint64_t mount_namespace; /* its inode; 0: not known */
};

/* Returns 0, or -errno if the process is gone. */
int link_root_read(struct link_root *root, struct mounts *mounts, const struct procfs *proc,
		   uint32_t tid);
