/*
 * spread: makes a capture of a machine with many CPUs out of one of this machine.
 *
 *   spread CAPTURE NEW CALLS [CPUS [ROUND_US]]
 *
 * CAPTURE is a recording of `storm pread FILE COUNT THREADS` through perf. In NEW its threads stand on so many CPUs,
 * each of which is a stream (0: one for each thread), and all of them make their preads at the same time: CALLS in
 * all, a million a second, in rounds of ROUND_US microseconds (10000), as a drain would have met
 * them. All else is as it was, but what came after the storm's begin comes after its end. (iotrace
 * will say that the books do not balance: the kernel's counts are among what is as it was.)
 */
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include "sample_offsets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PREAD64 = 17,   /* x86-64 */
	RAW_NUMBER = 8, /* where a raw_syscalls event has the number of the call */
	CALL_NS = 1000, /* between two calls on the machine */
	THREADS_MAX = 8192,
	RECORD_MAX = 65536,
	OUT_SIZE = 1 << 22,
};

struct record {
	uint64_t time;
	uint32_t size;
	uint8_t *bytes;
};

/* The pread of a thread, which is repeated. raw points into bytes of its own. */
struct thread {
	uint32_t tid;
	struct sample side[2]; /* enter, exit */
};

/* The begin (0) or the end (1) of a thread's call. */
struct side {
	uint64_t time;
	uint32_t thread;
	int which;
};

struct spread {
	struct capture *capture;
	struct capture_writer *writer;
	struct record *other;
	uint32_t others, others_cap, others_written;
	struct thread *thread;
	uint32_t threads, threads_cap;
	uint32_t cpus;
	struct side *side; /* of one CPU in one round */
	uint32_t side_cap;
	uint64_t begin; /* time of the storm */
	uint8_t out[OUT_SIZE];
	size_t used;
};

static void die(const struct error *err)
{
	fprintf(stderr, "spread: %s\n", err->text);
	exit(1);
}

static void flush(struct spread *spread)
{
	struct error err;

	if (spread->used && capture_write(spread->writer, spread->out, spread->used, &err))
		die(&err);
	spread->used = 0;
}

static void end_round(struct spread *spread)
{
	struct perf_event_header end = {.type = CAPTURE_RECORD_FINISHED_ROUND, .size = sizeof(end)};

	if (spread->used + sizeof(end) > OUT_SIZE)
		flush(spread);
	memcpy(spread->out + spread->used, &end, sizeof(end));
	spread->used += sizeof(end);
}

static struct thread *thread_of(struct spread *spread, uint32_t tid)
{
	for (uint32_t i = spread->threads; i; i--)
		if (spread->thread[i - 1].tid == tid)
			return &spread->thread[i - 1];
	MEM_GROW(spread->thread, spread->threads_cap, spread->threads + 1);
	spread->thread[spread->threads].tid = tid;
	return &spread->thread[spread->threads++];
}

/* Returns 0 for the begin of a pread, 1 for its end, -1 for all else. */
static int side_of(const struct spread *spread, const struct sample *sample)
{
	const struct capture_info *info = capture_info(spread->capture);
	const char *name;
	uint64_t number;

	if (sample->type != PERF_RECORD_SAMPLE || sample->event >= info->events ||
	    sample->raw_size < RAW_NUMBER + sizeof(number))
		return -1;
	name = info->event[sample->event].name;
	memcpy(&number, sample->raw + RAW_NUMBER, sizeof(number));
	/* The first thread is busy with starting others; before, the program's loader makes preads. */
	if (strncmp(name, "raw_syscalls:", 13) != 0 || number != PREAD64 ||
	    sample->pid == sample->tid)
		return -1;
	return strcmp(name, "raw_syscalls:sys_exit") == 0;
}

static void take_other(struct spread *spread, const struct sample *sample)
{
	MEM_GROW(spread->other, spread->others_cap, spread->others + 1);
	spread->other[spread->others++] = (struct record){sample->time, sample->size,
							  mem_dup(sample->record, sample->size)};
}

/* The first pread of a thread stays as it is: with it, the thread says that it is ready. */
static void take(struct spread *spread, const struct sample *sample)
{
	int side = side_of(spread, sample);
	struct sample *first = side < 0 ? NULL : &thread_of(spread, sample->tid)->side[side];

	if (first && first->size)
		return;
	take_other(spread, sample);
	if (!first)
		return;
	*first = *sample;
	first->raw = mem_dup(sample->raw, sample->raw_size);
	spread->begin = sample->time + CALL_NS;
}

static void read_template(struct spread *spread)
{
	struct tally tally = {{0}};
	struct order *order = order_new(spread->capture, &tally);
	struct capture_round round;
	struct sample sample;
	struct error err;
	bool is_late, is_over;
	int rc;

	do {
		rc = capture_next_round(spread->capture, &round, &err);
		is_over = rc <= 0;
		if (rc < 0)
			die(&err);
		if (is_over)
			order_end(order);
		else
			order_add_round(order, &round);
		while (order_next(order, &sample, &is_late))
			take(spread, &sample);
	} while (!is_over);
	order_free(order);
}

