/* latency_text: tables for a terminal. */
#include "latency.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 12, BAR = 40 };

static const struct page_column column[] = {
	{"count", 10, 0, false},  {"rate/s", 9, 110, false}, {"average", 9, 60, false},
	{"min", 9, 84, false},    {"max", 9, 51, false},     {"stddev", 9, 119, false},
	{"p50", 9, 0, false},     {"p90", 9, 92, false},     {"p99", 9, 42, false},
	{"p99.9", 9, 101, false}, {"sum", 9, 69, false},     {"time", 8, 128, false},
	{NULL, 0, 0, false},
};

static double seconds(const struct span_report *report)
{
	return (double)span_report_duration(report) / 1e9;
}

static const char *rate_text(char text[SUMMARY_NUMBER], double rate)
{
	if (rate >= 99.95)
		return summary_count(text, (uint64_t)(rate + 0.5));
	snprintf(text, SUMMARY_NUMBER, rate >= 9.995 ? "%.1f" : "%.2f", rate);
	return text;
}

static void put_row(const struct span_report *report, const struct page *page,
		    const struct page_table *table, const struct latency_group *group,
		    const char *name)
{
	const struct histogram *h = &group->histogram;
	char text[CELLS][SUMMARY_NUMBER];
	char *cut = summary_cut(name, page_rest(page, table), 6);
	double time = seconds(report);

	if (time > 0)
		snprintf(text[11], SUMMARY_NUMBER, "%.1f %%", (double)h->sum / time / 1e7);
	page_row(page, table,
		 (const char *const[]){
			 summary_count(text[0], h->count),
			 time > 0 ? rate_text(text[1], (double)h->count / time) : NULL,
			 summary_time(text[2], (uint64_t)(latency_average(group) + 0.5)),
			 summary_time(text[3], h->min), summary_time(text[4], h->max),
			 summary_time(text[5], (uint64_t)(latency_deviation(group) + 0.5)),
			 summary_time(text[6], histogram_quantile(h, 500)),
			 summary_time(text[7], histogram_quantile(h, 900)),
			 summary_time(text[8], histogram_quantile(h, 990)),
			 summary_time(text[9], histogram_quantile(h, 999)),
			 summary_time(text[10], h->sum), time > 0 ? text[11] : NULL, cut});
	free(cut);
}

/* The sum of all further rows, so that the table adds up. */
static void put_rest(const struct span_report *report, const struct page *page,
		     const struct page_table *table, const struct latency_group *const *group,
		     uint32_t count)
{
	struct latency_group rest = {.span = group[0]->span};
	char name[24];

	histogram_init(&rest.histogram);
	for (uint32_t i = 0; i < count; i++) {
		histogram_merge(&rest.histogram, &group[i]->histogram);
		rest.squares += group[i]->squares;
	}
	snprintf(name, sizeof(name), "%u more", count);
	put_row(report, page, table, &rest, name);
	histogram_release(&rest.histogram);
}

static void put_table(const struct span_report *report, const struct page *page, uint32_t span,
		      const struct latency_group *const *group, uint32_t groups)
{
	struct page_column own[sizeof(column) / sizeof(*column)];
	struct page_table table = {own, sizeof(own) / sizeof(*own)};
	const char *what = span_engine_group_name(report->engine, span);
	bool is_said = *what && strcmp(what, report->span[span]->name) != 0;
	char *title = mem_format("%s%s%s", report->span[span]->name, is_said ? " by " : "",
				 is_said ? what : "");
	uint32_t shown = groups <= report->top + 1 ? groups : report->top;

	memcpy(own, column, sizeof(own));
	own[table.columns - 1].title = title;
	page_heading(page, &table);
	for (uint32_t i = 0; i < shown; i++) {
		char *name = *what || group[i]->is_rest ? latency_group_text(report, group[i])
							: mem_strdup("all");

		put_row(report, page, &table, group[i], name);
		free(name);
	}
	if (shown < groups)
		put_rest(report, page, &table, group + shown, groups - shown);
	if (groups > 1)
		put_row(report, page, &table, latency_total(report->latency, span), "all");
	free(title);
}

