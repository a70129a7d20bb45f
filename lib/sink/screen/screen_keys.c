/* screen_keys: what each key does. The table is the help, too. */
#include "screen_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 27, CTRL_H = 8, DEL = 127, HELP_KEY_WIDTH = 18 };

static void freeze(struct screen *screen)
{
	screen->is_frozen = !screen->is_frozen;
	if (screen->is_frozen || !screen->latest)
		return;
	frame_line_free(screen->shown);
	screen->shown = screen->latest;
	screen->latest = NULL;
}

static void totals(struct screen *screen)
{
	screen->shows_totals = !screen->shows_totals;
}

static void idle(struct screen *screen)
{
	screen->shows_idle = !screen->shows_idle;
}

static void history(struct screen *screen)
{
	screen->shows_history = !screen->shows_history;
}

static void help(struct screen *screen)
{
	screen->shows_help = !screen->shows_help;
}

static void type_filter(struct screen *screen)
{
	screen->is_typing = true;
	*screen->filter = '\0';
}

/* Sorts by the next column, or the one before, that is on the display. */
static void sort_by(struct screen *screen, int step)
{
	do {
		screen->sort += step;
		if (screen->sort < ORDER_OF_FRAME)
			screen->sort = CELLS - 1;
		if (screen->sort == CELLS)
			screen->sort = ORDER_OF_FRAME;
	} while (screen->sort != ORDER_OF_FRAME && (size_t)COLS < frame_column[screen->sort].from);
}

static void sort_right(struct screen *screen)
{
	sort_by(screen, 1);
}

static void sort_left(struct screen *screen)
{
	sort_by(screen, -1);
}

static void turn(struct screen *screen)
{
	screen->is_ascending = !screen->is_ascending;
}

static void up(struct screen *screen)
{
	screen_select(screen, (long)screen->at - 1);
}

static void down(struct screen *screen)
{
	screen_select(screen, screen->selected ? (long)screen->at + 1 : 0);
}

static void page_up(struct screen *screen)
{
	screen_select(screen, (long)screen->at - (long)screen->page);
}

static void page_down(struct screen *screen)
{
	screen_select(screen, (long)screen->at + (long)screen->page);
}

static void first(struct screen *screen)
{
	screen_select(screen, 0);
}

static void last(struct screen *screen)
{
	screen_select(screen, (long)screen->rows - 1);
}

static const struct key {
	int code[4];
	void (*act)(struct screen *screen);
	enum screen_wish wish;
	const char *name, *text; /* of the help */
} key[] = {
	{{'q', 'Q', 3}, NULL, SCREEN_QUIT, "q, Ctrl-C", "quit"},
	{{'h', '?', KEY_F(1)}, help, SCREEN_STAY, "h, ?", "show or hide this help"},
	{{'\t', KEY_RIGHT, 'v'},
	 NULL,
	 SCREEN_VIEW_AFTER,
	 "Tab, right",
	 "next view; counting starts again"},
	{{KEY_BTAB, KEY_LEFT, 'V'}, NULL, SCREEN_VIEW_BEFORE, "Shift-Tab, left", "view before"},
	{{'>', '.'},
	 sort_right,
	 SCREEN_STAY,
	 ">",
	 "sort by the next column; after the last, the busiest row is first"},
	{{'<', ','}, sort_left, SCREEN_STAY, "<", "sort by the column before"},
	{{'r'}, turn, SCREEN_STAY, "r", "turn the order round"},
	{{'/'},
	 type_filter,
	 SCREEN_STAY,
	 "/",
	 "show only rows whose name contains a text; Enter ends it, Esc drops it"},
	{{'a'}, idle, SCREEN_STAY, "a", "show rows that do nothing, or hide them"},
	{{'p', ' '},
	 freeze,
	 SCREEN_STAY,
	 "p, Space",
	 "freeze the display, or go on; counting goes on"},
	{{'t'}, totals, SCREEN_STAY, "t", "totals since the begin, or rates"},
	{{'\n', '\r', KEY_ENTER},
	 history,
	 SCREEN_STAY,
	 "Enter",
	 "show or hide the last intervals of the selected row"},
	{{KEY_UP, 'k'}, up, SCREEN_STAY, "up, k", "select the row above"},
	{{KEY_DOWN, 'j'}, down, SCREEN_STAY, "down, j", "select the row below"},
	{{KEY_PPAGE}, page_up, SCREEN_STAY, "Page up", "a page up"},
	{{KEY_NPAGE}, page_down, SCREEN_STAY, "Page down", "a page down"},
	{{KEY_HOME}, first, SCREEN_STAY, "Home", "select the first row"},
	{{KEY_END}, last, SCREEN_STAY, "End", "select the last row"},
};

enum { KEYS = sizeof(key) / sizeof(key[0]), CODES = sizeof(key[0].code) / sizeof(key[0].code[0]) };

void screen_draw_help(void)
{
	for (int i = 0; i < KEYS && i + 2 < LINES - 1; i++) {
		mvaddnstr(i + 2, 1, key[i].name, COLS - 1);
		if (COLS > HELP_KEY_WIDTH)
			mvaddnstr(i + 2, HELP_KEY_WIDTH, key[i].text, COLS - HELP_KEY_WIDTH);
	}
}

static const struct key *find(int code)
{
	for (int i = 0; i < KEYS; i++)
		for (int k = 0; k < CODES && key[i].code[k]; k++)
			if (key[i].code[k] == code)
				return &key[i];
	return NULL;
}

/* A key while the filter is typed. */
static void type(struct screen *screen, int code)
{
	size_t length = strlen(screen->filter);

	if (code == '\n' || code == '\r' || code == KEY_ENTER || code == ESCAPE)
		screen->is_typing = false;
	if (code == ESCAPE)
		*screen->filter = '\0';
	if ((code == KEY_BACKSPACE || code == DEL || code == CTRL_H) && length)
		screen->filter[length - 1] = '\0';
	if (code > 0 && code < 256 && !iscntrl(code) && length + 1 < FILTER_SIZE) {
		screen->filter[length] = (char)code;
		screen->filter[length + 1] = '\0';
	}
}

enum screen_wish screen_handle(struct screen *screen, int code)
{
	const struct key *found;

	if (code == KEY_RESIZE)
		return SCREEN_STAY;
	free(screen->note);
	screen->note = NULL;
	if (screen->is_typing && code != 3) {
		type(screen, code);
		return SCREEN_STAY;
	}
	found = find(code);
	if (found && found->act)
		found->act(screen);
	return found ? found->wish : SCREEN_STAY;
}
