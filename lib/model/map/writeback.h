/*
 * writeback: the kernel writes pages of a file that a recorded process has mapped for writing.
 *
 * This is a non-blocking flush of the file. It is on the location of the thread that mapped the file (the last one if there are
 * several), because the stores of that thread reach the disk. If that thread has ended, or a parent of the process made the mapping, it
 * is on the location of the first thread of the process. Writeback of other files is skipped.
 */
#pragma once

#include "state/state.h"

void writeback_in(struct model *m, const struct event *event);
