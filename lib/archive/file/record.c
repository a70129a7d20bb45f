/*
 * record: parses records, using a table of their fields.
 *
 * Before a field is read, its size is compared with the remaining bytes, and a count with the number of elements that fit there.
 * Fields that newer writers append to a record are skipped, as OTF2 requires.
 */
#include "record.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	UNDEFINED = 0xff, /* a number with all bits set, which needs no bytes */
	/* Limit, because OTF2's library moves all higher ids for each such id. */
	DISORDER_MOST = 1000,
	/* Limit for an event, because the library compares each with all before it. */
	ATTRIBUTES_MOST = 256,
};

#define ROW(type, id, name, fields) [type] = {name, fields},
static const struct row rows[][UINT8_MAX + 1] = {
	[CONTENT_EVENTS] =
		{
#define EVENT ROW
#include "record.def"
		},
	[CONTENT_DEFINITIONS] =
		{
#define GLOBAL ROW
#define DEFINE ROW
#include "record.def"
		},
	[CONTENT_LOCAL_DEFINITIONS] =
		{
#define LOCAL  ROW
#define DEFINE ROW
#include "record.def"
		},
	[CONTENT_MARKERS] =
		{
#define MARKER ROW
#include "record.def"
		},
};

enum forms { FIXED, NUMBER, TEXT, VALUE, MAP, ORDERED };

/* The meaning of a letter. */
static const struct form {
	uint8_t form, size, kind;
} form[128] = {
	['b'] = {FIXED, 1, KIND_NONE},  ['w'] = {FIXED, 2, KIND_NONE},
	['f'] = {FIXED, 4, KIND_NONE},  ['q'] = {FIXED, 8, KIND_NONE},
	['n'] = {NUMBER, 4, KIND_NONE}, ['N'] = {NUMBER, 8, KIND_NONE},
	['s'] = {TEXT, 0, KIND_NONE},   ['v'] = {VALUE, 0, KIND_NONE},
	['m'] = {MAP, 0, KIND_NONE},    ['i'] = {ORDERED, 4, KIND_NONE},
#define KIND(id, name, letter, size, ...)                                                          \
	[letter] = {(size) == 1 ? FIXED : NUMBER, size, KIND_##id},
#include "record.def"
};

/* The letter of a value's type. */
static const char letter_of_type[] = {
	[OTF2_TYPE_UINT8] = 'b',
	[OTF2_TYPE_UINT16] = 'w',
	[OTF2_TYPE_UINT32] = 'n',
	[OTF2_TYPE_UINT64] = 'N',
	[OTF2_TYPE_INT8] = 'b',
	[OTF2_TYPE_INT16] = 'w',
	[OTF2_TYPE_INT32] = 'n',
	[OTF2_TYPE_INT64] = 'N',
	[OTF2_TYPE_FLOAT] = 'f',
	[OTF2_TYPE_DOUBLE] = 'q',
	[OTF2_TYPE_STRING] = 'S',
	[OTF2_TYPE_ATTRIBUTE] = 'A',
	[OTF2_TYPE_LOCATION] = 'L',
	[OTF2_TYPE_REGION] = 'R',
	[OTF2_TYPE_GROUP] = 'U',
	[OTF2_TYPE_METRIC] = 'M',
	[OTF2_TYPE_COMM] = 'C',
	[OTF2_TYPE_PARAMETER] = 'P',
	[OTF2_TYPE_RMA_WIN] = 'n',
	[OTF2_TYPE_SOURCE_CODE_LOCATION] = 'n',
	[OTF2_TYPE_CALLING_CONTEXT] = 'n',
	[OTF2_TYPE_INTERRUPT_GENERATOR] = 'n',
	[OTF2_TYPE_IO_FILE] = 'F',
	[OTF2_TYPE_IO_HANDLE] = 'H',
	[OTF2_TYPE_LOCATION_GROUP] = 'G',
};

const struct row *record_row(enum content content, uint8_t type)
{
	const struct row *row = &rows[content][type];

	return row->name ? row : NULL;
}

void record_wrong(struct taking *t, const char *format, ...)
{
	char name[32], what[80];
	va_list arguments;

	if (*t->wrong)
		return;
	snprintf(name, sizeof(name), "a record of type %u", t->record->type);
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	snprintf(t->wrong, sizeof(t->wrong), "byte %" PRIu64 ": %s %s", t->offset,
		 t->record->row ? t->record->row->name : name, what);
}

uint64_t record_number(const uint8_t *at, size_t size, bool is_big)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (is_big ? size - 1 - i : i);
	return value;
}

static void add(struct taking *t, uint64_t is, uint8_t kind)
{
	struct record *record = t->record;

	MEM_GROW(record->value, record->capacity, record->values + 1);
	record->value[record->values++] = (struct value){is, kind, OTF2_TYPE_NONE};
}

static uint64_t last(const struct taking *t)
{
	return t->record->value[t->record->values - 1].is;
}

/* Returns "undefined" in the size of the field. */
static uint64_t undefined(const struct form *field)
{
	return field->size == 8 ? UINT64_MAX : UINT32_MAX;
}

/*
 * The functions below read the value at a position. Each returns the position after it, or NULL if the value is invalid or ends
 * beyond the record.
 */
static const uint8_t *take_fixed(struct taking *t, const uint8_t *at, const struct form *field)
{
	uint64_t is;

	if (field->size > (size_t)(t->end - at))
		return NULL;
	is = record_number(at, field->size, t->is_big);
	add(t, field->kind && is == UNDEFINED ? undefined(field) : is, field->kind);
	return at + field->size;
}

