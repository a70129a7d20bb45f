/*
 * The model, case by case: what a stream of events says in I/O records.
 */
#include <gtest/gtest.h>
#include <map>

#include "model_driver.h"

#include <iotrace/metric.h>

#include <cstdio>
#include <sched.h>
#include <sstream>

namespace
{

/* A process that runs already: pid 10 with one thread. */
class Model : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	/* The handle of each call that is no open. */
	std::string handles_of_calls()
	{
		std::string all;

		d.end();
		for (const io_event &e : d.events)
			if (e.kind == IO_ENTER && call_row(e.region.id)->kind == CALL_META)
				all += std::string(call_row(e.region.id)->name) + " " +
				       (e.handle == ID_NONE ? "-" : std::to_string(e.handle)) +
				       ", ";
		return all;
	}

	void open_named(uint32_t pid, int fd, const char *name, uint64_t flags = O_RDWR)
	{
		d.call(pid, pid, "openat", {(uint64_t)AT_FDCWD, 0, flags}, fd);
		d.fd(pid, (uint64_t)fd, name, 1, d.now);
	}
};

TEST_F(Model, OpenReadCloseOfANamedFile)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 4096}, 10);
	d.call(10, 10, "close", {3}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h0 4096 @0\n"
			    "10 OP_COMPLETE h0 10\n"
			    "10 DESTROY_HANDLE h0 /data/a\n");
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(tally_get(&d.tally, names_known), 1u);
	EXPECT_EQ(tally_get(&d.tally, handles_open), 0u);
}

TEST_F(Model, EnterAndLeaveFrameTheCallWithItsTimes)
{
	d.at(100);
	d.enter(10, 10, "read", {0, 0, 5});
	d.at(250);
	d.leave(10, 10, "read", -EBADF);
	d.end();
	ASSERT_EQ(d.events.size(), 2u);
	EXPECT_EQ(d.events[0].kind, IO_ENTER);
	EXPECT_EQ(d.events[0].time, 100u);
	EXPECT_EQ(d.events[1].time, 250u);
	EXPECT_EQ(d.events[1].region.error, EBADF);
	EXPECT_EQ(tally_get(&d.tally, begun), 0u) << "EBADF: there is no handle to read from";
}

TEST_F(Model, AFailedReadHasItsPair)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 4096}, -EIO);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h0 4096 @0\n"
			    "10 OP_COMPLETE h0 -\n"
			    "10 LEAVE read errno 5\n");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, TheNameIsWaitedForSoThatTheHandleIsUsedAgain)
{
	for (int i = 0; i < 3; i++) {
		d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
		d.call(10, 10, "read", {3, 0, 1}, 1);
		d.fd(10, 3, "/data/a", 1, d.now);
		d.call(10, 10, "close", {3}, 0);
	}
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(trace_files(d.trace), 1u);
}

TEST_F(Model, AllHandlesThatEndedAreUsedAgain)
{
	for (int round = 0; round < 2; round++) {
		for (int fd : {3, 4, 5})
			open_named(10, fd, "/data/a");
		for (uint64_t fd : {3, 4, 5})
			d.call(10, 10, "close", {fd}, 0);
	}
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 3u);
}

TEST_F(Model, WhatEndsAndBeginsAtTheSameTimeOnTwoCpusAreTwoHandles)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0});
	d.call(10, 10, "close", {3}, 0);
	d.now = d.events.back().time;
	d.leave(10, 11, "openat", 4);
	d.fd(10, 4, "/data/a", 1, d.now);
	d.end();
	ASSERT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n10 DESTROY_HANDLE h0 /data/a\n"
			    "11 THREAD_BEGIN\n11 CREATE_HANDLE h1 /data/a\n");
}

TEST_F(Model, NothingLeavesBeforeTheNameIsSettled)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	size_t before = d.events.size();

	d.call(10, 10, "read", {3, 0, 1}, 1);
	EXPECT_EQ(d.events.size(), before);
	d.fd(10, 3, "/data/a", 1, d.now);
	EXPECT_GT(d.events.size(), before);
}

TEST_F(Model, ALookUpThatBeganBeforeTheOpenEndedIsRefused)
{
	uint64_t early = d.now;

	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fd(10, 3, "/data/old", 1, early);
	d.call(10, 10, "close", {3}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 ?\n10 DESTROY_HANDLE h0 ?\n");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 1u);
	EXPECT_EQ(tally_get(&d.tally, names_unknown), 1u);
}

TEST_F(Model, ALookUpDuringWhichTheNumberWasUsedAgainIsRefused)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	uint64_t t0 = d.now++;

	d.call(10, 10, "close", {3}, 0);
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fd(10, 3, "/data/which", 1, t0);
	d.end();
	EXPECT_EQ(d.text().find("which"), std::string::npos);
}

TEST_F(Model, ALookUpWhileACloseIsInFlightIsRefused)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "close", {3});
	d.fd(10, 3, "/data/other", 1, d.now);
	d.leave(10, 11, "close", 0);
	d.end();
	EXPECT_EQ(d.text().find("other"), std::string::npos);
}

TEST_F(Model, ALookUpWhileADup2OntoItIsInFlightIsRefused)
{
	open_named(10, 4, "/data/four");
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "dup2", {4, 3});
	d.fd(10, 3, "/data/four", 1, d.now);
	d.leave(10, 11, "dup2", 3);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 1u);
	EXPECT_EQ(tally_get(&d.tally, names_unknown), 1u);
}

TEST_F(Model, ALookUpWhileAnExecIsInFlightIsRefused)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_CLOEXEC}, 3);
	d.enter(10, 10, "execve");
	d.fd(10, 3, "/data/late", 1, d.now);
	d.leave(10, 10, "execve", 0);
	d.end();
	EXPECT_EQ(d.text().find("late"), std::string::npos);
}

TEST_F(Model, CloseTakesEffectWhenItBegins)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.enter(10, 10, "close", {3});
	d.call(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fd(10, 3, "/data/b", 1, d.now);
	d.leave(10, 10, "close", 0);
	d.call(10, 11, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "11 THREAD_BEGIN\n"
			    "11 CREATE_HANDLE h1 /data/b\n"
			    "10 DESTROY_HANDLE h0 /data/a\n"
			    "11 OP_BEGIN h1 8 @0\n"
			    "11 OP_COMPLETE h1 8\n");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AReadInFlightKeepsTheFileItBeganWith)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "read", {3, 0, 8});
	d.call(10, 10, "close", {3}, 0);
	open_named(10, 3, "/data/b");
	d.leave(10, 11, "read", 8);
	d.end();
	EXPECT_NE(d.text().find("11 OP_BEGIN h0 8 @0\n"), std::string::npos) << d.text();
	EXPECT_EQ(d.path(0), "/data/a");
}

