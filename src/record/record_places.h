/* record_places: the outputs of a recording, and where they are. */
#pragma once

#include "path/naming.h"

struct error;
struct place;
struct record_options;

struct record_places {
	struct naming naming;
	char *path;    /* of the archive or text */
	char *capture; /* --capture, or NULL */
	char *summary; /* its file, or NULL */
	char *spool;   /* where it lies, for sentences */
	struct place *place, *capture_place;
};

/*
 * Chooses names and reserves them. With --format null, if the current directory does not take the spool, the spool is in a
 * directory for temporary files. Returns 0, or an error with a sentence.
 */
int record_places_open(struct record_places *places, const struct record_options *options,
		       struct error *err);
/*
 * The same for --each. In the process of a command: its archive alone. In the recorder: what is of all commands, and the spool beside
 * the archive of the first.
 */
int record_places_open_archive(struct record_places *places, const struct record_options *options,
			       struct error *err);
int record_places_open_whole(struct record_places *places, const struct record_options *options,
			     struct error *err);
/* Frees after a fork what another process goes on with. */
void record_places_leave(struct record_places *places);
/* Closes what is open; all zero is fine. */
void record_places_release(struct record_places *places);
/* Returns where the spool lies. Lent. */
struct place *record_places_spool(const struct record_places *places);
