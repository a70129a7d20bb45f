/*
 * life: the begin and end of tasks that perf's events do not follow.
 *
 * The kernel removes inherited events from a process that executes a program with other rights, or one that it may not read. From
 * then on, these programs write the FORK, COMM and EXIT records of the process.
 */
#pragma once

#include "bpf/base/calls.h"
#include "bpf/base/peek.h"
#include "bpf/base/sample.h"

struct task_struct___life {
	void *perf_event_ctxp;
} KERNEL;

/* The fields before Linux 6.2: one for hardware events, one for software events. */
struct task_struct___lives {
	void *perf_event_ctxp[2];
} KERNEL;

/* Returns whether the task has no perf events, neither its own nor inherited ones. */
static __always_inline bool has_no_events(struct task_struct *task)
{
	if (bpf_core_field_exists(((struct task_struct___life *)task)->perf_event_ctxp))
		return !PEEK((struct task_struct___life *)task, perf_event_ctxp);
	return !PEEK((struct task_struct___lives *)task, perf_event_ctxp[1]);
}

/* Sends a record about the current task, or about a new child of it. */
static __always_inline void send_task(struct task_struct *task, struct task_struct *about,
				      uint32_t kind)
{
	struct bpf_record_task *record;
	struct outgoing out;

	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_task){.head = {.kind = kind, .size = sizeof(*record)},
					   .pid = about->tgid,
					   .tid = about->pid};
	put_comm(record->name, about);
	count(&out.book->calls);
	end_sample(&out);
}