TEST_F(Model, DupSharesThePosition)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "dup", {3}, 4);
	d.call(10, 10, "read", {3, 0, 100}, 100);
	d.call(10, 10, "read", {4, 0, 100}, 50);
	d.call(10, 10, "lseek", {4, 7, SEEK_SET}, 7);
	d.call(10, 10, "write", {3, 0, 5}, 5);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 DUPLICATE_HANDLE h0 h1\n"
			    "10 OP_BEGIN h0 100 @0\n"
			    "10 OP_COMPLETE h0 100\n"
			    "10 OP_BEGIN h1 100 @100\n"
			    "10 OP_COMPLETE h1 50\n"
			    "10 SEEK h1 7\n"
			    "10 OP_BEGIN h0 5 @7\n"
			    "10 OP_COMPLETE h0 5\n");
}

TEST_F(Model, Dup2DestroysItsOldTargetFirstAndDoesNothingOntoItself)
{
	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/b");
	d.call(10, 10, "dup2", {3, 4}, 4);
	d.call(10, 10, "dup2", {3, 3}, 3);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 CREATE_HANDLE h1 /data/b\n"
			    "10 DESTROY_HANDLE h1 /data/b\n"
			    "10 DUPLICATE_HANDLE h0 h2\n");
	EXPECT_EQ(tally_get(&d.tally, handles_open), 2u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AppendLeavesTheOffsetOut)
{
	open_named(10, 3, "/data/log", O_WRONLY | O_APPEND);
	d.call(10, 10, "write", {3, 0, 5}, 5);
	d.end();
	EXPECT_NE(d.text().find("OP_BEGIN h0 5 @-"), std::string::npos) << d.text();
}

TEST_F(Model, OverlappingReadsOfOneDescriptionHaveNoOffsetButThePositionAdvances)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.enter(10, 10, "read", {3, 0, 10});
	d.enter(10, 11, "read", {3, 0, 10});
	d.leave(10, 11, "read", 10);
	d.leave(10, 10, "read", 10);
	d.call(10, 10, "read", {3, 0, 1}, 1);
	d.end();
	EXPECT_NE(d.text().find("11 OP_BEGIN h0 10 @-"), std::string::npos) << d.text();
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 1 @20"), std::string::npos) << d.text();
}

TEST_F(Model, PreadDoesNotMoveThePosition)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "pread64", {3, 0, 10, 500}, 10);
	d.call(10, 10, "read", {3, 0, 1}, 1);
	d.end();
	EXPECT_NE(d.text().find("OP_BEGIN h0 10 @500"), std::string::npos);
	EXPECT_NE(d.text().find("OP_BEGIN h0 1 @0"), std::string::npos);
}

TEST_F(Model, AForkedChildInheritsHandlesAndItsClosesAreItsOwn)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 20, 20);
	d.call(20, 20, "read", {3, 0, 4}, 4);
	d.call(20, 20, "close", {3}, 0);
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "20 PROGRAM_BEGIN\n"
			    "20 OP_BEGIN h0 4 @0\n"
			    "20 OP_COMPLETE h0 4\n"
			    "20 DESTROY_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h0 4 @4\n"
			    "10 OP_COMPLETE h0 4\n");
	EXPECT_EQ(tally_get(&d.tally, handles_inherited), 1u);
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(trace_process(d.trace, trace_thread(d.trace, 1)->process)->parent, 0u);
}

TEST_F(Model, AHandleThatAChildStillHoldsIsNotTakenTwice)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 20, 20);
	d.call(10, 10, "close", {3}, 0);
	d.call(20, 20, "close", {3}, 0);
	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/a");
	d.end();
	EXPECT_EQ(d.events.back().kind, IO_LEAVE);
	std::vector<handle_id> created;

	for (const io_event &e : d.events)
		if (e.kind == IO_CREATE_HANDLE)
			created.push_back(e.handle);
	ASSERT_EQ(created.size(), 3u);
	EXPECT_EQ(created[1], 0u);
	EXPECT_NE(created[2], created[1]);
}

