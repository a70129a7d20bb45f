/*
 * Events of perf record that tell the same, and those of which it took only samples.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <iotrace/list.h>
#include <memory>
#include <sys/syscall.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

class Overlap : public ::testing::Test
{
      protected:
	/* Whether the sample of a read or a write becomes an event. */
	bool is_read(uint32_t event, uint64_t number = SYS_read)
	{
		Raw raw = Raw(128).put(8, 8, number);
		sample s = raw.sample(event);

		return decode_sample(d.get(), &s, false, &e) == 1;
	}

	void open()
	{
		d.reset(c.open());
		ASSERT_NE(d, nullptr);
	}

	Capture c;
	Decoder d{nullptr, decode_free};
	event e;
};

TEST_F(Overlap, OfTwoEqualEventsTheFirstIsRead)
{
	uint32_t first = c.add_saved("raw_syscalls", "sys_exit");
	uint32_t second = c.add_saved("raw_syscalls", "sys_exit");
	uint32_t issue = c.add_saved("block", "block_rq_issue");
	uint32_t again = c.add_saved("block", "block_rq_issue");

	open();
	EXPECT_TRUE(is_read(first));
	EXPECT_FALSE(is_read(second));
	EXPECT_TRUE(is_read(issue));
	EXPECT_FALSE(is_read(again));
	EXPECT_EQ(c.count(TALLY_ignored), 2u);
	EXPECT_EQ(c.count(TALLY_malformed), 0u);
	EXPECT_EQ(warnings(d.get())[0],
		  "The capture has 2 of its events twice. The second one of each is not read.");
}

TEST_F(Overlap, OfACallItsOwnTracepointIsRead)
{
	uint32_t all = c.add_saved("raw_syscalls", "sys_enter");
	uint32_t own = c.add_saved("syscalls", "sys_enter_read");
	uint32_t ends = c.add_saved("raw_syscalls", "sys_exit");

	open();
	EXPECT_TRUE(is_read(own));
	EXPECT_FALSE(is_read(all));
	EXPECT_TRUE(is_read(all, SYS_write)) << "it has none of its own";
	EXPECT_TRUE(is_read(ends)) << "its end has none of its own";
	EXPECT_EQ(
		warnings(d.get())[0],
		"The capture has system calls twice, by raw_syscalls and by syscalls. Each of them "
		"is read once.");
}

TEST_F(Overlap, AWantedEventIsReadOnce)
{
	uint32_t first = c.add_saved("block", "block_rq_issue");
	uint32_t second = c.add_saved("block", "block_rq_issue");
	struct text_list list {
	};

	open();
	text_list_add(&list, "block:block_rq_issue");
	decode_want(d.get(), &list);
	Raw raw(128);
	sample one = raw.sample(first), two = raw.sample(second);

	EXPECT_TRUE(decode_wanted(d.get(), &one, &e));
	EXPECT_FALSE(decode_wanted(d.get(), &two, &e));
	text_list_release(&list);
}

/* It has one event for calls that may be operations, and one for others. */
TEST_F(Overlap, IotraceItselfHasNone)
{
	uint32_t first = c.add_saved("raw_syscalls", "sys_exit");
	uint32_t second = c.add_saved("raw_syscalls", "sys_exit");

	c.add_facts();
	open();
	EXPECT_TRUE(is_read(first));
	EXPECT_TRUE(is_read(second));
}

TEST_F(Overlap, EventsOfWhichOnlySomeWereTakenAreCounted)
{
	c.events[c.add_saved("raw_syscalls", "sys_enter")].attr.freq = 1;
	c.events[c.add_saved("raw_syscalls", "sys_exit")].attr.sample_period = 100;
	c.events[c.add_saved("block", "block_rq_issue")].attr.sample_period = 0;
	c.add_saved("block", "block_rq_complete");
	c.events[c.add_event("cycles", PERF_TYPE_HARDWARE, 0)].attr.freq = 1;
	open();
	EXPECT_EQ(c.count(TALLY_sampled), 3u);
}

} /* namespace */
