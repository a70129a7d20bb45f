/*
 * What the kernel writes of files that are mapped, and the lanes of locations, where that takes its place.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <map>
#include <sys/mman.h>

namespace
{

constexpr uint64_t DEV = 1, INODE = 2; /* of the driver's files */
constexpr uint64_t BASE = 0x10000, SIZE = 0x4000;
constexpr uint64_t WRITABLE = PROT_READ | PROT_WRITE;

class Writeback : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void open(uint64_t ino, uint32_t tid = 10, uint32_t pid = 10)
	{
		std::string name = "/data/" + std::to_string(ino);

		d.pair(pid, tid, "openat", d.now++, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3,
		       {{{3, name, O_RDWR, 0, 0100644, ino}}});
	}

	/* The thread opens a file, maps it and closes it. */
	void map(uint32_t tid, uint64_t prot = WRITABLE, uint64_t flags = MAP_SHARED,
		 uint64_t at = BASE, uint64_t ino = INODE, uint32_t pid = 10)
	{
		open(ino, tid, pid);
		d.call(pid, tid, "mmap", {0, SIZE, prot, flags, 3, 0}, (int64_t)at);
		d.call(pid, tid, "close", {3}, 0);
	}

	/* A worker of the kernel writes the file from `begin` until now. */
	void written(uint64_t begin, uint64_t ino = INODE)
	{
		struct event e = d.base(EVENT_WRITEBACK, 77, 77);

		e.writeback.begin = begin;
		e.writeback.dev = DEV;
		e.writeback.ino = ino;
		e.writeback.bytes = 12288;
		e.writeback.name = {"kworker/u8:1", 12};
		model_event(d.model, &e);
	}

	void written()
	{
		uint64_t begin = d.now;

		d.now += 100;
		written(begin);
	}

	void through_bpf()
	{
		d.fact(FACT_SOURCE, {TRACE_SOURCE_BPF, 0}, {"", ""});
	}

	/* How many files wait to be written at the end. */
	uint64_t pending()
	{
		d.end();
		EXPECT_EQ(d.unbalanced(), "");
		return tally_get(&d.tally, files_pending);
	}

	/* The tid of the thread that a flush is booked on, 0: there is none. */
	uint32_t booked()
	{
		d.end();
		EXPECT_EQ(d.unbalanced(), "");
		for (const io_event &e : d.events)
			if (e.kind == IO_OP_BEGIN && e.op.is_non_blocking)
				return trace_thread(d.trace, e.thread)->tid;
		return 0;
	}

	void expect_order()
	{
		std::map<thread_id, uint64_t> last;

		for (const io_event &e : d.events) {
			EXPECT_GE(e.time, last[e.thread]) << d.line(e);
			last[e.thread] = e.time;
		}
	}
};

TEST_F(Writeback, OfWhatIsNotWrittenYetTheFilesAreCounted)
{
	through_bpf();
	map(10);
	map(10, WRITABLE, MAP_SHARED, BASE + SIZE, INODE + 1);
	map(10, PROT_READ, MAP_SHARED, BASE + 2 * SIZE, INODE + 2);
	written();
	EXPECT_EQ(pending(), 1u);
}

TEST_F(Writeback, OfWhatMsyncHasWrittenNoFileIsCounted)
{
	through_bpf();
	map(10);
	map(10, WRITABLE, MAP_SHARED, BASE + SIZE, INODE + 1);
	d.call(10, 10, "msync", {BASE, 2 * SIZE, MS_SYNC}, 0);
	EXPECT_EQ(pending(), 0u);
}

TEST_F(Writeback, OfWhatMsyncHasNotWrittenTheFilesAreCounted)
{
	through_bpf();
	map(10);
	map(10, WRITABLE, MAP_SHARED, BASE + SIZE, INODE + 1);
	map(10, WRITABLE, MAP_SHARED, BASE + 2 * SIZE, INODE + 2);
	map(10, WRITABLE, MAP_PRIVATE, BASE + 3 * SIZE, INODE + 2);
	d.call(10, 10, "msync", {BASE, SIZE, MS_ASYNC}, 0);
	d.call(10, 10, "msync", {BASE + SIZE, SIZE, MS_SYNC}, -EIO);
	d.call(10, 10, "msync", {BASE + 3 * SIZE, SIZE, MS_SYNC}, 0);
	EXPECT_EQ(pending(), 3u);
}

