/* calls: which tasks are traced, and their calls in flight. */
#pragma once

#include "call_map.h"
#include "sample.h"
#include "user.h"

const volatile bool is_system; /* all tasks except iotrace's own */
const volatile int own_tgid;
int own_helper; /* another process of iotrace; 0: none */
/* Only tasks in these control groups or below them; 0: all tasks. */
const volatile uint32_t cgroups;
const volatile struct bpf_comm comm; /* only tasks with such a name, except for BPF_CALL_ALWAYS */
/* A command with other names has joined: the reader of the records compares the names. */
bool takes_all_names;

/* Set while the programs run. */
volatile bool is_on;

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, BPF_CGROUPS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} chosen_cgroups SEC(".maps");

/* Number of tasks that have lost perf's events: the programs report their begin and end. */
int detached;
/* New tasks for which there was no storage: they and their descendants are not recorded. */
int untraced;
int unstored; /* calls that were not recorded because there was no storage for the task */

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

/* Returns whether calls of the current task are in the archive. */
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

/* In recordings that also trace tasks without storage: returns whether the current task may be traced. */
static __always_inline bool is_in_scope(const struct task_struct *task)
{
	return !is_system ||
	       (task->tgid != own_tgid && task->tgid != own_helper && is_in_chosen_cgroup());
}
