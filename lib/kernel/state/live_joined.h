/*
 * live_joined: parts of struct live: what a recording knows of commands that join it, and what a guest knows of the recording
 * that it has joined.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct join_selection;
struct place;

/* State of a command that another recorder of this node records: see live_guest.h. */
struct live_guest {
	int socket;     /* connection to the host; -1: none, or the host has ended */
	bool is_one;    /* this process is a guest */
	bool is_over;   /* the host has ended its recording before the command ended */
	char *capture;  /* the path of the host's capture */
	bool has_reply; /* the reply of the host has come, */
	int status;     /* its exit status, */
	int log;        /* and a descriptor of a text to be printed; -1: none */
};

/* The places for archives of commands that joined, until the converter takes them. */
struct live_places {
	struct live_place {
		uint32_t pid;
		struct place *place;
	} * place;
	uint32_t count, capacity;
};

/* Selections of commands that joined: see live_selection.h. */
struct live_selections {
	struct join_selection *known; /* the first is that of the recorder */
	uint32_t count, capacity;
	uint32_t groups; /* groups that any selection wants */
	bool has_other_names;
};
