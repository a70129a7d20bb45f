/* cannot_run: explains why a command could not be run. */
#pragma once

#include "record/record_options.h"

/* Prints the message as a shell does, with a suggestion. Returns the exit status of a shell: 126 or 127. code: errno of exec. */
int cannot_run(const struct record_options *options, const char *name, int code);

/*
 * Called before anything else, because a mistyped name is no question of rights. Returns 0 if the command may exist, otherwise
 * the same as cannot_run().
 */
int cannot_find(const struct record_options *options, const char *name);
