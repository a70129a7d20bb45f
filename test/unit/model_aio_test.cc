/*
 * Asynchronous requests: which operation they are, of which file, on which location, and at which place in time.
 */
#include <gtest/gtest.h>

#include "aio_steps.h"

#include "state/state.h"

#include <sys/mman.h>

namespace
{

/* With tracepoints of calls alone, nobody tells what the requests do. */
TEST(HiddenRequests, LeaveNoDescriptorCertain)
{
	ModelDriver d;
	const auto submit = [&d] {
		d.call(10, 10, "io_uring_enter", {4, 1, 0, 0, 0, 0}, 1);
	};

	d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	d.start_fd(10, 3, "/data/a");
	d.start_fd(10, 4, "anon_inode:[io_uring]");
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 5);
	d.call(10, 10, "read", {3, 0, 5}, 5);
	submit();
	d.fd(10, 5, "/data/b", 1, d.now);
	d.call(10, 10, "read", {3, 0, 6}, 6);
	d.call(10, 10, "read", {5, 0, 7}, 7);
	uint32_t handles = trace_handles(d.trace);

	for (int i = 0; i < 10; i++) {
		submit();
		d.call(10, 10, "read", {3, 0, 8}, 8);
		d.call(10, 10, "read", {5, 0, 8}, 8);
	}
	d.end();
	EXPECT_LE(trace_handles(d.trace), handles + 2) << "not one for each call";
	for (const io_event &e : d.events)
		if (e.kind == IO_OP_COMPLETE)
			EXPECT_STREQ(d.path(e.handle).c_str(), e.op.bytes == 5 ? "/data/a" : "?");
}

/* Process 10 with the threads 10 and 11, a file /data/a at 3, a ring at 4. */
class Aio : public ::testing::Test
{
      protected:
	ModelDriver d;
	size_t before = 0;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.start_fd(10, 3, "/data/a");
		d.start_fd(10, 4, "anon_inode:[io_uring]");
		d.fork(10, 10, 10, 11);
		struct aio queue = aio_step_of(AIO_QUEUE, 0);

		queue.fd = 4;
		aio_do(d, 10, 10, queue);
	}

	void step(const struct aio &aio, uint32_t tid = 10)
	{
		aio_do(d, 10, tid, aio);
	}

	void enter(uint32_t tid = 10)
	{
		d.enter(10, tid, "io_uring_enter", {4, 1, 0, 0, 0, 0});
	}

	void leave(uint32_t tid = 10)
	{
		d.leave(10, tid, "io_uring_enter", 1);
	}

	/* All lines, ENTER and LEAVE as well; the names of handles for ids. */
	std::string text()
	{
		std::string all;

		d.end();
		for (const io_event &e : d.events) {
			all += d.line(e);
			if (e.kind >= IO_OP_BEGIN && e.kind <= IO_OP_CANCELLED)
				all += " " + d.path(e.handle);
			all += "\n";
		}
		EXPECT_EQ(d.unbalanced(), "");
		times_rise();
		return all;
	}

	void times_rise()
	{
		std::vector<uint64_t> last(trace_threads(d.trace));

		for (const io_event &e : d.events) {
			if (e.thread == ID_NONE)
				continue;
			EXPECT_GE(e.time, last[e.thread]) << d.line(e);
			last[e.thread] = e.time;
		}
	}

	const io_event *find(enum io_event_kind kind, uint64_t id = 0)
	{
		for (const io_event &e : d.events)
			if (e.kind == kind && e.op.id == id)
				return &e;
		return nullptr;
	}
};

TEST_F(Aio, AReadInsideTheCallThatSubmitsIt)
{
	enter();
	step(aio_submit(7, AIO_READ));
	step(aio_start(7, 3));
	step(aio_complete(7, 4096));
	leave();
	EXPECT_EQ(text(), "10 ENTER io_uring_enter\n"
			  "10 OP_BEGIN h1 - @- /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 OP_COMPLETE h1 4096 /data/a\n"
			  "10 LEAVE io_uring_enter\n");
	EXPECT_TRUE(find(IO_OP_BEGIN)->op.is_non_blocking);
	EXPECT_EQ(find(IO_OP_BEGIN)->op.mode, IO_MODE_READ);
}

TEST_F(Aio, AFlushThatEndsWellWritesWhatIsMapped)
{
	for (int result : {-EIO, 0}) {
		ModelDriver d;

		d.fact(FACT_SOURCE, {TRACE_SOURCE_BPF, 0}, {"", ""});
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.start_fd(10, 3, "/data/a");
		d.call(10, 10, "mmap", {0, 4096, 3, MAP_SHARED, 3, 0}, 0x10000);
		aio_do(d, 10, 10, aio_submit(7, AIO_FLUSH));
		aio_do(d, 10, 10, aio_start(7, 3));
		aio_do(d, 10, 10, aio_complete(7, result));
		d.end();
		EXPECT_EQ(tally_get(&d.tally, files_pending), result ? 1U : 0U);
	}
}

/* Linux writes at the end of the file, whatever offset the request has. */
TEST_F(Aio, AWriteThatAppendsHasNoOffset)
{
	struct aio read = aio_submit(7, AIO_READ), write = aio_submit(8, AIO_WRITE);

	d.call(10, 10, "fcntl", {3, F_SETFL, O_APPEND}, 0);
	read.offset = write.offset = 700;
	enter();
	step(read);
	step(aio_start(7, 3));
	step(aio_complete(7, 10));
	step(write);
	step(aio_start(8, 3));
	step(aio_complete(8, 10));
	leave();
	text();
	EXPECT_EQ(find(IO_OP_BEGIN)->op.mode, IO_MODE_READ);
	EXPECT_EQ(find(IO_OP_BEGIN)->op.offset, 700U);
	EXPECT_EQ(find(IO_OP_BEGIN, 1)->op.offset, IO_OFFSET_UNKNOWN);
}

