/* screen: see <iotrace/screen.h>. */
#include "screen_state.h"

#include <iotrace/mem.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* newterm() leaks memory if it does not know the terminal. */
static bool is_known_terminal(void)
{
	int reason;

	if (setupterm(NULL, STDOUT_FILENO, &reason) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

struct screen *screen_new(bool shows_totals)
{
	struct screen *screen;
	SCREEN *terminal;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !is_known_terminal())
		return NULL;
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return NULL;
	screen = mem_zero(sizeof(*screen));
	screen->terminal = terminal;
	screen->sort = ORDER_OF_FRAME;
	screen->shows_totals = shows_totals;
	screen->has_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	return screen;
}

static void forget_rows(struct screen *screen)
{
	frame_line_free(screen->shown);
	frame_line_free(screen->latest);
	screen->shown = screen->latest = NULL;
	screen->rows = screen->at = screen->top = 0;
	free(screen->selected);
	screen->selected = NULL;
	history_clear(&screen->history);
}

void screen_free(struct screen *screen)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen->terminal);
	forget_rows(screen);
	free(screen->view);
	free(screen->title);
	free(screen->note);
	free(screen->row);
	free(screen);
}

void screen_set_view(struct screen *screen, const char *view, const char *title)
{
	forget_rows(screen);
	free(screen->view);
	free(screen->title);
	screen->view = mem_strdup(view);
	screen->title = mem_strdup(title);
	screen_draw(screen);
}

void screen_take(struct screen *screen, struct frame_line *line)
{
	struct frame_line **to = screen->is_frozen ? &screen->latest : &screen->shown;

	history_add(&screen->history, line);
	frame_line_free(*to);
	*to = line;
	screen_sort(screen);
	screen_draw(screen);
}

void screen_note(struct screen *screen, const char *message)
{
	free(screen->note);
	screen->note = mem_strdup(message);
	screen_draw(screen);
}

enum screen_wish screen_keys(struct screen *screen)
{
	enum screen_wish wish = SCREEN_STAY;
	int code;

	while (wish == SCREEN_STAY && (code = getch()) != ERR)
		wish = screen_handle(screen, code);
	screen_sort(screen);
	screen_draw(screen);
	return wish;
}
