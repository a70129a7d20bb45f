/* frame_csv: a frame as lines of values that are separated by commas: RFC 4180, with "\n" at the end of a line. */
#include "print/summary_name.h"

#include <iotrace/frame_report.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum { NAME_MOST = 4096 };

/* Prints a name in quotes. Quotes in the name are doubled. */
static void put_name(const struct frame_report *report, const struct frame_row *row, FILE *out)
{
	char *bytes = mem_alloc(NAME_MOST);
	size_t length = frame_name(report, row, bytes, NAME_MOST);
	char *name = summary_escape(bytes, length);

	fputc('"', out);
	for (const char *at = name; *at; at++) {
		if (*at == '"')
			fputc('"', out);
		fputc(*at, out);
	}
	fputc('"', out);
	free(name);
	free(bytes);
}

static void put_row(const struct frame_report *report, const struct frame_row *row, FILE *out)
{
	struct frame_numbers n;

	frame_numbers(&n, report->frame, row);
	fprintf(out, "%llu,%.3f,%s,",
		(unsigned long long)report->frame->to + (unsigned long long)report->realtime,
		frame_seconds(report->frame), report->view);
	put_name(report, row, out);
	fprintf(out,
		",%u,%llu,%llu,%llu,%llu,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d\n",
		row->in_flight, (unsigned long long)row->total.ops,
		(unsigned long long)row->total.read, (unsigned long long)row->total.written,
		(unsigned long long)row->total.errors, n.ops, n.read, n.written, n.service_us,
		n.p50_us, n.p99_us, n.max_us, n.util, n.errors, n.oldest_s, row->is_hung);
}

void frame_csv(const struct frame_report *report, FILE *out)
{
	if (report->has_heading)
		fputs("time_ns,interval_s,view,name,inflight,ops_total,read_bytes_total,written_bytes_total,errors_total,ops_per_s,read_bytes_per_s,"
		      "written_bytes_per_s,svctm_us,p50_us,p99_us,max_us,util_percent,errors_per_s,"
		      "oldest_s,hang\n",
		      out);
	for (uint32_t i = 0; i < report->frame->rows; i++)
		put_row(report, report->frame->row[i], out);
	if (!report->has_no_total)
		put_row(report, report->frame->total, out);
}
