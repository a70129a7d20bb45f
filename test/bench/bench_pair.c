/*
 * bench_pair: how many system calls per second, paired by the kernel, each stage of a conversion takes.
 *
 * Writes a capture as a recording through BPF would: on each CPU a thread of its own process opens one of a few
 * files, reads it many times and closes it. Then it takes it through stream, decode, model and the OTF2 sink, one stage
 * more each time, and reports CPU time. Usage:
 *   bench_pair [OPERATIONS [STREAMS [CALLS_FOR_AN_OPEN [DIRECTORY]]]]
 * With a fifth argument the capture is only written, to that file.
 */
#include "bench.h"

#include <iotrace/bpf_record.h>
#include <iotrace/capture.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/model.h>
#include <iotrace/order.h>
#include <iotrace/sink.h>
#include <iotrace/tally.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bench {
	uint64_t operations;
	uint32_t streams, calls;
	char *path, *archive;
};

enum { ROUND = 8192, OUT_SIZE = 1 << 20, BPF_ID = 700, FACT_ID = 800, REPEAT = 5, FILES = 50 };
enum stage { STAGE_STREAM, STAGE_DECODE, STAGE_MODEL, STAGE_OTF2, STAGES };

/* Where the records of one CPU are put together. */
struct writer {
	struct capture_writer *capture;
	const struct capture_info *info;
	uint32_t cpu;
	uint64_t time, position, done;
	uint32_t left; /* calls until the close */
	uint8_t out[OUT_SIZE];
	size_t used;
};

static void describe(struct capture_info *info, uint32_t streams)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
	uint64_t fact = FACT_ID, *id = mem_array(streams, sizeof(*id));
	struct error err;

	capture_info_init(info);
	for (uint32_t i = 0; i < streams; i++)
		id[i] = BPF_ID + FACT_ID * i;
	if (!capture_info_add_event(info, &attr, FACT_EVENT_NAME, &fact, 1, &err) ||
	    !capture_info_add_event(info, &attr, BPF_RECORD_EVENT_NAME, id, streams, &err))
		die(&err);
	free(id);
}

static void flush(struct writer *w)
{
	struct error err;

	if (w->used && capture_write(w->capture, w->out, w->used, &err))
		die(&err);
	w->used = 0;
}

static void put(struct writer *w, uint32_t event, uint32_t cpu, const void *raw, size_t size)
{
	struct sample sample = {
		.type = PERF_RECORD_SAMPLE,
		.pid = 1000 + w->cpu,
		.tid = 1000 + w->cpu,
		.cpu = cpu,
		.time = w->time,
		.id = w->info->event[event].id[event ? w->cpu : 0],
		.raw = raw,
		.raw_size = (uint32_t)size,
	};

	if (w->used > OUT_SIZE - 4096)
		flush(w);
	w->used += sample_write(&sample, &w->info->event[event].layout, w->out + w->used,
				OUT_SIZE - w->used);
}

static void put_call(struct writer *w, struct bpf_record_call *call, enum bpf_record_kind kind,
		     const void *parts, size_t size)
{
	uint8_t raw[1024];

	call->head.kind = (uint16_t)kind;
	call->head.size = sizeof(*call);
	memcpy(raw, call, sizeof(*call));
	if (size)
		memcpy(raw + sizeof(*call), parts, size);
	put(w, 1, w->cpu, raw, sizeof(*call) + size);
}

static void put_open(struct writer *w)
{
	struct bpf_record_call call = {.head.parts = 1,
				       .number = SYS_openat,
				       .begin = w->time,
				       .position = UINT64_MAX,
				       .result = 3,
				       .arg = {(uint64_t)AT_FDCWD, 0, O_RDWR}};
	struct {
		struct bpf_part_file file;
		char names[64];
	} part = {.file = {.part.kind = BPF_PART_FILE, .fd = 3, .mode = 0100644, .major = 8}};
	size_t names = (size_t)snprintf(part.names, sizeof(part.names), "file.%u%cdata%csrv",
					(unsigned int)(w->done % FILES), 0, 0) +
		       1;

	part.file.ino = 1 + w->done % FILES;
	part.file.part.size = (uint16_t)(sizeof(part.file) + names);
	w->time += 900;
	put_call(w, &call, BPF_RECORD_CALL, &part, sizeof(part.file) + (names + 7) / 8 * 8);
	w->position = 0;
}

