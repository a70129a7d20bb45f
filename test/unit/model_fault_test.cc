/*
 * Page faults that read from mapped files.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <sys/stat.h>

extern "C" {
#include "state/state.h"
}

namespace
{

constexpr uint64_t DEV = 1, INODE = 2; /* of the driver's files */

class Fault : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	/* It reads [offset, offset + bytes) from `begin` until now. */
	void fault(uint64_t ino, uint64_t begin, uint64_t offset, uint64_t bytes, uint32_t tid = 10,
		   uint32_t pid = 10)
	{
		struct event e = d.base(EVENT_FAULT, pid, tid);

		e.fault.begin = begin;
		e.fault.dev = DEV;
		e.fault.ino = ino;
		e.fault.offset = offset;
		e.fault.bytes = bytes;
		model_event(d.model, &e);
	}

	/* Those of the only thread that does anything. */
	void times_rise()
	{
		uint64_t last = 0;

		for (const io_event &e : d.events) {
			EXPECT_GE(e.time, last) << d.line(e);
			last = e.time;
		}
		EXPECT_GT(last, 0u);
	}

	std::string name(handle_id handle)
	{
		return trace_text(d.trace, trace_handle(d.trace, handle)->name);
	}

	/* Where mappings are not recorded: a thread maps this descriptor. */
	void mapped(enum event_kind how, int fd)
	{
		struct event e = d.base(how, 10, 10);

		e.mapped = fd;
		model_event(d.model, &e);
	}

	std::string ended()
	{
		d.end();
		EXPECT_EQ(d.unbalanced(), "");
		return d.text();
	}
};

TEST_F(Fault, IsAReadOfItsFileThoughTheDescriptorIsClosed)
{
	d.pair(10, 10, "openat", d.now++, {(uint64_t)AT_FDCWD, 0, O_RDONLY}, 3,
	       {{{3, "/data/a", O_RDONLY}}});
	d.call(10, 10, "close", {3}, 0);
	uint64_t begin = d.now++;

	d.at(begin + 100);
	fault(INODE, begin, 8192, 65536);
	fault(INODE, begin + 100, 0, 4096, 11);
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 /data/a\n"
			   "10 DESTROY_HANDLE h0 /data/a\n"
			   "10 OP_BEGIN h1 65536 @8192\n"
			   "10 OP_COMPLETE h1 65536\n"
			   "11 OP_BEGIN h1 4096 @0\n"
			   "11 OP_COMPLETE h1 4096\n");
	EXPECT_TRUE(trace_handle(d.trace, 1)->is_pre_created);
	EXPECT_EQ(name(1), "/data/a");
}

TEST_F(Fault, StoresThatNobodyRecordsAreSaidOnceForEachFile)
{
	d.start_fd(10, 3, "/data/a");
	d.start_fd(10, 4, "/data/b");
	d.start_fd(10, 5, "/dev/zero", O_RDWR, 0, S_IFCHR | 0666);
	d.start_fd(10, 6, "pipe:[7]");
	for (int fd : {3, 3, 4, 5, 6, 7, -1})
		mapped(EVENT_STORES, fd);
	mapped(EVENT_LOADS, 3);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, files_stored), 2u);
	EXPECT_EQ(tally_get(&d.tally, files_loaded), 0u);
}

/* The tables of files and of mapped files grow in steps of their own: no step of one may outrun the other. */
TEST_F(Fault, TheTableOfMappedFilesMayBeLargerThanThatOfFiles)
{
	for (int file = 0; file < 22; file++)
		d.start_fd(10, 3 + file, ("/data/" + std::to_string(file)).c_str());
	for (int file = 19; file < 22; file++)
		mapped(EVENT_LOADS, 3 + file);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, files_loaded), 3u);
}

TEST_F(Fault, ReadsThatNobodyRecordsAreSaidOnceForEachFile)
{
	d.start_fd(10, 3, "/data/a");
	d.start_fd(10, 4, "/data/b");
	d.start_fd(10, 5, "/dev/zero", O_RDWR, 0, S_IFCHR | 0666);
	for (int fd : {3, 3, 4, 5, 7, -1})
		mapped(EVENT_LOADS, fd);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, files_loaded), 2u);
	EXPECT_EQ(tally_get(&d.tally, files_stored), 0u);
}

