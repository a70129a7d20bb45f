// filter: the expression is true for exactly the chosen calls, and the two kinds of exits share none.
#include "perf/filter.h"

#include "filter_eval.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace
{

using Text = std::unique_ptr<char, decltype(&free)>;

Text of(const std::vector<int> &numbers, uint32_t hot)
{
	return {filter_numbers(numbers.data(), uint32_t(numbers.size()), hot), free};
}

TEST(Filter, NothingIsNoFilter)
{
	EXPECT_EQ(filter_numbers(nullptr, 0, 0), nullptr);
}

TEST(Filter, HotNumbersComeFirstInTheirOrder)
{
	EXPECT_STREQ(of({17, 0, 5}, 2).get(), "id==17||id==0||id==5");
}

TEST(Filter, NeighboursAreOneRange)
{
	EXPECT_STREQ(of({5, 3, 4}, 0).get(), "(id>=3&&id<=5)");
	EXPECT_STREQ(of({3, 3}, 0).get(), "id==3");
}

TEST(Filter, OthersAreFoundByHalving)
{
	EXPECT_STREQ(of({1, 9}, 0).get(), "((id<9&&id==1)||(id>=9&&id==9))");
}

TEST(Filter, WhatLiesBelowATreeIsRefusedAtOnce)
{
	EXPECT_EQ(std::string(of({5, 20, 40, 60}, 1).get()).substr(0, 16), "id==5||(id>=20&&");
}

TEST(Filter, MoreHotOnesThanNumbers)
{
	EXPECT_STREQ(of({1, 9}, 7).get(), "id==1||id==9");
}

class FilterCalls : public testing::TestWithParam<uint32_t>
{
};

bool wanted(const struct call_row *row, uint32_t groups)
{
	return row->group == GROUP_OPEN || row->group == GROUP_TASK || (groups >> row->group & 1);
}

TEST_P(FilterCalls, EachChosenEnterIsInOneOfTheTwo)
{
	Text text(filter_calls(FILTER_ENTER, GetParam()), free);
	Text paths(filter_calls(FILTER_PATH, GetParam()), free);

	ASSERT_LE(strlen(text.get()), size_t(FILTER_SIZE));
	for (int number = 0; number < 600; number++) {
		call_id id = call_by_number(number);
		bool expected = id != CALL_ID_NONE && wanted(call_row(id), GetParam());

		int in = filter_eval(text.get(), number, 0) +
			 (paths ? filter_eval(paths.get(), number, 0) : 0);

		EXPECT_EQ(in, expected) << number << ": " << text.get();
	}
}

TEST_P(FilterCalls, EachChosenExitIsInOneOfTheTwo)
{
	Text exits(filter_calls(FILTER_EXIT, GetParam()), free);
	Text openers(filter_calls(FILTER_OPENER, GetParam()), free);

	ASSERT_LE(strlen(exits.get()), size_t(FILTER_SIZE));
	ASSERT_LE(strlen(openers.get()), size_t(FILTER_SIZE));
	for (int number = 0; number < 600; number++) {
		call_id id = call_by_number(number);
		bool expected = id != CALL_ID_NONE && wanted(call_row(id), GetParam());

		for (long result : {-2L, 0L, 3L}) {
			int in = filter_eval(exits.get(), number, result) +
				 filter_eval(openers.get(), number, result);

			EXPECT_EQ(in, expected) << number << " = " << result;
		}
	}
}

std::string name_of_groups(const testing::TestParamInfo<uint32_t> &info)
{
	static const char *const names[] = {"None", "Data", "DataAndSync", "All"};

	return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(Groups, FilterCalls,
			 testing::Values(0u, 1u << GROUP_DATA, 1u << GROUP_DATA | 1u << GROUP_SYNC,
					 (1u << GROUP_COUNT) - 1),
			 name_of_groups);

TEST(FilterCalls, OnlyAnOpenThatSucceededWakes)
{
	Text openers(filter_calls(FILTER_OPENER, 0), free);
	int openat = call_row(call_by_name("openat", 6))->number;

	EXPECT_TRUE(filter_eval(openers.get(), openat, 3));
	EXPECT_FALSE(filter_eval(openers.get(), openat, -2));
	EXPECT_FALSE(filter_eval(openers.get(), call_row(call_by_name("close", 5))->number, 0));
}

} // namespace
