#include "page.h"

#include "summary_name.h"

#include <iotrace/sink.h>
#include <iotrace/wrap.h>
#include <stdlib.h>
#include <string.h>

bool sink_has_style(int columns)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (columns <= 0 || (no_color && *no_color) || !term)
		return false;
	return *term && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0;
}

void page_wrap(const struct page *page, const char *text, size_t first, size_t indent)
{
	wrap_print(page->out, text, strlen(text), page->columns, first, indent);
	fputc('\n', page->out);
}

static bool is_shown(const struct page *page, const struct page_column *column)
{
	return !column->is_absent && (!page->columns || page->columns >= column->from);
}

size_t page_rest(const struct page *page, const struct page_table *table)
{
	size_t used = 2;

	if (!page->columns)
		return 0;
	for (uint32_t i = 0; i < table->columns; i++) {
		int width = table->column[i].width;

		if (is_shown(page, &table->column[i]))
			used += (size_t)(width < 0 ? -width : width);
	}
	return page->columns > used + PAGE_REST_LEAST ? page->columns - used : PAGE_REST_LEAST;
}

static void put_cell(const struct page *page, int width, const char *text)
{
	int room = width < 0 ? -width : width, used = (int)summary_columns(text);
	int blanks = room > used ? room - used : 0;

	if (!width)
		fprintf(page->out, "  %s", text);
	else if (width < 0)
		fprintf(page->out, " %s%*s", text, blanks ? blanks - 1 : 0, "");
	else
		fprintf(page->out, "%*s%s", blanks ? blanks : 1, "", text);
}

void page_row(const struct page *page, const struct page_table *table, const char *const *cell)
{
	for (uint32_t i = 0; i < table->columns; i++)
		if (is_shown(page, &table->column[i]))
			put_cell(page, table->column[i].width, cell[i] ? cell[i] : "-");
	fputs("\n", page->out);
}

/* Returns how many bytes of the title of the last column fit: what is in parentheses is omitted first. */
static int title_length(const char *title, size_t room)
{
	const char *more = strstr(title, " (");

	if (room && strlen(title) > room && more && more != title)
		return (int)(more - title);
	return (int)strlen(title);
}

void page_heading(const struct page *page, const struct page_table *table)
{
	fprintf(page->out, "\n%s", page->bold);
	for (uint32_t i = 0; i < table->columns; i++)
		if (is_shown(page, &table->column[i]) && table->column[i].width)
			put_cell(page, table->column[i].width, table->column[i].title);
		else if (is_shown(page, &table->column[i]))
			fprintf(page->out, "  %.*s",
				title_length(table->column[i].title, page_rest(page, table)),
				table->column[i].title);
	fprintf(page->out, "%s\n", page->plain);
}
