/*
 * What is chosen: events of -e, processes of some users, files of some names; and the whole machine.
 */
#include "model_driver.h"

#include <iotrace/decode.h>
#include <iotrace/metric.h>

#include <gtest/gtest.h>

namespace
{

class Chosen : public ::testing::Test
{
      protected:
	ModelDriver d;

	/* An event with one number and one string. */
	void set_event(uint32_t index)
	{
		struct decode_event event = {};

		event.name = "sys:one";
		event.numbers = event.strings = 1;
		event.number[0] = "size";
		event.is_signed[0] = true;
		event.string[0] = "who";
		model_set_tracepoint(d.model, index, &event);
	}

	void happen(uint32_t pid, uint32_t tid, uint64_t number, const char *who,
		    uint32_t index = 0)
	{
		struct event e = d.base(EVENT_TRACEPOINT, pid, tid);

		e.tracepoint.event = index;
		e.tracepoint.numbers = e.tracepoint.strings = 1;
		e.tracepoint.number[0] = number;
		e.tracepoint.string[0] = {who, uint32_t(strlen(who))};
		model_event(d.model, &e);
	}

	void system()
	{
		d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_NONE}, {"host", "6.1", "x86_64"});
		d.fact(FACT_BEGIN, {}, {});
	}
};

/* With -a a process is looked up while it goes on: its first call may come before its name. */
TEST_F(Chosen, ANameThatComesAfterTheFirstCallIsThatOfTheProcess)
{
	system();
	d.start_fd(7, 3, "/data");
	d.enter(7, 7, "read", {3, 0, 10});
	d.leave(7, 7, "read", 10);
	d.fact(FACT_TASK, {7, 7, 1, 0, 0}, {"late", "/bin/late"});
	d.end();
	ASSERT_EQ(trace_processes(d.trace), 1u);
	EXPECT_STREQ(trace_text(d.trace, trace_process(d.trace, 0)->name), "late");
	ASSERT_EQ(trace_threads(d.trace), 1u);
	EXPECT_STREQ(trace_text(d.trace, trace_thread(d.trace, 0)->name), "late");
}

TEST_F(Chosen, AnEventIsAMetricAndAParameter)
{
	set_event(0);
	happen(7, 7, uint64_t(-3), "me");
	d.end();
	EXPECT_EQ(d.text(), "7 METRIC\n7 PARAMETER\n");
	ASSERT_EQ(d.metrics.size(), 1u);
	EXPECT_EQ(d.metrics[0], (std::vector<uint64_t>{uint64_t(-3)}));
	const struct trace_series *series = trace_series(d.trace, d.events[0].metric.series);
	EXPECT_STREQ(trace_text(d.trace, series->name), "sys:one");
	EXPECT_FALSE(series->is_of_calls);
	EXPECT_TRUE(trace_metric(d.trace, series->metric)->is_signed);
	EXPECT_STREQ(trace_text(d.trace, trace_metric(d.trace, series->metric)->name), "size");
	EXPECT_STREQ(trace_text(d.trace, trace_parameter(d.trace, d.events[1].parameter.parameter)),
		     "sys:one:who");
	EXPECT_STREQ(trace_text(d.trace, d.events[1].parameter.value), "me");
}

TEST_F(Chosen, AnEventWithinACallStandsWithinItsRecords)
{
	set_event(0);
	d.start_fd(7, 3, "/data");
	d.enter(7, 7, "read", {3, 0, 10});
	happen(7, 7, 1, "a");
	happen(7, 8, 2, "b"); /* another thread is in no call */
	happen(7, 7, 3, "c");
	d.leave(7, 7, "read", 10);
	happen(7, 7, 4, "d");
	d.end();
	EXPECT_EQ(d.text(false), "8 METRIC\n8 PARAMETER\n"
				 "7 ENTER read\n"
				 "7 OP_BEGIN h0 10 @-\n"
				 "7 METRIC\n7 PARAMETER\n"
				 "7 METRIC\n7 PARAMETER\n"
				 "7 OP_COMPLETE h0 10\n"
				 "7 LEAVE read\n"
				 "7 METRIC\n7 PARAMETER\n");
	for (size_t i = 3; i < d.events.size(); i++)
		EXPECT_LE(d.events[i - 1].time, d.events[i].time) << i;
}

