/*
 * Locations: that they are shared beyond a limit, and what readers can rely on then.
 */
#include "model_driver.h"

extern "C" {
#include "state/state.h"
}

#include <gtest/gtest.h>

#include <map>
#include <sched.h>

namespace
{

/* Process 10 runs already; one location more is for whoever comes next, all others share. */
class Location : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.model->location_limit = 2;
		d.comm(10, 10, "shell", false);
		work(10);
	}

	/* A child of process 10 (or of parent) that executes a program. */
	void start(uint32_t pid, const char *name, uint32_t parent = 10)
	{
		d.fork(parent, parent, pid, pid);
		d.comm(pid, pid, name, true);
	}
	void work(uint32_t pid)
	{
		d.call(pid, pid, "fsync", {99}, -EBADF);
	}

	/* Returns "name" of an own location, "name*N" of one that N threads had, for each location. */
	std::string locations() const
	{
		std::string all;

		for (thread_id t = 0; t < trace_threads(d.trace); t++) {
			const struct trace_thread *thread = trace_thread(d.trace, t);

			all += std::string(t ? " " : "") + trace_text(d.trace, thread->name);
			all += thread->sharing ? "*" + std::to_string(thread->sharing) : "";
		}
		return all;
	}

	/* Time must not fall on a location, and what is entered is left before anything else is. */
	void expect_order() const
	{
		std::map<thread_id, uint64_t> last;
		std::map<thread_id, int> depth;

		for (const io_event &e : d.events) {
			EXPECT_GE(e.time, last[e.thread]) << d.line(e);
			last[e.thread] = e.time;
			depth[e.thread] += e.kind == IO_ENTER ? 1 : e.kind == IO_LEAVE ? -1 : 0;
			EXPECT_GE(depth[e.thread], 0);
			EXPECT_LE(depth[e.thread], 1);
		}
	}

	size_t count(enum io_event_kind kind) const
	{
		size_t n = 0;

		for (const io_event &e : d.events)
			n += e.kind == kind;
		return n;
	}
};

TEST_F(Location, IsSharedByThreadsThatComeOneAfterTheOther)
{
	for (uint32_t pid = 11; pid < 111; pid++) {
		start(pid, "true");
		work(pid);
		d.exit(pid, pid);
	}
	d.end();
	EXPECT_EQ(locations(), "shell true true*99");
	EXPECT_EQ(tally_get(&d.tally, threads_sharing), 98u);
	ASSERT_EQ(trace_processes(d.trace), 3u);
	const struct trace_process *shared = trace_process(d.trace, 2);
	EXPECT_EQ(shared->kind, TRACE_SHARED_GROUP);
	EXPECT_EQ(shared->sharing, 99u);
	EXPECT_EQ(shared->parent, ID_NONE);
	EXPECT_STREQ(trace_text(d.trace, shared->name), "shared locations");
	EXPECT_EQ(count(IO_PROGRAM_BEGIN), 1u); /* only who has a location of its own */
	EXPECT_EQ(count(IO_PROGRAM_END), 1u);
	EXPECT_EQ(count(IO_ENTER), 101u);
	expect_order();
	/* Each lived for its call and its exit. */
	EXPECT_EQ(trace_thread(d.trace, 2)->lived, 99u * 2);
}

TEST_F(Location, IsOfOneName)
{
	for (uint32_t pid = 11; pid < 20; pid++) {
		start(pid, pid % 2 ? "true" : "false");
		work(pid);
		d.exit(pid, pid);
	}
	EXPECT_EQ(locations(), "shell true false*4 true*4");
}

TEST_F(Location, IsNotTakenOverByAPageFaultThatBeganBeforeItWasLeft)
{
	for (uint32_t pid : {11, 12, 13})
		start(pid, "true");
	work(11);
	work(12);
	uint64_t begin = d.now++;

	d.exit(12, 12);
	struct event e = d.base(EVENT_FAULT, 13, 13);

	e.fault.begin = begin;
	e.fault.ino = 78;
	e.fault.bytes = 4096;
	model_event(d.model, &e);
	d.end();
	EXPECT_EQ(locations(), "shell true true*1 true*1");
	expect_order();
}

TEST_F(Location, OfOneNameIsForOneThreadAtATime)
{
	for (uint32_t pid = 11; pid < 15; pid++) {
		start(pid, "true");
		work(pid);
	}
	EXPECT_EQ(locations(), "shell true true*1 true*1 true*1");
}

TEST_F(Location, OfManyNamesIsForAll)
{
	for (uint32_t pid = 0; pid < 100; pid++) {
		start(1000 + pid, ("program" + std::to_string(pid)).c_str());
		work(1000 + pid);
		d.exit(1000 + pid, 1000 + pid);
	}
	EXPECT_EQ(trace_threads(d.trace), 2u + SHARED_LIMIT);
	EXPECT_NE(locations().find("others*"), std::string::npos);
	expect_order();
}

