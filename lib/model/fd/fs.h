/*
 * fs: current directories and roots, which processes may share (CLONE_FS).
 *
 * What they are called is asked when a path needs it: names change without a word. Kept is only when they may have
 * become others.
 */
#pragma once

#include "state/state.h"

struct fs_root {
	struct event_string path; /* at NULL: not known */
	uint64_t mount_namespace; /* 0: not known */
};

/* Returns one with one user. */
uint32_t fs_new(struct model *m);
void fs_drop(struct model *m, uint32_t fs);
/* The process begins with what its parent has. */
void fs_copy(struct model *m, uint32_t process, uint32_t parent);
/* The process uses that of another one from now on. */
void fs_share(struct model *m, uint32_t process, uint32_t other);
/* A call that changes it begins (change 1) or ends (-1) now. */
void fs_move(struct model *m, uint32_t fs, int change);
/* From now on the process, and those that share with it, have this root. */
void fs_set_root(struct model *m, uint32_t process, const struct fs_root *root);
/* A process that had the same root may have another now: pivot_root() moves them all. */
void fs_forget_like(struct model *m, uint32_t process);
/* Data was lost, and with it perhaps the calls that changed them. */
void fs_forget_all(struct model *m);
/* It has a mount namespace of its own now, whose number is not known. */
void fs_part(struct model *m, uint32_t process);