TEST_F(Model, CloneFilesSharesTheTable)
{
	d.enter(10, 10, "clone3");
	d.fork(10, 10, 20, 20);
	d.clone_flags(10, 10, CLONE_FILES);
	d.leave(10, 10, "clone3", 20);
	open_named(20, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.end();
	EXPECT_NE(d.text().find("10 OP_BEGIN h1 4 @0"), std::string::npos) << d.text();
	EXPECT_EQ(trace_handle(d.trace, 1)->name, trace_handle(d.trace, 0)->name);
	EXPECT_TRUE(trace_handle(d.trace, 1)->is_pre_created);
	EXPECT_EQ(tally_get(&d.tally, handles_open), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, ADestroySaysWhetherAnotherProcessHasTheSameDescriptors)
{
	std::map<uint32_t, bool> shared;

	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/b");
	for (uint64_t flag : {uint64_t(CLONE_FILES), uint64_t(0)}) {
		uint32_t child = flag ? 20 : 30;

		d.enter(10, 10, "clone", {flag | SIGCHLD});
		d.fork(10, 10, child, child);
		d.leave(10, 10, "clone", child);
		d.call(child, child, "close", {flag ? 3u : 4u}, 0);
	}
	for (const io_event &e : d.events)
		if (e.kind == IO_DESTROY_HANDLE)
			shared[trace_thread(d.trace, e.thread)->tid] = e.destroy.is_shared;
	EXPECT_EQ(shared, (std::map<uint32_t, bool>{{20, true}, {30, false}}));
}

TEST_F(Model, CloneSaysItsFlagsItself)
{
	d.enter(10, 10, "clone", {CLONE_FILES | SIGCHLD});
	d.fork(10, 10, 20, 20);
	d.leave(10, 10, "clone", 20);
	open_named(20, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.end();
	EXPECT_NE(d.text().find("10 OP_BEGIN h1 4 @0"), std::string::npos) << d.text();
}

/* A handle is of who created it and of whom came from there: to the others it is one of their own. */
TEST_F(Model, WhatAChildOpenedForBothIsAnotherHandleForWhoComesFromTheParent)
{
	d.enter(10, 10, "clone", {CLONE_FILES | SIGCHLD});
	d.fork(10, 10, 20, 20);
	d.leave(10, 10, "clone", 20);
	open_named(20, 3, "/data/a");
	d.exit(20, 20);
	d.enter(10, 10, "clone", {SIGCHLD});
	d.fork(10, 10, 30, 30);
	d.leave(10, 10, "clone", 30);
	d.call(30, 30, "read", {3, 0, 4}, 4);
	d.call(30, 30, "close", {3}, 0);
	d.end();
	EXPECT_NE(d.text().find("20 CREATE_HANDLE h0 /data/a\n"), std::string::npos) << d.text();
	EXPECT_NE(d.text().find("30 OP_BEGIN h1 4 @0\n30 OP_COMPLETE h1 4\n"
				"30 DESTROY_HANDLE h1 /data/a\n"),
		  std::string::npos)
		<< d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AThreadThatIsMadeWithoutTheFilesHasACopyOfThem)
{
	open_named(10, 3, "/data/a");
	d.enter(10, 10, "clone", {CLONE_VM | CLONE_SIGHAND | CLONE_THREAD});
	d.fork(10, 10, 10, 11);
	d.leave(10, 10, "clone", 11);
	d.call(10, 10, "close", {3}, 0);
	open_named(10, 3, "/data/b");
	d.call(10, 11, "read", {3, 0, 4}, 4);
	d.call(10, 10, "read", {3, 0, 5}, 5);
	d.end();
	EXPECT_NE(d.text().find("11 OP_BEGIN h1 4 @0"), std::string::npos) << d.text();
	EXPECT_EQ(trace_text(d.trace, trace_handle(d.trace, 1)->name), std::string("/data/a"));
	EXPECT_NE(d.text().find("10 OP_BEGIN h2 5 @0"), std::string::npos) << d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AThreadSharesTheFilesOfTheThreadThatMadeIt)
{
	open_named(10, 3, "/data/a");
	for (uint32_t tid : {11u, 12u}) {
		d.enter(10, tid - 1, "clone3");
		d.fork(10, tid - 1, 10, tid);
		d.clone_flags(10, tid - 1, CLONE_THREAD | (tid == 11 ? 0 : CLONE_FILES));
		d.leave(10, tid - 1, "clone3", tid);
	}
	d.call(10, 11, "close", {3}, 0);
	d.call(10, 12, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3, {"/data/b"});
	d.call(10, 11, "write", {3, 0, 7}, 7);
	d.call(10, 10, "write", {3, 0, 8}, 8);
	d.end();
	EXPECT_NE(d.text().find("11 OP_BEGIN h2 7 @0"), std::string::npos) << d.text();
	EXPECT_EQ(trace_text(d.trace, trace_handle(d.trace, 2)->name), std::string("/data/b"));
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 8 @0"), std::string::npos) << d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

/* Linux writes at the end then, whatever the offset says. */
TEST_F(Model, AWriteThatAppendsHasNoOffset)
{
	constexpr uint64_t APPEND = 0x10, NOAPPEND = 0x20; /* RWF_ */

	open_named(10, 3, "/data/a", O_RDWR | O_APPEND);
	open_named(10, 4, "/data/b", O_RDWR);
	d.call(10, 10, "pwrite64", {3, 0, 1, 77}, 1);
	d.call(10, 10, "pwritev", {3, 0, 1, 77}, 2);
	d.call(10, 10, "pwritev2", {3, 0, 1, 77, 0, NOAPPEND}, 3);
	d.call(10, 10, "pread64", {3, 0, 4, 77}, 4);
	d.call(10, 10, "pwritev2", {4, 0, 1, 77, 0, APPEND}, 5);
	d.call(10, 10, "pwrite64", {4, 0, 6, 77}, 6);
	d.end();
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 1 @-"), std::string::npos) << d.text();
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 - @-\n10 OP_COMPLETE h0 2"), std::string::npos);
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 - @77\n10 OP_COMPLETE h0 3"), std::string::npos);
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 4 @77"), std::string::npos);
	EXPECT_NE(d.text().find("10 OP_BEGIN h1 - @-\n10 OP_COMPLETE h1 5"), std::string::npos);
	EXPECT_NE(d.text().find("10 OP_BEGIN h1 6 @77"), std::string::npos);
}

TEST_F(Model, ExecClosesWhatIsMarked)
{
	open_named(10, 3, "/data/a", O_RDONLY | O_CLOEXEC);
	open_named(10, 4, "/data/b");
	open_named(10, 5, "/data/c");
	d.call(10, 10, "fcntl", {5, F_SETFD, FD_CLOEXEC}, 0);
	d.call(10, 10, "fcntl", {4, F_DUPFD_CLOEXEC, 0}, 6);
	d.enter(10, 10, "execve");
	d.comm(10, 10, "next", true);
	d.leave(10, 10, "execve", 0);
	d.end();
	EXPECT_NE(d.text().find("DUPLICATE_HANDLE h1 h3\n"
				"10 DESTROY_HANDLE h0 /data/a\n"
				"10 DESTROY_HANDLE h2 /data/c\n"
				"10 DESTROY_HANDLE h3 /data/b\n"),
		  std::string::npos)
		<< d.text();
	EXPECT_EQ(tally_get(&d.tally, handles_open), 1u);
	EXPECT_STREQ(trace_text(d.trace, trace_process(d.trace, 0)->name), "next");
}

TEST_F(Model, ExecByASecondThreadGoesOnUnderTheFirstOnesNumber)
{
	d.call(10, 10, "getdents64", {9, 0, 0}, -EBADF);
	d.fork(10, 10, 10, 11);
	open_named(10, 3, "/data/a");
	d.enter(10, 11, "execve");
	d.exit(10, 10);
	d.comm(10, 10, "next", true);
	d.leave(10, 10, "execve", 0);
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.exit(10, 10);
	d.end();
	EXPECT_NE(d.text(false).find("11 ENTER execve\n11 LEAVE execve\n11 THREAD_END\n"),
		  std::string::npos)
		<< d.text(false);
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 4 @0"), std::string::npos) << d.text();
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(tally_get(&d.tally, handles_open), 0u) << "the process has ended";
}

TEST_F(Model, CloseRangeLeavesWhatWasOpenedSinceItBegan)
{
	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/b");
	d.fork(10, 10, 10, 11);
	d.enter(10, 10, "close_range", {3, UINT32_MAX, 0});
	d.call(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 7);
	d.leave(10, 10, "close_range", 0);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 2u);
	EXPECT_EQ(tally_get(&d.tally, handles_open), 1u);
}

TEST_F(Model, CloseRangeCloexecClosesOnExecOnly)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "close_range", {3, 3, 4}, 0);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 0u);
	d.call(10, 10, "execve", {}, 0);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 1u);
}

TEST_F(Model, CopyIsAReadAndAWrite)
{
	open_named(10, 3, "/data/in");
	open_named(10, 4, "/data/out");
	d.call(10, 10, "copy_file_range", {3, 0, 4, 0, 1000, 0}, 600);
	d.call(10, 10, "sendfile64", {4, 3, 0, 10}, 10);
	d.call(10, 10, "sendfile64", {4, 3, 0x7000, 10}, 10);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/in\n"
			    "10 CREATE_HANDLE h1 /data/out\n"
			    "10 OP_BEGIN h0 1000 @0\n"
			    "10 OP_BEGIN h1 1000 @0\n"
			    "10 OP_COMPLETE h0 600\n"
			    "10 OP_COMPLETE h1 600\n"
			    "10 OP_BEGIN h0 10 @600\n"
			    "10 OP_BEGIN h1 10 @600\n"
			    "10 OP_COMPLETE h0 10\n"
			    "10 OP_COMPLETE h1 10\n"
			    "10 OP_BEGIN h0 10 @-\n"
			    "10 OP_BEGIN h1 10 @610\n"
			    "10 OP_COMPLETE h0 10\n"
			    "10 OP_COMPLETE h1 10\n");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AnUnknownDescriptorIsFoundWhenItIsUsed)
{
	d.call(10, 10, "pipe2", {0x7000, 0}, 0);
	d.call(10, 10, "write", {4, 0, 5}, 5);
	d.fd(10, 4, "pipe:[77]", 2, d.now, 0, 0010600);
	d.call(10, 10, "read", {3, 0, 5}, -EBADF);
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(d.path(0), "pipe:[77]");
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_pre_created);
	EXPECT_EQ(trace_handle(d.trace, 0)->file, ID_NONE);
	EXPECT_EQ(tally_get(&d.tally, names_unknown), 0u);
}

