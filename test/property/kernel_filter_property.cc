// filter: whatever the set of numbers, membership is what the expression says.
#include "perf/filter.h"

#include "filter_eval.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace
{

TEST(FilterProperty, ExpressionIsMembership)
{
	std::mt19937 random(1);

	for (int round = 0; round < 300; round++) {
		int span = 1 + int(random() % 40);
		std::set<int> members;
		std::vector<int> numbers;

		for (uint32_t i = 0, n = 1 + random() % 30; i < n; i++)
			members.insert(int(random()) % span);
		numbers.assign(members.begin(), members.end());
		std::shuffle(numbers.begin(), numbers.end(), random);
		std::unique_ptr<char, decltype(&free)> text(filter_numbers(numbers.data(),
									   uint32_t(numbers.size()),
									   random() % 5),
							    free);
		for (int number = -span; number <= span; number++)
			ASSERT_EQ(filter_eval(text.get(), number, 0), members.count(number) == 1)
				<< number << ": " << text.get();
	}
}

} // namespace
