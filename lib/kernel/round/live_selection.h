/*
 * live_selection: the selections of the commands that join.
 *
 * Those that want the same have the same number. The first is that of the recorder itself. The kernel records what any of them wants, as
 * far as it cannot tell commands apart; who reads the stream knows the selection of each command.
 */
#pragma once

#include "join/selection.h"

#include <stdint.h>

struct error;
struct live;

/*
 * Finds the number of a selection. If it is a new one, says what it is, and makes the kernel record it. Returns 0, or -errno with a
 * sentence: this recorder cannot have it.
 */
int live_select(struct live *live, const struct join_selection *packed, uint32_t *number,
		struct error *err);
/* What perf opens from now on is for tasks of any command. */
void live_select_all(struct live *live);
void live_selections_release(struct live *live);