static const uint8_t *take_number(struct taking *t, const uint8_t *at, const struct form *field)
{
	size_t size;

	if (at == t->end)
		return NULL;
	size = *at == UNDEFINED ? 0 : *at;
	if (size > field->size)
		record_wrong(t, "has a number of %zu bytes", size);
	if (size > field->size || size > (size_t)(t->end - at - 1))
		return NULL;
	add(t, *at == UNDEFINED ? undefined(field) : record_number(at + 1, size, t->is_big),
	    field->kind);
	return at + 1 + size;
}

static const uint8_t *take_text(struct taking *t, const uint8_t *at)
{
	const uint8_t *end = at < t->end ? memchr(at, '\0', (size_t)(t->end - at)) : NULL;

	if (!end) {
		record_wrong(t, "has a text without an end");
		return NULL;
	}
	t->record->text[t->record->texts++] = (const char *)at;
	return end + 1;
}

/* Returns whether the record has space for this number of elements of at least `least` bytes. */
static bool can_count(struct taking *t, const uint8_t *at, uint64_t count, size_t least)
{
	size_t left = (size_t)(t->end - at);

	if (count > left / least)
		record_wrong(t, "counts %" PRIu64 " elements in %zu bytes", count, left);
	else if (t->record->row == &rows[CONTENT_EVENTS][EVENT_ATTRIBUTES] &&
		 count > ATTRIBUTES_MOST)
		record_wrong(t, "counts %" PRIu64 " elements, of which %d are allowed", count,
			     ATTRIBUTES_MOST);
	else
		return true;
	return false;
}

/* A map has a global id for each local one, or sorted pairs of both. */
static const uint8_t *take_map(struct taking *t, const uint8_t *at)
{
	const struct form *id = &form['N'];
	uint64_t count, previous = 0;
	bool is_sparse;

	at = take_number(t, at, id);
	if (!at || at == t->end)
		return NULL;
	count = last(t);
	is_sparse = *at == OTF2_ID_MAP_SPARSE;
	at = take_fixed(t, at, &form['b']);
	if (!can_count(t, at, count, is_sparse ? 2 : 1))
		return NULL;
	for (uint64_t i = 0; at && i < count; i++) {
		at = take_number(t, at, id);
		if (!at || !is_sparse)
			continue;
		if (i && last(t) <= previous) {
			record_wrong(t, "is not sorted");
			return NULL;
		}
		previous = last(t);
		at = take_number(t, at, id);
	}
	return at;
}

static const uint8_t *take_ordered(struct taking *t, const uint8_t *at, const struct form *field)
{
	at = take_number(t, at, field);
	if (!at)
		return NULL;
	if (last(t) >= t->highest) {
		t->highest = last(t);
	} else if (t->disorder++ == DISORDER_MOST) {
		record_wrong(t, "is out of order, as %d before it", DISORDER_MOST);
		return NULL;
	}
	return at;
}

static const uint8_t *take_value(struct taking *t, const uint8_t *at)
{
	uint8_t type;
	const struct form *field;

	if (at == t->end)
		return NULL;
	type = *at++;
	if (type >= sizeof(letter_of_type) || !letter_of_type[type]) {
		record_wrong(t, "has a value of the unknown type %u", type);
		return NULL;
	}
	field = &form[(uint8_t)letter_of_type[type]];
	at = field->form == FIXED ? take_fixed(t, at, field) : take_number(t, at, field);
	if (at)
		t->record->value[t->record->values - 1].type = type;
	return at;
}

static const uint8_t *take_field(struct taking *t, const uint8_t *at, char letter)
{
	const struct form *field = &form[(uint8_t)letter];

	switch ((enum forms)field->form) {
	case FIXED:
		return take_fixed(t, at, field);
	case NUMBER:
		return take_number(t, at, field);
	case TEXT:
		return take_text(t, at);
	case VALUE:
		return take_value(t, at);
	case MAP:
		return take_map(t, at);
	default:
		return take_ordered(t, at, field);
	}
}

static const uint8_t *take_elements(struct taking *t, const uint8_t *at, const char *first,
				    const char *end)
{
	uint64_t count = last(t);

	if (!can_count(t, at, count, (size_t)(end - first)))
		return NULL;
	for (uint64_t i = 0; at && i < count; i++)
		for (const char *field = first; at && field < end; field++)
			at = take_field(t, at, *field);
	return at;
}

/* Older writers lack this field: a property value was always a string, which comes before it. */
static void add_missing(struct taking *t, const struct form *field)
{
	if (field->form == VALUE) {
		add(t, last(t), KIND_STRING);
		t->record->value[t->record->values - 1].type = OTF2_TYPE_STRING;
	} else {
		add(t, field->form == FIXED ? 0 : undefined(field), field->kind);
	}
}

const uint8_t *record_take(struct taking *t, const uint8_t *at)
{
	const char *field = t->record->row->fields;
	bool is_older = false;

	for (; at && *field; field++) {
		if (*field == '(') {
			const char *end = strchr(field, ')');

			at = take_elements(t, at, field + 1, end);
			field = end;
		} else if (*field == '?') {
			is_older = at == t->end;
		} else if (is_older) {
			add_missing(t, &form[(uint8_t)*field]);
		} else if (*field != '=' && *field != '!') {
			at = take_field(t, at, *field);
		}
	}
	if (!at)
		record_wrong(t, "is shorter than its fields");
	return at;
}
