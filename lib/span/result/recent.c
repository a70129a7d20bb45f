/*
 * recent: see recent.h. The ring of a thread that has ended is used for the next thread with its number.
 */
#include "recent.h"

#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>

void recent_init(struct recent *recent, uint32_t keep)
{
	*recent = (struct recent){.keep = keep};
}

void recent_release(struct recent *recent)
{
	for (uint32_t i = 0; i < recent->threads; i++)
		free(recent->thread[i].note);
	free(recent->thread);
	map_release(&recent->by_tid);
}

void recent_add(struct recent *recent, const struct span_note *note)
{
	uint32_t index = map_get(&recent->by_tid, note->tid);
	struct recent_note *to;

	if (!recent->keep)
		return;
	if (index == MAP_NONE) {
		index = recent->threads++;
		MEM_GROW(recent->thread, recent->threads_cap, recent->threads);
		recent->thread[index].note = mem_array(recent->keep, sizeof(*to));
		map_set(&recent->by_tid, note->tid, index);
	}
	to = &recent->thread[index].note[recent->thread[index].count++ % recent->keep];
	to->time = note->time;
	snprintf(to->text, sizeof(to->text), "%s", note->text);
}

void recent_copy(const struct recent *recent, uint32_t tid, struct latency_slow *slow)
{
	uint32_t index = recent->keep ? map_get(&recent->by_tid, tid) : MAP_NONE;
	const struct recent_thread *thread;
	uint64_t have;

	if (index == MAP_NONE)
		return;
	thread = &recent->thread[index];
	have = thread->count < recent->keep ? thread->count : recent->keep;
	slow->context = mem_array(have, sizeof(*slow->context));
	for (uint64_t i = thread->count - have; i < thread->count; i++) {
		const struct recent_note *note = &thread->note[i % recent->keep];

		slow->context[slow->contexts++] = (struct latency_context){.time = note->time,
									   .text = mem_strdup(
										   note->text)};
	}
}
