/* file: the file and the flags of a descriptor. */
#pragma once

#include "descriptor.h"
#include "where.h"

enum { FMODE_LSEEK = 4, CLOSE_ON_EXEC = 02000000 };
#define LONG_BITS 64U

/* Returns the flags as fdinfo shows them: those of the file, and FD_CLOEXEC of the descriptor. */
static __always_inline uint32_t flags_of(struct task_struct *task, struct file *file, int32_t fd)
{
	unsigned long *set = FOLLOW(FOLLOW(FOLLOW(task, files), fdt), close_on_exec);
	uint64_t word = PEEK_WORD(set + (uint32_t)fd / LONG_BITS);
	uint32_t flags = PEEK(file, f_flags) & ~LARGE_FILE;

	return word >> ((uint32_t)fd % LONG_BITS) & 1 ? flags | CLOSE_ON_EXEC : flags;
}

/* Appends a FILE part. fd: the descriptor, -1: none. */
static __always_inline uint32_t put_open_file(struct scratch *scratch, uint32_t at, uint32_t cpu,
					      struct task_struct *task, struct file *file,
					      int32_t fd, uint32_t index)
{
	struct bpf_part_file *part;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	part->fd = fd;
	part->flags = fd < 0 ? PEEK(file, f_flags) & ~LARGE_FILE : flags_of(task, file, fd);
	part->position = PEEK(file, f_mode) & FMODE_LSEEK ? PEEK(file, f_pos) : ~0ULL;
	return put_where(scratch, at, cpu, task, &file->f_path, BPF_PART_FILE, index);
}

/* The same for a descriptor, if it is open. */
static __always_inline uint32_t put_file(struct scratch *scratch, uint32_t at, uint32_t cpu,
					 struct task_struct *task, int32_t fd, uint32_t index)
{
	struct file *file = file_of(task, fd);

	return file ? put_open_file(scratch, at, cpu, task, file, fd, index) : at;
}
