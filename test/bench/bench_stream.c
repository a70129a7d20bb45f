/*
 * bench_stream: how many records per second the stream layer reads, orders and takes apart.
 *
 * Writes a capture of synthetic enter and exit records over some CPUs, as a drain would: round by
 * round, ring after ring. Then it reads it twice (the first time warms the page cache) and reports
 * the second. Usage:
 *   bench_stream [RECORDS [STREAMS [RECORDS_IN_A_ROUND [DIRECTORY]]]]
 */
#include "bench.h"

#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
	uint64_t records;
	uint32_t streams;
	uint32_t round;
	char *path;
};

enum {
	RAW_ENTER = 68,
	RAW_EXIT = 28,
	OUT_SIZE = 1 << 20,
	RECORD_ROOM = 256, /* for one record and the end of a round */
	FIRST_ID = 700,
	REPEAT = 7,
};

struct output {
	struct capture_info info;
	struct capture_writer *writer;
	uint8_t bytes[OUT_SIZE];
	size_t used;
};

static void describe(struct capture_info *info, const struct bench *bench)
{
	static const char *const name[] = {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
	uint64_t *id = mem_array(bench->streams, sizeof(*id));
	struct error err;

	capture_info_init(info);
	for (uint32_t e = 0; e < 2; e++) {
		for (uint32_t i = 0; i < bench->streams; i++)
			id[i] = FIRST_ID + e * bench->streams + i;
		attr.config = e;
		if (!capture_info_add_event(info, &attr, name[e], id, bench->streams, &err))
			die(&err);
	}
	free(id);
}

/* As the spool does it: small writes would leave the file in small pieces of the page cache. */
static void flush(struct output *out)
{
	struct error err;

	if (out->used && capture_write(out->writer, out->bytes, out->used, &err))
		die(&err);
	out->used = 0;
}

/*
 * Writes records [from, to) of a CPU: record k of it is at time (k * streams + something small) *
 * 100.
 */
static void write_ring(struct output *out, uint32_t cpu, const struct bench *bench, uint64_t from,
		       uint64_t to)
{
	static uint8_t raw[RAW_ENTER];

	for (uint64_t k = from; k < to; k++) {
		const struct capture_event *event = &out->info.event[k & 1];
		struct sample sample = {
			.type = PERF_RECORD_SAMPLE,
			.pid = 1000 + cpu,
			.tid = 1000 + cpu,
			.cpu = cpu,
			.time = 1000000 +
				(k * bench->streams + (k * 7 + cpu * 13) % bench->streams) * 100,
			.id = event->id[cpu],
			.raw = raw,
			.raw_size = k & 1 ? RAW_EXIT : RAW_ENTER,
		};

		if (out->used > OUT_SIZE - RECORD_ROOM)
			flush(out);
		out->used += sample_write(&sample, &event->layout, out->bytes + out->used,
					  OUT_SIZE - out->used);
	}
}

static void end_round(struct output *out)
{
	struct perf_event_header end = {.type = CAPTURE_RECORD_FINISHED_ROUND, .size = sizeof(end)};

	memcpy(out->bytes + out->used, &end, sizeof(end));
	out->used += sizeof(end);
}

static void write_capture(const struct bench *bench)
{
	uint64_t each = bench->records / bench->streams;
	uint64_t step = bench->round / bench->streams ? bench->round / bench->streams : 1;
	static struct output out;
	struct error err;

	describe(&out.info, bench);
	out.writer = capture_create(bench->path, &out.info, &err);
	if (!out.writer)
		die(&err);
	for (uint64_t from = 0; from < each; from += step) {
		uint64_t to = from + step < each ? from + step : each;

		for (uint32_t cpu = 0; cpu < bench->streams; cpu++)
			write_ring(&out, cpu, bench, from, to);
		end_round(&out);
	}
	flush(&out);
	if (capture_finish(out.writer, &err))
		die(&err);
	capture_info_release(&out.info);
}

/* Returns the number of records; *time_sum is something that the compiler cannot drop. */
static uint64_t drain(struct order *order, uint64_t *time_sum)
{
	struct sample sample;
	bool is_late;
	uint64_t n = 0;

	while (order_next(order, &sample, &is_late)) {
		*time_sum += sample.time ^ sample.raw_size;
		n++;
	}
	return n;
}

static double read_capture(const struct bench *bench, struct tally *tally, uint64_t *n,
			   uint64_t *sum)
{
	double start = now();
	struct capture_round round;
	struct error err;
	struct capture *capture = capture_open(bench->path, NULL, NULL, &err);
	struct order *order;
	int rc;

	if (!capture)
		die(&err);
	order = order_new(capture, tally);
	while ((rc = capture_next_round(capture, &round, &err)) > 0) {
		order_add_round(order, &round);
		*n += drain(order, sum);
	}
	if (rc < 0)
		die(&err);
	order_end(order);
	*n += drain(order, sum);
	order_free(order);
	capture_close(capture);
	return now() - start;
}

static void report(const struct bench *bench)
{
	double best = 1e9;
	uint64_t n = 0, sum = 0;
	struct tally tally;

	for (int i = 0; i < REPEAT; i++) {
		double seconds;

		n = 0;
		sum = 0;
		tally = (struct tally){{0}};
		seconds = read_capture(bench, &tally, &n, &sum);
		best = seconds < best ? seconds : best;
	}
	printf("%llu records, %u streams, rounds of %u: %.1f million/s, %.1f ns each, %llu late, check %llx\n",
	       (unsigned long long)n, bench->streams, bench->round, (double)n / best / 1e6,
	       best * 1e9 / (double)n, (unsigned long long)tally_get(&tally, late),
	       (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	struct bench bench = {.records = 5000000, .streams = 2, .round = 40000};

	if (argc > 1)
		bench.records = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		bench.streams = (uint32_t)strtoul(argv[2], NULL, 0);
	if (argc > 3)
		bench.round = (uint32_t)strtoul(argv[3], NULL, 0);
	if (!bench.streams || bench.streams > 8192) {
		fprintf(stderr,
			"usage: bench_stream [RECORDS [STREAMS [RECORDS_IN_A_ROUND [DIRECTORY]]]]\n");
		return 2;
	}
	bench.path = mem_format("%s/bench-stream-%d.data", argc > 4 ? argv[4] : "/tmp",
				(int)getpid());
	write_capture(&bench);
	report(&bench);
	unlink(bench.path);
	free(bench.path);
	return 0;
}
