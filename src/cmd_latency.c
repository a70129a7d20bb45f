/*
 * latency: how long spans take: of an archive, a capture, or what is recorded now.
 */
#include "command.h"
#include "span/span_options.h"
#include "span/span_print.h"
#include "span/span_run.h"

#include <iotrace/error.h>
#include <iotrace/probe.h>
#include <unistd.h>

struct latency_job {
	const struct span_options *options;
	struct span_run run;
	struct latency *all,
		*part;    /* part: since the last time that it was printed; NULL: it is not */
	uint64_t printed; /* of the monotonic clock */
	uint64_t from;    /* of the stream */
	bool has_command;
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

/* Standard output is the command's own, if there is one. */
static int text_fd(const struct latency_job *job)
{
	return job->has_command ? STDERR_FILENO : STDOUT_FILENO;
}

static struct span_tell tell_of(const struct latency_job *job, struct latency *latency)
{
	struct span_tell tell = span_tell_of(&job->run, text_fd(job));

	tell.latency = latency;
	return tell;
}

static int tell_all(struct latency_job *job, struct error *err)
{
	const struct span_options *options = job->options;
	struct span_tell tell = tell_of(job, job->all);
	int code = 0;

	if (options->heat.path)
		code = span_print(latency_svg, &tell, options->heat.path, -1, err);
	if (!code && options->json.is_wanted)
		code = span_print(latency_json, &tell, options->json.path, STDOUT_FILENO, err);
	if (code || (options->json.is_wanted && !options->json.path))
		return code;
	tell.has_heat = options->heat.is_wanted && !options->heat.path;
	return span_print(latency_text, &tell, NULL, text_fd(job), err);
}

static void tell_part(void *context)
{
	struct latency_job *job = context;
	uint64_t now = probe_now();
	struct span_tell tell;
	struct error err = {0};

	if (!job->printed)
		job->printed = now;
	if (now - job->printed < job->options->interval)
		return;
	job->printed = now;
	tell = tell_of(job, job->part);
	tell.from = job->from ? job->from : tell.from;
	tell.has_heat = false;
	tell.is_part = true;
	if (span_print(latency_text, &tell, NULL, text_fd(job), &err))
		command_complain(&err);
	job->from = tell.to;
	latency_clear(job->part);
}

static int run_job(struct latency_job *job, const char *file, int argc, char **argv)
{
	struct error err = {0};
	int status;

	job->run.options = (struct span_options *)(uintptr_t)job->options;
	if (span_run_init(&job->run, file,
			  &(const struct span_output){seen, job->options->context ? note : NULL,
						      job},
			  &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	if (job->part) {
		job->run.round = tell_part;
		job->run.context = job;
	}
	status = file ? span_print_of_file(&job->run, file) : span_run_live(&job->run, argc, argv);
	if (job->run.has_failed ||
	    (file && status == STATUS_FAILED && !span_engine_last(job->run.engine)))
		return status;
	if (tell_all(job, &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	return status;
}

static int latency(void *context, int argc, char **argv)
{
	struct span_options *options = context;
	const char *file = argc == 1 && span_run_is_file(argv[0]) ? argv[0] : NULL;
	struct latency_job job = {.options = options, .has_command = argc && !file};
	const struct latency_options numbers = {.above = options->above,
						.slowest = options->slowest,
						.context = options->context,
						.has_heat = options->heat.is_wanted};
	struct error err = {0};
	int status;

	if (span_options_complete(options, "call", &err) ||
	    (file ? span_options_check_file(options, file, &err)
		  : span_options_record(options, argc ? argv : NULL, &err)))
		return command_misused(&command_latency, &err);
	job.all = latency_new(&numbers);
	if (options->interval)
		job.part = latency_new(&(const struct latency_options){.above = options->above});
	status = run_job(&job, file, argc, argv);
	span_run_release(&job.run);
	latency_free(job.all);
	latency_free(job.part);
	return status;
}

static void init(void *options)
{
	span_options_init(options);
}

static void release(void *options)
{
	span_options_release(options);
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
	.init = init,
	.run = latency,
	.release = release,
};