static void shift_time(const struct spread *spread, struct record *r, uint64_t shift)
{
	const struct capture_info *info = capture_info(spread->capture);
	struct perf_event_header header;
	struct sample_offsets offsets;
	const struct field_offsets *fields;
	uint8_t *at;

	memcpy(&header, r->bytes, sizeof(header));
	sample_offsets_init(&offsets, &info->event[0].layout);
	fields = header.type == PERF_RECORD_SAMPLE ? &offsets.sample : &offsets.trailer;
	at = header.type == PERF_RECORD_SAMPLE ? r->bytes + fields->time
					       : r->bytes + r->size - fields->time;
	if (!fields->time)
		return;
	r->time += shift;
	memcpy(at, &r->time, sizeof(r->time));
}

/* Writes what came before the storm, or what came after. */
static void write_others(struct spread *spread, bool is_after, uint64_t shift)
{
	for (uint32_t i = 0; i < spread->others; i++) {
		struct record *r = &spread->other[i];

		if ((r->time >= spread->begin) != is_after)
			continue;
		if (is_after)
			shift_time(spread, r, shift);
		if (spread->used + r->size > OUT_SIZE)
			flush(spread);
		memcpy(spread->out + spread->used, r->bytes, r->size);
		spread->used += r->size;
	}
	end_round(spread);
}

static void write_side(struct spread *spread, const struct side *side)
{
	const struct capture_info *info = capture_info(spread->capture);
	struct sample sample = spread->thread[side->thread].side[side->which];

	sample.cpu = side->thread % spread->cpus;
	sample.time = side->time;
	if (spread->used + RECORD_MAX > OUT_SIZE)
		flush(spread);
	spread->used += sample_write(&sample, &info->event[sample.event].layout,
				     spread->out + spread->used, OUT_SIZE - spread->used);
}

static int compare_times(const void *a, const void *b)
{
	const struct side *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/* Calls [from, to) of a thread, which is not in step with others. Returns how many sides they have. */
static uint32_t plan(const struct spread *spread, uint32_t thread, uint64_t from, uint64_t to,
		     struct side *side)
{
	uint32_t sides = 0;

	for (uint64_t k = from; k < to; k++) {
		uint64_t off = (k * 7919 + thread * 331) * 13 %
			       (spread->threads * CALL_NS - CALL_NS / 2);
		uint64_t time = spread->begin + k * spread->threads * CALL_NS + off;

		side[sides++] = (struct side){time, thread, 0};
		side[sides++] = (struct side){time + CALL_NS / 2, thread, 1};
	}
	return sides;
}

/* What a CPU has of a round, in order. */
static void write_cpu(struct spread *spread, uint32_t cpu, uint64_t from, uint64_t to)
{
	uint32_t sides = 0;

	MEM_GROW(spread->side, spread->side_cap,
		 2 * (uint32_t)(to - from) * (spread->threads / spread->cpus + 1));
	for (uint32_t i = cpu; i < spread->threads; i += spread->cpus)
		sides += plan(spread, i, from, to, spread->side + sides);
	qsort(spread->side, sides, sizeof(*spread->side), compare_times);
	for (uint32_t i = 0; i < sides; i++)
		write_side(spread, &spread->side[i]);
}

static void write_storm(struct spread *spread, uint64_t calls, uint64_t round_ns)
{
	uint64_t total = calls / spread->threads;
	uint64_t each = round_ns / (spread->threads * CALL_NS) + 1;

	write_others(spread, false, 0);
	for (uint64_t from = 0; from < total; from += each) {
		uint64_t to = from + each < total ? from + each : total;

		for (uint32_t cpu = 0; cpu < spread->cpus; cpu++)
			write_cpu(spread, cpu, from, to);
		end_round(spread);
	}
	write_others(spread, true, (total + 1) * spread->threads * CALL_NS);
}

int main(int argc, char **argv)
{
	static struct spread spread;
	struct error err;

	if (argc < 4) {
		fprintf(stderr, "usage: spread CAPTURE NEW CALLS [CPUS [ROUND_US]]\n");
		return 2;
	}
	spread.capture = capture_open(argv[1], NULL, NULL, &err);
	if (!spread.capture)
		die(&err);
	read_template(&spread);
	if (!spread.threads || spread.threads > THREADS_MAX) {
		fprintf(stderr, "spread: %s has no preads through raw_syscalls events\n", argv[1]);
		return 1;
	}
	spread.cpus = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 0) : 0;
	if (!spread.cpus || spread.cpus > spread.threads)
		spread.cpus = spread.threads;
	spread.writer = capture_create(argv[2], capture_info(spread.capture), &err);
	if (!spread.writer)
		die(&err);
	write_storm(&spread, strtoull(argv[3], NULL, 0),
		    argc > 5 ? strtoull(argv[5], NULL, 0) * 1000 : 10000000);
	flush(&spread);
	if (capture_finish(spread.writer, &err))
		die(&err);
	printf("%u threads in %u streams\n", spread.threads, spread.cpus);
	return 0;
}
