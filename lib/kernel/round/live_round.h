/* live_round: a round moves what is in all rings into the spool. */
#pragma once

#include "source/live_private.h"

void live_round(struct live *live);
bool live_is_round_due(const struct live *live);
/* Returns when the next one is due in any case, in ns. */
uint64_t live_next_round(const struct live *live);
/* Returns whether a time has come; 0 never does. */
bool live_is_time(uint64_t at, uint64_t now);
