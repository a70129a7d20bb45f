/*
 * live_request: requests of users to a running recording (iotrace/control.h), and pauses.
 *
 * In a pause, everything is recorded as before; the reader of the stream skips what begins in it (fact PAUSE).
 */
#pragma once

#include <stdint.h>

struct live;

/* Called before the events are enabled. Takes requests from now on, and begins a pause if the recording starts later. */
void live_requests_open(struct live *live);
/* The events are enabled, or the command begins: --delay and --duration count from now on. */
void live_requests_begin(struct live *live);
/* Returns a descriptor that is readable when there is a request, or -1. */
int live_requests_fd(const struct live *live);
void live_requests_look(struct live *live);
/* Takes what the command wrote to its descriptor for marks. */
void live_marks_look(struct live *live);
/* Puts a mark at this time into the stream. */
void live_set_mark(struct live *live, int32_t pid, const char *text);
/* Ends the pause of --delay when its time has come. */
void live_end_delay(struct live *live);
void live_requests_close(struct live *live);
