/*
 * link_target: what a link of /proc leads to, as the process sees it: a path from its own root, in its own mount namespace.
 *
 * The kernel writes such a link as we see it. Of a file behind a detached mount it writes a path that may be another
 * file's; of one that was deleted, a path with a suffix that other files may really have. So the mount is sought among
 * those of the namespace, and the inode tells what the suffix means. What no path of the process reaches has none.
 */
#pragma once

#include "procfs.h"

#include <iotrace/map.h>
#include <linux/stat.h>
#include <sys/stat.h>

enum { LINK_TARGET_SIZE = 4096 + 16 };

/* What the look-ups of all threads share. All 0 but proc: nothing is known yet. */
struct links {
	const struct procfs *proc; /* lent */
	char **shy;                /* mount points whose files are not asked for more than a name */
	uint32_t shies, shy_cap;
	bool are_apart; /* some processes have another root or mount namespace than we; atomic */
};

struct link_target {
	char target[LINK_TARGET_SIZE]; /* terminated; "pipe:[7]" and the like stay as they are */
	uint32_t length;               /* 0: no path of the process leads there */
	bool is_path;                  /* it is a path, known or not */
	bool is_deleted;               /* the path is the last that it had */
	bool has_status;
	struct statx status;
};

/* One thread's knowledge of the mounts in our namespace. All 0: nothing yet. */
struct mounts {
	bool is_open;
	int fd;            /* of our mountinfo, which says when it changes; -1: there is none */
	struct map here;   /* ids of the mounts that are attached */
	bool have_changed; /* since they were first read: one may lie over a file that is open */
};

void mounts_release(struct mounts *mounts);
void links_release(struct links *links);
/* A mount was seen: statx of its files may ask a server, or hang with it. */
void links_add_mount(struct links *links, const char *mount_point, const char *type);
/* Some process may have another root or mount namespace than we from now on: each link is compared. */
void links_set_apart(struct links *links);
/* Returns 0, or -errno if the link is gone. link: "fd/3", "cwd" below /proc/TID. */
int link_target_read(struct link_target *found, struct mounts *mounts, struct links *links,
		     uint32_t tid, const char *link);

/* The root directory of a process, and the mount namespace that it is in. */
struct link_root {
	char path
		[LINK_TARGET_SIZE]; /* terminated: from our root, or of another namespace from its root */
	uint32_t length;
	uint64_t mount_namespace; /* its inode; 0: not known */
};

/* Returns 0, or -errno if it is gone. If it has another root or namespace than we, links_set_apart() is called. */
int link_root_read(struct link_root *root, struct links *links, uint32_t tid);