TEST_F(Model, WhatWasOpenBeforeComesFromFacts)
{
	d.start_fd(10, 0, "/dev/null", O_RDWR, 0, 0020666);
	d.start_fd(10, 1, "/data/log", O_WRONLY, 4096);
	d.call(10, 10, "write", {1, 0, 10}, 10);
	d.call(10, 10, "write", {0, 0, 10}, 10);
	d.end();
	EXPECT_EQ(d.text(), "10 OP_BEGIN h0 10 @-\n10 OP_COMPLETE h0 10\n"
			    "10 OP_BEGIN h1 10 @-\n10 OP_COMPLETE h1 10\n");
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_pre_created);
	EXPECT_EQ(trace_handle(d.trace, 0)->pre_flags, (uint32_t)O_WRONLY);
	EXPECT_EQ(trace_file(d.trace, trace_handle(d.trace, 1)->file)->kind, FILE_DEVICE);
}

TEST_F(Model, AScanDoesNotInventADescriptorWhileAnOpenIsInFlight)
{
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0});
	d.fd(10, 5, "/data/new", 2, d.now);
	d.leave(10, 11, "openat", 5);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, handles_created), 1u);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 0u);
}

TEST_F(Model, AfterLossADescriptorIsOnNoFileUntilItIsConfirmed)
{
	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/b");
	d.lost(100);
	d.fd(10, 4, "/data/b", 3, d.now);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.call(10, 10, "read", {4, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 CREATE_HANDLE h1 /data/b\n"
			    "* LOST\n"
			    "10 DESTROY_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h2 8 @-\n"
			    "10 OP_COMPLETE h2 8\n"
			    "10 OP_BEGIN h1 8 @-\n"
			    "10 OP_COMPLETE h1 8\n");
	EXPECT_EQ(d.path(2), "?");
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

/* Through perf: what was lost came before the record that says so, in the ring of another CPU. */
TEST_F(Model, ALookUpBeforeALossWasOverIsNotBelieved)
{
	open_named(10, 3, "/data/a");
	open_named(10, 4, "/data/b");
	uint64_t until = d.now + 100;

	d.lost(100, until);
	d.fd(10, 3, "/data/a", 3, d.now);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 1u);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u);
	d.now = until + 1;
	d.fd(10, 4, "/data/b", 3, d.now);
	d.call(10, 10, "read", {4, 0, 8}, 8);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u) << "confirmed after the loss";
	d.end();
	EXPECT_EQ(d.text().find("OP_BEGIN h0 8"), std::string::npos) << d.text();
}

TEST_F(Model, WhatIsOpenedBetweenLossesIsOnNoFileAfterwards)
{
	d.lost(2);
	d.fact(FACT_LOSS, {d.now + 1000}, {});
	open_named(10, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.now += 1000;
	open_named(10, 4, "/data/b");
	d.call(10, 10, "read", {4, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "* LOST\n"
			    "10 CREATE_HANDLE h0 ?\n" /* what a look-up says confirms a name only */
			    "10 DESTROY_HANDLE h0 ?\n"
			    "10 OP_BEGIN h1 8 @-\n"
			    "10 OP_COMPLETE h1 8\n"
			    "10 OP_BEGIN h1 8 @-\n"
			    "10 OP_COMPLETE h1 8\n"
			    "10 CREATE_HANDLE h2 /data/b\n"
			    "10 OP_BEGIN h2 8 @0\n"
			    "10 OP_COMPLETE h2 8\n");
	EXPECT_EQ(d.path(1), "?");
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, ALookUpAfterLossThatTellsAnotherNameDoesNotConfirm)
{
	open_named(10, 3, "/data/a");
	d.lost(1);
	d.fd(10, 3, "/data/z", 3, d.now);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u);
}

TEST_F(Model, AnEnterWithoutExitIsCancelledByTheNextCall)
{
	open_named(10, 3, "/data/a");
	d.enter(10, 10, "read", {3, 0, 8});
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, cancelled), 1u);
	EXPECT_EQ(tally_get(&d.tally, lost_exits), 1u);
	EXPECT_NE(d.text().find("OP_BEGIN h0 8 @-"), std::string::npos)
		<< "the position is not known any more";
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AnExitWithoutEnterIsCountedAndItsDescriptorFound)
{
	d.leave(10, 10, "read", 8);
	d.leave(10, 10, "openat", 3);
	d.fd(10, 3, "/data/a", 2, d.now);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, orphan_exits), 2u);
	EXPECT_EQ(d.text(), "10 OP_BEGIN h0 8 @-\n10 OP_COMPLETE h0 8\n");
	EXPECT_EQ(d.path(0), "/data/a");
}

TEST_F(Model, CallsInFlightAtTheEndAreCancelledAsSuch)
{
	open_named(10, 3, "/data/a");
	d.enter(10, 10, "read", {3, 0, 8});
	d.end();
	EXPECT_EQ(d.events.back().kind, IO_LEAVE);
	EXPECT_EQ(d.events[d.events.size() - 2].kind, IO_OP_CANCELLED);
	EXPECT_EQ(d.events[d.events.size() - 2].op.end, IO_END_RECORDING);
	EXPECT_EQ(tally_get(&d.tally, in_flight), 1u);
	EXPECT_EQ(trace_host(d.trace)->processes_left, 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, AThreadThatDiesInACallCancelsIt)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "read", {3, 0, 8});
	d.exit(10, 11);
	d.end();
	EXPECT_NE(d.text().find("11 OP_BEGIN h0 8 @0\n11 OP_CANCELLED h0\n11 THREAD_END\n"),
		  std::string::npos)
		<< d.text();
	EXPECT_EQ(tally_get(&d.tally, cancelled), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, TheLastThreadOfAProcessClosesWhatIsOpen)
{
	d.fork(10, 10, 20, 20);
	d.fork(20, 20, 20, 21);
	open_named(20, 3, "/data/a");
	d.exit(20, 20);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 0u);
	d.call(20, 21, "read", {3, 0, 8}, 8);
	d.exit(20, 21);
	d.end();
	EXPECT_NE(d.text().find("21 DESTROY_HANDLE h0 /data/a\n21 THREAD_END\n20 PROGRAM_END\n"),
		  std::string::npos)
		<< d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, APidThatIsUsedAgainIsAnotherProcess)
{
	d.fork(10, 10, 20, 20);
	open_named(20, 3, "/data/a");
	d.exit(20, 20);
	d.fork(10, 10, 20, 20);
	open_named(20, 3, "/data/b");
	d.end();
	EXPECT_EQ(trace_processes(d.trace), 3u); /* 10, and 20 twice */
	EXPECT_EQ(trace_handles(d.trace), 2u);
}

