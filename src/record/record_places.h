/* record_places: the outputs of a recording and their places. */
#pragma once

#include "path/naming.h"

struct error;
struct place;
struct record_options;

struct record_places {
	struct naming naming;
	char *path;    /* path of the archive or text */
	char *capture; /* --capture, or NULL */
	char *summary; /* the file of the summary, or NULL */
	char *spool;   /* path of the spool, for messages */
	struct place *place, *capture_place;
};

/*
 * Chooses names and reserves them. With --format null, if the current directory cannot take the spool, the spool is in a
 * directory for temporary files. Returns 0, or an error with a message.
 */
int record_places_open(struct record_places *places, const struct record_options *options,
		       struct error *err);
/*
 * The same for --each. In the process of a command, opens only its archive. In the recorder, opens what all commands share, and
 * the spool beside the archive of the first.
 */
int record_places_open_archive(struct record_places *places, const struct record_options *options,
			       struct error *err);
int record_places_open_whole(struct record_places *places, const struct record_options *options,
			     struct error *err);
/* Gives the requested capture, if there is one, its name, and sets *path to it. Returns 0, or -errno with a message. */
int record_places_publish_capture(struct record_places *places, unsigned mode, const char **path,
				  struct error *err);
/* Frees, after a fork, what another process continues to use. */
void record_places_leave(struct record_places *places);
/* Closes everything that is open; all zero is fine. */
void record_places_release(struct record_places *places);
/* Returns the place of the spool. Lent. */
struct place *record_places_spool(const struct record_places *places);
