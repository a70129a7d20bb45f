/*
 * latency_books: what became of all that began, and what is missing.
 */
#include "books/json_text.h"
#include "latency.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <iotrace/books.h>
#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>

static const struct {
	enum span_fate fate;
	const char *key, *text;
} rows[] = {
	{SPAN_ENDED, "ended", "ended"},
	{SPAN_CANCELLED, "cancelled", "cancelled"},
	{SPAN_DIED, "died", "open when a signal killed their process"},
	{SPAN_LEFT, "left", "open when their process ended"},
	{SPAN_OPEN, "open", "open at the end"},
	{SPAN_BEGUN_AGAIN, "begun_again", "begun once more before they ended"},
	{SPAN_LOST, "lost", "with an end that was lost"},
};

static char *join(char *text, uint64_t count, const char *what)
{
	char number[SUMMARY_NUMBER];
	char *longer;

	if (!count)
		return text;
	longer = mem_format("%s%s%s %s", text, *text ? ", " : "", summary_count(number, count),
			    what);
	free(text);
	return longer;
}

static void put_span(const struct span_tell *tell, const struct page *page, uint32_t span)
{
	const struct span_books *books = span_engine_books(tell->engine, span);
	char *text = mem_strdup(""), *line;
	char number[SUMMARY_NUMBER];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		text = join(text, books->fate[rows[i].fate], rows[i].text);
	text = join(text, books->ends_without_begin, "more ended whose begin was not seen");
	text = join(text, books->excluded, "more were of tasks that are not recorded");
	line = mem_format("%s: %s begun%s%s", tell->span[span]->name,
			  summary_count(number, books->begun), *text ? ": " : "", text);
	page_wrap(page, line, 0, 2);
	free(line);
	free(text);
}

void span_books_text(const struct span_tell *tell, const struct page *page)
{
	char sentence[512];
	enum books_state state = books_check(tell->trace, tell->tally, sentence, sizeof(sentence));

	fputc('\n', page->out);
	for (uint32_t i = 0; i < tell->spans; i++)
		put_span(tell, page, i);
	if (state != BOOKS_BALANCED)
		page_wrap(page, sentence, 0, 2);
}

static json_object *span_json(const struct span_tell *tell, uint32_t span)
{
	const struct span_books *books = span_engine_books(tell->engine, span);
	const char *trouble = span_engine_trouble(tell->engine, span);
	json_object *object = json_object_new_object();

	json_object_object_add(object, "span", json_object_new_string(tell->span[span]->name));
	json_object_object_add(object, "begun", json_object_new_uint64(books->begun));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_object_object_add(object, rows[i].key,
				       json_object_new_uint64(books->fate[rows[i].fate]));
	json_object_object_add(object, "ends_without_begin",
			       json_object_new_uint64(books->ends_without_begin));
	json_object_object_add(object, "excluded", json_object_new_uint64(books->excluded));
	json_object_object_add(object, "trouble", trouble ? json_object_new_string(trouble) : NULL);
	return object;
}

json_object *span_books_json(const struct span_tell *tell)
{
	json_object *books = json_books(tell->trace, tell->tally);
	json_object *spans = json_object_new_array();

	for (uint32_t i = 0; i < tell->spans; i++)
		json_object_array_add(spans, span_json(tell, i));
	json_object_object_add(books, "spans", spans);
	json_object_object_add(books, "lost_samples",
			       json_object_new_uint64(span_engine_lost(tell->engine)));
	return books;
}
