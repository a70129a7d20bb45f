/*
 * span_run: an archive, or a capture. What is recorded: span_live.c.
 */
#include "span_run.h"

#include "path/archive_path.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/trace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As the header of perf.data begins, in either byte order. */
static bool is_capture(const char *path)
{
	char magic[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? 0 : read(fd, magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return got == sizeof(magic) &&
	       (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

bool span_run_is_file(const char *path)
{
	return archive_path_is(path) || is_capture(path);
}

int span_run_init(struct span_run *run, const char *path, const struct span_output *output,
		  struct error *err)
{
	const struct span_options *options = run->options;

	run->run = path && archive_path_is(path) ? run_new_archive() : run_new();
	run->engine = span_engine_new((const struct span *const *)options->span, options->spans,
				      run_trace(run->run), output);
	run_use_spans(run->run, run->engine);
	return options->by ? span_engine_group_by(run->engine, options->by, err) : 0;
}

void span_run_release(struct span_run *run)
{
	span_engine_free(run->engine);
	run_free(run->run);
}

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

	for (uint32_t i = 0; i < run->options->spans; i++)
		if (run->options->span[i]->source == SPAN_OF_TRACEPOINTS) {
			free(directory);
			return error_say(
				err, EINVAL,
				"span '%s': an archive has no tracepoints; a capture has (iotrace --capture FILE)",
				run->options->span[i]->name);
		}
	code = run_archive(run->run, &source, err);
	free(directory);
	return code;
}

int span_run_file(struct span_run *run, const char *path, struct error *err)
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