/* It waits for another request; meanwhile its descriptor comes to lead elsewhere. */
TEST_F(Aio, ALateRequestWhoseDescriptorIsReplacedHasNoName)
{
	struct aio same = aio_submit_all(7, AIO_READ, 3, 10, 0),
		   other = aio_submit_all(8, AIO_READ, 5, 10, 0);

	d.start_fd(10, 5, "/data/b");
	same.flags = other.flags = AIO_LATE;
	enter();
	step(same);
	step(other);
	leave();
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 6, {"/data/c"});
	d.call(10, 10, "dup2", {6, 5}, 5);
	step(aio_complete(7, 10));
	step(aio_complete(8, 10));
	text();
	EXPECT_EQ(d.path(find(IO_OP_COMPLETE, 0)->handle), "/data/a");
	EXPECT_EQ(d.path(find(IO_OP_BEGIN, 1)->handle), d.path(find(IO_OP_COMPLETE, 1)->handle));
	EXPECT_NE(d.path(find(IO_OP_BEGIN, 1)->handle), "/data/b");
	EXPECT_NE(d.path(find(IO_OP_BEGIN, 1)->handle), "/data/c") << "when it got it is not known";
}

TEST_F(Aio, ALateRequestIsNotNamedBeforeItsEnd)
{
	struct aio late = aio_submit_all(7, AIO_READ, 3, 10, 0);

	late.flags = AIO_LATE;
	enter();
	step(late);
	leave();
	d.now += 2000000000;
	d.fact(FACT_LOOKUPS, {0});
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 6, {"/data/c"});
	d.call(10, 10, "dup2", {6, 3}, 3);
	step(aio_complete(7, 10));
	text();
	EXPECT_NE(d.path(find(IO_OP_BEGIN)->handle), "/data/a");
	EXPECT_NE(d.path(find(IO_OP_BEGIN)->handle), "/data/c");
}

TEST_F(Aio, TheTimesAreThoseOfTheSteps)
{
	d.at(2100);
	enter();
	d.at(2110);
	step(aio_submit(7, AIO_WRITE));
	d.at(2120);
	step(aio_start(7, 3));
	d.at(2130);
	leave();
	d.at(2140);
	step(aio_complete(7, 10), 11);
	text();
	EXPECT_EQ(find(IO_OP_BEGIN)->time, 2110u);
	EXPECT_EQ(find(IO_OP_BEGIN)->op.mode, IO_MODE_WRITE);
	EXPECT_EQ(find(IO_OP_ISSUED)->time, 2120u);
	EXPECT_EQ(find(IO_OP_COMPLETE)->time, 2140u);
}

TEST_F(Aio, OffsetAndSizeWhereTheyAreTold)
{
	step(aio_submit_all(7, AIO_WRITE, 3, 8192, 65536));
	step(aio_complete(7, 8192), 11);
	EXPECT_EQ(text(), "10 OP_BEGIN h0 8192 @65536 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 8192 /data/a\n");
	EXPECT_EQ(find(IO_OP_ISSUED)->time, find(IO_OP_BEGIN)->time);
}

TEST_F(Aio, WhatWasRefusedBeforeItsBeginLeftHasNeverBeen)
{
	enter();
	step(aio_submit_all(7, AIO_WRITE, 3, 8192, 65536));
	step(aio_submit_all(8, AIO_WRITE, 3, 8192, 65536));
	step(aio_step_of(AIO_REFUSE, 8));
	leave();
	step(aio_complete(7, 8192));
	EXPECT_EQ(text(), "10 ENTER io_uring_enter\n"
			  "10 OP_BEGIN h1 8192 @65536 /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 LEAVE io_uring_enter\n"
			  "10 OP_COMPLETE h1 8192 /data/a\n");
}

TEST_F(Aio, WhatWasRefusedLaterIsCancelled)
{
	step(aio_submit_all(7, AIO_WRITE, 3, 8192, 65536));
	enter();
	leave();
	step(aio_step_of(AIO_REFUSE, 7));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 8192 @65536 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 ENTER io_uring_enter\n"
			  "10 LEAVE io_uring_enter\n"
			  "10 OP_CANCELLED h0 /data/a\n");
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_ABORTED);
	EXPECT_EQ(tally_get(&d.tally, aborted), 1u);
}

TEST_F(Aio, ADescriptorThatARequestOpensHasTheNameThatItsEndTells)
{
	struct aio submit = aio_submit(7, AIO_OPEN);

	submit.fd = AIO_FD_NONE;
	step(submit);
	struct event e = d.base(EVENT_AIO, 10, 10);

	e.aio.step = aio_complete(7, 5);
	e.aio.file.fd = 5;
	e.aio.file.mode = S_IFREG | 0644;
	e.aio.file.name = {"/data/new", 9};
	e.aio.file.dev = 1;
	e.aio.file.ino = 99;
	model_event(d.model, &e);
	d.call(10, 10, "read", {5, 0, 10}, 10);
	struct aio close = aio_submit(8, AIO_CLOSE);

	close.fd = 5;
	step(close);
	step(aio_complete(8, 0));
	d.call(10, 10, "read", {5, 0, 10}, -EBADF);
	EXPECT_EQ(text(), "10 CREATE_HANDLE h0 /data/new\n"
			  "10 ENTER read\n"
			  "10 OP_BEGIN h0 10 @0 /data/new\n"
			  "10 OP_COMPLETE h0 10 /data/new\n"
			  "10 LEAVE read\n"
			  "10 DESTROY_HANDLE h0 /data/new\n"
			  "10 ENTER read\n"
			  "10 LEAVE read errno 9\n");
}

TEST_F(Aio, DescriptorsThatOneRequestAcceptsHaveTheNamesThatTheirResultsTell)
{
	step(aio_submit_all(7, AIO_OPEN, AIO_FD_NONE, AIO_UNKNOWN, AIO_UNKNOWN));
	for (int fd : {5, 6, 3}) {
		struct event e = d.base(EVENT_AIO, 10, 10);

		e.aio.step = aio_complete(7, fd, AIO_MORE);
		e.aio.file.fd = fd;
		e.aio.file.flags = O_RDWR;
		e.aio.file.mode = S_IFSOCK | 0777;
		e.aio.file.name = {fd == 5 ? "socket:[5]" : "socket:[6]", 10};
		model_event(d.model, &e);
	}
	for (uint64_t fd : {5, 6, 3})
		d.call(10, 10, "read", {fd, 0, 10}, 10);
	std::string all = text();

	EXPECT_NE(all.find("10 OP_COMPLETE h0 10 socket:[5]\n"), std::string::npos) << all;
	EXPECT_NE(all.find("10 OP_COMPLETE h1 10 socket:[6]\n"), std::string::npos) << all;
	EXPECT_EQ(tally_get(&d.tally, doubtful_request), 1u)
		<< "3 is open: another request may have ended so";
}

