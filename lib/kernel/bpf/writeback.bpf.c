/*
 * writeback: what the kernel writes of files that are mapped.
 *
 * What a program stores into a mapping nobody sees; that it has reached the disk is told here. Who writes is a worker of
 * the kernel, or whoever asked for it: so it is the file that is asked, and whoever reads the records knows for whom it is.
 * A flush of one file (fsync, msync, sync_file_range) does not come this way: it is a call. The tracepoints are raw ones for
 * the reason that uring.bpf has.
 */
#include "calls.h"
#include "page.h"
#include "sample.h"
#include "walk.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

typedef struct {
	int counter;
} KERNEL atomic_t;

/* One that is sealed against it has less than none. */
struct address_space___maps {
	atomic_t i_mmap_writable;
} KERNEL;

struct writeback_control {
	long nr_to_write;
} KERNEL;

enum {
	AT_A_TIME = 1024, /* files; each is written by one task */
	WRITEBACK_SIZE = SAMPLE_SIZE(sizeof(struct bpf_record_writeback)),
};

/* When the writing of an inode began. What never ends is forgotten. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, AT_A_TIME);
	__type(key, uint64_t);
	__type(value, uint64_t);
} writing SEC(".maps");

static __always_inline bool has_writable_mapping(struct inode *inode)
{
	struct address_space___maps *mapping = (void *)PEEK(inode, i_mapping);

	return mapping && PEEK(mapping, i_mmap_writable.counter) > 0;
}

SEC("raw_tp/writeback_single_inode_start")
int BPF_PROG(writeback_begins, struct inode *inode)
{
	uint64_t key = (uint64_t)inode, now;

	if (!is_on || !has_writable_mapping(inode))
		return 0;
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&writing, &key, &now, BPF_ANY);
	return 0;
}

static __always_inline void put_writeback(struct bpf_record_writeback *record, struct inode *inode,
					  uint64_t begin, uint64_t pages)
{
	struct super_block *super = PEEK(inode, i_sb);
	uint32_t dev = PEEK(super, s_dev);

	record->head.kind = BPF_RECORD_WRITEBACK;
	record->head.size = sizeof(*record);
	record->begin = begin;
	record->major = dev >> 20;
	record->minor = dev & ((1 << 20) - 1);
	record->ino = PEEK(inode, i_ino);
	record->bytes = pages << page_shift;
	bpf_get_current_comm(record->name, sizeof(record->name));
}

static __always_inline void send_writeback(const struct bpf_record_writeback *record)
{
	uint64_t time = bpf_ktime_get_ns();
	uint32_t cpu = bpf_get_smp_processor_id();
	struct bpf_books *book = bpf_map_lookup_elem(&books, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct sample_head *head;

	if (!book || !ring)
		return;
	head = bpf_ringbuf_reserve(ring, WRITEBACK_SIZE, 0);
	if (!head) {
		note_drop(book, time);
		return;
	}
	put_head(head, time, cpu, WRITEBACK_SIZE);
	put_task(head, bpf_get_current_task_btf());
	*(struct bpf_record_writeback *)((void *)head + RAW_AT) = *record;
	__sync_fetch_and_add(&book->requests, 1);
	bpf_ringbuf_submit(head, wake_flag(book, WRITEBACK_SIZE));
}

/* Where no page was written it was the inode alone. */
SEC("raw_tp/writeback_single_inode")
int BPF_PROG(writeback_ends, struct inode *inode, struct writeback_control *control,
	     unsigned long asked)
{
	uint64_t key = (uint64_t)inode, pages;
	uint64_t *begin = is_on ? bpf_map_lookup_elem(&writing, &key) : NULL;
	struct bpf_record_writeback record = {0};

	if (!begin)
		return 0;
	pages = asked - PEEK(control, nr_to_write);
	if (pages) {
		put_writeback(&record, inode, *begin, pages);
		send_writeback(&record);
	}
	bpf_map_delete_elem(&writing, &key);
	return 0;
}
