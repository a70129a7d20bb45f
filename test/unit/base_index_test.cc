// index: what was added is found under its hash until it is removed, and a slot costs 8 bytes.
#include <iotrace/index.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace
{

class Index : public testing::Test
{
      protected:
	struct index index = {};

	void TearDown() override
	{
		index_release(&index);
	}
	std::multiset<uint32_t> all(uint64_t hash) const
	{
		std::multiset<uint32_t> found;
		uint32_t at;

		for (uint32_t id = index_first(&index, hash, &at); id != INDEX_NONE;
		     id = index_next(&index, hash, &at))
			found.insert(id);
		return found;
	}
};

TEST_F(Index, AllZeroIsEmpty)
{
	EXPECT_TRUE(all(0).empty());
	index_remove(&index, 0, 0);
	index_release(&index);
	EXPECT_EQ(index.count, 0u);
}

TEST_F(Index, FindsAllOfOneHash)
{
	for (uint32_t id : {7u, 0u, UINT32_MAX - 1})
		index_add(&index, UINT32_MAX, id);
	EXPECT_EQ(all(UINT32_MAX), (std::multiset<uint32_t>{0, 7, UINT32_MAX - 1}));
	index_remove(&index, UINT32_MAX, 7);
	index_remove(&index, UINT32_MAX, 8);
	EXPECT_EQ(all(UINT32_MAX), (std::multiset<uint32_t>{0, UINT32_MAX - 1}));
	EXPECT_TRUE(all(0).empty());
}

/* Hashes stand close together at both ends of the table, so that searches and gaps wrap around. */
TEST_F(Index, AgreesWithAMultimap)
{
	std::mt19937 random(5);
	std::multimap<uint64_t, uint32_t> model;

	for (uint32_t id = 0; id < 60000; id++) {
		uint64_t hash = (random() & 1 ? UINT32_MAX : 0) ^ (random() % 300);

		if (random() % 16 == 0)
			hash = random();
		if (random() % 2 || model.empty()) {
			index_add(&index, hash, id);
			model.emplace(hash, id);
		} else {
			auto victim = model.lower_bound(hash);

			if (victim == model.end())
				victim = model.begin();
			index_remove(&index, victim->first, victim->second);
			model.erase(victim);
		}
		ASSERT_EQ(index.count, model.size());
	}
	for (const auto &[hash, id] : model) {
		auto range = model.equal_range(hash);
		std::multiset<uint32_t> expected;

		for (auto i = range.first; i != range.second; i++)
			expected.insert(i->second);
		ASSERT_EQ(all(hash), expected);
	}
}

/* Between 10 and 15 bytes for an id, once there are many. */
TEST_F(Index, GrowsByHalves)
{
	std::mt19937 random(6);

	for (uint32_t id = 0; id < 200000; id++) {
		index_add(&index, random(), id);
		if (id > 1000)
			ASSERT_LE(index.slots * 8.0 / (id + 1), 15.1);
	}
}

} // namespace
