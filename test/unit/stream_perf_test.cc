/*
 * capture: files that `perf record` wrote, read right.
 */
#include "stream_build.h"
#include "test_source.h"

#include <gtest/gtest.h>

#include <map>

namespace
{

capture *golden(const std::string &name)
{
	error err{};
	std::string path = test_source("golden/captures/perf-record-") + name + ".data";
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

	EXPECT_NE(c, nullptr) << err.text;
	return c;
}

/* How many records of each type there are; checks what holds for all. */
std::map<uint32_t, uint32_t> types_of(capture *c)
{
	std::map<uint32_t, uint32_t> types;
	tally books{};
	int rc = -1;
	uint64_t reached = 0;

	for (const Seen &s : read_ordered(c, &books, &rc)) {
		types[s.type]++;
		EXPECT_GE(s.time, reached);
		EXPECT_FALSE(s.is_late);
		if (s.type == PERF_RECORD_SAMPLE) {
			EXPECT_LT(s.event, capture_info(c)->events);
		}
		reached = s.time;
	}
	EXPECT_EQ(rc, 0);
	EXPECT_EQ(tally_get(&books, malformed), 0u);
	EXPECT_EQ(capture_torn(c), 0u);
	return types;
}

const std::map<uint32_t, uint32_t> records_of_true = {{PERF_RECORD_MMAP, 1},
						      {PERF_RECORD_COMM, 2},
						      {PERF_RECORD_EXIT, 1},
						      {PERF_RECORD_SAMPLE, 58},
						      {PERF_RECORD_MMAP2, 4}};

void expect_two_events(const struct capture_info *info)
{
	ASSERT_EQ(info->events, 2u);
	EXPECT_STREQ(info->event[0].name, "raw_syscalls:sys_enter");
	EXPECT_STREQ(info->event[1].name, "raw_syscalls:sys_exit");
	EXPECT_EQ(info->event[0].ids, 2u);
	EXPECT_EQ(info->event[0].attr.config, 443u);
	EXPECT_STREQ(info->hostname, "vm");
	EXPECT_STREQ(info->machine, "x86_64");
	EXPECT_STREQ(info->version, "6.1.187");
	EXPECT_EQ(info->cpus, 2u);
	EXPECT_EQ(info->page_size, 4096u);
	ASSERT_EQ(info->formats, 2u);
	EXPECT_STREQ(info->format[0].system, "raw_syscalls");
	EXPECT_EQ(std::string(info->format[0].text).substr(0, 6), "name: ");
	EXPECT_NE(std::string(info->header_page).find("field: u64 timestamp"), std::string::npos);
	EXPECT_NE(std::string(info->header_event).find("type_len"), std::string::npos);
}

} // namespace

TEST(PerfRecord, AFileIsReadRight)
{
	capture *c = golden("true");

	expect_two_events(capture_info(c));
	EXPECT_STREQ(capture_info(c)->cmdline,
		     "/usr/bin/perf record -q -e raw_syscalls:sys_enter -e "
		     "raw_syscalls:sys_exit -o perf-record-true.data true");
	EXPECT_EQ(types_of(c), records_of_true);
	capture_close(c);
}

TEST(PerfRecord, APipeIsReadRight)
{
	capture *c = golden("pipe");

	expect_two_events(capture_info(c));
	EXPECT_EQ(types_of(c), records_of_true);
	capture_close(c);
}

TEST(PerfRecord, OneEventNeedsNoId)
{
	capture *c = golden("openat");

	ASSERT_EQ(capture_info(c)->events, 1u);
	EXPECT_STREQ(capture_info(c)->event[0].name, "syscalls:sys_enter_openat");
	EXPECT_EQ(types_of(c)[PERF_RECORD_SAMPLE], 31u);
	capture_close(c);
}

TEST(PerfRecord, TimesAndThreadsAreThoseThatPerfScriptPrints)
{
	capture *c = golden("true");
	tally books{};
	std::vector<Seen> seen = read_ordered(c, &books), samples;

	for (const Seen &s : seen) {
		if (s.type == PERF_RECORD_SAMPLE)
			samples.push_back(s);
	}
	ASSERT_EQ(samples.size(), 58u);
	EXPECT_EQ(samples.front().time, 5525290699732u);
	EXPECT_EQ(samples.front().event, 1u);
	EXPECT_EQ(samples.front().tag, 13460u);
	EXPECT_EQ(samples.back().time, 5525291169321u);
	EXPECT_EQ(samples.back().event, 0u);
	capture_close(c);
}

