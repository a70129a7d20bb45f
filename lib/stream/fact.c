/*
 * fact: the rows of fact.def as a table, and the encoding of one fact.
 *
 * A fact contains its number of numbers and of strings, so readers and writers of different versions understand each other:
 * missing fields are 0 or "", and additional fields are skipped.
 */
#include <iotrace/bytes.h>
#include <iotrace/fact.h>

#include <errno.h>

struct row {
	const char *name;
	const char *numbers; /* with a blank before each name */
	uint32_t number_count, string_count;
};

/* clang-format off */
static const struct row rows[FACT_KINDS] = {
#define FACT(kind) [FACT_##kind] = {#kind, ""
#define NUMBER(kind, field) " " #field
#define STRING(kind, field)
#define FACT_SAYS(kind, sentence) , FACT_##kind##_NUMBERS, FACT_##kind##_STRINGS},
#include <iotrace/fact.def>
#undef FACT
#undef NUMBER
#undef STRING
#undef FACT_SAYS
};

static const char *const strings_of[FACT_KINDS] = {
#define FACT(kind) [FACT_##kind] = ""
#define NUMBER(kind, field)
#define STRING(kind, field) " " #field
#define FACT_SAYS(kind, sentence) ,
#include <iotrace/fact.def>
#undef FACT
#undef NUMBER
#undef STRING
#undef FACT_SAYS
};
/* clang-format on */

enum { FACT_HEADER = 8 };

_Static_assert(FACT_HEADER + FACT_NUMBERS * 8 + FACT_STRINGS * (2 + FACT_STRING_SIZE) <=
		       FACT_SIZE_MAX,
	       "the largest fact fits FACT_SIZE_MAX, and with it a record");

static const struct row *row_of(uint32_t kind)
{
	return kind > FACT_NONE && kind < FACT_KINDS ? &rows[kind] : NULL;
}

const char *fact_name(uint32_t kind)
{
	const struct row *row = row_of(kind);

	return row ? row->name : NULL;
}

static const char *without_blank(const char *names)
{
	return names + (*names == ' ');
}

const char *fact_number_names(uint32_t kind)
{
	const struct row *row = row_of(kind);

	return row ? without_blank(row->numbers) : "";
}

const char *fact_string_names(uint32_t kind)
{
	const struct row *row = row_of(kind);

	return row ? without_blank(strings_of[kind]) : "";
}

/* Returns the encoded size, or 0 if a string is too long. */
static size_t size_of(const struct fact *fact, uint32_t numbers, uint32_t strings)
{
	size_t size = FACT_HEADER + numbers * sizeof(uint64_t);

	for (uint32_t i = 0; i < strings; i++) {
		if (fact->string[i].length > FACT_STRING_SIZE)
			return 0;
		size += sizeof(uint16_t) + fact->string[i].length;
	}
	return size;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
	if (size)
		memcpy(at, bytes, size);
	return at + size;
}

size_t fact_encode(const struct fact *fact, void *out, size_t size)
{
	const struct row *row = row_of(fact->kind);
	uint32_t kind = fact->kind;
	uint16_t numbers, strings;
	uint8_t *at = out;
	size_t needed;

	if (!row)
		return 0;
	numbers = (uint16_t)row->number_count;
	strings = (uint16_t)row->string_count;
	needed = size_of(fact, numbers, strings);
	if (!needed || needed > size)
		return 0;
	at = put(at, &kind, sizeof(kind));
	at = put(at, &numbers, sizeof(numbers));
	at = put(at, &strings, sizeof(strings));
	at = put(at, fact->number, numbers * sizeof(uint64_t));
	for (uint16_t i = 0; i < strings; i++) {
		uint16_t length = (uint16_t)fact->string[i].length;

		at = put(at, &length, sizeof(length));
		at = put(at, fact->string[i].at, length);
	}
	return needed;
}

static void decode_numbers(struct bytes *b, struct fact *fact, uint32_t count)
{
	for (uint32_t i = 0; i < FACT_NUMBERS; i++)
		fact->number[i] = i < count ? bytes_u64(b) : 0;
	if (count > FACT_NUMBERS)
		bytes_take(b, (count - FACT_NUMBERS) * sizeof(uint64_t));
}

static void decode_strings(struct bytes *b, struct fact *fact, uint32_t count)
{
	for (uint32_t i = 0; i < FACT_STRINGS; i++)
		fact->string[i] = (struct fact_string){"", 0};
	for (uint32_t i = 0; i < count && !b->bad; i++) {
		uint16_t length = bytes_u16(b);
		const char *at = bytes_take(b, length);

		if (length > FACT_STRING_SIZE)
			b->bad = true;
		if (at && i < FACT_STRINGS)
			fact->string[i] = (struct fact_string){at, length};
	}
}

int fact_decode(struct fact *fact, const void *in, size_t size)
{
	struct bytes b = bytes_of(in, size);
	uint32_t kind = bytes_u32(&b);
	uint16_t numbers = bytes_u16(&b);
	uint16_t strings = bytes_u16(&b);

	fact->kind = row_of(kind) ? (enum fact_kind)kind : FACT_NONE;
	decode_numbers(&b, fact, numbers);
	decode_strings(&b, fact, strings);
	if (b.bad)
		return -EBADMSG;
	return fact->kind == FACT_NONE ? -ENOENT : 0;
}