TEST_F(Aio, ADescriptorThatARequestOpensMayEndWithExec)
{
	for (uint32_t fd : {5u, 6u}) {
		step(aio_submit_all(7, AIO_OPEN, AIO_FD_NONE, AIO_UNKNOWN, AIO_UNKNOWN));
		struct event e = d.base(EVENT_AIO, 10, 10);

		e.aio.step = aio_complete(7, fd);
		e.aio.file.fd = (int32_t)fd;
		e.aio.file.flags = fd == 5 ? O_RDWR | O_CLOEXEC : O_RDWR;
		e.aio.file.mode = S_IFREG | 0644;
		e.aio.file.name = {fd == 5 ? "/data/5" : "/data/6", 7};
		model_event(d.model, &e);
	}
	d.enter(10, 10, "execve");
	d.comm(10, 10, "sh", true);
	d.leave(10, 10, "execve", 0);
	std::string all = text();

	EXPECT_NE(all.find("DESTROY_HANDLE h0 /data/5"), std::string::npos) << all;
	EXPECT_EQ(all.find("DESTROY_HANDLE h1 /data/6"), std::string::npos) << all;
}

TEST_F(Aio, AFlushHasNoBytes)
{
	step(aio_submit_all(7, AIO_FLUSH, 3, 4096, 0));
	step(aio_complete(7, 0));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 - /data/a\n");
	EXPECT_EQ(find(IO_OP_BEGIN)->op.mode, IO_MODE_FLUSH);
}

TEST_F(Aio, AnEndDuringALaterCallOfTheThreadStandsInsideIt)
{
	d.at(2100);
	enter();
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	leave();
	d.at(2200);
	d.enter(10, 10, "read", {3, 0, 5});
	d.at(2210);
	step(aio_complete(7, 10), 11);
	d.at(2220);
	d.leave(10, 10, "read", 5);
	EXPECT_EQ(text(), "10 ENTER io_uring_enter\n"
			  "10 OP_BEGIN h1 10 @0 /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 LEAVE io_uring_enter\n"
			  "10 ENTER read\n"
			  "10 OP_BEGIN h1 5 @- /data/a\n"
			  "10 OP_COMPLETE h1 10 /data/a\n"
			  "10 OP_COMPLETE h1 5 /data/a\n"
			  "10 LEAVE read\n");
}

TEST_F(Aio, AnEndBeforeALaterCallStandsBeforeIt)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	step(aio_complete(7, 10), 11);
	d.call(10, 10, "fsync", {3}, 0);
	EXPECT_EQ(text(), "10 OP_BEGIN h0 10 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 10 /data/a\n"
			  "10 ENTER fsync\n"
			  "10 OP_BEGIN h0 - @- /data/a\n"
			  "10 OP_COMPLETE h0 - /data/a\n"
			  "10 LEAVE fsync\n");
}

TEST_F(Aio, WhatHappensDuringACallThatIsToldAtItsEndStandsInsideIt)
{
	d.at(2110);
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	d.at(2120);
	d.pair(10, 10, "io_uring_enter", 2100, {4, 1, 0, 0, 0, 0}, 1);
	d.at(2130);
	step(aio_complete(7, 10), 11);
	d.at(2150);
	d.pair(10, 10, "fsync", 2125, {3}, 0);
	EXPECT_EQ(text(), "10 ENTER io_uring_enter\n"
			  "10 OP_BEGIN h1 10 @0 /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 LEAVE io_uring_enter\n"
			  "10 ENTER fsync\n"
			  "10 OP_BEGIN h1 - @- /data/a\n"
			  "10 OP_COMPLETE h1 10 /data/a\n"
			  "10 OP_COMPLETE h1 - /data/a\n"
			  "10 LEAVE fsync\n");
	EXPECT_EQ(tally_get(&d.tally, late), 0u);
}

/* A ring has room for so many; the call is told when it has ended, and began before all of them. */
TEST_F(Aio, AllThatOneCallMaySubmitWaitsForIt)
{
	const uint64_t submitted = 32768, begin = d.now++;

	for (uint64_t key = 100; key < 100 + submitted; key++) {
		step(aio_submit_all(key, AIO_READ, 3, 10, 0));
		step(aio_complete(key, 10));
	}
	d.pair(10, 10, "io_uring_enter", begin, {4, submitted, 0, 0, 0, 0}, (int64_t)submitted);
	d.end();
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(tally_get(&d.tally, late), 0u);
	ASSERT_EQ(d.events.size(), 2 + 3 * submitted);
	EXPECT_EQ(d.events.front().kind, IO_ENTER);
	EXPECT_EQ(d.events.front().time, begin);
	EXPECT_EQ(d.events.back().kind, IO_LEAVE);
	times_rise();
}

TEST_F(Aio, OtherThreadsDoNotWait)
{
	enter();
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	d.call(10, 11, "fsync", {3}, 0);
	EXPECT_EQ(d.text(false), "11 THREAD_BEGIN\n"
				 "11 ENTER fsync\n"
				 "11 OP_BEGIN h0 - @-\n"
				 "11 OP_COMPLETE h0 -\n"
				 "11 LEAVE fsync\n");
}

TEST_F(Aio, TheFileMayComeLaterFromAnotherThread)
{
	enter();
	step(aio_submit(7, AIO_FLUSH));
	leave();
	EXPECT_EQ(d.text(), "") << "which handle it has is not known yet";
	step(aio_start(7, 3), 12);
	step(aio_complete(7, 0), 12);
	EXPECT_EQ(text(), "10 ENTER io_uring_enter\n"
			  "10 OP_BEGIN h1 - @- /data/a\n"
			  "10 LEAVE io_uring_enter\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 OP_COMPLETE h1 - /data/a\n");
}

/* A flush of a busy disk, or what is linked behind it. */
TEST_F(Aio, ALateRequestThatTakesSecondsHasItsFile)
{
	struct aio late = aio_submit_all(7, AIO_FLUSH, 3, AIO_UNKNOWN, AIO_UNKNOWN);

	late.flags = AIO_LATE;
	enter();
	step(late);
	leave();
	d.now += 5000000000;
	d.call(10, 11, "fsync", {3}, 0);
	step(aio_complete(7, 0));
	EXPECT_NE(text().find("10 OP_COMPLETE h1 - /data/a\n"), std::string::npos) << d.text();
}

