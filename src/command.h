/* command: a command, `iotrace WORD`. Each is a struct command in a cmd_*.c. Their table is in commands.h. */
#pragma once

#include "option/options.h"

/* Exit statuses of iotrace; all others are those of the recorded command. */
enum {
	STATUS_OK = 0,
	STATUS_FOUND = 1,        /* check, check-archive, stop: a problem was found */
	STATUS_HANG = 3,         /* stat: something hung */
	STATUS_FAILED = 125,     /* iotrace failed, or was used wrongly */
	STATUS_CANNOT_RUN = 126, /* as in a shell */
	STATUS_NOT_FOUND = 127,
	STATUS_SIGNAL = 128,
};

struct command {
	const char *name;
	const char *help;     /* one line */
	const char *operands; /* as the usage line shows them */
	const char *about;    /* paragraphs after the options in --help, or NULL */
	const struct option_row *row;
	const struct option_hint *hint; /* for options of other tools, or NULL */
	bool is_default;                /* its word may be omitted */
	bool runs_command;              /* the operands are a program with its own options */
	bool needs_rights;           /* uses the capabilities of the program file: see confine.h */
	size_t size;                 /* size of its options */
	void (*init)(void *options); /* sets defaults that are not 0; or NULL */
	/*
	 * Parses options from files and the environment before those of the command line; NULL: there are none. is_alone: the
	 * command line excludes them. argv: its words before the operands. Returns 0, or -errno with a message.
	 */
	int (*defaults)(void *options, bool is_alone, int argc, char **argv, struct error *err);
	/* Returns the exit status. argv: the operands, NULL-terminated. */
	int (*run)(void *options, int argc, char **argv);
	void (*release)(void *options); /* or NULL */
};

#define COMMAND(id, name) extern const struct command command_##id;
#include "cmd/commands.def"
#undef COMMAND

/* Returns the name of the command that the user probably meant, or NULL. */
const char *command_nearest(const char *name);
/* Prints the error, with the limits of this process that may be its cause. */
void command_complain(struct error *err);
/* Begins a new line on a terminal that has shown "^C". */
void command_begin_line(bool has_ctrl_c);
/* Returns the exit status for a wait status of the recorded command; -1: there was none. */
int command_exit_status(int wait_status);
/* Returns the command line of iotrace with these words, to be freed. */
char *command_line(int argc, char **argv);
/* Prints the error and how to get help; returns STATUS_FAILED. */
int command_misused(const struct command *command, const struct error *err);
