/* request: processes the steps of block requests and bios. */
#pragma once

#include "state/state.h"

/* Processes an EVENT_REQUEST. */
void request_step(struct model *m, const struct event *event);
/* Samples were lost, so requests in flight may have ended. */
void request_doubt_all(struct model *m);
/* The stream has ended: cancels requests in flight. */
void request_end_all(struct model *m);
