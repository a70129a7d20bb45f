#include "lasting.h"

#include <iotrace/event.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

struct lasting {
	struct event *event; /* with strings of their own */
	uint32_t events, cap;
};

static const bool is_lasting[FACT_KINDS] = {
	[FACT_HOST] = true,   [FACT_COMMAND] = true, [FACT_MOUNT] = true,  [FACT_DEVICE] = true,
	[FACT_SOURCE] = true, [FACT_FILTER] = true,  [FACT_CGROUP] = true, [FACT_REFUSED] = true,
	[FACT_OPTION] = true, [FACT_JOB] = true,
};

struct lasting *lasting_new(void)
{
	return mem_zero(sizeof(struct lasting));
}

void lasting_free(struct lasting *lasting)
{
	if (!lasting)
		return;
	for (uint32_t i = 0; i < lasting->events; i++)
		for (int k = 0; k < FACT_STRINGS; k++)
			free((void *)(uintptr_t)lasting->event[i].fact.string[k].at);
	free(lasting->event);
	free(lasting);
}

static bool is_same(const struct fact *a, const struct fact *b)
{
	if (a->kind != b->kind || memcmp(a->number, b->number, sizeof(a->number)) != 0)
		return false;
	for (int i = 0; i < FACT_STRINGS; i++)
		if (a->string[i].length != b->string[i].length ||
		    (a->string[i].length &&
		     memcmp(a->string[i].at, b->string[i].at, a->string[i].length) != 0))
			return false;
	return true;
}

static bool is_known(const struct lasting *lasting, const struct fact *fact)
{
	for (uint32_t i = 0; i < lasting->events; i++)
		if (is_same(&lasting->event[i].fact, fact))
			return true;
	return false;
}

void lasting_add(struct lasting *lasting, const struct event *event)
{
	struct event *copy;

	if (event->kind != EVENT_FACT || !is_lasting[event->fact.kind] ||
	    is_known(lasting, &event->fact))
		return;
	MEM_GROW(lasting->event, lasting->cap, lasting->events + 1);
	copy = &lasting->event[lasting->events++];
	*copy = *event;
	for (int i = 0; i < FACT_STRINGS; i++)
		copy->fact.string[i].at = event->fact.string[i].length
						  ? mem_dup(event->fact.string[i].at,
							    event->fact.string[i].length)
						  : NULL;
}

void lasting_each(const struct lasting *lasting,
		  void (*call)(void *context, const struct event *event), void *context)
{
	for (uint32_t i = 0; i < lasting->events; i++)
		call(context, &lasting->event[i]);
}
