/*
 * Pauses: what begins while the recording is paused is left out, and all that is later has its name.
 */
#include "model_driver.h"

#include <iotrace/pause.h>

#include <gtest/gtest.h>

namespace
{

class Pause : public ::testing::Test
{
      protected:
	ModelDriver d;

	void set(bool is_paused)
	{
		d.fact(FACT_PAUSE, {is_paused}, {});
	}

	void read(uint64_t fd, uint64_t bytes)
	{
		d.enter(7, 7, "read", {fd, 0, bytes});
		d.leave(7, 7, "read", int64_t(bytes));
	}
};

TEST_F(Pause, WhatBeginsInItIsLeftOut)
{
	d.start_fd(7, 3, "/data");
	read(3, 10);
	set(true);
	read(3, 20);
	set(false);
	read(3, 30);
	d.end();
	EXPECT_EQ(d.text(false),
		  "7 ENTER read\n7 OP_BEGIN h0 10 @-\n7 OP_COMPLETE h0 10\n7 LEAVE read\n"
		  "7 ENTER read\n7 OP_BEGIN h0 30 @-\n7 OP_COMPLETE h0 30\n7 LEAVE read\n");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Pause, ACallThatLastsLongerThanItGoesWithItsBegin)
{
	d.start_fd(7, 3, "/data");
	set(true);
	d.enter(7, 7, "read", {3, 0, 10});
	set(false);
	d.leave(7, 7, "read", 10);
	d.enter(7, 7, "read", {3, 0, 20});
	set(true);
	d.leave(7, 7, "read", 20);
	d.end();
	EXPECT_EQ(d.text(false),
		  "7 ENTER read\n7 OP_BEGIN h0 20 @-\n7 OP_COMPLETE h0 20\n7 LEAVE read\n");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Pause, AFileThatIsOpenedInItHasItsHandleLater)
{
	read(0, 1);
	set(true);
	d.enter(7, 7, "openat", {0, 0, 0}, {"/data"});
	d.leave(7, 7, "openat", 3);
	read(3, 20);
	set(false);
	read(3, 30);
	d.end();
	const std::string text = d.text(false);

	EXPECT_NE(text.find("7 CREATE_HANDLE"), std::string::npos) << text;
	EXPECT_EQ(text.find("openat"), std::string::npos) << text;
	EXPECT_EQ(text.find(" 20"), std::string::npos) << text;
	EXPECT_NE(text.find(" 30"), std::string::npos) << text;
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Pause, TheTimeIsWhatWasRecorded)
{
	struct trace trace;

	trace_init(&trace);
	trace.host.first_time = 100;
	trace.host.last_time = 200;
	EXPECT_EQ(trace_recorded(&trace), 100u);
	EXPECT_FALSE(trace_is_paused(&trace, 150));
	trace_set_paused(&trace, 50, true);
	trace_set_paused(&trace, 60, true);
	trace_set_paused(&trace, 110, false);
	trace_set_paused(&trace, 120, false);
	trace_set_paused(&trace, 150, true);
	ASSERT_EQ(trace_pauses(&trace), 2u);
	EXPECT_FALSE(trace_is_paused(&trace, 49));
	EXPECT_TRUE(trace_is_paused(&trace, 50));
	EXPECT_TRUE(trace_is_paused(&trace, 109));
	EXPECT_FALSE(trace_is_paused(&trace, 110));
	EXPECT_FALSE(trace_is_paused(&trace, 149));
	EXPECT_TRUE(trace_is_paused(&trace, 150));
	EXPECT_TRUE(trace_is_paused(&trace, UINT64_MAX - 1));
	EXPECT_EQ(trace_paused(&trace, 105, 160), 5u + 10u);
	EXPECT_EQ(trace_recorded(&trace), 100u - 10u - 50u);
	trace_release(&trace);
}

TEST_F(Pause, AMarkIsAnEventOfNoLocation)
{
	set(true);
	d.fact(FACT_MARK, {42}, {"now"});
	d.end();
	ASSERT_EQ(d.events.size(), 1u);
	EXPECT_EQ(d.events[0].kind, IO_MARK);
	EXPECT_EQ(d.events[0].mark.pid, 42u);
	EXPECT_STREQ(trace_text(d.trace, d.events[0].mark.text), "now");
}

} // namespace
