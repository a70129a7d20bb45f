/*
 * marks: a descriptor that the command and its children inherit: what they write to it becomes marks.
 *
 * It is a datagram socket: each write is one text. A write never waits: if too many wait to be read, it fails with EAGAIN, and when the
 * recorder has ended, with ECONNREFUSED. Neither comes with a signal.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct error;

enum { MARK_TEXT_MOST = 4000 }; /* bytes; longer texts are cut */

struct marks {
	int receiver; /* readable when there is a mark; -1: no marks are accepted */
	int writer;   /* the command's end; -1: the command has it */
};

void marks_init(struct marks *marks);
/* Call it before the command is forked. Returns 0, or -errno with a message. */
int marks_open(struct marks *marks, struct error *err);
/* Closes the end that the command has inherited. */
void marks_give(struct marks *marks);
/* Takes a mark, as a string without newlines at its end. *pid: the writer, or 0. Returns false if there is none. */
bool marks_next(const struct marks *marks, char text[MARK_TEXT_MOST + 1], pid_t *pid);
void marks_release(struct marks *marks);
