/*
 * Facts, formats that come as facts, and what is said of captures that have none.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <memory>
#include <string_view>
#include <sys/syscall.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

Raw encoded(const fact &f)
{
	Raw raw(FACT_SIZE_MAX);

	raw.bytes.resize(fact_encode(&f, raw.bytes.data(), raw.bytes.size()));
	return raw;
}

class Facts : public ::testing::Test
{
      protected:
	void open()
	{
		facts = c.add_facts();
		d.reset(c.open());
	}

	int send(const Raw &raw, uint32_t index)
	{
		sample s = raw.sample(index);

		memset(static_cast<void *>(&e), 0xaa, sizeof(e));
		return decode_sample(d.get(), &s, false, &e);
	}

	int send_part(const std::string &name, uint64_t part, uint64_t parts,
		      const std::string &bytes, const std::string &system = "raw_syscalls")
	{
		fact f{};

		f.kind = FACT_FORMAT;
		f.number[FACT_FORMAT_part] = part;
		f.number[FACT_FORMAT_parts] = parts;
		set(&f, FACT_FORMAT_system, system);
		set(&f, FACT_FORMAT_name, name);
		set(&f, FACT_FORMAT_text, bytes);
		return send(encoded(f), facts);
	}

	static void set(fact *f, uint32_t field, std::string_view bytes)
	{
		f->string[field] = {bytes.data(), static_cast<uint32_t>(bytes.size())};
	}

	int send_exit()
	{
		return send(Raw().put(8, 8, SYS_read).put(16, 8, 1), exit);
	}

	Capture c;
	const std::string text = saved_format("raw_syscalls", "sys_exit");
	uint32_t exit = c.add_event("raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, format_id(text));
	uint32_t facts = 0;
	Decoder d{nullptr, decode_free};
	event e;
};

TEST_F(Facts, PassAsEvents)
{
	fact f{};

	open();
	f.kind = FACT_CWD;
	f.number[0] = 42;
	set(&f, FACT_CWD_path, "/home");
	Raw raw = encoded(f); /* what the event lends */
	ASSERT_EQ(send(raw, facts), 1);
	EXPECT_EQ(e.kind, EVENT_FACT);
	EXPECT_EQ(e.fact.kind, FACT_CWD);
	EXPECT_EQ(e.fact.number[0], 42U);
	EXPECT_EQ(std::string(e.fact.string[0].at, e.fact.string[0].length), "/home");
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(c.count(TALLY_facts), 1U);
	EXPECT_EQ(c.count(TALLY_samples), 0U);
}

TEST_F(Facts, OfLaterVersionsAreSteppedOver)
{
	open();
	EXPECT_EQ(send(Raw().add(4, FACT_KINDS + 5).add(4, 0), facts), 0);
	EXPECT_EQ(c.count(TALLY_facts), 1U);
	EXPECT_EQ(c.count(TALLY_malformed), 0U);
}

TEST_F(Facts, TornOnesAreMalformed)
{
	fact f{};

	open();
	f.kind = FACT_EXIT;
	Raw raw = encoded(f);
	raw.bytes.pop_back();
	EXPECT_EQ(send(raw, facts), 0);
	EXPECT_EQ(send(Raw(), facts), 0);
	EXPECT_EQ(c.count(TALLY_facts), 0U);
	EXPECT_EQ(c.count(TALLY_malformed), 2U);
	EXPECT_EQ(c.count(TALLY_samples), 2U);
}

TEST_F(Facts, AFormatMakesItsTracepointReadable)
{
	open();
	EXPECT_TRUE(warnings(d.get()).empty());
	EXPECT_EQ(send_exit(), 0);
	EXPECT_EQ(send_part("sys_exit", 0, 1, text), 0) << "it is consumed";
	EXPECT_EQ(send_exit(), 1);
	EXPECT_EQ(c.count(TALLY_facts), 1U);
	EXPECT_EQ(c.count(TALLY_malformed), 1U) << "what came before its format";
	EXPECT_EQ(c.count(TALLY_events), 1U);
}

