/* frame_text: a table of one interval, for people. */
#include "frame_columns.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <inttypes.h>
#include <iotrace/frame_report.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096, NAME_USUAL = 22 };

struct table {
	struct page page;
	struct page_column column[CELLS];
	struct page_table table;
	const struct frame_report *report;
};

static bool is_active(const struct frame_report *report, const struct frame_row *row)
{
	return row->is_kept || row->now.ops || row->now.read || row->now.written ||
	       row->in_flight || row->busy || (report->has_totals && row->total.ops);
}

/* Returns the name of the row, safe for a terminal; "! " marks a hang. The caller frees it. */
static char *name_of(const struct frame_report *report, const struct frame_row *row)
{
	char *bytes = mem_alloc(NAME_MOST);
	size_t length = frame_name(report, row, bytes, NAME_MOST);
	char *safe = summary_escape(bytes, length);
	char *name = mem_format("%s%s", row->is_hung ? "! " : "", safe);

	free(bytes);
	free(safe);
	return name;
}

/* Names get the width that the other columns leave. In a file or a pipe, nothing is cut. */
static int width_of_names(const struct table *table)
{
	size_t columns = table->report->columns, used = 0, width = NAME_USUAL;

	for (int i = NAME + 1; i < CELLS; i++)
		if (columns >= frame_column[i].from)
			used += (size_t)frame_column[i].width;
	if (columns)
		return (int)(columns > used + 2 ? columns - used - 1 : 2);
	for (uint32_t i = 0; i < table->report->frame->rows; i++) {
		const struct frame_row *row = table->report->frame->row[i];
		char *name = is_active(table->report, row) ? name_of(table->report, row) : NULL;

		if (name && summary_columns(name) + 2 > width)
			width = summary_columns(name) + 2;
		free(name);
	}
	return (int)width;
}

static const char *real(char text[SUMMARY_NUMBER], double value)
{
	snprintf(text, SUMMARY_NUMBER, "%.2f", value);
	return text;
}

static const char *size_of(char text[SUMMARY_NUMBER], double bytes)
{
	return bytes > 0 ? summary_bytes(text, (uint64_t)(bytes + 0.5)) : NULL;
}

static const char *time_of(char text[SUMMARY_NUMBER], double us)
{
	return us > 0 ? summary_time(text, (uint64_t)(us * 1e3 + 0.5)) : NULL;
}

/* Sums have no fractions. */
static const char *sum(char text[SUMMARY_NUMBER], uint64_t value)
{
	snprintf(text, SUMMARY_NUMBER, "%" PRIu64, value);
	return text;
}

/* Replaces the rates of a row. */
static void put_totals(const struct frame_count *total, char text[CELLS][SUMMARY_NUMBER],
		       const char *cell[CELLS])
{
	cell[OPS] = sum(text[OPS], total->ops);
	cell[READ] = size_of(text[READ], (double)total->read);
	cell[WRITTEN] = size_of(text[WRITTEN], (double)total->written);
	cell[ERRORS] = sum(text[ERRORS], total->errors);
}

static void put_row(const struct table *table, const struct frame_row *row)
{
	char *name = name_of(table->report, row), *cut;
	char text[CELLS][SUMMARY_NUMBER];
	const char *cell[CELLS];
	struct frame_numbers n;

	frame_numbers(&n, table->report->frame, row);
	cut = summary_cut(name, (size_t)-table->column[NAME].width - 1, 8);
	snprintf(text[IN_FLIGHT], SUMMARY_NUMBER, "%u", row->in_flight);
	snprintf(text[UTIL], SUMMARY_NUMBER, "%.2f%%", n.util);
	cell[NAME] = cut;
	cell[IN_FLIGHT] = text[IN_FLIGHT];
	cell[OPS] = real(text[OPS], n.ops);
	cell[READ] = size_of(text[READ], n.read);
	cell[WRITTEN] = size_of(text[WRITTEN], n.written);
	cell[SERVICE] = real(text[SERVICE], n.service_us);
	cell[P50] = time_of(text[P50], n.p50_us);
	cell[P99] = time_of(text[P99], n.p99_us);
	cell[MAX] = time_of(text[MAX], n.max_us);
	cell[UTIL] = text[UTIL];
	cell[ERRORS] = real(text[ERRORS], n.errors);
	cell[OLDEST] = time_of(text[OLDEST], n.oldest_s * 1e6);
	if (table->report->has_totals)
		put_totals(&row->total, text, cell);
	if (row->is_hung)
		fputs(table->page.bold, table->page.out);
	page_row(&table->page, &table->table, cell);
	if (row->is_hung)
		fputs(table->page.plain, table->page.out);
	free(name);
	free(cut);
}

uint32_t frame_text(const struct frame_report *report, FILE *out)
{
	struct table table = {.page = page_new(out, report->columns, report->has_style),
			      .report = report};
	uint32_t shown = 0, active = 0;

	memcpy(table.column, frame_column, sizeof(frame_column));
	table.table = (struct page_table){table.column, CELLS};
	for (int i = 0; i < CELLS; i++)
		if (report->has_totals && frame_total_title[i])
			table.column[i].title = frame_total_title[i];
	table.column[NAME].title = report->title;
	table.column[NAME].width = -width_of_names(&table);
	if (report->has_heading)
		page_heading(&table.page, &table.table);
	else
		fputc('\n', out);
	for (uint32_t i = 0; i < report->frame->rows; i++) {
		if (!is_active(report, report->frame->row[i]) || active++ >= report->top)
			continue;
		put_row(&table, report->frame->row[i]);
		shown++;
	}
	if (active > shown)
		fprintf(out, " (%u more)\n", active - shown);
	if (!report->has_no_total)
		put_row(&table, report->frame->total);
	return 1 + report->has_heading + shown + (active > shown) + !report->has_no_total +
	       frame_hangs_text(report, out);
}
