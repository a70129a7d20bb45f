/* guest: the client of host.h. */
#pragma once

#include "protocol.h"

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct place;

/* A waiting command. Lent. */
struct guest_command {
	pid_t pid;
	const char *words;   /* separated by NUL */
	uint32_t size;       /* size of the words */
	bool is_cut;         /* some words are missing */
	const char *options; /* options that must be the same for all commands */
	const struct recording_selection *selection;
	const struct place *place; /* place for an archive of its own; NULL: none */
};

/* Sends the command to the host. Returns 0, or -errno with a message. */
int guest_send_command(int socket, const struct guest_command *command, struct error *err);
/* Sends the wait status of the command. Returns 0, or -errno if the host has ended. */
int guest_send_end(int socket, int status);
/* Sends a mark that the command set. */
void guest_send_mark(int socket, pid_t pid, const char *text);
/* Sends a user's request to end the recording of all members. */
void guest_send_stop(int socket);
/*
 * Receives the host's reply. *log: descriptor of a text to print, which the caller closes, or -1. Returns 0, or -errno if the
 * host has ended.
 */
int guest_receive(int socket, struct join_reply *reply, int *log);
