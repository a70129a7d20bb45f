/*
 * order: one sequence, whatever the rounds; time never falls; nothing is lost, even if the drain's
 * rule is broken.
 */
#include "stream_build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace
{

struct Record {
	uint32_t rank; /* the CPU, or 8192 for none */
	uint64_t time;
	uint32_t tag;
};

uint32_t cpu_of(const Record &r)
{
	return r.rank == 8192 ? SAMPLE_CPU_NONE : r.rank;
}

/* Some streams, each rising, with many equal times. */
std::vector<std::vector<Record>> streams_of(std::mt19937 &random, uint32_t streams)
{
	std::vector<std::vector<Record>> all(streams);
	uint32_t tag = 0;

	for (uint32_t i = 0; i < streams; i++) {
		uint32_t rank = i == 3 ? 8192 : i * 5;
		uint64_t time = 1 + random() % 20;

		for (uint32_t k = random() % 60; k; k--) {
			all[i].push_back({rank, time, tag++});
			time += random() % 3 ? random() % 4 : random() % 40;
		}
	}
	return all;
}

std::vector<uint32_t> expected(const std::vector<std::vector<Record>> &streams)
{
	std::vector<Record> all;
	std::vector<uint32_t> tags;

	for (const auto &s : streams)
		all.insert(all.end(), s.begin(), s.end());
	std::stable_sort(all.begin(), all.end(), [](const Record &a, const Record &b) {
		return std::make_pair(a.time, a.rank) < std::make_pair(b.time, b.rank);
	});
	for (const Record &r : all)
		tags.push_back(r.tag);
	return tags;
}

/* A drain that looks at one ring after the other, while time goes on. */
void drain(StreamFile *file, const std::vector<std::vector<Record>> &streams, std::mt19937 &random)
{
	std::vector<size_t> at(streams.size());
	uint32_t pace = 1 + random() % 30;
	uint64_t now = 0;
	size_t left = 0;

	for (const auto &s : streams)
		left += s.size();
	while (left) {
		for (size_t i = 0; i < streams.size(); i++) {
			now += random() % pace;
			while (at[i] < streams[i].size() && streams[i][at[i]].time < now) {
				const Record &r = streams[i][at[i]++];

				file->put_sample(cpu_of(r), r.time, r.tag);
				left--;
			}
		}
		now++;
		file->put_round();
	}
}

std::vector<Seen> read(StreamFile *file, tally *books)
{
	error err{};
	capture *c = capture_open(file->write().c_str(), nullptr, nullptr, &err);

	EXPECT_NE(c, nullptr) << err.text;
	std::vector<Seen> seen = read_ordered(c, books);

	capture_close(c);
	return seen;
}

} // namespace

TEST(OrderProperty, RoundsThatObeyTheRuleGiveOneSequence)
{
	std::mt19937 random(5);

	for (int i = 0; i < 60; i++) {
		auto streams = streams_of(random, 1 + random() % 12);
		std::vector<uint32_t> want = expected(streams);

		for (int schedule = 0; schedule < 5; schedule++) {
			StreamFile file;
			tally books{};

			file.add_event("a:b", {1});
			drain(&file, streams, random);
			std::vector<Seen> seen = read(&file, &books);
			ASSERT_EQ(tags_of(seen), want);
			EXPECT_EQ(tally_get(&books, late), 0u);
			EXPECT_EQ(tally_get(&books, malformed), 0u);
		}
	}
}

/* So many that they are sorted in another way. */
TEST(OrderProperty, HundredsOfStreamsGiveOneSequence)
{
	std::mt19937 random(7);

	for (int i = 0; i < 5; i++) {
		auto streams = streams_of(random, 300);
		StreamFile file;
		tally books{};

		file.add_event("a:b", {1});
		drain(&file, streams, random);
		std::vector<Seen> seen = read(&file, &books);
		ASSERT_EQ(tags_of(seen), expected(streams));
		EXPECT_EQ(tally_get(&books, late), 0u);
	}
}

TEST(OrderProperty, WhateverTheRoundsNothingIsLostAndTimeNeverFalls)
{
	std::mt19937 random(6);

	for (int i = 0; i < 200; i++) {
		StreamFile file;
		tally books{};
		std::vector<uint64_t> time_of;
		uint32_t count = random() % 200;

		file.add_event("a:b", {1});
		for (uint32_t tag = 0; tag < count; tag++) {
			uint64_t time = 1 + random() % 100 + tag / 2;
			bool is_loss = random() % 20 == 0;

			time_of.push_back(is_loss ? 0 : time);
			if (is_loss)
				file.put_other(PERF_RECORD_LOST, random() % 4, time, tag);
			else
				file.put_sample(random() % 4, time, tag);
			if (random() % 10 == 0)
				file.put_round();
		}
		std::vector<Seen> seen = read(&file, &books);
		std::vector<bool> met(count);
		uint64_t reached = 0, late = 0;

		ASSERT_EQ(seen.size(), count);
		for (const Seen &s : seen) {
			EXPECT_FALSE(met[s.tag]);
			met[s.tag] = true;
			EXPECT_GE(s.time, reached);
			reached = s.time;
			late += s.is_late;
			if (time_of[s.tag]) {
				EXPECT_EQ(s.is_late, s.time > time_of[s.tag]);
				EXPECT_GE(s.time, time_of[s.tag]);
			} else {
				EXPECT_FALSE(s.is_late);
			}
		}
		EXPECT_EQ(late, tally_get(&books, late));
	}
}
