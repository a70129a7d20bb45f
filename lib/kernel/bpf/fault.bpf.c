/*
 * fault.bpf: reads of mapped files, by the page faults that wait for them.
 *
 * A fault reads its page, and some pages around it, if the page is not in the page cache. Then the access is tried again, which
 * shows the end of the fault. A fault that finds its page in the cache is not I/O.
 *
 * The programs use raw tracepoints, for the same reason as in uring.bpf.
 */
#include "bpf/base/fault.h"
#include "bpf/base/calls.h"
#include "bpf/base/page.h"
#include "bpf/base/sample.h"
#include "bpf/base/vfs.h"

static __always_inline struct bpf_call *call_now(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!is_on || !FOLLOW(task, bpf_storage) || !is_in_scope(task) || !is_chosen(task))
		return NULL;
	return bpf_task_storage_get(&calls, task, NULL, 0);
}

static __always_inline void send_fault(const struct bpf_fault *fault, uint64_t end)
{
	struct bpf_record_fault *record;
	struct outgoing out;

	record = begin_sample(&out, bpf_get_current_task_btf(), sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_fault){.head = {.kind = BPF_RECORD_FAULT,
						     .size = sizeof(*record)},
					    .begin = fault->begin,
					    .ino = fault->ino,
					    .major = MAJOR(fault->dev),
					    .minor = MINOR(fault->dev),
					    .offset = fault->first << page_shift,
					    .bytes = fault->pages << page_shift,
					    .end = end};
	__sync_fetch_and_add(&out.book->requests, 1);
	end_sample(&out);
}

/* Sends what the fault has read. A fault without a read was no I/O. */
static __always_inline void end_fault(struct bpf_fault *fault, uint64_t end)
{
	if (fault->pages)
		send_fault(fault, end);
	fault->mapping = 0;
}

SEC("raw_tp/mm_filemap_fault")
int BPF_PROG(fault_begins, struct address_space *mapping, unsigned long index)
{
	struct bpf_call *call = call_now();
	uint64_t now;

	if (!call)
		return 0;
	now = bpf_ktime_get_ns();
	if (call->fault.mapping)
		end_fault(&call->fault,
			  call->fault.mapping == (uint64_t)mapping ? now : call->fault.last);
	call->fault = new_fault(mapping, index, call->begin, now);
	return 0;
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(page_is_added, struct folio *folio)
{
	struct bpf_call *call = call_now();

	if (call && is_read_for(&call->fault, folio, call->begin))
		add_page(&call->fault, folio);
	return 0;
}

/* The second try has found the page, and maps the pages around it. */
SEC("raw_tp/mm_filemap_map_pages")
int BPF_PROG(pages_are_mapped, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	struct bpf_call *call = call_now();

	if (!call || call->fault.mapping != (uint64_t)mapping || call->fault.index < first ||
	    call->fault.index > last)
		return 0;
	end_fault(&call->fault, bpf_ktime_get_ns());
	return 0;
}
