/* guest: the other end of host.h. */
#pragma once

#include "words.h"

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct place;

/* A command that waits. Lent. */
struct guest_command {
	pid_t pid;
	const char *words;   /* with NUL between them */
	uint32_t size;       /* of the words */
	bool is_cut;         /* there are more words */
	const char *options; /* those that are the same for all commands */
	const struct recording_selection *selection;
	const struct place *place; /* for an archive of its own; NULL: it has none */
};

/* Hands it over. Returns 0, or -errno with a sentence. */
int guest_send_command(int socket, const struct guest_command *command, struct error *err);
/* Returns 0, or -errno: the host has ended. */
int guest_send_end(int socket, int status);
/* The command set a mark. */
void guest_send_mark(int socket, pid_t pid, const char *text);
/* A user wants the recording to end: of all members. */
void guest_send_stop(int socket);
/* Reads the host's answer. *log: a text to print, or -1; the caller closes it. Returns 0, or -errno: the host has ended. */
int guest_receive(int socket, struct join_reply *reply, int *log);
