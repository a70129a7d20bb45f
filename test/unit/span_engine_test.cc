/*
 * Spans of tracepoints: what begins and ends, with keys, conditions, groups, cancels, and tasks that end.
 */
#include "span_driver.h"

#include <array>
#include <csignal>
#include <iotrace/arch.h>

namespace
{

const char *const simple = "s: a:begin -> a:end by id group kind size bytes";

class Simple : public ::testing::Test
{
      protected:
	SpanDriver d{{simple}};

	Simple()
	{
		d.define("a:begin", {"id", "kind", "bytes"});
		d.define("a:end", {"id"});
	}
	void begin(uint64_t time, uint64_t id, uint64_t kind = 0, uint64_t bytes = 0,
		   uint32_t pid = 1)
	{
		d.happens(time, "a:begin", {id, kind, bytes}, pid, pid);
	}
	void end(uint64_t time, uint64_t id, uint32_t pid = 1)
	{
		d.happens(time, "a:end", {id}, pid, pid);
	}
};

TEST_F(Simple, HasTimesKeyGroupAndSize)
{
	d.is_called(7, "writer");
	begin(100, 42, 3, 4096, 7);
	end(350, 42, 9);
	ASSERT_EQ(d.seen.size(), 1U);
	const struct span_seen &s = d.seen[0];
	EXPECT_EQ(s.fate, SPAN_ENDED);
	EXPECT_EQ(s.begin, 100U);
	EXPECT_EQ(s.end, 350U);
	EXPECT_EQ(s.bytes, 4096U);
	EXPECT_EQ(s.pid, 7U);
	EXPECT_EQ(d.group(s), "3");
	EXPECT_EQ(d.key(s), "id=42");
	EXPECT_STREQ(span_engine_comm(d.engine, &s), "writer");
	EXPECT_STREQ(span_engine_group_name(d.engine, 0), "kind");
	EXPECT_EQ(span_engine_first(d.engine), 100U);
	EXPECT_EQ(span_engine_last(d.engine), 350U);
}

TEST_F(Simple, TwoAreInFlightAtOnce)
{
	begin(1, 1);
	begin(2, 2);
	end(5, 1);
	end(7, 2);
	ASSERT_EQ(d.seen.size(), 2U);
	EXPECT_EQ(d.seen[0].end - d.seen[0].begin, 4U);
	EXPECT_EQ(d.seen[1].end - d.seen[1].begin, 5U);
}

TEST_F(Simple, ABeginThatCameAgainReplacesTheFirst)
{
	begin(1, 1);
	begin(3, 1);
	end(4, 1);
	ASSERT_EQ(d.seen.size(), 2U);
	EXPECT_EQ(d.seen[0].fate, SPAN_BEGUN_AGAIN);
	EXPECT_EQ(d.seen[1].begin, 3U);
	EXPECT_EQ(d.books().begun, 2U);
	EXPECT_EQ(d.books().fate[SPAN_BEGUN_AGAIN], 1U);
}

TEST_F(Simple, AnEndAloneIsCounted)
{
	end(1, 5);
	EXPECT_TRUE(d.seen.empty());
	EXPECT_EQ(d.books().ends_without_begin, 1U);
	EXPECT_EQ(d.books().begun, 0U);
}

TEST_F(Simple, WhatIsOpenDependsOnHowItsProcessEnded)
{
	begin(1, 1, 0, 0, 10);
	begin(2, 2, 0, 0, 11);
	begin(3, 3, 0, 0, 12);
	begin(4, 4, 0, 0, 13);
	d.exits(5, 10, 0);
	d.exits(6, 11, SIGKILL);
	d.exits(7, 13);
	span_engine_end(d.engine);
	std::map<uint32_t, enum span_fate> fate;
	for (const struct span_seen &s : d.seen)
		fate[s.pid] = s.fate;
	EXPECT_EQ(fate[10], SPAN_LEFT);
	EXPECT_EQ(fate[11], SPAN_DIED);
	EXPECT_EQ(fate[12], SPAN_OPEN);
	EXPECT_EQ(fate[13], SPAN_LEFT);
	expect_balance(d.books());
}

TEST_F(Simple, MayEndElsewhereAfterItsProcessHasEnded)
{
	begin(1, 1, 0, 0, 10);
	begin(2, 2, 0, 0, 10);
	d.exits(5, 10, 0);
	end(8, 1, 20);
	begin(9, 2, 0, 0, 30);
	ASSERT_EQ(d.seen.size(), 2U);
	EXPECT_EQ(d.seen[0].fate, SPAN_ENDED);
	EXPECT_EQ(d.seen[0].end, 8U);
	EXPECT_EQ(d.seen[1].fate, SPAN_LEFT);
	EXPECT_EQ(d.seen[1].end, 5U);
}

TEST_F(Simple, AnotherThreadsEndEndsNoSpanOfTheProcess)
{
	struct event event = {};

	begin(1, 1, 0, 0, 10);
	event.kind = EVENT_EXIT;
	event.time = 2;
	event.pid = 10;
	event.tid = 11;
	span_engine_event(d.engine, &event);
	end(3, 1);
	ASSERT_EQ(d.seen.size(), 1U);
	EXPECT_EQ(d.seen[0].fate, SPAN_ENDED);
}

/* Another thread than the first executes a program: it gets the number of the first one, which has ended. */
TEST(Engine, ACallGoesOnUnderTheNumberThatAnExecGives)
{
	SpanDriver d({"c: a:enters -> a:returns by tid", "k: a:enters -> a:returns by tid,id"});
	struct event event = {};

	d.define("a:enters", {"id"});
	d.define("a:returns", {"id"});
	d.happens(1, "a:enters", {202}, 10, 10);
	d.happens(2, "a:enters", {59}, 10, 11);
	d.happens(2, "a:enters", {7}, 20, 21);
	event.kind = EVENT_COMM;
	event.time = 4;
	event.pid = event.tid = 10;
	event.comm.is_exec = true;
	span_engine_event(d.engine, &event);
	d.happens(5, "a:returns", {59}, 10, 10);
	d.happens(6, "a:returns", {7}, 20, 21);
	span_engine_end(d.engine);
	std::vector<std::array<uint64_t, 3>> found;
	for (const auto &seen : d.seen) {
		if (!seen.span)
			found.push_back({seen.begin, seen.end, uint64_t(seen.fate)});
		if (!seen.span && seen.end == 5)
			EXPECT_EQ(seen.tid, 10U);
		if (seen.span && seen.begin == 2 && seen.pid == 10)
			EXPECT_EQ(seen.key[0], 11U) << "its key is more than the thread";
	}
	const std::vector<std::array<uint64_t, 3>> expected = {{1, 4, SPAN_LEFT},
							       {2, 5, SPAN_ENDED},
							       {2, 6, SPAN_ENDED}};
	EXPECT_EQ(found, expected);
	expect_balance(d.books());
}

/* A thread that has ended was in its last call, which does not go on when another thread executes a program. */
TEST(Engine, TheLastCallOfAThreadDoesNotGoOn)
{
	SpanDriver d({"c: a:enters -> a:returns by tid"});
	struct event event = {};

	d.define("a:enters", {"id"});
	d.define("a:returns", {"id"});
	d.happens(1, "a:enters", {59}, 10, 11);
	for (uint32_t tid : {12, 13}) {
		d.happens(tid, "a:enters", {60}, 10, tid);
		event.kind = EVENT_EXIT;
		event.time = tid + 2;
		event.pid = 10;
		event.tid = tid;
		span_engine_event(d.engine, &event);
	}
	event.kind = EVENT_EXIT;
	event.time = 20;
	event.pid = event.tid = 10; /* the first thread */
	span_engine_event(d.engine, &event);
	event.kind = EVENT_COMM;
	event.time = 21;
	event.comm.is_exec = true;
	span_engine_event(d.engine, &event);
	d.happens(25, "a:returns", {59}, 10, 10);
	ASSERT_EQ(d.seen.size(), 1U);
	EXPECT_EQ(d.seen[0].fate, SPAN_ENDED);
	EXPECT_EQ(d.seen[0].begin, 1U);
	span_engine_end(d.engine);
	EXPECT_EQ(d.books().fate[SPAN_LEFT], 2U);
	EXPECT_EQ(d.books().fate[SPAN_OPEN], 0U);
	EXPECT_EQ(d.seen[1].end, 14U);
	expect_balance(d.books());
}

TEST(Engine, AGroupOrASizeMayBeOfTheEnd)
{
	SpanDriver d({"s: a:b -> a:e by tid group result size got"});

	d.define("a:b", {});
	d.define("a:e", {"result", "got"});
	d.happens(1, "a:b", {});
	d.happens(2, "a:e", {5, 77});
	ASSERT_EQ(d.seen.size(), 1U);
	EXPECT_EQ(d.group(d.seen[0]), "5");
	EXPECT_EQ(d.seen[0].bytes, 77U);
}

TEST(Engine, TheFieldOfATracepointGoesBeforeTheTasksOwn)
{
	SpanDriver d({"s: a:b -> a:e by pid/next group comm"});

	d.define("a:b", {"pid"}, {"comm"});
	d.define("a:e", {"next"});
	d.is_called(1, "waker");
	d.happens(1, "a:b", {30}, 1, 1, {"woken"});
	d.happens(9, "a:e", {30}, 2, 2);
	ASSERT_EQ(d.seen.size(), 1U);
	EXPECT_EQ(d.group(d.seen[0]), "woken");
	EXPECT_EQ(d.key(d.seen[0]), "pid=30");
}

TEST(Engine, ConditionsAreOfNumbersAndTexts)
{
	SpanDriver d(
		{"s: a:b if n >= 10 && n < 20 || who == \"root\" || comm ~ \"k*\" -> a:e if ok != 0 by id"});

	d.define("a:b", {"id", "n"}, {"who"});
	d.define("a:e", {"id", "ok"});
	d.is_called(2, "kworker");
	d.happens(1, "a:b", {1, 9}, 1, 1, {"user"});
	d.happens(1, "a:b", {2, 10}, 1, 1, {"user"});
	d.happens(1, "a:b", {3, 20}, 1, 1, {"user"});
	d.happens(1, "a:b", {4, 0}, 1, 1, {"root"});
	d.happens(1, "a:b", {5, 0}, 2, 2, {"user"});
	EXPECT_EQ(d.books().begun, 3U);
	d.happens(2, "a:e", {2, 0});
	EXPECT_TRUE(d.seen.empty());
	for (uint64_t id = 1; id <= 5; id++)
		d.happens(3, "a:e", {id, 1});
	EXPECT_EQ(d.seen.size(), 3U);
	EXPECT_EQ(d.books().ends_without_begin, 2U);
}

TEST(Engine, NegativeNumbersHaveTheirOrder)
{
	SpanDriver d({"s: a:b if n < 0 -> a:e by tid", "t: a:b if n > -5 -> a:e by tid"});

	d.define("a:b", {"n"});
	d.fields.back().is_signed[0] = true;
	span_engine_define(d.engine, d.index("a:b"), &d.fields.back());
	d.define("a:e", {});
	d.happens(1, "a:b", {static_cast<uint64_t>(-7)});
	EXPECT_EQ(d.books(0).begun, 1U);
	EXPECT_EQ(d.books(1).begun, 0U);
	d.happens(1, "a:b", {static_cast<uint64_t>(3)});
	EXPECT_EQ(d.books(0).begun, 1U);
	EXPECT_EQ(d.books(1).begun, 1U);
}

TEST(Engine, ACancelTakesAllWithItsPartOfTheKey)
{
	SpanDriver d({"s: a:b -> a:e by dev,id cancel a:reset by dev"});

	d.define("a:b", {"dev", "id"});
	d.define("a:e", {"dev", "id"});
	d.define("a:reset", {"dev"});
	for (uint64_t id = 0; id < 10; id++)
		d.happens(id, "a:b", {id % 2, id});
	d.happens(20, "a:reset", {1});
	EXPECT_EQ(d.books().fate[SPAN_CANCELLED], 5U);
	span_engine_end(d.engine);
	EXPECT_EQ(d.books().fate[SPAN_OPEN], 5U);
	for (const struct span_seen &s : d.seen)
		EXPECT_EQ(s.key[0] == 1, s.fate == SPAN_CANCELLED);
}

TEST(Engine, OneEventMayEndASpanAndBeginTheNext)
{
	SpanDriver d({"s: a:tick -> a:tick by tid"});

	d.define("a:tick", {});
	for (uint64_t time = 1; time <= 5; time++)
		d.happens(10 * time, "a:tick", {});
	EXPECT_EQ(d.seen.size(), 4U);
	for (const struct span_seen &s : d.seen)
		EXPECT_EQ(s.end - s.begin, 10U);
	EXPECT_EQ(d.books().ends_without_begin, 1U);
}

TEST(Engine, OnlyTasksThatAreFollowedHaveSpans)
{
	SpanDriver d({"s: a:b -> a:e by id", "k: a:b -> a:e by id"});

	d.spans[1]->where = SPAN_OF_KEY;
	d.define("a:b", {"id"});
	d.define("a:e", {"id"});
	span_engine_choose_tasks(d.engine);
	struct event command = {};
	command.kind = EVENT_FACT;
	command.fact.kind = FACT_COMMAND;
	command.fact.number[FACT_COMMAND_pid] = 100;
	span_engine_event(d.engine, &command);
	d.forks(1, 100, 101);
	d.happens(2, "a:b", {5}, 50, 50);
	d.happens(2, "a:b", {101}, 101, 101);
	d.happens(2, "a:b", {100}, 50, 50);
	EXPECT_EQ(d.books(0).begun, 1U);
	EXPECT_EQ(d.books(0).excluded, 2U);
	EXPECT_EQ(d.books(1).begun, 2U);
	EXPECT_EQ(d.books(1).excluded, 1U);
}

TEST(Engine, GroupsByProcessThreadOrNothing)
{
	for (const char *by : {"process", "thread", "none"}) {
		SpanDriver d({simple});
		struct error err = {};

		ASSERT_EQ(span_engine_group_by(d.engine, by, &err), 0);
		d.define("a:begin", {"id", "kind", "bytes"});
		d.define("a:end", {"id"});
		d.is_called(8, "app");
		d.happens(1, "a:begin", {1, 2, 3}, 7, 8);
		d.happens(2, "a:end", {1});
		std::string word = by;
		EXPECT_EQ(d.group(d.seen.at(0)), word == "process"  ? "(7)"
						 : word == "thread" ? "app(8)"
								    : "");
	}
	SpanDriver d({simple});
	struct error err = {};
	EXPECT_NE(span_engine_group_by(d.engine, "device", &err), 0);
	EXPECT_STREQ(err.text, "--by device: spans 's' have no device");
	err = {};
	EXPECT_NE(span_engine_group_by(d.engine, "threa", &err), 0);
	EXPECT_NE(std::string(err.text).find("did you mean 'thread'?"), std::string::npos);
}

/* A process makes calls one after the other. Returns their bytes. */
std::vector<uint64_t> bytes_of_calls(const char *machine,
				     const std::vector<std::pair<uint64_t, int64_t>> &calls)
{
	SpanDriver d({"syscall"});
	std::vector<uint64_t> bytes;
	uint64_t time = 0;

	if (machine)
		d.trace.host.machine = strtab_add(d.trace.strings, machine, strlen(machine));
	d.define("raw_syscalls:sys_enter", {"id"});
	d.define("raw_syscalls:sys_exit", {"id", "ret"});
	for (const auto &[number, result] : calls) {
		d.happens(++time, "raw_syscalls:sys_enter", {number});
		d.happens(++time, "raw_syscalls:sys_exit", {number, static_cast<uint64_t>(result)});
	}
	for (const struct span_seen &s : d.seen)
		bytes.push_back(s.bytes);
	return bytes;
}

uint64_t number_of(const struct arch *arch, const char *name)
{
	return static_cast<uint64_t>(arch_number(arch, call_by_name(name, strlen(name))));
}

/* On each machine by its own numbers. One that copies moves its data twice, as the calls that a recording has. */
TEST(Engine, TheResultOfACallIsASizeIfItMovesData)
{
	for (const char *machine : {"x86_64", "aarch64", "ppc64le", "s390x"}) {
		const struct arch *arch = arch_find(machine, strlen(machine));

		EXPECT_EQ(bytes_of_calls(machine, {{number_of(arch, "read"), 100},
						   {number_of(arch, "mmap"), 0x7f0000000000},
						   {number_of(arch, "pwrite64"), 7},
						   {number_of(arch, "openat"), 3},
						   {number_of(arch, "read"), -9},
						   {number_of(arch, "getdents64"), 24},
						   {number_of(arch, "copy_file_range"), 50},
						   {number_of(arch, "read"), 0},
						   {100000, 1000}}),
			  (std::vector<uint64_t>{100, 0, 7, 0, 0, 0, 100, 0, 0}))
			<< machine;
	}
}

/* Without its name, it is this one. Nothing is known of the calls of one that iotrace does not know. */
TEST(Engine, TheMachineSaysWhatACallMoves)
{
	const uint64_t read = number_of(arch_here(), "read");

	EXPECT_EQ(bytes_of_calls(nullptr, {{read, 100}}), std::vector<uint64_t>{100});
	EXPECT_EQ(bytes_of_calls("vax", {{read, 100}}), std::vector<uint64_t>{0});
}

/* The name of the machine may come after the first calls. */
TEST(Engine, TheMachineMayBecomeKnown)
{
	const struct arch *arm = arch_find("aarch64", 7);
	SpanDriver d({"syscall"});

	d.define("raw_syscalls:sys_enter", {"id"});
	d.define("raw_syscalls:sys_exit", {"id", "ret"});
	d.happens(1, "raw_syscalls:sys_enter", {511});
	d.happens(2, "raw_syscalls:sys_exit", {511, 5});
	d.trace.host.machine = strtab_add(d.trace.strings, "aarch64", 7);
	d.happens(3, "raw_syscalls:sys_enter", {number_of(arm, "write")});
	d.happens(4, "raw_syscalls:sys_exit", {number_of(arm, "write"), 6});
	ASSERT_EQ(d.seen.size(), 2U);
	EXPECT_EQ(d.seen[0].bytes, 0U);
	EXPECT_EQ(d.seen[1].bytes, 6U);
}

/* Its calls have other numbers, so they do not count. The call that executes it, and the one that it ends with, are of 64 bits. */
TEST(Engine, CallsOf32BitProgramsDoNotCount)
{
	SpanDriver d({"syscall", "t: a:begin -> a:end by tid"});
	struct event program = {};
	uint64_t time = 0;
	const auto call = [&d, &time](uint64_t number, uint32_t pid) {
		d.happens(++time, "raw_syscalls:sys_enter", {number}, pid, pid);
		d.happens(++time, "raw_syscalls:sys_exit", {number, 5}, pid, pid);
	};

	d.define("raw_syscalls:sys_enter", {"id"});
	d.define("raw_syscalls:sys_exit", {"id", "ret"});
	d.define("a:begin", {"id"});
	d.define("a:end", {"id"});
	program.kind = EVENT_PROGRAM;
	program.pid = program.tid = 7;
	program.program.is_foreign = true;
	d.happens(++time, "raw_syscalls:sys_enter", {59}, 7, 7);
	span_engine_event(d.engine, &program);
	d.happens(++time, "raw_syscalls:sys_exit", {11, 0}, 7, 7);
	call(4, 7);
	d.forks(++time, 7, 8);
	call(3, 8);
	d.happens(++time, "a:begin", {1}, 7, 7); /* other events of the kernel mean the same */
	d.happens(++time, "a:end", {1}, 7, 7);
	program.program.is_foreign = false;
	span_engine_event(d.engine, &program);
	call(1, 7);
	d.exits(++time, 8, 0);
	call(2, 8); /* another process with its number */
	std::vector<std::string> groups;
	for (const struct span_seen &s : d.seen)
		groups.push_back(d.group(s));
	EXPECT_EQ(groups, (std::vector<std::string>{"execve(59)", "", "write(1)", "open(2)"}));
	EXPECT_EQ(d.books().begun, 3U);
	EXPECT_EQ(d.books().ends_without_begin, 0U);
}

TEST(Engine, FactsSayWhichProgramsAreOf32Bits)
{
	SpanDriver d({"syscall"});
	struct event fact = {};

	d.define("raw_syscalls:sys_enter", {"id"});
	fact.kind = EVENT_FACT;
	fact.fact.kind = FACT_TASK;
	fact.fact.number[FACT_TASK_pid] = fact.fact.number[FACT_TASK_tid] = 7;
	fact.fact.number[FACT_TASK_is_foreign] = 1;
	span_engine_event(d.engine, &fact);
	d.happens(1, "raw_syscalls:sys_enter", {4}, 7, 7);
	EXPECT_EQ(d.books().begun, 0U);
	fact.fact = {};
	fact.fact.kind = FACT_EXE;
	fact.fact.number[FACT_EXE_pid] = 7;
	span_engine_event(d.engine, &fact);
	d.happens(2, "raw_syscalls:sys_enter", {4}, 7, 7);
	EXPECT_EQ(d.books().begun, 1U);
	fact.fact.number[FACT_EXE_is_foreign] = 1;
	span_engine_event(d.engine, &fact);
	d.happens(3, "raw_syscalls:sys_enter", {4}, 7, 7);
	EXPECT_EQ(d.books().begun, 1U);
}

/* As of NVMe: the begin has bits that the end lacks, or both have them. */
TEST(Engine, AKeyMayBeBitsOfANumber)
{
	SpanDriver d({"s: a:begin -> a:end by id&0xfff"});

	d.define("a:begin", {"id"});
	d.define("a:end", {"id"});
	d.happens(1, "a:begin", {0x3005});
	d.happens(2, "a:begin", {0x3006});
	d.happens(5, "a:end", {5});
	d.happens(9, "a:end", {0x3006});
	ASSERT_EQ(d.seen.size(), 2U);
	EXPECT_EQ(d.seen[0].end - d.seen[0].begin, 4U);
	EXPECT_EQ(d.seen[1].end - d.seen[1].begin, 7U);
	EXPECT_EQ(d.key(d.seen[0]), "id=5");
}

TEST(Engine, ATextHasNoBits)
{
	SpanDriver d({"s: a:begin -> a:end by comm&0xfff"});

	d.define("a:begin", {"id"});
	EXPECT_STREQ(
		span_engine_trouble(d.engine, 0),
		"span 's': field 'comm' of tracepoint a:begin is a text, and only numbers have bits");
}

TEST(Engine, SaysWhichFieldIsMissing)
{
	SpanDriver d({simple});

	d.define("a:begin", {"kind", "bytes"});
	EXPECT_STREQ(span_engine_trouble(d.engine, 0),
		     "span 's': tracepoint a:begin has no field 'id' that is a number or a string");
}

TEST(Engine, NotesSayWhatHappened)
{
	SpanDriver d({simple}, true);

	d.define("a:begin", {"id", "kind", "bytes"});
	d.happens(1, "a:begin", {1, 2, 3});
	ASSERT_EQ(d.notes.size(), 1U);
	EXPECT_EQ(d.notes[0], "a:begin id=1 kind=2 bytes=3");
}

} // namespace
