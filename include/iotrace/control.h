/*
 * control: requests from a user to a running recording, and its answers.
 *
 * Each recorder has a socket in /tmp/iotrace-UID, a directory that only its user may enter. A recorder is named by
 * its process id, or by the name of --join. If a recorder cannot create its socket, it records nevertheless, but
 * cannot be reached.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum {
	CONTROL_TEXT_MOST = 4000
}; /* maximum size in bytes of a mark, and of the command in a status */

enum control_word {
	CONTROL_STATUS,
	CONTROL_START,    /* record from now on */
	CONTROL_PAUSE,    /* do not record what begins from now on */
	CONTROL_MARK,     /* a mark at this time */
	CONTROL_SNAPSHOT, /* a flight recorder makes an archive of what happened so far */
};

/* The status of a recorder. Times are in ns since it began to record. */
struct control_status {
	int32_t pid;
	uint32_t is_paused;
	uint32_t takes_snapshots; /* it is a flight recorder */
	uint64_t running_ns, paused_ns;
	char command[CONTROL_TEXT_MOST]; /* the recorded command, quoted for a shell */
};

/*
 * Sends a request to the recorder and waits at most 5 s for the answer. text: of a mark; otherwise NULL. Returns 0 with the new
 * status, or -errno with a message; -ENOENT: there is no such recorder.
 */
int control_send(const char *recorder, enum control_word word, const char *text,
		 struct control_status *status, struct error *err);
/* Adds the names of this user's running recorders. The caller frees each of them. */
void control_list(struct text_list *recorders);
