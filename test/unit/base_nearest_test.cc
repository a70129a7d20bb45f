/*
 * nearest: how far words are from each other.
 */
#include <iotrace/nearest.h>

#include <gtest/gtest.h>
#include <string>

TEST(Nearest, Distances)
{
	EXPECT_EQ(nearest_distance("", ""), 0U);
	EXPECT_EQ(nearest_distance("", "abc"), 3U);
	EXPECT_EQ(nearest_distance("convert", "convert"), 0U);
	EXPECT_EQ(nearest_distance("convvert", "convert"), 1U);
	EXPECT_EQ(nearest_distance("convetr", "convert"), 1U);
	EXPECT_EQ(nearest_distance("converts", "convert"), 1U);
	EXPECT_EQ(nearest_distance("kitten", "sitting"), 3U);
	EXPECT_EQ(nearest_distance("abc", "xyz"), 3U);
	EXPECT_EQ(nearest_distance(std::string(64, 'a').c_str(), "a"), UINT32_MAX);
	EXPECT_EQ(nearest_distance(std::string(63, 'a').c_str(), ""), 63U);
}

TEST(Nearest, CapitalsMayBeOneWithTheirLetters)
{
	EXPECT_EQ(nearest_distance("Page-Faults", "page-faults"), 2U);
	EXPECT_EQ(nearest_distance_any_case("Page-Faults", "page-faults"), 0U);
	EXPECT_EQ(nearest_distance_any_case("PAGEFAULTS", "page-faults"), 1U);
	EXPECT_EQ(nearest_distance_any_case("aB", "Ba"), 1U);
	EXPECT_EQ(nearest_distance_any_case("kitten", "SITTING"), 3U);
	EXPECT_EQ(nearest_distance_any_case(std::string(500, 'a').c_str(), "a"), UINT32_MAX);
}
