/*
 * order: what leaves when, and with which time.
 */
#include "stream_build.h"

#include <gtest/gtest.h>

extern "C" {
#include "order_sort.h"
}

#include <algorithm>
#include <random>

namespace
{

using Tags = std::vector<uint32_t>;

class Order : public testing::Test
{
      protected:
	void TearDown() override
	{
		order_free(o);
		capture_close(c);
	}

	/* Writes what the file has and opens it. */
	void start()
	{
		error err{};

		if (!file.info.events)
			file.add_event("a:b", {1});
		c = capture_open(file.write().c_str(), nullptr, nullptr, &err);
		ASSERT_NE(c, nullptr) << err.text;
		o = order_new(c, &books);
	}

	/* Adds the next round and returns what may leave then. */
	std::vector<Seen> next()
	{
		std::vector<Seen> seen;
		capture_round round;

		EXPECT_EQ(capture_next_round(c, &round, nullptr), 1);
		order_add_round(o, &round);
		drain_order(o, &seen);
		return seen;
	}

	std::vector<Seen> end()
	{
		std::vector<Seen> seen;

		order_end(o);
		drain_order(o, &seen);
		return seen;
	}

	std::vector<Seen> all()
	{
		start();
		return read_ordered(c, &books);
	}

	StreamFile file;
	capture *c = nullptr;
	order *o = nullptr;
	tally books{};
};

} // namespace

TEST_F(Order, MergesStreamsByTime)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(0, 30, 3);
	file.put_sample(1, 20, 2);
	file.put_sample(1, 40, 4);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, OfEqualTimesTheLowerCpuIsFirstAndFactsAreLast)
{
	file.add_event("a:b", {1});
	file.put_sample(SAMPLE_CPU_NONE, 10, 9);
	file.put_sample(7, 10, 7);
	file.put_sample(7, 10, 8);
	file.put_sample(2, 10, 2);
	EXPECT_EQ(tags_of(all()), (Tags{2, 7, 8, 9}));
}

TEST_F(Order, ARoundLetsLeaveWhatTheRoundBeforeReached)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(0, 20, 2);
	file.put_round();
	file.put_sample(1, 15, 3);
	file.put_sample(1, 20, 4);
	file.put_sample(1, 21, 5);
	file.put_round();
	file.put_round();
	start();
	EXPECT_EQ(tags_of(next()), (Tags{}));
	EXPECT_EQ(tags_of(next()), (Tags{1, 3, 2, 4}));
	EXPECT_EQ(tags_of(next()), (Tags{5}));
	EXPECT_EQ(tags_of(end()), (Tags{}));
}

TEST_F(Order, TheLatestOfARoundIsNotItsLast)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 50, 2);
	file.put_sample(1, 20, 1);
	file.put_round();
	file.put_round();
	start();
	EXPECT_EQ(tags_of(next()), (Tags{}));
	EXPECT_EQ(tags_of(next()), (Tags{1, 2}));
}

TEST_F(Order, AtTheEndEverythingLeaves)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(1, UINT64_MAX - 1, 2);
	file.put_round();
	start();
	EXPECT_EQ(tags_of(next()), (Tags{}));
	EXPECT_EQ(tags_of(end()), (Tags{1, 2}));
	EXPECT_EQ(tags_of(end()), (Tags{}));
}

TEST_F(Order, WhatIsLateIsRaisedAndCounted)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(0, 20, 2);
	file.put_round();
	file.put_round();
	file.put_sample(1, 5, 3);
	file.put_sample(1, 20, 4);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(seen[2].time, 20u);
	EXPECT_TRUE(seen[2].is_late);
	EXPECT_FALSE(seen[3].is_late) << "its time is the one that was reached";
	EXPECT_EQ(tally_get(&books, late), 1u);
}

TEST_F(Order, ALossBeginsWhereTheRecordBeforeItWas)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_other(PERF_RECORD_LOST, 0, 50, 2);
	file.put_other(PERF_RECORD_LOST_SAMPLES, 0, 50, 3);
	file.put_sample(0, 60, 5);
	file.put_sample(1, 20, 4);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 2, 3, 4, 5}));
	EXPECT_EQ(seen[1].time, 10u);
	EXPECT_EQ(seen[2].time, 10u);
	EXPECT_EQ(seen[1].until, 50u) << "its ring goes on there";
	EXPECT_EQ(seen[0].until, 0u);
}

