/*
 * Page faults that read from mapped files.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

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
	void fault(uint64_t ino, uint64_t begin, uint64_t offset, uint64_t bytes, uint32_t tid = 10)
	{
		struct event e = d.base(EVENT_FAULT, 10, tid);

		e.fault.begin = begin;
		e.fault.dev = DEV;
		e.fault.ino = ino;
		e.fault.offset = offset;
		e.fault.bytes = bytes;
		model_event(d.model, &e);
	}

	std::string name(handle_id handle)
	{
		return model_text(d.model, model_handle(d.model, handle)->name);
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
	EXPECT_TRUE(model_handle(d.model, 1)->is_pre_created);
	EXPECT_EQ(name(1), "/data/a");
}

TEST_F(Fault, OfAFileThatNobodyOpenedHasItsInode)
{
	uint64_t begin = d.now++;

	fault(78, begin, 0, 4096);
	EXPECT_EQ(ended(), "10 OP_BEGIN h0 4096 @0\n"
			   "10 OP_COMPLETE h0 4096\n");
	EXPECT_EQ(name(0), "inode:[0:1 78]");
	EXPECT_EQ(model_files(d.model), 0u);
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
	uint64_t last = 0;

	for (const io_event &e : d.events) {
		if (e.thread != 0)
			continue;
		EXPECT_GE(e.time, last);
		last = e.time;
	}
}

TEST_F(Fault, AFlushOfWhatIsMappedHasItsHandle)
{
	d.pair(10, 10, "openat", d.now++, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3, {{{3, "/data/a"}}});
	d.call(10, 10, "mmap", {0, 8192, 3, 1, 3, 0}, 0x10000);
	d.call(10, 10, "close", {3}, 0);
	d.call(10, 10, "msync", {0x10000, 4096, 4}, 0);
	std::string text = ended();

	EXPECT_NE(text.find("OP_BEGIN h1 - @-\n"), std::string::npos) << text;
	EXPECT_EQ(name(1), "/data/a");
}

} /* namespace */