TEST_F(Model, TheCommandIsRecordedFromItsExecOn)
{
	d.fact(FACT_COMMAND, {30}, {std::string("ls\0-l", 5), "/home"});
	d.start_fd(30, 1, "/data/out");
	d.start_fd(30, 9, "/data/ours", O_RDONLY | O_CLOEXEC);
	d.call(30, 30, "read", {9, 0, 1}, 1);
	d.call(30, 30, "execve", {}, -ENOENT);
	uint64_t begin = d.now;

	d.enter(30, 30, "execve");
	d.comm(30, 30, "ls", true);
	d.leave(30, 30, "execve", 0);
	d.call(30, 30, "write", {1, 0, 3}, 3);
	d.exit(30, 30);
	d.end();
	EXPECT_EQ(d.text(), "30 PROGRAM_BEGIN\n"
			    "30 DESTROY_HANDLE h0 /data/ours\n"
			    "30 OP_BEGIN h1 3 @-\n"
			    "30 OP_COMPLETE h1 3\n"
			    "30 DESTROY_HANDLE h1 /data/out\n"
			    "30 PROGRAM_END\n");
	EXPECT_EQ(d.events[0].time, begin);
	EXPECT_EQ(trace_host(d.trace)->first_time, begin);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, TheWholeMachineIsRecordedFromTheBegin)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_ALL}, {"host", "6.1", "x86_64"});
	d.fact(FACT_COMMAND, {30}, {"ls", "/"});
	uint64_t begin = d.now;

	d.fact(FACT_BEGIN, {}, {});
	d.call(7, 7, "write", {1, 0, 3}, 3); // a bystander, while the command waits
	d.call(30, 30, "read", {9, 0, 1}, 1);
	d.enter(30, 30, "execve");
	d.comm(30, 30, "ls", true);
	d.leave(30, 30, "execve", 0);
	uint64_t end = d.now;

	d.fact(FACT_END, {0, 0}, {});
	d.end();
	EXPECT_EQ(d.text(), "30 PROGRAM_BEGIN\n"
			    "7 OP_BEGIN h0 3 @-\n"
			    "7 OP_COMPLETE h0 3\n");
	EXPECT_TRUE(trace_host(d.trace)->is_system);
	EXPECT_EQ(trace_host(d.trace)->block, BLOCK_ALL);
	EXPECT_EQ(trace_host(d.trace)->first_time, begin);
	EXPECT_EQ(trace_host(d.trace)->last_time, end);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, RunningProcessesAreRecordedFromTheBegin)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 0, BLOCK_NONE}, {"host", "6.1", "x86_64"});
	d.fact(FACT_TASK, {7, 7, 1, 0, 0}, {"daemon", "/bin/daemon"});
	uint64_t begin = d.now;

	d.fact(FACT_BEGIN, {70}, {});
	d.at(begin + 5000);
	d.call(7, 7, "write", {1, 0, 3}, 3);
	d.at(begin + 9000);
	d.fact(FACT_END, {0, 0, 0, 73}, {});
	d.end();
	EXPECT_EQ(trace_host(d.trace)->first_time, begin);
	EXPECT_EQ(trace_host(d.trace)->last_time, begin + 9000);
	EXPECT_EQ(trace_host(d.trace)->cpu_wait, 3000U) << "tasks waited for a CPU";
}

/* What the rings had after the last record that found room is in no number: that time does not count either. */
TEST_F(Model, ARecordingThatFoundNoRoomLastsUntilItsLastEvent)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_NONE}, {"host", "6.1", "x86_64"});
	d.fact(FACT_BEGIN, {}, {});
	d.call(7, 7, "write", {1, 0, 3}, 3);
	uint64_t end = d.now - 1;

	d.at(end + 9000);
	d.fact(FACT_END, {TRACE_END_ERROR, 1234, 28}, {});
	d.end();
	EXPECT_EQ(trace_host(d.trace)->last_time, end);
	EXPECT_EQ(trace_host(d.trace)->end_errno, 28);
}

TEST_F(Model, WhatHasEndedLastsUntilItsLastEvent)
{
	d.fact(FACT_COMMAND, {30}, {"ls", "/"});
	d.enter(30, 30, "execve");
	d.comm(30, 30, "ls", true);
	d.leave(30, 30, "execve", 0);
	d.exit(30, 30);
	uint64_t end = d.now - 1;

	d.at(end + 9000);
	d.fact(FACT_EXIT, {30, 0}, {});
	d.fact(FACT_END, {0, 0}, {});
	d.end();
	EXPECT_EQ(trace_host(d.trace)->last_time, end);
}

/* A part that is written while the recording ends has both. */
TEST_F(Model, ThatAPartEndsIsNoEndOfTheRecording)
{
	for (bool is_first : {false, true}) {
		ModelDriver both;

		both.fact(FACT_END, {is_first ? TRACE_END_DETACHED : TRACE_END_LIMIT, 0}, {});
		both.fact(FACT_END, {is_first ? TRACE_END_LIMIT : TRACE_END_DETACHED, 0}, {});
		both.end();
		EXPECT_EQ(trace_host(both.trace)->end_reason, TRACE_END_LIMIT) << is_first;
	}
}

TEST_F(Model, TheWordsOfTheCommandAreNotThoseOfWhatItRuns)
{
	d.fact(FACT_COMMAND, {30}, {std::string("sh\0-c", 5), "/home"});
	d.enter(30, 30, "execve");
	d.comm(30, 30, "sh", true);
	d.leave(30, 30, "execve", 0);
	d.fork(30, 30, 40, 40);
	d.enter(40, 40, "execve");
	d.comm(40, 40, "ls", true);
	d.leave(40, 40, "execve", 0);
	d.end();
	EXPECT_NE(trace_process(d.trace, 0)->argv, 0u);
	EXPECT_EQ(trace_process(d.trace, 1)->argv, 0u);
}

TEST_F(Model, CallsOf32BitProgramsAreLeftOut)
{
	d.fact(FACT_EXE, {10, d.now, 0, 1}, {"/bin/old"});
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_TRUE(d.events.empty());
	EXPECT_EQ(tally_get(&d.tally, foreign_calls), 1u);
}

TEST_F(Model, PathsStartWhereTheStreamSays)
{
	d.start = "/home/user";
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"./sub//a"});
	d.call(10, 10, "close", {3}, 0);
	d.call(10, 10, "unlinkat", {4, 0, 0}, 0, {"x/y"});
	d.call(10, 10, "unlinkat", {4, 0, 0}, 0, {"../../top"});
	d.call(10, 10, "unlinkat", {4, 0, 0}, 0, {"../../../../above"});
	d.call(10, 10, "unlinkat", {4, 0, 0}, 0, {"x/../y"});
	d.call(10, 10, "unlinkat", {4, 0, 0}, 0, {"/x/../y"});
	d.start = "";
	d.call(10, 10, "unlink", {0}, 0, {"t"});
	d.call(10, 10, "unlink", {0}, -ENOENT, {"t"});
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /home/user/sub/a\n"
			    "10 DESTROY_HANDLE h0 /home/user/sub/a\n"
			    "10 DELETE_FILE /home/user/x/y\n"
			    "10 DELETE_FILE /top\n"
			    "10 DELETE_FILE /above\n"
			    "10 LEAVE unlink errno 2 t\n");
	EXPECT_EQ(tally_get(&d.tally, paths_unknown), 3u) << "two with .., one without a start";
}