TEST_F(Order, ALossIsNeverLate)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(1, 30, 2);
	file.put_round();
	file.put_round();
	file.put_other(PERF_RECORD_LOST, 0, 50, 3);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 2, 3}));
	EXPECT_EQ(seen[2].time, 30u);
	EXPECT_FALSE(seen[2].is_late);
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, ALossThatIsFirstHasTheFirstTime)
{
	file.add_event("a:b", {1});
	file.put_other(PERF_RECORD_LOST, 0, 50, 1);
	file.put_sample(1, 40, 2);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 2}));
	EXPECT_EQ(seen[0].time, 40u);
}

TEST_F(Order, RecordsThatPerfMadeUpComeFirst)
{
	file.add_event("a:b", {1});
	file.put_other(PERF_RECORD_COMM, 0, 0, 1);
	file.put_round();
	file.put_other(PERF_RECORD_COMM, 0, UINT64_MAX, 2);
	file.put_sample(0, 100, 3);
	file.put_round();
	file.put_round();
	file.put_sample(0, 110, 4);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(seen[0].time, 100u);
	EXPECT_EQ(seen[1].time, 100u);
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, WithoutTimesTheFilesOrderHoldsAndNothingIsHeldForEver)
{
	file.add_event("a:b", {}, PERF_SAMPLE_TID | PERF_SAMPLE_RAW);
	for (uint32_t i = 0; i < 10; i++) {
		file.put_sample(0, 0, i);
		file.put_round();
	}
	start();
	Tags tags;
	size_t most = 0;
	for (uint32_t i = 0; i < 10; i++) {
		Tags more = tags_of(next());

		tags.insert(tags.end(), more.begin(), more.end());
		most = std::max(most, i + 1 - tags.size());
	}
	EXPECT_LT(most, 4u);
	Tags more = tags_of(end());
	tags.insert(tags.end(), more.begin(), more.end());
	EXPECT_EQ(tags, (Tags{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(Order, WithoutAnyTimeTheTimeIsZero)
{
	file.add_event("a:b", {1});
	file.put_other(PERF_RECORD_COMM, 0, 0, 1);
	std::vector<Seen> seen = all();

	ASSERT_EQ(seen.size(), 1u);
	EXPECT_EQ(seen[0].time, 0u);
}

/* What could wait no longer has no time, and makes nothing late. */
TEST_F(Order, WhatHasNoTimeDoesNotWaitForEver)
{
	file.add_event("a:b", {1});
	for (uint32_t i = 0; i < 3; i++) {
		file.put_other(PERF_RECORD_COMM, 0, 0, i);
		file.put_round();
	}
	file.put_sample(0, 100, 4);
	file.put_round();
	file.put_sample(1, 50, 3);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{0, 1, 2, 3, 4}));
	EXPECT_EQ(seen[2].time, 0u);
	EXPECT_EQ(seen[3].time, 50u);
	EXPECT_EQ(tally_get(&books, late), 0u);
}

/* Memory of its own for each round, so that ASan sees one that was given back too early. */
TEST_F(Order, ARoundLivesUntilItsLastRecordHasLeft)
{
	std::vector<Seen> seen;

	start();
	for (uint32_t i = 0; i < 20; i++) {
		capture_round round{};

		file.records.clear();
		for (uint32_t k = 0; k < 10; k++)
			file.put_sample(k % 3, 1000 + 10 * i + k, 10 * i + k);
		round.size = file.records.size();
		round.bytes = static_cast<uint8_t *>(malloc(round.size));
		memcpy(round.bytes, file.records.data(), round.size);
		order_add_round(o, &round);
		drain_order(o, &seen);
		EXPECT_EQ(seen.size(), 10 * i);
	}
	order_end(o);
	drain_order(o, &seen);
	ASSERT_EQ(seen.size(), 200u);
	for (uint32_t i = 0; i < 200; i++)
		EXPECT_EQ(seen[i].tag, i);
}

TEST_F(Order, ARecordWithoutTrailerFollowsItsNeighbour)
{
	/* sample_id_all is off: COMM has neither CPU nor time. */
	file.add_event("a:b", {1}, OUR_LAYOUT, false);
	file.put_sample(1, 20, 3);
	file.put_sample(0, 10, 1);
	file.put_other(PERF_RECORD_COMM, 0, 0, 0);
	file.put_sample(0, 30, 4);
	std::vector<Seen> seen = all();

	ASSERT_EQ(tags_of(seen), (Tags{1, 0, 3, 4}));
	EXPECT_EQ(seen[1].time, 10u);
	EXPECT_EQ(seen[1].type, static_cast<uint32_t>(PERF_RECORD_COMM));
}

TEST_F(Order, WithoutCpusARoundIsSorted)
{
	file.add_event("a:b", {1}, OUR_LAYOUT & ~static_cast<uint64_t>(PERF_SAMPLE_CPU));
	for (uint64_t time : {10, 30, 50, 20, 20, 40, 5})
		file.put_sample(0, time, static_cast<uint32_t>(file.records.size()));
	std::vector<Seen> seen = all();

	ASSERT_EQ(seen.size(), 7u);
	for (size_t i = 1; i < seen.size(); i++) {
		EXPECT_LE(seen[i - 1].time, seen[i].time);
		if (seen[i - 1].time == seen[i].time) {
			EXPECT_LT(seen[i - 1].tag, seen[i].tag) << "not stable";
		}
	}
	EXPECT_EQ(seen[0].time, 5u);
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, ANestedInterruptIsSortedWithinItsStream)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(0, 30, 3);
	file.put_round();
	file.put_sample(0, 20, 2);
	file.put_sample(0, 40, 4);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, WhatANestedInterruptOvertookLeavesInTime)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 30, 3);
	file.put_round();
	file.put_sample(0, 50, 5);
	file.put_sample(0, 60, 6);
	file.put_sample(0, 20, 1);
	file.put_sample(0, 25, 2);
	file.put_round();
	start();
	EXPECT_EQ(tags_of(next()), (Tags{}));
	EXPECT_EQ(tags_of(next()), (Tags{1, 2, 3}));
	EXPECT_EQ(tags_of(end()), (Tags{5, 6}));
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, StreamsOfNoCpuHaveTheirPlace)
{
	const uint32_t library = SAMPLE_STREAM_FIRST;
	const uint32_t machine = SAMPLE_STREAM_FIRST + SAMPLE_STREAMS - 1;

	file.add_event("a:b", {1});
	file.put_sample(SAMPLE_CPU_NONE, 30, 8);
	file.put_sample(machine, 10, 1);
	file.put_sample(machine, 30, 7);
	file.put_sample(library, 20, 3);
	file.put_sample(library, 30, 6);
	file.put_sample(1, 15, 2);
	file.put_sample(1, 30, 5);
	file.put_sample(0, 25, 4);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2, 3, 4, 5, 6, 7, 8}));
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, AStreamOfNoCpuMayLagBehindWithinARound)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_sample(0, 40, 4);
	file.put_round();
	file.put_sample(SAMPLE_STREAM_FIRST, 20, 2);
	file.put_sample(SAMPLE_STREAM_FIRST, 30, 3);
	file.put_sample(0, 50, 5);
	file.put_round();
	start();
	EXPECT_EQ(tags_of(next()), (Tags{}));
	EXPECT_EQ(tags_of(next()), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(tags_of(end()), (Tags{5}));
	EXPECT_EQ(tally_get(&books, late), 0u);
}

