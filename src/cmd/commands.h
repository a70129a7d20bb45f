/* commands: the table of all commands, to choose one or to list all. */
#pragma once

#include "command.h"

/* Returns "record" first; NULL after the last. */
const struct command *command_at(uint32_t index);
const struct command *command_find(const char *name);
/* Returns the exit status. argv[0] is the program's or the command's name. */
int command_run(const struct command *command, int argc, char **argv);
/* Prints the usage lines; for record, those of all commands. */
void command_usage(const struct command *command, FILE *out);
void command_help(const struct command *command, FILE *out);
