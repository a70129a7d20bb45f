/* block_op: an operation on a device, from its begin to its end, for requests and for bios. */
#pragma once

#include "state/state.h"

/* Creates an operation with its task and its begin; block_op_show() emits the begin. */
uint32_t block_op_new(struct model *m, uint32_t device, const struct event *event,
		      const struct request *request);
/* Emits the begin. is_final: the request cannot grow any more. */
void block_op_show(struct model *m, uint32_t op, bool is_final);
/* The operation was issued to the device, with this number of sectors. */
void block_op_issue(struct model *m, uint32_t op, const struct request *request);
/* This number of sectors has ended; with the last of them the operation ends. */
void block_op_complete(struct model *m, uint32_t op, const struct request *request);
/* The end of the operation will not arrive. Frees it. */
void block_op_cancel(struct model *m, uint32_t op, enum io_end why);
/* The operation became part of another request. Frees it. */
void block_op_merge(struct model *m, uint32_t op);
