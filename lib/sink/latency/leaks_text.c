/* leaks_text: whether there are leaks, how certain that is, and where they began. */
#include "latency.h"
#include "print/page.h"
#include "print/summary_name.h"

#include <iotrace/books.h>
#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

/* Returns "1 of 24 begun has been open for 500 ms or longer". */
static char *text_of_part(const struct span_report *report, uint32_t span)
{
	const struct leaks *leaks = report->leaks;
	uint64_t open = leaks->open[span];
	char number[SUMMARY_NUMBER], begun[SUMMARY_NUMBER], age[SUMMARY_NUMBER];
	char *text = mem_format("%s: %s of %s begun %s", report->span[span]->name,
				open ? summary_count(number, open) : "none",
				summary_count(begun,
					      span_engine_books(report->engine, span)->begun),
				open > 1 ? "have been open" : "has been open");

	if (leaks->older_than)
		mem_append(&text, " for %s or longer", summary_time(age, leaks->older_than));
	return text;
}

static char *text_of_all(const struct span_report *report, uint32_t span)
{
	const struct leaks *leaks = report->leaks;
	uint64_t left = leaks->left[span], open = leaks->open[span], all = left + open;
	char number[SUMMARY_NUMBER], begun[SUMMARY_NUMBER], age[SUMMARY_NUMBER];
	char *open_for = mem_format("open for %s or longer", summary_time(age, leaks->older_than));
	char *text = mem_format("%s: %s leak%s of %s begun", report->span[span]->name,
				all ? summary_count(number, all) : "no", all == 1 ? "" : "s",
				summary_count(begun,
					      span_engine_books(report->engine, span)->begun));

	latency_append(&text, ": ", left,
		       left == 1 ? "open when its process ended by itself"
				 : "open when their process ended by itself");
	latency_append(&text, left ? ", " : ": ", open, leaks->older_than ? open_for : "open now");
	free(open_for);
	return text;
}

static void put_verdict(const struct span_report *report, const struct page *page, uint32_t span)
{
	const char *trouble = span_engine_trouble(report->engine, span);
	char *text;

	if (trouble) {
		fprintf(page->out, "%s\n", trouble);
		return;
	}
	text = report->is_part ? text_of_part(report, span) : text_of_all(report, span);
	page_wrap(page, text, 0, 2);
	free(text);
}

static bool is_of_descriptors(const struct span_report *report)
{
	for (uint32_t i = 0; i < report->spans; i++)
		if (report->span[i]->source == SPAN_OF_DESCRIPTORS)
			return true;
	return false;
}

/* Returns why ends may be unknown although no event is missing, or NULL. */
static const char *doubt_of(const struct span_report *report)
{
	const struct tally *tally = report->tally;

	if (!is_of_descriptors(report))
		return NULL;
	if (tally_get(tally, unfollowed))
		return "the capture lacks calls that open or close descriptors";
	if (tally_get(tally, doubtful_tables))
		return "requests of io_uring may have closed descriptors, and the records do not "
		       "say which";
	return NULL;
}

/* A missing event may have been an end. Before the end of the recording, only known losses count. */
static void put_sureness(const struct span_report *report, const struct page *page)
{
	char sentence[512];
	enum books_state state = books_check(report->trace, report->tally, sentence,
					     sizeof(sentence));
	bool has_gaps = report->is_part ? books_gaps(report->trace, report->tally, sentence,
						     sizeof(sentence))
					: state != BOOKS_BALANCED && state != BOOKS_UNKNOWN;
	const char *doubt = doubt_of(report);

	if (has_gaps || span_engine_lost(report->engine))
		fputs("not sure: events are missing, and an end may be among them\n", page->out);
	else if (doubt || (state == BOOKS_UNKNOWN && !report->is_part))
		fprintf(page->out, "not sure: %s\n", doubt ? doubt : sentence);
	else
		fputs(report->is_part ? "no event is missing so far\n"
				      : "sure: no event is missing\n",
		      page->out);
	if (report->is_part && has_gaps) /* at the end, the sentence about completeness says it */
		page_wrap(page, sentence, 0, 2);
}