TEST_F(Chosen, WhereCallsComeAtTheirEndEventsWaitForThem)
{
	set_event(0);
	d.fact(FACT_SOURCE, {2}, {""});
	d.start_fd(7, 3, "/data");
	uint64_t begin = d.now++;
	happen(7, 7, 1, "a");
	EXPECT_EQ(d.text(), "");
	d.pair(7, 7, "read", begin, {3, 0, 10}, 10);
	happen(7, 7, 2, "b");
	d.exit(7, 7);
	d.end();
	EXPECT_EQ(d.text(false).find("7 ENTER read\n"
				     "7 OP_BEGIN h0 10 @-\n"
				     "7 METRIC\n7 PARAMETER\n"
				     "7 OP_COMPLETE h0 10\n"),
		  0u)
		<< d.text(false);
	EXPECT_EQ(d.metrics.size(), 2u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Chosen, WhoToldOfCallsAndOfBlockRequests)
{
	d.fact(FACT_SOURCE, {2, 1}, {"", "refused"});
	EXPECT_EQ(trace_host(d.trace)->source, 2u);
	EXPECT_EQ(trace_host(d.trace)->source_why, 0u);
	EXPECT_EQ(trace_host(d.trace)->block_source, 1u);
	EXPECT_STREQ(trace_text(d.trace, trace_host(d.trace)->block_why), "refused");
	d.end();
}

TEST_F(Chosen, WhatWaitsAtTheEndIsNotForgotten)
{
	set_event(0);
	d.fact(FACT_SOURCE, {2}, {""});
	happen(7, 7, 1, "a");
	d.end();
	EXPECT_EQ(d.metrics.size(), 1u);
}

TEST_F(Chosen, EventsOfWhatIsNotRecordedAreNot)
{
	set_event(0);
	d.fact(FACT_COMMAND, {30}, {"ls", "/"});
	happen(30, 30, 1, "a");
	d.end();
	EXPECT_EQ(d.text(), "");
}

TEST_F(Chosen, ProcessesThatAreLeftOutAndTheirChildren)
{
	system();
	d.fact(FACT_TASK, {7, 7, 1, 0, 0, 1}, {"other"});
	d.fact(FACT_TASK, {8, 8, 1, 0, 0, 0}, {"mine"});
	d.start_fd(7, 3, "/theirs");
	d.start_fd(8, 3, "/mine");
	d.call(7, 7, "read", {3, 0, 1}, 1);
	d.fork(7, 7, 9, 9);
	d.call(9, 9, "read", {3, 0, 1}, 1);
	d.call(8, 8, "read", {3, 0, 1}, 1);
	d.end();
	EXPECT_EQ(d.text(), "8 OP_BEGIN h0 1 @-\n8 OP_COMPLETE h0 1\n");
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(d.tally.n[TALLY_orphan_exits], 0u);
}

TEST_F(Chosen, AnExecMayChangeWhoIsLeftOut)
{
	system();
	d.fact(FACT_TASK, {8, 8, 1, 0, 0, 0}, {"login"});
	d.start_fd(8, 3, "/mine");
	d.fact(FACT_EXE, {8, d.now, 0, 0, 1}, {"/bin/other"});
	d.call(8, 8, "close", {3}, 0);
	d.call(8, 8, "read", {4, 0, 1}, 1);
	d.fact(FACT_EXE, {8, d.now, 0, 0, 0}, {"/bin/mine"});
	d.call(8, 8, "read", {3, 0, 1}, 1);
	d.end();
	/* Nobody followed what 3 led to meanwhile. */
	EXPECT_EQ(d.text(), "8 OP_BEGIN h0 1 @-\n8 OP_COMPLETE h0 1\n");
	EXPECT_EQ(d.path(0), "?");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Chosen, ADescriptorOfAProcessThatEndedMeanwhileIsNobodys)
{
	system();
	d.start_fd(7, 3, "/theirs");
	d.end();
	EXPECT_EQ(trace_host(d.trace)->processes_seen, 0u);
}

class Kept : public Chosen
{
      protected:
	/* Opens, reads and closes one file of each name. */
	void use(const std::string &name, uint64_t fd)
	{
		uint64_t t0;

		d.enter(7, 7, "openat", {uint64_t(AT_FDCWD), 0, O_RDONLY});
		d.leave(7, 7, "openat", int64_t(fd));
		t0 = d.now++;
		d.fd(7, fd, name.c_str(), 1, t0);
		d.call(7, 7, "read", {fd, 0, 5}, 5);
		d.call(7, 7, "close", {fd}, 0);
	}
};

TEST_F(Kept, OnlyFilesThatMatch)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	use("/data/a/b", 3);
	use("/etc/passwd", 4);
	d.call(7, 7, "io_setup", {8}, 0);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER openat\n"
				 "7 CREATE_HANDLE h0 /data/a/b\n"
				 "7 LEAVE openat\n"
				 "7 ENTER read\n"
				 "7 OP_BEGIN h0 5 @0\n"
				 "7 OP_COMPLETE h0 5\n"
				 "7 LEAVE read\n"
				 "7 ENTER close\n"
				 "7 DESTROY_HANDLE h0 /data/a/b\n"
				 "7 LEAVE close\n");
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(d.tally.n[TALLY_records_excluded], 12u);
	EXPECT_EQ(d.unbalanced(), "");
}

