/*
 * bpf_cipher: replaces kernel addresses of requests by ids, for users who may not see kernel addresses.
 *
 * Speck64/128 (Beaulieu et al., 2013) with a random key for each recording. The same address always gives the same id, and no two
 * addresses share one. Known pairs reveal nothing about other addresses. Plain C, for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

enum { BPF_CIPHER_ROUNDS = 27, BPF_CIPHER_KEY = 4 };

struct bpf_cipher {
	uint32_t round[BPF_CIPHER_ROUNDS];
};

static inline uint32_t bpf_cipher_right(uint32_t word, int bits)
{
	return word >> bits | word << (32 - bits);
}

static inline uint64_t bpf_encipher(const volatile struct bpf_cipher *cipher, uint64_t address)
{
	uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;

	for (int i = 0; i < BPF_CIPHER_ROUNDS; i++) {
		high = (bpf_cipher_right(high, 8) + low) ^ cipher->round[i];
		low = bpf_cipher_right(low, 29) ^ high;
	}
	return (uint64_t)high << 32 | low;
}

/* The first word of the key is the lowest. */
static inline void bpf_cipher_init(struct bpf_cipher *cipher, const uint32_t key[BPF_CIPHER_KEY])
{
	uint32_t next[BPF_CIPHER_KEY - 1] = {key[1], key[2], key[3]};

	cipher->round[0] = key[0];
	for (uint32_t i = 0; i + 1 < BPF_CIPHER_ROUNDS; i++) {
		uint32_t *word = &next[i % (BPF_CIPHER_KEY - 1)];

		*word = (cipher->round[i] + bpf_cipher_right(*word, 8)) ^ i;
		cipher->round[i + 1] = bpf_cipher_right(cipher->round[i], 29) ^ *word;
	}
}
