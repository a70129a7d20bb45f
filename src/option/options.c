/* options: parses with getopt_long(), whose tables are made from the rows; the messages are made here. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <stdlib.h>
#include <string.h>

enum {
	LONG_FIRST = 256, /* getopt's value for a long option: this + index of its row */
	HELP_COLUMN = 28, /* column of the help texts */
	HELP_WIDTH = 80,
	SIZE_LEAST = 4096, /* a smaller size is a mistake: its unit is missing */
};

const struct option_row options_help_only[] = {OPTION_ROW_HELP, {0}};

static uint32_t row_count(const struct option_row *row)
{
	uint32_t count = 0;

	while (row[count].name)
		count++;
	return count;
}

bool option_has_value(const struct option_row *row)
{
	return row->arg && row->arg[0] != '[';
}

/* Makes "+:ho:" and the array for getopt_long(). The caller frees both. */
static char *make_short(const struct option_row *row, bool is_command)
{
	char *text = mem_array(3 * row_count(row) + 3, 1), *at = text;

	if (is_command)
		*at++ = '+';
	*at++ = ':';
	for (; row->name; row++) {
		if (!row->short_name)
			continue;
		*at++ = row->short_name;
		if (row->arg)
			*at++ = ':';
	}
	return text;
}

static struct option *make_long(const struct option_row *row)
{
	uint32_t count = row_count(row);
	struct option *table = mem_array(count + 1, sizeof(*table));

	for (uint32_t i = 0; i < count; i++) {
		table[i].name = row[i].name;
		table[i].has_arg = option_has_value(&row[i]) ? required_argument
				   : row[i].arg              ? optional_argument
							     : no_argument;
		table[i].val = LONG_FIRST + (int)i;
	}
	return table;
}

static const struct option_row *find_row(const struct option_row *row, int value)
{
	if (value >= LONG_FIRST)
		return &row[value - LONG_FIRST];
	while (row->name && row->short_name != value)
		row++;
	return row->name ? row : NULL;
}

/* Suggests a similar option. */
static int unknown_long(const struct option_row *row, const char *word, struct error *err)
{
	size_t length = strcspn(word + 2, "=");
	char *name = mem_format("%.*s", (int)length, word + 2);
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (; row->name; row++)
		nearest_try(&nearest, row->name);
	if (nearest.best)
		error_say(err, EINVAL, "unknown option '--%s'; did you mean '--%s'?", name,
			  nearest.best);
	else
		error_say(err, EINVAL, "unknown option '--%s'", name);
	free(name);
	return -1;
}

/* Options of other tools get a specific hint instead of a similar name. */
static bool has_hint(const struct option_hint *hint, const char *name, size_t length,
		     struct error *err)
{
	for (; hint && hint->option; hint++) {
		if (strlen(hint->option) != length || strncmp(hint->option, name, length) != 0)
			continue;
		error_say(err, EINVAL, "unknown option '%s'", hint->option);
		error_hint(err, "%s", hint->hint);
		return true;
	}
	return false;
}

static int unknown(const struct option_row *row, const struct option_hint *hint, const char *word,
		   struct error *err)
{
	char letter[] = {'-', (char)optopt, '\0'};

	if (optopt && !has_hint(hint, letter, 2, err))
		error_say(err, EINVAL, "unknown option '-%c'", optopt);
	else if (!optopt && !has_hint(hint, word, strcspn(word, "="), err))
		unknown_long(row, word, err);
	return -1;
}

static int refuse(const struct option_row *row, const struct option_hint *hint, int value,
		  const char *word, struct error *err)
{
	const struct option_row *known = optopt ? find_row(row, optopt) : NULL;

	if (value == ':' && known)
		error_say(err, EINVAL, "option '%s' needs a value: --%s %s", word, known->name,
			  known->arg);
	else if (known)
		error_say(err, EINVAL, "option '--%s' takes no value", known->name);
	else
		unknown(row, hint, word, err);
	return -1;
}