static void put_group(const struct span_report *report, const struct page *page,
		      const struct page_table *table, const struct leak_group *group)
{
	const struct latency_group name_of = {.span = group->span, .group = group->group};
	const char *comm = span_engine_comm(report->engine, &group->first);
	char *name = latency_group_text(report, &name_of), *about, *who, *what, *cut;
	char count[SUMMARY_NUMBER], age[SUMMARY_NUMBER];

	about = latency_about_text(report, &group->first);
	who = summary_escape(comm, strlen(comm));
	what = !strcmp(name, about) ? mem_strdup(name) : mem_format("%s %s", name, about);
	cut = summary_cut(what, page_rest(page, table), 6);
	free(what);
	what = mem_format("%s(%u)", who, group->first.pid);
	page_row(page, table,
		 (const char *const[]){summary_count(count, group->count),
				       summary_time(age, group->oldest),
				       report->span[group->span]->name, what, cut});
	free(what);
	free(cut);
	free(who);
	free(about);
	free(name);
}

enum { SYMBOLS_MOST = 32, SYMBOL_INDENT = 10 };

struct symbols {
	const struct page *page;
	uint32_t count;
};

/* Prints "FUNCTION at FILE:LINE", "FUNCTION (PROGRAM)" or "PROGRAM+0x1234". */
static void put_symbol(void *context, const struct span_symbol *symbol)
{
	struct symbols *symbols = context;
	const char *file = symbol->file ? symbol->file : "?";
	char *text, *fit, *cut;

	if (symbols->count++ >= SYMBOLS_MOST)
		return;
	if (symbol->function && symbol->line)
		text = mem_format("%s at %s:%u%s", symbol->function, symbol->source, symbol->line,
				  symbol->is_inline ? " (inlined)" : "");
	else if (symbol->function)
		text = mem_format("%s (%s)", symbol->function, file);
	else
		text = mem_format("%s+0x%llx", file, (unsigned long long)symbol->address);
	fit = summary_escape(text, strlen(text));
	cut = summary_cut(fit, symbols->page->columns ? symbols->page->columns - SYMBOL_INDENT : 0,
			  6);
	fprintf(symbols->page->out, "%*s%s\n", SYMBOL_INDENT, "", cut);
	free(cut);
	free(fit);
	free(text);
}

static void put_stack(const struct span_report *report, const struct page *page, uint32_t stack)
{
	struct symbols symbols = {.page = page};

	report->symbols->of(report->symbols->self, stack, put_symbol, &symbols);
	if (!symbols.count)
		fprintf(page->out, "%*s%s\n", SYMBOL_INDENT, "", "(stack not known)");
	else if (symbols.count > SYMBOLS_MOST)
		fprintf(page->out, "%*s%u more\n", SYMBOL_INDENT, "", symbols.count - SYMBOLS_MOST);
}

static void put_groups(const struct span_report *report, const struct page *page)
{
	static const struct page_column column[] = {
		{"leaks", 9, 0, false},
		{"oldest", 9, 0, false},
		{"span", -14, 70, false},
		{"process", -24, 56, false},
		{"what (the oldest)", 0, 0, false},
	};
	const struct page_table table = {column, sizeof(column) / sizeof(*column)};
	const struct leaks *leaks = report->leaks;
	uint32_t shown = leaks->groups <= report->top + 1 ? leaks->groups : report->top;
	uint64_t rest = 0;

	if (shown)
		page_heading(page, &table);
	for (uint32_t i = 0; i < shown; i++) {
		put_group(report, page, &table, &leaks->group[i]);
		if (report->symbols)
			put_stack(report, page, leaks->group[i].stack);
	}
	for (uint32_t i = shown; i < leaks->groups; i++)
		rest += leaks->group[i].count;
	if (rest)
		fprintf(page->out, "%8llu  more in %u groups\n", (unsigned long long)rest,
			leaks->groups - shown);
}

void leaks_text(const struct span_report *report, FILE *out)
{
	const struct page page = page_new(out, report->columns, report->has_style);

	leaks_sort(report->leaks);
	span_part_text(report, &page);
	for (uint32_t span = 0; span < report->spans; span++)
		put_verdict(report, &page, span);
	put_sureness(report, &page);
	put_groups(report, &page);
	if (report->is_part)
		fputc('\n', out);
	else
		span_books_text(report, &page);
}
