/* bpf_span_attach: which programs a span needs, and how they are attached to its events. */
#include "bpf_span_async.h"
#include "bpf_span_fault.h"
#include "bpf_span_format.h"
#include "bpf_span_private.h"
#include "bpf_span_request.h"
#include "feature/bpf_bind.h"
#include "perf/tracefs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROW(of, point, take)                                                                       \
	[point] = {programs->progs.span_##of, programs->progs.probe_##of,                          \
		   programs->progs.enter_##of},

struct bpf_program *bpf_span_program(const struct span_bpf *programs, int point, int kind)
{
	struct bpf_program *const program[BPF_SPAN_POINTS][BPF_SPAN_KINDS] = {
		BPF_SPAN_EACH_POINT(ROW)};

	return program[point][kind];
}

bool bpf_span_uses(const struct bpf_span *span, const struct counted_span *counted, int point,
		   int kind)
{
	const struct bpf_span_probes *probes = &span->plan.probes;

	switch (kind) {
	case BPF_SPAN_AT_EVENT:
		return counted->point[point].event && !probes->of[point].sites &&
		       !span->plan.spec.point[point].call;
	case BPF_SPAN_AT_PROBE:
		return probes->of[point].sites;
	default:
		return probes->entry[point].fields;
	}
}

/*
 * An event that is not enabled still runs its programs, on all CPUs, and does nothing else. Those of a probe run only in processes
 * that have an event of it.
 */
static int attach(int *event, const char *format, const struct bpf_program *program, pid_t pid,
		  int cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = (uint64_t)tracefs_id(format),
				       .sample_period = 1,
				       .disabled = 1};

	*event = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (*event < 0)
		return -errno;
	return ioctl(*event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) ? -errno : 0;
}

static int attach_probe(int *event, const char *name, const struct bpf_program *program,
			const struct bpf_span_options *options)
{
	char *format = bpf_span_read_format(options, name, NULL);
	bool is_of_process = options->pid > 0;
	int code = format ? attach(event, format, program, options->pid,
				   is_of_process ? -1 : (int)options->cpu)
			  : -ENOENT;

	free(format);
	return code;
}

static int attach_kind(struct bpf_span *span, int i, int kind,
		       const struct bpf_span_options *options, const char *format)
{
	const struct counted_point *point = &options->span->point[i];
	const struct bpf_program *program = bpf_span_program(span->programs, i, kind);

	if (!bpf_span_uses(span, options->span, i, kind))
		return 0;
	switch (kind) {
	case BPF_SPAN_AT_EVENT:
		return attach(&span->event[i], format, program, -1, (int)options->cpu);
	case BPF_SPAN_AT_PROBE:
		return attach_probe(&span->event[i], point->event, program, options);
	default:
		return attach_probe(&span->entry[i], point->entry, program, options);
	}
}

static int attach_rest(struct bpf_span *span, struct error *err)
{
	struct span_bpf *programs = span->programs;
	int code = 0;
	const struct {
		struct bpf_link **link;
		struct bpf_program *program;
	} row[] = {
		{&programs->links.span_at_return, programs->progs.span_at_return},
		{&programs->links.span_at_call, programs->progs.span_at_call},
		{&programs->links.file_at_return, programs->progs.file_at_return},
		{&programs->links.file_at_call, programs->progs.file_at_call},
		{&programs->links.thread_ends, programs->progs.thread_ends},
		{&programs->links.thread_executes, programs->progs.thread_executes},
		{&programs->links.thread_begins, programs->progs.thread_begins},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row) && !code; i++)
		code = bpf_bind_attach_loaded(row[i].link, row[i].program, err);
	if (!code)
		code = bpf_span_attach_async(programs, err);
	return code ? code : bpf_span_attach_faults(programs, err);
}

/*
 * One event may end a span and begin the next, so the end comes first, as in the engine. Programs of a tracepoint run in the order in
 * which they are attached. The kernel runs those of probes at the same place the other way round, as it takes their samples. Entries come
 * last: their values are for returns that are attached.
 */
int bpf_span_attach(struct bpf_span *span, const struct bpf_span_options *options,
		    char *const format[BPF_SPAN_POINTS], struct error *err)
{
	static const int of_events[BPF_SPAN_POINTS] = {
		BPF_SPAN_END,    BPF_SPAN_END_2,    BPF_SPAN_END_3, BPF_SPAN_END_4,
		BPF_SPAN_CANCEL, BPF_SPAN_CANCEL_2, BPF_SPAN_BEGIN, BPF_SPAN_BEGIN_2,
	};
	static const int of_probes[BPF_SPAN_POINTS] = {
		BPF_SPAN_BEGIN, BPF_SPAN_BEGIN_2, BPF_SPAN_END,    BPF_SPAN_END_2,
		BPF_SPAN_END_3, BPF_SPAN_END_4,   BPF_SPAN_CANCEL, BPF_SPAN_CANCEL_2,
	};

	for (int i = 0; i < BPF_SPAN_KINDS * BPF_SPAN_POINTS; i++) {
		int kind = i / BPF_SPAN_POINTS, number = i % BPF_SPAN_POINTS;
		int point = kind == BPF_SPAN_AT_EVENT ? of_events[number] : of_probes[number];
		int code = attach_kind(span, point, kind, options, format[point]);

		if (code)
			return error_set(err, -code, "cannot attach a BPF program to tracepoint %s",
					 options->span->point[point].event);
	}
	if (span->plan.spec.is_of_requests)
		return bpf_span_attach_requests(span->programs, err);
	return attach_rest(span, err);
}
