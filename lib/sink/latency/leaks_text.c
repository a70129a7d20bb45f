/*
 * leaks_text: whether there are leaks, how sure that is, and which.
 */
#include "latency.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <iotrace/books.h>
#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

/* A missing event may have been an end. */
static bool is_sure(const struct span_tell *tell)
{
	char sentence[512];

	return !span_engine_lost(tell->engine) &&
	       books_check(tell->trace, tell->tally, sentence, sizeof(sentence)) == BOOKS_BALANCED;
}

static void put_verdict(const struct span_tell *tell, const struct page *page, uint32_t span)
{
	const struct leaks *leaks = tell->leaks;
	const char *trouble = span_engine_trouble(tell->engine, span);
	uint64_t left = leaks->left[span], open = leaks->open[span], all = left + open;
	char number[SUMMARY_NUMBER], begun[SUMMARY_NUMBER], age[SUMMARY_NUMBER];
	char *text, *open_for;

	if (trouble) {
		fprintf(page->out, "%s\n", trouble);
		return;
	}
	summary_count(begun, span_engine_books(tell->engine, span)->begun);
	text = all ? mem_format("%s: %s leaks of %s begun", tell->span[span]->name,
				summary_count(number, all), begun)
		   : mem_format("%s: no leaks of %s begun", tell->span[span]->name, begun);
	open_for = mem_format("open for %s or longer", summary_time(age, leaks->older_than));
	latency_append(&text, ": ", left, "open when their process ended by itself");
	latency_append(&text, left ? ", " : ": ", open, leaks->older_than ? open_for : "open now");
	page_wrap(page, text, 0, 2);
	free(open_for);
	free(text);
}

static void put_sureness(const struct span_tell *tell, const struct page *page)
{
	char sentence[512];

	if (is_sure(tell)) {
		fputs("sure: no event is missing\n", page->out);
		return;
	}
	fputs("not sure: events are missing, and an end may be among them\n", page->out);
	if (tell->is_part && /* or the books say it */
	    books_check(tell->trace, tell->tally, sentence, sizeof(sentence)) != BOOKS_BALANCED)
		page_wrap(page, sentence, 0, 2);
}

static void put_group(const struct span_tell *tell, const struct page *page,
		      const struct page_table *table, const struct leak_group *group)
{
	const struct latency_group name_of = {.span = group->span, .group = group->group};
	const char *comm = span_engine_comm(tell->engine, &group->first);
	char *name = latency_group_text(tell, &name_of), *about, *who, *what, *cut;
	char count[SUMMARY_NUMBER], age[SUMMARY_NUMBER];

	about = latency_about_text(tell, &group->first);
	who = summary_escape(comm, strlen(comm));
	what = !strcmp(name, about) ? mem_strdup(name) : mem_format("%s %s", name, about);
	cut = summary_cut(what, page_rest(page, table), 6);
	free(what);
	what = mem_format("%s(%u)", who, group->first.pid);
	page_row(page, table,
		 (const char *const[]){summary_count(count, group->count),
				       summary_time(age, group->oldest),
				       tell->span[group->span]->name, what, cut});
	free(what);
	free(cut);
	free(who);
	free(about);
	free(name);
}

enum { PLACES_MOST = 32, PLACE_INDENT = 10 };

struct places {
	const struct page *page;
	uint32_t count;
};

/* "FUNCTION at FILE:LINE", "FUNCTION (PROGRAM)", "PROGRAM+0x1234". */
static void put_place(void *context, const struct span_place *place)
{
	struct places *places = context;
	const char *file = place->file ? place->file : "?";
	char *text, *fit, *cut;

	if (places->count++ >= PLACES_MOST)
		return;
	if (place->function && place->line)
		text = mem_format("%s at %s:%u%s", place->function, place->source, place->line,
				  place->is_inline ? " (inlined)" : "");
	else if (place->function)
		text = mem_format("%s (%s)", place->function, file);
	else
		text = mem_format("%s+0x%llx", file, (unsigned long long)place->address);
	fit = summary_escape(text, strlen(text));
	cut = summary_cut(fit, places->page->columns ? places->page->columns - PLACE_INDENT : 0, 6);
	fprintf(places->page->out, "%*s%s\n", PLACE_INDENT, "", cut);
	free(cut);
	free(fit);
	free(text);
}

static void put_stack(const struct span_tell *tell, const struct page *page, uint32_t stack)
{
	struct places places = {.page = page};

	tell->places->of(tell->places->self, stack, put_place, &places);
	if (!places.count)
		fprintf(page->out, "%*s%s\n", PLACE_INDENT, "", "(stack not known)");
	else if (places.count > PLACES_MOST)
		fprintf(page->out, "%*s%u more\n", PLACE_INDENT, "", places.count - PLACES_MOST);
}

static void put_groups(const struct span_tell *tell, const struct page *page)
{
	static const struct page_column column[] = {
		{"leaks", 9, 0, false},
		{"oldest", 9, 0, false},
		{"span", -14, 60, false},
		{"process", -24, 0, false},
		{"what, and the oldest of them", 0, 0, false},
	};
	const struct page_table table = {column, sizeof(column) / sizeof(*column)};
	const struct leaks *leaks = tell->leaks;
	uint32_t shown = leaks->groups <= tell->top + 1 ? leaks->groups : tell->top;
	uint64_t rest = 0;

	if (shown)
		page_heading(page, &table);
	for (uint32_t i = 0; i < shown; i++) {
		put_group(tell, page, &table, &leaks->group[i]);
		if (tell->places)
			put_stack(tell, page, leaks->group[i].stack);
	}
	for (uint32_t i = shown; i < leaks->groups; i++)
		rest += leaks->group[i].count;
	if (rest)
		fprintf(page->out, "%8llu  more in %u groups\n", (unsigned long long)rest,
			leaks->groups - shown);
}

void leaks_text(const struct span_tell *tell, FILE *out)
{
	const struct page page = page_new(out, tell->columns, tell->has_style);

	leaks_sort(tell->leaks);
	for (uint32_t span = 0; span < tell->spans; span++)
		put_verdict(tell, &page, span);
	put_sureness(tell, &page);
	put_groups(tell, &page);
	if (!tell->is_part)
		span_books_text(tell, &page);
}
