/*
 * flight_state: what the files of this folder share.
 *
 * Two readers follow the spool, which is in memory. The *head* reads each round when it comes, and looks for triggers, if some need that.
 * The *trail* reads what leaves the window, and follows only files and processes. When a trigger has come, a new run continues the trail and converts
 * the window: see run_continue(). All of this happens in one thread.
 */
#pragma once

#include "archives.h"
#include "look.h"
#include "path/naming.h"
#include "record/record_options.h"
#include "run/run.h"
#include "sight.h"
#include "window.h"

#include <iotrace/quiet.h>
#include <signal.h>

struct live;
struct span_set;

/* A trigger whose archive is not yet written. */
struct flight_pending {
	uint64_t time; /* 0: there is none */
	uint64_t due;  /* then everything that is wanted has happened, */
	uint64_t come; /* and has come to the stream; 0: not yet known */
	struct window_wait read;
	char text[600];
};

struct flight {
	const struct record_options *options;
	struct recording recording; /* that of the options, with the process of the watch */
	const struct span_set *spans;
	struct naming naming;
	char *base;  /* -o, expanded; NULL: default names */
	char *spool; /* its name in messages */
	struct quiet quiet;
	sigset_t mask; /* signal mask of the command */
	char *cmdline;
	struct live *live;
	struct capture *head; /* NULL, like look */
	struct look *look;    /* NULL: no trigger needs it */
	struct watch *watch;  /* NULL: no trigger needs it */
	struct sight_told told;
	struct run *trail;
	struct run_source source; /* of the trail */
	struct window window;
	struct archives archives;
	struct flight_pending pending;
	uint64_t next;    /* no archive for an earlier trigger; 0: none was written */
	uint64_t ignored; /* triggers that came too early */
	uint64_t seen;    /* calls that ended earlier are no triggers any more */
	uint64_t
		suspected; /* the first call that may be a trigger, and was not in a sight yet; 0: none */
	uint64_t next_sight;  /* no sight before */
	uint64_t next_unseen; /* no message before about triggers that nobody saw */
	uint64_t next_look;   /* for hangs */
	uint32_t number;      /* of the last archive with the name of -o */
	uint32_t sights;      /* to come */
	bool has_failed;      /* an archive could not be written */
};

/* Converts the window and looks for a trigger. Returns whether one was found, which is then pending or was ignored. */
bool flight_sight(struct flight *flight);
/* A trigger has come at this time. Returns whether it gets an archive. */
bool flight_trigger(struct flight *flight, uint64_t time, const char *what, const char *text);
/* Writes the archive of the pending trigger. */
void flight_snapshot(struct flight *flight);
