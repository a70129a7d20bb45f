/* live_round: a round moves what is in all rings into the spool. */
#pragma once

#include "state/live_state.h"

void live_round(struct live *live);
bool live_is_round_due(const struct live *live);
/* Returns the latest time of the next round, in ns. */
uint64_t live_next_round(const struct live *live);
/* Returns whether the time has been reached; 0 means never. */
bool live_is_time(uint64_t at, uint64_t now);
