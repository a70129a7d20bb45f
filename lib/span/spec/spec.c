/* spec: parses the definition of a span. See <iotrace/span.h> for the grammar. */
#include "spec_words.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <iotrace/probe_spec.h>
#include <iotrace/span.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {"->", "if", "or", "by", "group", "as", "size", "cancel"};

static const char *const side_name[SPAN_SIDES] = {"begin", "end", "cancel"};

struct spec {
	struct spec_words words;
	struct span *span;
	struct error *err;
};

static bool is_keyword(const char *word)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (!strcmp(keywords[i], word))
			return true;
	return false;
}

/* Sets an error that says what was expected instead of the next word. */
static int expect(const struct spec *spec, const char *what)
{
	const struct spec_words *words = &spec->words;
	struct nearest nearest;

	if (words->is_broken)
		return error_say(spec->err, EINVAL,
				 "span '%s': a quotation mark is missing, or a word is too long",
				 spec->span->name);
	if (!*words->word && !words->is_quoted)
		return error_say(spec->err, EINVAL, "span '%s': expected %s, but the text ends",
				 spec->span->name, what);
	nearest_init(&nearest, words->word);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		nearest_try(&nearest, keywords[i]);
	return error_say(spec->err, EINVAL, "span '%s': expected %s, not '%s'%s%s%s",
			 spec->span->name, what, words->word,
			 nearest.best && nearest.distance ? "; did you mean '" : "",
			 nearest.best && nearest.distance ? nearest.best : "",
			 nearest.best && nearest.distance ? "'?" : "");
}

static bool is_name(const char *word)
{
	if (!*word || is_keyword(word))
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && *word != '_' && *word != '-' && *word != '.')
			return false;
	return true;
}

/* Returns whether the word is a name, or memory behind an argument: "+4(+16(arg2)):u32". */
static bool is_field(const char *word)
{
	return *word && !is_keyword(word) &&
	       word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_-+.:()")] == '\0';
}

static int take_field(struct spec *spec, const char *what, char **field)
{
	if (spec->words.is_quoted || !is_field(spec->words.word))
		return expect(spec, what);
	*field = mem_strdup(spec->words.word);
	spec_words_next(&spec->words);
	return 0;
}

static int take_name(struct spec *spec, const char *what, char **name)
{
	if (spec->words.is_quoted || !is_name(spec->words.word))
		return expect(spec, what);
	*name = mem_strdup(spec->words.word);
	spec_words_next(&spec->words);
	return 0;
}

static bool is_tracepoint(const struct spec_words *words)
{
	const char *colon = strchr(words->word, ':');

	return !words->is_quoted && colon && colon != words->word && colon[1] &&
	       !strchr(colon + 1, ':') && !strpbrk(words->word, "*?[=");
}

static int take_event(struct spec *spec, enum span_side side, struct span_point *point)
{
	struct spec_words *words = &spec->words;
	char what[64];

	if (probe_spec_is(words->word)) {
		if (!words->is_quoted)
			spec_words_extend(words);
	} else if (!is_tracepoint(words)) {
		snprintf(what, sizeof(what), "the event of its %s, such as SYSTEM:EVENT",
			 side_name[side]);
		return expect(spec, what);
	}
	if (words->is_broken)
		return expect(spec, "");
	point->event = mem_strdup(words->word);
	spec_words_next(words);
	return 0;
}

static bool take_compare(struct spec *spec, enum span_compare *compare)
{
	static const char *const sign[] = {
		[SPAN_EQUAL] = "==",      [SPAN_UNEQUAL] = "!=", [SPAN_LESS] = "<",
		[SPAN_LESS_EQUAL] = "<=", [SPAN_GREATER] = ">",  [SPAN_GREATER_EQUAL] = ">=",
		[SPAN_MATCHES] = "~",
	};

	for (size_t i = 0; i < sizeof(sign) / sizeof(*sign); i++) {
		if (!spec_words_take(&spec->words, sign[i]))
			continue;
		*compare = (enum span_compare)i;
		return true;
	}
	return false;
}

static void read_number(struct span_test *test)
{
	char *end = NULL;

	errno = 0;
	test->is_negative = *test->text == '-';
	test->number = test->is_negative ? (uint64_t)strtoll(test->text, &end, 0)
					 : strtoull(test->text, &end, 0);
	test->is_number = end != test->text && !*end && !errno &&
			  (test->is_negative || isdigit((unsigned char)*test->text));
}

