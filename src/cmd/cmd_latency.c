/* latency: durations of spans, from an archive, a capture or a new recording. */
#include "analysis/span_counted.h"
#include "analysis/span_print.h"
#include "analysis/span_run.h"
#include "command.h"
#include "span/span_options.h"

#include <iotrace/counted_read.h>
#include <iotrace/error.h>
#include <unistd.h>

struct latency_job {
	const struct span_options *options;
	struct span_run *run;
	struct latency *all, *part; /* part: since it was last printed; NULL: not printed */
	uint64_t from;              /* begin of the part; 0: it is the first */
};

static void seen(void *context, const struct span_seen *span)
{
	struct latency_job *job = context;

	latency_seen(job->all, span);
	if (job->part)
		latency_seen(job->part, span);
}

static void note(void *context, const struct span_note *what)
{
	struct latency_job *job = context;

	latency_note(job->all, what);
}

static void report_part(struct latency_job *job, uint64_t to)
{
	struct span_report report = span_report_of(job->run);

	report.latency = job->part;
	report.start = job->run->start;
	report.from = job->from ? job->from : report.start;
	report.to = to > report.from ? to : report.from;
	report.has_heat = false;
	report.is_part = true;
	span_print_part(job->run, latency_text, &report);
	job->from = report.to;
	latency_clear(job->part);
}

static void report_now(void *context)
{
	struct latency_job *job = context;

	span_counted_take_part(job->run, job->all, job->part);
	run_define_spans(job->run->run);
	report_part(job, job->run->now);
}

/* Prints what ended since the last time, so that the parts add up to the whole. */
static void report_last(struct latency_job *job)
{
	const struct latency_group *const *group;
	uint64_t end = span_engine_last(job->run->engine);

	if (job->from && (end > job->from || latency_groups(job->part, &group)))
		report_part(job, end);
}

static int report_all(void *context, struct error *err)
{
	struct latency_job *job = context;
	const struct span_options *options = job->options;
	struct span_report report = span_report_of(job->run);
	int code = 0;

	report_last(job);
	report.latency = job->all;
	report.start = job->from ? job->run->start : 0;
	if (options->heat.path)
		code = span_print(latency_svg, &report, options->heat.path, -1, err);
	if (!code && options->json.is_wanted)
		code = span_print(latency_json, &report, options->json.path, STDOUT_FILENO, err);
	if (code || (options->json.is_wanted && !options->json.path))
		return code;
	report.has_heat = options->heat.is_wanted && !options->heat.path;
	return span_print(latency_text, &report, NULL, job->run->fd, err);
}

/* Numbers of the kernel are those of the moment when they are read; events of others arrive later. */
static int started(void *context, struct live *live, struct error *err)
{
	struct latency_job *job = context;
	const struct span_options *options = job->options;

	(void)err;
	span_counted_begin(job->run);
	job->run->is_prompt = options->counted_count == options->set.spans;
	for (uint32_t i = 0; i < options->counted_count; i++)
		job->run->is_prompt &= !live_counted_why(live, i);
	return 0;
}

static void take_counted(void *context, struct live *live)
{
	struct latency_job *job = context;

	(void)live;
	span_counted_take(job->run, job->all, job->part);
}

static int latency(void *context, int argc, char **argv)
{
	struct span_options *options = context;
	struct latency_job job = {.options = options};
	const struct span_output output = {.seen = seen,
					   .note = options->context ? note : NULL,
					   .context = &job};
	struct span_run run = {.options = options,
			       .output = &output,
			       .round = options->interval ? report_now : NULL,
			       .started = started,
			       .ended = take_counted,
			       .report = report_all,
			       .context = &job};
	const struct latency_options numbers = {.above = options->above,
						.slowest = options->slowest,
						.context = options->context,
						.has_heat = options->heat.is_wanted};
	int status;

	options->is_countable = true;
	job.run = &run;
	job.all = latency_new(&numbers);
	if (options->interval)
		job.part = latency_new(&(const struct latency_options){.above = options->above});
	status = span_run_command(&run, &command_latency, "call", argc, argv);
	latency_free(job.all);
	latency_free(job.part);
	return status;
}

const struct command command_latency = {
	.name = "latency",
	.help = "Measures how long system calls, operations, block requests or other spans take,\nwhile COMMAND runs, or in an archive or a capture.",
	.operands = "[--] COMMAND [ARG]... | FILE",
	.about = "FILE is an archive, a capture of iotrace (--capture), or a file of perf record.\n"
		 "The tables go to standard output, with a COMMAND to standard error.\n",
	.row = span_latency_rows,
	.runs_command = true,
	.needs_rights = true,
	.size = sizeof(struct span_options),
	.init = span_options_init,
	.run = latency,
	.release = span_options_release,
};
