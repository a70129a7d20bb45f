/*
 * left: what killed recordings left, and how to convert or remove it.
 */
#ifndef IOTRACE_LEFT_H
#define IOTRACE_LEFT_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Warns of what lies in the directory, in a few lines. */
void left_tell(const char *directory);
/* Prints all that lies in the directory, with commands. Returns how many. */
uint32_t left_list(const char *directory, FILE *out);
/* Says that the spool's work directory may be removed now that it is converted; nothing if `spool` is no such file. */
void left_converted(const char *spool);

#ifdef __cplusplus
}
#endif
#endif