TEST_F(Model, ARenameDeletesWhatIsThereAndNothingElse)
{
	auto deletes = [this] {
		std::string text = d.text(), line;
		std::istringstream in(text);
		std::string all;

		while (std::getline(in, line))
			if (line.find("DELETE_FILE") != std::string::npos)
				all += line.substr(line.find("DELETE_FILE") + 12) + " ";
		return all;
	};

	d.call(10, 10, "newstat", {0}, 0, {"/a"});
	d.call(10, 10, "newstat", {0}, 0, {"/b"});
	d.call(10, 10, "renameat2", {0, 0, 0, 0, RENAME_EXCHANGE}, 0, {"/a", "/b"});
	EXPECT_EQ(deletes(), "") << "both are there";
	d.call(10, 10, "rename", {0, 0}, 0, {"/a", "/b"});
	EXPECT_EQ(deletes(), "/b ");
	d.call(10, 10, "rename", {0, 0}, 0, {"/b", "/a"});
	EXPECT_EQ(deletes(), "/b ") << "/a was renamed away";
	d.call(10, 10, "unlink", {0}, 0, {"/a"});
	d.call(10, 10, "newstat", {0}, -ENOENT, {"/c"});
	d.call(10, 10, "rename", {0, 0}, 0, {"/b", "/c"});
	d.call(10, 10, "rename", {0, 0}, 0, {"/c", "/a"});
	EXPECT_EQ(deletes(), "/b /a ") << "nothing was called /c or, any more, /a";
	d.end();
}

TEST_F(Model, APathThatWasReadWhileTheCallWasInFlightIsBelieved)
{
	uint64_t unlink_id = call_by_name("unlink", 6);

	d.enter(10, 10, "unlink", {0x7000});
	d.fact(FACT_PATH, {10, 10, d.now, 0, unlink_id, 0}, {"gone", "/home"});
	d.leave(10, 10, "unlink", 0);
	d.enter(10, 10, "unlink", {0x7000});
	uint64_t t0 = d.now;

	d.leave(10, 10, "unlink", 0);
	d.fact(FACT_PATH, {10, 10, t0, 0, unlink_id, 0}, {"late"});
	d.enter(10, 10, "unlink", {0x7000});
	d.fact(FACT_PATH, {10, 10, t0, 0, unlink_id, 0}, {"before"});
	d.leave(10, 10, "unlink", 0);
	d.enter(10, 10, "rmdir", {0x7000});
	d.fact(FACT_PATH, {10, 10, d.now, 0, unlink_id, 0}, {"other"});
	d.leave(10, 10, "rmdir", 0);
	d.end();
	EXPECT_EQ(d.text(), "10 DELETE_FILE /home/gone\n");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 3u);
}

/* Who shares the directory may have moved it between the question and the use. */
TEST_F(Model, AStartThatMayHaveMovedMeanwhileIsNotBelieved)
{
	uint64_t unlink_id = call_by_name("unlink", 6);
	auto unlink = [&](uint32_t mover, bool has_ended) {
		d.enter(10, 10, "unlink", {0x7000});
		d.fact(FACT_PATH, {10, 10, d.now, 0, unlink_id, 0}, {"x", "/old"});
		d.enter(mover, mover, "chdir", {0});
		if (has_ended)
			d.leave(mover, mover, "chdir", 0);
		d.leave(10, 10, "unlink", 0);
		if (!has_ended)
			d.leave(mover, mover, "chdir", 0);
	};

	d.enter(10, 10, "clone", {CLONE_FS});
	d.fork(10, 10, 20, 20);
	d.leave(10, 10, "clone", 20);
	d.enter(10, 10, "clone", {0});
	d.fork(10, 10, 30, 30);
	d.leave(10, 10, "clone", 30);
	unlink(20, true);
	unlink(20, false);
	EXPECT_EQ(d.text().find("DELETE_FILE"), std::string::npos) << d.text();
	EXPECT_EQ(tally_get(&d.tally, paths_unknown), 2u);
	unlink(30, true);
	d.end();
	EXPECT_NE(d.text().find("DELETE_FILE /old/x"), std::string::npos) << d.text();
}

TEST_F(Model, TheFileOfAnOpenIsThatOfTheHandleThatItMade)
{
	d.start = "/home";
	d.enter(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, {"link"});
	d.leave(10, 10, "openat", 3);
	d.fd(10, 3, "/real/a", 1, d.now);
	d.end();
	ASSERT_EQ(d.events[0].kind, IO_ENTER);
	ASSERT_NE(d.events[0].region.file, ID_NONE);
	EXPECT_STREQ(trace_text(d.trace, trace_file(d.trace, d.events[0].region.file)->path),
		     "/real/a");
}

TEST_F(Model, ALookUpKnowsBetterThanTheString)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/link/a"});
	d.fd(10, 3, "/real/a", 1, d.now);
	d.call(10, 10, "close", {3}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /real/a\n10 DESTROY_HANDLE h0 /real/a\n");
}

TEST_F(Model, LocksOfFlock)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "flock", {3, 1}, 0);
	d.call(10, 10, "flock", {3, 2 | 4}, -EWOULDBLOCK);
	d.call(10, 10, "flock", {3, 8}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 ACQUIRE_LOCK h0\n"
			    "10 TRY_LOCK h0\n"
			    "10 LEAVE flock errno 11\n"
			    "10 RELEASE_LOCK h0\n");
}

TEST_F(Model, RecordLocksWhereTheKernelSaysTheirType)
{
	open_named(10, 3, "/data/a");
	for (uint32_t type : {F_RDLCK, F_UNLCK}) {
		d.enter(10, 10, "fcntl", {3, F_SETLKW, 0});
		d.lock(10, 10, type);
		d.leave(10, 10, "fcntl", 0);
	}
	d.enter(10, 10, "fcntl", {3, F_OFD_SETLK, 0});
	d.lock(10, 10, F_WRLCK);
	d.leave(10, 10, "fcntl", -EAGAIN);
	d.call(10, 10, "fcntl", {3, F_SETLK, 0}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 ACQUIRE_LOCK h0\n"
			    "10 RELEASE_LOCK h0\n"
			    "10 TRY_LOCK h0\n"
			    "10 LEAVE fcntl errno 11\n");
	std::vector<enum io_lock> locks;

	for (const io_event &e : d.events)
		if (e.kind == IO_ACQUIRE_LOCK || e.kind == IO_TRY_LOCK)
			locks.push_back(e.lock.lock);
	EXPECT_EQ(locks, (std::vector<enum io_lock>{IO_LOCK_SHARED, IO_LOCK_EXCLUSIVE}));
}

