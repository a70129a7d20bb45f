/* live_events: which events are opened. */
#pragma once

#include "state/live_state.h"

int live_add_events(struct live *live, struct error *err);
