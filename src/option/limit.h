/* limit: finds limits of this process (setrlimit(2)) that may have caused an error. */
#pragma once

struct error;

/* Returns 0, or -EMFILE with a message if the limit of open files is too low for anything. */
int limit_check(struct error *err);
/* Appends the limits that may have caused the error, and how to raise them, if there are any. */
void limit_hint(struct error *err);
