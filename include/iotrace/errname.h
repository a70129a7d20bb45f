/* errname: names of error numbers, including internal ones of the kernel that its tracepoints show. */
#pragma once

#include <stdbool.h>

/* Returns "ENOENT", "ERESTARTSYS", or NULL if the number has no name. */
const char *errname(int error);
/* Returns a short description, like strerror(). */
const char *errname_text(int error);
/*
 * Returns whether a signal interrupted the call. This is not a failure: the kernel restarts the call as another call, or
 * returns EINTR to the program. It decides that after the tracepoint.
 */
bool errname_is_interrupted(int error);
