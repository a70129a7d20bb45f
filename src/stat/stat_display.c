/* stat_display: see stat_display.h. */
#include "stat_display.h"

#include "command.h"
#include "option/limit.h"
#include "stat_views.h"

#include <iotrace/error.h>
#include <iotrace/feed.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <iotrace/screen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { END_MS = 10000 }; /* for the last lines of a child */

struct display {
	struct stat_options *options;
	stat_count count;
	int argc;
	char **argv;
	const char *span;        /* of the first view */
	const struct view *view; /* another one; NULL: the first */
	struct screen *screen;
	char *messages; /* lines of the children; printed when the terminal is free again */
	bool has_frame; /* one came */
};

bool stat_display_is_wanted(const struct stat_options *options, int argc)
{
	const struct span_file *json = &options->span.json, *csv = &options->csv;

	return !argc && !options->is_batch && !json->is_wanted && (!csv->is_wanted || csv->path);
}

/* Runs in the child. Another view than the first is chosen here, since that may fail. */
static int count_view(void *context)
{
	struct display *display = context;
	struct stat_options *options = display->options;
	struct error err = {0};

	log_set_columns(0); /* the display wants a message in one line */
	if (display->view) {
		options->span.by = display->view->name;
		if (options->is_of_daemon)
			options->view = options->title = display->view->name;
		else
			display->span = stat_options_view(options, &err);
	}
	if (!display->span) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	options->span.json.is_wanted = true;
	options->span.record.recording.own_pid[RECORDING_OWN_DISPLAY] = (uint32_t)getppid();
	return display->count(options, display->span, display->argc, display->argv);
}

static int count_of_views(const struct stat_options *options)
{
	int count = 0;

	while (stat_views_row(options, (unsigned)count))
		count++;
	return count;
}

static const char *view_name(const struct display *display)
{
	return display->view ? display->view->name : display->options->view;
}

/* Chooses the next view (step 1) or the one before (-1). A span of the user is the only view. Returns whether it is another one. */
static bool turn_to(struct display *display, int step)
{
	const struct stat_options *options = display->options;
	int views = count_of_views(options), now = 0;

	if (options->span.words.count)
		return false;
	while (now < views &&
	       strcmp(stat_views_row(options, (unsigned)now)->name, view_name(display)) != 0)
		now++;
	now += step;
	if (now < 0)
		now = views - 1;
	display->view = stat_views_row(options, (unsigned)(now < views ? now : 0));
	return true;
}

static void keep_failure(struct display *display, const struct error *err)
{
	mem_append(&display->messages, "iotrace: %s\n", err->text);
	for (const char *hint = error_next_hint(err, NULL); hint; hint = error_next_hint(err, hint))
		mem_append(&display->messages, "iotrace: %s\n", hint);
}

static void keep_message(struct display *display, const char *line)
{
	mem_append(&display->messages, "%s\n", line);
	screen_note(display->screen, line);
}

static void take_line(struct display *display, const char *line)
{
	struct frame_line *frame = frame_line_read(line);

	if (!frame) {
		keep_message(display, line);
		return;
	}
	display->has_frame = true;
	screen_take(display->screen, frame);
}

/*
 * Shows what comes until the user wants something else. A child that has failed stays on the display with its message, so that the
 * user can turn to another view; but if nothing was ever shown, that is the end.
 */
static enum screen_wish follow(struct display *display, struct feed *feed)
{
	enum screen_wish wish = SCREEN_STAY;
	size_t said = strlen(display->messages);
	const char *line;

	while (wish == SCREEN_STAY) {
		switch (feed_wait(feed, -1, &line)) {
		case FEED_LINE:
			take_line(display, line);
			break;
		case FEED_MESSAGE:
			keep_message(display, line);
			break;
		case FEED_KEY:
			wish = screen_keys(display->screen);
			break;
		case FEED_SIGNAL:
			return SCREEN_QUIT;
		case FEED_END:
			if (!display->has_frame || strlen(display->messages) == said)
				return SCREEN_QUIT;
			break;
		case FEED_TIMEOUT:
		case FEED_OTHER:
			break;
		}
	}
	return wish;
}

/* Ends the child. What it still says is kept. */
static int end_child(struct display *display, struct feed *feed)
{
	enum feed_event event;
	const char *line;

	feed_stop(feed);
	do {
		event = feed_wait(feed, END_MS, &line);
		if (event == FEED_MESSAGE)
			mem_append(&display->messages, "%s\n", line);
	} while (event != FEED_END && event != FEED_TIMEOUT);
	return feed_end(feed);
}

/* Shows one view. Returns the exit status of its child. */
static int show_view(struct display *display, enum screen_wish *wish)
{
	struct error err = {0};
	struct feed *feed = feed_new(count_view, display, &err);
	int status;

	*wish = SCREEN_QUIT;
	if (!feed) {
		limit_hint(&err);
		keep_failure(display, &err);
		return STATUS_FAILED;
	}
	screen_set_view(display->screen, view_name(display),
			display->options->span.words.count ? "name" : view_name(display));
	do
		*wish = follow(display, feed);
	while (*wish != SCREEN_QUIT && !turn_to(display, *wish == SCREEN_VIEW_AFTER ? 1 : -1));
	status = end_child(display, feed);
	/* The user was quicker than the child. */
	return status == STATUS_SIGNAL + SIGINT ? STATUS_OK : status;
}

int stat_display_run(struct stat_options *options, const char *span, stat_count count, int argc,
		     char **argv)
{
	struct display display = {.options = options,
				  .count = count,
				  .argc = argc,
				  .argv = argv,
				  .span = span,
				  .screen = screen_new(options->has_totals),
				  .messages = mem_strdup("")};
	enum screen_wish wish = SCREEN_STAY;
	int status = -1;

	while (display.screen && wish != SCREEN_QUIT)
		status = show_view(&display, &wish);
	screen_free(display.screen);
	fputs(display.messages, stderr);
	free(display.messages);
	return status;
}