TEST_F(Fault, ReadsOfWhatEachProgramMapsAreNotSaid)
{
	int fd = 3;

	for (const char *name :
	     {"/lib/libc.so", "/etc/ld.so.cache", "/usr/lib/locale/locale-archive",
	      "/usr/lib/locale/C.utf8/LC_TIME", "/usr/lib/gconv/gconv-modules.cache",
	      "/etc/localtime", "/usr/share/zoneinfo/Europe/Berlin"}) {
		d.start_fd(10, fd, name);
		mapped(EVENT_LOADS, fd++);
	}
	mapped(EVENT_CODE, 3);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, files_loaded), 0u);
}

TEST_F(Fault, LastsFromItsBeginToItsEnd)
{
	d.at(2000);
	fault(78, 1900, 0, 4096);
	d.end();
	ASSERT_EQ(d.events.size(), 2u);
	EXPECT_EQ(d.events[0].time, 1900u);
	EXPECT_EQ(d.events[1].time, 2000u);
	EXPECT_EQ(d.events[0].op.mode, IO_MODE_READ);
}

TEST_F(Fault, EachProcessHasItsOwnHandle)
{
	d.fact(FACT_TASK, {20, 20, 1, 0, 0}, {"other", "/bin/other"});
	fault(78, d.now, 0, 4096);
	fault(78, d.now, 0, 4096, 20, 20);
	EXPECT_EQ(ended(), "10 OP_BEGIN h0 4096 @0\n"
			   "10 OP_COMPLETE h0 4096\n"
			   "20 OP_BEGIN h1 4096 @0\n"
			   "20 OP_COMPLETE h1 4096\n");
	EXPECT_EQ(trace_handle(d.trace, 0)->process, 0u);
	EXPECT_EQ(trace_handle(d.trace, 1)->process, 1u);
}

TEST_F(Fault, OfTheCommandBeforeItsExecIsNone)
{
	d.fact(FACT_COMMAND, {30}, {"ls", "/"});
	fault(78, d.now, 0, 4096, 30, 30);
	EXPECT_EQ(ended(), "");
	EXPECT_EQ(tally_get(&d.tally, begun), 0u);
}

TEST_F(Fault, OfAFileThatNobodyOpenedHasItsInode)
{
	uint64_t begin = d.now++;

	fault(78, begin, 0, 4096);
	EXPECT_EQ(ended(), "10 OP_BEGIN h0 4096 @0\n"
			   "10 OP_COMPLETE h0 4096\n");
	EXPECT_EQ(name(0), "inode:[0:1 78]");
	EXPECT_EQ(trace_files(d.trace), 0u);
}

TEST_F(Fault, InsideACallStandsInsideIt)
{
	uint64_t begin = d.now++;

	d.now += 10;
	fault(78, begin + 5, 0, 4096);
	d.now += 10;
	d.pair(10, 10, "read", begin, {0, 0, 100}, 100);
	d.end();
	std::vector<enum io_event_kind> kinds;

	for (const io_event &e : d.events)
		if (e.kind == IO_ENTER || e.kind == IO_LEAVE || e.op.id == 0)
			kinds.push_back(e.kind);
	EXPECT_EQ(kinds, (std::vector<enum io_event_kind>{IO_ENTER, IO_OP_BEGIN, IO_OP_COMPLETE,
							  IO_LEAVE}));
}

TEST_F(Fault, NeverBeginsBeforeWhatItsThreadHasDone)
{
	uint64_t early = d.now++;

	d.call(10, 10, "read", {0, 0, 100}, 100);
	fault(78, early, 0, 4096);
	d.end();
	times_rise();
}

/* So many wait that the first must leave before the call that might have been earlier. */
TEST_F(Fault, NeverBeginsBeforeWhatCouldNotWait)
{
	uint64_t early = d.now++;

	for (uint32_t i = 0; i <= BESIDE_LIMIT / 2; i++)
		fault(78, d.now, 0, 4096);
	fault(78, early, 0, 4096);
	d.end();
	EXPECT_EQ(d.events.size(), 2u * (BESIDE_LIMIT / 2 + 2));
	times_rise();
}

