/*
 * span_text: groups that are texts. Each text has a number, from 1; 0 means that there was no room for it.
 */
#pragma once

#include "bpf/span_value.h"

uint32_t texts_used; /* may exceed the limit */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct bpf_span_text);
	__type(value, uint32_t);
} text_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_text);
} texts SEC(".maps");

static __always_inline uint64_t number_of_text(const struct bpf_span_text *text)
{
	uint32_t *number = bpf_map_lookup_elem(&text_index, text), new;
	struct bpf_span_text *to;

	if (number)
		return *number;
	if (texts_used >= spec.texts)
		return 0;
	new = __sync_fetch_and_add(&texts_used, 1) + 1;
	to = bpf_map_lookup_elem(&texts, &new);
	if (!to)
		return 0;
	*to = *text;
	/* Another CPU may have made one at the same time. */
	if (bpf_map_update_elem(&text_index, text, &new, BPF_NOEXIST)) {
		number = bpf_map_lookup_elem(&text_index, text);
		return number ? *number : 0;
	}
	return new;
}

static __always_inline uint64_t group_of(const struct input *input)
{
	const volatile struct bpf_span_point *point = input->point;
	uint8_t at = point->field[BPF_SPAN_GROUP].at;
	struct bpf_span_text text = {0};

	if (at != BPF_SPAN_COMM && at != BPF_SPAN_CHARS)
		return VALUE(input, BPF_SPAN_GROUP);
	if (at == BPF_SPAN_COMM)
		bpf_get_current_comm(text.at, sizeof(((struct bpf_span_flight *)0)->comm));
	else
		bpf_probe_read_kernel_str(text.at, point->text_size, input->data + point->text_at);
	return number_of_text(&text);
}

static __always_inline bool has_no_text(uint64_t group)
{
	return spec.texts && !group;
}
