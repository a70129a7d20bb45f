/* screen_draw: draws the frame: a heading, the rows, the total, hangs, the last minutes of a row, and a line about keys. */
#include "screen_state.h"

#include "print/summary_name.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD_LINES = 2, FOOT_LINES = 2, HISTORY_LINES = 4, LABEL_WIDTH = 26, TEXT_SIZE = 64 };

static bool is_shown(int cell)
{
	return (size_t)COLS >= frame_column[cell].from;
}

/* Names get what the other columns leave. */
static int width_of_names(void)
{
	int used = 0;

	for (int cell = NAME + 1; cell < CELLS; cell++)
		used += is_shown(cell) ? frame_column[cell].width : 0;
	return COLS > used + NAME_LEAST ? COLS - used : NAME_LEAST;
}

/* Writes text, cut so that it fits, and blanks after it. */
static void put_left(const char *text, int width)
{
	char *cut = summary_cut(text, (size_t)(width > 1 ? width - 1 : 1), 8);
	int used = (int)summary_columns(cut);

	addstr(cut);
	for (; used < width; used++)
		addch(' ');
	free(cut);
}

static void put_line(int line, const char *text, attr_t style)
{
	move(line, 0);
	attrset(style);
	put_left(text, COLS);
	attrset(A_NORMAL);
}

static const char *title_of(const struct screen *screen, int cell)
{
	const char *total = screen->shows_totals ? frame_total_title[cell] : NULL;

	if (cell == NAME)
		return screen->title;
	return total ? total : frame_column[cell].title;
}

static void format_cell(const struct screen *screen, char *text, double value, int cell)
{
	char number[SUMMARY_NUMBER];

	switch (cell) {
	case IN_FLIGHT:
		snprintf(text, TEXT_SIZE, "%.0f", value);
		return;
	case UTIL:
		snprintf(text, TEXT_SIZE, "%.2f%%", value);
		return;
	case OPS:
	case ERRORS:
		snprintf(text, TEXT_SIZE, screen->shows_totals ? "%.0f" : "%.2f", value);
		return;
	case SERVICE:
		snprintf(text, TEXT_SIZE, "%.2f", value);
		return;
	case READ:
	case WRITTEN:
		snprintf(text, TEXT_SIZE, "%s",
			 value > 0 ? summary_bytes(number, (uint64_t)(value + 0.5)) : "-");
		return;
	default:
		value *= cell == OLDEST ? 1e9 : 1e3;
		snprintf(text, TEXT_SIZE, "%s",
			 value > 0 ? summary_time(number, (uint64_t)(value + 0.5)) : "-");
	}
}

static void put_row(const struct screen *screen, int line, const struct frame_line_row *row,
		    attr_t style)
{
	char *name = mem_format("%s%s", row->is_hung ? "! " : "", row->name), text[TEXT_SIZE];

	move(line, 0);
	attrset(style | (row->is_hung ? A_BOLD : A_NORMAL));
	put_left(name, width_of_names());
	for (int cell = NAME + 1; cell < CELLS; cell++) {
		if (!is_shown(cell))
			continue;
		format_cell(screen, text, screen_value(screen, row, cell), cell);
		printw("%*s", frame_column[cell].width, text);
	}
	attrset(A_NORMAL);
	free(name);
}

static void put_heading(const struct screen *screen)
{
	move(1, 0);
	for (int cell = NAME; cell < CELLS; cell++) {
		attr_t sorted = cell == screen->sort ? A_BOLD | A_UNDERLINE : A_NORMAL;

		if (!is_shown(cell))
			continue;
		attrset(A_REVERSE | sorted);
		if (cell == NAME)
			put_left(title_of(screen, cell), width_of_names());
		else
			printw("%*s", frame_column[cell].width, title_of(screen, cell));
	}
	attrset(A_NORMAL);
}

static void put_top(const struct screen *screen)
{
	char *text, clock[TEXT_SIZE] = "";

	if (screen->shown) {
		time_t now = (time_t)(screen->shown->time / 1000000000);
		struct tm parts;

		strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &parts));
	}
	text = mem_format("iotrace stat --by %s  %s%s%s%s%s%s%s", screen->view, clock,
			  screen->is_frozen ? "  frozen" : "",
			  screen->shows_totals ? "  totals" : "",
			  screen->shows_idle ? "  with idle rows" : "",
			  *screen->filter && !screen->is_typing ? "  filter: " : "",
			  screen->is_typing ? "" : screen->filter,
			  screen->shown ? "" : "  waits for the first numbers");
	put_line(0, text, A_BOLD);
	free(text);
}

