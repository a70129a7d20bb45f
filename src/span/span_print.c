/*
 * span_print: see span_print.h.
 */
#include "span_print.h"

#include "command.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MODE = 0644 };

struct span_tell span_tell_of(const struct span_run *run, int fd)
{
	const struct span_options *options = run->options;
	int columns = probe_columns(fd);
	const char *no_color = getenv("NO_COLOR");

	return (struct span_tell){
		.engine = run->engine,
		.span = (const struct span *const *)options->span,
		.spans = options->spans,
		.trace = run_trace(run->run),
		.tally = run_tally(run->run),
		.from = span_engine_first(run->engine),
		.to = span_engine_last(run->engine),
		.columns = columns > 0 ? (size_t)columns : 0,
		.has_style = columns > 0 && (!no_color || !*no_color),
		.has_histogram = options->has_histogram,
		.has_heat = options->heat.is_wanted,
		.top = options->top,
	};
}

static int put_all(int fd, const char *at, size_t left)
{
	while (left) {
		ssize_t put = write(fd, at, left);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			at += put;
			left -= (size_t)put;
		}
	}
	return 0;
}

int span_print(void (*how)(const struct span_tell *, FILE *), const struct span_tell *tell,
	       const char *path, int fd, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out)
		return error_set(err, errno, "memory");
	how(tell, out);
	fclose(out);
	code = path ? place_write(path, text, size, FILE_MODE, err) : put_all(fd, text, size);
	/* That nobody reads any more is nobody's loss. */
	if (!path && code && code != -EPIPE)
		error_set(err, -code, "write to standard %s",
			  fd == STDERR_FILENO ? "error" : "output");
	free(text);
	return code == -EPIPE ? 0 : code;
}

int span_print_of_file(struct span_run *run, const char *file)
{
	struct error err = {0};
	int code = span_run_file(run, file, &err);

	if (code < 0) {
		command_complain(&err);
		run->has_failed = !span_engine_last(run->engine);
	} else if (code) {
		log_warn("stopped: these are the numbers of a part of %s", file);
	}
	return code ? STATUS_FAILED : STATUS_OK;
}
