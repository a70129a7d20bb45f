/* stat_losses: what `iotrace stat` has not seen, which is missing in its tables. */
#pragma once

struct live;
struct span_run;

/* For numbers that the kernel has counted. Call it at the end, while the recording is still open. */
void stat_losses_of_counters(const struct span_run *run, const struct live *live);
/* For calls that were recorded. Call it at the end. */
void stat_losses_of_records(const struct span_run *run);
