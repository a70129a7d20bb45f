/* span_run: runs `latency` and `leaks`, and reads archives and captures. span_live.c records. */
#include "span_run.h"

#include "path/archive_path.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/trace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool is_asked_to_stop(void *context)
{
	sigset_t pending;

	(void)context;
	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

static int read_archive(struct span_run *run, const char *path, struct error *err)
{
	char *directory = archive_path(path);
	const struct run_source source = {.path = directory, .should_stop = is_asked_to_stop};
	int code;

	code = run_archive(run->run, &source, err);
	free(directory);
	return code;
}

static int read_file(struct span_run *run, const char *path, struct error *err)
{
	const struct run_source source = {.path = path, .should_stop = is_asked_to_stop};
	const char *remark;
	int code;

	hold_signals();
	if (archive_path_is(path))
		code = read_archive(run, path, err);
	else
		code = run_convert(run->run, &source, err);
	for (uint32_t i = 0; (remark = run_warning(run->run, i)); i++)
		log_warn("%s", remark);
	span_engine_end(run->engine);
	return code;
}

static int status_of_file(struct span_run *run, const char *file)
{
	struct error err = {0};
	int code = read_file(run, file, &err);

	run->has_failed = code && !span_engine_last(run->engine);
	if (code < 0)
		command_complain(&err);
	else if (code)
		log_warn("stopped: these are the numbers of a part of %s", file);
	return code ? STATUS_FAILED : STATUS_OK;
}

/* Creates run and engine. */
static int init(struct span_run *run, const char *file, struct error *err)
{
	const struct span_options *options = run->options;

	run->run = file && archive_path_is(file) ? run_new_archive() : run_new();
	run->engine = span_engine_new((const struct span *const *)options->set.span,
				      options->set.spans, run_trace(run->run), run->output);
	if (options->has_stacks) {
		span_engine_use_stacks(run->engine);
		run->stacks = span_stacks_new(&options->record.recording);
	}
	if (options->by && (!strcmp(options->by, "process") || !strcmp(options->by, "thread")))
		span_engine_keep_names(run->engine); /* the names of groups */
	run_use_spans(run->run, run->engine);
	return options->by ? span_engine_group_by(run->engine, options->by, err) : 0;
}

static int run_it(struct span_run *run, const char *file, int argc, char **argv)
{
	struct error err = {0};
	int status;

	if (init(run, file, &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	status = file ? status_of_file(run, file) : span_run_live(run, argc, argv);
	if (run->has_failed || !run->report(run->context, &err))
		return status;
	command_complain(&err);
	return STATUS_FAILED;
}

static bool is_recording(const char *path)
{
	return archive_path_is(path) || archive_path_is_capture(path);
}

int span_run_command(struct span_run *run, const struct command *command, const char *otherwise,
		     int argc, char **argv)
{
	const char *file = argc == 1 && is_recording(argv[0]) ? argv[0] : NULL;
	struct error err = {0};
	int status;

	if (argc > 1 && *argv[1] == '-' && is_recording(argv[0])) {
		error_say(&err, EINVAL, "%s: options such as %s come before the file", argv[0],
			  argv[1]);
		return command_misused(command, &err);
	}
	run->options->is_of_archive = file && archive_path_is(file);
	if (span_options_complete(run->options, otherwise, &err) ||
	    (file ? span_options_check_file(run->options, file, &err)
		  : span_options_record(run->options, argc ? argv : NULL, &err)))
		return command_misused(command, &err);
	run->fd = argc && !file ? STDERR_FILENO : STDOUT_FILENO;
	status = run_it(run, file, argc, argv);
	span_engine_free(run->engine);
	span_stacks_free(run->stacks);
	run_free(run->run);
	return status;
}