TEST_F(Fault, EndsNoEarlierThanItBeginsWhateverItsThreadHasDone)
{
	d.at(3000);
	d.call(10, 10, "read", {0, 0, 100}, 100);
	d.at(2000);
	fault(78, 1900, 0, 4096);
	d.end();
	ASSERT_GE(d.events.size(), 2u);
	EXPECT_EQ(d.events.end()[-2].kind, IO_OP_BEGIN);
	EXPECT_EQ(d.events.end()[-2].time, 3001u);
	EXPECT_EQ(d.events.end()[-1].kind, IO_OP_COMPLETE);
	EXPECT_EQ(d.events.end()[-1].time, 3001u);
}

class Mapped : public Fault
{
      protected:
	/* The descriptor is closed at once. */
	void map(uint32_t pid, const Made &made, uint64_t address)
	{
		d.pair(pid, pid, "openat", d.now++, {(uint64_t)AT_FDCWD, 0, O_RDWR}, made.fd,
		       {{made}});
		d.call(pid, pid, "mmap", {0, 8192, 3, 1, (uint64_t)made.fd, 0}, (int64_t)address);
		d.call(pid, pid, "close", {(uint64_t)made.fd}, 0);
	}

	void sync(uint32_t pid, uint64_t address)
	{
		d.call(pid, pid, "msync", {address, 4096, 4}, 0);
	}
};

TEST_F(Mapped, AFlushHasTheHandleOfTheMappedFile)
{
	map(10, {3, "/data/a"}, 0x10000);
	sync(10, 0x10000);
	std::string text = ended();

	EXPECT_NE(text.find("OP_BEGIN h1 - @-\n"), std::string::npos) << text;
	EXPECT_EQ(name(1), "/data/a");
}

TEST_F(Mapped, TheHandleStaysWhatItIsAndIsTheProcesss)
{
	d.fact(FACT_TASK, {20, 20, 1, 0, 0}, {"other", "/bin/other"});
	d.call(10, 10, "read", {0, 0, 9}, 9);
	map(20, {3, "/data/a"}, 0x10000);
	sync(20, 0x10000);
	map(20, {3, "/data/b", O_RDWR, 0, 0100644, 3}, 0x20000);
	sync(20, 0x10000);
	/* What process 10 read has no name yet, for which process 20 does not wait. */
	EXPECT_EQ(ended(), "20 CREATE_HANDLE h0 /data/a\n"
			   "20 DESTROY_HANDLE h0 /data/a\n"
			   "20 OP_BEGIN h1 - @-\n"
			   "20 OP_COMPLETE h1 -\n"
			   "20 CREATE_HANDLE h2 /data/b\n"
			   "20 DESTROY_HANDLE h2 /data/b\n"
			   "20 OP_BEGIN h1 - @-\n"
			   "20 OP_COMPLETE h1 -\n"
			   "10 OP_BEGIN h3 9 @-\n"
			   "10 OP_COMPLETE h3 9\n");
	EXPECT_EQ(trace_handle(d.trace, 1)->process, 1u);
	EXPECT_EQ(name(1), "/data/a");
}

TEST_F(Mapped, AFlushOfWhatIsNoFileIsNone)
{
	map(10, {3, ""}, 0x10000);
	sync(10, 0x10000);
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 ?\n"
			   "10 DESTROY_HANDLE h0 ?\n");
	EXPECT_EQ(tally_get(&d.tally, begun), 0u);
}

TEST_F(Mapped, WhatWasFlushedAndUnmappedIsForgotten)
{
	for (int i = 0; i < 10; i++) {
		map(10, {3, "/data/a"}, 0x10000);
		sync(10, 0x10000);
		d.call(10, 10, "munmap", {0x10000, 8192}, 0);
	}
	EXPECT_EQ(d.model->opens.count - d.model->opens.free_count, 2u)
		<< "that of the mapped file, and what 3 was last";
	d.end();
}

} /* namespace */
