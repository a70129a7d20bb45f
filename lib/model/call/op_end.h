/* op_end: one function for each kind of call. It applies the result and emits the records between ENTER and LEAVE. */
#pragma once

#include "call_trait.h"
#include "op_emit.h"

/* Calls the function of the call's kind (enum call_kind). */
void op_apply(struct op *op);

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
/* Creates op->made for a successful open, before the ENTER is emitted, because that contains the name of the file. */
void op_make(struct op *op);
/* op_lock.c */
void end_lock(struct op *op);
void end_record_lock(struct op *op);
/* op_name.c */
void end_delete(struct op *op);
void end_rename(struct op *op);
/* After a rename: forgets those of its paths whose start directory it may have moved. */
void op_forget_renamed(struct op *op);
void end_chdir(struct op *op);
void end_chroot(struct op *op);
/* Returns what the call shows about the file of its first path. */
enum trace_file_kind op_file_kind(const struct op *op);
