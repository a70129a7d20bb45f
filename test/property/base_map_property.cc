// map: any sequence of operations does to it what it does to std::unordered_map.
#include <iotrace/map.h>

#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

namespace
{

/* Few keys make replacements and tombstones, many make the table grow. */
class MapProperty : public testing::TestWithParam<uint64_t>
{
};

void expect_same(const struct map &map, const std::unordered_map<uint64_t, uint32_t> &model)
{
	uint32_t used = 0;
	uint32_t deleted = 0;

	ASSERT_EQ(map.count, model.size());
	for (const auto &[key, value] : model)
		ASSERT_EQ(map_get(&map, key), value);
	for (uint32_t i = 0; i < map.capacity; i++) {
		used += map.entry[i].state == 1;
		deleted += map.entry[i].state == 2;
	}
	ASSERT_EQ(used, map.count);
	ASSERT_EQ(used + deleted, map.filled);
}

TEST_P(MapProperty, AgreesWithUnorderedMap)
{
	std::mt19937_64 random(GetParam());
	std::unordered_map<uint64_t, uint32_t> model;
	struct map map;

	map_init(&map);
	for (int i = 0; i < 60000; i++) {
		/* Sometimes mostly insert, sometimes mostly remove. */
		bool is_filling = i / 5000 % 2 == 0;
		uint64_t key = random() % GetParam() * UINT64_C(0x9e3779b97f4a7c15);
		auto known = model.find(key);
		uint32_t want = known == model.end() ? MAP_NONE : known->second;

		switch (random() % 4) {
		case 0:
			ASSERT_EQ(map_get(&map, key), want);
			break;
		case 1:
			ASSERT_EQ(map_remove(&map, key), want);
			model.erase(key);
			break;
		default:
			if (is_filling) {
				auto value = static_cast<uint32_t>(random() % MAP_NONE);

				map_set(&map, key, value);
				model[key] = value;
			} else {
				ASSERT_EQ(map_remove(&map, key), want);
				model.erase(key);
			}
		}
		if (i % 2500 == 0)
			expect_same(map, model);
		if (random() % 20000 == 0) {
			map_clear(&map);
			model.clear();
		}
	}
	expect_same(map, model);
	map_release(&map);
}

INSTANTIATE_TEST_SUITE_P(Keys, MapProperty,
			 testing::Values(3, 12, 13, 100, 1000, 20000, UINT64_MAX),
			 [](const auto &info) {
				 return info.param == UINT64_MAX
						? "Any"
						: "Below" + std::to_string(info.param);
			 });

double seconds_to_set(uint64_t factor, uint64_t repeat)
{
	struct map map = {};
	clock_t start = clock();

	for (uint32_t i = 0; i < 40000; i++)
		map_set(&map, (i | i * repeat) * factor, i);
	EXPECT_EQ(map.count, 40000u);
	map_release(&map);
	return static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
}

/* All of the chosen keys had one hash where the hash was the same in each run. */
TEST(MapProperty, NobodyCanChooseKeysOfEqualHash)
{
	const uint64_t chosen = UINT64_C(0xcfee444d8b59a89b);

	seconds_to_set(1, 0);
	EXPECT_LT(seconds_to_set(chosen, UINT64_C(1) << 32), 0.1 + 20 * seconds_to_set(1, 0));
}

} // namespace