/* Names that nobody wants take no memory, and do not change what becomes of the others. */
TEST_F(Kept, UnwantedNamesShareOne)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	for (int i = 0; i < 300; i++) {
		use(("/etc/x" + std::to_string(i)).c_str(), 3);
		use(("/data/" + std::to_string(i % 3)).c_str(), 4);
	}
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 3u);
	EXPECT_LE(trace_files(d.trace),
		  5u); /* /data/0 to 2, what the three stand in, and perhaps one for all others */
	EXPECT_LT(strtab_count(trace_strings(d.trace)), call_count() + 60);
	EXPECT_EQ(d.tally.n[TALLY_records_excluded], 300u * 10);
	EXPECT_EQ(d.unbalanced(), "");
}

/* A pattern that matches a directory, but not what is in it: names below it say that it is one, and so they are known. */
TEST_F(Kept, NamesBelowAWantedDirectoryAreKnown)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data"});
	use("/data/below", 3);
	use("/data/beside", 4);
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 0u);
	EXPECT_EQ(trace_files(d.trace), 2u);
}

TEST_F(Kept, NoNamesWhereNoSinkNeedsThem)
{
	model_forget_names(d.model);
	for (int i = 0; i < 300; i++)
		use(("/etc/x" + std::to_string(i)).c_str(), 3);
	d.end();
	EXPECT_EQ(trace_files(d.trace), 1u);
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_LT(strtab_count(trace_strings(d.trace)), call_count() + 60);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Kept, WhetherAnyFileMatched)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	use("/etc/passwd", 3);
	d.call(7, 7, "io_setup", {8}, 0);
	EXPECT_FALSE(trace_met_path(d.trace));
	EXPECT_EQ(trace_calls_elsewhere(d.trace), 4u);
	d.call(7, 7, "openat", {uint64_t(AT_FDCWD), 0, 0}, -ENOENT, {"/data/none"});
	EXPECT_TRUE(trace_met_path(d.trace)) << "a call that failed names a file, too";
	d.end();
	EXPECT_EQ(trace_calls_elsewhere(d.trace), 4u);
	ASSERT_EQ(trace_filters(d.trace), 1u);
	EXPECT_EQ(trace_filter(d.trace, 0)->kind, FILTER_PATH_INCLUDED);
	EXPECT_STREQ(trace_text(d.trace, trace_filter(d.trace, 0)->text), "/data/*");
}