TEST_F(Writeback, OfWhatACallForItsDescriptorHasWrittenNoFileIsCounted)
{
	through_bpf();
	for (uint64_t i = 0; i < 4; i++) {
		map(10, WRITABLE, MAP_SHARED, BASE + i * SIZE, INODE + i);
		open(INODE + i);
		if (i < 2)
			d.call(10, 10, i ? "fdatasync" : "fsync", {3}, 0);
		else
			d.call(10, 10, "sync_file_range",
			       {3, 0, 0, i == 2 ? SYNC_FILE_RANGE_WRITE : 0U}, 0);
		d.call(10, 10, "close", {3}, 0);
	}
	EXPECT_EQ(pending(), 1u) << "one call only waits";
}

TEST_F(Writeback, OfWhatWasWrittenBeforeItWasMappedTheFilesAreCounted)
{
	through_bpf();
	open(INODE);
	d.call(10, 10, "fsync", {3}, 0);
	d.call(10, 10, "close", {3}, 0);
	map(10);
	EXPECT_EQ(pending(), 1u);
}

TEST_F(Writeback, ThatNobodyRecordsIsNotMissed)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	map(10);
	map(10, WRITABLE, MAP_SHARED, BASE + SIZE, INODE + 1);
	map(10, WRITABLE, MAP_SHARED, BASE + 2 * SIZE, INODE);
	EXPECT_EQ(pending(), 0u);
	EXPECT_EQ(tally_get(&d.tally, files_stored), 2u);
}

TEST_F(Writeback, IsAFlushOfTheFileOnTheThreadThatMappedIt)
{
	map(11);
	uint64_t begin = d.now;

	d.now += 100;
	written(begin);
	EXPECT_EQ(booked(), 11U);
	EXPECT_EQ(d.text(), "11 CREATE_HANDLE h0 /data/2\n"
			    "11 DESTROY_HANDLE h0 /data/2\n"
			    "11 OP_BEGIN h1 - @-\n"
			    "11 OP_ISSUED h1\n"
			    "11 OP_COMPLETE h1 12288\n");
	const io_event &first = d.events[d.events.size() - 3], &last = d.events.back();

	EXPECT_EQ(first.time, begin);
	EXPECT_EQ(last.time, begin + 100);
	EXPECT_EQ(first.op.mode, IO_MODE_FLUSH);
	EXPECT_TRUE(first.op.is_non_blocking);
	EXPECT_STREQ(trace_text(d.trace, first.op.name), "kworker/u8:1");
	EXPECT_TRUE(trace_handle(d.trace, 1)->is_pre_created);
	EXPECT_STREQ(trace_text(d.trace, trace_handle(d.trace, 1)->name), "/data/2");
}

TEST_F(Writeback, OfAFileThatNobodyHasMappedIsNone)
{
	map(10);
	d.now += 100;
	written(d.now - 100, 3);
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, OfAFileThatIsMappedToBeReadIsNone)
{
	map(10, PROT_READ);
	written();
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, OfAPrivateMappingIsNone)
{
	map(10, WRITABLE, MAP_PRIVATE);
	written();
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, OfAValidatedMappingIsOne)
{
	map(10, WRITABLE, MAP_SHARED_VALIDATE);
	written();
	EXPECT_EQ(booked(), 10U);
}

TEST_F(Writeback, AfterTheMappingIsGoneIsNone)
{
	map(10);
	d.call(10, 10, "munmap", {BASE, SIZE}, 0);
	written();
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, OfWhatIsLeftOfAMappingIsOne)
{
	map(10);
	d.call(10, 10, "munmap", {BASE + 0x1000, 0x1000}, 0);
	d.call(10, 10, "munmap", {BASE, 0x1000}, 0);
	written();
	EXPECT_EQ(booked(), 10U);
}

TEST_F(Writeback, AfterAllPartsOfAMappingAreGoneIsNone)
{
	map(10);
	d.call(10, 10, "munmap", {BASE + 0x1000, 0x1000}, 0);
	d.call(10, 10, "munmap", {BASE, SIZE}, 0);
	written();
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, AfterExecIsNone)
{
	map(10);
	d.call(10, 10, "execve", {0}, 0, {"/bin/true"});
	written();
	EXPECT_EQ(booked(), 0U);
}

