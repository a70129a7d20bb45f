/*
 * otf2_bytes: marks and numbers in an OTF2 file.
 *
 * A number is a byte with its size, and then its bytes without leading zeros.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Marks inside a file. */
enum {
	MARK_END_OF_CHUNK = 0, /* the rest of the chunk is empty */
	MARK_END_OF_BUFFER = 1,
	MARK_END_OF_FILE = 2,
	MARK_CHUNK_HEADER = 3,
	MARK_TIME = 5,
	MARK_ATTRIBUTES = 6,
	MARK_BIG_ENDIAN = 0x23,
	MARK_LITTLE_ENDIAN = 0x42,
};

/* Maximum sizes of parts of a record. A chunk ends where a record might not fit, even if it turns out to be short. */
enum {
	MOST_U8 = 1,
	MOST_U32 = 5,
	MOST_U64 = 9,
	MOST_TIME = 9,
	MOST_ATTRIBUTE = MOST_U32 + MOST_U8 + MOST_U64,
	LENGTH_LONG = 255, /* this length means that a length of 8 bytes follows */
};

enum {
	PUT_BEYOND = 8
}; /* maximum number of bytes after its end that writing a number may change */

/* All return the position of the next byte. */
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

/* Writes the lowest `size` bytes in the order of this machine. */
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
	if (value == UINT64_MAX) /* "undefined" has a short form */
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