TEST_F(Order, ALossIsOfItsOwnStreamWithoutACpu)
{
	file.add_event("a:b", {1});
	file.put_sample(SAMPLE_STREAM_FIRST, 10, 1);
	file.put_sample(SAMPLE_STREAM_FIRST + 1, 30, 3);
	file.put_other(PERF_RECORD_LOST, SAMPLE_STREAM_FIRST, 50, 2);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2, 3})) << "it began after the first record";
}

TEST_F(Order, AnyCpuNumberIsTaken)
{
	file.add_event("a:b", {1});
	file.put_sample(UINT32_MAX - 1, 10, 1);
	file.put_sample(8192, 20, 2);
	file.put_sample(8191, 30, 3);
	file.put_sample(0x80000000, 40, 4);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2, 3, 4}));
}

TEST_F(Order, UserRecordsAreSteppedOver)
{
	static char bytes[32];
	perf_event_header header = {80, 0, sizeof(bytes)};
	capture_round round{};

	start();
	memcpy(bytes, &header, sizeof(header));
	round.bytes = static_cast<uint8_t *>(malloc(sizeof(bytes)));
	round.size = sizeof(bytes);
	memcpy(round.bytes, bytes, sizeof(bytes));
	order_add_round(o, &round);
	EXPECT_EQ(round.bytes, nullptr) << "it was taken";
	EXPECT_TRUE(end().empty());
	EXPECT_EQ(tally_get(&books, malformed), 0u);
}

