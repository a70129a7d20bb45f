/* screen_state: shared by the files of the display. */
#pragma once

#include "frame/frame_columns.h"
#include "screen_history.h"

#include <iotrace/screen.h>
#include <ncurses.h>

enum { FILTER_SIZE = 64, ORDER_OF_FRAME = -1 };

struct screen {
	SCREEN *terminal;
	char *view, *title, *note;
	struct frame_line *shown,
		*latest; /* latest: NULL, or a frame that came while the display is frozen */
	const struct frame_line_row *
		*row; /* rows that pass the filter, in the order of the display */
	uint32_t rows, rows_cap;
	int sort; /* a cell, or ORDER_OF_FRAME */
	bool is_ascending, is_frozen, shows_idle, shows_totals, shows_help, shows_history;
	char filter[FILTER_SIZE];
	bool is_typing;   /* the filter */
	char *selected;   /* name of a row, or NULL: the first */
	uint32_t at, top; /* index of that row, and of the first row on the display */
	uint32_t page;    /* rows that fit the display */
	bool has_utf8;
	struct screen_history history;
};

/* Returns the value of a cell as it is shown and sorted. */
double screen_value(const struct screen *screen, const struct frame_line_row *row, int cell);
/* Chooses and sorts the rows of the frame, and finds the selected one. */
void screen_sort(struct screen *screen);
/* Selects the row with this index, or the nearest. */
void screen_select(struct screen *screen, long at);
void screen_draw(struct screen *screen);
/* Does what a key says, except for drawing. code: as getch() returns it. */
enum screen_wish screen_handle(struct screen *screen, int code);
/* Draws what the keys do. */
void screen_draw_help(void);
