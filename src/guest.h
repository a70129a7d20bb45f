/* guest: runs a command that another recorder of this node records. */
#pragma once

#include "record/record_options.h"

struct quiet;
struct record_places;

/* A command that another recorder records. Its members are lent. */
struct guest {
	const struct record_options *options;
	int socket;               /* connection to that recorder; taken over */
	const char *join_options; /* options that must be the same as its own */
	const struct quiet *quiet;
	const char *name; /* name of the command */
};

/* Returns the exit status. If the command has a place for an archive, the recorder gets it. */
int guest_run(const struct guest *guest, struct record_places *places);
