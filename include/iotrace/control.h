/*
 * control: what a user says to a recording that runs, and what it answers.
 *
 * Each recorder has a socket in /tmp/iotrace-UID, a directory that only its user may enter. A recorder is named by its process id,
 * or by the name of --join. A recorder that could not make its socket records all the same, and nobody can talk to it.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { CONTROL_TEXT_MOST = 4000 }; /* bytes of a mark, and of the words of a status */

enum control_word {
	CONTROL_STATUS,
	CONTROL_START, /* record from now on */
	CONTROL_PAUSE, /* leave out what begins from now on */
	CONTROL_MARK,  /* a mark at this time */
};

/* What a recorder says of itself. Times in ns since it began to record. */
struct control_status {
	int32_t pid;
	uint32_t is_paused;
	uint64_t running_ns, paused_ns;
	char command[CONTROL_TEXT_MOST]; /* what is recorded, as a user would write it */
};

/*
 * Says a word to the recorder, and waits for its answer, 5 s at most. text: of a mark; else NULL. Returns 0 with the status after that,
 * or -errno with a sentence; -ENOENT: there is no such recorder.
 */
int control_say(const char *recorder, enum control_word word, const char *text,
		struct control_status *status, struct error *err);
/* Adds the names of the recorders of this user that are there. The caller frees each of them. */
void control_list(struct text_list *recorders);
