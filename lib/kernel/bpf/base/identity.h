/* identity: how a record identifies a structure of the kernel. */
#pragma once

#include "kernel.h"

#include "load/bpf_cipher.h"

#include <bpf/bpf_helpers.h>

const volatile bool hides_addresses;
const volatile struct bpf_cipher cipher;

/* Not static, so that the verifier checks its rounds only once. */
__noinline uint64_t enciphered(uint64_t address)
{
	return bpf_encipher(&cipher, address);
}

/* Returns the address, or an id that replaces it; 0 for NULL. */
static __always_inline uint64_t identity_of(const void *structure)
{
	uint64_t address;

	if (!hides_addresses)
		return (uint64_t)structure;
	/* For the verifier, a pointer becomes a number only when it is read from memory. */
	if (bpf_probe_read_kernel(&address, sizeof(address), &structure) || !address)
		return 0;
	return enciphered(address);
}
