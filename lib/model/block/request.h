/*
 * request: the steps of block requests and bios, and what they mean.
 */
#pragma once

#include "state/state.h"

/* A step that the kernel told: EVENT_REQUEST. */
void request_step(struct model *m, const struct event *event);
/* Samples were lost: what is in flight may have ended. */
void request_doubt_all(struct model *m);
/* The stream has ended: cancels what is in flight. */
void request_end_all(struct model *m);
