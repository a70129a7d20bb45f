/* otf2_attribute: the kinds of records, and the list of attributes that may come before one. */
#pragma once

#include "otf2.h"
#include "otf2_bytes.h"

enum record_type {
	RECORD_ENTER = 12,
	RECORD_LEAVE = 13,
	RECORD_METRIC = 31,
	RECORD_PARAMETER_STRING = 32,
	RECORD_THREAD_BEGIN = 63,
	RECORD_THREAD_END = 65,
	RECORD_CREATE_HANDLE = 69,
	RECORD_DESTROY_HANDLE = 70,
	RECORD_DUPLICATE_HANDLE = 71,
	RECORD_SEEK = 72,
	RECORD_CHANGE_STATUS_FLAGS = 73,
	RECORD_DELETE_FILE = 74,
	RECORD_OP_BEGIN = 75,
	RECORD_OP_ISSUED = 77,
	RECORD_OP_COMPLETE = 78,
	RECORD_OP_CANCELLED = 79,
	RECORD_ACQUIRE_LOCK = 80,
	RECORD_RELEASE_LOCK = 81,
	RECORD_TRY_LOCK = 82,
	RECORD_PROGRAM_BEGIN = 83,
	RECORD_PROGRAM_END = 84,
};

/* The attributes of a record. */
struct attributes {
	uint32_t count;
	struct attribute_value {
		uint8_t id; /* enum attribute */
		OTF2_Type type;
		uint64_t value;
	} of[8];
};

static inline void attribute_u64(struct attributes *list, uint8_t id, uint64_t value)
{
	list->of[list->count++] = (struct attribute_value){id, OTF2_TYPE_UINT64, value};
}

/* An int32 has the same bytes as the uint32. */
static inline void attribute_i32(struct attributes *list, uint8_t id, int32_t value)
{
	list->of[list->count++] = (struct attribute_value){id, OTF2_TYPE_INT32, (uint32_t)value};
}

/* A reference to a definition, such as a string or a file. */
static inline void attribute_ref(struct attributes *list, uint8_t id, OTF2_Type type, uint32_t ref)
{
	list->of[list->count++] = (struct attribute_value){id, type, widen(ref)};
}

/* Returns the maximum size of the list. */
static inline uint32_t attributes_most(const struct attributes *list)
{
	return list->count ? 2 + MOST_U32 + list->count * MOST_ATTRIBUTE : 0;
}

static inline uint8_t *put_attributes(uint8_t *at, const struct attributes *list)
{
	uint8_t *data = at + 2;

	if (!list->count)
		return at;
	at[0] = MARK_ATTRIBUTES;
	at = put_u32(data, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		at = put_u32(at, list->of[i].id);
		at = put_u8(at, list->of[i].type);
		at = put_u64(at, list->of[i].value);
	}
	data[-1] = (uint8_t)(at - data);
	return at;
}
