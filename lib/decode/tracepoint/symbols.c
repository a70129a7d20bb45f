/*
 * symbols: see symbols.h. A table is "VALUE NAME" and a NUL for each pair, and an empty text at its end. If the format names only some bits
 * of the field, the table begins with "&MASK" and a NUL.
 */
#include "symbols.h"

#include <ctype.h>
#include <iotrace/mem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char begin[] = "__print_symbolic(REC->";

static const char *skip(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Returns the text after the field's name, or NULL if the list is for another field. */
static const char *behind_name(const char *at, const char *field)
{
	size_t length = strlen(field);

	at = skip(at);
	return strncmp(at, field, length) || isalnum((unsigned char)at[length]) || at[length] == '_'
		       ? NULL
		       : at + length;
}

/* Returns the text after the field's name in the next list for the field, or NULL. */
static const char *next_list(const char *text, const char *field)
{
	const char *list = NULL;

	while (!list && text && (text = strstr(text, begin))) {
		text += strlen(begin);
		list = behind_name(text, field);
	}
	return list;
}

/* Reads `-1` or `0x040 + 3`. Returns the text after it, or NULL. */
static const char *read_value(const char *at, long long *value)
{
	uint64_t sum = 0; /* the format may come from anybody: a sum that is too large wraps */
	char *end;

	do {
		long long part = strtoll(at = skip(at), &end, 0);

		if (end == at)
			return NULL;
		sum += (uint64_t)part;
		end += strspn(end, "uUlL");
		at = skip(end);
	} while (*at++ == '+');
	*value = (long long)sum;
	return at - 1;
}

/* Reads `{ 2, "KVM_EXIT_" "IO" }`. Returns the text after it, or NULL. */
static const char *read_pair(const char *at, FILE *out)
{
	long long value;

	at = read_value(at + 1, &value);
	if (!at || *at != ',')
		return NULL;
	fprintf(out, "%lld ", value);
	for (at = skip(at + 1); *at == '"'; at = skip(at + 1)) {
		size_t length = strcspn(++at, "\"");

		fwrite(at, 1, length, out);
		at += length;
		if (!*at)
			return NULL;
	}
	fputc('\0', out);
	return *at == '}' ? at + 1 : NULL;
}

/* Reads the text after the field's name: a mask, if there is one, and the pairs. */
static char *read_table(const char *at)
{
	char *table = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&table, &length);
	const char *mask = skip(at);

	if (!out)
		return NULL;
	if (*mask == '&')
		fprintf(out, "&%llu%c", strtoull(skip(mask + 1), NULL, 0), '\0');
	at = strpbrk(at, ",)");
	while (at && *(at = skip(at)) == ',' && *(at = skip(at + 1)) == '{')
		at = read_pair(at, out);
	fclose(out);
	return table;
}

/* Reads the condition before the first of two lists: "(REC->isa == 1) ? __print_symbolic(REC->FIELD, ...". */
static bool read_choice(struct symbols *symbols, const char *text, const char *list)
{
	const char *at = NULL, *next = text;
	size_t length;

	while ((next = strstr(next, "(REC->")) && next + strlen(begin) < list) {
		if (next == text || next[-1] != 'c')
			at = next;
		next++;
	}
	if (!at)
		return false;
	at += strlen("(REC->");
	length = strcspn(at, " =)");
	if (strncmp(at + length, " == ", 4) != 0)
		return false;
	symbols->chooser = mem_format("%.*s", (int)length, at);
	symbols->choice = strtoull(at + length + 4, NULL, 0);
	return true;
}

void symbols_init(struct symbols *symbols, const char *format, size_t size, const char *field)
{
	char *text = mem_format("%.*s", (int)size, format);
	const char *first = next_list(text, field), *second = next_list(first, field);

	*symbols = (struct symbols){0};
	if (first && !second) {
		symbols->table = read_table(first);
	} else if (second && !next_list(second, field) && read_choice(symbols, text, first)) {
		symbols->table = read_table(first);
		symbols->otherwise = read_table(second);
	}
	symbols->now = symbols->table;
	free(text);
}

void symbols_release(struct symbols *symbols)
{
	free(symbols->table);
	free(symbols->otherwise);
	free(symbols->chooser);
}

void symbols_choose(struct symbols *symbols, uint64_t value)
{
	if (symbols->chooser)
		symbols->now = value == symbols->choice ? symbols->table : symbols->otherwise;
}

const char *symbols_find(const struct symbols *symbols, uint64_t value)
{
	const char *table = symbols->now;
	char *end;

	if (table && *table == '&') {
		value &= strtoull(table + 1, NULL, 10);
		table += strlen(table) + 1;
	}
	for (; table && *table; table += strlen(table) + 1) {
		long long is = strtoll(table, &end, 10);

		/* A negative number may belong to a field of 32 bits. */
		if ((uint64_t)is == value || (is < 0 && (uint32_t)is == value))
			return *end == ' ' && end[1] ? end + 1 : NULL;
	}
	return NULL;
}
