/* live_control: the thread that moves rounds of records from the rings to the spool. */
#pragma once

#include "state/live_state.h"

/* Runs in a thread of its own; the argument is a struct live. */
void *live_control(void *live);
