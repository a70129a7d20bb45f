/*
 * spec_words: see spec_words.h. A word ends at a blank, a comma, a slash or an operator.
 */
#include "spec_words.h"

#include <ctype.h>
#include <string.h>

static const char *const marks[] = {"->", "==", "!=", "<=", ">=", "&&", "||",
				    "&",  "<",  ">",  "~",  ",",  "/"};

static size_t mark_at(const char *at)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (!strncmp(at, marks[i], strlen(marks[i])))
			return strlen(marks[i]);
	return 0;
}

static size_t word_at(const char *at)
{
	size_t length = 0;

	while (at[length] && !isspace((unsigned char)at[length]) && !mark_at(at + length))
		length++;
	return length;
}

static void take_word(struct spec_words *words, size_t length)
{
	words->is_broken |= length >= SPEC_WORD_SIZE;
	if (words->is_broken)
		return;
	memcpy(words->word, words->at, length);
	words->word[length] = '\0';
	words->at += length;
}

void spec_words_next(struct spec_words *words)
{
	const char *end;

	words->is_quoted = false;
	*words->word = '\0';
	if (words->is_broken)
		return;
	while (isspace((unsigned char)*words->at))
		words->at++;
	if (*words->at == '"') {
		end = strchr(++words->at, '"');
		words->is_quoted = true;
		words->is_broken = !end;
		if (end)
			take_word(words, (size_t)(end - words->at));
		words->at += end && !words->is_broken;
		return;
	}
	size_t mark = mark_at(words->at);

	take_word(words, mark ? mark : word_at(words->at));
}

void spec_words_init(struct spec_words *words, const char *text)
{
	*words = (struct spec_words){.at = text};
	spec_words_next(words);
}

void spec_words_extend(struct spec_words *words)
{
	size_t length = strlen(words->word), more = 0;

	while (words->at[more] && !isspace((unsigned char)words->at[more]))
		more++;
	words->is_broken |= length + more >= SPEC_WORD_SIZE;
	if (words->is_broken)
		return;
	memcpy(words->word + length, words->at, more);
	words->word[length + more] = '\0';
	words->at += more;
}

bool spec_words_take(struct spec_words *words, const char *word)
{
	if (words->is_quoted || strcmp(words->word, word) != 0)
		return false;
	spec_words_next(words);
	return true;
}
