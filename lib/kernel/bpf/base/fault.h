/* fault: page faults of mapped files, for the programs that record them and for those that count them: struct bpf_fault. */
#pragma once

#include "bpf/base/page.h"
#include "bpf/base/vfs.h"

struct folio {
	struct address_space *mapping;
	unsigned long index;
	/* Of a large folio: the lowest byte has its order, since Linux 6.6. */
	unsigned long _flags_1;
	unsigned char _folio_order; /* the order, before Linux 6.6 */
} KERNEL;

/* Returns the number of the system call that the thread is in, or -1. Kernels before 5.15 do not provide it: returns 0. */
static __always_inline int32_t number_now(void)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return 0;
	return PEEK((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), NUMBER_OF_CALL);
}

/* Of the current thread. call: begin of the call that it is in, if that is known. */
static __always_inline struct bpf_fault new_fault(struct address_space *mapping,
						  unsigned long index, uint64_t call, uint64_t now)
{
	struct inode *inode = PEEK(mapping, host);

	return (struct bpf_fault){.mapping = (uint64_t)mapping,
				  .ino = PEEK(inode, i_ino),
				  .generation = PEEK(inode, i_generation),
				  .dev = device_of_inode(inode),
				  .number = number_now(),
				  .call = call,
				  .index = index,
				  .first = index,
				  .begin = now,
				  .last = now};
}

static __always_inline uint64_t pages_of(struct folio *folio)
{
	uint64_t flags = PEEK_WORD(folio); /* the flags are the first word in all versions */

	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(folio->_folio_order))
		return 1UL << (PEEK(folio, _folio_order) & 31);
	return 1UL << (PEEK(folio, _flags_1) & 31);
}

/* Returns whether the page is read for the fault. */
static __always_inline bool is_read_for(const struct bpf_fault *fault, struct folio *folio,
					uint64_t call)
{
	return fault->mapping && (uint64_t)PEEK(folio, mapping) == fault->mapping &&
	       fault->call == call && fault->number == number_now();
}

static __always_inline void add_page(struct bpf_fault *fault, struct folio *folio)
{
	uint64_t index = PEEK(folio, index);

	if (!fault->pages || index < fault->first)
		fault->first = index;
	fault->pages += pages_of(folio);
	fault->last = bpf_ktime_get_ns();
}
