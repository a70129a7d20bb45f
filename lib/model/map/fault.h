/*
 * fault: page faults that read from mapped files, as operations of these files.
 *
 * A fault names an inode, not a descriptor, and most programs close what they have mapped: so each process has one handle for
 * each file that it reads this way, which counts as open all the time.
 */
#pragma once

#include "state/state.h"

void fault_in(struct model *m, const struct event *event);
/* Returns the open of the process's handle for what is mapped of the file. Not held; it stays. */
uint32_t fault_open(struct model *m, process_id process, file_id file);
