/* screen_rows: which rows are on the display, in which order, and which of them is selected. */
#include "screen_state.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

/* What a cell shows, per second or in total. */
static const enum frame_number of_rates[CELLS] = {
	[IN_FLIGHT] = FRAME_IN_FLIGHT, [OPS] = FRAME_OPS,
	[READ] = FRAME_READ,           [WRITTEN] = FRAME_WRITTEN,
	[SERVICE] = FRAME_SERVICE_US,  [P50] = FRAME_P50_US,
	[P99] = FRAME_P99_US,          [MAX] = FRAME_MAX_US,
	[UTIL] = FRAME_UTIL,           [ERRORS] = FRAME_ERRORS,
	[OLDEST] = FRAME_OLDEST_S,
};

static enum frame_number total_of(enum frame_number number)
{
	switch (number) {
	case FRAME_OPS:
		return FRAME_OPS_TOTAL;
	case FRAME_READ:
		return FRAME_READ_TOTAL;
	case FRAME_WRITTEN:
		return FRAME_WRITTEN_TOTAL;
	case FRAME_ERRORS:
		return FRAME_ERRORS_TOTAL;
	default:
		return number;
	}
}

double screen_value(const struct screen *screen, const struct frame_line_row *row, int cell)
{
	enum frame_number number = of_rates[cell];

	return row->number[screen->shows_totals ? total_of(number) : number];
}

static bool is_wanted(const struct screen *screen, const struct frame_line_row *row)
{
	const double *number = row->number;
	bool has_moved = number[FRAME_READ] > 0 || number[FRAME_WRITTEN] > 0;
	bool is_active = number[FRAME_OPS] > 0 || number[FRAME_IN_FLIGHT] > 0 ||
			 number[FRAME_UTIL] > 0 || has_moved;

	return (is_active || row->is_kept || screen->shows_idle) &&
	       strcasestr(row->name, screen->filter);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct frame_line_row *x = *(const struct frame_line_row *const *)a;
	const struct frame_line_row *y = *(const struct frame_line_row *const *)b;
	const struct screen *screen = context;
	int sign = screen->is_ascending ? 1 : -1;

	if (screen->sort == NAME)
		return -sign * strcmp(x->name, y->name);
	if (screen->sort != ORDER_OF_FRAME) {
		double left = screen_value(screen, x, screen->sort);
		double right = screen_value(screen, y, screen->sort);

		if (left != right)
			return left < right ? -sign : sign;
	}
	return x < y ? -1 : x > y; /* the order of the frame */
}

void screen_sort(struct screen *screen)
{
	const struct frame_line *line = screen->shown;

	screen->rows = 0;
	if (!line)
		return;
	MEM_GROW(screen->row, screen->rows_cap, line->rows);
	for (uint32_t i = 0; i < line->rows; i++)
		if (is_wanted(screen, &line->row[i]))
			screen->row[screen->rows++] = &line->row[i];
	if (screen->rows)
		qsort_r(screen->row, screen->rows, sizeof(*screen->row), compare, screen);
	screen->at = 0;
	for (uint32_t i = 0; screen->selected && i < screen->rows; i++)
		if (!strcmp(screen->row[i]->name, screen->selected))
			screen->at = i;
}

void screen_select(struct screen *screen, long at)
{
	if (!screen->rows)
		return;
	at = at < 0 ? 0 : at >= (long)screen->rows ? (long)screen->rows - 1 : at;
	screen->at = (uint32_t)at;
	free(screen->selected);
	screen->selected = mem_strdup(screen->row[at]->name);
}
