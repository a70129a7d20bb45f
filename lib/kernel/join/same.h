/* same: the options that must be the same for all commands of a recorder, one a line: "--source=perf". */
#pragma once

struct error;

/* Returns 0 if they are the same, or -EINVAL with a message that names a differing option, both values, and what to do. */
int join_compare(const char *of_host, const char *of_guest, struct error *err);
