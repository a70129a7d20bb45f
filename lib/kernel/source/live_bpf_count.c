/* live_bpf_count: the counters of the programs, and what the programs could not record. */
#include "state/live_state.h"

#include "clock.h"
#include "live_block.h"
#include "live_bpf.h"
#include "load/bpf_source.h"

#include <iotrace/bpf_record.h>

/* Adds a gap since the rings were read before. is_of_calls: a missed event may have closed any descriptor. */
static void add_gap_fact(struct live *live, enum fact_gap kind, uint64_t count, uint64_t now,
			 bool is_of_calls)
{
	const struct fact gap = {.kind = FACT_GAP,
				 .number = {[FACT_GAP_kind] = kind,
					    [FACT_GAP_count] = count,
					    [FACT_GAP_is_of_tasks] = !is_of_calls}};
	const struct fact loss = {.kind = FACT_LOSS, .number = {[FACT_LOSS_until] = now}};
	uint64_t from = live->bpf.taken_at ? live->bpf.taken_at : now;

	if (!count)
		return;
	facts_add(&live->facts, &gap, 0, from);
	if (is_of_calls)
		facts_add(&live->facts, &loss, 0, from);
}

void live_bpf_take_gaps(struct live *live, uint64_t now)
{
	uint64_t unstored = bpf_source_unstored(live->bpf.source);
	uint64_t missed = bpf_source_missed(live->bpf.source);

	add_gap_fact(live, GAP_UNSTORED, unstored - live->bpf.unstored, now, true);
	add_gap_fact(live, GAP_MISSED, missed - live->bpf.missed, now, true);
	add_gap_fact(live, GAP_MISSED, live_block_take_missed(live), now, false);
	live->bpf.unstored = unstored;
	live->bpf.missed = missed;
}

static uint64_t count_records(const struct bpf_books *books)
{
	return __atomic_load_n(&books->calls, __ATOMIC_RELAXED) +
	       __atomic_load_n(&books->requests, __ATOMIC_RELAXED) +
	       __atomic_load_n(&books->steps, __ATOMIC_RELAXED);
}

bool live_bpf_has_all(const void *self)
{
	const struct live *live = self;
	bool has_all = true;

	for (uint32_t cpu = 0; cpu < live->bpf.cpus; cpu++)
		has_all &= live->bpf.cpu[cpu].moved ==
			   count_records(bpf_source_books(live->bpf.source, cpu));
	return has_all;
}

bool live_bpf_follows(const struct live *live, uint32_t number)
{
	for (uint32_t i = 0; i < live->bpf.cpus; i++)
		if (live->set.cpu[i] == number)
			return true;
	return !live->bpf.source;
}

static void add_refused_fact(struct live *live, enum bpf_feature feature)
{
	const struct bpf_feature_state *state = bpf_source_feature(live->bpf.source, feature);
	const struct bpf_feature_row *row = bpf_feature_row(feature);
	bool is_of_calls = feature == BPF_FEATURE_URING;
	struct fact fact = {.kind = FACT_REFUSED,
			    .number = {[FACT_REFUSED_missing] = is_of_calls    ? REFUSED_URING
								: row->instead ? REFUSED_NOTHING
									       : REFUSED_ALL},
			    .string = {[FACT_REFUSED_name] = fact_text(row->name),
				       [FACT_REFUSED_why] = fact_text(state->why),
				       [FACT_REFUSED_instead] = fact_text(
					       row->instead ? row->instead : "")}};

	if (*state->why)
		facts_add(&live->facts, &fact, 0, clock_now());
}

void live_bpf_add_source_fact(struct live *live)
{
	uint64_t of_blocks = live->block_programs.object ? SOURCE_BPF : SOURCE_PERF;
	struct fact fact = {
		.kind = FACT_SOURCE,
		.number = {[FACT_SOURCE_source] = live->bpf.source ? SOURCE_BPF : SOURCE_PERF,
			   [FACT_SOURCE_block_source] = live->block == BLOCK_NONE ? 0 : of_blocks},
		.string = {[FACT_SOURCE_why] = fact_text(live->bpf.why),
			   [FACT_SOURCE_block_why] = fact_text(live->block_programs.why)}};

	facts_add(&live->facts, &fact, 0, clock_now());
	for (int i = 0; live->bpf.source && i < BPF_FEATURES; i++)
		add_refused_fact(live, (enum bpf_feature)i);
}

void live_bpf_add_count_fact(void *self)
{
	struct live *live = self;
	uint64_t counted = live->bpf.in_flight, lost;
	uint32_t untraced;

	if (!live->bpf.source)
		return;
	lost = bpf_source_dropped_without_ring(live->bpf.source);
	counted += lost;
	untraced = bpf_source_untraced(live->bpf.source);
	if (untraced)
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_GAP,
					 .number = {[FACT_GAP_kind] = GAP_UNTRACED,
						    [FACT_GAP_count] = untraced}},
			  0, clock_now());
	for (uint32_t cpu = 0; cpu < live->bpf.cpus; cpu++) {
		const struct bpf_books *books = bpf_source_books(live->bpf.source, cpu);

		counted += count_records(books) + books->dropped;
		lost += books->dropped;
	}
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_COUNT,
				 .number = {[FACT_COUNT_event] = live->bpf.event,
					    [FACT_COUNT_counted] = counted,
					    [FACT_COUNT_lost] = lost,
					    [FACT_COUNT_has_lost] = true},
				 .string = {[FACT_COUNT_name] = fact_text(BPF_RECORD_EVENT_NAME)}},
		  0, clock_now());
}
