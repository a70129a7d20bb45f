/*
 * live_round: a round moves what is in the rings of all sources into the spool.
 *
 * A round begins when a ring is a quarter full, or LIVE_ROUND_MS after the last one; later if that one found almost nothing.
 */
#include "live_round.h"

#include "clock.h"
#include "live_cpus.h"
#include "source/live_reopen.h"
#include "source/live_span.h"
#include "state/live_put.h"

enum { ROUND_IDLE_MS = 800, IDLE_BYTES = 4096 };

/* Sets when the next round is due, from the amount that this one has moved. */
static void pace(struct live *live, uint64_t moved)
{
	live->rounded_at = clock_now();
	/* Short rounds are needed to check, after an exec, the user of a process and whether it lost its events. */
	if (moved > IDLE_BYTES || live->base.uids || live->base.may_reopen ||
	    (live->recording->is_watched && !live->recording->has_only_counts &&
	     !live_span_counts_all(live)))
		live->round_ms = LIVE_ROUND_MS;
	else if (live->round_ms < ROUND_IDLE_MS)
		live->round_ms *= 2;
}

void live_round(struct live *live)
{
	uint64_t moved;

	live_follow_cpus(live);
	ring_sources_head(&live->sources);
	moved = ring_sources_move(&live->sources);
	lookup_search(&live->lookup);
	live_reopen_processes(live);
	live_span_add_group_facts(live);
	live_put_facts(live);
	if (ring_sources_are_held(&live->sources))
		spool_flush(live->spool);
	else
		live_end_round(live);
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
	return live_is_time(live_next_round(live), clock_now()) ||
	       ring_sources_are_due(&live->sources);
}
