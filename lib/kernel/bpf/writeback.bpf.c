/*
 * writeback: what the kernel writes of mapped files.
 *
 * Stores into a mapping are not visible, but their writeback to the disk is. A worker of the kernel does it, or a task that has
 * requested it. So a record names the file, and iotrace knows which processes have mapped it. A flush of one file (fsync, msync,
 * sync_file_range) is recorded as a call instead.
 *
 * The programs use raw tracepoints, for the reason that uring.bpf.c gives.
 */
#include "bpf/base/calls.h"
#include "bpf/base/page.h"
#include "bpf/base/sample.h"
#include "bpf/base/vfs.h"

/* Number of writable mappings; negative if the file is sealed against them. */
struct address_space___maps {
	atomic_t i_mmap_writable;
} KERNEL;

struct writeback_control {
	long nr_to_write;
} KERNEL;

enum { AT_A_TIME = 1024 }; /* maximum number of files; each is written by one task */

/* When the writing of an inode began. Entries that never end are evicted. */
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

static __always_inline void send_writeback(struct inode *inode, uint64_t begin, uint64_t pages)
{
	struct bpf_record_writeback *record;
	uint32_t dev = device_of_inode(inode);
	struct outgoing out;

	record = begin_sample(&out, bpf_get_current_task_btf(), sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_writeback){.head = {.kind = BPF_RECORD_WRITEBACK,
							 .size = sizeof(*record)},
						.begin = begin,
						.ino = PEEK(inode, i_ino),
						.major = MAJOR(dev),
						.minor = MINOR(dev),
						.bytes = pages << page_shift};
	put_comm(record->name, bpf_get_current_task_btf());
	__sync_fetch_and_add(&out.book->requests, 1);
	end_sample(&out);
}

/* If no page was written, only the inode was. */
SEC("raw_tp/writeback_single_inode")
int BPF_PROG(writeback_ends, struct inode *inode, struct writeback_control *control,
	     unsigned long asked)
{
	uint64_t key = (uint64_t)inode, pages;
	uint64_t *begin = is_on ? bpf_map_lookup_elem(&writing, &key) : NULL;

	if (!begin)
		return 0;
	pages = asked - PEEK(control, nr_to_write);
	if (pages)
		send_writeback(inode, *begin, pages);
	bpf_map_delete_elem(&writing, &key);
	return 0;
}
