/*
 * order: rounds in, one rising sequence out.
 *
 * A record is queued by two loads, its time and its CPU; it is taken apart only when it leaves.
 * Each CPU has a queue of {time, place}, which is rising by construction (where it is not, it is
 * sorted, stably); the tournament of order_merge picks the earliest. Of equal times the lower CPU
 * is first, facts and what has no CPU are last, and within a stream the file's order holds: so the
 * sequence is a function of the records alone.
 *
 * Invariant: after everything up to `limit` has left, only records of the newest round are queued.
 */
#include <iotrace/mem.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include <stdlib.h>

#include "capture_private.h"
#include "order_merge.h"
#include "order_sort.h"

enum {
	/*
	 * CPUs beyond are taken as "none": no kernel has more, but a damaged file may say anything.
	 */
	STREAM_CPUS = 8192,
	RANK_NONE = STREAM_CPUS,
	/*
	 * How many rounds without any time are held back, so that what they hold gets the first
	 * one.
	 */
	ROUNDS_HELD = 4,
	PREFETCH_RECORDS = 2,
	PREFETCH_ENTRIES = 8,
	CACHE_LINE = 64,
};

struct order_stream {
	struct order_entry *entry; /* [head, tail) is queued */
	uint32_t head;
	uint32_t tail;
	uint32_t cap;
	bool is_sorted;
	bool is_listed;     /* in order->listed */
	uint64_t last_time; /* of the last record that had one, in the file's order */
};

struct order {
	const struct capture *capture;
	struct tally *tally;
	struct order_stream none;    /* rank RANK_NONE */
	struct order_stream *stream; /* rank = CPU */
	uint32_t streams;
	uint32_t *listed; /* ranks of streams that have something queued */
	uint32_t listed_cap;
	uint32_t listed_count;
	struct merge merge;
	struct order_entry *scratch;
	uint32_t scratch_cap;
	struct capture_round *round;
	uint32_t round_cap;
	uint32_t rounds;
	uint32_t last_rank; /* the stream of the record before, in the file's order */
	uint64_t earliest;  /* of all that was queued before the first record left */
	uint64_t newest;    /* time of all rounds, */
	uint64_t limit;     /* of all but the newest round: what may leave */
	uint64_t reached;
	bool is_dirty; /* something was queued since the tournament began */
};

struct order *order_new(const struct capture *capture, struct tally *tally)
{
	struct order *order = mem_zero(sizeof(*order));

	order->capture = capture;
	order->tally = tally;
	order->last_rank = RANK_NONE;
	order->earliest = UINT64_MAX;
	return order;
}

static void free_rounds(struct order *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		capture_round_free(&order->round[i]);
	for (uint32_t i = count; i < order->rounds; i++)
		order->round[i - count] = order->round[i];
	order->rounds -= count;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	free_rounds(order, order->rounds);
	for (uint32_t i = 0; i < order->streams; i++)
		free(order->stream[i].entry);
	merge_release(&order->merge);
	free(order->none.entry);
	free(order->stream);
	free(order->listed);
	free(order->scratch);
	free(order->round);
	free(order);
}

static inline struct order_stream *stream_of(struct order *order, uint32_t rank)
{
	return rank == RANK_NONE ? &order->none : &order->stream[rank];
}

static uint32_t rank_of_cpu(struct order *order, uint32_t cpu)
{
	uint32_t cap = order->streams;

	if (cpu >= STREAM_CPUS)
		return RANK_NONE;
	if (cpu >= cap) {
		MEM_GROW(order->stream, cap, cpu + 1);
		order->streams = cap;
	}
	return cpu;
}

static void list_stream(struct order *order, struct order_stream *stream, uint32_t rank)
{
	MEM_GROW(order->listed, order->listed_cap, order->listed_count + 1);
	order->listed[order->listed_count++] = rank;
	stream->is_listed = true;
	stream->is_sorted = true;
}

static inline void enqueue(struct order *order, uint32_t rank, uint64_t time, const uint8_t *record)
{
	struct order_stream *stream = stream_of(order, rank);

	if (!stream->is_listed)
		list_stream(order, stream, rank);
	else if (stream->tail > stream->head && time < stream->entry[stream->tail - 1].time)
		stream->is_sorted = false;
	MEM_GROW(stream->entry, stream->cap, stream->tail + 1);
	stream->entry[stream->tail++] = (struct order_entry){time, record};
}

