/*
 * peek: reads kernel memory through pointers that may be invalid.
 *
 * Since Linux 6.2, the programs may treat any address as a kernel structure; a load from an invalid address gives 0. Before that,
 * they must call a function for each field, which takes ten times as long: BPF_PLAIN.
 */
#pragma once

#include "feature/bpf_function.h"
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * A kernel structure that begins with a 64-bit number. Every load is from such a structure at the place of the field, so that the
 * kernel needs the number of only one of its types: see feature/bpf_part.h. Its verifier need not search large structures, either.
 */
struct timespec64 {
	long long tv_sec;
} KERNEL;

/* Returns 0 if the memory cannot be read. Each use reads it again. */
#ifdef BPF_PLAIN
#define PEEK(from, field)                                                                          \
	({                                                                                         \
		typeof(from) from_ = (from);                                                       \
		typeof(from_->field) value_ = 0;                                                   \
		bpf_core_read(&value_, sizeof(value_), (void *)&from_->field);                     \
		value_;                                                                            \
	})
#else
static void *(*const bpf_rdonly_cast)(const void *address,
				      uint32_t type) = (void *)BPF_FUNCTION_bpf_rdonly_cast;

#define PEEK(from, field)                                                                          \
	({                                                                                         \
		const void *from_ = (from);                                                        \
		typeof((from)->field) *at_ =                                                       \
			bpf_rdonly_cast(from_ + bpf_core_field_offset(typeof(*(from)), field),     \
					bpf_core_type_id_kernel(struct timespec64));               \
		*at_;                                                                              \
	})
#endif

/*
 * A pointer in a structure that the verifier trusts, such as the current task. When it checks a plain load of such a pointer, the
 * verifier of Linux 6.4 and later searches all types of the kernel several times, which made half of the start time. Kernels that
 * need BPF_PLAIN are older, and there a plain load is the fast one. The result may be read by PEEK and FOLLOW only.
 */
#ifdef BPF_PLAIN
#define FOLLOW(from, field) ((from)->field)
#else
#define FOLLOW(from, field) PEEK(from, field)
#endif

/* Reads 64 bits at any address, whatever is there. */
#define PEEK_WORD(from) ((uint64_t)PEEK((struct timespec64 *)(from), tv_sec))
/* Reads a pointer as a number, which the verifier lets programs calculate with. */
#define PEEK_NUMBER(from, field)                                                                   \
	PEEK_WORD((void *)(from) + bpf_core_field_offset(typeof(*(from)), field))
