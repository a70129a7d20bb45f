/*
 * capture, reading: rounds, files that are damaged or not ours, files that grow.
 */
#include "stream_build.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

extern "C" {
#include "capture_format.h"
#include "capture_private.h"
}

#include <algorithm>
#include <malloc.h>
#include <random>

namespace
{

/* Returns the sentence with which a file is refused. */
std::string refused(const std::string &path)
{
	error err{};
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

	EXPECT_EQ(c, nullptr);
	capture_close(c);
	EXPECT_NE(err.code, 0);
	return err.text;
}

capture *opened(const std::string &path)
{
	error err{};
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

	EXPECT_NE(c, nullptr) << err.text;
	return c;
}

/* The bytes of all rounds; "|" at the end of each. */
std::vector<std::string> rounds_of(capture *c, int *rc = nullptr)
{
	std::vector<std::string> rounds;
	capture_round round;
	int result;

	while ((result = capture_next_round(c, &round, nullptr)) > 0) {
		rounds.emplace_back(reinterpret_cast<char *>(round.bytes), round.size);
		capture_round_free(&round);
	}
	if (rc)
		*rc = result;
	return rounds;
}

capture_header header_of(const std::string &bytes)
{
	capture_header header;

	memcpy(&header, bytes.data(), sizeof(header));
	return header;
}

void set_header(std::string *bytes, const capture_header &header)
{
	memcpy(bytes->data(), &header, sizeof(header));
}

class Capture : public testing::Test
{
      protected:
	Capture()
	{
		file.add_event("a:b", {1, 2});
	}
	void TearDown() override
	{
		capture_close(c);
	}
	std::string bytes()
	{
		return read_file(file.write());
	}
	std::string path_with(const std::string &content)
	{
		std::string path = file.scratch.path("changed.data");

		write_file(path, content);
		return path;
	}

	StreamFile file;
	capture *c = nullptr;
};

} // namespace

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

