#include "field.h"

#include <string.h>
#include <traceevent/event-parse.h>

enum { RAW_MAX = 65536 };

void field_arguments(const struct field *field, const uint8_t *raw, uint64_t value[EVENT_ARGS])
{
	const uint8_t *at = raw + field->offset;
	uint32_t count = field->size / field->element;

	if (field->element == sizeof(*value) && count == EVENT_ARGS) {
		memcpy(value, at, EVENT_ARGS * sizeof(*value));
		return;
	}
	for (uint32_t i = 0; i < EVENT_ARGS; i++, at += field->element)
		value[i] = i < count
				   ? (uint64_t)field_value_at(at, field->element, field->is_signed)
				   : 0;
}

bool field_string(const struct field *field, const struct sample *sample,
		  struct event_string *string)
{
	uint32_t offset = field->offset, length = field->size;

	*string = (struct event_string){NULL, 0};
	if (!field->size)
		return true;
	if (field->is_dynamic) {
		uint32_t where;

		memcpy(&where, sample->raw + field->offset, sizeof(where));
		offset = (where & UINT16_MAX) + (field->is_relative ? field->offset + 4U : 0);
		length = where >> 16;
	}
	if (offset > sample->raw_size || length > sample->raw_size - offset)
		return false;
	string->at = (const char *)sample->raw + offset;
	string->length = (uint32_t)strnlen(string->at, length);
	return true;
}

static bool is_plain_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Returns whether the field has the wanted shape. */
static bool has_shape(const struct field *field, enum field_shape shape, unsigned long flags)
{
	switch (shape) {
	case FIELD_NUMBER:
		return !(flags & TEP_FIELD_IS_ARRAY) && is_plain_size(field->size);
	case FIELD_NUMBERS:
		/* Only an array inside the sample itself has elements. */
		return is_plain_size(field->element) && field->size % field->element == 0;
	case FIELD_STRING:
		return (flags & TEP_FIELD_IS_STRING) && (!field->is_dynamic || field->size == 4);
	default:
		return false;
	}
}

bool field_init(struct field *field, enum field_shape shape, const struct tep_format_field *from)
{
	long end = (long)from->offset + from->size;

	if (from->offset < 0 || from->size <= 0 || end >= RAW_MAX)
		return false;
	*field = (struct field){
		.offset = (uint16_t)from->offset,
		.size = (uint16_t)from->size,
		.element = (uint16_t)(from->arraylen ? (unsigned int)from->size / from->arraylen
						     : 0),
		.is_signed = from->flags & TEP_FIELD_IS_SIGNED,
		.is_dynamic = from->flags & TEP_FIELD_IS_DYNAMIC,
		.is_relative = from->flags & TEP_FIELD_IS_RELATIVE,
	};
	return has_shape(field, shape, from->flags);
}
