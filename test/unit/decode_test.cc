/*
 * Samples to events, with the saved formats of a kernel and with those of captures that others
 * made.
 */
#include "decode_capture.h"
#include "error_lines.h"

#include <gtest/gtest.h>
#include <memory>
#include <sys/syscall.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

Decoder open_capture(Capture &capture)
{
	error err{};
	Decoder d(capture.open(&err), decode_free);

	EXPECT_NE(d, nullptr) << err.text;
	return d;
}

call_id call_named(const char *name)
{
	return call_by_name(name, strlen(name));
}

void expect_books(const Capture &c, uint64_t events, uint64_t ignored, uint64_t malformed)
{
	EXPECT_EQ(c.count(TALLY_events), events);
	EXPECT_EQ(c.count(TALLY_ignored), ignored);
	EXPECT_EQ(c.count(TALLY_malformed), malformed);
	EXPECT_EQ(c.count(TALLY_samples), events + ignored + malformed);
}

Raw raw_enter(uint64_t number)
{
	Raw raw;

	raw.put(8, 8, number);
	for (uint64_t i = 0; i < 6; i++)
		raw.put(16 + 8 * i, 8, 11 * (i + 1));
	return raw;
}

TEST(Decode, RawEnter)
{
	Capture c;
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter");
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_pread64);
	sample s = raw.sample(enter);
	event e;

	memset(&e, 0xaa, sizeof(e));
	ASSERT_EQ(decode_sample(d.get(), &s, true, &e), 1);
	EXPECT_EQ(e.kind, EVENT_SYSCALL_ENTER);
	EXPECT_EQ(e.pid, 100U);
	EXPECT_EQ(e.tid, 101U);
	EXPECT_EQ(e.cpu, 3U);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_TRUE(e.is_late);
	EXPECT_EQ(e.enter.call, call_named("pread64"));
	for (uint64_t i = 0; i < 6; i++)
		EXPECT_EQ(e.enter.arg[i], 11 * (i + 1));
	EXPECT_EQ(e.enter.path[0].at, nullptr);
	EXPECT_EQ(e.enter.path[1].at, nullptr);
	expect_books(c, 1, 0, 0);
}

TEST(Decode, RawExit)
{
	Capture c;
	uint32_t exit = c.add_saved("raw_syscalls", "sys_exit");
	Decoder d = open_capture(c);
	Raw raw;
	event e;

	raw.put(8, 8, SYS_read).put(16, 8, static_cast<uint64_t>(-11));
	sample s = raw.sample(exit);
	memset(&e, 0xaa, sizeof(e));
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.kind, EVENT_SYSCALL_EXIT);
	EXPECT_FALSE(e.is_late);
	EXPECT_EQ(e.exit.call, call_named("read"));
	EXPECT_EQ(e.exit.result, -11);
	EXPECT_EQ(e.exit.counters, 0U);
}

TEST(Decode, ACallOfATaskWithoutANumberIsIgnored)
{
	Capture c;
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter");
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_pread64);
	sample s = raw.sample(enter);
	event e;

	s.pid = s.tid = 0; /* as another pid namespace sees it */
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	expect_books(c, 0, 1, 0);
}

TEST(Decode, ARawSampleOneByteShortIsMalformed)
{
	Capture c;
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter");
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_read);
	event e;

	raw.bytes.resize(63);
	raw.bytes.shrink_to_fit();
	sample s = raw.sample(enter);
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	s.raw = nullptr;
	s.raw_size = 0;
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	expect_books(c, 0, 0, 2);
}

TEST(Decode, CallsOutsideTheTableAreIgnored)
{
	Capture c;
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter"),
		 exit = c.add_saved("raw_syscalls", "sys_exit");
	uint32_t getpid = c.add_tracepoint("syscalls", "sys_enter_getpid",
					   format_text("sys_enter_getpid", 77,
						       "\tfield:int __syscall_nr;"
						       "\toffset:8;\tsize:4;\tsigned:1;\n"));
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_getpid);
	event e;

	for (uint32_t index : {enter, exit, getpid}) {
		sample s = raw.sample(index);

		EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	}
	expect_books(c, 0, 3, 0);
}

