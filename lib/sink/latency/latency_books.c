/* latency_books: the fates of all spans, and missing events. */
#include "books/json_text.h"
#include "latency.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <iotrace/books.h>
#include <iotrace/mem.h>
#include <iotrace/pause.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>

static const struct {
	enum span_fate fate;
	const char *key, *text, *text_many; /* singular, plural */
} rows[] = {
	{SPAN_ENDED, "ended", "ended", "ended"},
	{SPAN_CANCELLED, "cancelled", "cancelled", "cancelled"},
	{SPAN_DIED, "died", "open when a signal killed its process",
	 "open when a signal killed their process"},
	{SPAN_LEFT, "left", "open when its process ended", "open when their process ended"},
	{SPAN_OPEN, "open", "open at the end", "open at the end"},
	{SPAN_BEGUN_AGAIN, "begun_again", "begun once more before it ended",
	 "begun once more before they ended"},
	{SPAN_LOST, "lost", "with an end that was not seen", "with ends that were not seen"},
};

void latency_append(char **text, const char *before, uint64_t count, const char *what)
{
	char number[SUMMARY_NUMBER];

	if (count)
		mem_append(text, "%s%s %s", before, summary_count(number, count), what);
}

static void append(char **text, uint64_t count, const char *what, const char *what_many)
{
	latency_append(text, **text ? ", " : "", count, count == 1 ? what : what_many);
}

static void put_span(const struct span_report *report, const struct page *page, uint32_t span)
{
	const struct span_books *books = span_engine_books(report->engine, span);
	char *text = mem_strdup(""), *line;
	char number[SUMMARY_NUMBER];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		append(&text, books->fate[rows[i].fate], rows[i].text, rows[i].text_many);
	append(&text, books->ends_without_begin, "more ended whose begin was not seen",
	       "more ended whose begin was not seen");
	append(&text, books->excluded, "more was of a task that is not recorded",
	       "more were of tasks that are not recorded");
	append(&text, books->unkept, "more found no room in the kernel",
	       "more found no room in the kernel");
	append(&text, books->unread, "field was not in memory and counts as 0",
	       "fields were not in memory and count as 0");
	append(&text, books->missed, "event did not reach the programs that count them",
	       "events did not reach the programs that count them");
	line = mem_format("%s: %s begun%s%s", report->span[span]->name,
			  summary_count(number, books->begun), *text ? ": " : "", text);
	page_wrap(page, line, 0, 2);
	free(line);
	free(text);
}

uint64_t span_report_duration(const struct span_report *report)
{
	if (report->to <= report->from)
		return 0;
	return report->to - report->from - trace_paused(report->trace, report->from, report->to);
}

static double seconds_to(const struct span_report *report, uint64_t time)
{
	return time > report->start ? (double)(time - report->start) / 1e9 : 0;
}

void span_part_text(const struct span_report *report, const struct page *page)
{
	if (!report->start)
		return;
	if (!report->is_part)
		fprintf(page->out, "%sthe whole recording:%s\n", page->bold, page->plain);
	else if (report->from == report->to)
		fprintf(page->out, "%safter %.3f s:%s\n", page->bold,
			seconds_to(report, report->to), page->plain);
	else
		fprintf(page->out, "%sfrom %.3f s to %.3f s:%s\n", page->bold,
			seconds_to(report, report->from), seconds_to(report, report->to),
			page->plain);
}

void span_books_text(const struct span_report *report, const struct page *page)
{
	char sentence[512];
	enum books_state state = books_check(report->trace, report->tally, sentence,
					     sizeof(sentence));

	fputc('\n', page->out);
	for (uint32_t i = 0; i < report->spans; i++)
		put_span(report, page, i);
	if (state != BOOKS_BALANCED)
		page_wrap(page, sentence, 0, 2);
}

static json_object *span_json(const struct span_report *report, uint32_t span)
{
	const struct span_books *books = span_engine_books(report->engine, span);
	json_object *object = json_object_new_object();

	json_set_word(object, "span", report->span[span]->name);
	json_set_number(object, "begun", books->begun);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_set_number(object, rows[i].key, books->fate[rows[i].fate]);
	json_set_number(object, "ends_without_begin", books->ends_without_begin);
	json_set_number(object, "excluded", books->excluded);
	json_set_bool(object, "counted_in_kernel", books->is_counted);
	json_set_number(object, "found_no_room", books->unkept);
	json_set_number(object, "unread", books->unread);
	json_set_number(object, "missed", books->missed);
	json_set_word(object, "trouble", span_engine_trouble(report->engine, span));
	return object;
}

json_object *span_books_json(const struct span_report *report)
{
	json_object *books = json_books(report->trace, report->tally);
	json_object *spans = json_object_new_array();

	for (uint32_t i = 0; i < report->spans; i++)
		json_object_array_add(spans, span_json(report, i));
	json_set(books, "spans", spans);
	json_set_number(books, "lost_samples", span_engine_lost(report->engine));
	return books;
}
