/*
 * program: the arguments of a new program, and the exit status of a process.
 *
 * Each is a record of its own. The path in an execve is not what the program gets as its arguments, and if the program ends at
 * once, nobody can look them up in time.
 */
#include "bpf/base/calls.h"
#include "bpf/base/send.h"
#include "life.h"

#define SIGNAL_GROUP_EXIT 4U

struct mm_struct {
	unsigned long arg_start, arg_end;
} KERNEL;

struct signal_struct {
	atomic_t live; /* number of threads */
	int group_exit_code;
	unsigned int flags;
} KERNEL;

struct task_struct___program {
	struct mm_struct *mm;
	struct signal_struct *signal;
	struct task_struct___program *group_leader;
	int exit_code;
} KERNEL;

const volatile bool is_without_calls; /* no calls are recorded, so no call has marked tasks */

/* Position of the record and its only part in the scratch memory. */
#define RECORD_AT (SCRATCH_AT + RAW_AT)
#define WORDS_AT  (RECORD_AT + sizeof(struct bpf_record_head) + sizeof(struct bpf_part))

/* Returns the end of the arguments in the scratch memory. */
static __always_inline uint32_t put_arguments(struct scratch *scratch, struct mm_struct *mm)
{
	uint64_t start = PEEK(mm, arg_start), all = PEEK(mm, arg_end) - start;
	struct bpf_part *part = (void *)(scratch->bytes + RECORD_AT +
					 sizeof(struct bpf_record_head));
	uint64_t bytes = all < BPF_ARGUMENTS ? all : BPF_ARGUMENTS;

	asm volatile("" : "+r"(bytes));
	if (bytes > BPF_ARGUMENTS ||
	    bpf_probe_read_user(scratch->bytes + WORDS_AT, bytes, (void *)start))
		bytes = 0;
	part->kind = BPF_PART_ARGUMENTS;
	part->size = sizeof(*part) + bytes;
	part->index = 0;
	part->flags = bytes < all ? BPF_PART_TORN : 0;
	return WORDS_AT + bytes;
}

/* Returns the current task's call in flight, if it is recorded. */
static __always_inline struct bpf_call *call_in_flight(struct task_struct *task)
{
	struct bpf_call *call;

	if (!is_on || !FOLLOW(task, bpf_storage))
		return NULL;
	call = bpf_task_storage_get(&calls, task, NULL, 0);
	return call && (call->begin || call->is_foreign) ? call : NULL;
}

/* Perf has written a COMM record before it lost the task, but writes none for later execs. */
static __always_inline void send_program(struct task_struct *task, struct bpf_call *call)
{
	if (is_system)
		return;
	if (call->is_detached) {
		send_task(task, task, BPF_RECORD_COMM);
	} else if (has_no_events(task)) {
		call->is_detached = true;
		__sync_fetch_and_add(&detached, 1);
	}
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(program_begins)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = PEEK((struct task_struct___program *)task, mm);
	uint32_t cpu, end;
	struct bpf_call *call = call_in_flight(task);
	struct bpf_record_head *record;
	struct scratch *scratch;
	struct outgoing out;

	if (!mm || !call)
		return 0;
	send_program(task, call);
	scratch = take_scratch(&cpu);
	if (!scratch)
		return 0;
	record = (void *)(scratch->bytes + RECORD_AT);
	record->kind = BPF_RECORD_PROGRAM;
	record->size = sizeof(*record);
	record->parts = 1;
	record->flags = 0;
	end = put_arguments(scratch, mm);
	if (send_scratch(scratch, &out, task, end))
		count(&out.book->calls);
	give_scratch();
	return 0;
}

/* Returns the status as wait(2) has it. */
static __always_inline uint32_t wait_status(struct task_struct___program *task,
					    struct signal_struct *signal)
{
	struct task_struct___program *leader = PEEK(task, group_leader);

	if (PEEK(signal, flags) & SIGNAL_GROUP_EXIT)
		return PEEK(signal, group_exit_code);
	return PEEK(leader, exit_code);
}

static __always_inline void send_status(struct task_struct *task)
{
	struct task_struct___program *program = (void *)task;
	struct signal_struct *signal = PEEK(program, signal);
	struct bpf_record_detail *record;
	struct outgoing out;

	if (PEEK(signal, live.counter) > 0)
		return;
	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_detail){.head = {.kind = BPF_RECORD_STATUS,
						      .size = sizeof(*record)},
					     .value = wait_status(program, signal)};
	count(&out.book->calls);
	end_sample(&out);
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(program_ends)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_call *call = NULL;

	if (FOLLOW(task, bpf_storage))
		call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (!call && !(is_system && is_without_calls && is_in_scope(task)))
		return 0;
	if (is_on)
		send_status(task);
	if (!call || !call->is_detached)
		return 0;
	if (is_on)
		send_task(task, task, BPF_RECORD_END);
	__sync_fetch_and_add(&detached, -1);
	return 0;
}
