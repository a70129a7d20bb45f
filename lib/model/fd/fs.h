/*
 * fs: current directories and root directories, which processes may share (CLONE_FS).
 *
 * The model keeps roots, and the times at which the directories may have changed. It keeps no names of current directories,
 * because directories can be renamed: each path comes with the name of the directory that it starts at.
 */
#pragma once

#include "state/state.h"

struct fs_root {
	struct event_string path; /* at NULL: unknown */
	uint64_t mount_namespace; /* 0: unknown */
};

/* Returns a new element with one user. */
uint32_t fs_new(struct model *m);
void fs_drop(struct model *m, uint32_t fs);
/* A new process gets a copy of its parent's element. */
void fs_copy(struct model *m, uint32_t process, uint32_t parent);
/* From now on, the process shares the element of another process. */
void fs_share(struct model *m, uint32_t process, uint32_t other);
enum fs_change {
	FS_DIRECTORY,
	FS_ROOT,
	FS_ALL_ROOTS, /* pivot_root(): the root of other processes, too */
};

/* A call that changes the directories begins (change 1) or ends (-1). */
void fs_move(struct model *m, uint32_t fs, enum fs_change what, int change);
/* Whether the process has had one root since then, and no call in flight may change it. */
bool fs_keeps_root(const struct model *m, uint32_t process, uint64_t since);
/* Sets the root of the process, and of those that share it. */
void fs_set_root(struct model *m, uint32_t process, const struct fs_root *root);
/* pivot_root() may have changed the root of all processes that had the same one. */
void fs_forget_same_root(struct model *m, uint32_t process);
/* After a loss of data: calls that changed them may be missing. */
void fs_forget_all(struct model *m);
/* The process has a new mount namespace, whose inode is unknown. */
void fs_forget_namespace(struct model *m, uint32_t process);
