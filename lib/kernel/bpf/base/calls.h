/* calls: which tasks are traced, and the calls that they are in. */
#pragma once

#include "call_map.h"
#include "sample.h"
#include "user.h"

const volatile bool is_system; /* all tasks but iotrace's own */
const volatile int own_tgid;
int own_helper;                      /* a process of ours as well; 0: none */
const volatile uint32_t cgroups;     /* of all tasks only those below these; 0: all */
const volatile struct bpf_comm comm; /* only tasks with such a name, but for BPF_CALL_ALWAYS */
bool takes_all_names; /* a command has joined that wants others: who reads the records compares them */

/* Set while the programs run. */
volatile bool is_on;

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, BPF_CGROUPS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} chosen_cgroups SEC(".maps");

/* Tasks without perf's events: the programs report their begin and their end. */
int detached;
int untraced; /* new tasks without storage: they and their descendants are not recorded */
int unstored; /* calls that were not recorded, since the task could not have storage */

static __always_inline bool is_in_chosen_cgroup(void)
{
	for (uint32_t i = 0; i < BPF_CGROUPS && i < cgroups; i++)
		if (bpf_current_task_under_cgroup(&chosen_cgroups, i) == 1)
			return true;
	return !cgroups;
}

static __always_inline bool has_chosen_name(const struct task_struct *task)
{
	uint64_t state = comm.first;

	if (!state || takes_all_names)
		return true;
	for (uint32_t i = 0; i < sizeof(task->comm) && task->comm[i]; i++)
		state = bpf_comm_step(&comm, state, task->comm[i]);
	return state & comm.last;
}

/* The current task: what it does is in the archive. */
static __always_inline bool is_chosen(const struct task_struct *task)
{
	return has_chosen_name(task) && has_chosen_user();
}

static __always_inline uint16_t choice_of(const struct task_struct *task)
{
	if ((!comm.first || takes_all_names) && !users.count)
		return 0;
	return is_chosen(task) ? BPF_RECORD_CHOSEN : BPF_RECORD_NOT_CHOSEN;
}

/* Where not only tasks with storage are traced: whether the current one may be. */
static __always_inline bool is_in_scope(const struct task_struct *task)
{
	return !is_system ||
	       (task->tgid != own_tgid && task->tgid != own_helper && is_in_chosen_cgroup());
}
