/*
 * output: order matters at the end. The archive is closed first. Before it gets its name, iotrace.json is added with the final
 * counters. The summary comes last, so it can name both.
 */
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/books.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/nearest.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const summary_word[] = {
	[OUTPUT_TEXT] = "text",
	[OUTPUT_JSON] = "json",
	[OUTPUT_NONE] = "none",
};

static const char *const sort_word[SORTS] = {
	[SORT_DATA] = "data", [SORT_READ] = "read",   [SORT_WRITTEN] = "written",
	[SORT_TIME] = "time", [SORT_CALLS] = "calls",
};

enum { SUMMARY_WORDS = sizeof(summary_word) / sizeof(*summary_word), TOP_MOST = 10000 };

int output_parse_format(void *format, const char *arg, struct error *err)
{
	struct nearest nearest;
	const struct sink_ops *ops;

	nearest_init(&nearest, arg);
	for (uint32_t i = 0; (ops = sink_at(i)); i++) {
		if (!strcmp(ops->name, "summary")) /* it has an option of its own */
			continue;
		if (!strcmp(ops->name, arg)) {
			*(const struct sink_ops **)format = ops;
			return 0;
		}
		nearest_try(&nearest, ops->name);
	}
	if (nearest.best)
		return error_say(err, EINVAL, "unknown format '%s'; did you mean '%s'?", arg,
				 nearest.best);
	return error_say(err, EINVAL, "unknown format '%s': expected otf2, text or null", arg);
}

/* A file name that begins with '-' is a mistake. */
static int refuse_summary_file(const char *arg, const char *path, struct error *err)
{
	return error_say(err, EINVAL, "%s: '%s' looks like an option; if it is a file: %.*s./%s",
			 arg, path, (int)(path - arg), arg, path);
}

int output_parse_summary(void *field, const char *arg, struct error *err)
{
	struct output_summary_option *summary = field;
	size_t length = strcspn(arg, ":");

	for (int i = 0; i < SUMMARY_WORDS; i++) {
		if (strlen(summary_word[i]) != length || strncmp(summary_word[i], arg, length))
			continue;
		if (arg[length] && i == OUTPUT_NONE)
			return error_say(err, EINVAL, "%s: no file can be given with none", arg);
		if (arg[length] && !arg[length + 1])
			return error_say(err, EINVAL, "'%s' has no name of a file: expected %sFILE",
					 arg, arg);
		if (arg[length] && arg[length + 1] == '-')
			return refuse_summary_file(arg, arg + length + 1, err);
		summary->kind = (enum output_summary)i;
		summary->path = arg[length] ? arg + length + 1 : NULL;
		return 0;
	}
	return error_say(
		err, EINVAL,
		"unknown kind of summary '%s': expected text, json, none, text:FILE or json:FILE",
		arg);
}

int output_parse_top(void *field, const char *arg, struct error *err)
{
	char *end;
	unsigned long top;

	errno = 0;
	top = strtoul(arg, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*arg) || top > TOP_MOST)
		return error_say(err, EINVAL,
				 "invalid number of rows '%s': expected 0 to %d, for example 10",
				 arg, TOP_MOST);
	*(uint32_t *)field = (uint32_t)top;
	return 0;
}

int output_parse_sort(void *field, const char *arg, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, arg);
	for (int i = 0; i < SORTS; i++) {
		if (!strcmp(sort_word[i], arg)) {
			*(enum sink_sort *)field = (enum sink_sort)i;
			return 0;
		}
		nearest_try(&nearest, sort_word[i]);
	}
	return error_say(err, EINVAL,
			 "cannot sort by '%s'%s%s%s: expected data, read, written, time or calls",
			 arg, nearest.best ? " (did you mean '" : "",
			 nearest.best ? nearest.best : "", nearest.best ? "'?)" : "");
}

void output_options_init(struct output_options *options)
{
	options->top = SINK_TOP_DEFAULT;
}

int output_parse_mode(void *field, const char *arg, struct error *err)
{
	char *end = NULL;
	unsigned long mode = strtoul(arg, &end, 8);

	if (*arg < '0' || *arg > '7' || *end || mode > 0777 || (mode & 0600) != 0600)
		return error_say(
			err, EINVAL,
			"invalid mode '%s': expected octal digits from 600 to 777, for example 640",
			arg);
	*(unsigned *)field = (unsigned)mode & 0666;
	return 0;
}

bool output_is_made(const struct output_options *options)
{
	return !options->format || strcmp(options->format->name, "null") != 0;
}

unsigned output_mode(const struct output_options *options, bool is_private)
{
	mode_t mask = umask(0);

	umask(mask);
	if (options->mode)
		return options->mode;
	return is_private ? 0600 : 0600 | (0666 & ~mask);
}

bool output_is_archive(const struct output_options *options)
{
	return !options->format || !strcmp(options->format->name, "otf2");
}

