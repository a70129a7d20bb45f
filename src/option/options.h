/*
 * options: rows that are the parser, the help and the completions of a command.
 *
 * A row stands next to the command that reads it and says where in the command's own struct its value goes.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;

enum option_type {
	OPTION_FLAG,  /* bool: set */
	OPTION_COUNT, /* int: one more */
	OPTION_TEXT,  /* const char *: lent from argv */
	OPTION_SIZE,  /* uint64_t: bytes, with K, M, G, T */
	OPTION_CALL,  /* whatever parse() makes of it */
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_NO_DEFAULTS, /* options of files and of the environment do not hold */
};

struct option_row {
	char short_name;  /* 0: none */
	const char *name; /* NULL: end of the table */
	const char *
		arg; /* "DIR", "FILE" (completed as such) ...; NULL: takes none; "[=X]": it may be left out */
	const char *help;
	enum option_type type;
	size_t offset;
	/* OPTION_CALL: returns 0, or -errno with what would have been right. arg is NULL if there is none. */
	int (*parse)(void *field, const char *arg, struct error *err);
	const char *words; /* for completion: values, separated by blanks; or NULL */
};

/* What is said of an option that other tools have and this command has not. */
struct option_hint {
	const char *option; /* "-f", "--follow-forks"; NULL: end of the table */
	const char *hint;   /* a sentence */
};

#define OPTION_ROW_HELP                                                                            \
	{                                                                                          \
		'h', "help", NULL, "show this help", OPTION_HELP, 0, NULL, NULL                    \
	}

/* The rows of a command without options of its own. */
extern const struct option_row options_help_only[];

/* Whether the word behind the option is its value. */
bool option_has_value(const struct option_row *row);

enum { OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

/*
 * Returns the index of the first operand, OPTIONS_HELP, OPTIONS_VERSION, or -1 with a sentence. argv[0] is
 * skipped. hint: for options that are in no row, or NULL. is_command: options end at the first operand, which is a
 * program with options of its own.
 */
int options_parse(const struct option_row *row, const struct option_hint *hint, bool is_command,
		  void *options, int argc, char **argv, struct error *err);
/* arg: the value, or NULL. */
typedef void (*options_found)(void *context, const struct option_row *row, const char *arg);
/* Calls back for each option that is in a row. Returns the index of the first operand, or argc. */
int options_walk(const struct option_row *row, bool is_command, int argc, char **argv,
		 options_found found, void *context);
/*
 * Returns the index of the first operand, or argc, and takes no value. takes_defaults: set unless an option asks for help or the
 * version, or is OPTION_NO_DEFAULTS. What is wrong is for options_parse() to say.
 */
int options_scan(const struct option_row *row, bool is_command, int argc, char **argv,
		 bool *takes_defaults);
/* Prints the rows as a table. */
void options_help(const struct option_row *row, FILE *out);

/* Prints text in lines of 80 that begin at `column`, where the first has begun. */
void options_wrap(const char *text, int column, FILE *out);

/* Returns 0, or -EINVAL: "512", "64K", "4M", "1.5G", "2GiB"; binary; more than 0. */
int options_size(uint64_t *size, const char *text, struct error *err);
/* For OPTION_CALL rows that may be given again and again: adds a text, lent from argv, to a struct text_list. */
int options_add(void *list, const char *text, struct error *err);
