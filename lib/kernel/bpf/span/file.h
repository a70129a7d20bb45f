/*
 * file: the files of calls as groups. Each name of a file has a number, from 1; 0 means that there was no room for it.
 *
 * A name is written once, when the first call of a file with it begins. Later ones find its number by what leads to the file: its
 * inode, and the names, parents and renames of all dentries on the way up to the root of the process. So after a rename of the
 * file, or of a directory above it, the new name is written, and it is another group. Files that have the same name one after the other
 * are one group, because the number belongs to the name.
 *
 * The whole way takes 10 to 20 ns for each directory. So each CPU remembers what it has found lately, and for some jiffies looks only
 * at the file and at its own dentry. For so long, the rename of a directory above it is not seen.
 */
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

/* Prepares the scratch memory for write_where(). Of the part, only what bpf_file_name() needs is used. */
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
	return true;
}

/* Not inlined, as keep_name() and write_where(), so that they share the stack. */
static __noinline uint64_t way_of(uint64_t file, uint64_t task)
{
	return way_to((struct file *)file, (struct task_struct *)task);
}

static __noinline uint32_t keep_name(uint32_t cpu)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	return scratch ? number_of_name(scratch, cpu) : 0;
}

/* A rename while the name was written may have changed the way: then the next call looks again. */
static __always_inline uint32_t new_file(uint64_t file, uint64_t task, uint64_t way)
{
	uint32_t cpu = bpf_get_smp_processor_id(), number = 0;
	struct bpf_span_recent_files *recent = bpf_map_lookup_elem(&recent_files, &cpu);
	volatile uint32_t *is_writing = &recent->is_writing;

	if (!recent || *is_writing)
		return 0;
	*is_writing = 1;
	if (ask_name(file, (struct task_struct *)task, cpu)) {
		write_where(cpu, 0);
		number = keep_name(cpu);
	}
	*is_writing = 0;
	if (number && way_of(file, task) == way)
		bpf_map_update_elem(&file_index, &way, &number, BPF_ANY);
	return number;
}

/* Files of other threads take no room. */
static __always_inline bool is_followed_now(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return spec.is_system || (task->bpf_storage && bpf_task_storage_get(&calls, task, NULL, 0));
}

static __always_inline uint64_t *recent_entry(uint64_t sight)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct bpf_span_recent_files *recent = bpf_map_lookup_elem(&recent_files, &cpu);

	return recent ? &recent->entry[sight % BPF_SPAN_RECENT_FILES] : NULL;
}

static __always_inline uint64_t tag_of(uint64_t sight)
{
	return sight & ~((1ULL << BPF_SPAN_FILE_BITS) - 1);
}

/* Returns the number that this CPU has found lately, or 0. */
static __always_inline uint32_t recent_file(uint64_t sight)
{
	const uint64_t *entry = recent_entry(sight);
	uint64_t number = entry ? *entry ^ tag_of(sight) : 0;

	return number < 1ULL << BPF_SPAN_FILE_BITS ? number : 0;
}

/*
 * Returns the number of a file, for a task that knows it by its own root. sight: from before; is_sure: the task is followed; otherwise
 * this is the current one, which may be. An interrupt that comes while a name is written finds no room for another one. As a function
 * with numbers as its arguments, it is verified once.
 */
__weak int number_of_file(uint64_t file, uint64_t task, uint64_t sight, bool is_sure)
{
	uint64_t way = way_of(file, task), *entry;
	uint32_t *known = bpf_map_lookup_elem(&file_index, &way);

	if (!known && !is_sure && !is_followed_now())
		return 0;
	if (!known)
		return new_file(file, task, way);
	entry = recent_entry(sight);
	if (entry)
		*entry = tag_of(sight) | *known;
	return *known;
}

/* The same. Most often this CPU has just seen the file. */
static __always_inline uint32_t file_number(uint64_t file, uint64_t task, bool is_sure)
{
	uint64_t sight = sight_of((struct file *)file, (struct task_struct *)task);
	uint32_t number = recent_file(sight);

	return number ? number : number_of_file(file, task, sight, is_sure);
}

/* The same for the current task, which may be followed. */
static __always_inline uint32_t own_file_number(uint64_t file)
{
	uint64_t sight = sight_of((struct file *)file, bpf_get_current_task_btf());
	uint32_t number = recent_file(sight);

	return number ? number : number_of_file(file, bpf_get_current_task(), sight, false);
}