/* Names the option in the way that the user wrote it. */
static void name_option(const struct option_row *row, const char *option, struct error *err)
{
	if (option[1] != '-' && row->short_name)
		error_wrap(err, "-%c", row->short_name);
	else
		error_wrap(err, "--%s", row->name);
}

/* option: the word with the name of the option. */
static int take(const struct option_row *row, void *options, const char *option, const char *arg,
		struct error *err)
{
	void *field = (char *)options + row->offset;
	int rc = 0;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)field = true;
		break;
	case OPTION_COUNT:
		++*(int *)field;
		break;
	case OPTION_TEXT:
		*(const char **)field = arg;
		break;
	case OPTION_SIZE:
		rc = options_size(field, arg ? arg : "", err); /* no size is an invalid size */
		break;
	case OPTION_CALL:
		rc = row->parse(field, arg, err);
		break;
	case OPTION_HELP:
		return OPTIONS_HELP;
	case OPTION_VERSION:
		return OPTIONS_VERSION;
	case OPTION_NO_DEFAULTS: /* options_scan() has handled it */
		break;
	}
	if (!rc)
		return 0;
	name_option(row, option, err);
	return -1;
}

/*
 * Returns whether a value is really the next option, because the value is missing. A file name that begins with '-' is a mistake;
 * other values may begin so.
 */
static bool is_option(const struct option_row *row, const struct option_row *of, const char *word)
{
	size_t length = strcspn(word, "=");

	if (word[0] != '-' || !word[1])
		return false;
	if (of->type == OPTION_TEXT)
		return true;
	for (; row->name; row++)
		if ((!word[2] && word[1] == row->short_name) ||
		    (word[1] == '-' && strlen(row->name) + 2 == length &&
		     !strncmp(word + 2, row->name, length - 2)))
			return true;
	return false;
}

static int refuse_value(const struct option_row *row, const char *word, struct error *err)
{
	error_say(err, EINVAL,
		  "option '--%s' needs a value, and '%s' looks like an option; if it is the value: "
		  "--%s=%s",
		  row->name, word, row->name, word);
	return -1;
}

/* A short option has its value behind it, or in the next word. */
static int refuse_equals(const struct option_row *row, const char *word, struct error *err)
{
	error_say(err, EINVAL, "'%s': the value of -%c would be '%s'; write '-%c %s' or '--%s%s'",
		  word, row->short_name, optarg, row->short_name, optarg + 1, row->name, optarg);
	return -1;
}

/* last: the last word that getopt has read. */
static int take_word(const struct option_row *row, int value, void *options, char *const *last,
		     struct error *err)
{
	const struct option_row *of = find_row(row, value);
	bool is_apart = optarg == *last; /* the value is a separate word */

	if (is_apart && is_option(row, of, optarg))
		return refuse_value(of, optarg, err);
	if (optarg && !is_apart && (*last)[1] != '-' && *optarg == '=')
		return refuse_equals(of, *last, err);
	return take(of, options, is_apart ? last[-1] : *last, optarg, err);
}

int options_parse(const struct option_row *row, const struct option_hint *hint, bool is_command,
		  void *options, int argc, char **argv, struct error *err)
{
	char *short_names = make_short(row, is_command);
	struct option *long_names = make_long(row);
	int rc = 0, value;

	opterr = 0;
	optind = 0; /* glibc: starts again */
	while (!rc) {
		optopt = 0;
		value = getopt_long(argc, argv, short_names, long_names, NULL);
		if (value == -1)
			break;
		if (value == '?' || value == ':')
			rc = refuse(row, hint, value, argv[optind - 1], err);
		else
			rc = take_word(row, value, options, &argv[optind - 1], err);
	}
	free(short_names);
	free(long_names);
	return rc ? rc : optind;
}

