/*
 * live_request: what a user asks of the recording while it runs (iotrace/control.h), and its pauses.
 *
 * In a pause everything is recorded and followed as before; the reader of the stream leaves out what begins in it (fact PAUSE).
 */
#pragma once

#include <stdint.h>

struct live;

/* Before the events are on: takes requests from now on, and begins with a pause if the recording is to start later. */
void live_requests_open(struct live *live);
/* The events are on, or the command begins: from here on --delay and --duration count. */
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
