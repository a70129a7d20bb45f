/*
 * Frames: what the spans of an interval did, against what a person would calculate.
 */
#include "span_driver.h"

#include <algorithm>
#include <random>
#include <sys/syscall.h>

namespace
{

const char *const enter = "raw_syscalls:sys_enter", *const leave = "raw_syscalls:sys_exit";

class Frame : public ::testing::Test
{
      protected:
	std::unique_ptr<SpanDriver> driver;
	struct frames *frames = nullptr;

	void open(const std::string &span = "syscall", uint64_t hang = 0, uint64_t start = 1000)
	{
		driver = std::make_unique<SpanDriver>(std::vector<std::string>{span});
		frames = driver->frames = frames_new(hang);
		frames_start(frames, start);
		if (span != "syscall")
			return;
		driver->define(enter, {"id"});
		driver->define(leave, {"id", "ret"});
	}
	void TearDown() override
	{
		driver = nullptr;
		frames_free(frames);
	}
	void begins(uint64_t time, long call, uint32_t tid)
	{
		driver->happens(time, enter, {static_cast<uint64_t>(call)}, 7, tid);
	}
	void ends(uint64_t time, long call, long result, uint32_t tid)
	{
		driver->happens(time, leave,
				{static_cast<uint64_t>(call), static_cast<uint64_t>(result)}, 7,
				tid);
	}
	const struct frame &cut(uint64_t to)
	{
		frames_cut(frames, to);
		span_engine_look(driver->engine, to, frames_open, frames);
		return *frames_get(frames);
	}
	static const struct frame_row &row(const struct frame &frame, uint64_t group)
	{
		for (uint32_t i = 0; i < frame.rows; i++)
			if (frame.row[i]->group == group)
				return *frame.row[i];
		ADD_FAILURE() << "no row " << group;
		return *frame.total;
	}
};

TEST_F(Frame, RowsHaveWhatEndedInTheInterval)
{
	open();
	begins(1100, SYS_read, 1);
	ends(1200, SYS_read, 50, 1);
	begins(1300, SYS_write, 1);
	ends(1450, SYS_write, 30, 1);
	begins(1500, SYS_read, 1);
	ends(1600, SYS_read, -5, 1);
	const struct frame &frame = cut(2000);
	ASSERT_EQ(frame.rows, 2U);
	const struct frame_row &reads = row(frame, SYS_read);
	EXPECT_EQ(reads.now.ops, 2U);
	EXPECT_EQ(reads.now.read, 50U);
	EXPECT_EQ(reads.now.written, 0U);
	EXPECT_EQ(reads.now.errors, 1U);
	EXPECT_EQ(reads.histogram.sum, 200U);
	EXPECT_EQ(reads.histogram.max, 100U);
	EXPECT_EQ(reads.busy, 200U);
	EXPECT_EQ(reads.in_flight, 0U);
	EXPECT_EQ(reads.oldest, 0U);
	EXPECT_EQ(row(frame, SYS_write).now.written, 30U);
	EXPECT_EQ(frame.total->now.ops, 3U);
	EXPECT_EQ(frame.total->now.read, 50U);
	EXPECT_EQ(frame.total->busy, 350U);
}

/* Requests of io_uring: their bytes, and no operation. Their row is not below those of all others, which a table may leave out. */
TEST_F(Frame, WhatOnlyMovedBytesIsShownFirst)
{
	open();
	begins(1100, SYS_read, 1);
	ends(1200, SYS_read, 50, 1);
	begins(1300, 426, 2);
	ends(1310, 426, 1, 2);
	const span_moved of_file = {0, SYS_close, 1400, 4096, 0};
	const span_moved of_call = {0, 426, 1400, 0, 100};
	frames_moved(frames, &of_file);
	frames_moved(frames, &of_call);
	const struct frame &frame = cut(2000);
	ASSERT_EQ(frame.rows, 3U);
	EXPECT_EQ(frame.row[0]->group, static_cast<uint64_t>(SYS_close));
	EXPECT_EQ(frame.row[1]->group, static_cast<uint64_t>(SYS_read));
	EXPECT_EQ(frame.row[0]->now.ops, 0U);
	EXPECT_EQ(frame.row[0]->now.read, 4096U);
	EXPECT_EQ(row(frame, 426).total.written, 100U);
	EXPECT_EQ(frame.total->now.ops, 2U);
	EXPECT_EQ(frame.total->now.read, 4146U);
	EXPECT_EQ(frame.total->now.written, 100U);
}

TEST_F(Frame, BusyIsTheUnion)
{
	open();
	begins(1100, SYS_read, 1);
	begins(1150, SYS_read, 2);
	begins(1190, SYS_write, 3);
	ends(1200, SYS_read, 1, 1);
	ends(1400, SYS_read, 1, 2);
	ends(1500, SYS_write, 1, 3);
	const struct frame &frame = cut(2000);
	EXPECT_EQ(row(frame, SYS_read).busy, 300U);
	EXPECT_EQ(row(frame, SYS_write).busy, 310U);
	EXPECT_EQ(frame.total->busy, 400U);
}

TEST_F(Frame, WhatIsInFlightCounts)
{
	open();
	begins(1400, SYS_read, 1);
	begins(1700, SYS_read, 2);
	const struct frame &first = cut(2000);
	EXPECT_EQ(row(first, SYS_read).in_flight, 2U);
	EXPECT_EQ(row(first, SYS_read).oldest, 1400U);
	EXPECT_EQ(row(first, SYS_read).busy, 600U);
	EXPECT_EQ(row(first, SYS_read).now.ops, 0U);
	EXPECT_EQ(first.total->in_flight, 2U);
	frames_next(frames);
	ends(2300, SYS_read, 9, 2);
	const struct frame &second = cut(3000);
	EXPECT_EQ(second.from, 2000U);
	EXPECT_EQ(row(second, SYS_read).busy, 1000U);
	EXPECT_EQ(row(second, SYS_read).in_flight, 1U);
	EXPECT_EQ(row(second, SYS_read).now.ops, 1U);
	EXPECT_EQ(row(second, SYS_read).histogram.max, 600U);
	frames_next(frames);
	ends(3200, SYS_read, 9, 1);
	const struct frame &third = cut(4000);
	EXPECT_EQ(row(third, SYS_read).busy, 200U);
	EXPECT_EQ(row(third, SYS_read).oldest, 0U);
	EXPECT_EQ(row(third, SYS_read).total.ops, 2U);
	EXPECT_EQ(row(third, SYS_read).total.read, 18U);
}

TEST_F(Frame, WhoDiedIsNotInFlight)
{
	open();
	begins(1400, SYS_read, 7);
	driver->exits(1500, 7, 9);
	const struct frame &frame = cut(2000);
	EXPECT_EQ(row(frame, SYS_read).in_flight, 0U);
	EXPECT_EQ(row(frame, SYS_read).busy, 100U);
	frames_next(frames);
	begins(2100, SYS_read, 7); /* another thread with its number */
	ends(2200, SYS_read, 1, 7);
	EXPECT_EQ(row(cut(3000), SYS_read).busy, 100U);
	EXPECT_EQ(frames_get(frames)->total->busy, 100U);
}

TEST_F(Frame, LateBeginsDoNotCountForTheIntervalBefore)
{
	open();
	cut(2000);
	frames_next(frames);
	begins(1900, SYS_read, 1);
	ends(2100, SYS_read, 1, 1);
	const struct frame &frame = cut(3000);
	EXPECT_EQ(row(frame, SYS_read).busy, 100U);
	EXPECT_EQ(row(frame, SYS_read).histogram.max, 200U);
}

TEST_F(Frame, LongOnesHang)
{
	open("syscall", 500);
	begins(1400, SYS_read, 1);
	begins(1500, SYS_write, 2);
	begins(1501, SYS_write, 3);
	const struct frame &frame = cut(2000);
	EXPECT_TRUE(row(frame, SYS_read).is_hung);
	EXPECT_FALSE(row(frame, SYS_write).is_hung);
	EXPECT_TRUE(frame.total->is_hung);
	ASSERT_EQ(frame.hangs, 1U);
	EXPECT_EQ(frame.hang[0].tid, 1U);
	frames_next(frames);
	ends(2100, SYS_read, 1, 1);
	const struct frame &next = cut(3000);
	EXPECT_FALSE(row(next, SYS_read).is_hung);
	ASSERT_EQ(next.hangs, 2U);
	EXPECT_EQ(next.hang[0].tid, 2U);
	EXPECT_EQ(next.row[0]->group, static_cast<uint64_t>(SYS_write)) << "a hang is first";
}

TEST_F(Frame, FuseMovesWhatItsHeadersLeave)
{
	open("fuse");
	driver->define("fuse:fuse_request_send", {"connection", "unique", "opcode", "len"});
	driver->define("fuse:fuse_request_end", {"connection", "unique", "len", "error"});
	driver->happens(1100, "fuse:fuse_request_send", {4, 1, 15, 80});
	driver->happens(1200, "fuse:fuse_request_end", {4, 1, 16 + 4096, 0}, 9, 9);
	driver->happens(1300, "fuse:fuse_request_send", {4, 2, 16, 80 + 100});
	driver->happens(1400, "fuse:fuse_request_end", {4, 2, 24, 0}, 9, 9);
	driver->happens(1500, "fuse:fuse_request_send", {4, 3, 3, 56});
	driver->happens(1600, "fuse:fuse_request_end", {4, 3, 16, static_cast<uint64_t>(-2)}, 9, 9);
	const struct frame &frame = cut(2000);
	EXPECT_EQ(row(frame, 15).now.read, 4096U);
	EXPECT_EQ(row(frame, 15).now.written, 0U);
	EXPECT_EQ(row(frame, 16).now.written, 100U);
	EXPECT_EQ(row(frame, 16).now.read, 0U);
	EXPECT_EQ(row(frame, 3).now.errors, 1U);
	EXPECT_EQ(row(frame, 3).now.read + row(frame, 3).now.written, 0U);
}

/* Random spans against a line of time on which each nanosecond is busy or is not. */
TEST_F(Frame, RandomSpansAddUp)
{
	std::mt19937 random(11);

	for (int round = 0; round < 50; round++) {
		struct Event {
			uint64_t time;
			bool begins;
			long call;
			uint32_t tid;
		};
		std::vector<Event> events;
		std::map<long, std::vector<bool>> busy;
		uint64_t at[6] = {};

		open();
		for (int i = 0; i < 100; i++) {
			uint32_t tid = random() % 6;
			long call = random() % 3;
			uint64_t from = std::max<uint64_t>(at[tid], random() % 4000) + 1;
			uint64_t to = from + random() % 300;

			if (to >= 5000)
				continue;
			at[tid] = to;
			events.push_back({1000 + from, true, call, tid + 1});
			events.push_back({1000 + to, false, call, tid + 1});
			busy[call].resize(6000);
			for (uint64_t t = from; t < to; t++)
				busy[call][t] = true;
		}
		std::stable_sort(events.begin(), events.end(),
				 [](const Event &a, const Event &b) { return a.time < b.time; });
		std::map<long, uint64_t> sum, expected;
		uint64_t boundary = 1500;
		for (const Event &event : events) {
			for (; event.time >= boundary; boundary += 500) {
				const struct frame &frame = cut(boundary);

				for (uint32_t i = 0; i < frame.rows; i++)
					sum[static_cast<long>(frame.row[i]->group)] +=
						frame.row[i]->busy;
				frames_next(frames);
			}
			if (event.begins)
				begins(event.time, event.call, event.tid);
			else
				ends(event.time, event.call, 1, event.tid);
		}
		const struct frame &frame = cut(boundary);
		for (uint32_t i = 0; i < frame.rows; i++)
			sum[static_cast<long>(frame.row[i]->group)] += frame.row[i]->busy;
		for (const auto &one : busy)
			expected[one.first] = static_cast<uint64_t>(
				std::count(one.second.begin(), one.second.end(), true));
		EXPECT_EQ(sum, expected);
		EXPECT_EQ(frame.total->total.ops, events.size() / 2);
		driver = nullptr;
		frames_free(frames);
		frames = nullptr;
	}
}

/* The kernel's numbers are read after the moment of the frame: what was added since belongs to the next one. */
TEST_F(Frame, NobodyIsBusierThanTheInterval)
{
	open();
	const auto counted = [this](bool is_total, uint64_t busy) {
		const struct frame_flight flight = {4, false, is_total, busy, 0, 0, 0};
		frames_count_flight(frames, &flight);
	};
	counted(false, 1000);
	counted(true, 1000);
	EXPECT_EQ(row(cut(2000), 4).busy, 1000U);
	frames_next(frames);
	counted(false, 1000 + 1250);
	counted(true, 1000 + 1300);
	EXPECT_EQ(row(cut(3000), 4).busy, 1000U);
	EXPECT_EQ(cut(3000).total->busy, 1000U);
	frames_next(frames);
	counted(false, 1000 + 1250 + 100);
	counted(true, 1000 + 1300 + 100);
	EXPECT_EQ(row(cut(4000), 4).busy, 350U);
	EXPECT_EQ(cut(4000).total->busy, 400U);
}

/* The kernel's numbers of a process may be read before it is known that it began, and its number is not that of another one. */
TEST_F(Frame, AnotherProcessWithTheNumberBeginsAtZero)
{
	uint64_t written = 0;
	const auto total = [&](uint64_t more, uint64_t to) {
		const struct frame_flight flight = {4, false, false, 0, 0, written += more, 0};
		frames_count_flight(frames, &flight);
		const uint64_t sum = row(cut(to), 4).total.written;
		frames_next(frames);
		return sum;
	};
	open();
	frames_renew(frames, 4, 500);
	EXPECT_EQ(total(100, 2000), 100U) << "its own begin";
	frames_renew(frames, 4, 1500);
	EXPECT_EQ(total(20, 3000), 120U) << "its own begin, known later";
	EXPECT_EQ(total(0, 4000), 120U) << "it has ended, and its row stays";
	EXPECT_EQ(total(7, 5000), 127U) << "not known yet";
	EXPECT_EQ(total(1, 6000), 128U);
	frames_renew(frames, 4, 4500);
	EXPECT_EQ(total(2, 7000), 10U);
	frames_renew(frames, 4, 7500);
	EXPECT_EQ(total(5, 8000), 5U) << "known before";
	EXPECT_EQ(total(5, 9000), 10U);
}

TEST_F(Frame, TotalIsBusyWhileAGroupIs)
{
	open();
	const auto counted = [this](bool is_total, uint64_t busy) {
		const struct frame_flight flight = {4, false, is_total, busy, 0, 0, 0};
		frames_count_flight(frames, &flight);
	};
	// The kernel counts on between the two readings.
	counted(true, 700);
	counted(false, 720);
	EXPECT_EQ(cut(2000).total->busy, 720U);
	EXPECT_EQ(row(cut(2000), 4).busy, 720U);
	frames_next(frames);
	counted(true, 1000);
	counted(false, 900);
	EXPECT_EQ(cut(3000).total->busy, 280U) << "nothing is counted twice";
	frames_next(frames);
	counted(false, 1300);
	counted(true, 1500);
	EXPECT_EQ(cut(4000).total->busy, 500U);
	frames_next(frames);
	counted(true, 1600);
	EXPECT_EQ(cut(5000).total->busy, 100U);
}

} // namespace
