/*
 * text: keys and groups that are texts. Each text has a number, from 1; 0 means that there was no room for it, or that it is too
 * long.
 */
#pragma once

#include "bpf/span/input.h"
#include "bpf/span/text_read.h"
#include "bpf/span/text_recent.h"

uint32_t texts_used; /* may exceed the limit */

/* The size of keys and values is spec.text_size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, BPF_SPAN_SHORT_TEXT);
	__type(value, uint32_t);
} text_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__uint(value_size, BPF_SPAN_SHORT_TEXT);
} texts SEC(".maps");

/* Where programs of a CPU read a text that may be long. The program of a probe may interrupt another one. */
struct text_space {
	uint32_t is_used, none;
	char at[BPF_SPAN_LONG_TEXT];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct text_space);
} text_spaces SEC(".maps");

static __always_inline uint64_t new_text(const char *text)
{
	uint32_t *number, new;
	void *to;

	if (texts_used >= spec.texts)
		return 0;
	new = __sync_fetch_and_add(&texts_used, 1) + 1;
	to = bpf_map_lookup_elem(&texts, &new);
	if (!to)
		return 0;
	bpf_probe_read_kernel(to, spec.text_size, text);
	/* Another CPU may have made one at the same time. */
	if (!bpf_map_update_elem(&text_index, text, &new, BPF_NOEXIST))
		return new;
	number = bpf_map_lookup_elem(&text_index, text);
	return number ? *number : 0;
}

/* text: of spec.text_size bytes, the rest of them 0. makes: gives a number to a new text. */
static __always_inline uint64_t number_of_text(const char *text, bool makes)
{
	uint32_t *known = bpf_map_lookup_elem(&text_index, text);

	return known ? *known : makes ? new_text(text) : 0;
}

static __always_inline uint64_t number_of_short(void *data,
						const volatile struct bpf_span_field *field,
						const volatile struct bpf_span_fetch *how,
						bool makes)
{
	uint64_t word[SHORT_WORDS] = {0}, number;
	volatile struct recent_text *recent;

	read_text((char *)word, sizeof(word), data, field, how);
	recent = recent_text(word);
	number = recent ? number_of_recent(recent, word) : 0;
	if (number)
		return number;
	number = number_of_text((const char *)word, makes);
	if (recent && number)
		keep_recent(recent, word, number);
	return number;
}

static __always_inline uint64_t number_of_long(struct text_space *space, void *data,
					       const volatile struct bpf_span_field *field,
					       const volatile struct bpf_span_fetch *how,
					       bool makes)
{
	for (uint32_t i = 0; i < BPF_SPAN_LONG_TEXT / sizeof(uint64_t); i++)
		((uint64_t *)space->at)[i] = 0;
	if (read_text(space->at, sizeof(space->at), data, field, how) >= (long)sizeof(space->at))
		return 0;
	return number_of_text(space->at, makes);
}

/* Not inlined: few spans have texts. */
static __noinline uint64_t number_of_field(void *data, const volatile struct bpf_span_field *field,
					   const volatile struct bpf_span_fetch *how, bool makes)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct text_space *space;
	uint64_t number;

	if (spec.text_size == BPF_SPAN_SHORT_TEXT)
		return number_of_short(data, field, how, makes);
	space = bpf_map_lookup_elem(&text_spaces, &cpu);
	if (!space || *(volatile uint32_t *)&space->is_used)
		return 0;
	*(volatile uint32_t *)&space->is_used = 1;
	number = number_of_long(space, data, field, how, makes);
	*(volatile uint32_t *)&space->is_used = 0;
	return number;
}

/* Keys of ends need no numbers of their own. */
static __always_inline uint64_t text_of(const struct input *input,
					const volatile struct bpf_span_field *field,
					uint32_t number)
{
	uint64_t point = number_of_point(input);

	return number_of_field(input->data, field, fetch_of(input, number),
			       point == BPF_SPAN_BEGIN || point == BPF_SPAN_BEGIN_2 ||
				       number == BPF_SPAN_GROUP);
}
