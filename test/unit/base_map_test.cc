// map: what each function promises, and that churn leaves no rubbish behind.
#include <iotrace/map.h>

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace
{

class Map : public testing::Test
{
      protected:
	struct map map = {};

	void TearDown() override
	{
		map_release(&map);
	}
};

TEST_F(Map, AllZeroIsEmpty)
{
	EXPECT_EQ(map_get(&map, 0), MAP_NONE);
	EXPECT_EQ(map_remove(&map, 0), MAP_NONE);
	map_clear(&map);
	map_release(&map);
	EXPECT_EQ(map.count, 0u);
}

TEST_F(Map, SetGetReplaceRemove)
{
	map_set(&map, 7, 1);
	EXPECT_EQ(map_get(&map, 7), 1u);
	map_set(&map, 7, 2);
	EXPECT_EQ(map_get(&map, 7), 2u);
	EXPECT_EQ(map.count, 1u);
	EXPECT_EQ(map_remove(&map, 7), 2u);
	EXPECT_EQ(map_get(&map, 7), MAP_NONE);
	EXPECT_EQ(map_remove(&map, 7), MAP_NONE);
	EXPECT_EQ(map.count, 0u);
}

TEST_F(Map, EveryKeyIsAKey)
{
	const uint64_t keys[] = {0,         1, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32,
				 UINT32_MAX};
	uint32_t value = 0;

	for (uint64_t key : keys)
		map_set(&map, key, value++);
	value = 0;
	for (uint64_t key : keys)
		EXPECT_EQ(map_get(&map, key), value++);
}

TEST_F(Map, HalvesOfAKeyDoNotMix)
{
	for (uint32_t high = 0; high < 64; high++)
		for (uint32_t low = 0; low < 64; low++)
			map_set(&map, map_key(high, low), high * 64 + low);
	for (uint32_t high = 0; high < 64; high++)
		for (uint32_t low = 0; low < 64; low++)
			ASSERT_EQ(map_get(&map, map_key(high, low)), high * 64 + low);
	EXPECT_EQ(map.count, 64u * 64);
}

TEST_F(Map, ClearKeepsTheMemory)
{
	for (uint32_t i = 0; i < 1000; i++)
		map_set(&map, i, i);
	uint32_t capacity = map.capacity;

	map_clear(&map);
	EXPECT_EQ(map.capacity, capacity);
	EXPECT_EQ(map.count, 0u);
	for (uint32_t i = 0; i < 1000; i++)
		ASSERT_EQ(map_get(&map, i), MAP_NONE);
	map_set(&map, 5, 6);
	EXPECT_EQ(map_get(&map, 5), 6u);
}

TEST_F(Map, ChurnDoesNotGrow)
{
	for (uint64_t i = 0; i < 100000; i++) {
		map_set(&map, i, static_cast<uint32_t>(i));
		if (i >= 10) {
			ASSERT_EQ(map_remove(&map, i - 10), i - 10);
		}
	}
	EXPECT_EQ(map.count, 10u);
	EXPECT_LE(map.capacity, 64u);
}

/* Just below the limit of its capacity, deleted entries must neither make it grow nor be swept all the time. */
TEST_F(Map, ChurnOfManyIsSweptNowAndThen)
{
	for (uint64_t live : {300u, 500u, 700u, 760u, 767u}) {
		const struct map_entry *before = nullptr;
		int moves = 0;

		map_release(&map);
		for (uint64_t i = 0; i < 50000; i++) {
			map_set(&map, i, 1);
			if (i >= live) {
				map_remove(&map, i - live);
			}
			moves += map.entry != before;
			before = map.entry;
		}
		EXPECT_LE(map.capacity, 2048u) << live;
		EXPECT_LT(moves, 300) << live;
	}
}

TEST_F(Map, RemovingAllLeavesNoRubbish)
{
	for (uint64_t i = 0; i < 1000; i++)
		map_set(&map, i, 1);
	for (uint64_t i = 0; i < 1000; i++)
		map_remove(&map, i);
	EXPECT_EQ(map.count, 0u);
	EXPECT_EQ(map.filled, 0u);
}

TEST_F(Map, AQuarterIsAlwaysFree)
{
	for (uint32_t i = 0; i < 10000; i++) {
		map_set(&map, i * UINT64_C(0x100000001), i);
		ASSERT_LE(map.filled, map.capacity / 4 * 3 + 0u);
		ASSERT_EQ(map.capacity & (map.capacity - 1), 0u);
	}
	EXPECT_LE(map.capacity, 32768u);
}

/* Sequential ids in either half, and sectors (multiples of a power of two), must not pile up. */
TEST_F(Map, CommonKeysSpread)
{
	const uint64_t steps[] = {
		1, 8, 4096, UINT64_C(1) << 20, UINT64_C(1) << 32, UINT64_C(0x100000001)};

	for (uint64_t step : steps) {
		uint64_t longest = 0;
		uint64_t run = 0;

		map_clear(&map);
		for (uint32_t i = 0; i < 30000; i++)
			map_set(&map, i * step, i);
		for (uint32_t i = 0; i < map.capacity; i++) {
			run = map.entry[i].state ? run + 1 : 0;
			longest = std::max(longest, run);
		}
		EXPECT_LT(longest, 200u) << step;
	}
}

} // namespace
