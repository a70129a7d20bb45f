/*
 * order: merges rounds into one sequence of increasing time.
 *
 * Two loads, of time and CPU, queue a record; it is parsed only when it leaves. Each stream has a queue of {time, position},
 * which increases by construction (otherwise it is sorted stably). Records that may leave are appended to the line, queue by
 * queue, and the whole line is sorted by time. Picking the earliest of many queues repeatedly would cost more, and would access
 * memory at random. The sort is stable: for equal times, the lower CPU is first, facts and records without a CPU are last, and
 * within a stream the order of the file holds. So the sequence depends on the records alone.
 *
 * Invariant: after everything up to `limit` has left, only records of the newest round are queued.
 */
#include <iotrace/mem.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include <stdlib.h>

#include "capture_private.h"
#include "order_sort.h"

enum {
	/* Higher numbers of CPUs and streams count as "none": no kernel has them, but a damaged file may contain any number. */
	STREAM_CPUS = 8192,
	RANK_NONE = STREAM_CPUS + SAMPLE_STREAMS,
	/* Number of rounds without any time that are held back, so that their records get the first time that comes. */
	ROUNDS_HELD = 4,
	/* How many records ahead are prefetched: neighbours in time are not neighbours in memory. */
	PREFETCH_RECORDS = 16,
	CACHE_LINE = 64,
	PREFETCH_BYTES = 2048, /* in the order of the file */
	PREFETCH_LINES = 3,    /* a record of a system call has about 90 bytes */
};

struct order_stream {
	struct order_entry *entry;
	uint32_t count;
	uint32_t cap;
	bool is_sorted;
	bool is_listed;     /* in order->listed */
	uint64_t last_time; /* time of the last record that had one, in the order of the file */
};

struct order {
	const struct capture *capture;
	struct tally *tally;
	struct order_stream none;    /* records without a rank (RANK_NONE) */
	struct order_stream *stream; /* by rank: CPUs, then streams that belong to no CPU */
	uint32_t streams;
	uint32_t *listed; /* ranks of streams with queued records */
	uint32_t listed_cap;
	uint32_t listed_count;
	struct order_entry *line; /* [next, line_count) may leave, in this order */
	uint32_t next;
	uint32_t line_count;
	uint32_t line_cap;
	struct order_entry *scratch;
	uint32_t scratch_cap;
	struct capture_round *round;
	uint32_t round_cap;
	uint32_t rounds;
	uint32_t last_rank; /* stream of the previous record in the file */
	uint64_t
		earliest; /* earliest time of all records that were queued before the first one left */
	uint64_t newest; /* latest time of all rounds, */
	uint64_t limit;  /* and of all rounds except the newest: records up to it may leave */
	uint64_t reached;
	bool is_dirty; /* there are records that may leave, but are not in the line */
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
	free(order->none.entry);
	free(order->stream);
	free(order->listed);
	free(order->line);
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
	uint32_t cap = order->streams, rank = cpu;

	if (cpu >= SAMPLE_STREAM_FIRST && cpu - SAMPLE_STREAM_FIRST < SAMPLE_STREAMS)
		rank = STREAM_CPUS + (cpu - SAMPLE_STREAM_FIRST);
	else if (cpu >= STREAM_CPUS)
		return RANK_NONE;
	if (rank >= cap) {
		MEM_GROW(order->stream, cap, rank + 1);
		order->streams = cap;
	}
	return rank;
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
	else if (time < stream->entry[stream->count - 1].time)
		stream->is_sorted = false;
	MEM_GROW(stream->entry, stream->cap, stream->count + 1);
	stream->entry[stream->count++] = (struct order_entry){time, record};
}