/* Memory that is used again may be smaller than what is needed next. */
TEST_F(Capture, RoundsAreRightWhenTheirMemoryIsUsedAgain)
{
	const size_t one = 56, most = 100000;
	std::vector<std::string> want;
	std::mt19937 random(1);
	std::string pool, all;

	for (uint32_t i = 0; i < most; i++)
		file.put_sample(0, 1 + i, i);
	pool.swap(file.records);
	file.put_round();
	for (uint32_t i = 0; i < 40; i++) {
		size_t count = random() % 3 ? random() % 1000 : random() % most;

		want.push_back(pool.substr(random() % (most - count) * one, count * one));
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
	for (uint64_t trailing :
	     {UINT64_C(0), UINT64_C(8), UINT64_C(13), UINT64_C(1) << 20, UINT64_C(5000000)}) {
		std::string aux(40, '\0');

		memcpy(aux.data(), &trailing, sizeof(trailing));
		file.records.clear();
		file.put_sample(0, 1, 1);
		file.put_bytes(CAPTURE_RECORD_AUXTRACE, aux);
		file.records += std::string(trailing, '\x2');
		file.put_sample(0, 2, 2);
		file.put_bytes(CAPTURE_RECORD_TRACING_DATA, std::string("\5\0\0\0\0\0\0\0", 8));
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

TEST_F(Capture, CompressedFilesAreRefused)
{
	file.put_sample(0, 1);
	std::string all = bytes();
	capture_header header = header_of(all);

	header.flags[0] |= UINT64_C(1) << CAPTURE_COMPRESSED;
	set_header(&all, header);
	EXPECT_NE(refused(path_with(all))
			  .find("changed.data: was written by `perf record -z`, whose records are "
				"compressed\nrecord without -z"),
		  std::string::npos);
	for (uint32_t type : {CAPTURE_RECORD_COMPRESSED, CAPTURE_RECORD_COMPRESSED2}) {
		file.put_bytes(type, "xxxxxxxx");
		c = opened(file.write());
		capture_round round;
		error err{};
		EXPECT_EQ(capture_next_round(c, &round, &err), -ENOTSUP);
		EXPECT_NE(std::string(err.text).find("perf record -z"), std::string::npos);
		capture_close(c);
		c = nullptr;
		file.records.clear();
	}
}

TEST_F(Capture, WhatIsNoCaptureIsRefusedWithItsReason)
{
	std::string all = bytes(), path = file.scratch.path("changed.data");

	EXPECT_EQ(refused(file.scratch.path("none")),
		  file.scratch.path("none") + ": open: No such file or directory");
	EXPECT_EQ(refused(path_with("")), path + ": is empty");
	EXPECT_EQ(refused(path_with("PERF")),
		  path + ": is cut off: it should have 16 bytes at offset 0");
	EXPECT_EQ(refused(path_with(std::string(200, 'x'))), path + ": is no perf.data file");
	EXPECT_EQ(
		refused(path_with("2ELIFREP" + all.substr(8))),
		path + ": was recorded on a big-endian machine, and this one is little-endian; convert it on a "
		       "machine like that one");
	EXPECT_EQ(refused(path_with("PERFFILE" + all.substr(8))),
		  path + ": has the perf.data format of before 2009, which is not read");
	EXPECT_NE(refused(file.scratch.path("")).find("is a directory"), std::string::npos);
	ASSERT_EQ(mkfifo(file.scratch.path("fifo").c_str(), 0600), 0);
	EXPECT_NE(refused("/dev/null").find("is no ordinary file"), std::string::npos);

	capture_header header = header_of(all);
	header.size = 96;
	set_header(&all, header);
	EXPECT_EQ(refused(path_with(all)), path + ": has a header of 96 bytes, not of 104");
}

TEST_F(Capture, SectionsThatAreNotThereAreRefused)
{
	std::string all = bytes();
	const capture_header good = header_of(all);
	capture_header bad = good;

	bad.attrs.offset = all.size() - 10;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("is cut off: it should have 144 bytes at offset"),
		  std::string::npos);
	bad = good;
	bad.attrs.offset = UINT64_MAX - 3;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("is cut off"), std::string::npos);
	bad = good;
	bad.attr_size = 79;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has event attributes of 79 bytes"),
		  std::string::npos);
	bad.attr_size = UINT64_MAX;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has event attributes of"), std::string::npos);
	bad = good;
	bad.attrs.size = UINT64_MAX;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has more than 4096 events"), std::string::npos);
	bad = good;
	bad.attrs.size = 0;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("describes no events"), std::string::npos);
	bad = good;
	bad.data.offset = all.size() + 1;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("its records should begin at offset"),
		  std::string::npos);
	bad.data.offset = 8;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("its records should begin at offset"),
		  std::string::npos);

	/* The ids of the event, and the table in front. */
	set_header(&all, good);
	std::string broken = all;
	uint64_t huge = UINT64_MAX / 2;
	memcpy(broken.data() + good.attrs.offset + sizeof(perf_event_attr) + 8, &huge, 8);
	EXPECT_NE(refused(path_with(broken)).find("has more than 4194304 ids"), std::string::npos);
	broken = all;
	memcpy(broken.data() + sizeof(good) + sizeof(capture_front) + 8, &huge, 8);
	EXPECT_NE(refused(path_with(broken)).find("its feature section 12 claims"),
		  std::string::npos);
}

/* Each event alone may have as many ids as it claims, but not all together. */
TEST_F(Capture, IdsOfAllEventsTogetherAreLimited)
{
	std::string all = bytes();
	capture_header header = header_of(all);
	capture_attr attr;
	const uint64_t ids = CAPTURE_IDS_MAX / 2 + 1;

	memcpy(&attr, all.data() + header.attrs.offset, sizeof(attr));
	attr.ids = {all.size(), ids * 8};
	header.attrs = {all.size() + ids * 8, 2 * sizeof(attr)};
	set_header(&all, header);
	all.resize(header.attrs.offset);
	all.append(reinterpret_cast<char *>(&attr), sizeof(attr));
	all.append(reinterpret_cast<char *>(&attr), sizeof(attr));
	EXPECT_NE(refused(path_with(all)).find("has more than 4194304 ids"), std::string::npos);
	header.attrs.size = sizeof(attr);
	set_header(&all, header);
	c = opened(path_with(all));
	EXPECT_EQ(capture_info(c)->event[0].ids, ids);
}

