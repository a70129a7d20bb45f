/*
 * flight: an operation on a device from its begin to its end, whatever step of a request or a bio says so.
 */
#ifndef IOTRACE_MODEL_FLIGHT_H
#define IOTRACE_MODEL_FLIGHT_H

#include "state.h"

/* Notes who it is for and from when on; with flight_show() it begins in the archive. */
uint32_t flight_new(struct model *m, uint32_t device, const struct event *event,
		    const struct request *request);
/* is_final: it cannot grow any more. */
void flight_show(struct model *m, uint32_t op, bool is_final);
/* The device has it now, so many sectors. */
void flight_issue(struct model *m, uint32_t op, const struct request *request);
/* So many sectors of it ended, and with the last of them the operation. */
void flight_complete(struct model *m, uint32_t op, const struct request *request);
/* Its end will not be seen. Frees it. */
void flight_cancel(struct model *m, uint32_t op, enum io_end why);
/* It became part of another request. Frees it. */
void flight_merge(struct model *m, uint32_t op);

#endif
