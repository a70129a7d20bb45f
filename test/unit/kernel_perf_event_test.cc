// perf_event, counter, rights: what needs no kernel of them.
#include "error_lines.h"
#include "perf/counter.h"
#include "perf/perf_event.h"
#include "rights/rights.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iotrace/error.h>
#include <vector>

#include <gtest/gtest.h>

namespace
{

class PerfSet : public testing::Test
{
      protected:
	struct perf_set set;

	void SetUp() override
	{
		perf_set_init(&set);
	}

	void TearDown() override
	{
		perf_set_release(&set);
	}

	std::vector<uint32_t> cpus(const char *text)
	{
		perf_set_release(&set);
		if (perf_set_cpus(&set, text))
			return {UINT32_MAX};
		return {set.cpu, set.cpu + set.cpus};
	}
};

using List = std::vector<uint32_t>;

TEST_F(PerfSet, Cpus)
{
	EXPECT_EQ(cpus("0\n"), (List{0}));
	EXPECT_EQ(cpus("0-3\n"), (List{0, 1, 2, 3}));
	EXPECT_EQ(cpus("0-1,4,8-9\n"), (List{0, 1, 4, 8, 9}));
	EXPECT_EQ(cpus("2"), (List{2}));
}

TEST_F(PerfSet, CpusThatMayComeAreBehindThoseThatAreOnline)
{
	ASSERT_EQ(cpus("0,2\n"), (List{0, 2}));
	ASSERT_EQ(perf_set_spares(&set, "0-4\n"), 0);
	EXPECT_EQ(List(set.cpu, set.cpu + set.cpus), (List{0, 2, 1, 3, 4}));
	EXPECT_EQ(set.online, 2u);
	EXPECT_FALSE(perf_set_follows(&set, 3)) << "no ring is mapped";
	EXPECT_FALSE(perf_set_follows(&set, 7));
}

TEST_F(PerfSet, WhatIsNoListOfCpusThatMayCome)
{
	ASSERT_EQ(cpus("0\n"), (List{0}));
	EXPECT_EQ(perf_set_spares(&set, "0-3,x\n"), -EBADMSG);
	EXPECT_EQ(List(set.cpu, set.cpu + set.cpus), (List{0}));
}

TEST_F(PerfSet, WhatIsNoListOfCpus)
{
	for (const char *text : {"", "\n", "x", "-1", "3-1\n", "0,3-1\n", "0-99999999\n", "0;1\n",
				 "0-x\n", "18446744073709551616\n"})
		EXPECT_EQ(cpus(text), (List{UINT32_MAX})) << text;
}

TEST_F(PerfSet, BoundOnSpecs)
{
	struct perf_event_attr attr;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	for (int i = 0; i < PERF_SPECS_MAX; i++)
		EXPECT_EQ(perf_set_add(&set, ROLE_COUNTER, &attr, "x", strdup("id==1"),
				       PERF_NO_LEADER),
			  i);
	EXPECT_EQ(perf_set_add(&set, ROLE_COUNTER, &attr, "x", strdup("id==1"), PERF_NO_LEADER),
		  -E2BIG);
}

TEST(Counter, SoftwareEventsByName)
{
	struct perf_event_attr attr;
	struct error err = {};

	ASSERT_EQ(counter_find("page-faults", &attr, &err), 0) << err.text;
	EXPECT_EQ(attr.type, uint32_t(PERF_TYPE_SOFTWARE));
	EXPECT_EQ(attr.config, uint64_t(PERF_COUNT_SW_PAGE_FAULTS));
	ASSERT_EQ(counter_find("context-switches", &attr, &err), 0) << err.text;
	EXPECT_EQ(attr.config, uint64_t(PERF_COUNT_SW_CONTEXT_SWITCHES));
}

TEST(Counter, UnknownNameIsAnsweredWithNearOnes)
{
	struct perf_event_attr attr;
	struct error err = {};

	EXPECT_EQ(counter_find("page-faluts", &attr, &err), -EINVAL);
	EXPECT_STREQ(err.text, "-E page-faluts: there is no counter with that name");
	EXPECT_NE(strcasestr(error_lines(err).c_str(), "did you mean page-faults"), nullptr)
		<< err.text;
}

TEST_F(PerfSet, CountersAreTheGroupOfTheirLeader)
{
	static const char *const names[] = {"page-faults", "task-clock"};
	struct perf_event_attr attr;
	struct error err = {};

	perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, 1);
	int leader = perf_set_add(&set, ROLE_EXIT, &attr, "x", nullptr, PERF_NO_LEADER);
	ASSERT_EQ(counter_add(&set, leader, names, 2, &err), 0) << err.text;
	EXPECT_EQ(set.specs, 3u);
	EXPECT_TRUE(set.spec[0].attr.sample_type & PERF_SAMPLE_READ);
	EXPECT_TRUE(set.spec[0].attr.read_format & PERF_FORMAT_GROUP);
	EXPECT_STREQ(set.spec[1].name, "iotrace:counter:page-faults");
	EXPECT_EQ(set.spec[2].leader, leader);
	EXPECT_EQ(set.spec[2].role, ROLE_COUNTER);
}