int options_walk(const struct option_row *row, bool is_command, int argc, char **argv,
		 options_found found, void *context)
{
	char *short_names = make_short(row, is_command);
	struct option *long_names = make_long(row);
	int value;

	opterr = 0;
	optind = 0; /* glibc: starts again */
	while ((value = getopt_long(argc, argv, short_names, long_names, NULL)) != -1) {
		const struct option_row *of = value == '?' || value == ':' ? NULL
									   : find_row(row, value);

		if (of)
			found(context, of, optarg);
	}
	free(short_names);
	free(long_names);
	return optind;
}

static void find_defaults(void *context, const struct option_row *row, const char *arg)
{
	(void)arg;
	*(bool *)context &= row->type < OPTION_HELP;
}

int options_scan(const struct option_row *row, bool is_command, int argc, char **argv,
		 bool *takes_defaults)
{
	*takes_defaults = true;
	return options_walk(row, is_command, argc, argv, find_defaults, takes_defaults);
}

void options_wrap(const char *text, int column, FILE *out)
{
	size_t width = HELP_WIDTH - (size_t)column, length = strlen(text), cut;

	while (length > width) {
		for (cut = width; cut && text[cut] != ' '; cut--)
			;
		if (!cut)
			cut = width;
		fprintf(out, "%.*s\n%*s", (int)cut, text, column, "");
		text += cut;
		while (*text == ' ')
			text++;
		length = strlen(text);
	}
	fprintf(out, "%s\n", text);
}

void options_help(const struct option_row *row, FILE *out)
{
	char left[64];
	int used;

	for (; row->name; row++) {
		used = row->short_name ? snprintf(left, sizeof(left), "  -%c, ", row->short_name)
				       : snprintf(left, sizeof(left), "      ");
		used += snprintf(left + used, sizeof(left) - (size_t)used, "--%s%s%s", row->name,
				 option_has_value(row) ? " " : "", row->arg ? row->arg : "");
		fprintf(out, "%s", left);
		if (used >= HELP_COLUMN)
			fprintf(out, "\n%*s", HELP_COLUMN, "");
		else
			fprintf(out, "%*s", HELP_COLUMN - used, "");
		options_wrap(row->help, HELP_COLUMN, out);
	}
}

/* Returns the shift for K, M, G, T in either case, perhaps with "iB" or "B"; -1 for anything else. */
static int take_unit(const char *text)
{
	static const char unit[] = "KMGT";
	const char *at = *text ? strchr(unit, *text & ~0x20) : NULL;
	int shift = at ? 10 * (int)(at - unit + 1) : 0;

	if (at)
		text++;
	if (!*text || !strcasecmp(text, "B") || (at && !strcasecmp(text, "iB")))
		return shift;
	return -1;
}

int options_size(uint64_t *size, const char *text, struct error *err)
{
	char *end = NULL;
	double value;
	int shift;

	/* strtod() would also accept blanks, signs, hexadecimals and "inf" */
	if (*text < '0' || *text > '9' || strspn(text, "0123456789.KMGTkmgtIiBb") != strlen(text))
		return error_say(
			err, EINVAL,
			"invalid size '%s': expected a number of bytes, for example 65536, 64K or 4M",
			text);
	value = strtod(text, &end);
	shift = take_unit(end);
	if (shift < 0)
		return error_say(
			err, EINVAL,
			"invalid size '%s': expected a number of bytes, for example 65536, 64K or 4M",
			text);
	value *= (double)((uint64_t)1 << shift);
	if (value < SIZE_LEAST)
		return error_say(err, EINVAL, "size '%s' is too small: the minimum is 4K", text);
	if (value >= (double)((uint64_t)1 << 62))
		return error_say(err, EINVAL,
				 "size '%s' is too large: it must be less than 4194304T", text);
	*size = (uint64_t)value;
	return 0;
}

int options_add(void *field, const char *text, struct error *err)
{
	struct text_list *list = field;

	if (!*text)
		return error_say(err, EINVAL, "the value is empty");
	text_list_add(list, text);
	return 0;
}
