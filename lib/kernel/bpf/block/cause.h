/*
 * cause: the tasks whose block requests count, and the files that they have changed.
 *
 * A worker of the kernel writes the pages of a file some time after a task has changed them.
 */
#pragma once

#include "bpf/block/page.h"
#include "bpf/span/wanted.h"

enum { IO_WORKER = 0x10 }; /* PF_IO_WORKER */

/* A file that gets the number of one that was deleted has another generation. */
struct changed_key {
	uint64_t inode;
	uint64_t device;
	uint64_t generation;
};

/* The files that followed tasks have changed, and the last task. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct changed_key);
	__type(value, uint64_t);
} changed SEC(".maps");

/* Whether requests of the current task count. The workers of an io_uring are not followed themselves. */
static __always_inline bool does_cause(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!is_chosen())
		return false;
	if (spec.is_system)
		return !is_own(task->tgid);
	if (task->flags & IO_WORKER)
		task = task->group_leader;
	return task->bpf_storage && bpf_task_storage_get(&calls, task, NULL, 0);
}

static __always_inline bool is_worker(void)
{
	static const char name[] = "kworker/";
	struct task_struct *task = bpf_get_current_task_btf();
	bool is = true;

	for (uint32_t i = 0; i < sizeof(name) - 1; i++)
		is = is && task->comm[i] == name[i];
	return is;
}

static __always_inline struct changed_key changed_key_of(struct inode *inode)
{
	return (struct changed_key){PEEK(inode, i_ino), device_of_inode(inode),
				    PEEK(inode, i_generation)};
}

/* Returns the followed task that has changed the file of the bio's first page last; NULL: there is none. */
static __always_inline const uint64_t *writer_of(struct bio *bio)
{
	struct inode *inode = bio->bi_iter.bi_size ? inode_of_bio(bio, true) : NULL;
	struct changed_key key;

	if (!inode)
		return NULL;
	key = changed_key_of(inode);
	return bpf_map_lookup_elem(&changed, &key);
}

/* Some pages of a file, or its times, are to be written to the device later. */
SEC("tp_btf/writeback_mark_inode_dirty")
int BPF_PROG(file_changes, struct inode *inode, int flags)
{
	uint64_t task = bpf_get_current_pid_tgid();
	struct changed_key key;

	if (!is_on || !does_cause() || (PEEK(inode, i_mode) & TYPE) != REGULAR)
		return 0;
	key = changed_key_of(inode);
	bpf_map_update_elem(&changed, &key, &task, BPF_ANY);
	return 0;
}
