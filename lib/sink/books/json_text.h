/*
 * json_text: untrusted bytes as JSON strings, and the counters as a JSON object. JSON is UTF-8; invalid bytes are written as \xHH
 * (see escape_utf8()).
 */
#pragma once

#include <iotrace/strtab.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct trace;
struct tally;

/* Each returns a new object. */
struct json_object *json_bytes(const char *bytes, size_t length);
/* NULL (null) for the empty string. */
struct json_object *json_text(const struct trace *trace, str_id id);
/* Each adds a key to an object. NULL and unknown values become null. */
void json_set(struct json_object *to, const char *key, struct json_object *value);
void json_set_number(struct json_object *to, const char *key, uint64_t number);
void json_set_known(struct json_object *to, const char *key, bool is_known, uint64_t number);
void json_set_real(struct json_object *to, const char *key, double number);
void json_set_bool(struct json_object *to, const char *key, bool value);
void json_set_word(struct json_object *to, const char *key, const char *word);
void json_set_text(struct json_object *to, const char *key, const struct trace *trace, str_id id);
/* The job of a batch system, or null: { system, id, name, user, nodes, ranks }. */
struct json_object *json_job(const struct trace *trace);
/* Returns an array of the words, which are separated by NUL; null if there are none. */
struct json_object *json_words(const struct trace *trace, str_id id);
/*
 * Prints an object in one line, and frees it. Characters that escape_text() would escape (DEL, the C1 controls, marks of
 * direction) become \uXXXX, so that the output is safe for a terminal.
 */
void json_print(FILE *out, struct json_object *object);
/* The same without the end of the line, and for a string of any bytes. */
void json_print_part(FILE *out, struct json_object *object);
void json_print_string(FILE *out, const char *bytes, size_t length);
/* { balanced, sentence, counters } */
struct json_object *json_books(const struct trace *trace, const struct tally *tally);
