/* live_cpus: CPUs that come online during the recording. */
#pragma once

struct live;

/* Opens the events of CPUs that have come online. */
void live_follow_cpus(struct live *live);
