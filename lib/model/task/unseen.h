/*
 * unseen: descriptors that nobody saw being made.
 */
#pragma once

#include "state/state.h"

/*
 * A descriptor that nobody saw being made (a pipe's end, one received over a socket) was used with success: it
 * is taken as open from before. Returns what it leads to now, held for the caller, or ID_NONE: it was known, or opened
 * or closed since the use began.
 */
uint32_t unseen_fd(struct model *m, uint32_t process, uint32_t table, int fd, uint64_t begin);
