/*
 * symbols: see symbols.h. A table has "VALUE NAME" and a NUL for each pair, and an empty text at its end.
 */
#include "symbols.h"

#include <ctype.h>
#include <iotrace/mem.h>
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

/* Returns the last list for the field, and how many there are. */
static const char *find_list(const char *text, const char *field, int *lists)
{
	const char *found = NULL;

	*lists = 0;
	while ((text = strstr(text, begin))) {
		const char *list;

		text += strlen(begin);
		list = behind_name(text, field);
		if (!list)
			continue;
		found = list;
		(*lists)++;
	}
	return found;
}

/* Reads `{ 2, "KVM_EXIT_" "IO" }`. Returns the text after it, or NULL. */
static const char *read_pair(const char *at, FILE *out)
{
	uint64_t value;
	char *end;

	at = skip(at + 1);
	value = strtoull(at, &end, 0);
	if (end == at)
		return NULL;
	end += strspn(end, "uUlL");
	at = skip(end);
	if (*at != ',')
		return NULL;
	fprintf(out, "%llu ", (unsigned long long)value);
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

char *symbols_of(const char *format, size_t size, const char *field)
{
	char *text = mem_format("%.*s", (int)size, format), *table = NULL;
	const char *at;
	size_t length = 0;
	int lists;
	FILE *out;

	at = find_list(text, field, &lists);
	out = at && lists == 1 ? open_memstream(&table, &length) : NULL;
	/* A mask after the name: the values are those of its bits. */
	at = out ? strpbrk(at, ",)") : NULL;
	while (at && *(at = skip(at)) == ',' && *(at = skip(at + 1)) == '{')
		at = read_pair(at, out);
	if (out)
		fclose(out);
	free(text);
	return table;
}

const char *symbols_find(const char *symbols, uint64_t value)
{
	char *end;

	for (; symbols && *symbols; symbols += strlen(symbols) + 1)
		if (strtoull(symbols, &end, 10) == value)
			return *end == ' ' && end[1] ? end + 1 : NULL;
	return NULL;
}
