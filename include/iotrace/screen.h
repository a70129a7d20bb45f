/*
 * screen: frames on a terminal, with keys: `iotrace stat` without --batch. ncurses draws it.
 *
 * It shows one view. The caller feeds it with frames, passes keys on, and does what the user wishes that the screen cannot do itself.
 */
#pragma once

#include <iotrace/frame_line.h>

struct screen;

enum screen_wish { SCREEN_STAY, SCREEN_QUIT, SCREEN_VIEW_BEFORE, SCREEN_VIEW_AFTER };

/*
 * Takes the terminal. shows_totals: begin with totals instead of rates. Returns NULL if ncurses does not know the terminal, or if
 * standard input and output are none.
 */
struct screen *screen_new(bool shows_totals);
/* Gives the terminal back. */
void screen_free(struct screen *screen);
/* From now on, frames are those of this view. title: of the names. Both are copied. */
void screen_set_view(struct screen *screen, const char *view, const char *title);
/* Shows a frame, and takes it over. */
void screen_take(struct screen *screen, struct frame_line *line);
/* Shows a message until the next key. It may have any bytes. */
void screen_note(struct screen *screen, const char *message);
/* Handles the keys that have been pressed. */
enum screen_wish screen_keys(struct screen *screen);