static int take_test(struct spec *spec, struct span_point *point, bool is_alternative)
{
	struct span_test *test = &point->test[point->tests];
	int code;

	if (point->tests == SPAN_TESTS)
		return error_say(spec->err, EINVAL,
				 "span '%s': more than %d conditions of an event", spec->span->name,
				 SPAN_TESTS);
	test->is_alternative = is_alternative;
	point->tests++;
	code = take_field(spec, "a field of a condition", &test->field);
	if (code)
		return code;
	if (!take_compare(spec, &test->compare))
		return expect(spec, "one of == != < <= > >= ~");
	if (!spec->words.is_quoted && (!*spec->words.word || is_keyword(spec->words.word)))
		return expect(spec, "the value of a condition");
	test->text = mem_strdup(spec->words.word);
	if (!spec->words.is_quoted)
		read_number(test);
	spec_words_next(&spec->words);
	if (!test->is_number && test->compare != SPAN_MATCHES && span_is_of_task(test->field) &&
	    strcmp(test->field, "comm") != 0)
		return error_say(spec->err, EINVAL,
				 "span '%s': '%s' is not a number, and %s is one", spec->span->name,
				 test->text, test->field);
	if (test->is_number || test->compare == SPAN_EQUAL || test->compare == SPAN_UNEQUAL ||
	    test->compare == SPAN_MATCHES)
		return 0;
	return error_say(spec->err, EINVAL,
			 "span '%s': '%s' is not a number, and only numbers have an order",
			 spec->span->name, test->text);
}

static int take_point(struct spec *spec, enum span_side side, struct span_point *point)
{
	int code = take_event(spec, side, point);
	bool is_alternative = false;

	if (code || !spec_words_take(&spec->words, "if"))
		return code;
	do {
		code = take_test(spec, point, is_alternative);
		is_alternative = !strcmp(spec->words.word, "||");
	} while (!code &&
		 (spec_words_take(&spec->words, "&&") || spec_words_take(&spec->words, "||")));
	return code;
}

/* Parses one event, or several alternatives. */
static int take_points(struct spec *spec, enum span_side side)
{
	struct span_point *point = &spec->span->side[side];
	int code = take_point(spec, side, point);

	while (!code && spec_words_take(&spec->words, "or")) {
		point = point->other = mem_zero(sizeof(*point));
		code = take_point(spec, side, point);
	}
	return code;
}

/* Gives `to` the first keys of `from`, as many as it has. */
static void copy_keys(struct span_point *to, const struct span_point *from)
{
	for (to->keys = 0; to->keys < from->keys; to->keys++) {
		to->key[to->keys] = mem_strdup(from->key[to->keys]);
		to->mask[to->keys] = from->mask[to->keys];
	}
}

static void share_keys(const struct span_point *point)
{
	for (struct span_point *other = point->other; other; other = other->other)
		copy_keys(other, point);
}

/* Parses "FIELD" or "FIELD&MASK". */
static int take_bits(struct spec *spec, char **field, uint64_t *mask)
{
	int code = take_field(spec, "a field of the key", field);
	char *end;

	if (code || !spec_words_take(&spec->words, "&"))
		return code;
	errno = 0;
	*mask = strtoull(spec->words.word, &end, 0);
	if (spec->words.is_quoted || !isdigit((unsigned char)*spec->words.word) || *end || errno ||
	    !*mask)
		return expect(spec, "the bits of a key, such as 0xfff");
	spec_words_next(&spec->words);
	return 0;
}

/* Parses "A" or "A/B": A is a field of the begin, B of the end and of the cancel. */
static int take_key(struct spec *spec, uint32_t index)
{
	struct span_point *begin = &spec->span->side[SPAN_BEGIN];
	struct span_point *end = &spec->span->side[SPAN_END];
	int code = take_bits(spec, &begin->key[index], &begin->mask[index]);

	if (code)
		return code;
	begin->keys = end->keys = index + 1;
	if (spec_words_take(&spec->words, "/"))
		return take_bits(spec, &end->key[index], &end->mask[index]);
	end->key[index] = mem_strdup(begin->key[index]);
	end->mask[index] = begin->mask[index];
	return 0;
}

static int take_keys(struct spec *spec)
{
	uint32_t count = 0;
	int code;

	if (!spec_words_take(&spec->words, "by"))
		return expect(spec, "'by' and the key");
	do {
		if (count == SPAN_KEYS)
			return error_say(spec->err, EINVAL,
					 "span '%s': a key of more than %d fields",
					 spec->span->name, SPAN_KEYS);
		code = take_key(spec, count++);
	} while (!code && spec_words_take(&spec->words, ","));
	return code;
}

/* A cancel without a key of its own has the key of the span. */
static int take_cancel(struct spec *spec)
{
	struct span_point *cancel = &spec->span->side[SPAN_CANCEL];
	const struct span_point *end = &spec->span->side[SPAN_END];
	int code = take_points(spec, SPAN_CANCEL);

	if (code)
		return code;
	if (!spec_words_take(&spec->words, "by")) {
		copy_keys(cancel, end);
		return 0;
	}
	do {
		if (cancel->keys == end->keys)
			return error_say(
				spec->err, EINVAL,
				"span '%s': the key of its cancel has more fields than that of its begin",
				spec->span->name);
		code = take_bits(spec, &cancel->key[cancel->keys], &cancel->mask[cancel->keys]);
		cancel->keys++;
	} while (!code && spec_words_take(&spec->words, ","));
	return code;
}

