/* spec_words: splits the definition of a span into words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SPEC_WORD_SIZE = 256 };

struct spec_words {
	const char *at;            /* the rest of the text */
	char word[SPEC_WORD_SIZE]; /* the next word; "" at the end */
	bool is_quoted;            /* it was in quotation marks, so it is not a keyword */
	bool is_broken;            /* a word is too long, or a quotation mark is missing */
};

/* Reads the first word. `text` is lent. */
void spec_words_init(struct spec_words *words, const char *text);
void spec_words_next(struct spec_words *words);
/* Extends the word to the next blank, because a path contains slashes. */
void spec_words_extend(struct spec_words *words);
/* If the next word is this one, skips it and returns true. */
bool spec_words_take(struct spec_words *words, const char *word);
