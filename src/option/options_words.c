#include "options_words.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/list.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\f\v";

/* A line that is being parsed. */
struct reader {
	const char *at, *end;
	char *word; /* buffer for the longest possible word of the line */
	size_t length;
};

void options_lines_add(struct options_lines *lines, const char *from, int argc,
		       const char *const *argv)
{
	struct recording_words *line;

	MEM_GROW(lines->line, lines->cap, lines->count + 1);
	line = &lines->line[lines->count++];
	*line = (struct recording_words){.from = mem_strdup(from), .argc = argc};
	line->argv = mem_array((size_t)argc + 1, sizeof(*line->argv));
	for (int i = 0; i < argc; i++)
		line->argv[i] = mem_strdup(argv[i]);
}

static bool is_blank(char c)
{
	return memchr(blanks, c, sizeof(blanks) - 1);
}

/* Reads text in quotes. Returns NULL, or an error text. */
static const char *take_quoted(struct reader *r)
{
	char quote = *r->at++;

	while (r->at < r->end && *r->at != quote) {
		bool is_escape = quote == '"' && *r->at == '\\' && r->at + 1 < r->end &&
				 strchr("\"\\$`", r->at[1]);

		r->at += is_escape;
		r->word[r->length++] = *r->at++;
	}
	if (r->at == r->end)
		return quote == '"' ? "a quotation mark (\") is not closed"
				    : "a quotation mark (') is not closed";
	r->at++;
	return NULL;
}

/* Reads a word. Returns NULL, or an error text. */
static const char *take_word(struct reader *r)
{
	const char *wrong = NULL;

	r->length = 0;
	while (!wrong && r->at < r->end && !is_blank(*r->at)) {
		if (*r->at == '"' || *r->at == '\'') {
			wrong = take_quoted(r);
			continue;
		}
		if (*r->at == '\\' && ++r->at == r->end)
			return "it ends with a backslash, but lines cannot be continued";
		r->word[r->length++] = *r->at++;
	}
	r->word[r->length] = '\0';
	return wrong;
}

/* Returns NULL, or an error text. The caller frees the words. */
static const char *take_line(const char *text, size_t length, struct text_list *words)
{
	struct reader r = {.at = text, .end = text + length};
	const char *wrong = NULL;

	if (memchr(text, '\0', length))
		return "it contains a NUL byte, so it is not text";
	r.word = mem_alloc(length + 1);
	while (!wrong) {
		while (r.at < r.end && is_blank(*r.at))
			r.at++;
		if (r.at == r.end || *r.at == '#')
			break;
		wrong = take_word(&r);
		if (!wrong)
			text_list_add(words, mem_strdup(r.word));
	}
	free(r.word);
	return wrong;
}

static int refuse_line(const char *from, uint32_t number, const char *wrong, struct error *err)
{
	if (number)
		return error_say(err, EINVAL, "%s, line %u: %s", from, number, wrong);
	return error_say(err, EINVAL, "%s: %s", from, wrong);
}

static int split_line(struct options_lines *lines, const struct recording_words *of,
		      const char *text, size_t length, struct error *err)
{
	struct text_list words = {0};
	const char *wrong;

	text_list_add(&words, "iotrace");
	wrong = take_line(text, length, &words);
	if (wrong) {
		refuse_line(of->from, of->line, wrong, err);
	} else if (words.count > 1) {
		options_lines_add(lines, of->from, (int)words.count, words.item);
		lines->line[lines->count - 1].line = of->line;
	}
	for (uint32_t i = 1; i < words.count; i++)
		free((void *)(uintptr_t)words.item[i]);
	text_list_release(&words);
	return wrong ? -EINVAL : 0;
}

int options_lines_split(struct options_lines *lines, const char *from, bool is_file,
			const char *text, size_t length, struct error *err)
{
	struct recording_words of = {.from = mem_strdup(from)};
	const char *end = text + length;
	int code = 0;

	for (const char *at = text; !code && at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		of.line += is_file;
		stop = stop ? stop : end;
		code = split_line(lines, &of, at, (size_t)(stop - at), err);
		at = stop + 1;
	}
	free(of.from);
	return code;
}

static bool is_plain(const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_=/.,:+%@";

	return *word && strspn(word, letters) == strlen(word);
}

/* In single quotes, only a single quote is special. */
static char *quote(const char *word)
{
	char *text = mem_alloc(4 * strlen(word) + 3), *at = text;

	*at++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			at = stpcpy(at, "'\\''");
		else
			*at++ = *word;
	}
	stpcpy(at, "'");
	return text;
}

char *options_line_text(const struct recording_words *line)
{
	char *text = mem_strdup("");

	for (int i = 1; i < line->argc; i++) {
		char *word = is_plain(line->argv[i]) ? mem_strdup(line->argv[i])
						     : quote(line->argv[i]);

		mem_append(&text, "%s%s", i > 1 ? " " : "", word);
		free(word);
	}
	return text;
}

void options_lines_release(struct options_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		for (int k = 0; k < lines->line[i].argc; k++)
			free(lines->line[i].argv[k]);
		free(lines->line[i].argv);
		free(lines->line[i].from);
	}
	free(lines->line);
	*lines = (struct options_lines){0};
}
