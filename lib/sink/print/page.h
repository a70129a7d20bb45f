/* page: lines and tables of text that fit a terminal. In a file or a pipe, nothing is omitted or cut. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All text must be safe for a terminal. */
struct page {
	FILE *out;
	size_t columns; /* of the terminal; 0: the output is no terminal */
	const char *bold, *plain;
};

static inline struct page page_new(FILE *out, size_t columns, bool has_style)
{
	return (struct page){out, columns, has_style ? "\033[1m" : "", has_style ? "\033[0m" : ""};
}

/* Prints text and a newline as wrap_print() does. */
void page_wrap(const struct page *page, const char *text, size_t first, size_t indent);

struct page_column {
	const char *title;
	/* Including the blank before it; negative: aligned left, with a blank after it; 0: the rest of the line. */
	int width;
	size_t from;    /* minimum number of terminal columns at which it is shown */
	bool is_absent; /* not shown in this table */
};

struct page_table {
	const struct page_column *column;
	uint32_t columns;
};

enum { PAGE_REST_LEAST = 12 };

void page_heading(const struct page *page, const struct page_table *table);
/* Prints one cell for each column; NULL is a dash. */
void page_row(const struct page *page, const struct page_table *table, const char *const *cell);
/* Returns how many columns are left for the rest of the line, 0: no limit. */
size_t page_rest(const struct page *page, const struct page_table *table);
