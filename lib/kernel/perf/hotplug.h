/*
 * hotplug: CPUs that come online while a recording runs.
 */
#pragma once

#include <stdint.h>

/* Returns a descriptor to which the kernel tells what becomes of devices, or -errno. */
int hotplug_open(void);
/* Calls back for each CPU that has come online since the last time. Returns 0, or -ENOBUFS: some messages were lost. */
int hotplug_take(int fd, void (*came)(void *context, uint32_t cpu), void *context);
/* Reads one message: "online@/devices/system/cpu/cpu7". Returns the number of the CPU that it says came, or -1. */
int hotplug_cpu(const char *message);
