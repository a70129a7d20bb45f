/*
 * top: the first few of many, in order.
 */
#include "collect/top.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace
{

bool is_larger(const void *context, uint32_t a, uint32_t b)
{
	const auto &weight = *static_cast<const std::vector<int> *>(context);

	return weight[a] != weight[b] ? weight[a] > weight[b] : a < b;
}

std::vector<uint32_t> best(const std::vector<int> &weight, uint32_t size)
{
	struct top top;

	top_init(&top, size, is_larger, &weight);
	for (uint32_t i = 0; i < weight.size(); i++)
		top_offer(&top, i);
	top_sort(&top);
	EXPECT_EQ(top.seen, weight.size());
	EXPECT_LE(top.cap, size + size / 2 + 64) << "it keeps no more than it was asked for";
	std::vector<uint32_t> ids(top.id, top.id + top.count);
	top_release(&top);
	return ids;
}

/* Against a sort of all, for lists that rise, fall, repeat and mix. */
TEST(Top, IsTheBeginningOfASortedList)
{
	for (int step : {0, 1, 3, 37, 62, 101}) {
		std::vector<int> weight;

		for (int i = 0; i < 103; i++)
			weight.push_back(i * step % 103);
		std::vector<uint32_t> all(weight.size());
		for (uint32_t i = 0; i < all.size(); i++)
			all[i] = i;
		std::sort(all.begin(), all.end(),
			  [&](uint32_t a, uint32_t b) { return is_larger(&weight, a, b); });
		for (uint32_t size : {0U, 1U, 2U, 3U, 10U, 102U, 103U, 500U}) {
			std::vector<uint32_t> expected = all;

			expected.resize(std::min<size_t>(size, all.size()));
			EXPECT_EQ(best(weight, size), expected) << step << " " << size;
		}
	}
}

} // namespace
