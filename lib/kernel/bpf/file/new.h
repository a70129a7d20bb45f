/* new: numbers of files that are not known yet: their names are written. */
#pragma once

#include "bpf/file/name.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_recent_files);
} recent_files SEC(".maps");

/* The numbers of files by what leads to them. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, uint64_t);
	__type(value, uint32_t);
} file_index SEC(".maps");

/* Prepares the scratch memory for write_where(). Of the part, only its kind, and what bpf_file_name() needs, is used. */
static __always_inline bool ask_name(uint64_t file, struct task_struct *task, uint32_t cpu)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);
	struct fs_struct *fs = PEEK(task, fs);

	if (!scratch)
		return false;
	scratch->path = file + bpf_core_field_offset(struct file, f_path);
	scratch->top = (uint64_t)PEEK(fs, root.dentry);
	scratch->top_mount = (uint64_t)PEEK(fs, root.mnt);
	scratch->space = 0;
	((struct bpf_part_file *)place(scratch, 0))->part.kind = BPF_PART_FILE;
	return true;
}

/* Not inlined, as keep_name() and write_where(), so that they share the stack. */
static __noinline uint64_t way_of(uint64_t file, uint64_t task)
{
	return way_to((struct file *)file, (struct task_struct *)task);
}

static __noinline uint32_t keep_name(uint32_t cpu, uint64_t inode)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	return scratch ? number_of_name(scratch, cpu, inode) : 0;
}

/* A name that is being written on this CPU is not disturbed by an interrupt, nor by another task: the program stays until it calls
 * end_writing(). Returns what the CPU knows, or NULL: then there is nothing to end. */
static __always_inline struct bpf_span_recent_files *begin_writing(uint32_t *cpu)
{
	struct bpf_span_recent_files *recent;

	stay();
	*cpu = bpf_get_smp_processor_id();
	recent = bpf_map_lookup_elem(&recent_files, cpu);
	if (!recent || *(volatile uint32_t *)&recent->is_writing) {
		let_go();
		return NULL;
	}
	*(volatile uint32_t *)&recent->is_writing = 1;
	return recent;
}

static __always_inline void end_writing(struct bpf_span_recent_files *recent)
{
	*(volatile uint32_t *)&recent->is_writing = 0;
	let_go();
}

/* Returns the number of all files without a name; or of the one with this inode, of which no more is known. */
static __always_inline uint32_t nameless_number(uint32_t dev, uint64_t ino)
{
	uint32_t cpu, number = 0;
	struct bpf_span_recent_files *recent = begin_writing(&cpu);
	struct scratch *scratch = recent ? bpf_map_lookup_elem(&scratches, &cpu) : NULL;
	struct bpf_part_file *part;

	if (!recent)
		return 0;
	if (scratch) {
		part = place(scratch, 0);
		part->part.kind = ino ? BPF_SPAN_INODE : BPF_PART_FILE;
		part->part.size = sizeof(*part);
		part->part.flags = BPF_PART_TORN;
		part->major = MAJOR(dev);
		part->minor = MINOR(dev);
		part->ino = ino;
		number = keep_name(cpu, ino ? fold(fold(BPF_SPAN_INODE, dev), ino) : 0);
	}
	end_writing(recent);
	return number;
}

/* A rename while the name was written may have changed the way: then the next call looks again. */
static __always_inline uint32_t new_file(uint64_t file, uint64_t task, uint64_t way)
{
	uint32_t cpu, number = 0;
	struct bpf_span_recent_files *recent = begin_writing(&cpu);

	if (!recent)
		return 0;
	if (ask_name(file, (struct task_struct *)task, cpu)) {
		write_where(cpu, 0);
		number = keep_name(cpu, 0);
	}
	end_writing(recent);
	if (number && way_of(file, task) == way)
		bpf_map_update_elem(&file_index, &way, &number, BPF_ANY);
	return number;
}