/* Prints a line for each power of two. */
static void put_histogram(const struct span_report *report, uint32_t span, FILE *out)
{
	const struct histogram *h = &latency_total(report->latency, span)->histogram;
	uint64_t count[64] = {0}, most = 1;
	uint32_t first = 64, last = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t from = histogram_from(i), values = histogram_bucket(h, i);
		uint32_t octave = from < 2 ? 0 : 63 - (uint32_t)__builtin_clzll(from);

		if (!values)
			continue;
		count[octave] += values;
		most = count[octave] > most ? count[octave] : most;
		first = octave < first ? octave : first;
		last = octave;
	}
	fprintf(out, "\n%s: how many took how long\n", report->span[span]->name);
	for (uint32_t i = first; i <= last && first < 64; i++) {
		char from[SUMMARY_NUMBER], to[SUMMARY_NUMBER], number[SUMMARY_NUMBER];
		int bar = (int)((double)count[i] / (double)most * BAR + 0.5);

		fprintf(out, "%9s to %-9s %12s  %.*s\n",
			summary_time(from, i ? (uint64_t)1 << i : 0),
			summary_time(to, ((uint64_t)2 << i) - 1), summary_count(number, count[i]),
			bar, "########################################");
	}
}

static void put_span(const struct span_report *report, const struct page *page, uint32_t span,
		     const struct latency_group *const *group, uint32_t groups)
{
	const char *trouble = span_engine_trouble(report->engine, span);

	if (groups)
		put_table(report, page, span, group, groups);
	else
		fprintf(page->out, "\n%s: %s\n", report->span[span]->name,
			trouble                          ? trouble
			: latency_below(report->latency) ? "none took longer than --above"
							 : "none ended");
	if (groups && report->has_histogram)
		put_histogram(report, span, page->out);
	if (groups && report->has_heat)
		latency_heat_text(report, &latency_total(report->latency, span)->heat, page->out);
}

static void put_slow(const struct span_report *report, const struct page *page,
		     const struct page_table *table, const struct latency_slow *slow)
{
	const struct span_seen *seen = &slow->seen;
	const char *comm = span_engine_comm(report->engine, seen);
	struct latency_group group = {.span = seen->span, .group = seen->group};
	char *name = summary_escape(comm, strlen(comm)), *about = latency_about_text(report, seen);
	char *what = latency_group_text(report, &group), *all, *cut;
	char *who = seen->tid || seen->pid
			    ? mem_format("%s(%u)", name, seen->tid ? seen->tid : seen->pid)
			    : mem_strdup(*name ? name : "-");
	char taken[SUMMARY_NUMBER], at[SUMMARY_NUMBER];
	bool is_said; /* the group is neither the file nor the key */

	snprintf(at, sizeof(at), "%.6f",
		 seen->begin > report->from ? (double)(seen->begin - report->from) / 1e9 : 0);
	is_said = *span_engine_group_name(report->engine, seen->span) && strcmp(what, about) != 0;
	all = is_said ? mem_format("%s %s", what, about) : mem_strdup(about);
	cut = summary_cut(all, page_rest(page, table), 4);
	page_row(page, table,
		 (const char *const[]){summary_time(taken, seen->end - seen->begin), at,
				       report->span[seen->span]->name, who, cut});
	for (uint32_t i = 0; i < slow->contexts; i++) {
		uint64_t time = slow->context[i].time;

		fprintf(page->out, "           %+.6f  %s\n",
			((double)time - (double)seen->begin) / 1e9, slow->context[i].text);
	}
	free(cut);
	free(all);
	free(who);
	free(what);
	free(about);
	free(name);
}

static void put_slowest(const struct span_report *report, const struct page *page)
{
	static const struct page_column slow_column[] = {
		{"slowest", 9, 0, false},   {"at, s", 13, 58, false}, {"span", -14, 72, false},
		{"thread", -22, 45, false}, {"what", 0, 0, false},
	};
	const struct page_table table = {slow_column, sizeof(slow_column) / sizeof(*slow_column)};
	const struct latency_slow *slow;
	uint32_t count = latency_slowest(report->latency, &slow);

	if (count)
		page_heading(page, &table);
	for (uint32_t i = 0; i < count; i++)
		put_slow(report, page, &table, &slow[i]);
}

void latency_text(const struct span_report *report, FILE *out)
{
	const struct page page = page_new(out, report->columns, report->has_style);
	const struct latency_group *const *group;
	uint32_t groups = latency_groups(report->latency, &group), at = 0;

	span_part_text(report, &page);
	for (uint32_t span = 0; span < report->spans; span++) {
		uint32_t count = 0;

		while (at + count < groups && group[at + count]->span == span)
			count++;
		put_span(report, &page, span, group + at, count);
		at += count;
	}
	put_slowest(report, &page);
	if (report->is_part)
		fputc('\n', out);
	else
		span_books_text(report, &page);
}
