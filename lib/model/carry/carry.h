/*
 * carry: copies what a model knows of running processes into a new model.
 *
 * The new model continues as if it had seen the stream from its begin, but it has no definitions of what is gone: its handles were
 * open before, and its threads get locations when they do something. So the part of a stream that a flight recorder has kept becomes
 * an archive of its own, in which files that were opened long before have their names.
 */
#pragma once

#include "state/state.h"

/*
 * Copies processes, threads, descriptor tables, open files, directories, mappings and calls in flight. `to` has seen nothing but facts
 * about the recording. has_positions: positions of files are known, too. Requests in flight are not copied, so their ends are ignored,
 * as at the begin of a recording.
 */
void carry_state(struct model *to, const struct model *from, bool has_positions);
