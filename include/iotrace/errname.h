/*
 * errname: names of error numbers, those too that the kernel keeps to itself and its tracepoints show all the same.
 */
#pragma once

#include <stdbool.h>

/* Returns "ENOENT", "ERESTARTSYS", or NULL: the number has no name. */
const char *errname(int error);
/* Returns what it means, in a few words; like strerror(). */
const char *errname_text(int error);
/*
 * Returns whether a signal interrupted the call, and it did not fail by that: it is made again, as another call, or
 * the program gets EINTR. Which of them happens, the kernel decides after its tracepoint.
 */
bool errname_is_interrupted(int error);
