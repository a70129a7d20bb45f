/*
 * fs: current directories and roots, which processes may share (CLONE_FS).
 *
 * What they are called is asked when a path needs it: names change without a word. Kept is only when they may have
 * become others.
 */
#ifndef IOTRACE_MODEL_FS_H
#define IOTRACE_MODEL_FS_H

#include "state.h"

/* Returns one with one user. */
uint32_t fs_new(struct model *m);
void fs_drop(struct model *m, uint32_t fs);
/* The process uses that of another one from now on. */
void fs_share(struct model *m, uint32_t process, uint32_t other);
/* A call that changes it begins (change 1) or ends (-1) now. */
void fs_move(struct model *m, uint32_t fs, int change);

#endif
