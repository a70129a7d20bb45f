/*
 * followed: the threads of followed processes, by their numbers. Where the key of a span says which thread it is of, another
 * thread begins it, and programs cannot look up a thread by its number.
 */
#pragma once

#include "bpf/base/call_map.h"

/* A bit for each number that a thread may have. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} followed SEC(".maps");

static __always_inline bool is_followed_thread(uint64_t tid)
{
	uint32_t word = tid / 64;
	uint64_t *bits = bpf_map_lookup_elem(&followed, &word);

	return bits && *bits >> tid % 64 & 1;
}

static __always_inline void follow_thread(uint32_t tid, bool is)
{
	uint32_t word = tid / 64;
	uint64_t *bits = bpf_map_lookup_elem(&followed, &word), bit = 1ULL << tid % 64;

	if (bits && is)
		__sync_fetch_and_or(bits, bit);
	else if (bits)
		__sync_fetch_and_and(bits, ~bit);
}

/*
 * The number may have been that of another thread, which has ended. A thread that executes a program gets the number of the first one
 * of its process, which is followed, too.
 */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(thread_begins, struct task_struct *parent, struct task_struct *child)
{
	follow_thread(child->pid, bpf_task_storage_get(&calls, parent, NULL, 0));
	return 0;
}

/* Finds those that are followed already. */
SEC("iter/task")
int find_followed(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;

	if (task && bpf_task_storage_get(&calls, task, NULL, 0))
		follow_thread(task->pid, true);
	return 0;
}