TEST(Decode, EventsThatAreNotKnown)
{
	Capture c;
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter");
	uint32_t cycles = c.add_event("cycles", PERF_TYPE_HARDWARE, 0);
	uint32_t formless = c.add_event("sched:sched_switch", PERF_TYPE_TRACEPOINT, 4711);
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_read);
	event e;

	for (uint32_t index : {enter, cycles, formless, UINT32_MAX, formless + 1}) {
		sample s = raw.sample(index);

		EXPECT_EQ(decode_sample(d.get(), &s, false, &e), index == enter);
	}
	expect_books(c, 1, 1, 3);
}

TEST(Decode, EnterOfOneCall)
{
	Capture c;
	uint32_t enter = c.add_saved("syscalls", "sys_enter_openat");
	uint32_t sync = c.add_saved("syscalls", "sys_enter_sync");
	Decoder d = open_capture(c);
	Raw raw;
	event e;

	raw.put(8, 4, SYS_openat)
		.put(16, 8, 0xffffff9c)
		.put(24, 8, 0x7ffd)
		.put(32, 8, 0x42)
		.put(40, 8, 0644);
	sample s = raw.sample(enter);
	memset(&e, 0xaa, sizeof(e));
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.enter.call, call_named("openat"));
	EXPECT_EQ(static_cast<int32_t>(e.enter.arg[0]), -100);
	EXPECT_EQ(e.enter.arg[1], 0x7ffdU);
	EXPECT_EQ(e.enter.arg[2], 0x42U);
	EXPECT_EQ(e.enter.arg[3], 0644U);
	EXPECT_EQ(e.enter.arg[4], 0U);
	EXPECT_EQ(e.enter.path[0].at, nullptr);
	raw.bytes.resize(47);
	s = raw.sample(enter);
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	s = raw.sample(sync);
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	s.raw = nullptr;
	s.raw_size = 0;
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0)
		<< "without an argument, it still has a number";
	expect_books(c, 2, 0, 2);
}

TEST(Decode, ExitOfOneCall)
{
	Capture c;
	uint32_t exit = c.add_saved("syscalls", "sys_exit_openat");
	Decoder d = open_capture(c);
	Raw raw;
	event e;

	raw.put(8, 4, SYS_openat).put(16, 8, 7);
	sample s = raw.sample(exit);
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.kind, EVENT_SYSCALL_EXIT);
	EXPECT_EQ(e.exit.call, call_named("openat"));
	EXPECT_EQ(e.exit.result, 7);
}

/* A later kernel: fields in another order, other sizes, and the path that the pointer points to. */
const std::string shuffled =
	format_text("sys_enter_openat", 99,
		    "\tfield:int __syscall_nr;\toffset:30;\tsize:4;\tsigned:1;\n"
		    "\tfield:int dfd;\toffset:12;\tsize:4;\tsigned:1;\n"
		    "\tfield:const char * filename;\toffset:16;\tsize:8;\tsigned:0;\n"
		    "\tfield:int flags;\toffset:8;\tsize:4;\tsigned:0;\n"
		    "\tfield:umode_t mode;\toffset:28;\tsize:2;\tsigned:0;\n"
		    "\tfield:__data_loc char[] __filename_val;\toffset:24;\tsize:4;\tsigned:0;\n");

Raw shuffled_sample(uint16_t offset, uint16_t length, const std::string &path)
{
	Raw raw;

	raw.put(30, 4, SYS_openat)
		.put(12, 4, 0xffffff9c)
		.put(16, 8, 0xbeef)
		.put(8, 4, 0x80000000)
		.put(28, 2, 0600);
	raw.put(24, 4, uint32_t(length) << 16 | offset);
	return raw.add(path);
}

