/* live_setup: steps before a recording begins. Each returns 0, or -errno with a message. */
#pragma once

#include "state/live_state.h"

/* The waiting command has ended. Returns -ESRCH, or -EINTR if Ctrl-C ended it, with a message. */
int live_explain_gone(struct live *live, struct error *err);
int live_setup_cgroups(struct live *live, struct error *err);
int live_setup_events(struct live *live, struct error *err);
int live_setup_capture(struct live *live, struct error *err);
int live_setup_spool(struct live *live, struct error *err);
