/* hotplug: CPUs that come online while a recording runs. */
#pragma once

#include <stdint.h>

/* Returns a descriptor for the kernel's messages about devices (uevents), or -errno. */
int hotplug_open(void);
/* Calls back for each CPU that came online since the last call. Returns 0, or -ENOBUFS if messages were lost. */
int hotplug_take(int fd, void (*came)(void *context, uint32_t cpu), void *context);
/* Parses a message such as "online@/devices/system/cpu/cpu7". Returns the number of the CPU that came online, or -1. */
int hotplug_cpu(const char *message);
