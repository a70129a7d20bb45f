/*
 * options: tables from which the parser, the help and the completions of a command are made.
 *
 * A row is next to the command that reads it, and says where its value goes in the command's own struct.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;

enum option_type {
	OPTION_FLAG,  /* bool: set to true */
	OPTION_COUNT, /* int: incremented */
	OPTION_TEXT,  /* const char *: lent from argv */
	OPTION_SIZE,  /* uint64_t: bytes, with K, M, G, T */
	OPTION_CALL,  /* parse() stores it */
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_NO_DEFAULTS, /* options of files and of the environment are ignored */
};

struct option_row {
	char short_name;  /* 0: none */
	const char *name; /* NULL: end of the table */
	/* "DIR", "FILE" (completed accordingly) ...; NULL: no value; "[=X]": an optional value. */
	const char *arg;
	const char *help;
	enum option_type type;
	size_t offset;
	/* OPTION_CALL: returns 0, or -errno with a message that says what is allowed. arg is NULL without a value. */
	int (*parse)(void *field, const char *arg, struct error *err);
	const char *words; /* values for completion, separated by blanks; or NULL */
};

/* A hint for an option that other tools have and this command lacks. */
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

/* Returns whether the word after the option is its value. */
bool option_has_value(const struct option_row *row);

enum { OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

/*
 * Returns the index of the first operand, OPTIONS_HELP, OPTIONS_VERSION, or -1 with a message. argv[0] is skipped. hint: for
 * unknown options, or NULL. is_command: options end at the first operand, which is a program with options of its own.
 */
int options_parse(const struct option_row *row, const struct option_hint *hint, bool is_command,
		  void *options, int argc, char **argv, struct error *err);
/* arg: the value, or NULL. */
typedef void (*options_found)(void *context, const struct option_row *row, const char *arg);
/* Calls back for each known option. Returns the index of the first operand, or argc. */
int options_walk(const struct option_row *row, bool is_command, int argc, char **argv,
		 options_found found, void *context);
/*
 * Returns the index of the first operand, or argc, without storing values. takes_defaults: false if an option asks for help or
 * the version, or is OPTION_NO_DEFAULTS. options_parse() reports errors.
 */
int options_scan(const struct option_row *row, bool is_command, int argc, char **argv,
		 bool *takes_defaults);
/* Prints the rows as a table. */
void options_help(const struct option_row *row, FILE *out);

/* Prints text in lines of 80 columns that begin at `column`; the cursor is there already. */
void options_wrap(const char *text, int column, FILE *out);

/* Parses "512", "64K", "4M", "1.5G", "2GiB" (binary units, more than 0). Returns 0 or -EINVAL. */
int options_size(uint64_t *size, const char *text, struct error *err);
/* For OPTION_CALL rows that may be repeated: adds a text, lent from argv, to a struct text_list. */
int options_add(void *list, const char *text, struct error *err);
