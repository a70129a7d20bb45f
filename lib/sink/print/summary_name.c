/* summary_name: escapes a text before it is cut, so a cut never exposes an escaped byte. */
#include "summary_name.h"

#include <ctype.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char dots[] = "...";

enum { DOTS = sizeof(dots) - 1, PARTS = 12, HEAD_USUAL = 4, COLUMNS_LEAST = 8 };

char *summary_escape(const char *bytes, size_t length)
{
	size_t size = ESCAPE_MAX * length + 1;
	char *text = mem_alloc(size);

	escape_text(text, size, bytes, length);
	return text;
}

char *summary_string(const struct trace *trace, str_id id)
{
	return summary_escape(trace_text(trace, id), strtab_length(trace_strings(trace), id));
}

static bool is_plain(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("_@%+=:,./-", word[i]))
			return false;
	return length > 0;
}

/* In single quotes, every character except a quote stands for itself. Characters that a terminal cannot show need $'...'. */
static void put_word(FILE *out, const char *word, size_t length)
{
	char *safe = summary_escape(word, length);
	bool is_foreign = false;

	/* Backslashes are escaped although they can be shown. */
	for (const char *at = safe; (at = strchr(at, '\\')) && !is_foreign; at += 2)
		is_foreign = at[1] != '\\';
	if (is_plain(word, length)) {
		fputs(safe, out);
		free(safe);
		return;
	}
	fputs(is_foreign ? "$'" : "'", out);
	for (const char *at = safe; *at; at++) {
		if (*at == '\'')
			fputs(is_foreign ? "\\'" : "'\\''", out);
		else
			fputc(*at, out);
		if (*at == '\\') {
			at++;
			if (is_foreign)
				fputc(*at, out);
		}
	}
	fputc('\'', out);
	free(safe);
}

char *summary_quote(const char *words, size_t length)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return mem_strdup("");
	for (size_t at = 0, word; at < length; at += word + 1) {
		word = strnlen(words + at, length - at);
		if (at)
			fputc(' ', out);
		put_word(out, words + at, word);
	}
	fclose(out);
	return text;
}

char *summary_command(const struct trace *trace, process_id id)
{
	const struct trace_process *process = trace_process(trace, id);
	str_id text = process->argv ? process->argv : process->name;
	uint32_t length = strtab_length(trace_strings(trace), text);

	if (!length && process->pid)
		return mem_strdup("(not known)");
	if (process->sharing)
		return mem_format("%u processes (shared)", process->sharing);
	return process->argv ? summary_quote(trace_text(trace, text), length)
			     : summary_escape(trace_text(trace, text), length);
}

char *summary_process(const struct trace *trace, process_id id)
{
	const struct trace_process *process = trace_process(trace, id);
	const char *name = trace_text(trace, process->name), *slash = strrchr(name, '/');
	char *safe, *text;

	if (slash && slash[1])
		name = slash + 1;
	safe = summary_escape(name, strlen(name));
	text = process->pid ? mem_format("%s(%u)", safe, process->pid) : mem_strdup(safe);
	free(safe);
	return text;
}

/* Returns the number of bytes of the character at `at` in valid UTF-8. */
static size_t step_forward(const char *at)
{
	unsigned char lead = (unsigned char)*at;

	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

static size_t width_of(const char *at, size_t size)
{
	return size == 1 ? 1 : escape_columns(at, size);
}

size_t summary_columns(const char *text)
{
	size_t columns = 0, size;

	for (; *text; text += size) {
		size = step_forward(text);
		columns += width_of(text, size);
	}
	return columns;
}

/* Returns the number of bytes at the begin that fit into `columns`. */
static size_t fit_head(const char *text, size_t columns)
{
	size_t used = 0, size, width;

	for (; text[used]; used += size, columns -= width) {
		size = step_forward(text + used);
		width = width_of(text + used, size);
		if (width > columns)
			break;
	}
	return used;
}

/* Returns the position from which the end fits into `columns`. */
static const char *fit_tail(const char *text, size_t columns)
{
	size_t left = summary_columns(text), size;

	for (; left > columns; text += size) {
		size = step_forward(text);
		left -= width_of(text, size);
	}
	return text;
}

char *summary_cut(const char *text, size_t columns, uint32_t head)
{
	size_t used;

	if (!columns || summary_columns(text) <= columns)
		return mem_strdup(text);
	if (columns < COLUMNS_LEAST)
		columns = COLUMNS_LEAST;
	columns -= DOTS;
	used = fit_head(text, columns * head / PARTS);
	return mem_format("%.*s%s%s", (int)used, text, dots,
			  fit_tail(text + used, columns - columns * head / PARTS));
}

/* Returns whether another text looks the same after the cut, but is different. */
static bool is_mistaken(char *const *text, char *const *cut, uint32_t a, uint32_t b)
{
	return !strcmp(cut[a], cut[b]) && strcmp(text[a], text[b]) != 0;
}

static bool is_unique(char *const *text, char *const *cut, uint32_t count, uint32_t index)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_mistaken(text, cut, i, index))
			return false;
	return true;
}

static size_t common(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/* Returns the first component in which a path differs from others that look the same after the cut. */
static const char *find_difference(char *const *text, char *const *cut, uint32_t count,
				   uint32_t index)
{
	size_t most = 0, length;

	for (uint32_t i = 0; i < count; i++) {
		if (!is_mistaken(text, cut, i, index))
			continue;
		length = common(text[i], text[index]);
		most = length > most ? length : most;
	}
	while (most && text[index][most - 1] != '/')
		most--;
	return text[index] + most;
}

/* Cuts a text so that the differing part is visible: with a longer beginning, or without one. */
static char *cut_apart(char *const *text, char *const *cut, uint32_t count, uint32_t index,
		       size_t columns)
{
	const char *from = find_difference(text, cut, count, index);
	char *rest, *whole;

	if (fit_head(text[index], columns - DOTS) > (size_t)(from - text[index]) + DOTS) {
		size_t needed = (size_t)(from - text[index]) + strcspn(from, "/") + 1;
		uint32_t head = (uint32_t)(needed * PARTS / (columns - DOTS)) + 1;

		if (head < PARTS)
			return summary_cut(text[index], columns, head);
	}
	rest = summary_cut(from, columns - DOTS, PARTS / 2);
	whole = mem_format("%s%s", dots, rest);
	free(rest);
	return whole;
}

void summary_cut_list(char **text, uint32_t count, size_t columns)
{
	char **cut = mem_array(count + 1, sizeof(*cut)), **apart;

	if (columns && columns < COLUMNS_LEAST + HEAD_USUAL)
		columns = COLUMNS_LEAST + HEAD_USUAL;
	apart = mem_array(count + 1, sizeof(*apart));
	for (uint32_t i = 0; i < count; i++)
		cut[i] = summary_cut(text[i], columns, HEAD_USUAL);
	for (uint32_t i = 0; columns && i < count; i++)
		if (!is_unique(text, cut, count, i))
			apart[i] = cut_apart(text, cut, count, i, columns);
	for (uint32_t i = 0; i < count; i++) {
		free(text[i]);
		text[i] = apart[i] ? apart[i] : cut[i];
		if (apart[i])
			free(cut[i]);
	}
	free(cut);
	free(apart);
}
