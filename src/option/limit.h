/* limit: finds limits of this process (setrlimit(2)) that may have caused an error. */
#pragma once

struct error;

/* Returns 0, or -EMFILE with a sentence if iotrace may open too few files for anything it does. */
int limit_check(struct error *err);
/* Appends the limits that may have caused the error and how to raise them, if there are any. */
void limit_hint(struct error *err);