TEST(Decode, OtherLayoutsWithPaths)
{
	Capture c;
	uint32_t enter = c.add_tracepoint("syscalls", "sys_enter_openat", shuffled);
	Decoder d = open_capture(c);
	Raw raw = shuffled_sample(34, 9, std::string("/etc/abc\0", 9));
	sample s = raw.sample(enter);
	event e;

	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(static_cast<int64_t>(e.enter.arg[0]), -100);
	EXPECT_EQ(e.enter.arg[1], 0xbeefU);
	EXPECT_EQ(e.enter.arg[2], 0x80000000U);
	EXPECT_EQ(e.enter.arg[3], 0600U);
	EXPECT_EQ(text_of(e.enter.path[0]), "/etc/abc");
	EXPECT_EQ(e.enter.path[1].at, nullptr);
}

TEST(Decode, StringsStayInsideTheirSample)
{
	const struct {
		uint16_t offset, length;
		const char *path; /* NULL: malformed */
	} cases[] = {
		{34, 4, "/abc"},  {34, 5, nullptr},          {38, 0, ""},
		{39, 0, nullptr}, {0xffff, 0xffff, nullptr}, {35, 3, "abc"},
	};

	for (const auto &k : cases) {
		Capture c;
		uint32_t enter = c.add_tracepoint("syscalls", "sys_enter_openat", shuffled);
		Decoder d = open_capture(c);
		Raw raw = shuffled_sample(k.offset, k.length, "/abc");
		sample s = raw.sample(enter);
		event e;

		EXPECT_EQ(decode_sample(d.get(), &s, false, &e), k.path != nullptr)
			<< k.offset << " " << k.length;
		if (k.path) {
			EXPECT_EQ(text_of(e.enter.path[0]), k.path);
		}
	}
}

TEST(Decode, RelativeStringsCountFromTheEndOfTheirField)
{
	std::string text = shuffled;
	Capture c;

	text.replace(text.find("__data_loc"), 10, "__rel_loc");
	uint32_t enter = c.add_tracepoint("syscalls", "sys_enter_openat", text);
	Decoder d = open_capture(c);
	Raw raw = shuffled_sample(6, 4, "/abc");
	sample s = raw.sample(enter);
	event e;

	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(text_of(e.enter.path[0]), "/abc");
}

TEST(Decode, AnEventIsFoundByItsIdWhateverItsName)
{
	std::string text = saved_format("raw_syscalls", "sys_exit");

	for (const char *name : {"", "mine"}) {
		Capture c;

		c.add_format("raw_syscalls", text);
		uint32_t index = c.add_event(name, PERF_TYPE_TRACEPOINT, format_id(text));
		Decoder d = open_capture(c);
		Raw raw;
		event e;
		sample s = raw.put(8, 8, SYS_read).put(16, 8, 1).sample(index);

		EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	}
}

TEST(Decode, AMissingFieldFailsTheSetUp)
{
	Capture c;
	std::string text = saved_format("raw_syscalls", "sys_exit");
	char release[] = "5.4.0-77";
	error err{};

	text.replace(text.find("long ret"), 8, "long rat");
	c.add_tracepoint("raw_syscalls", "sys_exit", text);
	c.info.release = release;
	EXPECT_EQ(c.open(&err), nullptr);
	EXPECT_EQ(error_lines(err).substr(0, 71),
		  "tracepoint raw_syscalls:sys_exit of Linux 5.4.0-77 has no field \"ret\"\ni");
}

