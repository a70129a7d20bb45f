/*
 * The histogram against exact percentiles of the same values.
 */
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iotrace/histogram.h>
#include <memory>
#include <random>
#include <vector>

namespace
{

class Histogram : public ::testing::Test
{
      protected:
	std::unique_ptr<struct histogram> h = std::make_unique<struct histogram>();
	std::vector<uint64_t> exact;

	void SetUp() override
	{
		histogram_release(h.get());
		histogram_init(h.get());
	}
	void TearDown() override
	{
		histogram_release(h.get());
	}

	void add(uint64_t value)
	{
		histogram_add(h.get(), value);
		exact.push_back(value);
	}

	uint64_t rank(uint32_t permille)
	{
		size_t n = static_cast<size_t>(
			std::ceil(static_cast<double>(exact.size()) * permille / 1000));

		std::sort(exact.begin(), exact.end());
		return exact[std::max<size_t>(n, 1) - 1];
	}

	void compare()
	{
		for (uint32_t permille : {0U, 1U, 10U, 250U, 500U, 900U, 990U, 999U, 1000U}) {
			uint64_t want = rank(permille), got = histogram_quantile(h.get(), permille);
			uint64_t off = got > want ? got - want : want - got;

			EXPECT_LE(off, want / 128)
				<< "permille " << permille << ": " << got << ", exact " << want;
		}
	}
};

TEST_F(Histogram, EmptyHasNoQuantile)
{
	EXPECT_EQ(histogram_quantile(h.get(), 500), 0U);
	EXPECT_EQ(h->count, 0U);
}

TEST_F(Histogram, OneValueIsExact)
{
	for (uint64_t value :
	     {uint64_t(0), uint64_t(63), uint64_t(64), uint64_t(1000003), UINT64_MAX}) {
		SetUp();
		histogram_add(h.get(), value);
		for (uint32_t permille : {0U, 500U, 1000U})
			EXPECT_EQ(histogram_quantile(h.get(), permille), value);
	}
}

TEST_F(Histogram, SmallValuesAreExact)
{
	for (uint64_t i = 0; i < 64; i++)
		add(i);
	for (uint32_t permille = 0; permille <= 1000; permille += 25)
		EXPECT_EQ(histogram_quantile(h.get(), permille), rank(permille));
	EXPECT_EQ(h->sum, 63U * 64 / 2);
	EXPECT_EQ(h->min, 0U);
	EXPECT_EQ(h->max, 63U);
}

TEST_F(Histogram, EveryPowerOfTwoAndItsNeighbours)
{
	for (int shift = 0; shift < 64; shift++) {
		uint64_t value = uint64_t(1) << shift;

		for (uint64_t v : {value - 1, value, value + 1, value + value / 3}) {
			SetUp();
			exact.clear();
			add(v);
			add(v);
			add(UINT64_MAX);
			compare();
		}
	}
}

TEST_F(Histogram, TheExtremesOfABucketAreExact)
{
	/* 1000 to 1007 share a bucket. */
	for (int i = 0; i < 3; i++)
		add(1000);
	EXPECT_EQ(histogram_quantile(h.get(), 500), 1000U);
	add(1007);
	EXPECT_EQ(histogram_quantile(h.get(), 1000), 1007U);
}

TEST_F(Histogram, RandomValuesOverAllSizes)
{
	std::mt19937_64 random(7);

	for (int round = 0; round < 20; round++) {
		SetUp();
		exact.clear();
		for (int i = 0; i < 2000; i++)
			add(random() >> (random() % 64));
		compare();
	}
}

TEST_F(Histogram, ManyEqualAndOneSlow)
{
	for (int i = 0; i < 999; i++)
		add(1000);
	add(5000000);
	EXPECT_NEAR(static_cast<double>(histogram_quantile(h.get(), 999)), 1000, 1000.0 / 128);
	EXPECT_EQ(histogram_quantile(h.get(), 1000), 5000000U);
	compare();
}

/* The bounds that are told of a bucket are the rule: at most 1/64 of a value apart, without gap or overlap. */
TEST_F(Histogram, BucketsHaveNoGapAndAreNarrow)
{
	EXPECT_EQ(histogram_from(0), 0U);
	for (uint32_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		EXPECT_EQ(histogram_to(i) + 1, histogram_from(i + 1)) << i;
		EXPECT_LE(histogram_to(i) - histogram_from(i), histogram_from(i) / 64) << i;
	}
	EXPECT_EQ(histogram_to(HISTOGRAM_BUCKETS - 1), UINT64_MAX);
}

TEST_F(Histogram, EachValueIsInTheBucketWithItsBounds)
{
	std::mt19937_64 random(11);

	for (int i = 0; i < 2000; i++) {
		uint64_t value = random() >> (random() % 64);
		uint32_t found = 0;

		SetUp();
		histogram_add(h.get(), value);
		for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
			if (!histogram_bucket(h.get(), b))
				continue;
			found++;
			EXPECT_LE(histogram_from(b), value);
			EXPECT_GE(histogram_to(b), value);
		}
		EXPECT_EQ(found, 1U);
	}
}

} // namespace
