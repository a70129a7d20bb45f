/* live_needs: recordings that only perf can make. */
#pragma once

struct recording;

/* Returns why BPF programs cannot record this, or NULL. */
const char *live_needs_perf(const struct recording *recording);
