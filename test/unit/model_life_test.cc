/*
 * Handles are used between their begin and their end, in the order of time, which is that of a reader of the archive.
 */
#include <gtest/gtest.h>

#include "aio_steps.h"

extern "C" {
#include "state/state.h"
}

#include <algorithm>
#include <csignal>
#include <map>
#include <sched.h>
#include <sys/mman.h>
#include <tuple>

namespace
{

constexpr uint64_t CWD = (uint64_t)AT_FDCWD;

/* Process 10 with the threads 10 and 11. */
class Life : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void open(uint32_t pid, int fd, const char *name)
	{
		d.call(pid, pid, "openat", {CWD, 0, O_RDWR}, fd);
		d.fd(pid, (uint64_t)fd, name, 1, d.now);
	}

	/*
	 * Returns the first use of a handle in a process where it is not active, or "". Of what happens at the same moment readers
	 * take first what stands on the first location.
	 */
	std::string fault()
	{
		std::map<std::pair<process_id, handle_id>, bool> active;
		std::map<thread_id, uint64_t> last;

		d.end();
		for (const io_event &e : d.events) {
			if (e.time < last[e.thread])
				return "time falls: " + d.line(e);
			last[e.thread] = e.time;
		}
		std::stable_sort(d.events.begin(), d.events.end(),
				 [](const io_event &a, const io_event &b) {
					 return std::tie(a.time, a.thread) <
						std::tie(b.time, b.thread);
				 });
		for (const io_event &e : d.events)
			if (!step(active, e))
				return d.line(e);
		return "";
	}

	/* When a handle of the file is created. */
	uint64_t created(const std::string &path)
	{
		for (const io_event &e : d.events)
			if (e.kind == IO_CREATE_HANDLE && d.path(e.handle) == path)
				return e.time;
		return 0;
	}

	/* When the first event of this kind is. */
	uint64_t time_of(enum io_event_kind kind) const
	{
		for (const io_event &e : d.events)
			if (e.kind == kind)
				return e.time;
		return 0;
	}

      private:
	bool step(std::map<std::pair<process_id, handle_id>, bool> &active, const io_event &e) const
	{
		static const enum io_event_kind uses[] = {
			IO_OP_BEGIN,     IO_SEEK,           IO_CHANGE_STATUS_FLAGS, IO_ACQUIRE_LOCK,
			IO_RELEASE_LOCK, IO_DESTROY_HANDLE, IO_DUPLICATE_HANDLE};
		process_id process = e.thread == ID_NONE ? ID_NONE
							 : trace_thread(d.trace, e.thread)->process;
		auto is_active = [&](handle_id handle) {
			auto known = active.find({process, handle});

			return known == active.end() ? trace_handle(d.trace, handle)->is_pre_created
						     : known->second;
		};
		bool is_right = std::find(std::begin(uses), std::end(uses), e.kind) ==
					std::end(uses) ||
				is_active(e.handle);

		if (e.kind == IO_CREATE_HANDLE)
			active[{process, e.handle}] = true;
		else if (e.kind == IO_DUPLICATE_HANDLE)
			active[{process, e.duplicate.new_handle}] = true;
		else if (e.kind == IO_DESTROY_HANDLE)
			active[{process, e.handle}] = false;
		return is_right;
	}
};

/* Thread 11 ends a seek after thread 10 began the call that cannot believe the descriptor any more. */
/* As in files of perf record that have begins only. */
TEST_F(Life, WithoutAnyEndOfACallNobodyWasKilledInOne)
{
	open(10, 3, "/data/a");
	d.tally.n[TALLY_calls] = 0;
	d.enter(10, 11, "fsync", {3});
	d.enter(10, 11, "fdatasync", {3});
	d.exit(10, 11);
	for (const io_event &e : d.events)
		if (e.kind == IO_LEAVE && e.region.is_cut)
			EXPECT_EQ(e.region.end, IO_END_LOST);
	EXPECT_EQ(std::count_if(d.events.begin(), d.events.end(),
				[](const io_event &e) {
					return e.kind == IO_LEAVE && e.region.is_cut;
				}),
		  2);
}

TEST_F(Life, WhatIsDoubtfulIsLetGoAfterWhatOthersDidWithIt)
{
	open(10, 3, "/data/a");
	uint64_t begin = d.now++;

	d.lost(1);
	uint64_t later = d.now++;

	d.pair(10, 11, "lseek", begin, {3, 5, SEEK_SET}, 5);
	d.pair(10, 10, "read", later, {3, 0, 8}, 8);
	EXPECT_EQ(fault(), "");
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u);
	EXPECT_GT(time_of(IO_DESTROY_HANDLE), time_of(IO_SEEK));
	EXPECT_EQ(d.unbalanced(), "");
}

/* Nobody can tell whether a call used a descriptor that another thread got in the nanosecond in which the call began. */
TEST_F(Life, WhatIsMadeAtTheSameMomentIsNotUsed)
{
	open(10, 9, "/data/first");
	d.pair(10, 11, "openat", d.now++, {CWD, 0, O_RDWR}, 3, {{{3, "/data/a"}}});
	uint64_t moment = d.now - 1;

	d.pair(10, 10, "read", moment, {3, 0, 8}, 8);
	EXPECT_EQ(fault(), "");
	EXPECT_EQ(created("/data/a"), moment);
}

