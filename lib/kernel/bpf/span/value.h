/*
 * value: the values of an event's fields, for programs that have a struct bpf_span_spec `spec`.
 */
#pragma once

#include "bpf/span/text.h"

/* Reads a field. bpf_span_patch() writes its real offset and size into the instruction. */
#define FIELD(data, number)                                                                        \
	({                                                                                         \
		uint64_t value_;                                                                   \
		asm volatile("%0 = *(u64 *)(%1 + %2)"                                              \
			     : "=r"(value_)                                                        \
			     : "r"(data), "i"(BPF_SPAN_MARK + 8 * (number)));                      \
		value_;                                                                            \
	})
#define VALUE(input, number)                                                                       \
	((input)->point->field[number].at == BPF_SPAN_NUMBER                                       \
		 ? extended(&(input)->point->field[number], FIELD((input)->data, number))          \
	 : (input)->point->field[number].at == BPF_SPAN_OF_PROBE                                   \
		 ? fetch((input)->data, &(input)->site->field[number])                             \
	 : (input)->point->field[number].at == BPF_SPAN_OF_TEXT                                    \
		 ? text_of(input, &(input)->point->field[number], number)                          \
		 : value_of(input, &(input)->point->field[number]))

static __always_inline uint64_t extended(const volatile struct bpf_span_field *field,
					 uint64_t number)
{
	return (int64_t)(number << field->shift) >> field->shift;
}

static __always_inline uint64_t argument_of(struct pt_regs *regs, uint8_t number)
{
#if defined(__TARGET_ARCH_x86)
	switch (number) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	case 3:
		return regs->r10;
	case 4:
		return regs->r8;
	default:
		return regs->r9;
	}
#else
	switch (number) {
	case 0:
		return regs->orig_x0;
	case 1:
		return regs->regs[1];
	case 2:
		return regs->regs[2];
	case 3:
		return regs->regs[3];
	case 4:
		return regs->regs[4];
	default:
		return regs->regs[5];
	}
#endif
}

static __always_inline uint64_t value_of(const struct input *input,
					 const volatile struct bpf_span_field *field)
{
	switch (field->at) {
	case BPF_SPAN_PID:
		return input->task >> 32;
	case BPF_SPAN_TID:
		return (uint32_t)input->task;
	case BPF_SPAN_CPU:
		return bpf_get_smp_processor_id();
	case BPF_SPAN_ARGUMENT:
		return argument_of(input->regs, field->argument);
	case BPF_SPAN_RESULT:
		return input->result;
	case BPF_SPAN_CALL:
		return input->call;
	case BPF_SPAN_UID:
		return (uint32_t)bpf_get_current_uid_gid();
	case BPF_SPAN_CGROUP:
		return bpf_get_current_cgroup_id();
	case BPF_SPAN_OF_ENTRY:
		return input->kept[field->argument % BPF_SPAN_KEPT];
	default:
		return 0;
	}
}

uint64_t chooser; /* of the last group */

static __always_inline uint64_t group_of(const struct input *input)
{
	if (spec.has_chooser && input->point->field[BPF_SPAN_CHOOSER].at)
		*(volatile uint64_t *)&chooser = VALUE(input, BPF_SPAN_CHOOSER);
	return VALUE(input, BPF_SPAN_GROUP);
}

static __always_inline bool has_no_text(uint64_t group)
{
	return (spec.has_group_text || spec.chunks) && !group;
}

/* Number of spans that failed, by errno; 0: another one. */
uint64_t failed[BPF_SPAN_ERRNOS];

static __always_inline void count_errno(uint64_t number)
{
	if (number >= BPF_SPAN_ERRNOS)
		number = 0;
	__sync_fetch_and_add(&failed[number & (BPF_SPAN_ERRNOS - 1)], 1);
}
