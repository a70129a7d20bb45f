/* same: the options that all commands of a recorder have in common, a line for each: "--source=perf". */
#pragma once

struct error;

/* Returns 0 if they are the same, or -EINVAL with a sentence that names one that differs, both its values, and what to do. */
int join_compare(const char *of_host, const char *of_guest, struct error *err);