TEST_F(PerfSet, NoCountersChangeNothing)
{
	struct perf_event_attr attr;

	perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, 1);
	int leader = perf_set_add(&set, ROLE_EXIT, &attr, "x", nullptr, PERF_NO_LEADER);
	EXPECT_EQ(counter_add(&set, leader, nullptr, 0, nullptr), 0);
	EXPECT_FALSE(set.spec[0].attr.sample_type & PERF_SAMPLE_READ);
}

TEST_F(PerfSet, TooManyCounters)
{
	const char *names[17];
	struct error err = {};

	for (auto &name : names)
		name = "page-faults";
	EXPECT_EQ(counter_add(&set, 0, names, 17, &err), -E2BIG);
	EXPECT_EQ(error_lines(err), "17 counters: at most 16 can be read together");
}

TEST(Rights, NumberOfAFile)
{
	EXPECT_EQ(rights_number("/nowhere", 5), 5);
	EXPECT_NE(rights_number("/proc/sys/kernel/pid_max", -1), -1);
}

/* A user knows the word behind -E, not the name that the event has in a capture. */
TEST(Rights, CountersAreNamedAsTheUserDid)
{
	for (int code : {EACCES, EMFILE, ENOSPC, ENOENT, ENODEV, EINVAL}) {
		struct error err = {};

		rights_explain(&err, code, "iotrace:counter:cycles", 0, 10);
		EXPECT_EQ(strstr(error_lines(err).c_str(), "iotrace:"), nullptr) << err.text;
		EXPECT_NE(strstr(error_lines(err).c_str(), "cycles"), nullptr) << err.text;
	}
	struct error err = {};
	rights_explain(&err, ENOENT, "iotrace:counter:cycles", 0, 10);
	EXPECT_NE(strstr(error_lines(err).c_str(), "-E cycles: this machine cannot count it"),
		  nullptr)
		<< err.text;
}

TEST(Rights, AllThatIsInTheWayIsNamedAtOnce)
{
	struct error err = {};

	EXPECT_EQ(rights_explain_all(&err, EACCES, true), -EACCES);
	std::string text = error_lines(err);
	EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
	for (const char *word : {"tracefs", "mount -o remount", "setcap"})
		EXPECT_NE(strstr(error_lines(err).c_str(), word), nullptr) << err.text;
}

TEST(Counter, OnlyNearNamesAreOffered)
{
	struct perf_event_attr attr;
	struct error far = {}, near = {};

	EXPECT_NE(counter_find("bogusness", &attr, &far), 0);
	EXPECT_EQ(strstr(error_lines(far).c_str(), "did you mean"), nullptr) << far.text;
	EXPECT_NE(strstr(error_lines(far).c_str(), "page-faults, context-switches"), nullptr)
		<< far.text;
	EXPECT_NE(counter_find("page-fautls", &attr, &near), 0);
	EXPECT_NE(strstr(error_lines(near).c_str(), "did you mean page-faults"), nullptr)
		<< near.text;
}

TEST(Rights, ThreeLinesAtMostAndTheCommand)
{
	for (int code : {EACCES, EPERM, EMFILE, ENOSYS, ENOSPC, ENOENT, EINVAL}) {
		struct error err = {};

		EXPECT_EQ(rights_explain(&err, code, "raw_syscalls:sys_enter", 7, 1000), -code);
		std::string text = error_lines(err);
		EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 2) << text;
	}
	struct error err = {};
	rights_explain(&err, EACCES, "raw_syscalls:sys_enter", 0, 0);
	EXPECT_NE(strstr(error_lines(err).c_str(),
			 "setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_nice+ep /"),
		  nullptr)
		<< err.text;
	rights_explain(&err, EACCES, "raw_syscalls:sys_enter", RIGHTS_MACHINE, 0);
	if (rights_number("/proc/sys/kernel/perf_event_paranoid", 2) >= 0)
		EXPECT_NE(strstr(error_lines(err).c_str(), "sysctl kernel.perf_event_paranoid=-1"),
			  nullptr)
			<< err.text;
	rights_explain(&err, EMFILE, "raw_syscalls:sys_enter", 0, 4711);
	EXPECT_NE(strstr(error_lines(err).c_str(), "ulimit -n 4711"), nullptr) << err.text;
}

} // namespace
