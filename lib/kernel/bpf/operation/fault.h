/*
 * fault: page faults that read mapped files as operations, as fault.bpf.c records them. Without spec.has_faults, no program is loaded.
 */
#pragma once

#include "bpf/base/fault.h"
#include "bpf/operation/mapped.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct bpf_fault);
} faults SEC(".maps");

static __always_inline uint64_t group_of_fault(const struct bpf_fault *fault)
{
	struct mapped_key key = {fault->dev, fault->ino, fault->generation};
	uint32_t *number;

	if (!spec.chunks)
		return plain_group(BPF_SPAN_OP_READ);
	number = bpf_map_lookup_elem(&mapped, &key);
	return number ? *number : nameless_number(fault->dev, fault->ino);
}

/* A fault is known when it has ended. If nothing else is in flight then, it adds the time that it took. */
static __always_inline bool fly_over(uint64_t group, const struct bpf_fault *fault, uint64_t end,
				     uint64_t bytes)
{
	uint32_t index = flight_of(group);
	struct bpf_span_flight *flight = flight_at(index), *all = flight_at(BPF_SPAN_FLIGHT_ALL);

	fly(flight, fault->begin);
	land_one(flight, end);
	fly(all, fault->begin);
	land_one(all, end);
	if (flight)
		__sync_fetch_and_add(&flight->read, bytes);
	return index == BPF_SPAN_FLIGHT_REST;
}

static __noinline int count_fault(const struct bpf_fault *fault, uint64_t end)
{
	struct bpf_span_books *books = books_of_cpu();
	uint64_t group, taken, bytes;
	bool is_rest;

	if (!books || !fault)
		return 0;
	group = group_of_fault(fault);
	taken = end > fault->begin ? end - fault->begin : 0;
	bytes = fault->pages << page_shift;
	is_rest = spec.flights && fly_over(group, fault, end, bytes);
	count(&books->begun, 1);
	count(&books->ended, 1);
	if (spec.above && taken <= spec.above)
		count(&books->below, 1);
	else
		add_up(books, group, taken, bytes, is_rest || has_no_text(group));
	return 0;
}

/* A fault without a read was no I/O. */
static __always_inline void end_fault(struct bpf_fault *fault, uint64_t end)
{
	if (fault->pages)
		count_fault(fault, end);
	fault->mapping = 0;
}

static __always_inline bool may_fault(struct task_struct *task)
{
	return is_on && is_chosen() &&
	       (spec.is_system ? !is_own(task->tgid) : FOLLOW(task, bpf_storage) != NULL);
}

SEC("raw_tp/mm_filemap_fault")
int BPF_PROG(operation_faults, struct address_space *mapping, unsigned long index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_fault *fault;
	uint64_t now;

	if (!may_fault(task) || !is_followed_now())
		return 0;
	fault = bpf_task_storage_get(&faults, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!fault)
		return 0;
	now = bpf_ktime_get_ns();
	if (fault->mapping)
		end_fault(fault, fault->mapping == (uint64_t)mapping ? now : fault->last);
	*fault = new_fault(mapping, index, 0, now);
	return 0;
}

static __always_inline struct bpf_fault *fault_now(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return is_on && FOLLOW(task, bpf_storage) ? bpf_task_storage_get(&faults, task, NULL, 0)
						  : NULL;
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(operation_reads, struct folio *folio)
{
	struct bpf_fault *fault = fault_now();

	if (fault && is_read_for(fault, folio, 0))
		add_page(fault, folio);
	return 0;
}

SEC("tp_btf/sys_exit")
int operation_leaves_call(void *context)
{
	struct bpf_fault *fault = fault_now();

	if (fault)
		close_fault(fault);
	return PASS_ON;
}

/* The second try has found the page, and maps the pages around it. */
SEC("raw_tp/mm_filemap_map_pages")
int BPF_PROG(operation_maps, struct address_space *mapping, unsigned long first, unsigned long last)
{
	struct bpf_fault *fault = fault_now();

	if (fault && fault->mapping == (uint64_t)mapping && fault->index >= first &&
	    fault->index <= last)
		end_fault(fault, bpf_ktime_get_ns());
	return 0;
}