static int take_rest(struct spec *spec)
{
	struct span *span = spec->span;
	int code = 0;

	while (!code && (*spec->words.word || spec->words.is_quoted)) {
		if (!span->group && spec_words_take(&spec->words, "group")) {
			code = take_field(spec, "a field", &span->group);
			if (!code && spec_words_take(&spec->words, "as"))
				code = take_name(spec, "a name", &span->group_name);
		} else if (!span->size && spec_words_take(&spec->words, "size")) {
			code = take_field(spec, "a field", &span->size);
		} else if (!span->result && spec_words_take(&spec->words, "result")) {
			code = take_field(spec, "a field", &span->result);
		} else if (!span->side[SPAN_CANCEL].event &&
			   spec_words_take(&spec->words, "cancel")) {
			code = take_cancel(spec);
		} else {
			code = expect(spec, "group, size, result, cancel or the end");
		}
	}
	return code || !spec->words.is_broken ? code : expect(spec, "");
}

bool span_is_of_task(const char *field)
{
	static const char *const names[] = {"pid", "tid", "cpu", "comm"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], field))
			return true;
	return false;
}

/* If the key contains the thread or the process, each span stays within it. */
static enum span_where where_of(const struct span *span)
{
	const struct span_point *begin = &span->side[SPAN_BEGIN], *end = &span->side[SPAN_END];

	for (uint32_t i = 0; i < begin->keys; i++)
		if (!strcmp(begin->key[i], end->key[i]) && !begin->mask[i] && !end->mask[i] &&
		    (!strcmp(begin->key[i], "tid") || !strcmp(begin->key[i], "pid")))
			return SPAN_IN_TASK;
	return SPAN_ANYWHERE;
}

/* From the entry of a function of a program to its return: functions nest. */
static bool is_function(const struct span *span)
{
	const struct span_point *begin = &span->side[SPAN_BEGIN], *end = &span->side[SPAN_END];
	size_t length = strlen(begin->event);

	return probe_spec_is(begin->event) && !strncmp(begin->event, end->event, length) &&
	       !strcmp(end->event + length, "%return") && !begin->other && !end->other &&
	       !span->side[SPAN_CANCEL].event && begin->keys == 1 && !begin->mask[0] &&
	       !end->mask[0] && !strcmp(begin->key[0], "tid") && !strcmp(end->key[0], "tid");
}

static int parse(struct spec *spec, const char *text, size_t name)
{
	int code;

	spec->span->name = mem_format("%.*s", (int)name, text);
	if (!is_name(spec->span->name))
		return error_say(
			spec->err, EINVAL,
			"span '%s': it has no name; expected 'NAME: BEGIN -> END by FIELD'", text);
	spec_words_init(&spec->words, text + name + 1);
	code = take_points(spec, SPAN_BEGIN);
	if (!code && !spec_words_take(&spec->words, "->"))
		code = expect(spec, "'->' and the end");
	if (!code)
		code = take_points(spec, SPAN_END);
	if (!code)
		code = take_keys(spec);
	if (!code)
		code = take_rest(spec);
	for (int side = 0; side < SPAN_SIDES; side++)
		share_keys(&spec->span->side[side]);
	if (code)
		return code;
	spec->span->where = where_of(spec->span);
	spec->span->is_nested = is_function(spec->span);
	spec->span->definition = mem_strdup(text);
	return 0;
}

struct span *span_parse(const char *text, struct error *err)
{
	struct spec spec = {.span = mem_zero(sizeof(*spec.span)), .err = err};
	const char *colon = strchr(text, ':');

	while (isspace((unsigned char)*text))
		text++;
	if (!parse(&spec, text, colon && colon > text ? (size_t)(colon - text) : 0))
		return spec.span;
	span_free(spec.span);
	return NULL;
}

static void free_point(struct span_point *point)
{
	for (uint32_t i = 0; i < SPAN_TESTS; i++) {
		free(point->test[i].field);
		free(point->test[i].text);
	}
	for (uint32_t i = 0; i < SPAN_KEYS; i++) {
		free(point->key[i]);
		free(point->key_text[i]);
	}
	free(point->event);
	free(point->entry);
}

void span_free(struct span *span)
{
	if (!span)
		return;
	for (int side = 0; side < SPAN_SIDES; side++) {
		struct span_point *other = span->side[side].other, *next;

		free_point(&span->side[side]);
		for (; other; other = next) {
			next = other->other;
			free_point(other);
			free(other);
		}
	}
	free(span->name);
	free(span->definition);
	free(span->help);
	free(span->group);
	free(span->group_name);
	free(span->size);
	free(span->result);
	free(span->context);
	free(span);
}