TEST_F(Facts, AFormatComesInParts)
{
	for (uint64_t first : {0U, 1U}) {
		SCOPED_TRACE(first);
		d.reset(nullptr);
		c.events.clear();
		exit = c.add_event("raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, format_id(text));
		open();
		send_part("sys_exit", first, 3, text.substr(0, 100));
		send_part("sys_exit", first + 1, 3, text.substr(100, 200));
		EXPECT_EQ(send_exit(), 0);
		send_part("sys_exit", first + 2, 3, text.substr(300));
		EXPECT_EQ(send_exit(), 1);
	}
}

TEST_F(Facts, AMissingPartSpoilsItsFormatOnly)
{
	open();
	send_part("sys_enter", 0, 3, "name: sys_enter\n");
	send_part("sys_enter", 2, 3, "junk");
	send_part("sys_exit", 0, 2, text.substr(0, 50));
	send_part("sys_enter", 1, 2, "junk");
	send_part("sys_exit", 1, 2, text.substr(50));
	EXPECT_EQ(send_exit(), 0) << "another format came between its parts";
	send_part("sys_exit", 0, 2, text.substr(0, 50));
	send_part("sys_exit", 1, 2, text.substr(50), "syscalls");
	EXPECT_EQ(send_exit(), 0) << "the other is of another system";
	send_part("sys_exit", 0, 2, text.substr(0, 50));
	send_part("sys_exit", 0, 2, text.substr(0, 60));
	send_part("sys_exit", 1, 2, text.substr(60));
	EXPECT_EQ(send_exit(), 1) << "it began anew";
	EXPECT_TRUE(warnings(d.get()).empty());
}

TEST_F(Facts, PartsHaveABound)
{
	open();
	EXPECT_EQ(send_part("sys_exit", 0, 0, text), 0);
	EXPECT_EQ(send_part("sys_exit", 0, UINT64_MAX, text), 0);
	EXPECT_EQ(send_part("sys_exit", 0, 65, text), 0);
	EXPECT_EQ(send_part("sys_exit", 2, 1, text), 0);
	EXPECT_EQ(send_exit(), 0);
	EXPECT_EQ(c.count(TALLY_facts), 4U);
}

TEST_F(Facts, PartsOutOfBoundsBeginNothing)
{
	for (uint64_t parts : {0U, 65U}) {
		SCOPED_TRACE(parts);
		d.reset(nullptr);
		c.events.clear();
		exit = c.add_event("raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, format_id(text));
		open();
		send_part("sys_exit", 0, parts, "junk");
		send_part("sys_exit", 1, 1, text);
		EXPECT_EQ(send_exit(), 1) << "the second stands alone";
	}
}

TEST_F(Facts, AFormatThatComesTwiceIsTakenOnce)
{
	const std::string enter_text = saved_format("raw_syscalls", "sys_enter");
	uint32_t enter = c.add_event("", PERF_TYPE_TRACEPOINT, format_id(enter_text));

	open();
	send_part("sys_exit", 0, 1, text);
	send_part("sys_exit", 0, 1, text);
	send_part("sys_enter", 0, 1, enter_text);
	EXPECT_EQ(send(Raw(64).put(8, 8, SYS_read), enter), 1)
		<< "the other one is still waited for";
}

TEST_F(Facts, ABadFormatIsAWarning)
{
	std::string bad = text;
	char release[] = "6.99.0";

	c.info.release = release;
	open();
	bad.replace(bad.find("long ret"), 8, "long rat");
	EXPECT_EQ(send_part("sys_exit", 0, 1, bad), 0);
	EXPECT_EQ(send_exit(), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
	ASSERT_EQ(warnings(d.get()).size(), 1U);
	EXPECT_EQ(warnings(d.get())[0],
		  "tracepoint raw_syscalls:sys_exit of Linux 6.99.0 has no field \"ret\"; "
		  "its samples cannot be read.");
}

TEST_F(Facts, WarningsHaveABound)
{
	open();
	for (int i = 0; i < 300; i++)
		send_part("sys_exit", 0, 1, "junk");
	EXPECT_EQ(warnings(d.get()).size(), 100U);
}

TEST_F(Facts, TheHostSaysWhoseNumbersTheyAre)
{
	fact f{};

	uint32_t named = c.add_saved("syscalls", "sys_exit_read");

	open();
	send_part("sys_exit", 0, 1, text);
	f.kind = FACT_HOST;
	EXPECT_EQ(send(encoded(f), facts), 1);
	EXPECT_EQ(send_exit(), 1) << "a host that does not say is this one";
	set(&f, FACT_HOST_machine, "vax\033[2J");
	EXPECT_EQ(send(encoded(f), facts), 1);
	EXPECT_EQ(send(encoded(f), facts), 1);
	EXPECT_EQ(send_exit(), 0);
	EXPECT_EQ(c.count(TALLY_ignored), 1U);
	EXPECT_EQ(send(Raw(24), named), 1) << "a call that has its own tracepoint needs no number";
	ASSERT_EQ(warnings(d.get()).size(), 1U);
	EXPECT_EQ(warnings(d.get())[0].find('\033'), std::string::npos)
		<< "nothing upsets a terminal";
}

#ifdef __x86_64__
TEST_F(Facts, TheHostIsThisMachine)
{
	fact f{};

	open();
	send_part("sys_exit", 0, 1, text);
	f.kind = FACT_HOST;
	set(&f, FACT_HOST_machine, "x86_64");
	EXPECT_EQ(send(encoded(f), facts), 1);
	EXPECT_EQ(send_exit(), 1);
	EXPECT_TRUE(warnings(d.get()).empty());
	set(&f, FACT_HOST_machine, "x86_6");
	EXPECT_EQ(send(encoded(f), facts), 1);
	EXPECT_EQ(send_exit(), 0) << "names are compared whole";
}
#endif

/* The warnings, joined, of a capture that perf made of these tracepoints. */
std::string survey(const std::vector<std::pair<const char *, const char *>> &tracepoints,
		   bool has_task = true)
{
	Capture c;
	std::string all;

	for (const auto &t : tracepoints)
		c.add_saved(t.first, t.second);
	c.add_event("dummy:HG", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	c.events.back().attr.task = has_task;
	Decoder d(c.open(), decode_free);
	for (const std::string &warning : warnings(d.get()))
		all += warning + "\n";
	return decode_is_without_io(d.get()) ? all + "without I/O\n" : all;
}

const char unknown[] =
	"The capture was not made by iotrace, so the files of descriptors that were open before "
	"it are unknown, and so are the names of files, which this kernel's tracepoints do not contain.\n";

TEST(ForeignCapture, WithBothRawTracepointsLacksNamesOnly)
{
	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"}, {"raw_syscalls", "sys_exit"}}), unknown);
}

TEST(ForeignCapture, WithoutEndsOrBegins)
{
	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"}}),
		  std::string("The capture has no ends of system calls (sys_exit), so results, "
			      "durations and new descriptors are unknown.\n") +
			  unknown);
	EXPECT_EQ(survey({{"syscalls", "sys_exit_read"}}),
		  std::string(
			  "The capture has no begins of system calls (sys_enter), so arguments and "
			  "durations are unknown.\n") +
			  unknown);
}

TEST(ForeignCapture, WithSomeCallsOnly)
{
	const bool has_dup2 = call_row(call_by_name("dup2", 4))->number >= 0;

	EXPECT_EQ(survey({{"syscalls", "sys_enter_openat"},
			  {"syscalls", "sys_exit_openat"},
			  {"syscalls", "sys_enter_write"},
			  {"syscalls", "sys_exit_read"},
			  {"syscalls", "sys_enter_close"},
			  {"syscalls", "sys_exit_close"}}),
		  std::string(
			  "Of 2 system calls the capture has only the begin or only the end (read, "
			  "write), so they are incomplete.\n"
			  "The capture lacks calls that open or close descriptors (dup, ") +
			  (has_dup2 ? "dup2, " : "") +
			  "dup3, fcntl), so files may be missing or stay open in the result. "
			  "Use perf record -e 'syscalls:*'.\n" +
			  unknown);
}

TEST(ForeignCapture, LongListsAreCut)
{
	EXPECT_NE(survey({{"raw_syscalls", "sys_enter"}, {"syscalls", "sys_exit_fork"}})
			  .find("only the end (read, write, pread64, pwrite64, readv, writev ...)"),
		  std::string::npos);
}

TEST(ForeignCapture, WithoutTasks)
{
	const std::string tasks =
		"The capture does not say which tasks began and ended, so descriptors that a "
		"process inherits are unknown.\n";

	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"}, {"raw_syscalls", "sys_exit"}}, false),
		  unknown + tasks);
	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"},
			  {"raw_syscalls", "sys_exit"},
			  {"sched", "sched_process_fork"}},
			 false),
		  unknown + tasks);
	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"},
			  {"raw_syscalls", "sys_exit"},
			  {"sched", "sched_process_exit"},
			  {"sched", "sched_process_fork"}},
			 false),
		  unknown);
	EXPECT_EQ(survey({{"raw_syscalls", "sys_enter"},
			  {"raw_syscalls", "sys_exit"},
			  {"sched", "sched_process_exit"}},
			 false),
		  unknown + tasks);
}

