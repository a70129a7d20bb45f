/*
 * leaks: what began and never ended: of an archive, a capture, or what is recorded now.
 */
#include "command.h"
#include "span/span_options.h"
#include "span/span_print.h"
#include "span/span_run.h"

#include <iotrace/error.h>
#include <iotrace/probe.h>
#include <unistd.h>

struct leaks_job {
	const struct span_options *options;
	struct span_run run;
	struct leaks all;
	uint64_t printed; /* of the monotonic clock */
	bool has_command;
};

static void seen(void *context, const struct span_seen *span)
{
	struct leaks_job *job = context;

	leaks_seen(&job->all, span);
}

/* Standard output is the command's own, if there is one. */
static int text_fd(const struct leaks_job *job)
{
	return job->has_command ? STDERR_FILENO : STDOUT_FILENO;
}

static int tell_all(struct leaks_job *job, struct error *err)
{
	const struct span_file *json = &job->options->json;
	struct span_tell tell = span_tell_of(&job->run, text_fd(job));
	int code;

	tell.leaks = &job->all;
	code = json->is_wanted ? span_print(leaks_json, &tell, json->path, STDOUT_FILENO, err) : 0;
	if (code || (json->is_wanted && !json->path))
		return code;
	return span_print(leaks_text, &tell, NULL, text_fd(job), err);
}

static void tell_now(void *context)
{
	struct leaks_job *job = context;
	struct leaks now = {.older_than = job->options->older_than};
	uint64_t time = probe_now();
	struct error err = {0};
	struct span_tell tell;

	if (!job->printed)
		job->printed = time;
	if (time - job->printed < job->options->interval)
		return;
	job->printed = time;
	span_engine_look(job->run.engine, leaks_seen, &now);
	tell = span_tell_of(&job->run, text_fd(job));
	tell.leaks = &now;
	tell.is_part = true;
	if (span_print(leaks_text, &tell, NULL, text_fd(job), &err))
		command_complain(&err);
	leaks_release(&now);
}

static int run_job(struct leaks_job *job, const char *file, int argc, char **argv)
{
	const struct span_output output = {seen, NULL, job};
	struct error err = {0};
	int status;

	job->run.options = (struct span_options *)(uintptr_t)job->options;
	if (span_run_init(&job->run, file, &output, &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	if (job->options->interval) {
		job->run.round = tell_now;
		job->run.context = job;
	}
	status = file ? span_print_of_file(&job->run, file) : span_run_live(&job->run, argc, argv);
	if (job->run.has_failed)
		return status;
	if (tell_all(job, &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	return status == STATUS_OK && job->all.leaks ? STATUS_FOUND : status;
}

static int find_leaks(void *context, int argc, char **argv)
{
	struct span_options *options = context;
	const char *file = argc == 1 && span_run_is_file(argv[0]) ? argv[0] : NULL;
	struct leaks_job job = {.options = options,
				.all.older_than = options->older_than,
				.has_command = argc && !file};
	struct error err = {0};
	int status;

	if (span_options_complete(options, "fd", &err) ||
	    (file ? span_options_check_file(options, file, &err)
		  : span_options_record(options, argc ? argv : NULL, &err)))
		return command_misused(&command_leaks, &err);
	status = run_job(&job, file, argc, argv);
	span_run_release(&job.run);
	leaks_release(&job.all);
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

const struct command command_leaks = {
	.name = "leaks",
	.help = "Finds what began and never ended, such as files that nobody closes,\nwhile COMMAND runs, or in an archive or a capture.",
	.operands = "[--] COMMAND [ARG]... | FILE",
	.about = "FILE is an archive, a capture of iotrace (--capture), or a file of perf record.\n"
		 "The exit status is 1 if there are leaks, but that of a COMMAND that fails.\n",
	.row = span_leaks_rows,
	.runs_command = true,
	.needs_rights = true,
	.size = sizeof(struct span_options),
	.init = init,
	.run = find_leaks,
	.release = release,
};
