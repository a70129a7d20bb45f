/* stat_hang: what hangs now, what is known of it, and the command that is run once for each. */
#pragma once

#include <iotrace/frame_tell.h>
#include <iotrace/watch.h>

struct stat_hang {
	struct frame_hang told;
	struct watch_task task;
	bool is_asked, is_answered, has_run, is_seen;
	uint32_t intervals; /* that the command has waited for an answer */
};

struct stat_hangs {
	struct watch *watch; /* NULL: nobody looks */
	bool has_command;
	struct stat_hang **hang; /* in the order of the frame */
	uint32_t count, cap;
	struct frame_hang *list;
	uint32_t list_cap;
	uint64_t met; /* how many there were */
};

/* Starts who looks. command: NULL: none. Returns 0, or -errno with a sentence. */
int stat_hangs_open(struct stat_hangs *hangs, const char *command, struct error *err);
void stat_hangs_close(struct stat_hangs *hangs);
/* Takes the hangs of the frame of `tell`, and gives it what is known of them. Waits for new ones, but not long. */
void stat_hangs_take(struct stat_hangs *hangs, struct frame_tell *tell);
