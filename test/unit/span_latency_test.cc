/*
 * The numbers of spans against those that a loop over all of them gives.
 */
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <iotrace/latency.h>
#include <map>
#include <random>
#include <vector>

namespace
{

struct span_seen ended(uint64_t begin, uint64_t end, uint64_t group = 0, uint32_t span = 0,
		       uint64_t bytes = 0)
{
	struct span_seen seen = {};

	seen.span = span;
	seen.fate = SPAN_ENDED;
	seen.group = group;
	seen.begin = begin;
	seen.end = end;
	seen.bytes = bytes;
	seen.tid = 5;
	return seen;
}

class Latency : public ::testing::Test
{
      protected:
	struct latency_options options = {};
	struct latency *latency = nullptr;

	void open()
	{
		latency = latency_new(&options);
	}
	void add(const struct span_seen &seen)
	{
		latency_seen(latency, &seen);
	}
	void TearDown() override
	{
		latency_free(latency);
	}
};

TEST_F(Latency, GroupsHaveExactSums)
{
	std::mt19937_64 random(3);
	std::map<uint64_t, std::vector<uint64_t>> exact;
	const struct latency_group *const *group;

	options.has_heat = true;
	open();
	for (int i = 0; i < 5000; i++) {
		uint64_t taken = random() >> (24 + random() % 40), which = random() % 7;

		exact[which].push_back(taken);
		add(ended(1000, 1000 + taken, which, 0, 10));
	}
	ASSERT_EQ(latency_groups(latency, &group), 7U);
	uint64_t last = UINT64_MAX;
	for (uint32_t i = 0; i < 7; i++) {
		const std::vector<uint64_t> &values = exact[group[i]->group];
		uint64_t sum = 0;
		long double squares = 0;

		for (uint64_t value : values)
			sum += value;
		long double mean = static_cast<long double>(sum) / values.size();
		for (uint64_t value : values)
			squares += (value - mean) * (value - mean);
		EXPECT_EQ(group[i]->histogram.count, values.size());
		EXPECT_EQ(group[i]->histogram.sum, sum);
		EXPECT_EQ(group[i]->histogram.min, *std::min_element(values.begin(), values.end()));
		EXPECT_EQ(group[i]->histogram.max, *std::max_element(values.begin(), values.end()));
		EXPECT_EQ(group[i]->bytes, 10 * values.size());
		double deviation = std::sqrt(static_cast<double>(squares / values.size()));
		EXPECT_NEAR(latency_deviation(group[i]), deviation, deviation * 1e-9);
		EXPECT_NEAR(latency_average(group[i]), static_cast<double>(mean), 1);
		EXPECT_LE(sum, last);
		last = sum;
	}
	EXPECT_EQ(latency_total(latency, 0)->histogram.count, 5000U);
}

TEST_F(Latency, OnlyWhatEndedCounts)
{
	open();
	struct span_seen seen = ended(1, 5);
	for (int fate = 1; fate < SPAN_FATES; fate++) {
		seen.fate = static_cast<enum span_fate>(fate);
		add(seen);
	}
	EXPECT_EQ(latency_total(latency, 0)->histogram.count, 0U);
}

TEST_F(Latency, AboveLeavesTheRestOut)
{
	options.above = 100;
	open();
	add(ended(0, 100));
	add(ended(0, 101));
	EXPECT_EQ(latency_total(latency, 0)->histogram.count, 1U);
	EXPECT_EQ(latency_below(latency), 1U);
}

TEST_F(Latency, TheSlowestAreExact)
{
	std::mt19937_64 random(9);
	std::vector<uint64_t> all;
	const struct latency_slow *slow;

	options.slowest = 10;
	open();
	for (int i = 0; i < 3000; i++) {
		uint64_t taken = random() % 100000;

		all.push_back(taken);
		add(ended(i, i + taken));
		if (i % 500 == 0)
			latency_slowest(latency, &slow); /* a look meanwhile changes nothing */
	}
	std::sort(all.rbegin(), all.rend());
	ASSERT_EQ(latency_slowest(latency, &slow), 10U);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(slow[i].seen.end - slow[i].seen.begin, all[i]) << i;
}

TEST_F(Latency, ASlowOneHasWhatItsThreadDidLast)
{
	const struct latency_slow *slow;

	options.slowest = 1;
	options.context = 3;
	open();
	for (uint64_t i = 0; i < 5; i++) {
		std::string text = "event " + std::to_string(i);
		struct span_note note = {5, i, text.c_str()}, other = {6, i, "another thread"};

		latency_note(latency, &note);
		latency_note(latency, &other);
	}
	add(ended(0, 50));
	add(ended(0, 10));
	ASSERT_EQ(latency_slowest(latency, &slow), 1U);
	ASSERT_EQ(slow[0].contexts, 3U);
	EXPECT_STREQ(slow[0].context[0].text, "event 2");
	EXPECT_STREQ(slow[0].context[2].text, "event 4");
}

TEST_F(Latency, ClearingForgetsTheNumbers)
{
	const struct latency_group *const *group;

	options.slowest = 2;
	open();
	add(ended(0, 10, 1));
	latency_clear(latency);
	EXPECT_EQ(latency_groups(latency, &group), 0U);
	add(ended(0, 20, 1));
	ASSERT_EQ(latency_groups(latency, &group), 1U);
	EXPECT_EQ(group[0]->histogram.max, 20U);
}

/* What a heat map holds is what was put in, wherever its columns were merged. */
TEST(Heat, ColumnsMergeAndNothingIsLost)
{
	for (uint64_t seed = 0; seed < 30; seed++) {
		std::mt19937_64 random(seed);
		struct latency_heat heat = {};
		std::map<uint32_t, uint64_t> rows;
		uint64_t time = 1000000000, sum = 0;

		for (int i = 0; i < 2000; i++) {
			uint64_t taken = random() >> (random() % 64);
			uint32_t row = 0;

			time += random() % (uint64_t(1) << (random() % 32));
			while (heat_to(row) < taken)
				row++;
			EXPECT_LE(heat_from(row), taken);
			rows[row]++;
			heat_add(&heat, time, taken);
		}
		EXPECT_LE(heat.columns, static_cast<uint32_t>(HEAT_COLUMNS));
		EXPECT_GT(heat.start + heat.step * heat.columns, time);
		for (uint32_t row = 0; row < HEAT_ROWS; row++) {
			uint64_t count = 0;

			for (uint32_t column = 0; column < heat.columns; column++)
				count += heat_cell(&heat, column, row);
			EXPECT_EQ(count, rows[row]) << row;
			sum += count;
		}
		EXPECT_EQ(sum, 2000U);
		heat_release(&heat);
	}
}

TEST(Heat, RowsHaveNoGap)
{
	for (uint32_t row = 0; row + 1 < HEAT_ROWS; row++) {
		EXPECT_EQ(heat_to(row) + 1, heat_from(row + 1)) << row;
		EXPECT_LT(heat_from(row), heat_from(row + 1)) << row;
	}
}

} // namespace
