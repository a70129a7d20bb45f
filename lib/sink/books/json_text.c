/* json_text: what the JSON writers share. */
#include "json_text.h"

#include <iotrace/books.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_object *json_bytes(const char *bytes, size_t length)
{
	size_t size = 4 * length + 1; /* an escaped byte has at most four characters: \xHH */
	char *text = mem_alloc(size);
	json_object *string;

	length = escape_utf8(text, size, bytes, length);
	string = json_object_new_string_len(text, (int)length);
	free(text);
	return string;
}

json_object *json_text(const struct trace *trace, str_id id)
{
	uint32_t length = strtab_length(trace_strings(trace), id);

	return length ? json_bytes(trace_text(trace, id), length) : NULL;
}

void json_set(json_object *to, const char *key, json_object *value)
{
	json_object_object_add(to, key, value);
}

void json_set_number(json_object *to, const char *key, uint64_t number)
{
	json_set(to, key, json_object_new_uint64(number));
}

void json_set_known(json_object *to, const char *key, bool is_known, uint64_t number)
{
	json_set(to, key, is_known ? json_object_new_uint64(number) : NULL);
}

void json_set_real(json_object *to, const char *key, double number)
{
	json_set(to, key, json_object_new_double(number));
}

void json_set_bool(json_object *to, const char *key, bool value)
{
	json_set(to, key, json_object_new_boolean(value));
}

void json_set_word(json_object *to, const char *key, const char *word)
{
	json_set(to, key, word ? json_object_new_string(word) : NULL);
}

void json_set_text(json_object *to, const char *key, const struct trace *trace, str_id id)
{
	json_set(to, key, json_text(trace, id));
}

json_object *json_job(const struct trace *trace)
{
	const struct trace_job *job = &trace_host(trace)->job;
	json_object *object = job->system ? json_object_new_object() : NULL;

	if (!object)
		return NULL;
	json_set_text(object, "system", trace, job->system);
	json_set_text(object, "id", trace, job->id);
	json_set_text(object, "name", trace, job->name);
	json_set_text(object, "user", trace, job->user);
	json_set_known(object, "nodes", job->nodes, job->nodes);
	json_set_known(object, "ranks", job->ranks, job->ranks);
	return object;
}

json_object *json_words(const struct trace *trace, str_id id)
{
	size_t left = strtab_length(trace_strings(trace), id);
	const char *at = trace_text(trace, id);
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

/* Returns the length of the character that begins with this byte of valid UTF-8, and its code point. */
static size_t character(const unsigned char *at, uint32_t *number)
{
	size_t length = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	*number = length == 1 ? *at : *at & (0x7fU >> length);
	for (size_t i = 1; i < length; i++)
		*number = *number << 6 | (at[i] & 0x3f);
	return length;
}

/* JSON's \u has 16 bits: higher characters are pairs of surrogates. */
static void print_number(FILE *out, uint32_t number)
{
	if (number > 0xffff) {
		number -= 0x10000;
		fprintf(out, "\\u%04x", 0xd800 + (number >> 10));
		number = 0xdc00 + (number & 0x3ff);
	}
	fprintf(out, "\\u%04x", number);
}

/* Returns how many characters that need no escape the text begins with. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= ' ' && text[length] <= '~')
		length++;
	return length;
}

void json_print_part(FILE *out, json_object *object)
{
	const char *json = json_object_to_json_string_ext(object,
							  JSON_C_TO_STRING_PLAIN |
								  JSON_C_TO_STRING_NOSLASHESCAPE);
	char safe[64];

	while (*json) {
		uint32_t number;
		size_t length = plain_length(json);

		if (length) {
			fwrite(json, 1, length, out);
			json += length;
			continue;
		}
		length = character((const unsigned char *)json, &number);
		escape_text(safe, sizeof(safe), json, length);
		if (!strncmp(safe, json, length))
			fwrite(json, 1, length, out);
		else
			print_number(out, number);
		json += length;
	}
	json_object_put(object);
}

void json_print(FILE *out, json_object *object)
{
	json_print_part(out, object);
	fputc('\n', out);
}

void json_print_string(FILE *out, const char *bytes, size_t length)
{
	json_print_part(out, json_bytes(bytes, length));
}

json_object *json_books(const struct trace *trace, const struct tally *tally)
{
	json_object *books = json_object_new_object();
	json_object *counters = json_object_new_object();
	char sentence[512];
	enum books_state state = books_check(trace, tally, sentence, sizeof(sentence));

	for (int i = 0; i < TALLY_COUNT; i++)
		json_set_number(counters, tally_name((enum tally_counter)i), tally->n[i]);
	json_set_bool(books, "balanced", state != BOOKS_WRONG);
	json_set_word(books, "sentence", sentence);
	json_set(books, "counters", counters);
	return books;
}
