/* daemon_hang: operations of all views that hang: they are logged once, and the command of --on-hang runs for each. */
#pragma once

#include "stat/stat_hang.h"

struct mount_names;
struct error;
struct span_run;

struct daemon_hangs {
	struct stat_hangs hangs;
	struct mount_names *names; /* lent */
	struct span_seen *list;    /* those of this interval; their groups also say the view */
	uint32_t count, cap;
};

/* Starts the process that looks at tasks. Returns 0, or -errno with a message. */
int daemon_hangs_open(struct daemon_hangs *hangs, const char *command, struct mount_names *names,
		      struct error *err);
void daemon_hangs_close(struct daemon_hangs *hangs);
/* Takes those of a view, enum publication_view, in this interval. */
void daemon_hangs_add(struct daemon_hangs *hangs, uint32_t view, const struct frame *frame);
/* At the end of an interval, after all views. */
void daemon_hangs_tell(struct daemon_hangs *hangs, const struct span_run *run, uint64_t now);
