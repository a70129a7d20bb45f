/*
 * live_cpus: CPUs that come while iotrace records.
 */
#ifndef KERNEL_LIVE_CPUS_H
#define KERNEL_LIVE_CPUS_H

struct live;

/* Opens what is a CPU's own on those that have come. */
void live_follow_cpus(struct live *live);

#endif
