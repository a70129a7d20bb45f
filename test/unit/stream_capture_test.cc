/*
 * capture, reading: rounds, what trails records, files that are cut, files that grow.
 */
#include "stream_fixture.h"

#include <malloc.h>

#include <algorithm>

TEST_F(Capture, RoundsEndAtTheirMark)
{
	std::string first, second;

	file.put_sample(0, 1);
	file.put_sample(1, 2);
	first = file.records;
	file.put_round();
	file.put_round();
	file.records.clear();
	file.put_sample(0, 3);
	second = file.records;
	file.records = first;
	file.put_round();
	file.put_round();
	file.records += second;
	c = opened(file.write());
	EXPECT_EQ(rounds_of(c), (std::vector<std::string>{first, "", second}));
	EXPECT_EQ(capture_torn(c), 0u);
	capture_round round;
	EXPECT_EQ(capture_next_round(c, &round, nullptr), 0);
	uint64_t total = 0;
	EXPECT_EQ(capture_position(c, &total), file.records.size());
	EXPECT_EQ(total, file.records.size());
}

TEST_F(Capture, WithoutMarksAllIsOneRound)
{
	for (uint32_t i = 0; i < 1000; i++)
		file.put_sample(0, i);
	c = opened(file.write());
	EXPECT_EQ(rounds_of(c), (std::vector<std::string>{file.records}));
}

TEST_F(Capture, ALongRoundIsCut)
{
	for (uint32_t i = 0; i < 3000; i++)
		file.put_sample(0, i);
	c = opened(file.write());
	c->round_max = UINT16_MAX;
	std::vector<std::string> rounds = rounds_of(c);
	std::string all;

	for (const std::string &r : rounds) {
		EXPECT_LE(r.size(), static_cast<size_t>(UINT16_MAX));
		EXPECT_EQ(r.size() % 56, 0u) << "whole records only";
		all += r;
	}
	EXPECT_EQ(rounds.size(), 1 + file.records.size() / (UINT16_MAX / 56 * 56));
	EXPECT_EQ(all, file.records);
}

/* Rounds of all sizes around the steps of reading, all held until the end. */
TEST_F(Capture, RoundsStayWhatTheyAreWhileOthersAreRead)
{
	std::vector<std::string> want;
	std::vector<capture_round> held;
	std::string all;
	capture_round round;

	for (uint32_t size : {10u, 30000u, 5u, 90000u, 1u, 19000u, 200000u, 3u, 40000u}) {
		file.records.clear();
		for (uint32_t i = 0; i < size; i++)
			file.put_sample(0, 1 + i, size + i);
		want.push_back(file.records);
		file.put_round();
		all += file.records;
	}
	file.records = all;
	c = opened(file.write());
	while (capture_next_round(c, &round, nullptr) > 0)
		held.push_back(round);
	ASSERT_EQ(held.size(), want.size());
	capture_close(c);
	c = nullptr;
	for (size_t i = 0; i < held.size(); i++) {
		EXPECT_TRUE(std::string(reinterpret_cast<char *>(held[i].bytes), held[i].size) ==
			    want[i])
			<< i;
		capture_round_free(&held[i]);
		EXPECT_EQ(held[i].bytes, nullptr);
	}
}

/*
 * A round of 1 MiB leaves a chunk of 2 MiB to be used again; that of 8 MiB makes one of 12 MiB;
 * when it is full, 4 MiB of the next have to move on.
 */
TEST_F(Capture, MemoryThatIsUsedAgainIsLargeEnough)
{
	const size_t one = 56;
	std::vector<std::string> want;
	std::string pool, all;

	for (uint32_t i = 0; i < 190000; i++)
		file.put_sample(0, 1 + i, i);
	pool.swap(file.records);
	file.put_round();
	for (size_t count : {18725, 150000, 187000, 10, 18725, 60000, 50}) {
		want.push_back(pool.substr(count % 1000 * one, count * one));
		all += want.back() + file.records;
	}
	file.records = all;
	c = opened(file.write());
	EXPECT_TRUE(rounds_of(c) == want);
}

TEST_F(Capture, WhatIsDroppedNeedsNoMemory)
{
	file.put_sample(0, 1);
	for (uint32_t i = 0; i < 500; i++)
		file.put_bytes(CAPTURE_RECORD_FEATURE, std::string(60000, 'x'));
	file.put_sample(0, 2);
	c = opened(file.write());
	EXPECT_EQ(rounds_of(c).size(), 1u);
	EXPECT_LT(malloc_usable_size(c->chunk), 5000000u);
}

