/*
 * thread_table: threads that no longer share their descriptor table.
 *
 * Threads share a table, and processes may share one. A thread that unshares it gets a copy. The descriptors of the copy have the same
 * files, but are closed and reused independently. They have their own handles.
 */
#pragma once

#include "fd/fdtable.h"
#include "op_end.h"

/* A new thread shares the table of its creator. Without CLONE_FILES, which a later record shows, it gets a copy. */
void thread_table_share(struct model *m, uint32_t parent, uint32_t child);
void thread_table_start(struct model *m, uint32_t child, uint32_t process);
/* From the end of the call on, its thread has a table of its own. */
void thread_table_unshare(struct op *op);
/*
 * After an exec, the process has only this thread, and its table becomes that of the process. Calls `emptied` (context: op) for
 * the opens of the other tables.
 */
void thread_table_exec(struct op *op, table_emptied emptied);
/* The thread has ended, and with it its own table. */
void thread_table_end(struct model *m, uint32_t task, table_emptied emptied, void *context);