/* Without the section that has the names, they are found by number in the formats. */
TEST(PerfRecord, TracepointsAreNamedByTheirFormats)
{
	std::string bytes = read_file(test_source("golden/captures/perf-record-true.data"));
	ScratchDir scratch;
	uint64_t flags;
	capture *c;

	/* TRACING_DATA is the first in the table, so the others may go. */
	memcpy(&flags, bytes.data() + 72, sizeof(flags));
	ASSERT_EQ(flags & 3, 2u);
	flags = 2;
	memcpy(bytes.data() + 72, &flags, sizeof(flags));
	write_file(scratch.path("x"), bytes);
	c = capture_open(scratch.path("x").c_str(), nullptr, nullptr, nullptr);
	ASSERT_NE(c, nullptr);
	EXPECT_STREQ(capture_info(c)->event[0].name, "raw_syscalls:sys_enter");
	EXPECT_STREQ(capture_info(c)->event[1].name, "raw_syscalls:sys_exit");
	EXPECT_EQ(capture_info(c)->hostname, nullptr);
	capture_close(c);
}

TEST(PerfRecord, DamagedFeaturesAreNamed)
{
	const std::string good = read_file(test_source("golden/captures/perf-record-true.data"));
	ScratchDir scratch;
	error err{};

	for (const char *text : {"tracing0.6", "header_page", "header_event"}) {
		std::string bad = good;
		size_t at = bad.find(text);

		ASSERT_NE(at, std::string::npos);
		bad[at] = '?';
		write_file(scratch.path("x"), bad);
		EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr)
			<< text;
		EXPECT_EQ(std::string(err.text),
			  scratch.path("x") + ": its section TRACING_DATA is damaged");
	}
	std::string bad = good;
	bad[bad.find("tracing0.6") + 9] = '7';
	write_file(scratch.path("x"), bad);
	EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr);
	EXPECT_NE(std::string(err.text).find(
			  "its tracing data has version 0.7; iotrace reads 0.5 and 0.6"),
		  std::string::npos);
	bad = good;
	bad[bad.find("tracing0.6") + 11] = 1;
	write_file(scratch.path("x"), bad);
	EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr);
	EXPECT_NE(std::string(err.text).find(
			  "its tracing data has the byte order of another machine"),
		  std::string::npos);
}

TEST(PerfRecord, AStringThatIsTooLongForItsSectionIsDamage)
{
	std::string bytes = read_file(test_source("golden/captures/perf-record-true.data"));
	/* HOSTNAME: a size of 64, then the text. */
	size_t at = bytes.find(std::string("\x40\0\0\0vm\0", 7));
	ScratchDir scratch;
	error err{};

	ASSERT_NE(at, std::string::npos);
	bytes[at] = 0x41;
	write_file(scratch.path("x"), bytes);
	EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr);
	EXPECT_EQ(std::string(err.text), scratch.path("x") + ": its section HOSTNAME is damaged");
}

TEST(PerfRecord, AFileThatWasCutHasNoFeaturesButItsRecords)
{
	std::string bytes = read_file(test_source("golden/captures/perf-record-true.data"));
	ScratchDir scratch;
	tally books{};
	uint64_t data[2];

	memcpy(data, bytes.data() + 40, sizeof(data));
	write_file(scratch.path("x"), bytes.substr(0, data[0] + data[1] - 100));
	capture *c = capture_open(scratch.path("x").c_str(), nullptr, nullptr, nullptr);
	ASSERT_NE(c, nullptr);
	EXPECT_STREQ(capture_info(c)->event[0].name, "");
	EXPECT_GT(read_ordered(c, &books).size(), 60u);
	EXPECT_GE(capture_torn(c), 100u);
	capture_close(c);
}

TEST(PerfRecord, APipeThatClaimsTooMuchTracingDataIsRefused)
{
	std::string bytes = read_file(test_source("golden/captures/perf-record-pipe.data"));
	size_t at = bytes.find("\x17\x08\x44tracing");
	uint32_t huge = 3000000000, more = 20000;
	ScratchDir scratch;
	error err{};

	ASSERT_NE(at, std::string::npos);
	memcpy(bytes.data() + at - 8, &huge, sizeof(huge));
	write_file(scratch.path("x"), bytes);
	EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr);
	EXPECT_EQ(std::string(err.text),
		  scratch.path("x") + ": claims 3000000000 bytes of tracing data");
	memcpy(bytes.data() + at - 8, &more, sizeof(more));
	write_file(scratch.path("x"), bytes);
	EXPECT_EQ(capture_open(scratch.path("x").c_str(), nullptr, nullptr, &err), nullptr);
	EXPECT_NE(std::string(err.text).find("is truncated"), std::string::npos);
}

TEST(PerfRecord, AFileWithoutASingleRecordWhosePerfWasKilledIsRead)
{
	std::string bytes = read_file(test_source("golden/captures/perf-record-true.data"));
	ScratchDir scratch;
	capture_round round;
	uint64_t data, none = 0;

	memcpy(&data, bytes.data() + 40, sizeof(data));
	memcpy(bytes.data() + 48, &none, sizeof(none));
	write_file(scratch.path("x"), bytes.substr(0, data));
	capture *c = capture_open(scratch.path("x").c_str(), nullptr, nullptr, nullptr);
	ASSERT_NE(c, nullptr);
	EXPECT_EQ(capture_next_round(c, &round, nullptr), 0);
	EXPECT_EQ(capture_torn(c), 0u);
	capture_close(c);
}
