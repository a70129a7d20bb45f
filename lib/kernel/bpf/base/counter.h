/* counter: counters of a CPU, which another task may change between two instructions: see preempt.h. */
#pragma once

#include "preempt.h"

/* For counters that programs in interrupts do not use. */
static __always_inline void add(uint64_t *counter, uint64_t number)
{
	if (is_preemptible)
		__sync_fetch_and_add(counter, number);
	else
		*counter += number;
}

static __always_inline void count(uint64_t *counter)
{
	add(counter, 1);
}