static inline bool is_loss(uint32_t type)
{
	return type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

/* Counts a record that decode could not read either. */
static void count_malformed(struct order *order)
{
	tally_add(order->tally, samples, 1);
	tally_add(order->tally, malformed, 1);
}

/*
 * Queues a sample that has a time and is from the same CPU as the record before it. Nearly all samples are so. The record contains
 * the fields at `fields`.
 */
static inline bool queue_as_before(struct order *order, const uint8_t *record,
				   const struct field_offsets *fields)
{
	uint64_t time = sample_u64(record + fields->time);
	uint32_t cpu = sample_u32(record + fields->cpu);

	if (!fields->time || !fields->cpu || cpu != order->last_rank || cpu >= STREAM_CPUS ||
	    !sample_time_is_known(time))
		return false;
	order->stream[cpu].last_time = time;
	order->newest = time > order->newest ? time : order->newest;
	order->earliest = time < order->earliest ? time : order->earliest;
	enqueue(order, cpu, time, record);
	return true;
}

/*
 * In the file, a record without a CPU follows others of its ring. So it goes to the stream of the previous record, unless no
 * record in the file has a CPU. A record without a time gets that of its predecessor.
 */
static inline void queue_record(struct order *order, const uint8_t *record, uint32_t type,
				uint32_t size)
{
	bool is_sample = type == PERF_RECORD_SAMPLE;
	const struct sample_offsets *offsets = capture_offsets(order->capture, record, size,
							       is_sample);
	const struct field_offsets *fields;
	const uint8_t *at;
	uint32_t rank = order->last_rank;
	uint64_t time = 0;

	if (__builtin_expect(!offsets, 0)) {
		count_malformed(order);
		return;
	}
	fields = is_sample ? &offsets->sample : &offsets->trailer;
	if (is_sample && queue_as_before(order, record, fields))
		return;
	at = sample_field(record, size, is_sample, fields->cpu);
	if (at)
		rank = rank_of_cpu(order, sample_u32(at));
	at = sample_field(record, size, is_sample, fields->time);
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
		if (round->size - at > PREFETCH_BYTES)
			__builtin_prefetch(round->bytes + at + PREFETCH_BYTES);
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
	order->is_dirty = true;
}

/* Sorts the line in place or into the scratch memory; in the second case both are exchanged. */
static void sort_line(struct order *order)
{
	struct order_entry *sorted;
	uint32_t cap = order->line_cap;

	MEM_GROW(order->scratch, order->scratch_cap, order->line_count);
	sorted = order_sort(order->line, order->scratch, order->line_count);
	if (sorted == order->line)
		return;
	order->scratch = order->line;
	order->line = sorted;
	order->line_cap = order->scratch_cap;
	order->scratch_cap = cap;
}

static void sort_stream(struct order *order, struct order_stream *stream)
{
	struct order_entry *sorted;

	MEM_GROW(order->scratch, order->scratch_cap, stream->count);
	sorted = order_sort(stream->entry, order->scratch, stream->count);
	if (sorted != stream->entry)
		memcpy(stream->entry, sorted, stream->count * sizeof(*sorted));
	stream->is_sorted = true;
}

/* Returns how many records at the front of the queue may leave. */
static uint32_t count_free(const struct order_stream *stream, uint64_t limit)
{
	uint32_t low = 0, high = stream->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->entry[middle].time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void line_up_stream(struct order *order, struct order_stream *stream)
{
	uint32_t count;

	if (!stream->is_sorted)
		sort_stream(order, stream);
	count = count_free(stream, order->limit);
	if (!count)
		return;
	MEM_GROW(order->line, order->line_cap, order->line_count + count);
	memcpy(order->line + order->line_count, stream->entry, count * sizeof(*order->line));
	order->line_count += count;
	stream->count -= count;
	memmove(stream->entry, stream->entry + count, stream->count * sizeof(*stream->entry));
}

static int compare_ranks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Fills the line with all records that may leave. */
static void line_up(struct order *order)
{
	uint32_t kept = 0;

	order->next = 0;
	order->line_count = 0;
	if (order->listed_count)
		qsort(order->listed, order->listed_count, sizeof(*order->listed), compare_ranks);
	for (uint32_t i = 0; i < order->listed_count; i++) {
		uint32_t rank = order->listed[i];
		struct order_stream *stream = stream_of(order, rank);

		line_up_stream(order, stream);
		stream->is_listed = stream->count > 0;
		if (stream->is_listed)
			order->listed[kept++] = rank;
	}
	order->listed_count = kept;
	sort_line(order);
	order->is_dirty = false;
}

/* Frees all rounds except the newest: all their records were sent. */
static void retire_rounds(struct order *order)
{
	bool is_end = order->limit == UINT64_MAX;

	if (order->rounds)
		free_rounds(order, is_end ? order->rounds : order->rounds - 1);
}

static inline struct order_entry pop(struct order *order)
{
	if (order->line_count - order->next > PREFETCH_RECORDS) {
		const uint8_t *soon = order->line[order->next + PREFETCH_RECORDS].record;

		for (uint32_t i = 0; i < PREFETCH_LINES; i++)
			__builtin_prefetch(soon + i * CACHE_LINE);
	}
	return order->line[order->next++];
}

/* Gives the record the time at which it leaves. Returns whether that is later than its own time. */
static inline bool set_time(struct order *order, struct sample *sample, uint64_t queued_time)
{
	bool is_known = sample_time_is_known(sample->time);
	bool is_own = is_known && !is_loss(sample->type);
	uint64_t time = is_own ? sample->time : queued_time;
	bool is_raised = time < order->reached;

	if (is_known && !is_own)
		sample->until = sample->time;
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
		line_up(order);
	}
	/* Records without a time at the begin of the stream get the first known time. */
	if (!order->reached && order->earliest <= order->limit && order->earliest != UINT64_MAX)
		order->reached = order->earliest;
	while (order->next < order->line_count) {
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