TEST(ForeignCapture, WithoutCalls)
{
	EXPECT_EQ(survey({}), "without I/O\n");
	EXPECT_EQ(survey({{"sched", "sched_process_fork"}}), "without I/O\n");
}

TEST(ForeignCapture, OfBlockDevices)
{
	const std::string names =
		"The capture has no names of block devices, so they have their numbers as names.\n";

	EXPECT_EQ(survey({{"block", "block_rq_issue"},
			  {"block", "block_rq_complete"},
			  {"block", "block_bio_queue"}}),
		  names);
	EXPECT_EQ(survey({{"block", "block_bio_queue"}, {"block", "block_bio_complete"}}), names);
	EXPECT_EQ(survey({{"block", "block_rq_insert"}, {"block", "block_rq_complete"}}),
		  "The capture does not say which task queued a block request (block_bio_queue), "
		  "so requests are attributed to the task that passed them to the device.\n" +
			  names);
	EXPECT_EQ(survey({{"block", "block_rq_issue"}}),
		  "The capture has only the begins of block requests, so they are incomplete. Use "
		  "perf record -e 'block:*'.\n" +
			  names);
	EXPECT_EQ(survey({{"block", "block_rq_complete"}}),
		  "The capture has only the ends of block requests, so they are out. Use perf "
		  "record -e 'block:*'.\n" +
			  names);
	EXPECT_EQ(survey({{"block", "block_bio_queue"}}),
		  "The capture has only the begins of block requests, so they are out. Use perf "
		  "record -e 'block:*'.\n" +
			  names);
}

