// bytes: every width, the exact end, and the flag that stays.
#include <iotrace/bytes.h>

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace
{

TEST(Bytes, EveryWidth)
{
	struct __attribute__((packed)) {
		uint8_t a = 0x12;
		uint64_t b = 0x1122334455667788;
		uint16_t c = 0x3456;
		uint32_t d = 0x89abcdef;
	} in;
	struct bytes b = bytes_of(&in, sizeof(in));

	EXPECT_EQ(bytes_u8(&b), 0x12);
	EXPECT_EQ(bytes_u64(&b), 0x1122334455667788u);
	EXPECT_EQ(bytes_u16(&b), 0x3456);
	EXPECT_EQ(bytes_u32(&b), 0x89abcdefu);
	EXPECT_EQ(b.left, 0u);
	EXPECT_FALSE(b.bad);
}

TEST(Bytes, OneByteShortIsBadAndStaysBad)
{
	for (size_t size : {1u, 2u, 4u, 8u}) {
		uint8_t *in = new uint8_t[size];
		struct bytes b = bytes_of(in, size - 1);

		memset(in, 0xff, size);
		EXPECT_EQ(bytes_uint(&b, size), 0u);
		EXPECT_TRUE(b.bad);
		EXPECT_EQ(b.left, size - 1);
		/* What would fit is refused, too. */
		EXPECT_EQ(bytes_take(&b, 0), nullptr);
		EXPECT_EQ(bytes_u8(&b), 0);
		delete[] in;
	}
}

TEST(Bytes, TakeLendsAndSteps)
{
	const char in[] = "abcdef";
	struct bytes b = bytes_of(in, 6);

	EXPECT_EQ(bytes_take(&b, 2), in);
	EXPECT_EQ(bytes_take(&b, 4), in + 2);
	EXPECT_EQ(bytes_take(&b, 0), in + 6);
	EXPECT_FALSE(b.bad);
	EXPECT_EQ(bytes_take(&b, 1), nullptr);
	EXPECT_TRUE(b.bad);
}

TEST(Bytes, HugeSizesDoNotWrap)
{
	const char in[] = "abcdef";
	struct bytes b = bytes_of(in, 6);

	bytes_take(&b, 3);
	EXPECT_EQ(bytes_take(&b, SIZE_MAX), nullptr);
	EXPECT_TRUE(b.bad);
}

} // namespace
