/* live_events: which events are opened. */
#pragma once

#include "source/live_private.h"

enum { FILTER_SIZE_MAX = 4095 }; /* the kernel takes less than a page */
int live_add_events(struct live *live, struct error *err);
