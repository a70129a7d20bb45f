/*
 * hash: hashes of values from outside, which nobody outside can predict.
 *
 * Otherwise somebody could choose file names or request addresses with equal hashes, and make each search as long
 * as the table. The secret belongs to the process (AT_RANDOM), so hashes differ from run to run. No output may
 * depend on them, or on the order of slots in a table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t low, high;
};

/* Returns the secret of this process. It is the same for the whole life of the process. */
struct hash_key hash_key_of_process(void);
/* Returns SipHash-1-3 of the bytes (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). */
uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t length);