static void put_read(struct writer *w)
{
	struct bpf_record_call call = {.number = SYS_read, .begin = w->time, .arg = {3, 0, 4096}};

	w->time += 400;
	w->position += 4096;
	call.result = 4096;
	call.position = w->position;
	put_call(w, &call, BPF_RECORD_CALL, NULL, 0);
	w->time += 150;
}

static void put_close(struct writer *w)
{
	struct bpf_record_call call = {.number = SYS_close, .begin = w->time, .arg = {3}};

	put_call(w, &call, BPF_RECORD_ENTER, NULL, 0);
	w->time += 300;
	put_call(w, &call, BPF_RECORD_EXIT, NULL, 0);
	w->time += 100;
}

/* One operation, with the open or close that belongs to it. */
static void put_operation(struct writer *w, uint32_t calls)
{
	if (!w->left) {
		put_open(w);
		w->left = calls;
	}
	put_read(w);
	w->done++;
	if (!--w->left)
		put_close(w);
}

static void put_task(struct writer *w)
{
	struct fact fact = {.kind = FACT_TASK,
			    .number = {1000 + w->cpu, 1000 + w->cpu, 1, 0, 0},
			    .string = {{"storm", 5}, {"/bin/storm", 10}}};
	uint8_t raw[512];

	put(w, 0, SAMPLE_CPU_NONE, raw, fact_encode(&fact, raw, sizeof(raw)));
}

static void write_rounds(struct writer *w, const struct bench *bench)
{
	struct perf_event_header end = {.type = CAPTURE_RECORD_FINISHED_ROUND, .size = sizeof(end)};
	uint64_t each = bench->operations / bench->streams;
	struct error err;

	for (uint64_t done = 0; done < each; done += ROUND) {
		for (uint32_t cpu = 0; cpu < bench->streams; cpu++) {
			for (uint32_t i = 0; i < ROUND && done + i < each; i++)
				put_operation(&w[cpu], bench->calls);
			flush(&w[cpu]);
		}
		if (capture_write(w->capture, &end, sizeof(end), &err))
			die(&err);
	}
}

static void write_capture(const struct bench *bench)
{
	struct writer *w = mem_array(bench->streams, sizeof(*w));
	struct capture_writer *writer;
	struct capture_info info;
	struct error err;

	describe(&info, bench->streams);
	writer = capture_create(bench->path, &info, &err);
	if (!writer)
		die(&err);
	for (uint32_t i = 0; i < bench->streams; i++) {
		w[i].capture = writer;
		w[i].info = &info;
		w[i].cpu = i;
		w[i].time = 1000000;
		put_task(&w[i]);
		flush(&w[i]);
		w[i].time += 13 * i + 1000;
	}
	write_rounds(w, bench);
	if (capture_finish(writer, &err))
		die(&err);
	capture_info_release(&info);
	free(w);
}

struct run {
	struct order *order;
	struct decode *decode;
	struct model *model;
	struct sink *sink;
	uint64_t sum; /* something that the compiler cannot drop */
	uint64_t io_events;
};

static void output(void *context, const struct io_event *event)
{
	struct run *run = context;

	run->io_events++;
	if (run->sink)
		sink_find("otf2")->event(run->sink, event);
}

