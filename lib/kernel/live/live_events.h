/* live_events: which events are opened. */
#pragma once

#include "source/live_private.h"

int live_add_events(struct live *live, struct error *err);
