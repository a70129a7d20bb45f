/*
 * filter: the expression that the kernel evaluates for every system call of a traced thread.
 *
 * Calls that move data are compared first, one after the other, so that they pass at once. The other numbers become ranges and a
 * tree of comparisons, which refuses an unwanted call after about log2(ranges) steps. (As a chain, the same set costs each
 * unwanted call 170 ns more than the tree.)
 */
#include "filter.h"

#include <iotrace/mem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	int low, high;
};

struct text {
	char *at;
	size_t size, cap;
};

static void put(struct text *text, const char *format, int a, int b)
{
	if (text->cap - text->size < 64) {
		text->cap = text->cap ? text->cap * 2 : 512;
		text->at = mem_resize(text->at, text->cap);
	}
	text->size += (size_t)snprintf(text->at + text->size, text->cap - text->size, format, a, b);
}

static void put_range(struct text *text, const struct range *range)
{
	if (range->low == range->high)
		put(text, "id==%d", range->low, 0);
	else
		put(text, "(id>=%d&&id<=%d)", range->low, range->high);
}

static void put_tree(struct text *text, const struct range *range, uint32_t count)
{
	uint32_t half = count / 2;

	if (count == 1) {
		put_range(text, range);
		return;
	}
	put(text, "((id<%d&&", range[half].low, 0);
	put_tree(text, range, half);
	put(text, ")||(id>=%d&&", range[half].low, 0);
	put_tree(text, range + half, count - half);
	put(text, "))", 0, 0);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Makes ranges of the sorted numbers. Returns how many. */
static uint32_t make_ranges(struct range *range, const int *sorted, uint32_t count)
{
	uint32_t ranges = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (ranges && sorted[i] <= range[ranges - 1].high + 1)
			range[ranges - 1].high = sorted[i];
		else
			range[ranges++] = (struct range){sorted[i], sorted[i]};
	}
	return ranges;
}

static void build(struct text *text, const int *hot, uint32_t hots, const struct range *range,
		  uint32_t ranges)
{
	text->size = 0;
	for (uint32_t i = 0; i < hots; i++)
		put(text, i ? "||id==%d" : "id==%d", hot[i], 0);
	if (ranges && hots)
		put(text, "||", 0, 0);
	if (!ranges)
		return;
	/* One comparison lets small numbers, those of the calls that move data, skip the tree. */
	if (ranges > 2)
		put(text, "(id>=%d&&", range[0].low, 0);
	put_tree(text, range, ranges);
	if (ranges > 2)
		put(text, ")", 0, 0);
}

char *filter_numbers(const int *number, uint32_t count, uint32_t hot)
{
	struct range *range = mem_array(count + 1, sizeof(*range));
	int *sorted = mem_array(count + 1, sizeof(*sorted));
	struct text text = {0};
	uint32_t others;

	if (hot > count)
		hot = count;
	others = count - hot;
	if (others)
		memcpy(sorted, number + hot, others * sizeof(*sorted));
	qsort(sorted, others, sizeof(*sorted), compare);
	if (count)
		build(&text, number, hot, range, make_ranges(range, sorted, others));
	free(range);
	free(sorted);
	return text.at;
}

static const char *const frequent_calls[] = {"read", "write", "pread64", "pwrite64", "lseek"};

static bool is_opener(const struct call_row *row)
{
	return row->kind == CALL_OPEN || row->kind == CALL_CREATE_FD ||
	       row->kind == CALL_CREATE_PAIR || row->kind == CALL_CHDIR ||
	       row->kind == CALL_CHROOT || row->kind == CALL_EXEC || row->kind == CALL_UNSHARE;
}

static bool is_named(const struct call_row *row)
{
	return row->kind == CALL_DELETE || row->kind == CALL_RENAME;
}

/* Calls that move data and have low numbers are compared one by one; all other numbers are above them. */
static bool is_low(const struct call_row *row)
{
	call_id last = call_by_name("pwrite64", strlen("pwrite64"));

	return row->number < call_row(last)->number;
}

static bool in_enter(const struct call_row *row)
{
	return !is_named(row);
}

static bool in_exit(const struct call_row *row)
{
	return !is_opener(row);
}

static bool is_frequent(const struct call_row *row)
{
	for (size_t i = 0; i < sizeof(frequent_calls) / sizeof(frequent_calls[0]); i++)
		if (!strcmp(row->name, frequent_calls[i]))
			return true;
	return false;
}

/* Gathers the numbers of the chosen calls for which `wanted` is true. Those for which `first` is true come first. */
static char *chosen(uint32_t groups, bool (*wanted)(const struct call_row *row),
		    bool (*first)(const struct call_row *row))
{
	uint32_t calls = call_count(), count = 0, hot = 0;
	int *number = mem_array(calls + 1, sizeof(*number));
	char *text;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < calls; i++) {
			const struct call_row *row = call_row((call_id)i);

			if (row->number >= 0 && groups >> row->group & 1 && first(row) == !pass &&
			    wanted(row))
				number[count++] = row->number;
		}
		hot = pass ? hot : count;
	}
	text = filter_numbers(number, count, hot);
	free(number);
	return text;
}

static bool in_any(const struct call_row *row)
{
	(void)row;
	return true;
}

char *filter_groups(uint32_t groups)
{
	return chosen(groups, in_any, is_frequent);
}

static char *exit_filter(uint32_t groups)
{
	char *others = chosen(groups, in_exit, is_frequent);
	char *openers = chosen(groups, is_opener, is_low);
	char *text = mem_format("%s||(ret<0&&(%s))", others, openers);

	if (strlen(text) > FILTER_SIZE) {
		free(text);
		text = mem_format("ret<0||!(%s)", openers);
	}
	free(others);
	free(openers);
	return text;
}

char *filter_calls(enum filter_use use, uint32_t groups)
{
	char *numbers, *text;

	groups |= CALL_GROUPS_ALWAYS;
	if (use == FILTER_EXIT)
		return exit_filter(groups);
	if (use == FILTER_ENTER)
		return chosen(groups, in_enter, is_frequent);
	if (use == FILTER_PATH)
		return chosen(groups, is_named, is_low);
	numbers = chosen(groups, is_opener, is_low);
	text = mem_format("(%s)&&ret>=0", numbers);
	free(numbers);
	return text;
}
