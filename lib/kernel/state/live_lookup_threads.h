/* live_lookup_threads: the threads that look into /proc, one for each CPU. */
#pragma once

#include "live_state.h"

int live_start_lookup_threads(struct live *live, struct error *err);
void live_stop_lookup_threads(struct live *live);
void live_release_lookup_threads(struct live *live);
