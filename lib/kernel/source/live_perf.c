/*
 * live_perf: the rings of perf.
 *
 * If calls are recorded with perf, a look-up thread for each CPU reads its ring before the rounds do, and wakes the control
 * thread. Otherwise the rings have only a few records of tasks, and wake the control thread themselves.
 */
#include "live_perf.h"

#include "clock.h"
#include "live_reopen.h"
#include "state/live_lookup_threads.h"
#include "state/live_put.h"
#include "state/live_state.h"

#include <stdlib.h>

enum { FULL_PART = 4 }; /* a round is due when this part of a ring is full */

static int open_rings(void *self, struct error *err)
{
	struct live *live = self;
	int code = perf_set_enable(&live->set, true, err);

	for (uint32_t cpu = 0;
	     live->bpf.source && live->set.threads && cpu < live->set.cpus && !code; cpu++)
		code = ring_sources_watch(&live->sources, perf_set_poll_fd(&live->set, cpu), err);
	return code;
}

static void take_heads(void *self)
{
	struct live *live = self;

	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		live->head[cpu] = lookup_thread_take(&live->lookup_thread[cpu], &live->facts);
}

/* Moves [tail, head) into the spool piece by piece. After each piece, its space in the ring is free. */
static void move_ring(struct live *live, uint32_t cpu)
{
	struct perf_ring *ring = &live->set.ring[cpu];
	uint64_t head = live->head[cpu], at = perf_ring_tail(ring);

	while (at < head) {
		uint64_t next = perf_ring_cut(ring, at, head, spool_piece(live->spool));
		void *room = next > at ? live_room(live, next - at) : NULL;

		/* An invalid record cannot be skipped, so everything up to the head is lost. */
		if (!room) {
			spool_drop(live->spool, head - at);
			break;
		}
		perf_ring_copy(ring, at, next, room);
		live_reopen_rename(live, room, next - at);
		spool_commit(live->spool, next - at);
		perf_ring_release(ring, next);
		live->unmarked += next - at;
		at = next;
	}
	perf_ring_release(ring, head);
	lookup_thread_skip(&live->lookup_thread[cpu], head);
}

static uint64_t move_rings(void *self)
{
	struct live *live = self;
	uint64_t moved = 0;

	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		moved += live->head[cpu] - perf_ring_tail(&live->set.ring[cpu]);
		move_ring(live, cpu);
	}
	return moved;
}

static bool is_due(const void *self)
{
	const struct live *live = self;

	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];

		if (perf_ring_head(ring) - perf_ring_tail(ring) >= ring->size / FULL_PART)
			return true;
	}
	return false;
}

static void stop(void *self)
{
	struct live *live = self;

	perf_set_enable(&live->set, false, NULL);
	live_stop_lookup_threads(live);
}

/* Adds the kernel's count of each event that has samples; readers compare it with the stream. */
static void add_count_facts(void *self)
{
	struct live *live = self;
	uint32_t event = 0; /* its index in the capture, which does not contain refused events */

	for (uint32_t i = 0; i < live->set.specs; i++) {
		const struct perf_spec *spec = &live->set.spec[i];
		struct perf_count count;

		if (spec->is_absent)
			continue;
		event++;
		if (spec->role == ROLE_TASK || spec->role == ROLE_COUNTER)
			continue;
		count = perf_set_count(&live->set, i);
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_COUNT,
					 .number = {[FACT_COUNT_event] = event - 1,
						    [FACT_COUNT_counted] = count.counted,
						    [FACT_COUNT_lost] = count.lost,
						    [FACT_COUNT_has_lost] = live->set.has_lost,
						    [FACT_COUNT_is_inexact] =
							    perf_set_is_inexact(&live->set, i)},
					 .string = {[FACT_COUNT_name] = fact_text(spec->name)}},
			  0, clock_now());
	}
}

/* Closing the events waits for the kernel. */
static void close_rings(void *self)
{
	struct live *live = self;

	live_release_lookup_threads(live);
	perf_set_release(&live->set);
	free(live->head);
	live->head = NULL;
}

const struct ring_source_ops live_perf_ops = {
	.name = "perf",
	.open = open_rings,
	.head = take_heads,
	.move = move_rings,
	.is_due = is_due,
	.stop = stop,
	.lost = add_count_facts,
	.close = close_rings,
};
