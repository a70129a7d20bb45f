// facts: what is put in can be read back, and stands where the rows of fact.def say.
#include "proc/facts.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace
{

constexpr uint64_t ID = 77;

class Facts : public testing::Test
{
      protected:
	struct sample_layout layout = {};
	struct facts facts = {};

	void SetUp() override
	{
		layout.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				     PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
		facts_init(&facts, &layout, ID);
	}

	void TearDown() override
	{
		facts_release(&facts);
	}

	struct Read {
		struct sample sample;
		struct fact fact;
	};

	std::vector<Read> all()
	{
		std::vector<Read> reads;

		for (uint32_t at = 0; at < facts.size;) {
			uint32_t size = sample_record_size(facts.bytes + at, facts.size - at);
			Read read = {};

			EXPECT_NE(size, 0u);
			if (!size)
				break;
			EXPECT_EQ(sample_parse(&read.sample, &layout, facts.bytes + at), 0);
			EXPECT_EQ(fact_decode(&read.fact, read.sample.raw, read.sample.raw_size),
				  0);
			reads.push_back(read);
			at += size;
		}
		return reads;
	}
};

using String = fact::fact_string;

String fact_text(const char *text)
{
	return {text, uint32_t(strlen(text))};
}

std::string text(const String &string)
{
	return {string.at, string.length};
}

TEST_F(Facts, AFactIsASampleOfNoCpu)
{
	struct fact fact = {};

	fact.kind = FACT_CWD;
	fact.number[0] = 42;
	fact.string[0] = fact_text("/tmp");
	facts_add(&facts, &fact, 42, 1000);
	auto reads = all();
	ASSERT_EQ(reads.size(), 1u);
	EXPECT_EQ(reads[0].sample.id, ID);
	EXPECT_EQ(reads[0].sample.cpu, SAMPLE_CPU_NONE);
	EXPECT_EQ(reads[0].sample.time, 1000u);
	EXPECT_EQ(reads[0].sample.pid, 42u);
	EXPECT_EQ(reads[0].fact.kind, FACT_CWD);
	EXPECT_EQ(reads[0].fact.number[0], 42u);
	EXPECT_EQ(text(reads[0].fact.string[0]), "/tmp");
}

TEST_F(Facts, StringsThatAreTooLongAreCut)
{
	std::string path(20000, 'x');
	struct fact fact = {};

	fact.kind = FACT_COMMAND;
	fact.string[0] = {path.data(), uint32_t(path.size())};
	fact.string[1] = fact_text("/");
	facts_add(&facts, &fact, 1, 1);
	auto reads = all();
	ASSERT_EQ(reads.size(), 1u);
	EXPECT_EQ(reads[0].fact.string[0].length, uint32_t(FACT_STRING_SIZE));
	EXPECT_EQ(text(reads[0].fact.string[1]), "/");
}

TEST_F(Facts, AFormatComesInParts)
{
	for (size_t length :
	     {size_t(0), size_t(1), size_t(FACTS_PART - 1), size_t(FACTS_PART), size_t(20001)}) {
		std::string format(length, 'f'), joined;

		for (size_t i = 0; i < length; i++)
			format[i] = char('a' + i % 26);
		facts_clear(&facts);
		facts_add_format(&facts, "task", "task_newtask", format.c_str(), 5);
		auto reads = all();
		for (size_t i = 0; i < reads.size(); i++) {
			EXPECT_EQ(reads[i].fact.number[0], i);
			EXPECT_EQ(reads[i].fact.number[1], reads.size());
			EXPECT_EQ(text(reads[i].fact.string[1]), "task_newtask");
			joined += text(reads[i].fact.string[2]);
		}
		EXPECT_EQ(joined, format);
	}
}

TEST_F(Facts, MoveAppendsAndEmpties)
{
	struct facts other;
	struct fact fact = {};

	facts_init(&other, &layout, ID);
	fact.kind = FACT_EXIT;
	facts_add(&facts, &fact, 1, 1);
	for (uint64_t time = 2; time < 100; time++)
		facts_add(&other, &fact, 1, time);
	facts_move(&facts, &other);
	EXPECT_EQ(other.size, 0u);
	facts_move(&facts, &other);
	auto reads = all();
	ASSERT_EQ(reads.size(), 99u);
	for (size_t i = 0; i < reads.size(); i++)
		EXPECT_EQ(reads[i].sample.time, i + 1);
	facts_release(&other);
}

// Facts are filled by position; these are the positions.
TEST(FactRows, NumbersAndStringsInTheirOrder)
{
	EXPECT_STREQ(
		fact_number_names(FACT_HOST),
		"version page_size cpus realtime_offset ticks mode block block_mode sample_interval is_joined");
	EXPECT_STREQ(fact_string_names(FACT_HOST), "hostname release machine iotrace_version");
	EXPECT_STREQ(fact_number_names(FACT_FORMAT), "part parts");
	EXPECT_STREQ(fact_string_names(FACT_FORMAT), "system name text");
	EXPECT_STREQ(fact_number_names(FACT_COMMAND), "pid is_cut has_rank rank ranks selection");
	EXPECT_STREQ(fact_string_names(FACT_COMMAND), "argv cwd archive");
	EXPECT_STREQ(fact_number_names(FACT_TASK),
		     "tid pid ppid start_time is_foreign is_excluded is_cut has_rank rank ranks");
	EXPECT_STREQ(fact_string_names(FACT_TASK), "comm exe argv");
	EXPECT_STREQ(fact_number_names(FACT_CWD), "pid t0 error");
	EXPECT_STREQ(fact_number_names(FACT_ROOT), "pid t0 error mount_namespace");
	EXPECT_STREQ(fact_number_names(FACT_FD),
		     "pid fd t0 error flags pos dev ino mode nlink mnt_id reason tid is_deleted");
	EXPECT_STREQ(fact_number_names(FACT_MOUNT), "mnt_id dev");
	EXPECT_STREQ(fact_string_names(FACT_MOUNT), "mount_point source type");
	EXPECT_STREQ(fact_number_names(FACT_EXE),
		     "pid t0 error is_foreign is_excluded is_cut has_rank rank ranks");
	EXPECT_STREQ(fact_number_names(FACT_COUNT), "event counted lost has_lost is_inexact");
	EXPECT_STREQ(fact_number_names(FACT_LOOKUPS), "done gone");
	EXPECT_STREQ(fact_number_names(FACT_EXIT), "pid status");
	EXPECT_STREQ(fact_number_names(FACT_END), "reason dropped error cpu_some_us");
}

} // namespace