TEST_F(Model, TheProgramDecidesWhoseNumbersTheCallsHave)
{
	d.program(10, true);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.program(10, false);
	d.call(10, 10, "read", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, foreign_calls), 1u);
	EXPECT_EQ(tally_get(&d.tally, calls), 1u);
}

TEST_F(Model, SyncIsAFlushOfAllFiles)
{
	d.call(10, 10, "sync", {}, 0);
	d.call(10, 10, "sync", {}, 0);
	d.end();
	EXPECT_EQ(
		d.text(),
		"10 OP_BEGIN h0 - @-\n10 OP_COMPLETE h0 -\n10 OP_BEGIN h0 - @-\n10 OP_COMPLETE h0 -\n");
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_all_proxy);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, StatusFlagsChange)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "fcntl", {3, F_SETFL, O_APPEND}, 0);
	d.call(10, 10, "write", {3, 0, 1}, 1);
	d.end();
	EXPECT_NE(d.text().find("CHANGE_STATUS_FLAGS h0"), std::string::npos);
	EXPECT_NE(d.text().find("OP_BEGIN h0 1 @-"), std::string::npos);
}

TEST_F(Model, AnonymousMappingsHaveNoHandle)
{
	d.call(10, 10, "mmap", {0, 4096, 3, 0x22, (uint64_t)-1, 0}, 0x1000);
	d.call(10, 10, "mmap", {0, 4096, 3, 0x22, 3, 0}, 0x1000);
	open_named(10, 3, "/data/a");
	d.call(10, 10, "mmap", {0, 4096, 1, 2, 3, 0}, 0x1000);
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 1u);
}

TEST_F(Model, MappedFilesAreKnownByTheirAddress)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "mmap", {0, 8192, 1, 2, 3, 0}, 0x10000);
	d.call(10, 10, "close", {3}, 0);
	open_named(10, 4, "/data/b");
	d.call(10, 10, "mmap", {0, 4096, 1, 2, 4, 0}, 0x20000);
	d.call(10, 10, "msync", {0x11000, 4096, 4}, 0);
	d.call(10, 10, "msync", {0x20000, 4096, 4}, 0);
	d.call(10, 10, "munmap", {0x11000, 4096}, 0);
	d.call(10, 10, "munmap", {0x11000, 4096}, 0);
	d.call(10, 10, "munmap", {0x10000, 4096}, 0);
	d.call(10, 10, "munmap", {0x70000, 4096}, 0);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 DESTROY_HANDLE h0 /data/a\n"
			    "10 CREATE_HANDLE h1 /data/b\n"
			    "10 OP_BEGIN h2 - @-\n"
			    "10 OP_COMPLETE h2 -\n"
			    "10 OP_BEGIN h1 - @-\n"
			    "10 OP_COMPLETE h1 -\n");
	EXPECT_TRUE(trace_handle(d.trace, 2)->is_pre_created);
	std::vector<std::string> unmapped;

	for (const io_event &e : d.events)
		if (e.kind == IO_ENTER && !strcmp(call_row(e.region.id)->name, "munmap"))
			unmapped.push_back(
				trace_text(d.trace, trace_file(d.trace, e.region.file)->path));
	EXPECT_EQ(unmapped, (std::vector<std::string>{"/data/a", "/data/a"}))
		<< "the second one hit nothing";
}

TEST_F(Model, AMappingInTheMiddleSplitsAndAChildInheritsThem)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "mmap", {0, 0x3000, 1, 2, 3, 0}, 0x10000);
	d.call(10, 10, "mmap", {0x11000, 0x1000, 3, 0x32, (uint64_t)-1, 0}, 0x11000);
	d.fork(10, 10, 20, 20);
	for (uint64_t page : {0x10000, 0x11000, 0x12000})
		d.call(20, 20, "munmap", {page, 0x1000}, 0);
	d.call(20, 20, "execve", {}, 0);
	d.call(20, 20, "munmap", {0x10000, 0x3000}, 0);
	d.call(10, 10, "munmap", {0, UINT64_MAX}, 0);
	d.end();
	std::vector<uint32_t> unmapped;

	for (const io_event &e : d.events)
		if (e.kind == IO_ENTER && !strcmp(call_row(e.region.id)->name, "munmap"))
			unmapped.push_back(trace_thread(d.trace, e.thread)->tid);
	EXPECT_EQ(unmapped, (std::vector<uint32_t>{20, 20, 10}));
}

TEST_F(Model, ACallThatASignalInterruptedIsNoFailure)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "read", {3, 0, 5}, -512);
	EXPECT_EQ(d.events.back().region.error, 512);
	EXPECT_EQ(tally_get(&d.tally, calls_failed), 0u);
	EXPECT_EQ(tally_get(&d.tally, calls_interrupted), 1u);
	d.call(10, 10, "read", {3, 0, 5}, -EINTR);
	EXPECT_EQ(tally_get(&d.tally, calls_failed), 1u);
	EXPECT_EQ(tally_get(&d.tally, calls_interrupted), 1u);
}

TEST_F(Model, AnAddressIsNoError)
{
	open_named(10, 3, "/data/a");
	d.call(10, 10, "mmap", {0, 4096, 1, 2, 3, 0}, -4097);
	d.end();
	EXPECT_EQ(d.events.back().region.error, 0);
	EXPECT_EQ(tally_get(&d.tally, calls_failed), 0u);
}

TEST_F(Model, CountersAreAddedOverTheCpusOfAThread)
{
	const char *names[] = {"page-faults"};

	model_set_counters(d.model, names, 1);
	d.enter(10, 10, "fsync", {9});
	d.leave(10, 10, "fsync", -EBADF, {100}, 0);
	d.enter(10, 10, "fsync", {9});
	d.leave(10, 10, "fsync", -EBADF, {7}, 1);
	d.enter(10, 10, "fsync", {9});
	d.leave(10, 10, "fsync", -EBADF, {130}, 0);
	d.end();
	EXPECT_EQ(d.metrics, (std::vector<std::vector<uint64_t>>{{100}, {107}, {137}}));
}

TEST_F(Model, CountersThatWaitForANameKeepTheirValues)
{
	const char *names[] = {"page-faults"};

	model_set_counters(d.model, names, 1);
	d.enter(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0});
	d.leave(10, 10, "openat", 3, {5});
	d.enter(10, 10, "read", {3, 0, 1});
	d.leave(10, 10, "read", 1, {9});
	EXPECT_TRUE(d.metrics.empty());
	d.fd(10, 3, "/data/a", 1, d.now);
	d.end();
	EXPECT_EQ(d.metrics, (std::vector<std::vector<uint64_t>>{{5}, {9}}));
}