TEST(Decode, SamplesWithoutTimesFailTheSetUp)
{
	const struct {
		uint64_t bit;
		const char *what;
	} bits[] = {{PERF_SAMPLE_TIME, "times"},
		    {PERF_SAMPLE_TID, "thread ids"},
		    {PERF_SAMPLE_RAW, "the fields"}};

	for (const auto &b : bits) {
		Capture c;
		error err{};

		c.add_saved("raw_syscalls", "sys_exit");
		c.events[0].attr.sample_type &= ~b.bit;
		EXPECT_EQ(c.open(&err), nullptr);
		EXPECT_NE(error_lines(err).find(
				  std::string("event raw_syscalls:sys_exit was recorded without ") +
				  b.what),
			  std::string::npos)
			<< err.text;
	}
}

TEST(Decode, ACaptureWithoutAnyFormatFailsTheSetUp)
{
	Capture c;
	error err{};

	c.add_event("", PERF_TYPE_TRACEPOINT, 443);
	c.add_event("cycles", PERF_TYPE_HARDWARE, 0);
	EXPECT_EQ(c.open(&err), nullptr);
	EXPECT_EQ(error_lines(err),
		  "the capture has no formats of its tracepoints, because its recording was killed "
		  "before it wrote them");
}

TEST(Decode, NumbersOfAnotherMachineAreLeftOut)
{
	Capture c;
	uint32_t raw_index = c.add_saved("raw_syscalls", "sys_enter");
	uint32_t named = c.add_saved("syscalls", "sys_enter_close");
	char machine[] = "sparc64";

	c.info.machine = machine;
	Decoder d = open_capture(c);
	Raw raw = raw_enter(SYS_read);
	sample s = raw.sample(raw_index);
	event e;

	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	s = raw.sample(named);
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	expect_books(c, 1, 1, 0);
	EXPECT_NE(warnings(d.get()).at(0).find("recorded on sparc64"), std::string::npos);
}

TEST(Decode, CountersAreMergedByName)
{
	Capture c;
	uint32_t exit = c.add_saved("raw_syscalls", "sys_exit");

	c.add_event("iotrace:counter:instructions", PERF_TYPE_HARDWARE, 1, {10, 11});
	c.add_event("iotrace:counter:page-faults", PERF_TYPE_SOFTWARE, 2, {20, 21});
	c.add_event("iotrace:counter:instructions", PERF_TYPE_HARDWARE, 1, {12, 13});
	Decoder d = open_capture(c);
	Raw raw;
	event e;

	ASSERT_EQ(decode_counters(d.get()), 2U);
	EXPECT_STREQ(decode_counter_name(d.get(), 0), "instructions");
	EXPECT_STREQ(decode_counter_name(d.get(), 1), "page-faults");
	EXPECT_EQ(decode_counter_name(d.get(), 2), nullptr);
	raw.put(8, 8, SYS_read).put(16, 8, 1);
	sample s = raw.sample(exit);
	s.values = 3;
	s.value_id[0] = 5, s.value[0] = 1; /* the exits themselves */
	s.value_id[1] = 21, s.value[1] = 7;
	s.value_id[2] = 13, s.value[2] = 1000;
	memset(&e, 0xaa, sizeof(e));
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	ASSERT_EQ(e.exit.counters, 2U);
	EXPECT_EQ(e.exit.counter[0], 1000U);
	EXPECT_EQ(e.exit.counter[1], 7U);
	s.values = 1;
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.exit.counters, 0U) << "no counter is among the values";
	s.value_id[0] = 12;
	s.values = UINT32_MAX;
	memset(s.value_id + 1, 0, sizeof(s.value_id) - 8);
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.exit.counter[0], 1U);
	EXPECT_EQ(e.exit.counter[1], 0U) << "one that was not read is 0";
}

TEST(Decode, CountersHaveABound)
{
	Capture c;

	for (int i = 0; i < EVENT_COUNTERS + 4; i++)
		c.add_event("iotrace:counter:c" + std::to_string(i), PERF_TYPE_HARDWARE, 1,
			    {100U + i});
	c.add_facts();
	EXPECT_EQ(decode_counters(open_capture(c).get()), static_cast<uint32_t>(EVENT_COUNTERS));
}

} // namespace
