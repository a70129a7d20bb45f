/* out_send: the last step of an io_event that leaves the model. */
#pragma once

#include "state/state.h"

/* Counts an operation. */
void out_count(struct model *m, const struct io_event *event);
/* Sends a complete event to the output, unless it began in a pause. */
void out_send(struct model *m, const struct io_event *event);
