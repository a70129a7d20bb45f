/*
 * owner: whose an option is where several commands share a recorder.
 *
 *   a command   it holds for this command and what descends from it; others may have another value
 *   the recorder   it is the same for all commands that join
 *   an iotrace   it concerns only what this process does
 */
#pragma once

#include <stdint.h>

struct record_options;

enum owner { OWNER_COMMAND, OWNER_RECORDER, OWNER_IOTRACE };

struct owner_row {
	const char *option; /* its long name; NULL: end of the table */
	enum owner owner;
	enum { TAKES_LAST, TAKES_ALL } takes; /* for options that are repeated */
};

/* A row for each option of `iotrace record`. */
extern const struct owner_row owner_rows[];

/* Returns the options of the recorder, one a line: "--source=perf". The caller frees it. */
char *owner_of_recorder(const struct record_options *options);
/* Returns the options with names of outputs: two recorders cannot have the same ones. "": none. The caller frees it. */
char *owner_of_names(const struct record_options *options);
