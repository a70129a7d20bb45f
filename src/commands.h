/* commands: the table of all commands, for those that choose one of them or show them all. */
#pragma once

#include "command.h"

/* "record" first; NULL beyond the last. */
const struct command *command_at(uint32_t index);
const struct command *command_find(const char *name);
/* Returns the exit status. argv[0] is the program's or the command's name. */
int command_run(const struct command *command, int argc, char **argv);
/* The lines of usage; those of all commands for record. */
void command_usage(const struct command *command, FILE *out);
void command_help(const struct command *command, FILE *out);