TEST_F(Capture, MemoryOfRoundsIsUsedAgain)
{
	capture_round round;
	std::vector<void *> chunks;

	for (uint32_t k = 0; k < 60; k++) {
		for (uint32_t i = 0; i < 5000; i++)
			file.put_sample(0, 1 + i);
		file.put_round();
	}
	c = opened(file.write());
	while (capture_next_round(c, &round, nullptr) > 0) {
		chunks.push_back(round.chunk);
		capture_round_free(&round);
	}
	std::sort(chunks.begin(), chunks.end());
	EXPECT_LE(std::unique(chunks.begin(), chunks.end()) - chunks.begin(), 2);
}

TEST_F(Capture, RecordsOfPerfItselfAreDropped)
{
	std::string want;

	file.put_sample(0, 1);
	want = file.records;
	file.put_bytes(69, std::string(40, 'x'));
	file.put_sample(0, 2);
	file.put_bytes(CAPTURE_RECORD_FEATURE, "abc");
	file.put_sample(0, 3);
	file.put_sample(0, 4);
	c = opened(file.write());
	std::vector<std::string> rounds = rounds_of(c);
	ASSERT_EQ(rounds.size(), 1u);
	EXPECT_EQ(rounds[0].size(), 4 * want.size());
	EXPECT_EQ(rounds[0].substr(0, want.size()), want);
	EXPECT_EQ(capture_torn(c), 0u);
}

TEST_F(Capture, AuxDataIsSteppedOverHoweverLongItIs)
{
	const uint32_t tracing[] = {5, 0};

	for (uint64_t trailing :
	     {UINT64_C(0), UINT64_C(8), UINT64_C(13), UINT64_C(1) << 20, UINT64_C(5000000)}) {
		std::string aux(40, '\0');

		memcpy(aux.data(), &trailing, sizeof(trailing));
		file.records.clear();
		file.put_sample(0, 1, 1);
		file.put_bytes(CAPTURE_RECORD_AUXTRACE, aux);
		file.records += std::string(trailing, '\x2');
		file.put_sample(0, 2, 2);
		file.put_bytes(CAPTURE_RECORD_TRACING_DATA,
			       {reinterpret_cast<const char *>(tracing), sizeof(tracing)});
		file.records += "12345";
		file.put_sample(0, 3, 3);
		c = opened(file.write());
		tally books{};
		EXPECT_EQ(tags_of(read_ordered(c, &books)), (std::vector<uint32_t>{1, 2, 3}))
			<< trailing;
		EXPECT_EQ(capture_torn(c), 0u);
		capture_close(c);
		c = nullptr;
	}
}

TEST_F(Capture, AuxDataThatIsNotThereIsTorn)
{
	for (uint64_t trailing : {UINT64_C(57), UINT64_C(1) << 40, UINT64_MAX, UINT64_MAX - 60}) {
		std::string aux(8, '\0');

		memcpy(aux.data(), &trailing, sizeof(trailing));
		file.records.clear();
		file.put_sample(0, 1, 1);
		file.put_bytes(CAPTURE_RECORD_AUXTRACE, aux);
		file.put_sample(0, 2, 2);
		c = opened(file.write());
		EXPECT_EQ(rounds_of(c).size(), 1u);
		EXPECT_EQ(capture_torn(c), 16u + 56u) << trailing;
		capture_close(c);
		c = nullptr;
	}
}

TEST_F(Capture, RecordsThatAreTooShortToSayHaveNothingTrailing)
{
	tally books{};

	file.put_sample(0, 1, 1);
	file.put_bytes(CAPTURE_RECORD_AUXTRACE, "");
	file.put_sample(0, 2, 2);
	file.put_bytes(CAPTURE_RECORD_TRACING_DATA, "");
	file.put_sample(0, 3, 3);
	c = opened(file.write());
	EXPECT_EQ(tags_of(read_ordered(c, &books)), (std::vector<uint32_t>{1, 2, 3}));
	EXPECT_EQ(capture_torn(c), 0u);
}

TEST_F(Capture, AnImpossibleRecordIsTheEnd)
{
	file.put_sample(0, 1);
	file.put_bytes(0, "12345678");
	file.put_sample(0, 2);
	c = opened(file.write());
	EXPECT_EQ(rounds_of(c).size(), 1u);
	EXPECT_EQ(capture_torn(c), 16u + 56u);
	capture_close(c);
	file.records.clear();
	file.put_bytes(1, "", 7);
	c = opened(file.write());
	EXPECT_TRUE(rounds_of(c).empty());
	EXPECT_EQ(capture_torn(c), 8u);
}

