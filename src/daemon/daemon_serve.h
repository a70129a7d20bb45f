/* daemon_serve: views whose rows are not for everybody: a user sees the calls of his own threads, and root sees all. */
#pragma once

#include <stdint.h>

struct command;

/* For peers_serve(). context: the struct command of `iotrace stat`. */
int daemon_serve(void *context, uint32_t uid, const char *request);
