/* live_cpus: CPUs that come while iotrace records. */
#pragma once

struct live;

/* Opens what is a CPU's own on those that have come. */
void live_follow_cpus(struct live *live);