TEST_F(Aio, WhatItWaitedForTooLongIsBookedOnTheRing)
{
	enter();
	step(aio_submit(7, AIO_READ));
	leave();
	d.now += 31000000000;
	d.call(10, 11, "fsync", {3}, 0);
	step(aio_start(7, 3), 12);
	step(aio_complete(7, 9), 12);
	EXPECT_NE(text().find("10 OP_COMPLETE h0 9 anon_inode:[io_uring]\n"), std::string::npos);
}

TEST_F(Aio, AFixedFileThatNobodyToldIsTheRing)
{
	step(aio_submit(7, AIO_READ, AIO_FIXED));
	step(aio_complete(7, 9));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- anon_inode:[io_uring]\n"
			  "10 OP_ISSUED h0 anon_inode:[io_uring]\n"
			  "10 OP_COMPLETE h0 9 anon_inode:[io_uring]\n");
	EXPECT_EQ(tally_get(&d.tally, handles_created), 2u) << "the handle of its descriptor";
}

TEST_F(Aio, TheRingOutlivesItsDescriptor)
{
	d.call(10, 10, "close", {4}, 0);
	step(aio_submit(7, AIO_READ, AIO_FIXED));
	step(aio_complete(7, 9));
	step(aio_submit(8, AIO_READ, AIO_FIXED));
	step(aio_complete(8, 10));
	std::string all = text();

	EXPECT_NE(all.find("10 OP_COMPLETE h1 9 anon_inode:[io_uring]\n"), std::string::npos)
		<< all;
	EXPECT_NE(all.find("10 OP_COMPLETE h1 10 anon_inode:[io_uring]\n"), std::string::npos)
		<< all;
	EXPECT_TRUE(trace_handle(d.trace, 1)->is_pre_created);
}

TEST_F(Aio, AFixedFileIsWhatItsDescriptorLedToThen)
{
	struct aio fix = aio_step_of(AIO_FILES, 0), read = aio_submit(7, AIO_READ, AIO_FIXED);

	fix.fd = 3;
	fix.index = 2;
	step(fix);
	d.call(10, 10, "close", {3}, 0);
	read.index = 2;
	step(read);
	step(aio_complete(7, 9));
	fix.index = -1;
	step(fix);
	read.key = 8;
	step(read);
	step(aio_complete(8, 10));
	std::string all = text();

	EXPECT_NE(all.find("OP_COMPLETE h1 9 /data/a\n"), std::string::npos) << all;
	EXPECT_NE(all.find("10 anon_inode:[io_uring]\n"), std::string::npos) << all;
}

TEST_F(Aio, AFixedFileOutlivesItsDescriptor)
{
	struct aio fix = aio_step_of(AIO_FILES, 0), write = aio_submit(7, AIO_WRITE, AIO_FIXED);

	fix.fd = 3;
	fix.index = write.index = 2;
	step(fix);
	step(write);
	step(aio_complete(7, 9));
	d.call(10, 10, "close", {3}, 0);
	for (uint64_t key : {8, 9}) {
		write.key = write.user_data = key;
		step(write);
		step(aio_complete(key, (int64_t)key));
	}
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 9 /data/a\n"
			  "10 ENTER close\n"
			  "10 DESTROY_HANDLE h0 /data/a\n"
			  "10 LEAVE close\n"
			  "10 OP_BEGIN h1 - @- /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 OP_COMPLETE h1 8 /data/a\n"
			  "10 OP_BEGIN h1 - @- /data/a\n"
			  "10 OP_ISSUED h1 /data/a\n"
			  "10 OP_COMPLETE h1 9 /data/a\n");
	EXPECT_TRUE(trace_handle(d.trace, 1)->is_pre_created);
}

/* What requests do to fixed file 2, which is /data/a: the next to use it is on the ring. */
class FixedFile : public Aio, public ::testing::WithParamInterface<struct aio>
{
};

TEST_P(FixedFile, IsNotKnownWhenARequestMayHaveChangedIt)
{
	struct aio fix = aio_step_of(AIO_FILES, 0), write = aio_submit(8, AIO_WRITE, AIO_FIXED);

	fix.fd = 3;
	fix.index = write.index = 2;
	step(fix);
	step(GetParam());
	if (GetParam().index >= 0) { /* linked */
		step(write);
		step(aio_complete(8, 1));
		step(fix);
	}
	step(aio_complete(7, GetParam().index < 0 ? 2 : 0));
	step(write);
	step(aio_complete(8, 2));
	std::string all = text();

	EXPECT_EQ(all.find("/data/a"), std::string::npos) << all;
	EXPECT_NE(all.find("OP_COMPLETE h0 2 anon_inode:[io_uring]"), std::string::npos) << all;
}

static struct aio changes(enum aio_action action, int32_t index, uint32_t flags, uint64_t count)
{
	struct aio a = aio_submit(7, action, flags);

	a.fd = AIO_FD_NONE;
	a.index = index;
	a.bytes = count;
	return a;
}

