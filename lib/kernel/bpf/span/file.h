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

#include "bpf/file/new.h"

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
