/*
 * bytes: a cursor over bytes from outside, with a sticky `bad` flag.
 *
 * Read all fields, then check `bad` once: after the first read beyond the end, it stays set and every read returns 0.
 * Values are in the byte order of the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at; /* lent */
	size_t left;
	bool bad;
};

static inline struct bytes bytes_of(const void *at, size_t size)
{
	struct bytes b = {(const uint8_t *)at, size, false};

	return b;
}

/* Returns the next `size` bytes and skips them, or NULL (and sets bad). */
static inline const void *bytes_take(struct bytes *b, size_t size)
{
	const uint8_t *at = b->at;

	if (b->bad || size > b->left) {
		b->bad = true;
		return NULL;
	}
	b->at += size;
	b->left -= size;
	return at;
}

static inline uint64_t bytes_uint(struct bytes *b, size_t size)
{
	const void *at = bytes_take(b, size);
	uint64_t v = 0;

	if (!at)
		return 0;
	if (size == 8) {
		memcpy(&v, at, 8);
	} else if (size == 4) {
		uint32_t x;

		memcpy(&x, at, 4);
		v = x;
	} else if (size == 2) {
		uint16_t x;

		memcpy(&x, at, 2);
		v = x;
	} else {
		v = *(const uint8_t *)at;
	}
	return v;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	return bytes_uint(b, 8);
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	return (uint32_t)bytes_uint(b, 4);
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	return (uint16_t)bytes_uint(b, 2);
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	return (uint8_t)bytes_uint(b, 1);
}
