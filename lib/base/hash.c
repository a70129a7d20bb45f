/*
 * hash: SipHash with one round for each word and three at the end. This is enough for a table whose hashes nobody outside can
 * see.
 */
#include <iotrace/hash.h>

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void mix(struct state *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static inline void absorb(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s);
	s->v0 ^= word;
}

uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t length)
{
	struct state s = {
		.v0 = key.low ^ 0x736f6d6570736575U,
		.v1 = key.high ^ 0x646f72616e646f6dU,
		.v2 = key.low ^ 0x6c7967656e657261U,
		.v3 = key.high ^ 0x7465646279746573U,
	};
	const unsigned char *at = bytes;
	uint64_t last = (uint64_t)length << 56, word;
	size_t left = length;

	for (; left >= 8; at += 8, left -= 8) {
		memcpy(&word, at, 8);
		absorb(&s, le64toh(word));
	}
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)at[i] << 8 * i;
	absorb(&s, last);
	s.v2 ^= 0xff;
	mix(&s);
	mix(&s);
	mix(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

struct hash_key hash_key_of_process(void)
{
	/* 16 random bytes from execve(2). */
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct hash_key bytes = {0}, key;

	if (random)
		memcpy(&bytes, random, sizeof(bytes));
	/* The C library protects the stack with the same bytes, so they are not copied. */
	key.low = hash_bytes(bytes, "low", 3);
	key.high = hash_bytes(bytes, "high", 4);
	return key;
}
