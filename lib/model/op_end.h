/*
 * op_end: one function for each kind of call: applies the result, and emits what stands between ENTER and LEAVE.
 */
#ifndef IOTRACE_MODEL_OP_END_H
#define IOTRACE_MODEL_OP_END_H

#include "op_kind.h"

/* op_data.c */
void end_data(struct op *op);
void end_copy(struct op *op);
void end_sync(struct op *op);
void end_sync_all(struct op *op);
void end_seek(struct op *op);
void end_map(struct op *op);
void end_unmap(struct op *op);
/* op_fd.c */
void end_open(struct op *op);
void end_create_fd(struct op *op);
void end_create_pair(struct op *op);
void end_close(struct op *op);
void end_close_range(struct op *op);
void end_dup(struct op *op);
void end_fcntl(struct op *op);
void end_ioctl(struct op *op);
void end_exec(struct op *op);
void end_unshare(struct op *op);
/* op_kind.c */
void end_record_lock(struct op *op);

#endif
