/*
 * writeback: the kernel writes pages of a file that a recorded process has mapped to be written.
 *
 * It is a flush of that file, beside what the program does: a non-blocking operation. It stands on the location of the thread
 * that mapped the file, for that is whose stores reach the disk by it: if several have, of who did so last; where that
 * thread has ended or only its parent mapped it, of the first thread of the process that still has it. The writing of any
 * other file is none of ours.
 */
#pragma once

#include "state/state.h"

void writeback_in(struct model *m, const struct event *event);