static std::string name_of_change(const ::testing::TestParamInfo<struct aio> &info)
{
	static const char *const names[] = {"OpenedThere", "OpenedAnywhere", "ClosedThere",
					    "FixedAgain", "PassedByAMessage"};

	return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(Aio, FixedFile,
			 ::testing::Values(changes(AIO_OPEN, 2, AIO_DIRECT, AIO_UNKNOWN),
					   changes(AIO_OPEN, -1, AIO_DIRECT, AIO_UNKNOWN),
					   changes(AIO_CLOSE, 2, AIO_DIRECT, AIO_UNKNOWN),
					   changes(AIO_FIX, 1, 0, 2),
					   changes(AIO_PASS, 0, AIO_DIRECT, AIO_UNKNOWN)),
			 name_of_change);

/* Through BPF the end of a request says which fixed file it had, and the first time what that is. */
class ToldFile : public Aio
{
      protected:
	void complete(struct aio step, uint64_t file, const char *name = nullptr)
	{
		struct event e = d.base(EVENT_AIO, 10, 10);

		step.file = file;
		e.aio.step = step;
		e.aio.file.fd = -1;
		if (name) {
			e.aio.file.flags = O_RDWR;
			e.aio.file.mode = S_IFREG | 0644;
			e.aio.file.ino = file;
			e.aio.file.position = EVENT_POSITION_UNKNOWN;
			e.aio.file.name = {name, static_cast<uint32_t>(strlen(name))};
		}
		model_event(d.model, &e);
	}

	static struct aio request(uint64_t key, enum aio_action action, int32_t index,
				  uint32_t flags)
	{
		struct aio a = aio_submit(key, action, flags);

		a.fd = AIO_FD_NONE;
		a.index = index;
		return a;
	}

	void submit_write(uint64_t key, int32_t index, uint32_t flags = 0)
	{
		step(request(key, AIO_WRITE, index, AIO_FIXED | AIO_TELLS | flags));
	}

	void submit_open(uint64_t key, int32_t index)
	{
		step(request(key, AIO_OPEN, index, AIO_DIRECT));
	}

	void submit_close(uint64_t key, int32_t index)
	{
		step(request(key, AIO_CLOSE, index, AIO_DIRECT));
	}

	/* Which file each write has: "1:/data/a 2:/data/b", by its bytes. */
	std::string writes()
	{
		std::string all;

		text();
		for (const io_event &e : d.events)
			if (e.kind == IO_OP_COMPLETE && e.op.mode == IO_MODE_WRITE)
				all += (all.empty() ? "" : " ") + std::to_string(e.op.bytes) + ":" +
				       d.path(e.handle);
		return all;
	}
};

TEST_F(ToldFile, OfARequestThatOpenedIt)
{
	submit_open(7, 2);
	complete(aio_complete(7, 0), 0x99, "/data/b");
	enter();
	submit_write(8, 2);
	leave();
	EXPECT_NE(d.text().find("OP_BEGIN"), std::string::npos) << "nothing waits for its end";
	complete(aio_complete(8, 1), 0x99);
	EXPECT_EQ(writes(), "1:/data/b");
}

TEST_F(ToldFile, WhereTheKernelChoseTheSlot)
{
	submit_open(7, -1);
	complete(aio_complete(7, 5), 0x99, "/data/b");
	submit_write(8, 5);
	complete(aio_complete(8, 1), 0x99);
	EXPECT_EQ(writes(), "1:/data/b");
}

TEST_F(ToldFile, OfOneThatARequestAcceptsAgainAndAgain)
{
	struct aio more = aio_complete(7, 5, AIO_MORE);

	submit_open(7, -1);
	complete(more, 0x99, "socket:[5]");
	more.result = 6;
	complete(more, 0x9a, "socket:[6]");
	submit_write(8, 6);
	complete(aio_complete(8, 1), 0x9a);
	submit_write(9, 5);
	complete(aio_complete(9, 2), 0x99);
	EXPECT_EQ(writes(), "1:socket:[6] 2:socket:[5]");
}

TEST_F(ToldFile, OfTheFirstRequestThatUsesIt)
{
	enter();
	submit_write(8, 2);
	leave();
	EXPECT_EQ(d.text().find("OP_BEGIN"), std::string::npos) << "its end says the file";
	complete(aio_complete(8, 1), 0x99, "/data/b");
	submit_write(8, 2);
	complete(aio_complete(8, 2), 0x99);
	EXPECT_EQ(writes(), "1:/data/b 2:/data/b");
}

TEST_F(ToldFile, OfAChainOfRequests)
{
	for (uint64_t i = 1; i < 3; i++) {
		submit_open(7, 2);
		submit_write(8, 2, AIO_LATE);
		submit_close(9, 2);
		complete(aio_complete(7, 0), 0x99, i == 1 ? "/data/b" : "/data/c");
		complete(aio_complete(8, (int64_t)i), 0x99);
		complete(aio_complete(9, 0), 0);
	}
	EXPECT_EQ(writes(), "1:/data/b 2:/data/c");
}

TEST_F(ToldFile, IsNotThatOfALaterRequest)
{
	submit_write(8, 2, AIO_LATE);
	submit_close(9, 2);
	complete(aio_complete(9, 0), 0);
	complete(aio_complete(8, 1), 0x99, "/data/b");
	submit_write(10, 2);
	complete(aio_complete(10, 2), 0);
	EXPECT_EQ(writes(), "1:/data/b 2:anon_inode:[io_uring]");
}

TEST_F(ToldFile, IsNotThatOfOneThatHasWaitedTooLong)
{
	enter();
	submit_write(8, 2);
	leave();
	submit_open(7, 2);
	complete(aio_complete(7, 0), 0x99, "/data/b");
	d.now += 31000000000;
	d.call(10, 11, "fsync", {3}, 0);
	complete(aio_complete(8, 1), 0x98, "/data/c");
	EXPECT_EQ(writes(), "1:anon_inode:[io_uring]");
}

TEST_F(ToldFile, IsThatOfItsDescriptorWhereThatIsKnown)
{
	struct aio fix = aio_step_of(AIO_FILES, 0);

	fix.fd = 3;
	fix.index = 2;
	step(fix);
	submit_write(8, 2);
	complete(aio_complete(8, 1), 0x99, "/data/a");
	submit_write(9, 2, AIO_LATE);
	complete(aio_complete(9, 2), 0x99);
	EXPECT_EQ(writes(), "1:/data/a 2:/data/a");
	EXPECT_EQ(trace_handles(d.trace), 1U) << "no other handle of it";
}

TEST_F(ToldFile, IsRememberedWhereAMessageLeavesAllInDoubt)
{
	struct aio fix = aio_step_of(AIO_FILES, 0);

	fix.fd = 3;
	fix.index = 2;
	step(fix);
	submit_write(8, 2);
	complete(aio_complete(8, 1), 0x99, "/data/a");
	step(request(7, AIO_PASS, -1, AIO_DIRECT));
	submit_write(9, 2);
	complete(aio_complete(7, 0), 0);
	complete(aio_complete(9, 2), 0x99);
	EXPECT_EQ(writes(), "1:/data/a 2:/data/a");
}

TEST_F(ToldFile, AfterALossIsToldAgain)
{
	struct aio fix = aio_step_of(AIO_FILES, 0);

	fix.fd = 3;
	fix.index = 2;
	step(fix);
	submit_open(7, 4);
	complete(aio_complete(7, 0), 0x99, "/data/b");
	d.lost(3);
	submit_write(8, 2);
	complete(aio_complete(8, 1), 0x97, "/data/c");
	submit_write(9, 4);
	complete(aio_complete(9, 2), 0x99);
	EXPECT_EQ(writes(), "1:/data/c 2:/data/b");
}

TEST_F(ToldFile, OfAWriteThatItsWayOfOpeningForbids)
{
	submit_write(8, 2);
	complete(aio_complete(8, -EBADF), 0x99, "/data/b");
	submit_write(9, 3);
	complete(aio_complete(9, -EBADF), 0);
	text();
	EXPECT_EQ(d.path(find(IO_OP_COMPLETE)->handle), "/data/b");
	EXPECT_EQ(find(IO_OP_COMPLETE)->op.error, EBADF);
	ASSERT_NE(find(IO_OP_BEGIN, 1), nullptr);
	EXPECT_EQ(d.path(find(IO_OP_BEGIN, 1)->handle), "anon_inode:[io_uring]")
		<< "there was nothing";
}

TEST_F(Aio, APageFaultOfAThreadThatOnlySubmitsBeginsAfterWhatHasLeft)
{
	d.at(2000);
	step(aio_submit(7, AIO_READ, AIO_FIXED | AIO_BY_THREAD), 11);
	struct event e = d.base(EVENT_FAULT, 10, 11);

	e.fault.begin = 1900;
	e.fault.ino = 78;
	e.fault.bytes = 4096;
	model_event(d.model, &e);
	text();
	ASSERT_NE(find(IO_OP_BEGIN, 1), nullptr);
	EXPECT_EQ(find(IO_OP_BEGIN, 1)->time, 2000u);
}

TEST_F(Aio, ALinkedRequestThatNeverBeganIsCancelled)
{
	step(aio_submit(7, AIO_WRITE));
	step(aio_complete(7, -ECANCELED));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- anon_inode:[io_uring]\n"
			  "10 OP_ISSUED h0 anon_inode:[io_uring]\n"
			  "10 OP_CANCELLED h0 anon_inode:[io_uring]\n");
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_ABORTED);
	EXPECT_EQ(tally_get(&d.tally, aborted), 1u);
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u) << "nothing was missed";
}

