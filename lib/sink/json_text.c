/*
 * json_text: what the JSON writers share.
 */
#include "json_text.h"

#include <iotrace/books.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <iotrace/model.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

json_object *json_bytes(const char *bytes, size_t length)
{
	size_t size = 4 * length + 1; /* each byte at most \xHH */
	char *text = mem_alloc(size);
	json_object *string;

	length = escape_utf8(text, size, bytes, length);
	string = json_object_new_string_len(text, (int)length);
	free(text);
	return string;
}

json_object *json_text(const struct model *model, str_id id)
{
	uint32_t length = strtab_length(model_strings(model), id);

	return length ? json_bytes(model_text(model, id), length) : NULL;
}

json_object *json_words(const struct model *model, str_id id)
{
	size_t left = strtab_length(model_strings(model), id);
	const char *at = model_text(model, id);
	json_object *words;

	if (!left)
		return NULL;
	words = json_object_new_array();
	while (left) {
		size_t length = strnlen(at, left);

		json_object_array_add(words, json_bytes(at, length));
		if (length == left)
			break;
		at += length + 1;
		left -= length + 1;
	}
	return words;
}

json_object *json_books(const struct tally *tally)
{
	json_object *books = json_object_new_object();
	json_object *counters = json_object_new_object();
	char sentence[512];
	enum books_state state = books_check(tally, sentence, sizeof(sentence));

	for (int i = 0; i < TALLY_COUNT; i++)
		json_object_object_add(counters, tally_name((enum tally_counter)i),
				       json_object_new_uint64(tally->n[i]));
	json_object_object_add(books, "balanced", json_object_new_boolean(state != BOOKS_WRONG));
	json_object_object_add(books, "sentence", json_object_new_string(sentence));
	json_object_object_add(books, "counters", counters);
	return books;
}
