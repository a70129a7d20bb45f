/*
 * block_op: an operation on a device from its begin to its end, whatever step of a request or a bio says so.
 */
#pragma once

#include "state/state.h"

/* Notes who it is for and from when on; with block_op_show() it begins in the archive. */
uint32_t block_op_new(struct model *m, uint32_t device, const struct event *event,
		      const struct request *request);
/* is_final: it cannot grow any more. */
void block_op_show(struct model *m, uint32_t op, bool is_final);
/* The device has it now, so many sectors. */
void block_op_issue(struct model *m, uint32_t op, const struct request *request);
/* So many sectors of it ended, and with the last of them the operation. */
void block_op_complete(struct model *m, uint32_t op, const struct request *request);
/* Its end will not be seen. Frees it. */
void block_op_cancel(struct model *m, uint32_t op, enum io_end why);
/* It became part of another request. Frees it. */
void block_op_merge(struct model *m, uint32_t op);
