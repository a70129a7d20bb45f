/*
 * spec_words: the words of a span's sentence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SPEC_WORD_SIZE = 256 };

struct spec_words {
	const char *at;            /* what is not read yet */
	char word[SPEC_WORD_SIZE]; /* the next one; "" at the end */
	bool is_quoted;            /* it was in quotation marks: no word of the language */
	bool is_broken;            /* a word is too long, or a quotation mark is missing */
};

/* Reads the first word. `text` is lent. */
void spec_words_init(struct spec_words *words, const char *text);
void spec_words_next(struct spec_words *words);
/* Makes all up to the next blank a part of the word: a path has slashes. */
void spec_words_extend(struct spec_words *words);
/* Returns whether the next word is this one, and reads on if so. */
bool spec_words_take(struct spec_words *words, const char *word);
