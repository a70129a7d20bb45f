/* text_read: reads texts: names of threads, and those of tracepoints and of the memory of programs. Compares them for conditions. */
#pragma once

#include "bpf/span/fetch.h"
#include "load/bpf_shared.h"

const volatile struct bpf_span_match match[BPF_SPAN_POINTS][BPF_SPAN_TESTS];
const volatile struct bpf_comm patterns[BPF_SPAN_PATTERNS];

/* Returns the number of bytes with the NUL, or a negative number. */
static __always_inline long read_dynamic(char *to, uint32_t size, const void *data, uint32_t offset,
					 uint32_t origin)
{
	uint32_t where = 0;

	bpf_probe_read_kernel(&where, sizeof(where), data + offset);
	return bpf_probe_read_kernel_str(to, size, data + origin + (where & 0xffff));
}

static __always_inline long read_memory(char *to, uint32_t size, void *regs,
					const volatile struct bpf_span_fetch *how)
{
	uint64_t address = fetch(regs, how);
	long length = bpf_probe_read_user_str(to, size, (void *)address);

	if (length < 0 && address >= NULL_PAGE)
		__sync_fetch_and_add(&unread, 1);
	return length;
}

/* What cannot be read is the text that the kernel gives to samples then. data: of the tracepoint, or registers. */
static __always_inline long read_text(char *to, uint32_t size, void *data,
				      const volatile struct bpf_span_field *field,
				      const volatile struct bpf_span_fetch *how)
{
	static const char fault[] = "(fault)";
	uint32_t offset = field->offset, most = field->size < size ? field->size : size;
	long length;

	switch (field->text) {
	case BPF_SPAN_TEXT_COMM:
		bpf_get_current_comm(to, sizeof(((struct bpf_span_flight *)0)->comm));
		return 0;
	case BPF_SPAN_TEXT_ARRAY:
		bpf_probe_read_kernel_str(to, most, data + offset);
		return 0;
	case BPF_SPAN_TEXT_DATA_LOC:
		length = read_dynamic(to, size, data, offset, 0);
		break;
	case BPF_SPAN_TEXT_REL_LOC:
		length = read_dynamic(to, size, data, offset, offset + sizeof(uint32_t));
		break;
	default:
		length = read_memory(to, size, data, how);
	}
	if (length < 0)
		__builtin_memcpy(to, fault, sizeof(fault));
	return length;
}

static __always_inline bool matches_pattern(const char *text,
					    const volatile struct bpf_comm *pattern)
{
	uint64_t state = pattern->first;

	for (uint32_t i = 0; i < BPF_SPAN_SHORT_TEXT && text[i]; i++)
		state = bpf_comm_step(pattern, state, text[i]);
	return state & pattern->last;
}

static __noinline bool matches(void *data, const volatile struct bpf_span_field *field,
			       const volatile struct bpf_span_fetch *how,
			       const volatile struct bpf_span_match *match)
{
	char text[BPF_SPAN_SHORT_TEXT] = {0};
	bool differs = false;

	read_text(text, sizeof(text), data, field, how);
	if (match->pattern)
		return matches_pattern(text, &patterns[(match->pattern - 1) % BPF_SPAN_PATTERNS]);
	for (uint32_t i = 0; i < BPF_SPAN_SHORT_TEXT; i++)
		differs = differs || ((text[i] ^ match->wanted[i]) & match->mask[i]);
	return match->is_unequal ? differs : !differs;
}