TEST_F(Kept, WhoseCallsWereLeftOut)
{
	str_id name[TRACE_OTHERS];

	d.fact(FACT_FILTER, {FILTER_COMM}, {"none"});
	EXPECT_EQ(trace_others(d.trace, name), 0u);
	for (uint32_t i = 0; i < 5; i++) {
		d.fact(FACT_TASK, {20 + i / 2, 20 + i / 2, 1, 0, 0},
		       {"t" + std::to_string(i / 2), "/x"});
		d.call(20 + i / 2, 20 + i / 2, "openat", {uint64_t(AT_FDCWD), 0, 0}, 9);
	}
	ASSERT_EQ(trace_others(d.trace, name), 3u);
	EXPECT_STREQ(trace_text(d.trace, name[0]), "t0");
	EXPECT_STREQ(trace_text(d.trace, name[2]), "t2");
}

TEST_F(Kept, AllFilesButThoseThatMatch)
{
	d.fact(FACT_FILTER, {FILTER_PATH_EXCLUDED}, {"*.so*"});
	use("/lib/libc.so.6", 3);
	use("/data/x", 4);
	d.call(7, 7, "close", {9}, -EBADF);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER openat\n"
				 "7 CREATE_HANDLE h0 /data/x\n"
				 "7 LEAVE openat\n"
				 "7 ENTER read\n"
				 "7 OP_BEGIN h0 5 @0\n"
				 "7 OP_COMPLETE h0 5\n"
				 "7 LEAVE read\n"
				 "7 ENTER close\n"
				 "7 DESTROY_HANDLE h0 /data/x\n"
				 "7 LEAVE close\n"
				 "7 ENTER close\n"
				 "7 LEAVE close errno 9\n");
}

TEST_F(Kept, AnExclusionGoesBeforeAnInclusion)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/more/?"});
	d.fact(FACT_FILTER, {FILTER_PATH_EXCLUDED}, {"*.o"});
	use("/data/x.o", 3);
	use("/more/xx", 4);
	use("/more/x", 5);
	d.end();
	ASSERT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(d.path(0), "/more/x");
}

TEST_F(Kept, OfATaskWithAnotherNameOnlyWhatItLeavesToOthers)
{
	d.fact(FACT_FILTER, {FILTER_COMM}, {"dd"});
	d.comm(7, 7, "sh", false);
	d.start_fd(7, 0, "/in");
	d.enter(7, 7, "openat", {uint64_t(AT_FDCWD), 0, O_RDONLY});
	d.leave(7, 7, "openat", 3);
	uint64_t t0 = d.now++;
	d.fd(7, 3, "/data/a", 1, t0);
	d.fork(7, 7, 8, 8);
	d.call(7, 7, "close", {3}, 0);
	d.call(8, 8, "dup2", {3, 0}, 0);
	d.comm(8, 8, "dd", true);
	d.call(8, 8, "read", {0, 0, 5}, 5);
	d.call(8, 8, "close", {0}, 0);
	d.exit(8, 8);
	d.exit(7, 7);
	d.end();
	EXPECT_EQ(d.text(false), "8 PROGRAM_BEGIN\n"
				 "8 ENTER read\n"
				 "8 OP_BEGIN h0 5 @-\n"
				 "8 OP_COMPLETE h0 5\n"
				 "8 LEAVE read\n"
				 "8 ENTER close\n"
				 "8 DESTROY_HANDLE h0 /data/a\n"
				 "8 LEAVE close\n"
				 "8 DESTROY_HANDLE h1 /data/a\n" /* 3, at its end */
				 "8 PROGRAM_END\n");
	EXPECT_EQ(d.path(0), "/data/a");
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_pre_created);
	EXPECT_EQ(trace_threads(d.trace), 1u);
	EXPECT_EQ(d.tally.n[TALLY_records_excluded], 3u);
	EXPECT_EQ(d.tally.n[TALLY_calls], 2u);
}

