#include "page.h"

#include "summary_name.h"

#include <ctype.h>

/* Returns the length of the text up to the next place where a line may end. */
static size_t phrase(const char *text)
{
	size_t length = 0;

	for (; text[length]; length++)
		if (text[length] == ' ' && length && !isdigit((unsigned char)text[length - 1]))
			break;
	return length;
}

static size_t columns_of(const char *text, size_t length)
{
	size_t all = summary_columns(text);

	return all - summary_columns(text + length);
}

void page_wrap(const struct page *page, const char *text, size_t first, size_t indent)
{
	size_t at = 0, length, width;

	fprintf(page->out, "%*s", (int)first, "");
	for (; *text; text += length) {
		while (*text == ' ')
			text++;
		length = phrase(text);
		width = columns_of(text, length);
		if (at && page->columns && at + 1 + width > page->columns) {
			fprintf(page->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at) {
			fputc(' ', page->out);
			at++;
		}
		fwrite(text, 1, length, page->out);
		at += width + (at ? 0 : first);
	}
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

void page_heading(const struct page *page, const struct page_table *table)
{
	fprintf(page->out, "\n%s", page->bold);
	for (uint32_t i = 0; i < table->columns; i++)
		if (is_shown(page, &table->column[i]))
			put_cell(page, table->column[i].width, table->column[i].title);
	fprintf(page->out, "%s\n", page->plain);
}