/* The attr of another perf is shorter or longer; what both know is taken. */
TEST_F(Capture, AttrsOfOtherSizesAreRead)
{
	file.put_sample(0, 5, 7);
	for (size_t size :
	     {static_cast<size_t>(PERF_ATTR_SIZE_VER0), sizeof(perf_event_attr) + 16}) {
		std::string all = bytes(), attrs(size, '\xff'), ids;
		capture_header header = header_of(all);
		capture_section section;

		memcpy(attrs.data(), all.data() + header.attrs.offset,
		       std::min(size, sizeof(perf_event_attr)));
		memcpy(&section, all.data() + header.attrs.offset + sizeof(perf_event_attr),
		       sizeof(section));
		attrs.append(reinterpret_cast<char *>(&section), sizeof(section));
		header.attrs = {all.size(), attrs.size()};
		header.attr_size = attrs.size();
		set_header(&all, header);
		c = opened(path_with(all + attrs));
		const struct capture_info *info = capture_info(c);
		ASSERT_EQ(info->events, 1u);
		EXPECT_EQ(info->event[0].attr.sample_type, OUR_LAYOUT);
		EXPECT_EQ(info->event[0].attr.config, 100u);
		EXPECT_EQ(info->event[0].attr.sig_data, 0u);
		ASSERT_EQ(info->event[0].ids, 2u);
		EXPECT_EQ(info->event[0].id[1], 2u);
		tally books{};
		EXPECT_EQ(tags_of(read_ordered(c, &books)), (std::vector<uint32_t>{7}));
		capture_close(c);
		c = nullptr;
	}
}

TEST_F(Capture, EventsWithUnknownLayoutAreRefused)
{
	std::string all = bytes();
	capture_header header = header_of(all);
	uint64_t type = UINT64_C(1) << 40;

	memcpy(all.data() + header.attrs.offset + offsetof(perf_event_attr, sample_type), &type, 8);
	EXPECT_NE(refused(path_with(all))
			  .find("its samples have fields that this iotrace does not know"),
		  std::string::npos);
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

TEST(CaptureFind, EventsAreFoundByTheirIds)
{
	for (uint64_t base : {UINT64_C(5), UINT64_MAX - 100}) {
		for (uint64_t far : {UINT64_C(40), UINT64_C(5000000000)}) {
			StreamFile file;

			file.add_event("a:b", {base, base + 2});
			file.add_event("a:c", {base + 1, base + far});
			capture *c = opened(file.write());
			EXPECT_EQ(capture_find_event(c, base), 0u);
			EXPECT_EQ(capture_find_event(c, base + 2), 0u);
			EXPECT_EQ(capture_find_event(c, base + 1), 1u);
			EXPECT_EQ(capture_find_event(c, base + far), 1u);
			EXPECT_EQ(capture_find_event(c, base + 3), UINT32_MAX);
			EXPECT_EQ(capture_find_event(c, base - 1), UINT32_MAX);
			EXPECT_EQ(capture_find_event(c, base + far + 1), UINT32_MAX);
			capture_close(c);
		}
	}
	StreamFile file;
	file.add_event("a:b", {7});
	capture *c = opened(file.write());
	EXPECT_EQ(capture_find_event(c, 12345), 0u) << "the only one";
	capture_close(c);
}

TEST(CaptureFind, ManyEventsWithoutIdsAreNone)
{
	StreamFile file;

	file.add_event("a:b", {}, PERF_SAMPLE_TIME);
	file.add_event("a:c", {}, PERF_SAMPLE_TIME);
	file.put_sample(0, 1);
	capture *c = opened(file.write());
	sample s;
	EXPECT_EQ(capture_find_event(c, 0), UINT32_MAX);
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, UINT32_MAX);
	EXPECT_EQ(s.time, 1u);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsAreToldByTheId)
{
	StreamFile file;

	file.add_event("a:b", {7}, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME);
	file.add_event("a:c", {8},
		       PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_TID |
			       PERF_SAMPLE_CPU);
	file.put_sample(3, 10, 5, 1);
	size_t second = file.records.size();
	file.put_sample(0, 20, 0, 0);
	capture *c = opened(file.write());
	sample s;
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, 1u);
	EXPECT_EQ(s.tid, 5u);
	EXPECT_EQ(s.cpu, 3u);
	ASSERT_EQ(capture_parse(c, file.records.data() + second, &s), 0);
	EXPECT_EQ(s.event, 0u);
	EXPECT_EQ(s.time, 20u);
	/*
	 * A sample of nobody cannot be taken apart; a record that perf made up (id 0) is like the
	 * first event's.
	 */
	file.records[8] = 99;
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), -EBADMSG);
	EXPECT_EQ(s.type, static_cast<uint32_t>(PERF_RECORD_SAMPLE));
	file.records.clear();
	file.info.event[0].id[0] = 0;
	file.put_other(PERF_RECORD_COMM, 0, 30);
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.body_size, 16u);
	EXPECT_EQ(s.time, 30u);
	file.records[6] = 12;
	EXPECT_EQ(capture_parse(c, file.records.substr(0, 12).data(), &s), -EBADMSG);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsWithoutACommonPlaceAreRefused)
{
	StreamFile file;

	file.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	file.add_event("a:c", {8}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_IP);
	EXPECT_NE(refused(file.write()).find("events a:b and a:c have no id at a common place"),
		  std::string::npos);
}

