/*
 * A frame as a table, as JSON and as CSV: the same numbers, and no line that a terminal would break.
 */
#include "span_driver.h"

#include <iotrace/frame_line.h>
#include <iotrace/frame_report.h>
#include <sstream>
#include <sys/syscall.h>

namespace
{

class FrameTell : public ::testing::Test
{
      protected:
	SpanDriver driver{{"syscall"}};
	struct frames *frames = frames_new(600000000);
	struct frame_report report = {};

	void SetUp() override
	{
		const uint64_t s = 1000000000;

		driver.frames = frames;
		frames_start(frames, s);
		driver.define("raw_syscalls:sys_enter", {"id"});
		driver.define("raw_syscalls:sys_exit", {"id", "ret"});
		for (uint64_t i = 0; i < 100; i++) {
			call(s + i * 1000000, i % 2 ? SYS_read : SYS_write, 4096, 1);
		}
		driver.happens(s + 200000000, "raw_syscalls:sys_enter", {SYS_fsync}, 8, 8);
		frames_cut(frames, 2 * s);
		span_engine_look(driver.engine, 2 * s, frames_open, frames);
		report.engine = driver.engine;
		report.frame = frames_get(frames);
		report.view = report.title = "op";
		report.has_heading = true;
		report.top = 20;
	}
	void TearDown() override
	{
		frames_free(frames);
	}
	void call(uint64_t time, uint64_t number, uint64_t result, uint32_t tid)
	{
		driver.happens(time, "raw_syscalls:sys_enter", {number}, tid, tid);
		driver.happens(time + 2000, "raw_syscalls:sys_exit", {number, result}, tid, tid);
	}
	template <typename Call> std::string text(Call how)
	{
		char *text = nullptr;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		how(&report, out);
		fclose(out);
		std::string all(text, size);
		free(text);
		return all;
	}
};

TEST_F(FrameTell, ATableOfEighty)
{
	report.columns = 80;
	EXPECT_EQ(
		text(frame_text),
		"\n"
		" op               inflt      op/s   read/s written/s  svctm/us      p99   %util\n"
		" ! fsync(74)          1      0.00        -         -      0.00        -  80.00%\n"
		" read(0)              0     50.00  200 KiB         -      2.00  2.00 us   0.01%\n"
		" write(1)             0     50.00        -   200 KiB      2.00  2.00 us   0.01%\n"
		" ! TOTAL              1    100.00  200 KiB   200 KiB      2.00  2.00 us  80.02%\n");
}

/* A row that does nothing any more is still in the table. */
TEST_F(FrameTell, Totals)
{
	const uint64_t s = 1000000000;

	frames_next(frames);
	call(2 * s + 1000, SYS_write, 4096, 1);
	frames_cut(frames, 3 * s);
	report.frame = frames_get(frames);
	report.columns = 80;
	report.has_totals = true;
	EXPECT_EQ(
		text(frame_text),
		"\n"
		" op               inflt       ops     read   written  svctm/us      p99   %util\n"
		" write(1)             0        51        -   204 KiB      2.00  2.00 us   0.00%\n"
		" fsync(74)            0         0        -         -      0.00        - 100.00%\n"
		" read(0)              0        50  200 KiB         -      0.00        -   0.00%\n"
		" TOTAL                0       101  200 KiB   204 KiB      2.00  2.00 us 100.00%\n");
}

TEST_F(FrameTell, NoLineIsBroken)
{
	for (report.columns = 40; report.columns < 200; report.columns++) {
		std::istringstream lines(text(frame_text));
		std::string line;

		while (std::getline(lines, line))
			EXPECT_LE(line.size(), report.columns) << line;
	}
}

TEST_F(FrameTell, Json)
{
	std::string line = text(frame_json);

	EXPECT_EQ(line.find('\n'), line.size() - 1);
	EXPECT_NE(line.find("\"view\":\"op\""), std::string::npos) << line;
	EXPECT_NE(line.find("\"name\":\"fsync(74)\",\"inflight\":1,\"ops_total\":0,"),
		  std::string::npos)
		<< line;
	EXPECT_NE(
		line.find(
			"\"util_percent\":80.000,\"errors_per_s\":0.000,\"oldest_s\":0.800,\"hang\":true"),
		std::string::npos)
		<< line;
	EXPECT_NE(
		line.find(
			"\"name\":\"read(0)\",\"inflight\":0,\"ops_total\":50,\"read_bytes_total\":204800,"),
		std::string::npos)
		<< line;
	EXPECT_NE(line.find("\"total\":{\"name\":\"TOTAL\""), std::string::npos) << line;
}

/* It is written by hand, so it is compared as a whole. */
TEST_F(FrameTell, EachNumberOfTheJson)
{
	const std::string
		begin = "{\"time_ns\":2000000000,\"interval_s\":1.000,\"view\":\"op\",\"rows\":[{",
		total = "{\"name\":\"TOTAL\",\"inflight\":1,\"ops_total\":100,"
			"\"read_bytes_total\":204800,\"written_bytes_total\":204800,"
			"\"errors_total\":0,\"ops_per_s\":100.000,"
			"\"read_bytes_per_s\":204800.000,\"written_bytes_per_s\":204800.000,"
			"\"svctm_us\":2.000,\"p50_us\":2.000,\"p99_us\":2.000,"
			"\"max_us\":2.000,\"util_percent\":80.020,\"errors_per_s\":0.000,"
			"\"oldest_s\":0.800,\"hang\":true}";
	std::string line = text(frame_json);

	EXPECT_EQ(line.substr(0, begin.size()), begin);
	EXPECT_NE(line.find("],\"total\":" + total + ",\"hangs\":[]}\n"), std::string::npos)
		<< line;
	report.has_no_total = true;
	report.view = "a \"view\"\a";
	line = text(frame_json);
	EXPECT_EQ(line.find("total\":{"), std::string::npos) << line;
	EXPECT_NE(line.find("\"view\":\"a \\\"view\\\"\\u0007\""), std::string::npos) << line;
}

TEST_F(FrameTell, Csv)
{
	EXPECT_EQ(
		text(frame_csv),
		"time_ns,interval_s,view,name,inflight,ops_total,read_bytes_total,written_bytes_total,"
		"errors_total,ops_per_s,read_bytes_per_s,written_bytes_per_s,svctm_us,p50_us,p99_us,max_us,"
		"util_percent,errors_per_s,oldest_s,hang\n"
		"2000000000,1.000,op,\"fsync(74)\",1,0,0,0,0,0.000,0.000,0.000,0.000,0.000,0.000,0.000,"
		"80.000,0.000,0.800,1\n"
		"2000000000,1.000,op,\"read(0)\",0,50,204800,0,0,50.000,204800.000,0.000,2.000,2.000,2.000,"
		"2.000,0.010,0.000,0.000,0\n"
		"2000000000,1.000,op,\"write(1)\",0,50,0,204800,0,50.000,0.000,204800.000,2.000,2.000,2.000,"
		"2.000,0.010,0.000,0.000,0\n"
		"2000000000,1.000,op,\"TOTAL\",1,100,204800,204800,0,100.000,204800.000,204800.000,2.000,"
		"2.000,2.000,2.000,80.020,0.000,0.800,1\n");
}

/* What does nothing is in no table, but programs get it. */
TEST_F(FrameTell, IdleRowsAreForPrograms)
{
	frames_next(frames);
	frames_cut(frames, 3000000000);
	report.frame = frames_get(frames);
	report.columns = 0;
	EXPECT_EQ(text(frame_text).find("read(0)"), std::string::npos);
	EXPECT_NE(text(frame_json).find("read(0)"), std::string::npos);
	report.top = 0;
	EXPECT_NE(text(frame_text).find("(1 more)"), std::string::npos) << text(frame_text);
}

/* What a display reads is what was written. */
TEST_F(FrameTell, AnotherProcessReadsTheJson)
{
	struct frame_line *line = frame_line_read(text(frame_json).c_str());

	ASSERT_NE(line, nullptr);
	EXPECT_EQ(line->time, 2000000000u);
	EXPECT_DOUBLE_EQ(line->interval, 1);
	ASSERT_EQ(line->rows, 3u);
	EXPECT_STREQ(line->row[0].name, "fsync(74)");
	EXPECT_TRUE(line->row[0].is_hung);
	EXPECT_DOUBLE_EQ(line->row[0].number[FRAME_IN_FLIGHT], 1);
	EXPECT_DOUBLE_EQ(line->row[0].number[FRAME_UTIL], 80);
	EXPECT_STREQ(line->row[1].name, "read(0)");
	EXPECT_FALSE(line->row[1].is_hung);
	EXPECT_DOUBLE_EQ(line->row[1].number[FRAME_OPS], 50);
	EXPECT_DOUBLE_EQ(line->row[1].number[FRAME_OPS_TOTAL], 50);
	EXPECT_DOUBLE_EQ(line->row[1].number[FRAME_READ], 204800);
	EXPECT_DOUBLE_EQ(line->row[1].number[FRAME_SERVICE_US], 2);
	EXPECT_DOUBLE_EQ(line->total.number[FRAME_OPS], 100);
	frame_line_free(line);
}

/* Paths of a call are bytes from its program: the table escapes them, JSON stays UTF-8, and a display shows the same. */
TEST_F(FrameTell, TwoPathsOfACallThatHangs)
{
	struct frame_hang hang = {};
	const std::string shown = "(rename of /a\\xff\\n to /b\\x1b[2J)";

	hang.comm = "mv";
	hang.call = "rename";
	hang.file = "/a\xff\n";
	hang.to = "/b\x1b[2J";
	report.hang = &hang;
	report.hangs = 1;
	report.columns = 0;
	EXPECT_NE(text(frame_text).find(shown), std::string::npos) << text(frame_text);
	EXPECT_NE(text(frame_json).find("\"file\":\"/a\\\\xff\\n\",\"to\":\"/b\\u001b[2J\""),
		  std::string::npos)
		<< text(frame_json);
	struct frame_line *line = frame_line_read(text(frame_json).c_str());
	ASSERT_NE(line, nullptr);
	EXPECT_NE(std::string(line->hang[0]).find("(rename of /a"), std::string::npos);
	EXPECT_NE(std::string(line->hang[0]).find(" to /b\\x1b[2J)"), std::string::npos)
		<< line->hang[0];
	frame_line_free(line);
	hang.file = nullptr;
	EXPECT_NE(text(frame_text).find("(rename to /b"), std::string::npos) << text(frame_text);
}

TEST(FrameLine, WhatIsNoFrameIsNone)
{
	for (const char *text :
	     {"", "iotrace: a message", "{", "[1]", "7", "{}", "{\"rows\":1,\"hangs\":[]}"})
		EXPECT_EQ(frame_line_read(text), nullptr) << text;
}

/* Names are safe for a terminal, whatever the line says; numbers that are missing are 0. */
TEST(FrameLine, ALineOfOthersIsSafe)
{
	struct frame_line *line = frame_line_read(
		"{\"rows\":[{\"name\":\"\\u001b[2J\"},7,null],\"hangs\":[{\"comm\":\"a\\u0007\"}]}");

	ASSERT_NE(line, nullptr);
	ASSERT_EQ(line->rows, 3u);
	EXPECT_STREQ(line->row[0].name, "\\x1b[2J");
	EXPECT_DOUBLE_EQ(line->row[1].number[FRAME_OPS], 0);
	EXPECT_STREQ(line->row[2].name, "");
	ASSERT_EQ(line->hangs, 1u);
	EXPECT_EQ(std::string(line->hang[0]).find('\a'), std::string::npos);
	frame_line_free(line);
}

} // namespace
