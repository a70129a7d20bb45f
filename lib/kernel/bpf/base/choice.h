/* choice: the tasks that a recording wants, by command name, user and control group. */
#pragma once

#include "kernel.h"
#include "load/bpf_shared.h"
#include "user.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

/* Only tasks in these control groups or below them; 0: all tasks. */
const volatile uint32_t cgroups;
const volatile struct bpf_comm comm; /* only tasks with such a name */

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, BPF_CGROUPS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} chosen_cgroups SEC(".maps");

static __always_inline bool is_in_chosen_cgroup(void)
{
	for (uint32_t i = 0; i < BPF_CGROUPS && i < cgroups; i++)
		if (bpf_current_task_under_cgroup(&chosen_cgroups, i) == 1)
			return true;
	return !cgroups;
}

/* name: as long as that of a task. */
static __always_inline bool is_chosen_name(const char *name)
{
	uint64_t state = comm.first;

	if (!state)
		return true;
	for (uint32_t i = 0; i < sizeof(((struct task_struct *)0)->comm) && name[i]; i++)
		state = bpf_comm_step(&comm, state, name[i]);
	return state & comm.last;
}
