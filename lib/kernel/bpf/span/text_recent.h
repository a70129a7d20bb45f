/* text_recent: the numbers of short texts that a CPU has looked up lately. A look-up in the hash takes longer than reading the text. */
#pragma once

#include "count/bpf_span_point.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

enum { SHORT_WORDS = BPF_SPAN_SHORT_TEXT / 8, TEXTS_RECENT = 16 };

/* number: 0 while the entry changes. */
struct recent_text {
	uint64_t word[SHORT_WORDS];
	uint32_t number, is_changing;
};

struct recent_texts {
	struct recent_text entry[TEXTS_RECENT];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct recent_texts);
} recent_texts SEC(".maps");

/* Returns the entry where the text may be; NULL: there is no table for this CPU. */
static __always_inline volatile struct recent_text *recent_text(const uint64_t *word)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct recent_texts *of_cpu = bpf_map_lookup_elem(&recent_texts, &cpu);
	uint64_t hash = 0;

	for (uint32_t i = 0; i < SHORT_WORDS; i++)
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15;
	return of_cpu ? &of_cpu->entry[hash >> 60 & (TEXTS_RECENT - 1)] : NULL;
}

/*
 * Returns the number of the text, or 0. A program that interrupts this one may change the entry. Afterwards its number is another one,
 * unless it is of the same text again.
 */
static __always_inline uint32_t number_of_recent(const volatile struct recent_text *recent,
						 const uint64_t *word)
{
	uint32_t number = recent->number;
	bool differs = false;

	for (uint32_t i = 0; i < SHORT_WORDS; i++)
		differs = differs || recent->word[i] != word[i];
	return !differs && recent->number == number ? number : 0;
}

/* Whoever interrupts this leaves the entry alone. */
static __always_inline void keep_recent(volatile struct recent_text *recent, const uint64_t *word,
					uint32_t number)
{
	if (recent->is_changing)
		return;
	recent->is_changing = 1;
	recent->number = 0;
	for (uint32_t i = 0; i < SHORT_WORDS; i++)
		recent->word[i] = word[i];
	recent->number = number;
	recent->is_changing = 0;
}
