// hash: SipHash-1-3 as others compute it, and a secret.
#include <iotrace/hash.h>

#include <numeric>
#include <string>

#include <gtest/gtest.h>

namespace
{

/* What CPython 3.11 says with PYTHONHASHSEED=0, which is SipHash-1-3 with a key of zeros. */
TEST(Hash, AgreesWithAnotherImplementation)
{
	const struct hash_key zero = {};
	std::string all(32, '\0');

	std::iota(all.begin(), all.end(), '\0');
	EXPECT_EQ(hash_bytes(zero, "a", 1), 0x407448d2b89b1813u);
	EXPECT_EQ(hash_bytes(zero, "abcdefg", 7), 0x6db12aae9070f506u);
	EXPECT_EQ(hash_bytes(zero, "abcdefgh", 8), 0x3f7b849c0b8e35eau);
	EXPECT_EQ(hash_bytes(zero, "abcdefghi", 9), 0xf89b34a3d11eb6e5u);
	EXPECT_EQ(hash_bytes(zero, all.data(), all.size()), 0x31ef8061c910629bu);
}

TEST(Hash, EachBitOfTheKeyCounts)
{
	const uint64_t plain = hash_bytes({}, "name", 4);

	for (int bit = 0; bit < 64; bit++) {
		EXPECT_NE(hash_bytes({UINT64_C(1) << bit, 0}, "name", 4), plain);
		EXPECT_NE(hash_bytes({0, UINT64_C(1) << bit}, "name", 4), plain);
	}
}

TEST(Hash, TheSecretIsOneAndIsNotZero)
{
	const struct hash_key key = hash_key_of_process(), again = hash_key_of_process();

	EXPECT_EQ(key.low, again.low);
	EXPECT_EQ(key.high, again.high);
	EXPECT_NE(key.low, 0u);
	EXPECT_NE(key.high, key.low);
}

} // namespace