static void drain(struct run *run)
{
	struct sample sample;
	struct event event;
	bool is_late;

	while (order_next(run->order, &sample, &is_late)) {
		run->sum += sample.time;
		if (!run->decode || decode_sample(run->decode, &sample, is_late, &event) != 1)
			continue;
		run->sum += event.tid;
		if (run->model)
			model_event(run->model, &event);
	}
}

static void finish(struct run *run)
{
	struct error err;

	if (run->model)
		model_end(run->model);
	if (run->sink && sink_find("otf2")->close(run->sink, &err))
		die(&err);
	model_free(run->model);
	decode_free(run->decode);
	order_free(run->order);
}

static double convert(const struct bench *bench, enum stage stage, struct tally *tally)
{
	double start = now();
	struct capture_round round;
	struct run run = {0};
	struct error err;
	struct capture *capture = capture_open(bench->path, NULL, NULL, &err);
	struct sink_options options = {.path = bench->archive, .tally = tally};
	int rc;

	if (!capture)
		die(&err);
	run.order = order_new(capture, tally);
	if (stage >= STAGE_DECODE)
		run.decode = decode_new(capture_info(capture), tally, &err);
	if (stage >= STAGE_MODEL)
		options.model = run.model = model_new(tally, output, &run);
	if (stage >= STAGE_OTF2)
		run.sink = sink_find("otf2")->open(&options, &err);
	if (stage >= STAGE_OTF2 && !run.sink)
		die(&err);
	while ((rc = capture_next_round(capture, &round, &err)) > 0) {
		order_add_round(run.order, &round);
		drain(&run);
	}
	if (rc < 0)
		die(&err);
	order_end(run.order);
	drain(&run);
	finish(&run);
	capture_close(capture);
	return now() - start;
}

static void discard(const char *archive)
{
	char *command = mem_format("rm -rf '%s'", archive);

	if (system(command))
		fprintf(stderr, "bench_pair: %s stays\n", archive);
	free(command);
}

static void report(const struct bench *bench)
{
	static const char *const name[STAGES] = {"stream", "decode", "model", "otf2"};

	for (int stage = 0; stage < STAGES; stage++) {
		double best = 1e9;

		for (int i = 0; i < REPEAT; i++) {
			struct tally tally = {{0}};
			double seconds = convert(bench, (enum stage)stage, &tally);

			best = seconds < best ? seconds : best;
			if (stage == STAGE_OTF2)
				discard(bench->archive);
			if (stage >= STAGE_MODEL &&
			    tally_get(&tally, completed) !=
				    bench->operations / bench->streams * bench->streams)
				fprintf(stderr, "bench_pair: %llu operations, not %llu\n",
					(unsigned long long)tally_get(&tally, completed),
					(unsigned long long)bench->operations);
		}
		printf("up to %-7s%6.1f ns of CPU an operation, %5.2f million/s\n", name[stage],
		       best * 1e9 / (double)bench->operations,
		       (double)bench->operations / best / 1e6);
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {.operations = 2000000, .streams = 2, .calls = 1000};
	const char *directory = argc > 4 ? argv[4] : "/tmp";

	if (argc > 1)
		bench.operations = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		bench.streams = (uint32_t)strtoul(argv[2], NULL, 0);
	if (argc > 3)
		bench.calls = (uint32_t)strtoul(argv[3], NULL, 0);
	if (!bench.streams || bench.streams > 1024 || !bench.calls || !bench.operations) {
		fprintf(stderr, "usage: bench_pair [OPERATIONS [STREAMS [CALLS_FOR_AN_OPEN "
				"[DIRECTORY [FILE]]]]]\n");
		return 2;
	}
	bench.path = argc > 5 ? mem_strdup(argv[5])
			      : mem_format("%s/bench-pair-%d.data", directory, (int)getpid());
	bench.archive = mem_format("%s/bench-pair-%d", directory, (int)getpid());
	write_capture(&bench);
	if (argc <= 5) {
		report(&bench);
		unlink(bench.path);
	}
	free(bench.path);
	free(bench.archive);
	return 0;
}
