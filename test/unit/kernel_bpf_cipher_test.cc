/*
 * The cipher that makes ids of addresses: the example of its authors, and what ids have to be.
 */
#include "load/bpf_cipher.h"

#include <gtest/gtest.h>
#include <set>

namespace
{

bpf_cipher cipher_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t key[BPF_CIPHER_KEY] = {a, b, c, d};
	bpf_cipher cipher;

	bpf_cipher_init(&cipher, key);
	return cipher;
}

} // namespace

TEST(BpfCipher, TheExampleOfItsAuthors)
{
	bpf_cipher cipher = cipher_of(0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918);

	EXPECT_EQ(bpf_encipher(&cipher, 0x3b7265747475432d), 0x8c6fa548454e028bU);
}

TEST(BpfCipher, AddressesHaveIdsOfTheirOwnInEachRecording)
{
	bpf_cipher one = cipher_of(1, 2, 3, 4), other = cipher_of(1, 2, 3, 5);
	std::set<uint64_t> ids;

	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t address = 0xffff888100000000 + i * 256;

		ids.insert(bpf_encipher(&one, address));
		EXPECT_EQ(bpf_encipher(&one, address), bpf_encipher(&one, address));
		EXPECT_NE(bpf_encipher(&one, address), bpf_encipher(&other, address));
	}
	EXPECT_EQ(ids.size(), 10000U);
}
