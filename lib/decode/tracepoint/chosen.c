/*
 * chosen: the fields of any tracepoint that are single numbers or strings.
 *
 * The fields that all tracepoints have are skipped. An array of numbers cannot be a metric; a pointer counts as a number.
 */
#include "chosen.h"

#include "format.h"
#include "symbols.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>

struct chosen {
	char *text;  /* SYSTEM:EVENT, then NUL */
	char *names; /* NULL: all fields; otherwise names separated by commas */
	struct decode_event event;
	struct field number[EVENT_COUNTERS], string[EVENT_COUNTERS];
	struct symbols symbols[EVENT_COUNTERS]; /* of each number */
	struct field chooser[EVENT_COUNTERS];   /* of two tables */
	bool has_chooser;                       /* some of them have one */
	struct tep_handle *tep; /* has the names of the fields; NULL: the format has not come */
	uint32_t need;   /* bytes of raw data that the fields need, without dynamic strings */
	bool is_useless; /* its format cannot be read */
};

struct chosen *chosen_new(const char *text)
{
	struct chosen *chosen = (struct chosen *)mem_zero(sizeof(*chosen));
	char *names;

	chosen->text = mem_strdup(text);
	names = strchr(chosen->text, '=');
	if (names) {
		*names = '\0';
		chosen->names = names + 1;
	}
	chosen->event.name = chosen->text;
	chosen->event.symbols = chosen->symbols;
	return chosen;
}

void chosen_free(struct chosen *chosen)
{
	for (uint32_t i = 0; i < EVENT_COUNTERS; i++)
		symbols_release(&chosen->symbols[i]);
	tep_free(chosen->tep);
	free(chosen->text);
	free(chosen);
}

/* Returns whether the list contains the name. No list contains all names. */
static bool is_named(const char *names, const char *name)
{
	size_t length = strlen(name);

	if (!names)
		return true;
	for (; *names; names += strspn(names, ",")) {
		size_t word = strcspn(names, ",");

		if (word == length && !memcmp(names, name, length))
			return true;
		names += word;
	}
	return false;
}

/* Adds the field. Returns false if its type is unsupported, or there are too many. */
static bool take_field(struct chosen *chosen, const struct tep_format_field *from)
{
	struct decode_event *event = &chosen->event;
	struct field field;
	uint32_t end;

	if (event->numbers < EVENT_COUNTERS && field_init(&field, FIELD_NUMBER, from)) {
		event->number[event->numbers] = from->name;
		event->is_signed[event->numbers] = field.is_signed;
		chosen->number[event->numbers++] = field;
	} else if (event->strings < EVENT_COUNTERS && field_init(&field, FIELD_STRING, from)) {
		event->string[event->strings] = from->name;
		chosen->string[event->strings++] = field;
	} else {
		return false;
	}
	end = (uint32_t)field.offset + field.size;
	if (end > chosen->need)
		chosen->need = end;
	return true;
}

static char *take_fields(struct chosen *chosen, const struct tep_event *event)
{
	const struct tep_format_field *from;
	char *skipped = mem_strdup(""), *sentence = NULL;

	for (from = event->format.fields; from; from = from->next) {
		if (!is_named(chosen->names, from->name) || take_field(chosen, from))
			continue;
		mem_append(&skipped, "%s%s", *skipped ? ", " : "", from->name);
	}
	if (*skipped)
		sentence = mem_format(
			"%s: skipped fields, which are neither a number nor a string, or more than %d of "
			"a kind: %s",
			chosen->text, EVENT_COUNTERS, skipped);
	free(skipped);
	return sentence;
}

/* The names of the numbers' values. */
static void add_symbols(struct chosen *chosen, const struct tep_event *event, const char *text,
			size_t size)
{
	for (uint32_t i = 0; i < chosen->event.numbers; i++) {
		struct symbols *symbols = &chosen->symbols[i];
		struct tep_format_field *by;

		symbols_init(symbols, text, size, chosen->event.number[i]);
		if (!symbols->chooser)
			continue;
		by = tep_find_any_field((struct tep_event *)(uintptr_t)event, symbols->chooser);
		if (!by || !field_init(&chosen->chooser[i], FIELD_NUMBER, by)) {
			symbols_release(symbols);
			*symbols = (struct symbols){0};
			continue;
		}
		chosen->has_chooser = true;
	}
}

static void choose_symbols(struct chosen *chosen, const struct sample *sample)
{
	for (uint32_t i = 0; i < chosen->event.numbers; i++) {
		struct symbols *symbols = &chosen->symbols[i];
		const struct field *by = &chosen->chooser[i];

		if (symbols->chooser && sample->raw_size >= (uint32_t)by->offset + by->size)
			symbols_choose(symbols, (uint64_t)field_value(by, sample->raw));
	}
}

char *chosen_add_format(struct chosen *chosen, const char *system, const char *text, size_t size)
{
	struct tep_event *event = NULL;
	struct format format;
	char *fields = format_init(&format, text, size) ? NULL : format_fields_only(&format);

	chosen->tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	if (fields && !tep_parse_format(chosen->tep, &event, fields, strlen(fields), system) &&
	    event) {
		free(fields);
		fields = take_fields(chosen, event);
		add_symbols(chosen, event, text, size);
		return fields;
	}
	free(fields);
	chosen->is_useless = true;
	return mem_format("%s: its format cannot be read, so its samples are skipped",
			  chosen->text);
}

const struct decode_event *chosen_event(const struct chosen *chosen)
{
	return chosen->tep ? &chosen->event : NULL;
}

enum decoded chosen_decode(struct chosen *chosen, uint32_t index, const struct sample *sample,
			   struct event *event)
{
	if (chosen->is_useless)
		return DECODED_IGNORED;
	if (!chosen->tep || sample->raw_size < chosen->need)
		return DECODED_MALFORMED;
	if (chosen->has_chooser)
		choose_symbols(chosen, sample);
	event->kind = EVENT_TRACEPOINT;
	event->tracepoint.event = index;
	event->tracepoint.numbers = chosen->event.numbers;
	event->tracepoint.strings = chosen->event.strings;
	for (uint32_t i = 0; i < chosen->event.numbers; i++)
		event->tracepoint.number[i] = (uint64_t)field_value(&chosen->number[i],
								    sample->raw);
	for (uint32_t i = 0; i < chosen->event.strings; i++)
		if (!field_string(&chosen->string[i], sample, &event->tracepoint.string[i]))
			return DECODED_MALFORMED;
	return DECODED_EVENT;
}
