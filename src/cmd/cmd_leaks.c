/* leaks: spans that began and never ended, from an archive, a capture or a new recording. */
#include "analysis/span_print.h"
#include "analysis/span_run.h"
#include "command.h"
#include "span/span_options.h"

#include <iotrace/error.h>
#include <unistd.h>

struct leaks_job {
	const struct span_options *options;
	struct span_run *run;
	struct leaks all;
};

static void seen(void *context, const struct span_seen *span)
{
	struct leaks_job *job = context;

	leaks_seen(&job->all, span);
}

static void merge_stacks(const struct leaks_job *job, struct leaks *leaks)
{
	if (job->run->stacks)
		leaks_merge_stacks(leaks, span_stacks_same, job->run->stacks);
}

static int report_all(void *context, struct error *err)
{
	struct leaks_job *job = context;
	const struct span_file *json = &job->options->json;
	struct span_report report = span_report_of(job->run);
	int code;

	report.leaks = &job->all;
	report.start = job->run->now ? job->run->start : 0;
	merge_stacks(job, &job->all);
	code = json->is_wanted ? span_print(leaks_json, &report, json->path, STDOUT_FILENO, err)
			       : 0;
	if (code || (json->is_wanted && !json->path))
		return code;
	return span_print(leaks_text, &report, NULL, job->run->fd, err);
}

static void report_now(void *context)
{
	struct leaks_job *job = context;
	struct leaks now = {.older_than = job->options->older_than};
	struct span_report report = span_report_of(job->run);

	span_engine_look(job->run->engine, job->run->now, leaks_seen, &now);
	report.leaks = &now;
	report.start = job->run->start;
	report.from = report.to = job->run->now;
	merge_stacks(job, &now);
	report.is_part = true;
	span_print_part(job->run, leaks_text, &report);
	leaks_release(&now);
}

static int find_leaks(void *context, int argc, char **argv)
{
	struct span_options *options = context;
	struct leaks_job job = {.options = options, .all.older_than = options->older_than};
	const struct span_output output = {.seen = seen, .context = &job};
	struct span_run run = {.options = options,
			       .output = &output,
			       .round = options->interval ? report_now : NULL,
			       .report = report_all,
			       .context = &job};
	int status;

	job.run = &run;
	status = span_run_command(&run, &command_leaks, "fd", argc, argv);
	if (status == STATUS_OK && job.all.leaks)
		status = STATUS_FOUND;
	leaks_release(&job.all);
	return status;
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
	.init = span_options_init,
	.run = find_leaks,
	.release = span_options_release,
};
