/* unseen: descriptors whose creation is not in the stream. */
#pragma once

#include "state/state.h"

/*
 * A descriptor whose creation is not in the stream (received over a socket, for example) was used successfully, so it was open before.
 * Returns its new open, held for the caller, or ID_NONE if it was known, opened or closed since the use began.
 */
uint32_t unseen_fd(struct model *m, uint32_t process, uint32_t table, int fd, uint64_t begin);
