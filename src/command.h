/* command: a command, `iotrace WORD`. Each is a struct command in a cmd_*.c. Their table is in commands.h. */
#pragma once

#include "option/options.h"

/* Exit statuses of our own; all others are the recorded command's. */
enum {
	STATUS_OK = 0,
	STATUS_FOUND = 1,        /* check, check-archive, stop: something is wrong */
	STATUS_FAILED = 125,     /* iotrace failed, or did not understand */
	STATUS_CANNOT_RUN = 126, /* as in a shell */
	STATUS_NOT_FOUND = 127,
	STATUS_SIGNAL = 128,
};

struct command {
	const char *name;
	const char *help;     /* a line */
	const char *operands; /* as the usage line shows them */
	const char *about;    /* paragraphs behind the options in --help, or NULL */
	const struct option_row *row;
	const struct option_hint *hint; /* for options that users know of other tools, or NULL */
	bool is_default;                /* its word may be omitted */
	bool runs_command;              /* the operands are a program with its own options */
	bool needs_rights; /* uses the capabilities of the program's file: see confine.h */
	size_t size;       /* of its options */
	void (*init)(void *options); /* sets what is not 0 by default; or NULL */
	/*
	 * Parses options from files and the environment, before those of the command line; NULL: there are none. is_alone: the
	 * command line wants none of them. argv: its words before the operands. Returns 0, or -errno with a sentence.
	 */
	int (*defaults)(void *options, bool is_alone, int argc, char **argv, struct error *err);
	/* Returns the exit status. argv: the operands, NULL-terminated. */
	int (*run)(void *options, int argc, char **argv);
	void (*release)(void *options); /* or NULL */
};

#define COMMAND(id, name) extern const struct command command_##id;
#include "commands.def"
#undef COMMAND

/* Returns the name of the command that was probably meant, or NULL. */
const char *command_nearest(const char *name);
/* Prints the error, with the limits of this process that may be its cause. */
void command_complain(struct error *err);
/* On a terminal that has shown "^C", a new line begins. */
void command_begin_line(bool has_ctrl_c);
/* Returns the exit status for a wait status of the recorded command, -1: there was none. */
int command_exit_status(int wait_status);
/* Returns the command line of iotrace from these words on, to be freed. */
char *command_line(int argc, char **argv);
/* Prints the error and how to get help; returns STATUS_FAILED. */
int command_misused(const struct command *command, const struct error *err);
