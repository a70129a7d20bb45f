#include "span_print.h"

#include "command.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MODE = 0644 };

/* The same end as in `iotrace report`. The engine may have seen later events. */
static uint64_t end_of(const struct span_run *run)
{
	const struct trace_host *host = trace_host(run_trace(run->run));

	return host->first_time ? host->last_time : span_engine_last(run->engine);
}

struct span_report span_report_of(const struct span_run *run)
{
	const struct span_options *options = run->options;
	int columns = probe_columns(run->fd);

	return (struct span_report){
		.engine = run->engine,
		.span = (const struct span *const *)options->set.span,
		.spans = options->set.spans,
		.trace = run_trace(run->run),
		.tally = run_tally(run->run),
		.from = span_engine_first(run->engine),
		.to = end_of(run),
		.columns = columns > 0 ? (size_t)columns : 0,
		.has_style = sink_has_style(columns),
		.has_histogram = options->has_histogram,
		.has_heat = options->heat.is_wanted,
		.top = options->top,
		.symbols = span_stacks_symbols(run->stacks, run),
	};
}

/* Returns 0, 1 if the reader of the descriptor has gone, or -errno with a message. */
static int print(void (*how)(const struct span_report *, FILE *), const struct span_report *report,
		 const char *path, int fd, struct error *err)
{
	char *text = NULL;
	size_t size = 0, blank;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out)
		return error_set(err, errno, "memory");
	how(report, out);
	fclose(out);
	blank = *text == '\n'; /* there is no blank line before the first table */
	code = path ? place_write(path, text + blank, size - blank, FILE_MODE, err)
		    : place_write_all(fd, text + blank, size - blank);
	if (!path && code && code != -EPIPE)
		error_set(err, -code, "cannot write to standard %s",
			  fd == STDERR_FILENO ? "error" : "output");
	free(text);
	return !path && code == -EPIPE ? 1 : code;
}

int span_print(void (*how)(const struct span_report *, FILE *), const struct span_report *report,
	       const char *path, int fd, struct error *err)
{
	int code = print(how, report, path, fd, err);

	return code < 0 ? code : 0; /* it is not an error if the reader has gone */
}

void span_print_part(struct span_run *run, void (*how)(const struct span_report *, FILE *),
		     const struct span_report *report)
{
	const struct span_options *options = run->options;
	struct error err = {0};
	int code = print(how, report, NULL, run->fd, &err);

	if (code < 0)
		command_complain(&err);
	else if (code && run->live && !options->json.path && !options->heat.path)
		live_end_at_limit(run->live);
}
