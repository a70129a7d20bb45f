/* descriptor: the file that a descriptor leads to. */
#pragma once

#include "bpf/base/vfs.h"

static __always_inline struct file *file_of(struct task_struct *task, int32_t fd)
{
	struct fdtable *table = FOLLOW(FOLLOW(task, files), fdt);

	return (uint32_t)fd < FOLLOW(table, max_fds)
		       ? (struct file *)PEEK_WORD(FOLLOW(table, fd) + fd)
		       : NULL;
}