TEST_F(Aio, WhatIsLeftOutIsInNoBookHoweverItEnded)
{
	d.fact(FACT_FILTER, {FILTER_PATH_EXCLUDED}, {"/data/*"});
	for (uint64_t key : {7, 8}) {
		step(aio_submit(key, AIO_WRITE));
		step(aio_start(key, 3));
	}
	step(aio_complete(7, -ECANCELED));
	EXPECT_EQ(text(), "");
	for (enum tally_counter counter :
	     {TALLY_begun, TALLY_cancelled, TALLY_aborted, TALLY_in_flight})
		EXPECT_EQ(d.tally.n[counter], 0u) << tally_name(counter);
}

TEST_F(Aio, AFailedRequestHasItsError)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	step(aio_complete(7, -EIO));
	EXPECT_NE(text().find("OP_COMPLETE h0 - /data/a"), std::string::npos);
	EXPECT_EQ(find(IO_OP_COMPLETE)->op.error, EIO);
}

TEST_F(Aio, WithoutAFileItFailsOnTheRing)
{
	step(aio_submit(7, AIO_READ));
	step(aio_start(7, 77));
	step(aio_complete(7, -EBADF));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- anon_inode:[io_uring]\n"
			  "10 OP_ISSUED h0 anon_inode:[io_uring]\n"
			  "10 OP_COMPLETE h0 - anon_inode:[io_uring]\n");
	EXPECT_EQ(find(IO_OP_COMPLETE)->op.error, EBADF);
	EXPECT_EQ(tally_get(&d.tally, handles_created), 2u) << "no file was found behind 77";
}

TEST_F(Aio, ADescriptorThatNobodySawBeingMadeIsFound)
{
	step(aio_submit(7, AIO_READ));
	step(aio_start(7, 77));
	step(aio_complete(7, 5));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- ?\n"
			  "10 OP_ISSUED h0 ?\n"
			  "10 OP_COMPLETE h0 5 ?\n");
	EXPECT_EQ(tally_get(&d.tally, handles_created), 3u);
}

TEST_F(Aio, OneOperationForAllThatAMultishotBrings)
{
	struct aio more = aio_complete(0, 100, AIO_MORE);

	step(aio_submit(7, AIO_READ, AIO_REPEATS));
	step(aio_start(7, 3));
	more.user_data = 7;
	step(more);
	step(more);
	step(aio_complete(7, 20));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 220 /data/a\n");
}

TEST_F(Aio, AMultishotThatEndsWithAnErrorKeepsWhatItBrought)
{
	struct aio more = aio_complete(0, 100, AIO_MORE);

	step(aio_submit(7, AIO_READ, AIO_REPEATS));
	step(aio_start(7, 3));
	more.user_data = 7;
	step(more);
	step(aio_complete(7, -ENOBUFS));
	EXPECT_NE(text().find("OP_COMPLETE h0 100 /data/a"), std::string::npos);
}

TEST_F(Aio, TheThreadOfTheRingIsTheLocationOfWhatItSubmits)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0);

	read.flags = AIO_BY_THREAD;
	step(read, 11);
	EXPECT_EQ(d.text(), "11 THREAD_BEGIN\n"
			    "11 OP_BEGIN h0 10 @0\n"
			    "11 OP_ISSUED h0\n")
		<< "it makes no calls: nothing waits";
	step(aio_complete(7, 10), 12);
	EXPECT_NE(text().find("11 OP_COMPLETE h0 10"), std::string::npos);
}

TEST_F(Aio, ARequestUsedAgainWithoutAnEndWasLost)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	step(aio_submit_all(7, AIO_WRITE, 3, 20, 0));
	step(aio_complete(7, 20));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 10 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_CANCELLED h0 /data/a\n"
			  "10 OP_BEGIN h0 20 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 20 /data/a\n");
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_LOST);
	EXPECT_EQ(tally_get(&d.tally, cancelled), 1u);
}

TEST_F(Aio, ASilentSuccessHasNoEnd)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0), other = read;

	read.flags |= AIO_SILENT;
	other.flags |= AIO_SILENT;
	other.key = 8;
	step(read);
	step(other);
	step(read);
	step(aio_complete(7, -EIO));
	d.exit(10, 11);
	d.exit(10, 10);
	EXPECT_NE(text().find("10 OP_CANCELLED h0 /data/a\n10 OP_BEGIN"), std::string::npos);
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_UNREPORTED);
	EXPECT_EQ(tally_get(&d.tally, completed), 1u) << "the failure";
	EXPECT_EQ(tally_get(&d.tally, unreported), 2u)
		<< "of the other, nobody knows when it ended";
}

TEST_F(Aio, WhatOnlyManagesLeavesNoTrace)
{
	step(aio_submit(7, AIO_MANAGE));
	step(aio_complete(7, 0));
	EXPECT_EQ(text(), "");
	EXPECT_EQ(tally_get(&d.tally, orphan_completions), 0u);
}