TEST(ForeignCapture, OfBlockDevicesAndCalls)
{
	std::string all = survey({{"raw_syscalls", "sys_enter"},
				  {"raw_syscalls", "sys_exit"},
				  {"block", "block_rq_complete"},
				  {"block", "block_rq_issue"},
				  {"block", "block_bio_queue"}});

	EXPECT_NE(all.find(std::string("their numbers as names.\n") + unknown), std::string::npos)
		<< all;
}

TEST(ForeignCapture, WithTracepointsThatHaveNoFormat)
{
	Capture c;

	c.add_saved("raw_syscalls", "sys_enter");
	c.add_saved("raw_syscalls", "sys_exit");
	c.add_event("a:b", PERF_TYPE_TRACEPOINT, 4000);
	c.add_event("", PERF_TYPE_TRACEPOINT, 4001);
	Decoder d(c.open(), decode_free);
	EXPECT_EQ(warnings(d.get()).at(0),
		  "The capture has no format of 2 of its tracepoints (a:b, (no name)), so their "
		  "samples cannot be read.");
}

TEST(ForeignCapture, WithPathsFromTheKernelHasNames)
{
	Capture c;
	std::string text = saved_format("syscalls", "sys_enter_openat");

	text.insert(text.find("\nprint fmt"),
		    "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n");
	c.add_tracepoint("syscalls", "sys_enter_openat", text);
	c.add_saved("syscalls", "sys_exit_openat");
	Decoder d(c.open(), decode_free);
	bool is_said = false;

	for (const std::string &warning : warnings(d.get())) {
		is_said |= warning.find("before it are unknown.") != std::string::npos;
		EXPECT_EQ(warning.find("names of files"), std::string::npos);
	}
	EXPECT_TRUE(is_said);
}

} // namespace