TEST_F(Kept, OfATaskWithAnotherNameNotTheCopiesOfWhatItSharesNoMore)
{
	d.fact(FACT_FILTER, {FILTER_COMM}, {"dd"});
	d.comm(7, 7, "sh", false);
	d.start_fd(7, 3, "/data/a");
	d.fork(7, 7, 7, 8);
	d.call(7, 8, "unshare", {CLONE_FILES}, 0);
	d.comm(7, 8, "dd", false);
	d.call(7, 8, "fsync", {3}, 0);
	d.end();
	EXPECT_EQ(d.text(false).find("DUPLICATE_HANDLE"), std::string::npos) << d.text(false);
	EXPECT_NE(d.text(false).find("8 OP_BEGIN h0"), std::string::npos) << d.text(false);
	EXPECT_EQ(d.path(0), "/data/a");
}

TEST_F(Kept, OfATaskWhoseNameIsNotKnownYetNothing)
{
	d.fact(FACT_FILTER, {FILTER_COMM}, {"dd"});
	d.call(7, 7, "close", {9}, -EBADF);
	d.comm(7, 7, "dd", false);
	d.call(7, 7, "close", {8}, -EBADF);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER close\n7 LEAVE close errno 9\n");
}

/* A name or a user that the kernel has looked at is surer than what is known here. */
TEST_F(Kept, WhatTheKernelSaysOfATaskDecides)
{
	auto close = [&](enum event_choice choice) {
		struct event e = d.base(EVENT_SYSCALL_ENTER, 7, 7);

		e.enter.call = call_by_name("close", 5);
		e.enter.arg[0] = 9;
		e.choice = choice;
		model_event(d.model, &e);
		d.leave(7, 7, "close", -EBADF);
	};

	d.fact(FACT_SOURCE, {TRACE_SOURCE_BPF});
	d.fact(FACT_FILTER, {FILTER_USER}, {"1000"});
	d.comm(7, 7, "dd", false);
	close(CHOICE_OUT);
	EXPECT_EQ(d.text(false), "");
	close(CHOICE_IN);
	close(CHOICE_OUT);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER close\n7 LEAVE close errno 9\n");
}

TEST_F(Kept, WithoutTheKernelsWordNothingOfAProcessWhoseUserIsNotKnown)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF});
	d.fact(FACT_FILTER, {FILTER_USER}, {"1000"});
	d.call(7, 7, "close", {9}, -EBADF);
	d.fact(FACT_TASK, {7, 7, 1, 0, 0, false}, {"dd", "/bin/dd"});
	d.call(7, 7, "close", {8}, -EBADF);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER close\n7 LEAVE close errno 9\n");
}

TEST_F(Kept, ACopyIsKeptForEitherOfItsFiles)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/out"});
	d.start_fd(7, 3, "/in");
	d.start_fd(7, 4, "/out");
	d.call(7, 7, "copy_file_range", {3, 0, 4, 0, 9, 0}, 9);
	d.end();
	EXPECT_EQ(d.text(false), "7 ENTER copy_file_range\n"
				 "7 OP_BEGIN h0 9 @-\n"
				 "7 OP_COMPLETE h0 9\n"
				 "7 LEAVE copy_file_range\n");
	EXPECT_EQ(d.path(0), "/out");
}

TEST_F(Kept, EventsOfOurOwnChoiceAreNoFiles)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	set_event(0);
	d.enter(7, 7, "read", {3, 0, 5});
	happen(7, 7, 1, "a");
	d.leave(7, 7, "read", 5);
	d.end();
	EXPECT_EQ(d.text(false), "7 METRIC\n7 PARAMETER\n");
}

/* Locations and groups: which are told of. */
class Listed : public Kept
{
      protected:
	void SetUp() override
	{
		d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
		d.fact(FACT_TASK, {7, 7, 1, 0, 0}, {"app", "/bin/app"});
	}