TEST_F(Aio, AnEndWithoutBeginIsCounted)
{
	step(aio_complete(7, 0));
	EXPECT_EQ(text(), "");
	EXPECT_EQ(tally_get(&d.tally, orphan_completions), 1u);
}

TEST_F(Aio, WhatAThreadLeavesBehindGoesOn)
{
	for (uint64_t key : {7, 8, 9})
		step(aio_submit_all(key, AIO_READ, 3, 10, 0), 11);
	d.exit(10, 11);
	aio_do(d, 99, 99, aio_complete(7, 5)); /* a worker of the kernel */
	step(aio_submit_all(8, AIO_WRITE, 3, 20, 0), 10);
	EXPECT_EQ(d.text().find("THREAD_END"), std::string::npos);
	d.exit(10, 10);
	EXPECT_EQ(text(), "11 THREAD_BEGIN\n"
			  "11 OP_BEGIN h0 10 @0 /data/a\n"
			  "11 OP_ISSUED h0 /data/a\n"
			  "11 OP_BEGIN h0 10 @0 /data/a\n"
			  "11 OP_ISSUED h0 /data/a\n"
			  "11 OP_BEGIN h0 10 @0 /data/a\n"
			  "11 OP_ISSUED h0 /data/a\n"
			  "11 OP_COMPLETE h0 5 /data/a\n"
			  "11 OP_CANCELLED h0 /data/a\n"
			  "11 OP_CANCELLED h0 /data/a\n"
			  "11 THREAD_END\n"
			  "10 OP_BEGIN h0 20 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_CANCELLED h0 /data/a\n"
			  "10 DESTROY_HANDLE h0 /data/a\n"
			  "10 DESTROY_HANDLE h1 anon_inode:[io_uring]\n");
	EXPECT_EQ(tally_get(&d.tally, aborted), 3u) << "nothing was missed";
	EXPECT_EQ(trace_host(d.trace)->processes_seen, 1u) << "the worker is no process of it";
}

TEST_F(Aio, IocbsOutliveTheirThreadButNotTheProcess)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0);

	read.api = AIO_LIBAIO;
	step(read, 11);
	read.key = 8;
	step(read, 11);
	d.exit(10, 11);
	read = aio_complete(7, 5);
	read.api = AIO_LIBAIO;
	step(read, 10);
	d.exit(10, 10);
	std::string all = text();

	EXPECT_NE(all.find("11 OP_COMPLETE h0 5 /data/a\n"), std::string::npos) << all;
	EXPECT_NE(all.find("11 OP_CANCELLED h0 /data/a\n11 THREAD_END"), std::string::npos)
		<< "the kernel waits for it\n"
		<< all;
	EXPECT_EQ(tally_get(&d.tally, completed), 1u);
	EXPECT_EQ(tally_get(&d.tally, unreported), 1u);
}

TEST_F(Aio, AnIocbIsThatOfItsProcess)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0);

	d.fork(10, 10, 20, 20);
	read.api = AIO_LIBAIO;
	aio_do(d, 10, 10, read);
	aio_do(d, 20, 20, read);
	read = aio_complete(7, 5);
	read.api = AIO_LIBAIO;
	aio_do(d, 20, 20, read);
	read.result = 6;
	aio_do(d, 10, 10, read);
	std::string all = text();

	EXPECT_NE(all.find("20 OP_COMPLETE h0 5"), std::string::npos) << all;
	EXPECT_NE(all.find("10 OP_COMPLETE h0 6"), std::string::npos) << all;
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u);
}

TEST_F(Aio, AnExecEndsWhatIsInFlight)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0);

	read.api = AIO_LIBAIO;
	step(read);
	d.call(10, 10, "execve", {}, 0);
	EXPECT_EQ(text(), "10 OP_BEGIN h0 10 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 ENTER execve\n"
			  "10 OP_CANCELLED h0 /data/a\n"
			  "10 LEAVE execve\n");
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_UNREPORTED);
}

TEST_F(Aio, TheEndOfAContextEndsItsIocbs)
{
	struct aio read = aio_submit_all(7, AIO_READ, 3, 10, 0), end = aio_step_of(AIO_END, 0);

	read.api = end.api = AIO_LIBAIO;
	step(read);
	read.key = 8;
	read.queue = 0x2000;
	step(read);
	step(end);
	text();
	EXPECT_EQ(tally_get(&d.tally, unreported), 1u);
	EXPECT_EQ(tally_get(&d.tally, in_flight), 1u);
}

TEST_F(Aio, TheEndOfTheRecording)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	EXPECT_NE(text().find("10 OP_CANCELLED h0 /data/a\n"), std::string::npos);
	EXPECT_EQ(find(IO_OP_CANCELLED)->op.end, IO_END_RECORDING);
	EXPECT_EQ(tally_get(&d.tally, in_flight), 1u);
}

TEST_F(Aio, AFileClosedMeanwhileIsStillTheOne)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	d.call(10, 10, "close", {3}, 0);
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	d.fd(10, 3, "/data/b", 1, d.now);
	step(aio_complete(7, 10), 11);
	EXPECT_NE(text().find("OP_COMPLETE h0 10 /data/a"), std::string::npos);
}

TEST_F(Aio, ACloseIsOneAtOnce)
{
	struct aio close = aio_submit(7, AIO_CLOSE);

	close.fd = 3;
	step(close);
	step(aio_submit_all(8, AIO_READ, 3, 10, 0));
	step(aio_complete(8, -EBADF));
	step(aio_complete(7, 0));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 10 @0 anon_inode:[io_uring]\n"
			  "10 OP_ISSUED h0 anon_inode:[io_uring]\n"
			  "10 OP_COMPLETE h0 - anon_inode:[io_uring]\n"
			  "10 DESTROY_HANDLE h1 /data/a\n");
}

TEST_F(Aio, ACloseThatWasCancelledIsNone)
{
	struct aio close = aio_submit(7, AIO_CLOSE);

	close.fd = 3;
	step(close);
	step(aio_complete(7, -ECANCELED));
	step(aio_submit_all(8, AIO_READ, 3, 10, 0));
	step(aio_complete(8, 9));
	EXPECT_NE(text().find("OP_COMPLETE h0 9 /data/a"), std::string::npos);
}