/* The call began while the other thread still had the location. */
TEST_F(Location, IsNotTakenBackInTime)
{
	start(11, "true");
	work(11);
	start(12, "true");
	start(13, "true");
	work(12);
	d.enter(13, 13, "fsync", {99});
	d.exit(12, 12);
	d.leave(13, 13, "fsync", -EBADF);
	EXPECT_EQ(locations(), "shell true true*1 true*1");
	work(13);
	d.exit(13, 13);
	start(14, "true");
	work(14);
	EXPECT_EQ(locations(), "shell true true*2 true*1");
	expect_order();
}

TEST_F(Location, AnExecTakesAnotherOne)
{
	start(11, "true");
	work(11);
	d.fork(10, 10, 12, 12);
	work(12);
	d.enter(12, 12, "execve", {0, 0, 0});
	d.comm(12, 12, "false", true);
	d.leave(12, 12, "execve", 0);
	work(12);
	d.comm(12, 12, "false", false); /* no other name: no other location */
	work(12);
	EXPECT_EQ(locations(), "shell true shell*1 false*1");
	expect_order();
}

TEST_F(Location, IsSharedByThreadsOfAProcessToo)
{
	work(11); /* the second location */
	for (uint32_t tid = 100; tid < 110; tid++) {
		d.fork(10, 10, 10, tid);
		d.call(10, tid, "fsync", {99}, -EBADF);
		d.exit(10, tid);
	}
	EXPECT_EQ(trace_threads(d.trace), 3u);
	EXPECT_EQ(trace_thread(d.trace, 2)->sharing, 10u);
	EXPECT_EQ(trace_thread(d.trace, 2)->process, trace_thread(d.trace, 0)->process);
	EXPECT_EQ(count(IO_THREAD_BEGIN), 0u);
	EXPECT_EQ(count(IO_THREAD_END), 0u);
	expect_order();
}

TEST_F(Location, CountersGoOnFromThreadToThread)
{
	const char *names[] = {"page-faults"};

	model_set_counters(d.model, names, 1);
	start(11, "true");
	work(11);
	for (uint32_t pid = 12; pid < 15; pid++) {
		start(pid, "true");
		d.enter(pid, pid, "fsync", {9});
		d.leave(pid, pid, "fsync", -EBADF, {100});
		d.exit(pid, pid);
	}
	EXPECT_EQ(d.metrics, (std::vector<std::vector<uint64_t>>{{100}, {200}, {300}}));
}

/* What a member opened is destroyed once, when the last descriptor of all members is closed. */
TEST_F(Location, ACrowdHasAHandleAsLongAsAnyMember)
{
	start(11, "true");
	work(11);
	start(12, "true");
	d.call(12, 12, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/a"});
	d.fd(12, 3, "/a", 1, d.now);
	start(13, "true", 12);
	d.call(12, 12, "close", {3}, 0);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 0u);
	d.exit(12, 12);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 0u);
	d.exit(13, 13); /* a member without any I/O of its own */
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 1u);
	/* And serves the next member. */
	start(14, "true");
	d.call(14, 14, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/a"});
	d.fd(14, 3, "/a", 1, d.now);
	d.call(14, 14, "close", {3}, 0);
	EXPECT_EQ(count(IO_CREATE_HANDLE), 2u);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 2u);
	d.exit(14, 14);
	d.end();
	for (const io_event &e : d.events)
		if (e.kind == IO_CREATE_HANDLE || e.kind == IO_DESTROY_HANDLE)
			EXPECT_EQ(d.path(e.handle), "/a");
	EXPECT_EQ(d.unbalanced(), "");
}

/* Two of them close it at the same time. */
TEST_F(Location, ACrowdDestroysAHandleOnce)
{
	start(11, "true");
	work(11);
	start(12, "true");
	d.call(12, 12, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/a"});
	d.fd(12, 3, "/a", 1, d.now);
	start(13, "true", 12);
	d.enter(12, 12, "close", {3});
	d.enter(13, 13, "close", {3});
	d.leave(12, 12, "close", 0);
	d.leave(13, 13, "close", 0);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 1u);
}

/* A reader thinks that all members inherited it: none may destroy it for the others. */
TEST_F(Location, ACrowdKeepsWhatItInherited)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3, {"/a"});
	d.fd(10, 3, "/a", 1, d.now);
	start(11, "true");
	work(11);
	for (uint32_t pid = 12; pid < 15; pid++) {
		start(pid, "true");
		d.call(pid, pid, "read", {3, 0, 1}, 1);
		d.call(pid, pid, "close", {3}, 0);
		d.exit(pid, pid);
	}
	d.exit(11, 11);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 1u); /* of 11, which has a group of its own */
	d.call(10, 10, "close", {3}, 0);
	EXPECT_EQ(count(IO_DESTROY_HANDLE), 2u);
}

} // namespace
