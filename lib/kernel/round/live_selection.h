/*
 * live_selection: the selections of the commands that join.
 *
 * Commands with the same selection share its number. The first selection is that of the recorder itself. The kernel records what
 * any of the selections wants, because it cannot always distinguish commands. The reader of the stream knows the selection of
 * each command.
 */
#pragma once

#include "join/selection.h"

#include <stdint.h>

struct error;
struct live;

/*
 * Finds the number of a selection. For a new selection, it adds the facts that describe it, and makes the kernel record it.
 * Returns 0, or -errno with a message if this recorder cannot have it.
 */
int live_select(struct live *live, const struct join_selection *packed, uint32_t *number,
		struct error *err);
/* From now on, perf opens events for tasks of any command. */
void live_select_all(struct live *live);
void live_selections_release(struct live *live);