TEST_F(Aio, ACloseOfNobodyKnowsWhatLeavesNothingCertain)
{
	step(aio_submit(7, AIO_CLOSE));
	step(aio_complete(7, 0));
	d.call(10, 10, "read", {3, 0, 5}, 5);
	std::string all = text();

	EXPECT_NE(all.find("10 DESTROY_HANDLE h0 /data/a\n"), std::string::npos) << all;
	EXPECT_NE(all.find("10 OP_COMPLETE h1 5 ?\n"), std::string::npos) << all;
	EXPECT_EQ(tally_get(&d.tally, doubtful_request), 1u);
}

/* Another request may have opened another file there before the end of the close is reported. */
TEST_F(Aio, ALookUpBesideACloseIsNotBelieved)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 5);
	step(aio_submit(7, AIO_CLOSE));
	d.fd(10, 5, "/data/other", 1, d.now);
	step(aio_complete(7, -EBADF));
	d.fd(10, 5, "/data/b", 1, d.now);
	d.call(10, 10, "read", {5, 0, 5}, 5);
	std::string all = text();

	EXPECT_NE(all.find("OP_COMPLETE h0 5 /data/b\n"), std::string::npos) << all;
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 1u);
}

/* A worker of io_uring keeps the table that the task had. */
class AioUnshared : public Aio
{
      protected:
	void own()
	{
		d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 5, {"/data/own"});
	}
	void worker_opens()
	{
		for (int fd : {5, 6}) {
			struct event e = d.base(EVENT_AIO, 10, 10);

			step(aio_submit(7, AIO_OPEN));
			e.aio.step = aio_complete(7, fd);
			e.aio.file.fd = fd;
			e.aio.file.mode = S_IFREG | 0644;
			e.aio.file.name = {"/data/other", 11};
			e.aio.file.dev = 1;
			e.aio.file.ino = 99;
			model_event(d.model, &e);
			d.call(10, 10, "read", {(uint64_t)fd, 0, 10}, 10);
		}
		std::string all = text();

		EXPECT_NE(all.find(" 10 /data/own\n"), std::string::npos) << all;
		EXPECT_EQ(all.find("/data/other"), std::string::npos) << all;
	}
};

TEST_F(AioUnshared, AWorkersNumberIsNoneOfTheTask)
{
	own();
	d.call(10, 10, "unshare", {CLONE_FILES}, 0);
	worker_opens();
}

TEST_F(AioUnshared, AWorkersNumberIsNoneOfTheTaskAfterCloseRange)
{
	own();
	d.call(10, 10, "close_range", {100, 200, 2}, 0);
	worker_opens();
}

TEST_F(Aio, AnOpenThatGivesAKnownNumberLeavesThatUncertain)
{
	step(aio_submit(7, AIO_OPEN));
	step(aio_complete(7, 3));
	step(aio_submit(8, AIO_READ));
	step(aio_start(8, 3));
	step(aio_complete(8, 9));
	std::string all = text();

	EXPECT_NE(all.find("10 DESTROY_HANDLE h"), std::string::npos) << all;
	EXPECT_NE(all.find(" 9 ?\n"), std::string::npos) << all;
	EXPECT_EQ(tally_get(&d.tally, doubtful_request), 1u);
}

TEST_F(Aio, ThePositionIsNotKnownAfterOneThatMayHaveMovedIt)
{
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 5, {"/data/p"});
	step(aio_submit_all(7, AIO_READ, 5, 10, 100));
	step(aio_complete(7, 10));
	d.call(10, 10, "read", {5, 0, 5}, 5);
	step(aio_submit(8, AIO_READ));
	step(aio_start(8, 5));
	step(aio_complete(8, 10));
	d.call(10, 10, "read", {5, 0, 6}, 6);
	std::string all = text();

	EXPECT_NE(all.find("OP_BEGIN h0 5 @0 "), std::string::npos) << all;
	EXPECT_NE(all.find("OP_BEGIN h0 6 @- "), std::string::npos) << all;
}

TEST_F(Aio, BeforeLinux518AFileCameFirstAndWithoutItsRequest)
{
	struct aio start = aio_start(0, 3), read = aio_submit(0, AIO_READ, AIO_REPEATS);
	struct aio end = aio_complete(0, 9);

	read.user_data = end.user_data = 55;
	step(start);
	step(read);
	step(end);
	EXPECT_EQ(text(), "10 OP_BEGIN h0 - @- /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_COMPLETE h0 9 /data/a\n");
}

TEST_F(Aio, WithoutCallsInTheStreamLittleWaits)
{
	const uint64_t many = BESIDE_LIMIT / 2;

	for (uint64_t i = 0; i < many; i++) {
		step(aio_submit_all(7, AIO_READ, 3, 10, 0));
		step(aio_complete(7, 10));
	}
	EXPECT_GE(d.events.size(), 3 * many - BESIDE_LIMIT);
	d.at(2000);
	enter();
	d.at(1000000);
	leave();
	text();
	EXPECT_EQ(tally_get(&d.tally, late), 1u) << "the ENTER is raised to what has left";
	EXPECT_EQ(tally_get(&d.tally, completed), many);
}

TEST_F(Aio, AProgramOf32BitsIsLeftOut)
{
	d.program(10, true);
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	EXPECT_EQ(text(), "");
}

TEST_F(Aio, AProcessOfAnotherUserIsLeftOut)
{
	d.fact(FACT_TASK, {20, 20, 1, 0, 0, 1}, {"fio", "/bin/fio"});
	aio_do(d, 20, 20, aio_submit_all(7, AIO_READ, 3, 10, 0));
	aio_do(d, 20, 20, aio_complete(7, 10));
	EXPECT_EQ(text(), "");
	EXPECT_EQ(tally_get(&d.tally, begun), 0u);
	EXPECT_EQ(tally_get(&d.tally, orphan_completions), 0u);
}

TEST_F(Aio, AnExecThatLeavesAProcessOutEndsItsRequests)
{
	step(aio_submit_all(7, AIO_READ, 3, 10, 0));
	d.fact(FACT_EXE, {10, d.now, 0, 0, 1}, {"/bin/other"});
	step(aio_complete(7, 10));
	EXPECT_EQ(text(), "10 OP_BEGIN h0 10 @0 /data/a\n"
			  "10 OP_ISSUED h0 /data/a\n"
			  "10 OP_CANCELLED h0 /data/a\n");
	EXPECT_EQ(tally_get(&d.tally, orphan_completions), 0u);
}

} /* namespace */