	/* A thread uses one file, wanted or not. */
	void touch(uint32_t pid, uint32_t tid, const std::string &name)
	{
		d.pair(pid, tid, "openat", d.now++, {uint64_t(AT_FDCWD), 0, O_RDONLY}, 3,
		       {{{3, name, O_RDONLY}}});
		d.call(pid, tid, "read", {3, 0, 5}, 5);
		d.call(pid, tid, "close", {3}, 0);
	}

	/* "threads; processes", by their numbers. */
	std::string listed()
	{
		std::string threads, processes;

		for (uint32_t i = 0; i < trace_threads(d.trace); i++)
			if (!trace_thread(d.trace, i)->is_excluded)
				threads += std::to_string(trace_thread(d.trace, i)->tid) + " ";
		for (uint32_t i = 0; i < trace_processes(d.trace); i++)
			if (!trace_process(d.trace, i)->is_excluded)
				processes += std::to_string(trace_process(d.trace, i)->pid) + " ";
		return threads + "; " + processes;
	}
};

TEST_F(Listed, AreThreadsOfWhichSomethingIsKept)
{
	d.fork(7, 7, 7, 8);
	d.fork(7, 7, 7, 9);
	for (uint32_t tid : {7, 8, 9}) {
		touch(7, tid, tid == 8 ? "/data/a" : "/etc/passwd");
		EXPECT_EQ(listed(), tid == 7 ? "; " : "8 ; 7 ");
	}
	d.exit(7, 8);
	d.exit(7, 9);
	d.end();
	EXPECT_EQ(d.text(false), "8 THREAD_BEGIN\n"
				 "8 ENTER openat\n"
				 "8 CREATE_HANDLE h0 /data/a\n"
				 "8 LEAVE openat\n"
				 "8 ENTER read\n"
				 "8 OP_BEGIN h0 5 @0\n"
				 "8 OP_COMPLETE h0 5\n"
				 "8 LEAVE read\n"
				 "8 ENTER close\n"
				 "8 DESTROY_HANDLE h0 /data/a\n"
				 "8 LEAVE close\n"
				 "8 THREAD_END\n");
	EXPECT_EQ(listed(), "8 ; 7 ");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Listed, AProcessIsWithThoseThatItComesFrom)
{
	d.fork(7, 7, 20, 20);
	touch(20, 20, "/etc/passwd");
	d.fork(20, 20, 30, 30);
	d.fork(20, 20, 40, 40);
	touch(30, 30, "/data/a");
	touch(40, 40, "/etc/passwd");
	for (uint32_t pid : {30, 40, 20, 7})
		d.exit(pid, pid);
	d.end();
	EXPECT_EQ(listed(), "30 ; 7 20 30 ");
	EXPECT_EQ(d.events.front().kind, IO_PROGRAM_BEGIN);
	EXPECT_EQ(d.events.back().kind, IO_PROGRAM_END);
	for (const io_event &e : d.events)
		EXPECT_EQ(trace_thread(d.trace, e.thread)->tid, 30u);
}

TEST_F(Listed, IsWhatHasAnEventOfOurOwnChoice)
{
	set_event(0);
	d.enter(7, 7, "read", {3, 0, 5});
	happen(7, 7, 1, "a");
	d.leave(7, 7, "read", 5);
	d.end();
	EXPECT_EQ(listed(), "7 ; 7 ");
}

TEST_F(Listed, IsADeviceWithRequests)
{
	d.request(REQUEST_ISSUE, 8, "R", 0, 8);
	d.end();
	EXPECT_EQ(listed(), "0 ; 0 ");
}

TEST_F(Listed, AreAllWhereNothingIsLeftOut)
{
	ModelDriver all;

	all.fact(FACT_TASK, {7, 7, 1, 0, 0}, {"app", "/bin/app"});
	all.call(7, 7, "close", {9}, -EBADF);
	ASSERT_EQ(trace_threads(all.trace), 1u);
	EXPECT_FALSE(trace_thread(all.trace, 0)->is_excluded);
	EXPECT_FALSE(trace_process(all.trace, 0)->is_excluded);
}

} // namespace
