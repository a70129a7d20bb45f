/* stat_hang: the spans that hang now, the tasks that wait for them, and the command that runs once for each hang. */
#pragma once

#include <iotrace/frame_report.h>
#include <iotrace/watch.h>

struct stat_hang {
	struct frame_hang shown;
	struct watch_task task;
	bool is_asked, is_answered, has_run, is_seen;
	bool is_told;   /* for the caller */
	uint64_t asked; /* time, ns */
};

/* Returns whether it is known who hangs and where, or was not known for three seconds. */
bool stat_hang_is_due(const struct stat_hang *hang);

struct stat_hangs {
	struct watch *watch; /* NULL: hangs are not looked at */
	bool has_command;
	struct stat_hang **hang; /* in the order of the frame */
	uint32_t count, cap;
	struct frame_hang *list;
	uint32_t list_cap;
	uint64_t met; /* number of hangs so far */
};

/* Starts the process that looks at tasks. command: NULL: none. Returns 0, or -errno with a message. */
int stat_hangs_open(struct stat_hangs *hangs, const char *command, struct error *err);
void stat_hangs_close(struct stat_hangs *hangs);
/* Takes the hangs of the frame, and adds what is known of them to the report. Waits briefly for answers about new hangs. */
void stat_hangs_take(struct stat_hangs *hangs, struct frame_report *report);
