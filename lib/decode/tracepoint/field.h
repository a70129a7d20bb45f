/* field: the offset and size of a field in a sample, and its value. */
#pragma once

#include <iotrace/event.h>
#include <iotrace/sample.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum field_shape { FIELD_NONE, FIELD_NUMBER, FIELD_NUMBERS, FIELD_STRING, FIELD_ARGUMENTS };

struct field {
	uint16_t offset;
	uint16_t size;    /* 0: the format has no such field */
	uint16_t element; /* bytes of one element of an array, otherwise size */
	bool is_signed;
	bool is_dynamic; /* a u32 that refers to a string: length in the upper 16 bits, offset in the lower */
	bool is_relative; /* that offset counts from the end of the field */
};

static inline int64_t field_value_at(const uint8_t *at, uint32_t size, bool is_signed)
{
	uint64_t v64 = 0;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 8:
		memcpy(&v64, at, 8);
		return (int64_t)v64;
	case 4:
		memcpy(&v32, at, 4);
		return is_signed ? (int32_t)v32 : (int64_t)v32;
	case 2:
		memcpy(&v16, at, 2);
		return is_signed ? (int16_t)v16 : (int64_t)v16;
	case 1:
		return is_signed ? (int8_t)*at : (int64_t)*at;
	default:
		return 0;
	}
}

static inline int64_t field_value(const struct field *field, const uint8_t *raw)
{
	return field_value_at(raw + field->offset, field->size, field->is_signed);
}

/* Finds a field. Returns whether it is usable: it has the right shape and is inside the largest sample. */
struct tep_format_field;
bool field_init(struct field *field, enum field_shape shape, const struct tep_format_field *from);
/* Reads the arguments of a call from an array. Arguments beyond its end are 0. */
void field_arguments(const struct field *field, const uint8_t *raw, uint64_t value[EVENT_ARGS]);
/*
 * Returns whether the string is inside the sample; without a field, returns true and at is NULL. The size excludes the NUL.
 */
bool field_string(const struct field *field, const struct sample *sample,
		  struct event_string *string);