static inline bool is_loss(uint32_t type)
{
	return type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

/* Decode books a record that it cannot read in the same way. */
static void count_malformed(struct order *order)
{
	tally_add(order->tally, samples, 1);
	tally_add(order->tally, malformed, 1);
}

/*
 * A record without a CPU stands in the file behind others of its ring, so it goes where the record
 * before it went, unless nothing in the file has a CPU. What has no time of its own borrows that of
 * its predecessor.
 */
static inline void queue_record(struct order *order, const uint8_t *record, uint32_t type,
				uint32_t size)
{
	bool is_sample = type == PERF_RECORD_SAMPLE;
	const struct sample_place *place = capture_place(order->capture, record, size, is_sample);
	const struct sample_spot *spot;
	const uint8_t *at;
	uint32_t rank = order->last_rank;
	uint64_t time = 0;

	if (__builtin_expect(!place, 0)) {
		count_malformed(order);
		return;
	}
	spot = is_sample ? &place->sample : &place->trailer;
	at = sample_field(record, size, is_sample, spot->cpu);
	if (at)
		rank = rank_of_cpu(order, sample_u32(at));
	at = sample_field(record, size, is_sample, spot->time);
	if (at)
		time = sample_u64(at);
	if (__builtin_expect(!sample_time_is_known(time) || is_loss(type), 0)) {
		time = stream_of(order, rank)->last_time;
	} else {
		stream_of(order, rank)->last_time = time;
		order->newest = time > order->newest ? time : order->newest;
		order->earliest = time < order->earliest ? time : order->earliest;
	}
	order->last_rank = rank;
	enqueue(order, rank, time, record);
}

void order_add_round(struct order *order, struct capture_round *round)
{
	struct perf_event_header header;
	size_t at = 0;
	uint32_t size;

	MEM_GROW(order->round, order->round_cap, order->rounds + 1);
	order->round[order->rounds++] = *round;
	order->limit = order->newest;
	order->is_dirty = true;
	while ((size = sample_record_size(round->bytes + at, round->size - at)) != 0) {
		memcpy(&header, round->bytes + at, sizeof(header));
		if (header.type < SAMPLE_USER_TYPES)
			queue_record(order, round->bytes + at, header.type, size);
		at += size;
	}
	*round = (struct capture_round){0};
}

void order_end(struct order *order)
{
	order->limit = UINT64_MAX;
}

static void sort_stream(struct order *order, struct order_stream *stream)
{
	uint32_t count = stream->tail - stream->head;

	MEM_GROW(order->scratch, order->scratch_cap, count);
	order_sort(stream->entry + stream->head, order->scratch, count);
	stream->is_sorted = true;
}

/*
 * Moves what is left to the front once that is cheap; then the array needs no more than two rounds'
 * room.
 */
static void compact_stream(struct order_stream *stream)
{
	uint32_t left = stream->tail - stream->head;

	if (stream->head < left)
		return;
	memcpy(stream->entry, stream->entry + stream->head, left * sizeof(*stream->entry));
	stream->head = 0;
	stream->tail = left;
}

/* Begins the tournament anew with all streams that have something. */
static void restart(struct order *order)
{
	uint32_t kept = 0;

	merge_reset(&order->merge);
	for (uint32_t i = 0; i < order->listed_count; i++) {
		uint32_t rank = order->listed[i];
		struct order_stream *stream = stream_of(order, rank);

		compact_stream(stream);
		if (stream->head == stream->tail) {
			stream->is_listed = false;
			continue;
		}
		if (!stream->is_sorted)
			sort_stream(order, stream);
		merge_add(&order->merge, stream->entry[stream->head].time, rank);
		order->listed[kept++] = rank;
	}
	order->listed_count = kept;
	merge_start(&order->merge);
	order->is_dirty = false;
}

/* Returns whether the earliest record may leave. */
static inline bool is_free_to_leave(const struct order *order)
{
	uint64_t time = merge_time(&order->merge);

	return time <= order->limit && time != MERGE_NEVER;
}

/* Nothing more may leave: all rounds but the newest are done with. */
static void retire_rounds(struct order *order)
{
	bool is_end = order->limit == UINT64_MAX;

	if (order->rounds)
		free_rounds(order, is_end ? order->rounds : order->rounds - 1);
}

static inline struct order_entry pop(struct order *order)
{
	struct order_stream *stream = stream_of(order, merge_rank(&order->merge));
	struct order_entry entry = stream->entry[stream->head++];
	uint32_t left = stream->tail - stream->head;

	merge_replace(&order->merge, left ? stream->entry[stream->head].time : MERGE_NEVER);
	/*
	 * With many streams each goes on at another place in memory, too many for the processor to
	 * foresee.
	 */
	if (left > PREFETCH_ENTRIES) {
		const uint8_t *soon = stream->entry[stream->head + PREFETCH_RECORDS].record;

		__builtin_prefetch(&stream->entry[stream->head + PREFETCH_ENTRIES]);
		__builtin_prefetch(soon);
		__builtin_prefetch(soon + CACHE_LINE);
	}
	return entry;
}

/*
 * Gives the record the time at which it leaves. Returns whether that is later than what it says
 * itself.
 */
static inline bool set_time(struct order *order, struct sample *sample, uint64_t queued_time)
{
	bool is_own = sample_time_is_known(sample->time) && !is_loss(sample->type);
	uint64_t time = is_own ? sample->time : queued_time;
	bool is_raised = time < order->reached;

	sample->time = is_raised ? order->reached : time;
	order->reached = sample->time;
	return is_raised && is_own;
}

static bool is_held_back(const struct order *order)
{
	return order->limit == 0 && order->rounds < ROUNDS_HELD;
}

int order_next(struct order *order, struct sample *sample, bool *is_late)
{
	if (order->is_dirty) {
		if (is_held_back(order))
			return 0;
		restart(order);
	}
	if (!order->merge.node)
		return 0;
	/* What has no time and nothing before it comes with the first record that has one. */
	if (!order->reached && order->earliest <= order->limit && order->earliest != UINT64_MAX)
		order->reached = order->earliest;
	while (is_free_to_leave(order)) {
		struct order_entry entry = pop(order);

		if (capture_parse(order->capture, entry.record, sample)) {
			count_malformed(order);
			continue;
		}
		*is_late = set_time(order, sample, entry.time);
		tally_add(order->tally, late, *is_late);
		return 1;
	}
	retire_rounds(order);
	return 0;
}
