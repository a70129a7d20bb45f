// mem: sizes of nothing, growth, zeroing, and the end of the program when memory runs out.
#include <iotrace/mem.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

namespace
{

TEST(Mem, NothingIsNotNull)
{
	void *all[] = {mem_alloc(0),           mem_zero(0),        mem_array(0, 8), mem_array(8, 0),
		       mem_resize(nullptr, 0), mem_dup(nullptr, 0)};

	for (void *one : all) {
		EXPECT_NE(one, nullptr);
		free(one);
	}
}

TEST(Mem, ZeroAndArrayAreZeroed)
{
	for (int round = 0; round < 2; round++) {
		auto *bytes = static_cast<unsigned char *>(round ? mem_zero(300)
								 : mem_array(100, 3));

		for (int i = 0; i < 300; i++)
			ASSERT_EQ(bytes[i], 0);
		memset(bytes, 0xaa, 300);
		free(bytes);
	}
}

TEST(Mem, Copies)
{
	char *text = mem_strdup("hello");
	auto *bytes = static_cast<char *>(mem_dup("a\0b", 3));
	char *formatted = mem_format("%s-%d", "x", 7);

	EXPECT_STREQ(text, "hello");
	EXPECT_EQ(memcmp(bytes, "a\0b", 3), 0);
	EXPECT_STREQ(formatted, "x-7");
	free(text);
	free(bytes);
	free(formatted);
}

TEST(Mem, ResizeKeepsTheBytes)
{
	auto *bytes = static_cast<char *>(mem_alloc(4));

	memcpy(bytes, "abc", 4);
	bytes = static_cast<char *>(mem_resize(bytes, 100000));
	EXPECT_STREQ(bytes, "abc");
	free(bytes);
}

TEST(Mem, GrowZeroesWhatIsNew)
{
	uint64_t *array = nullptr;
	uint32_t capacity = 0;
	uint32_t changes = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		uint32_t before = capacity;

		MEM_GROW(array, capacity, i + 1);
		ASSERT_GT(capacity, i);
		changes += capacity != before;
		ASSERT_EQ(array[i], 0u);
		array[i] = ~UINT64_C(0);
	}
	for (uint32_t i = 10000; i < capacity; i++)
		ASSERT_EQ(array[i], 0u);
	EXPECT_LT(changes, 24u);
	EXPECT_LE(capacity, 15001u);
	free(array);
}

TEST(Mem, GrowGivesAtLeastWhatIsWanted)
{
	char *array = nullptr;
	uint32_t capacity = 0;

	MEM_GROW(array, capacity, 1000);
	EXPECT_GE(capacity, 1000u);
	array[999] = 'x';
	MEM_GROW(array, capacity, 10);
	EXPECT_EQ(array[999], 'x');
	free(array);
}

TEST(Mem, GrowLeavesWhatIsLargeEnough)
{
	char *array = nullptr;
	uint32_t capacity = 0;

	array = static_cast<char *>(mem_grow(array, &capacity, 100, 1));
	uint32_t before = capacity;

	array[0] = 'x';
	EXPECT_EQ(mem_grow(array, &capacity, before, 1), array);
	EXPECT_EQ(capacity, before);
	free(array);
}

TEST(Mem, GrowAtTheLimitDoesNotWrap)
{
	uint32_t capacity = UINT32_MAX / 4 * 3;
	char *same = nullptr;

	/* By halves it would be more than 32 bits. An element size of 0 takes no memory. */
	same = static_cast<char *>(mem_grow(same, &capacity, capacity + 1, 0));
	EXPECT_EQ(capacity, UINT32_MAX);
	free(same);
}

TEST(Mem, AppendTakesTheTextAsItGrows)
{
	char *text = mem_strdup("");

	mem_append(&text, "%s", "");
	EXPECT_STREQ(text, "");
	for (int i = 0; i < 3; i++)
		mem_append(&text, "%s%d", *text ? ", " : "", i);
	EXPECT_STREQ(text, "0, 1, 2");
	free(text);
}

TEST(MemDeath, OutOfMemoryEndsWithTheStatusOfAFailure)
{
	/* Out of the compiler's sight, which would warn of these sizes. */
	volatile size_t huge = SIZE_MAX / 2;
	uint32_t capacity = 0;

	EXPECT_EXIT(mem_array(huge, 3), testing::ExitedWithCode(125), "iotrace: out of memory");
	EXPECT_EXIT(mem_grow(nullptr, &capacity, UINT32_MAX, huge), testing::ExitedWithCode(125),
		    "iotrace: out of memory");
}

} // namespace