/* What the row did: a line for each value, with its largest. */
static void put_history(const struct screen *screen, int line)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	static const char *const title[HISTORY_VALUES] = {"op/s", "svctm/us", "%util"};
	const char *name = screen->selected ? screen->selected
			   : screen->rows   ? screen->row[0]->name
					    : "TOTAL";
	int width = COLS > LABEL_WIDTH + 10 ? COLS - LABEL_WIDTH : 10;
	float *value = mem_array((size_t)width, sizeof(*value));

	if (width > HISTORY_LENGTH)
		width = HISTORY_LENGTH;
	put_line(line++, name, A_UNDERLINE);
	for (int i = 0; i < HISTORY_VALUES; i++, line++) {
		float most = 0;

		history_get(&screen->history, name, (enum history_value)i, value, (uint32_t)width);
		for (int at = 0; at < width; at++)
			most = value[at] > most ? value[at] : most;
		mvprintw(line, 0, "%8s at most %.6g", title[i], (double)most);
		move(line, LABEL_WIDTH);
		for (int at = 0; at < width; at++) {
			int level = most > 0 ? (int)(value[at] / most * 8) : 0;

			level += value[at] > 0 && !level;
			addstr(screen->has_utf8 ? blocks[level] : letters[level]);
		}
	}
	free(value);
}

/* Hangs get a third of the display at most. Returns the number of lines. */
static int lines_of_hangs(const struct screen *screen)
{
	uint32_t hangs = screen->shown ? screen->shown->hangs : 0;
	uint32_t most = LINES > 6 ? (uint32_t)LINES / 3 : 1;

	return (int)(hangs < most ? hangs : most);
}

static void put_hangs(const struct screen *screen, int line, int lines)
{
	for (int i = 0; i < lines; i++) {
		uint32_t more = screen->shown->hangs - (uint32_t)lines + 1;
		bool is_rest = i + 1 == lines && more > 1;
		char *text = is_rest ? mem_format("! %u more hang", more)
				     : mem_format("! %s", screen->shown->hang[i]);

		put_line(line + i, text, A_BOLD);
		free(text);
	}
}

static void put_foot(const struct screen *screen)
{
	char *text = NULL;

	if (screen->note)
		text = summary_escape(screen->note, strlen(screen->note));
	else if (screen->is_typing)
		text = mem_format("Filter: %s_", screen->filter);
	put_line(
		LINES - 1,
		text ? text
		     : "q quit  h help  Tab view  < > sort  / filter  p freeze  t totals  Enter history",
		A_REVERSE);
	free(text);
}

/* The selected row stays on the display. */
static void scroll_to_selected(struct screen *screen, int lines)
{
	screen->page = lines > 0 ? (uint32_t)lines : 0;
	if (screen->at < screen->top)
		screen->top = screen->at;
	if (screen->page && screen->at >= screen->top + screen->page)
		screen->top = screen->at - screen->page + 1;
	if (screen->top + screen->page > screen->rows)
		screen->top = screen->rows > screen->page ? screen->rows - screen->page : 0;
}

void screen_draw(struct screen *screen)
{
	int hangs = lines_of_hangs(screen), history = screen->shows_history ? HISTORY_LINES : 0;
	int lines = LINES - HEAD_LINES - FOOT_LINES - hangs - history;

	erase();
	put_top(screen);
	if (screen->shows_help) {
		screen_draw_help();
	} else {
		put_heading(screen);
		scroll_to_selected(screen, lines);
		lines = 0;
		for (uint32_t i = screen->top; i < screen->rows && lines < (int)screen->page; i++)
			put_row(screen, HEAD_LINES + lines++, screen->row[i],
				i == screen->at && screen->selected ? A_REVERSE : A_NORMAL);
		if (screen->shown && *screen->shown->total.name)
			put_row(screen, HEAD_LINES + lines++, &screen->shown->total, A_NORMAL);
		if (screen->shown)
			put_hangs(screen, HEAD_LINES + lines, hangs);
		if (history)
			put_history(screen, LINES - 1 - history);
	}
	put_foot(screen);
	refresh();
}