TEST(CaptureFind, MixedLayoutsWithoutAnyIdAreRefused)
{
	StreamFile file;

	file.add_event("a:b", {}, PERF_SAMPLE_TIME);
	file.add_event("a:c", {}, PERF_SAMPLE_TIME | PERF_SAMPLE_TID);
	EXPECT_NE(refused(file.write()).find("have no id at a common place"), std::string::npos);
}

TEST(CaptureFind, TheIdMustBeAtOnePlaceInOtherRecordsToo)
{
	StreamFile file, other;

	file.add_event("a:b", {7}, OUR_LAYOUT, true);
	file.add_event("a:c", {8}, OUR_LAYOUT, false);
	EXPECT_NE(refused(file.write()).find("have no id at a common place"), std::string::npos);
	other.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	other.add_event("a:c", {8}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
	EXPECT_NE(refused(other.write()).find("have no id at a common place"), std::string::npos);
}

/* Each of the two differs from the other in one point only; both must be read by their own layout. */
TEST(CaptureFind, ADifferentReadFormatIsADifferentLayout)
{
	StreamFile file;
	sample s{}, out;

	file.add_event("a:b", {7}, OUR_LAYOUT | PERF_SAMPLE_READ);
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ, true, PERF_FORMAT_GROUP);
	s.type = PERF_RECORD_SAMPLE;
	s.id = 8;
	s.values = 3;
	s.value[2] = 99;
	file.put(s, 1);
	capture *c = opened(file.write());
	ASSERT_EQ(capture_parse(c, file.records.data(), &out), 0);
	EXPECT_EQ(out.values, 3u);
	EXPECT_EQ(out.value[2], 99u);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsWithoutTrailerHaveNone)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7}, OUR_LAYOUT, false);
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ, false);
	file.put_other(PERF_RECORD_COMM, 0, 0);
	capture *c = opened(file.write());
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.body_size, 16u);
	capture_close(c);
}

TEST(CaptureFind, UserRecordsAreOfNoEvent)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7});
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ);
	file.put_bytes(80, "");
	capture *c = opened(file.write());
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, UINT32_MAX);
	capture_close(c);
}

