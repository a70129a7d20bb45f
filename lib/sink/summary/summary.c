/* summary: the sink. It collects while events arrive, and writes the summary in close(). */
#include "summary.h"
#include "sinks.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sink {
	const struct sink_options *options; /* lent */
	struct collect collect;
};

static struct sink *summary_open(const struct sink_options *options, struct error *err)
{
	struct sink *sink;

	(void)err;
	sink = mem_zero(sizeof(*sink));
	sink->options = options;
	collect_init(&sink->collect, options->trace);
	return sink;
}

static void summary_event(struct sink *sink, const struct io_event *event)
{
	collect_event(&sink->collect, event);
}

static int summary_put(const struct sink_options *options, const char *text, size_t size,
		       struct error *err)
{
	const char *path = options->path;
	int code;

	if (!path || !strcmp(path, "-")) {
		/* One call, so that lines of the command do not come in between. */
		code = place_write_all(options->is_on_stdout ? STDOUT_FILENO : STDERR_FILENO, text,
				       size);
		/* It is not an error if the reader has gone. */
		return !code || code == -EPIPE
			       ? 0
			       : error_set(err, -code, "summary: cannot write to standard %s",
					   options->is_on_stdout ? "output" : "error");
	}
	if (place_write(path, text, size, sink_mode(options), err))
		return error_wrap(err, "summary");
	return 0;
}

static void print_summary(struct sink *sink, FILE *out)
{
	const struct sink_options *options = sink->options;
	const struct summary summary = {options, &sink->collect};

	collect_faults_judge(&sink->collect.faults);
	if (options->is_json)
		summary_json(&summary, out);
	else
		summary_text(&summary, !options->path && sink_has_style((int)options->columns),
			     out);
}

static int summary_close(struct sink *sink, struct error *err)
{
	const struct sink_options *options = sink->options;
	char *text = NULL;
	size_t size = 0;
	FILE *out = options->is_discarded ? NULL : open_memstream(&text, &size);
	int rc = 0;

	if (out) {
		print_summary(sink, out);
		rc = fclose(out) ? error_set(err, errno, "summary")
				 : summary_put(options, text, size, err);
	} else if (!options->is_discarded) {
		rc = error_set(err, errno, "summary");
	}
	free(text);
	collect_release(&sink->collect);
	free(sink);
	return rc;
}

const struct sink_ops sink_summary_ops = {
	.name = "summary",
	.help = "a summary of calls, processes, files and devices",
	.open = summary_open,
	.event = summary_event,
	.close = summary_close,
};
