/* guest: runs a command that another recorder of this node records. */
#pragma once

#include "record/record_options.h"

struct quiet;
struct record_places;

/* Lent. */
struct guest {
	const struct record_options *options;
	int socket;               /* to that recorder; taken */
	const char *join_options; /* as it has them */
	const struct quiet *quiet;
	const char *name; /* of the command */
};

/* Returns the exit status. The place for an archive of the command's own, if there is one, goes to the recorder. */
int guest_run(const struct guest *guest, struct record_places *places);