/* The archive is complete, and has no name yet. */
static int add_books(void *context, int directory, const struct sink_end *end, struct error *err)
{
	struct output *output = context;
	struct books books = {
		.trace = run_trace(output->run),
		.tally = run_tally(output->run),
		.version = IOTRACE_VERSION,
		.groups = output->groups,
		.is_complete = output->is_complete && !end->code,
		.end = end,
	};

	output->end = *end;
	output->end.text = NULL; /* lent until this function returns */

	books.samples = run_samples(output->run, &books.events);
	return books_write(&books, directory, err);
}

int output_open(struct output *output, struct error *err)
{
	const struct output_options *options = output->options;

	output->main_sink = output->summary_sink = -1;
	output->main.path = output->path;
	output->main.place = output->place;
	output->main.mode = output->summary.mode = output_mode(options, output->is_private);
	output->main.system_mode = output->summary.system_mode = output_mode(options, true);
	output->main.complete = add_books;
	output->main.context = output;
	if (!output_is_made(options))
		run_fold_late(output->run);
	if (output->place)
		run_use_directory(output->run, place_dir(output->place));
	output->main_sink = run_add_sink(output->run,
					 options->format ? options->format : sink_find("otf2"),
					 &output->main, err);
	if (output->main_sink < 0)
		return output->main_sink;
	/* -q affects only the terminal; a summary file is still written */
	if (output->has_no_summary || options->summary.kind == OUTPUT_NONE ||
	    (options->is_quiet && !options->summary.path)) {
		if (!output_is_made(options))
			run_forget_names(output->run);
		return 0;
	}
	output->summary.path = output->summary_path;
	output->summary.is_json = options->summary.kind == OUTPUT_JSON;
	output->summary.top = options->top;
	output->summary.sort = options->sort;
	output->summary.columns = output->summary_path ? 0 : probe_columns(STDERR_FILENO);
	output->summary.archive = output_is_archive(options) ? output->path : NULL;
	output->summary.archive_end = &output->end;
	output->summary_sink = run_add_sink(output->run, sink_find("summary"), &output->summary,
					    err);
	return output->summary_sink < 0 ? output->summary_sink : 0;
}

void output_end_progress(struct output *output)
{
	if (output->progress)
		dprintf(STDERR_FILENO, "\r%*s\r", (int)output->progress, "");
	output->progress = 0;
}

/* The line is printed again when the percentage changes, so no clock is needed. */
void output_progress(struct output *output, uint64_t bytes, uint64_t total)
{
	uint32_t percent = total ? (uint32_t)((double)bytes * 100 / (double)total) : 0;
	char line[96];
	int columns, length;

	if (output->options->is_quiet || total < 1 << 20 ||
	    (output->progress && percent == output->percent))
		return;
	columns = probe_columns(STDERR_FILENO);
	if (columns <= 0)
		return;
	length = snprintf(line, sizeof(line), "iotrace: converting: %llu of %llu MiB, %u %%",
			  (unsigned long long)(bytes >> 20), (unsigned long long)(total >> 20),
			  percent);
	if (length >= columns) /* a wrapped line would not be overwritten by the next one */
		length = columns - 1;
	dprintf(STDERR_FILENO, "\r%.*s", length, line);
	output->progress = (size_t)length;
	output->percent = percent;
}

int output_close_main(struct output *output, bool is_complete, struct error *err)
{
	int rc;

	if (output->is_closed)
		return 0;
	output_end_progress(output);
	output->is_closed = true;
	output->is_complete = is_complete;
	rc = run_close_sink(output->run, output->main_sink, err);
	if (output->place && !place_is_published(output->place)) {
		output->summary.is_archive_lost = output->summary.archive;
		output->summary.archive = NULL;
	}
	output->is_written = !rc;
	return rc;
}

/* Missing events are reported even without a summary. */
static int report_books(const struct output *output, struct error *err)
{
	char sentence[512];
	enum books_state state = books_check(run_trace(output->run), run_tally(output->run),
					     sentence, sizeof(sentence));

	bool is_limited = trace_host(run_trace(output->run))->end_reason == TRACE_END_LIMIT;

	/* Events after the limit are missing, although the user asked for the limit. */
	if (output->options->is_strict && (state != BOOKS_BALANCED || is_limited))
		return error_say(err, EIO, "--strict: %s", sentence);
	if (state == BOOKS_BALANCED)
		return 0;
	if (output->summary_sink < 0 || output->summary_path)
		log_warn("%s", sentence);
	return 0;
}

int output_close(struct output *output, bool is_complete, struct error *err)
{
	struct error other = {0};
	int rc, also;

	output_end_progress(output);
	rc = output_close_main(output, is_complete, err);
	if (output->summary_sink >= 0) {
		also = run_close_sink(output->run, output->summary_sink, rc ? &other : err);
		rc = rc ? rc : also;
	}
	also = report_books(output, rc ? &other : err);
	return rc ? rc : also;
}

void output_discard(struct output *output)
{
	output_end_progress(output);
	output->summary.is_discarded = true;
	if (output->place)
		place_give_up(output->place);
	if (output->summary_sink >= 0)
		run_close_sink(output->run, output->summary_sink, NULL);
	if (output->main_sink >= 0)
		run_close_sink(output->run, output->main_sink, NULL);
}
