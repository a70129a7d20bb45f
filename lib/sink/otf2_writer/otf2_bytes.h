/*
 * otf2_bytes: marks and numbers in an OTF2 file.
 *
 * A number is a byte that says how many bytes follow, and those, without leading zeros.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Marks inside of a file. */
enum {
	MARK_END_OF_CHUNK = 0, /* up to where the next one begins */
	MARK_END_OF_BUFFER = 1,
	MARK_END_OF_FILE = 2,
	MARK_CHUNK_HEADER = 3,
	MARK_TIME = 5,
	MARK_ATTRIBUTES = 6,
	MARK_BIG_ENDIAN = 0x23,
	MARK_LITTLE_ENDIAN = 0x42,
};

/* What parts of a record take at most. A chunk ends where a record might not fit, however short it turns out to be. */
enum {
	MOST_U8 = 1,
	MOST_U32 = 5,
	MOST_U64 = 9,
	MOST_TIME = 9,
	MOST_ATTRIBUTE = MOST_U32 + MOST_U8 + MOST_U64,
	LENGTH_LONG = 255, /* data that may be so long has a length of 8 bytes behind this one */
};

enum { PUT_BEYOND = 8 }; /* a number may write so much behind its end */

/* All return where the next byte goes. */
static inline uint8_t *put_u8(uint8_t *at, uint8_t value)
{
	*at = value;
	return at + 1;
}

static inline uint8_t *put_fixed(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

enum { HEAD_SIZE = 2 * 1 + 2 * 8, LAST_EVENT_AT = 10 };

/* The header of a chunk has the numbers of its first and of its last event. */
static inline uint8_t *put_head(uint8_t *at, uint64_t first, uint64_t last)
{
	at = put_u8(at, MARK_CHUNK_HEADER);
	at = put_u8(at, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? MARK_LITTLE_ENDIAN
								  : MARK_BIG_ENDIAN);
	return put_fixed(put_fixed(at, first), last);
}

/* The lowest `size` bytes, in the machine's order. */
static inline uint8_t *put_bytes(uint8_t *at, uint64_t value, uint32_t size)
{
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && size)
		value <<= 64 - 8 * size;
	*at = (uint8_t)size;
	memcpy(at + 1, &value, sizeof(value));
	return at + 1 + size;
}

static inline uint32_t bytes_of_number(uint64_t value)
{
	return value ? (71 - (uint32_t)__builtin_clzll(value)) / 8 : 0;
}

static inline uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	if (value == UINT64_MAX) /* "undefined" is short */
		return put_u8(at, UINT8_MAX);
	return put_bytes(at, value, bytes_of_number(value));
}

static inline uint64_t widen(uint32_t value)
{
	return value == UINT32_MAX ? UINT64_MAX : value;
}

static inline uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	return put_u64(at, widen(value));
}

static inline uint8_t *put_i64(uint8_t *at, int64_t value)
{
	return put_bytes(at, (uint64_t)value, bytes_of_number((uint64_t)value));
}