/* Memory of the record's size, so that ASan sees what is read beyond. */
TEST(CaptureFind, RecordsThatAreTooShortForTheirIdAreNotRead)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID);
	file.add_event("a:c", {8},
		       PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW);
	capture *c = opened(file.write());
	for (uint32_t type : {PERF_RECORD_SAMPLE, PERF_RECORD_COMM}) {
		for (uint16_t size = 8; size < 16; size++) {
			std::vector<uint8_t> record(size);
			perf_event_header header = {type, 0, size};

			memcpy(record.data(), &header, sizeof(header));
			record.shrink_to_fit();
			EXPECT_EQ(capture_parse(c, record.data(), &s), -EBADMSG);
		}
	}
	capture_close(c);
}

TEST(CaptureInfo, TooManyEventsAreRefused)
{
	struct capture_info info;
	perf_event_attr attr{};
	error err{};

	capture_info_init(&info);
	for (uint32_t i = 0; i < CAPTURE_EVENTS_MAX; i++)
		ASSERT_NE(capture_info_add_event(&info, &attr, "", nullptr, 0, &err), nullptr);
	EXPECT_EQ(capture_info_add_event(&info, &attr, "", nullptr, 0, &err), nullptr);
	EXPECT_STREQ(err.text, "more than 4096 events in one stream");
	attr.sample_type = UINT64_C(1) << 50;
	info.events--;
	free(info.event[info.events].name);
	free(info.event[info.events].id);
	EXPECT_EQ(capture_info_add_event(&info, &attr, "x:y", nullptr, 0, &err), nullptr);
	EXPECT_EQ(std::string(err.text).substr(0, 14), "event x:y: its");
	capture_info_release(&info);
}

TEST(CaptureInfo, AFormatIsKeptOnce)
{
	struct capture_info info;

	capture_info_init(&info);
	capture_info_add_format(&info, "a", "name: x\nID: 5\n");
	capture_info_add_format(&info, "a", "name: x\nID: 5\n");
	capture_info_add_format(&info, "b", "name: x\nID: 5\n");
	capture_info_add_format(&info, "a", "name: x\n");
	EXPECT_EQ(info.formats, 3u);
	EXPECT_EQ(info.format[0].id, 5u);
	EXPECT_EQ(info.format[2].id, UINT64_MAX);
	capture_info_release(&info);
}

TEST(CaptureInfo, FormatsBeyondALimitAreLeftOut)
{
	StreamFile file;

	file.add_event("a:b", {1});
	for (uint32_t i = 0; i < CAPTURE_FORMATS_MAX + 5; i++)
		capture_info_add_format(&file.info, "a", ("name: f" + std::to_string(i)).c_str());
	capture *c = opened(file.write());
	EXPECT_EQ(capture_info(c)->formats, static_cast<uint32_t>(CAPTURE_FORMATS_MAX));
	EXPECT_STREQ(capture_info(c)->format[0].text, "name: f0");
	capture_close(c);
}

TEST(CaptureInfo, OnlyTracepointsWithoutANameAreNamedByTheirFormat)
{
	StreamFile file;

	for (const char *name : {"", "my:own", ""})
		file.add_event(name, {1 + file.info.events});
	for (uint32_t i = 0; i < 3; i++)
		file.info.event[i].attr.config = 5;
	file.info.event[2].attr.type = PERF_TYPE_SOFTWARE;
	capture_info_add_format(&file.info, "a", "print: x\nID: 5\n");
	capture_info_add_format(&file.info, "a", "name: z\nID: 6\n");
	capture_info_add_format(&file.info, "a", "name: b\nID: 5\n");
	capture *c = opened(file.write());
	EXPECT_STREQ(capture_info(c)->event[0].name, "a:b");
	EXPECT_STREQ(capture_info(c)->event[1].name, "my:own");
	EXPECT_STREQ(capture_info(c)->event[2].name, "");
	capture_close(c);
}