TEST_F(Capture, WhatIsMissingIsTorn)
{
	file.put_sample(0, 1);
	file.put_sample(0, 2);
	std::string all = bytes();
	capture_header header = header_of(all);

	c = opened(path_with(all.substr(0, header.data.offset + 60)));
	EXPECT_EQ(rounds_of(c), (std::vector<std::string>{file.records.substr(0, 56)}));
	EXPECT_EQ(capture_torn(c), 56u);
	EXPECT_STREQ(capture_info(c)->event[0].name, "a:b")
		<< "names stand in front of the records";
}

TEST_F(Capture, AFileWhoseWriterDiedIsReadToItsEnd)
{
	std::string path = file.scratch.path("dead.data"), copy = file.scratch.path("copy.data");
	capture_writer *writer = capture_create(path.c_str(), &file.info, nullptr);

	ASSERT_NE(writer, nullptr);
	file.put_sample(0, 1);
	file.put_sample(0, 2);
	ASSERT_EQ(capture_write(writer, file.records.data(), file.records.size() - 10, nullptr), 0);
	write_file(copy, read_file(path));
	EXPECT_EQ(capture_finish(writer, nullptr), 0);
	EXPECT_EQ(header_of(read_file(copy)).data.size, 0u);
	c = opened(copy);
	EXPECT_STREQ(capture_info(c)->event[0].name, "a:b");
	EXPECT_EQ(rounds_of(c), (std::vector<std::string>{file.records.substr(0, 56)}));
	EXPECT_EQ(capture_torn(c), 46u);
}

namespace
{

/* Says step by step what is there, and counts how often it was asked for no more. */
struct Growth {
	std::vector<uint64_t> steps;
	size_t at = 0;
	uint64_t last = 0;
	bool went_back = false;
};

uint64_t grow(void *context, uint64_t have)
{
	Growth *g = static_cast<Growth *>(context);

	if (have > g->last)
		g->went_back = true;
	while (g->at < g->steps.size() && g->steps[g->at] <= have)
		g->at++;
	g->last = g->at < g->steps.size() ? g->steps[g->at] : have;
	return g->last;
}

} // namespace

TEST_F(Capture, AFileThatGrowsIsCutAsACompleteOne)
{
	for (uint32_t i = 0; i < 400; i++) {
		file.put_sample(i % 3, 1 + i, i);
		if (i % 7 == 0)
			file.put_round();
	}
	std::string path = file.write();
	c = opened(path);
	std::vector<std::string> want = rounds_of(c);

	capture_close(c);
	for (uint64_t step : {1, 5, 56, 57, 1000, 100000}) {
		Growth growth;
		uint64_t total;

		for (uint64_t there = step; there < file.records.size(); there += step)
			growth.steps.push_back(there);
		growth.steps.push_back(file.records.size());
		c = capture_open(path.c_str(), grow, &growth, nullptr);
		ASSERT_NE(c, nullptr);
		EXPECT_EQ(rounds_of(c), want) << step;
		EXPECT_FALSE(growth.went_back) << "read further than it was told";
		EXPECT_EQ(capture_torn(c), 0u);
		EXPECT_EQ(capture_position(c, &total), file.records.size());
		EXPECT_EQ(total, 0u);
		capture_close(c);
		c = nullptr;
	}
}

TEST_F(Capture, ARoundOfAFileThatGrowsComesAsSoonAsItIsThere)
{
	Growth growth;
	capture_round round;

	file.put_sample(0, 1);
	file.put_round();
	growth.steps.push_back(file.records.size());
	file.put_sample(0, 2);
	growth.steps.push_back(file.records.size() - 8);
	c = capture_open(file.write().c_str(), grow, &growth, nullptr);
	ASSERT_EQ(capture_next_round(c, &round, nullptr), 1);
	EXPECT_EQ(round.size, 56u);
	EXPECT_EQ(growth.last, 64u) << "asked for more before it gave what it had";
	capture_round_free(&round);
	EXPECT_EQ(capture_next_round(c, &round, nullptr), 0);
	EXPECT_EQ(capture_torn(c), 48u);
}

TEST_F(Capture, AFileThatGrowsGoesNeitherBackNorTooFar)
{
	for (uint64_t trailing : {UINT64_MAX - 100, UINT64_C(1000)}) {
		Growth growth;
		std::string aux(8, '\0');

		memcpy(aux.data(), &trailing, sizeof(trailing));
		file.records.clear();
		file.put_sample(0, 1);
		file.put_sample(0, 2);
		file.put_bytes(CAPTURE_RECORD_AUXTRACE, aux);
		growth.steps.push_back(file.records.size());
		c = capture_open(file.write().c_str(), grow, &growth, nullptr);
		EXPECT_EQ(rounds_of(c).size(), 1u);
		EXPECT_EQ(capture_torn(c), trailing == 1000 ? 0u : 16u);
		capture_close(c);
		c = nullptr;
	}
}
