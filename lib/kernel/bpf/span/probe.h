/*
 * probe: programs at probes of programs.
 *
 * The probe is a tracepoint of the recording. Only processes that have its events pass it, as without BPF, but these events get no
 * samples: the programs return 0.
 *
 * The return of a function gets fields from its entry. They are found by the stack pointer, which is the same then, and which no
 * other call of the thread has at the same time.
 */
#pragma once

#include "bpf/span/value.h"

#if defined(__TARGET_ARCH_x86)
enum {
	IP_AT = 128,
	SP_AT = 152,
	RETURN_ADDRESS = 8
}; /* a return takes its address from the stack */
#else
enum { IP_AT = 256, SP_AT = 248, RETURN_ADDRESS = 0 };
#endif

struct kept_key {
	uint64_t stack;
	uint32_t tid, point;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct kept_key);
	__type(value, uint64_t[BPF_SPAN_KEPT]);
} kept SEC(".maps");

static __always_inline uint64_t saved(const void *regs, uint32_t at)
{
	return *(const uint64_t *)(regs + at);
}

static __always_inline const volatile struct bpf_span_site *site_of(
	const void *regs, const volatile struct bpf_span_probe *probe)
{
	uint32_t low;

	if (probe->sites < 2)
		return &probe->site[0];
	low = saved(regs, IP_AT) % BPF_SPAN_SITE;
	for (uint32_t i = 1; i < BPF_SPAN_SITES; i++)
		if (i < probe->sites && probe->low[i] == low)
			return &probe->site[i];
	return &probe->site[0];
}

static const volatile struct bpf_span_field text_of_entry = {.text = BPF_SPAN_TEXT_MEMORY};

static __always_inline uint64_t value_at_entry(void *regs,
					       const volatile struct bpf_span_fetch *how,
					       uint32_t point)
{
	uint32_t test = how->match;

	if (test)
		return matches(regs, &text_of_entry, how,
			       &match[point][(test - 1) % BPF_SPAN_TESTS]);
	return spec.texts && !how->size ? number_of_field(regs, &text_of_entry, how, true)
					: fetch(regs, how);
}

static __always_inline void enter(void *regs, uint32_t point)
{
	const volatile struct bpf_span_entry *entry = &probes.entry[point];
	const struct input input = {.task = bpf_get_current_pid_tgid()};
	struct kept_key key = {saved(regs, SP_AT) + RETURN_ADDRESS, input.task, point};
	struct bpf_span_books *books = books_of_cpu();
	uint64_t value[BPF_SPAN_KEPT] = {0};

	if (!books || (!spec.is_everywhere && !is_followed(&input)))
		return;
	for (uint32_t i = 0; i < BPF_SPAN_KEPT; i++)
		if (i < entry->fields)
			value[i] = value_at_entry(regs, &entry->field[i], point);
	if (bpf_map_update_elem(&kept, &key, value, BPF_ANY))
		count(&books->full, 1);
}

static __always_inline void pass(void *regs, uint32_t point,
				 void (*take)(const struct input *input))
{
	struct input input = {.point = &spec.point[point],
			      .data = regs,
			      .task = bpf_get_current_pid_tgid(),
			      .site = site_of(regs, &probes.of[point])};
	struct kept_key key = {0};

	if (!probes.entry[point].fields) {
		take(&input);
		return;
	}
	key.stack = saved(regs, SP_AT);
	key.tid = input.task;
	key.point = point;
	input.kept = bpf_map_lookup_elem(&kept, &key);
	if (!input.kept)
		return;
	take(&input);
	bpf_map_delete_elem(&kept, &key);
}

#define PROBE(name, point, take)                                                                   \
	SEC("kprobe")                                                                              \
	int probe_##name(void *regs)                                                               \
	{                                                                                          \
		pass(regs, point, take);                                                           \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe")                                                                              \
	int enter_##name(void *regs)                                                               \
	{                                                                                          \
		enter(regs, point);                                                                \
		return 0;                                                                          \
	}

BPF_SPAN_EACH_POINT(PROBE)
