/* stat_out: see stat_out.h. */
#include "stat_out.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MODE = 0644, HEADING_LINES = 20 };

static int open_file(const struct span_file *file, int *fd, struct error *err)
{
	if (!file->path)
		return 0;
	*fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, FILE_MODE);
	return *fd < 0 ? error_set(err, errno, "open %s", file->path) : 0;
}

int stat_out_open(struct stat_out *out, const struct stat_options *options, struct error *err)
{
	int code;

	*out = (struct stat_out){.options = options, .json = -1, .csv = -1};
	code = open_file(&options->span.json, &out->json, err);
	if (!code)
		code = open_file(&options->csv, &out->csv, err);
	if (code)
		stat_out_close(out);
	return code;
}

void stat_out_close(struct stat_out *out)
{
	if (out->json >= 0)
		close(out->json);
	if (out->csv >= 0)
		close(out->csv);
	out->json = out->csv = -1;
}

struct frame_report stat_out_report(const struct stat_out *out, const struct span_run *run,
				    const struct frame *frame)
{
	const char *group = span_engine_group_name(run->engine, 0);

	struct frame_report report = {
		.engine = run->engine,
		.frame = frame,
		.view = out->options->view,
		.title = out->options->title ? out->options->title : group,
		.realtime = trace_host(run_trace(run->run))->realtime_offset,
		.top = out->options->span.top,
		.has_totals = out->options->has_totals,
	};

	stat_out_style(&report, run->fd);
	return report;
}

void stat_out_style(struct frame_report *report, int fd)
{
	int columns = probe_columns(fd);

	report->columns = columns > 0 ? (size_t)columns : 0;
	report->has_style = sink_has_style(columns);
}

/* A frame is written at once, so that a reader of a pipe sees it in time. */
static void put(struct stat_out *out, int fd, const char *path, const char *text, size_t size)
{
	int code = out->is_closed ? 0 : place_write_all(fd, text, size);

	if (code == -EPIPE)
		out->is_closed = true;
	else if (code && !out->code) {
		out->code = code;
		out->failed = path;
	}
}

static void put_lines(struct stat_out *out, const struct frame_report *report, int fd,
		      const char *path, void (*how)(const struct frame_report *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *lines = open_memstream(&text, &size);

	if (!lines) {
		out->code = -errno;
		return;
	}
	how(report, lines);
	fclose(lines);
	put(out, fd, path, text, size);
	free(text);
}

static void put_table(struct stat_out *out, struct frame_report *report, int fd)
{
	char *text = NULL;
	size_t size = 0, blank;
	FILE *lines = open_memstream(&text, &size);

	if (!lines) {
		out->code = -errno;
		return;
	}
	report->has_heading = !out->has_begun || out->lines >= HEADING_LINES;
	out->lines = (report->has_heading ? 0 : out->lines) + frame_text(report, lines);
	fclose(lines);
	blank = !out->has_begun; /* the first table has no blank line before it */
	put(out, fd, NULL, text + blank, size - blank);
	free(text);
}

void stat_out_frame(struct stat_out *out, int fd, struct frame_report *report)
{
	const struct span_file *json = &out->options->span.json, *csv = &out->options->csv;

	report->has_heading = !out->has_begun;
	if (json->is_wanted)
		put_lines(out, report, json->path ? out->json : STDOUT_FILENO, json->path,
			  frame_json);
	if (csv->is_wanted)
		put_lines(out, report, csv->path ? out->csv : STDOUT_FILENO, csv->path, frame_csv);
	if ((!json->is_wanted || json->path) && (!csv->is_wanted || csv->path))
		put_table(out, report, fd);
	out->has_begun = true;
}

bool stat_out_is_unread(const struct stat_out *out)
{
	return out->is_closed && out->json < 0 && out->csv < 0;
}

int stat_out_end(const struct stat_out *out, struct error *err)
{
	return out->code ? error_set(err, -out->code, "cannot write the numbers to %s",
				     out->failed ? out->failed : "standard output")
			 : 0;
}
