/*
 * thread_table: descriptors that a thread shares with others no more.
 *
 * Threads share one table, and so may processes. Who unshares it has a copy: its descriptors are others from then on,
 * which lead where the old ones do, so that each is closed, and used again, apart from those. They have handles of their own.
 */
#pragma once

#include "fd/fdtable.h"
#include "op_end.h"

/* A new thread shares its creator's table. Without CLONE_FILES, which a later record says, it gets a copy. */
void thread_table_share(struct model *m, uint32_t parent, uint32_t child);
void thread_table_part(struct model *m, uint32_t child, uint32_t process);
/* From the end of the call on its thread shares its table with nobody. */
void thread_table_unshare(struct op *op);
/*
 * The thread is all that is left of its process, after an exec: its table is the process's, and nobody else's. emptied
 * (its context: op) is called for what the others had.
 */
void thread_table_exec(struct op *op, table_emptied emptied);
/* The thread ends, and its own table with it. */
void thread_table_end(struct model *m, uint32_t task, table_emptied emptied, void *context);
