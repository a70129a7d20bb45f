/*
 * detail: details that the arguments of a call do not contain: the flags of a new task, the type of a record lock.
 *
 * perf has tracepoints for both, but the kernel needs 25 to 40 ms to close one of its events.
 */
#include "bpf/base/calls.h"
#include "bpf/base/sample.h"

/* Linux 6.9 moved the type into this struct. */
struct file_lock_core {
	unsigned char flc_type;
} KERNEL;

struct file_lock {
	struct file_lock_core c;
} KERNEL;

struct file_lock___old {
	unsigned char fl_type;
} KERNEL;

static __always_inline int send_detail(uint32_t kind, uint64_t value)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_record_detail *record;
	struct outgoing out;
	struct bpf_call *call;

	if (!is_on || !FOLLOW(task, bpf_storage))
		return 0;
	call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (!call || !call->begin)
		return 0;
	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return 0;
	*record = (struct bpf_record_detail){.head = {.kind = kind, .size = sizeof(*record)},
					     .value = value};
	count(&out.book->calls);
	end_sample(&out);
	return 0;
}

SEC("raw_tp/task_newtask")
int BPF_PROG(task_is_made, struct task_struct *child, unsigned long flags)
{
	return send_detail(BPF_RECORD_CLONE, flags);
}

SEC("raw_tp/fcntl_setlk")
int BPF_PROG(lock_is_asked, struct inode *inode, struct file_lock *lock, int result)
{
	if (bpf_core_field_exists(lock->c))
		return send_detail(BPF_RECORD_LOCK, PEEK(lock, c.flc_type));
	return send_detail(BPF_RECORD_LOCK, PEEK((struct file_lock___old *)lock, fl_type));
}
