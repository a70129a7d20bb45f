/* live_joined: what a recording knows of commands that join it, and a command of the recording that it joins. Parts of struct live. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct join_selection;
struct place;

/* Of a command that another recorder of this node records: see live_guest.h. */
struct live_guest {
	int socket;     /* to the host; -1: none, or it has ended */
	bool is_one;    /* this process is a guest */
	bool is_over;   /* the host has ended its recording before */
	char *capture;  /* of the host */
	bool has_reply; /* that it has done its work, */
	int status;     /* with this exit status, */
	int log;        /* and this text to be printed; -1: none */
};

/* Of commands that joined, until somebody fills them. */
struct live_places {
	struct live_place {
		uint32_t pid;
		struct place *place;
	} * place;
	uint32_t count, capacity;
};

/* Of commands that joined: see live_selection.h. */
struct live_selections {
	struct join_selection *known; /* the first is that of the recorder */
	uint32_t count, capacity;
	uint32_t groups; /* that any of them wants */
	bool has_other_names;
};