TEST_F(Order, WhatIsTooShortIsCountedAndLeftOut)
{
	file.add_event("a:b", {1});
	file.put_sample(0, 10, 1);
	file.put_bytes(PERF_RECORD_SAMPLE, std::string(24, '\0'));         /* before the CPU */
	file.put_bytes(PERF_RECORD_SAMPLE, std::string(32, '\0') + "\x9"); /* in the raw size */
	file.put_bytes(PERF_RECORD_COMM, std::string(8, '\0'));            /* in the trailer */
	file.put_sample(0, 20, 2);
	EXPECT_EQ(tags_of(all()), (Tags{1, 2}));
	EXPECT_EQ(tally_get(&books, malformed), 3u);
	EXPECT_EQ(tally_get(&books, samples), 3u);
}

/* Memory of the record's size, so that ASan sees what is read beyond. */
TEST_F(Order, NothingIsReadBehindARoundsEnd)
{
	start();
	for (uint32_t type : {PERF_RECORD_SAMPLE, PERF_RECORD_COMM}) {
		for (uint16_t size = 1; size < 40; size++) {
			perf_event_header header = {type, 0, size};
			capture_round round{};

			round.bytes = static_cast<uint8_t *>(calloc(1, size));
			round.size = size;
			memcpy(round.bytes, &header, std::min<size_t>(size, sizeof(header)));
			order_add_round(o, &round);
		}
	}
	EXPECT_TRUE(end().empty());
	EXPECT_EQ(tally_get(&books, malformed), 2u * 32);
}

TEST_F(Order, EventsWithOtherLayoutsAreOrderedAsWell)
{
	file.add_event("a:enter", {1, 2});
	file.add_event("a:exit", {5, 6}, OUR_LAYOUT | PERF_SAMPLE_READ, true, PERF_FORMAT_GROUP);
	file.put_sample(0, 10, 1, 0);
	file.put_sample(0, 30, 3, 1);
	file.put_sample(1, 20, 2, 1);
	file.put_other(PERF_RECORD_EXIT, 1, 40, 4);
	std::vector<Seen> seen = all();

	EXPECT_EQ(tags_of(seen), (Tags{1, 2, 3, 4}));
	EXPECT_EQ(seen[1].event, 1u);
	EXPECT_EQ(seen[3].event, 0u);
}

TEST_F(Order, FreeTakesAHalfReadOne)
{
	file.add_event("a:b", {1});
	for (uint32_t i = 0; i < 100; i++)
		file.put_sample(i % 3, 10 + i, i);
	start();
	capture_round round;
	ASSERT_EQ(capture_next_round(c, &round, nullptr), 1);
	order_add_round(o, &round);
	order_end(o);
	sample s;
	bool is_late;
	EXPECT_EQ(order_next(o, &s, &is_late), 1);
	order_free(nullptr);
}

namespace
{

void expect_sorted(std::vector<order_entry> entry)
{
	std::vector<order_entry> want = entry, scratch(entry.size());

	std::stable_sort(want.begin(), want.end(), [](const order_entry &a, const order_entry &b) {
		return a.time < b.time;
	});
	const order_entry *sorted = order_sort(entry.data(), scratch.data(),
					       (uint32_t)entry.size());
	ASSERT_TRUE(sorted == entry.data() || sorted == scratch.data());
	for (size_t i = 0; i < entry.size(); i++) {
		ASSERT_EQ(sorted[i].time, want[i].time) << i;
		ASSERT_EQ(sorted[i].record, want[i].record) << i;
	}
}

} // namespace

TEST(OrderSort, IsStableAndComplete)
{
	std::mt19937 random(3);

	for (uint32_t count = 0; count < 200; count++) {
		std::vector<uint8_t> base(count + 1);
		std::vector<order_entry> entry(count);
		uint32_t span = 1 + random() % 300;

		for (uint32_t i = 0; i < count; i++)
			entry[i] = {random() % span, base.data() + i};
		expect_sorted(entry);
	}
}

/* Times that differ in any number of digits, in few runs and in many. */
TEST(OrderSort, OfManyEntriesAsWell)
{
	std::mt19937_64 random(4);
	std::vector<uint8_t> base(3000);

	for (uint32_t bits = 1; bits <= 64; bits++) {
		for (uint32_t run : {1, 3, 40, 1500, 3000}) {
			std::vector<order_entry> entry(base.size());
			uint64_t mask = UINT64_MAX >> (64 - bits), first = random() & ~mask;

			for (uint32_t i = 0; i < entry.size(); i++)
				entry[i] = {first + (random() & mask), base.data() + i};
			for (uint32_t i = 0; i < entry.size(); i += run)
				std::sort(entry.begin() + i,
					  entry.begin() + i +
						  std::min<size_t>(run, entry.size() - i),
					  [](const order_entry &a, const order_entry &b) {
						  return a.time < b.time;
					  });
			expect_sorted(entry);
			if (HasFatalFailure())
				return;
		}
	}
}