/* The next call shows that the close has ended, and began before a use of another thread. */
TEST_F(Life, ACloseWhoseEndWasLostEndsAfterWhatOthersDid)
{
	Paired in_flight;

	in_flight.is_in_flight = true;
	open(10, 3, "/data/a");
	uint64_t begin = d.now++;
	uint64_t next = d.now++;

	d.now += 10;
	d.pair(10, 11, "lseek", begin, {3, 5, SEEK_SET}, 5);
	d.pair(10, 10, "close", begin, {3}, 0, in_flight);
	d.now += 10;
	d.pair(10, 10, "fsync", next, {9}, -EBADF);
	EXPECT_EQ(fault(), "");
	EXPECT_GT(time_of(IO_DESTROY_HANDLE), time_of(IO_SEEK));
	EXPECT_EQ(tally_get(&d.tally, lost_exits), 1u);
}

/* Tracepoints tell the file of a request when it starts: the number may be that of a younger file then. */
TEST_F(Life, ARequestIsNotOfAFileThatWasOpenedAfterIt)
{
	aio_do(d, 10, 10, aio_submit(7, AIO_READ));
	open(10, 3, "/data/a");
	aio_do(d, 10, 10, aio_start(7, 3));
	aio_do(d, 10, 10, aio_complete(7, 10));
	EXPECT_EQ(fault(), "");
	for (const io_event &e : d.events)
		if (e.kind == IO_OP_BEGIN)
			EXPECT_NE(d.path(e.handle), "/data/a");
}

/* The ring was closed, as programs may, and its number is that of a file now. */
TEST_F(Life, ARequestOfAnUnknownFileIsNotOfWhatHasTheNumberOfItsRing)
{
	struct aio queue = aio_step_of(AIO_QUEUE, 0);

	queue.fd = 4;
	aio_do(d, 10, 10, queue);
	open(10, 4, "/data/a");
	aio_do(d, 10, 10, aio_submit(7, AIO_READ));
	aio_do(d, 10, 10, aio_complete(7, 10));
	EXPECT_EQ(fault(), "");
	for (const io_event &e : d.events)
		if (e.kind == IO_OP_BEGIN)
			EXPECT_EQ(d.path(e.handle), "anon_inode:[io_uring]");
}

/* The child still has the descriptor, but in the process itself its handle is gone. */
TEST_F(Life, WhatIsMappedAndClosedIsFlushedThroughAHandleOfItsOwn)
{
	open(10, 3, "/data/a");
	d.call(10, 10, "mmap", {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0}, 0x10000);
	d.fork(10, 10, 20, 20);
	d.call(10, 10, "close", {3}, 0);
	d.call(10, 10, "msync", {0x10000, 4096, MS_SYNC}, 0);
	d.call(20, 20, "read", {3, 0, 4}, 4);
	EXPECT_EQ(fault(), "20 OP_BEGIN h0 4 @0")
		<< "an inherited handle is none that this test follows";
	EXPECT_NE(d.text().find("10 OP_BEGIN h1 - @-"), std::string::npos) << d.text();
	EXPECT_EQ(d.path(1), "/data/a");
}

/* A thread that leaves the shared table has handles of its own from then on, not for what began before. */
TEST_F(Life, ACopyOfATableIsNotUsedByWhatBeganBefore)
{
	open(10, 3, "/data/a");
	aio_do(d, 10, 11, aio_submit(7, AIO_READ));
	d.call(10, 11, "unshare", {CLONE_FILES}, 0);
	aio_do(d, 10, 11, aio_start(7, 3));
	aio_do(d, 10, 11, aio_complete(7, 10));
	EXPECT_EQ(fault(), "");
}

/* One that keeps its location opens, for both tables, what another has opened that shares a group. */
TEST_F(Life, WhatTheCrowdOpenedIsAnotherHandleOutsideOfIt)
{
	open(10, 3, "/data/a");
	d.model->location_limit = 1;
	d.enter(10, 10, "clone", {CLONE_FILES | SIGCHLD});
	d.fork(10, 10, 20, 20);
	d.leave(10, 10, "clone", 20);
	d.call(20, 20, "close", {3}, 0);
	open(20, 3, "/data/b");
	d.call(10, 10, "read", {3, 0, 4}, 4);
	d.call(10, 10, "close", {3}, 0);
	open(20, 3, "/data/b");
	d.call(10, 10, "read", {3, 0, 4}, 4);
	EXPECT_EQ(fault(), "");
}

/* A request of a thread can stand on its location before the call that submitted it. */
TEST_F(Life, AThreadTakesOverALocationThatWasFreeWhenItsCallBegan)
{
	d.model->location_limit = 1;
	d.call(10, 10, "fsync", {9}, -EBADF);
	d.call(10, 11, "fsync", {9}, -EBADF);
	d.fork(10, 10, 10, 12);
	d.enter(10, 12, "io_uring_enter", {4, 1, 0, 0, 0, 0});
	d.call(10, 11, "fsync", {9}, -EBADF);
	d.exit(10, 11);
	aio_do(d, 10, 12, aio_submit_all(7, AIO_READ, 3, 10, 0));
	aio_do(d, 10, 12, aio_complete(7, 10));
	d.leave(10, 12, "io_uring_enter", 1);
	EXPECT_EQ(fault(), "");
}

} // namespace