TEST_F(Model, AStormOfNamelessOpensNeedsOneHandle)
{
	for (int i = 0; i < 5000; i++) {
		d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
		d.call(10, 10, "close", {3}, 0);
	}
	d.end();
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(tally_get(&d.tally, names_unknown), 5000u);
}

TEST_F(Model, AHandleThatCouldNotWaitLearnsItsNameLater)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.at(d.now + 1000000000);
	d.call(10, 10, "read", {3, 0, 1}, 1);
	EXPECT_EQ(d.path(0), "?");
	d.fd(10, 3, "/data/a", 1, d.now);
	d.call(10, 10, "close", {3}, 0);
	d.end();
	EXPECT_EQ(d.path(0), "/data/a");
}

TEST_F(Model, DescriptorNumbersOutOfRangeAreNoTrouble)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 0x7fffffff);
	d.call(10, 10, "read", {0x7fffffff, 0, 1}, 1);
	d.call(10, 10, "close", {0x7fffffff}, 0);
	d.call(10, 10, "dup2", {3, 0xffffffff}, -EBADF);
	d.end();
	EXPECT_EQ(d.unbalanced(), "");
}

/* Of two threads, one goes on with descriptors of its own: the same number is another file in each. */
TEST_F(Model, AThreadMayUnshareItsTable)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.call(10, 11, "unshare", {CLONE_FILES}, 0);
	d.call(10, 11, "close", {3}, 0);
	open_named(10, 4, "/data/b");
	d.call(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/data/c"});
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.call(10, 11, "read", {3, 0, 5}, 5);
	d.call(10, 11, "read", {4, 0, 6}, -EBADF);
	d.exit(10, 11);
	d.call(10, 10, "read", {3, 0, 7}, 7);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "11 THREAD_BEGIN\n"
			    "11 DUPLICATE_HANDLE h0 h1\n"
			    "11 DESTROY_HANDLE h1 /data/a\n"
			    "10 CREATE_HANDLE h2 /data/b\n"
			    "10 OP_BEGIN h0 4 @0\n"
			    "10 OP_COMPLETE h0 4\n"
			    "11 CREATE_HANDLE h3 /data/c\n"
			    "11 OP_BEGIN h3 5 @0\n"
			    "11 OP_COMPLETE h3 5\n"
			    "11 LEAVE read errno 9\n"
			    "11 DESTROY_HANDLE h3 /data/c\n"
			    "11 THREAD_END\n"
			    "10 OP_BEGIN h0 7 @4\n"
			    "10 OP_COMPLETE h0 7\n");
	EXPECT_EQ(d.unbalanced(), "");
}

/* What a call with an empty path has: its handle, if it is of its descriptor. */
TEST_F(Model, AnEmptyPathIsTheDescriptor)
{
	const uint64_t text = 4096, empty = AT_EMPTY_PATH;

	open_named(10, 3, "/data/a");
	d.pair(10, 10, "newfstatat", d.now, {3, text, 0, empty}, 0, {{}, 0, {""}});
	d.pair(10, 10, "statx", d.now, {3, text, empty}, 0, {{}, 0, {""}});
	d.pair(10, 10, "utimensat", d.now, {3, 0, 0, 0}, 0);
	d.call(10, 10, "utimensat", {3, 0, 0, 0}, 0);
	EXPECT_EQ(handles_of_calls(), "newfstatat 0, statx 0, utimensat 0, utimensat 0, ");
}

TEST_F(Model, APathThatIsNotKnownIsNoEmptyOne)
{
	const uint64_t text = 4096, empty = AT_EMPTY_PATH;

	open_named(10, 3, "/data/a");
	d.pair(10, 10, "newfstatat", d.now, {3, text, 0, empty}, 0);
	d.call(10, 10, "newfstatat", {3, text, 0, empty}, 0);
	d.pair(10, 10, "newfstatat", d.now, {3, text, 0, empty}, 0, {{}, 0, {"b"}});
	d.pair(10, 10, "newfstatat", d.now, {3, text, 0, 0}, -ENOENT, {{}, 0, {""}});
	d.pair(10, 10, "newfstatat", d.now, {3, 0, 0, 0}, -EFAULT);
	EXPECT_EQ(handles_of_calls(), "newfstatat -, newfstatat -, newfstatat -, newfstatat -, "
				      "newfstatat -, ");
}

TEST_F(Model, AThreadWaitsForItsOwnNamesOnly)
{
	d.fork(10, 10, 10, 11);
	open_named(10, 3, "/data/a");
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 4);
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.call(10, 11, "read", {3, 0, 5}, 5);
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "11 THREAD_BEGIN\n"
			    "11 OP_BEGIN h0 5 @4\n"
			    "11 OP_COMPLETE h0 5\n")
		<< "the name of descriptor 4 may still come";
	d.end();
	EXPECT_NE(d.text().find("10 CREATE_HANDLE h1 ?\n10 OP_BEGIN h0 4 @0\n"), std::string::npos)
		<< d.text();
}

/* Thread 11 uses a file before the CREATE of thread 10 has left, when the handle of an earlier open is free. */
TEST_F(Model, AHandleIsUsedAgainByTheTimeOfTheOpen)
{
	d.fork(10, 10, 10, 11);
	d.fork(10, 10, 10, 12);
	open_named(10, 3, "/data/a");
	d.call(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 4);
	d.call(10, 11, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 5);
	d.fd(10, 5, "/data/a", O_RDONLY, d.now);
	d.call(10, 10, "close", {3}, 0);
	d.call(10, 12, "read", {5, 0, 5}, 5);
	d.end();
	EXPECT_NE(d.text().find("12 OP_BEGIN h1 5"), std::string::npos)
		<< "handle 0 was destroyed after descriptor 5 was opened\n"
		<< d.text();
}

TEST_F(Model, ARangeMayBeClosedInACopyOfTheTable)
{
	open_named(10, 3, "/data/a");
	d.fork(10, 10, 10, 11);
	d.call(10, 11, "close_range", {3, 3, CLOSE_RANGE_UNSHARE}, 0);
	d.call(10, 11, "read", {3, 0, 4}, -EBADF);
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.end();
	EXPECT_NE(d.text().find("11 DESTROY_HANDLE h1"), std::string::npos) << d.text();
	EXPECT_EQ(d.text().find("11 OP_BEGIN"), std::string::npos) << d.text();
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 4 @0"), std::string::npos) << d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Model, UnshareGivesATableOfItsOwn)
{
	open_named(10, 3, "/data/a");
	d.enter(10, 10, "clone3");
	d.fork(10, 10, 20, 20);
	d.clone_flags(10, 10, CLONE_FILES);
	d.leave(10, 10, "clone3", 20);
	d.call(20, 20, "unshare", {CLONE_FILES}, 0);
	d.call(20, 20, "close", {3}, 0);
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.end();
	EXPECT_NE(d.text().find("20 DESTROY_HANDLE h1"), std::string::npos) << d.text();
	EXPECT_NE(d.text().find("10 OP_BEGIN h0 4 @0"), std::string::npos) << d.text();
	EXPECT_EQ(d.unbalanced(), "");
}

} /* namespace */
