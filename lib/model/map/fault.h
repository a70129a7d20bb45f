/*
 * fault: page faults that read from mapped files, as operations of these files.
 *
 * A fault has an inode and no descriptor, and most programs close the descriptor of a mapped file. So each process has one handle for
 * each file that it reads in this way, which is open for the whole recording.
 */
#pragma once

#include "state/state.h"

void fault_in(struct model *m, const struct event *event);
/* Returns the permanent open of the process for this mapped file. Not held. */
uint32_t fault_open(struct model *m, process_id process, file_id file);
