/*
 * span_text: groups and conditions that are texts. Each text of a group has a number, from 1; 0 means that there was no room for it.
 */
#pragma once

#include "bpf/span_value.h"

const volatile struct bpf_span_match match[BPF_SPAN_POINTS][BPF_SPAN_TESTS];
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

static __always_inline void read_text(struct bpf_span_text *text, const void *data,
				      const volatile struct bpf_span_place *place)
{
	if (place->size)
		bpf_probe_read_kernel_str(text->at, place->size, data + place->at);
	else
		bpf_get_current_comm(text->at, sizeof(((struct bpf_span_flight *)0)->comm));
}

uint64_t chooser; /* of the last group */

static __always_inline uint64_t group_of(const struct input *input)
{
	const volatile struct bpf_span_point *point = input->point;
	struct bpf_span_text text = {0};

	if (spec.has_chooser && point->field[BPF_SPAN_CHOOSER].at)
		*(volatile uint64_t *)&chooser = VALUE(input, BPF_SPAN_CHOOSER);
	if (point->field[BPF_SPAN_GROUP].at != BPF_SPAN_OF_TEXT)
		return VALUE(input, BPF_SPAN_GROUP);
	read_text(&text, input->data, &point->text);
	return number_of_text(&text);
}

/* Not inlined: few spans have such conditions. */
static __noinline bool matches(void *data, const volatile struct bpf_span_match *match)
{
	struct bpf_span_text text = {0};
	bool differs = false;

	read_text(&text, data, &match->text);
	for (uint32_t i = 0; i < BPF_SPAN_TEXT; i++)
		differs = differs || ((text.at[i] ^ match->wanted.at[i]) & match->mask.at[i]);
	return match->is_unequal ? differs : !differs;
}

static __always_inline bool has_no_text(uint64_t group)
{
	return (spec.texts || spec.chunks) && !group;
}
