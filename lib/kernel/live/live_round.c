/*
 * live_round: a round moves what is in all rings into the spool.
 *
 * It happens when a ring is a quarter full or LIVE_ROUND_MS after the last one, later if that one found next to nothing.
 */
#include "live_round.h"

#include "clock.h"
#include "live_put.h"
#include "perf/hotplug.h"

#include <iotrace/log.h>

enum { ROUND_IDLE_MS = 800, FULL_PART = 4, IDLE_BYTES = 4096 };

/* Moves [tail, head) into the spool, piece by piece, and gives each back to the kernel at once. */
static void move_ring(struct live *live, uint32_t cpu)
{
	struct perf_ring *ring = &live->set.ring[cpu];
	uint64_t head = live->head[cpu], at = perf_ring_tail(ring);

	while (at < head) {
		uint64_t next = perf_ring_cut(ring, at, head, spool_piece(live->spool));
		void *room = next > at ? live_room(live, next - at) : NULL;

		if (!room) { /* what is no record cannot be stepped over: all up to head is given up */
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
	looker_skip(&live->looker[cpu], head);
}

/* Sets when the next round is due by what this one has moved. */
static void pace(struct live *live, uint64_t moved)
{
	live->rounded_at = clock_now();
	/* Whose a process is after an exec, and whether it lost its events, is found out by looking. */
	if (moved > IDLE_BYTES || live->base.uids || live->base.may_reopen)
		live->round_ms = LIVE_ROUND_MS;
	else if (live->round_ms < ROUND_IDLE_MS)
		live->round_ms *= 2;
}

/* Returns the index of the CPU in the set, or set.cpus. */
static uint32_t index_of_cpu(const struct live *live, uint32_t number)
{
	uint32_t cpu = 0;

	while (cpu < live->set.cpus && live->set.cpu[cpu] != number)
		cpu++;
	return cpu;
}

/*
 * The events of a task stay with it, wait for a CPU that is offline, and count again on one that comes back; a BPF program
 * runs on all CPUs. Events that are a CPU's own are gone with it: they are opened again, and what was there before is missing.
 */
static void cpu_came(void *context, uint32_t number)
{
	struct live *live = context;
	uint32_t cpu = index_of_cpu(live, number);
	bool has_tasks = perf_set_follows(&live->set, number) && live->set.target == TARGET_THREAD;
	bool has_blocks = live->block == BLOCK_NONE || live->block_source.programs;

	if (has_tasks && has_blocks && live_bpf_follows(live, number))
		return;
	if (cpu < live->set.cpus && live_reopen_cpu(live, cpu))
		log_debug("CPU %u is recorded from here on", number);
	lookup_doubt(&live->base);
	live->rounded_at =
		0; /* a round is due: what is open now is looked up before it is used there */
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_GAP,
				 .number = {[FACT_GAP_kind] = GAP_CPUS,
					    [FACT_GAP_count] = 1,
					    [FACT_GAP_is_of_tasks] = live->bpf.source &&
								     live_bpf_follows(live,
										      number)}},
		  0, clock_now());
}

void live_follow_cpus(struct live *live)
{
	if (live->hotplug_fd >= 0 && hotplug_take(live->hotplug_fd, cpu_came, live))
		cpu_came(live, UINT32_MAX);
}

void live_round(struct live *live)
{
	uint64_t moved = 0;

	live_follow_cpus(live);
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		live->head[cpu] = looker_take(&live->looker[cpu], &live->facts);
	live_bpf_take(live);
	/* First the few records of tasks: if the disk is full, calls without their process are worth nothing. */
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		moved += live->head[cpu] - perf_ring_tail(&live->set.ring[cpu]);
		move_ring(live, cpu);
	}
	moved += live_bpf_move(live);
	lookup_search(&live->lookup);
	live_reopen_processes(live);
	live_put_facts(live);
	if (live_bpf_may_end(live))
		live_end_round(live);
	else
		spool_flush(live->spool);
	pace(live, moved);
}

bool live_is_time(uint64_t at, uint64_t now)
{
	return at && now >= at;
}

uint64_t live_next_round(const struct live *live)
{
	return live->rounded_at + live->round_ms * 1000000ULL;
}

bool live_is_round_due(const struct live *live)
{
	if (live_is_time(live_next_round(live), clock_now()))
		return true;
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];

		if (perf_ring_head(ring) - perf_ring_tail(ring) >= ring->size / FULL_PART)
			return true;
	}
	return live_bpf_is_due(live);
}
