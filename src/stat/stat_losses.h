/* stat_losses: what `iotrace stat` has not seen, which is missing in its tables. */
#pragma once

struct live;
struct span_run;

/* Call one of them at the end: if the kernel has counted, while the recording is still open; if calls were recorded. */
void stat_losses_of_counters(const struct span_run *run, const struct live *live);
void stat_losses_of_records(const struct span_run *run);
