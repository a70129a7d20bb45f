/*
 * Spans in the archive: which location, operations or regions, and what becomes of them when threads and processes end.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <algorithm>

namespace
{

class ModelSpan : public ::testing::Test
{
      protected:
	ModelDriver d;
	uint32_t lock, work; /* an operation, and a region */

	void SetUp() override
	{
		lock = model_add_span(d.model, "lock", "lock: a:b -> a:c by at", false);
		work = model_add_span(d.model, "work", "work: a:d -> a:e by tid", true);
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void begin(uint32_t slot, uint32_t span, uint32_t pid = 10, uint32_t tid = 10)
	{
		struct model_span s = {};

		s.slot = slot;
		s.span = span;
		s.pid = pid;
		s.tid = tid;
		s.time = s.what.begun = d.now++;
		s.what.keys = 1;
		s.what.key[0] = 100 + slot;
		s.what.group = model_span_text(d.model, "red", 3);
		model_span_begin(d.model, &s);
	}

	void end(uint32_t slot, uint64_t bytes = 0)
	{
		struct model_span s = {};

		s.slot = slot;
		s.time = d.now++;
		s.bytes = bytes;
		model_span_end(d.model, &s);
	}

	void cut(uint32_t slot, enum io_end why)
	{
		struct model_span s = {};

		s.slot = slot;
		s.time = d.now++;
		model_span_cut(d.model, &s, why);
	}

	/* All lines of a thread, in their order. */
	std::vector<std::string> lines(uint32_t tid = 10)
	{
		std::vector<std::string> list;
		std::string head = std::to_string(tid) + " ";

		d.end();
		for (const io_event &e : d.events)
			if (d.line(e).rfind(head, 0) == 0)
				list.push_back(d.line(e).substr(head.size()));
		return list;
	}
};

using Lines = std::vector<std::string>;

TEST_F(ModelSpan, AnOperationHasAHandleOfItsProcessAndName)
{
	begin(0, lock);
	begin(1, lock, 10, 11);
	end(1, 4096);
	end(0);
	EXPECT_EQ(lines(), (Lines{"OP_BEGIN h0 - @-", "OP_ISSUED h0", "OP_COMPLETE h0 -"}));
	EXPECT_EQ(trace_handles(d.trace), 1u) << "one for both threads";
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_span);
	EXPECT_TRUE(trace_handle(d.trace, 0)->is_pre_created);
	EXPECT_EQ(d.path(0), "lock");
	EXPECT_EQ(d.tally.n[TALLY_begun], 2u);
	EXPECT_EQ(d.tally.n[TALLY_completed], 2u);
}

TEST_F(ModelSpan, OperationsOverlapInAnyOrder)
{
	begin(0, lock);
	begin(1, lock);
	end(0);
	cut(1, IO_END_ABORTED);
	EXPECT_EQ(lines(), (Lines{"OP_BEGIN h0 - @-", "OP_ISSUED h0", "OP_BEGIN h0 - @-",
				  "OP_ISSUED h0", "OP_COMPLETE h0 -", "OP_CANCELLED h0"}));
	EXPECT_EQ(d.tally.n[TALLY_aborted], 1u);
}

TEST_F(ModelSpan, ARegionStandsAroundTheCallsThatItHas)
{
	begin(0, work);
	d.call(10, 10, "lseek", {3, 0, 0}, 0);
	end(0);
	Lines all = lines();

	EXPECT_EQ(all.front(), "ENTER work");
	EXPECT_EQ(all.back(), "LEAVE work");
	EXPECT_EQ(std::count(all.begin(), all.end(), "LEAVE lseek"), 1);
	EXPECT_EQ(trace_handles(d.trace), 1u) << "that of lseek";
}

/* A call that the kernel paired comes behind all that was in it. */
TEST_F(ModelSpan, ARegionStandsWithinTheCallThatItIsIn)
{
	uint64_t began = d.now++;

	begin(0, work);
	end(0);
	d.pair(10, 10, "fsync", began, {3}, 0);
	Lines regions;

	for (const std::string &line : lines())
		if (line.rfind("OP_", 0) != 0)
			regions.push_back(line);
	EXPECT_EQ(regions, (Lines{"ENTER fsync", "ENTER work", "LEAVE work", "LEAVE fsync"}));
}

TEST_F(ModelSpan, AnEndThatWasMissedEndsWithTheRegionAroundIt)
{
	uint32_t inner = model_add_span(d.model, "inner", "inner: a:f -> a:g by tid", true);

	begin(0, work);
	begin(1, inner);
	end(0);
	end(1);
	EXPECT_EQ(lines(), (Lines{"ENTER work", "ENTER inner", "LEAVE inner", "LEAVE work"}));
	EXPECT_TRUE(d.events[2].region.is_cut);
	EXPECT_EQ(d.events[2].region.end, IO_END_LOST);
	EXPECT_FALSE(d.events[3].region.is_cut);
}

TEST_F(ModelSpan, ALossEndsRegions)
{
	begin(0, work);
	d.lost(3);
	end(0);
	EXPECT_EQ(lines(), (Lines{"ENTER work", "LEAVE work"}));
	EXPECT_TRUE(d.events.back().region.is_cut);
}

TEST_F(ModelSpan, TheLocationOfAThreadLivesAsLongAsItsOperations)
{
	d.fork(10, 10, 10, 12);
	begin(0, lock, 10, 12);
	d.exit(10, 12);
	end(0);
	EXPECT_EQ(lines(12), (Lines{"THREAD_BEGIN", "OP_BEGIN h0 - @-", "OP_ISSUED h0",
				    "OP_COMPLETE h0 -", "THREAD_END"}));
}

TEST_F(ModelSpan, TheEndOfAProcessCancelsItsSpans)
{
	d.fork(10, 10, 20, 20);
	begin(0, lock, 20, 20);
	begin(1, work, 20, 20);
	d.exit(20, 20);
	end(0);
	end(1);
	EXPECT_EQ(lines(20), (Lines{"PROGRAM_BEGIN", "OP_BEGIN h0 - @-", "OP_ISSUED h0",
				    "ENTER work", "LEAVE work", "OP_CANCELLED h0", "PROGRAM_END"}));
	EXPECT_EQ(d.tally.n[TALLY_cancelled], 1u);
}

TEST_F(ModelSpan, AThreadThatNobodyKnowsHasNone)
{
	begin(0, lock, 0, 4711);
	end(0);
	EXPECT_TRUE(lines(4711).empty());
	EXPECT_EQ(d.tally.n[TALLY_spans_unplaced], 1u);
}

/* As those of iotrace itself. */
TEST_F(ModelSpan, AThreadThatIsNotRecordedHasNone)
{
	for (uint32_t tid : {4711, 4712})
		d.fact(FACT_TASK, {tid, 4711, 1, 0, 0, 1}, {"recorder"});
	begin(0, lock, 0, 4712);
	end(0);
	EXPECT_TRUE(lines(4712).empty());
	EXPECT_EQ(d.tally.n[TALLY_spans_unplaced], 0u);
}

TEST_F(ModelSpan, APauseHasNoSpansThatBeginInIt)
{
	begin(0, work);
	d.fact(FACT_PAUSE, {1});
	begin(1, lock);
	end(0);
	d.fact(FACT_PAUSE, {0});
	end(1);
	begin(2, work);
	end(2);
	EXPECT_EQ(lines(), (Lines{"ENTER work", "LEAVE work", "ENTER work", "LEAVE work"}));
}

} // namespace
