/*
 * live_lookers: the threads that look into /proc, one for each CPU.
 */
#ifndef KERNEL_LIVE_LOOKERS_H
#define KERNEL_LIVE_LOOKERS_H

#include "live_private.h"

int live_start_lookers(struct live *live, struct error *err);
void live_stop_lookers(struct live *live);
void live_release_lookers(struct live *live);

#endif
