/* calls: which tasks are traced, and their calls in flight. */
#pragma once

#include "call_map.h"
#include "choice.h"
#include "sample.h"

const volatile bool is_system; /* all tasks except iotrace's own */
const volatile int own_tgid;
int own_helper[BPF_OWN_HELPERS]; /* other processes of iotrace; 0: none */
/* A command with other names has joined: the reader of the records compares the names. */
bool takes_all_names;

/* Set while the programs run. */
volatile bool is_on;

/* Number of tasks that have lost perf's events: the programs report their begin and end. */
int detached;
/* New tasks for which there was no storage: they and their descendants are not recorded. */
int untraced;
int unstored; /* calls that were not recorded because there was no storage for the task */

/* Calls of BPF_CALL_ALWAYS are recorded for tasks with any name. */
static __always_inline bool has_chosen_name(const struct task_struct *task)
{
	return is_chosen_name(task->comm) || takes_all_names;
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
	return !is_system || (task->tgid != own_tgid && task->tgid != own_helper[BPF_OWN_OPENER] &&
			      task->tgid != own_helper[BPF_OWN_WATCH] && is_in_chosen_cgroup());
}
