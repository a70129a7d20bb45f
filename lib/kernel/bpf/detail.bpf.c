/*
 * detail: what a call in flight does not say among its arguments: the flags of a new task, the type of a record lock.
 *
 * perf has tracepoints for both, but to close one of its events takes the kernel 25 to 40 ms.
 */
#include "calls.h"
#include "sample.h"
#include "walk.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Linux 6.9 moved the type. */
struct file_lock_core {
	unsigned char flc_type;
} KERNEL;

struct file_lock {
	struct file_lock_core c;
} KERNEL;

struct file_lock___old {
	unsigned char fl_type;
} KERNEL;

enum { DETAIL_SIZE = SAMPLE_SIZE(sizeof(struct bpf_record_detail)) };

static __always_inline int send_detail(uint32_t kind, uint64_t value)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint32_t cpu = bpf_get_smp_processor_id();
	struct bpf_books *book = bpf_map_lookup_elem(&books, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct bpf_record_detail *record;
	uint64_t time = bpf_ktime_get_ns();
	struct sample_head *head;

	if (!is_on || !book || !ring || !task->bpf_storage ||
	    !bpf_task_storage_get(&calls, task, NULL, 0))
		return 0;
	head = bpf_ringbuf_reserve(ring, DETAIL_SIZE, 0);
	if (!head) {
		note_drop(book, time);
		return 0;
	}
	put_head(head, time, cpu, DETAIL_SIZE);
	put_task(head, task);
	record = (void *)head + RAW_AT;
	record->head.kind = kind;
	record->head.size = sizeof(*record);
	record->head.parts = 0;
	record->head.flags = 0;
	record->value = value;
	book->calls++;
	bpf_ringbuf_submit(head, wake_flag(book, DETAIL_SIZE));
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