TEST_F(Writeback, OfAFileThatManyMapIsBookedOnTheLast)
{
	map(10);
	map(11, WRITABLE, MAP_SHARED, BASE + SIZE);
	written();
	EXPECT_EQ(booked(), 11U);
}

TEST_F(Writeback, OfAFileThatManyProcessesMapIsTheLastOnes)
{
	d.fork(10, 10, 20, 20);
	map(10);
	map(20, WRITABLE, MAP_SHARED, BASE, INODE, 20);
	written();
	EXPECT_EQ(booked(), 20U);
}

TEST_F(Writeback, WhereTheThreadHasEndedStandsOnTheFirst)
{
	d.call(10, 10, "read", {0, 0, 1}, 1);
	map(11);
	d.exit(10, 11);
	written();
	EXPECT_EQ(booked(), 10U);
}

TEST_F(Writeback, WhereTheFirstThreadHasEndedStandsOnAnother)
{
	map(10);
	d.exit(10, 10);
	written();
	EXPECT_EQ(booked(), 11U);
}

TEST_F(Writeback, OfWhatAChildHasFromItsParentIsTheChilds)
{
	map(11);
	d.fork(10, 11, 20, 20);
	d.exit(10, 11);
	d.exit(10, 10);
	written();
	EXPECT_EQ(booked(), 20U);
}

TEST_F(Writeback, AfterItsProcessHasEndedIsTheOthers)
{
	d.fork(10, 10, 20, 20);
	map(10);
	map(20, WRITABLE, MAP_SHARED, BASE, INODE, 20);
	d.exit(20, 20);
	written();
	EXPECT_EQ(booked(), 10U);
}

TEST_F(Writeback, InsideACallStandsInsideIt)
{
	map(10);
	uint64_t begin = d.now++;

	d.now += 10;
	written(begin + 5);
	d.now += 10;
	d.pair(10, 10, "sync", begin, {}, 0);
	d.end();
	expect_order();
	std::string text = d.text(false);

	EXPECT_NE(text.find("10 ENTER sync\n10 OP_BEGIN h1 - @-\n10 OP_BEGIN h2 - @-\n"),
		  std::string::npos)
		<< text;
}

TEST_F(Writeback, NeverBeginsBeforeWhatItsThreadHasDone)
{
	uint64_t early = d.now++;

	map(10);
	written(early);
	EXPECT_EQ(booked(), 10U);
	expect_order();
}

/* One that began first and ends last is told last. */
TEST_F(Writeback, TakesItsPlaceAmongWhatWaits)
{
	map(10);
	map(10, WRITABLE, MAP_SHARED, BASE + SIZE, 5);
	uint64_t begin = d.now;

	d.at(begin + 20);
	written(begin + 10, 5);
	d.at(begin + 30);
	written(begin, INODE);
	EXPECT_EQ(booked(), 10U);
	expect_order();
	std::string text = d.text();

	EXPECT_NE(text.find("10 OP_BEGIN h2 - @-\n10 OP_ISSUED h2\n10 OP_BEGIN h3 - @-\n"),
		  std::string::npos)
		<< text;
	EXPECT_EQ(d.events.back().op.id, 1U) << "the one that was told last ends last";
}

TEST_F(Writeback, IsByWhoMappedTheFileForItsRequestsToo)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, 2, 3, 0}, {"host", "6", "x86_64"});
	d.fact(FACT_DEVICE, {8, 0, 1000, 1}, {"sda"});
	map(10);
	struct event e = d.step(REQUEST_BIO_QUEUE, 8, "W", 100, 8);

	e.pid = e.tid = 77;
	e.request.name = {"kworker/u8:1", 12};
	e.request.inode = INODE;
	e.request.inode_dev = DEV;
	model_event(d.model, &e);
	e.request.step = REQUEST_ISSUE;
	e.request.inode = 0;
	model_event(d.model, &e);
	d.end();
	for (const io_event &event : d.events)
		if (event.kind == IO_OP_BEGIN)
			EXPECT_EQ(std::pair(event.op.pid, event.op.tid), std::pair(10U, 10U));
	EXPECT_EQ(d.events.back().kind, IO_OP_CANCELLED);
}

} /* namespace */
