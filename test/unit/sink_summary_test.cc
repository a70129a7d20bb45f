/*
 * The summary: what is counted where, and the text that people read, whole.
 */
#include "model_builder.h"
#include "scratch_dir.h"
#include "sinks.h"
#include "summary.h"

#include <iotrace/error.h>
#include <iotrace/escape.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <json.h>
#include <sstream>
#include <sys/sysmacros.h>
#include <sys/wait.h>

namespace
{

using Events = std::vector<io_event>;

class Summary : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("summary");
	ModelBuilder b;
	struct sink_options options = {};
	struct summary s = {};
	process_id p = b.process(100, "app");
	thread_id t = b.thread(p, 101, "app");

	void SetUp() override
	{
		options = b.options(path.c_str());
		b.model->host.first_time = 1000;
		b.model->host.last_time = 1001000;
		b.model->host.processes_seen = 1;
		b.model->host.threads_seen = 1;
		summary_init(&s, &options);
	}
	void TearDown() override
	{
		summary_release(&s);
	}

	void feed(const Events &events)
	{
		for (const io_event &event : events)
			summary_event(&s, &event);
	}

	/* A call with an operation that moved bytes. */
	Events transfer(uint64_t from, uint64_t to, const char *name, handle_id handle,
			enum io_mode mode, uint64_t bytes, int error = 0)
	{
		io_event end = io::complete(to, t, handle, 1, error ? IO_BYTES_UNDEFINED : bytes);

		end.op.mode = mode;
		return {io::enter(from, t, name, handle),
			io::begin(from, t, handle, 1, mode, bytes), end,
			io::leave(to, t, name, error)};
	}

	std::string told(const Events &events)
	{
		struct error err = {};
		struct sink *sink = sink_summary_ops.open(&options, &err);

		for (const io_event &event : events)
			sink_summary_ops.event(sink, &event);
		EXPECT_EQ(sink_summary_ops.close(sink, &err), 0) << err.text;
		std::ifstream in(path);
		return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
	}
};

void operator+=(Events &all, const Events &more)
{
	all.insert(all.end(), more.begin(), more.end());
}

TEST_F(Summary, ACallIsBookedOnceInItsClassItsPlaceAndItsFile)
{
	file_id f = b.file("/data/in");
	handle_id h = b.handle(p, f);

	feed(transfer(1000, 3000, "read", h, IO_MODE_READ, 4096));
	feed(transfer(3000, 3500, "write", h, IO_MODE_WRITE, 10));
	EXPECT_EQ(s.classes[SUMMARY_READ].row.ops, 1U);
	EXPECT_EQ(s.classes[SUMMARY_READ].row.time, 2000U);
	EXPECT_EQ(s.classes[SUMMARY_READ].row.read, 4096U);
	EXPECT_EQ(s.classes[SUMMARY_READ].row.written, 0U);
	EXPECT_EQ(s.classes[SUMMARY_WRITE].row.written, 10U);
	EXPECT_EQ(s.place[SUMMARY_FILES].ops, 2U);
	EXPECT_EQ(s.place[SUMMARY_FILES].time, 2500U);
	EXPECT_EQ(s.total.time, 2500U);
	ASSERT_EQ(s.files, 1U);
	EXPECT_EQ(s.file[f].read, 4096U);
	EXPECT_EQ(s.file[f].written, 10U);
	EXPECT_EQ(s.file[f].time, 2500U);
	EXPECT_EQ(s.file[f].ops, 2U);
}

TEST_F(Summary, CopyIsOneCallWithBytesOnBothSides)
{
	handle_id from = b.handle(p, b.file("/from")), to = b.handle(p, b.file("/to"));
	io_event read = io::complete(2000, t, from, 1, 70),
		 write = io::complete(2000, t, to, 2, 70);

	read.op.mode = IO_MODE_READ;
	write.op.mode = IO_MODE_WRITE;
	feed({io::enter(1000, t, "copy_file_range", from), read, write,
	      io::leave(2000, t, "copy_file_range")});
	EXPECT_EQ(s.classes[SUMMARY_COPY].row.ops, 1U);
	EXPECT_EQ(s.classes[SUMMARY_COPY].row.time, 1000U);
	EXPECT_EQ(s.classes[SUMMARY_COPY].row.read, 70U);
	EXPECT_EQ(s.classes[SUMMARY_COPY].row.written, 70U);
	EXPECT_EQ(s.file[0].read, 70U);
	EXPECT_EQ(s.file[1].written, 70U);
}

TEST_F(Summary, AnOpenGoesToTheFileThatItCreatedAHandleOf)
{
	file_id f = b.file("/opened");
	handle_id h = b.handle(p, f);

	feed({io::enter(1000, t, "openat"), io::create(1400, t, h, O_RDONLY),
	      io::leave(1400, t, "openat")});
	EXPECT_EQ(s.file[f].time, 400U);
	EXPECT_EQ(s.classes[SUMMARY_OPEN].row.ops, 1U);
	feed({io::enter(2000, t, "unlink", ID_NONE, f), io::leave(2100, t, "unlink")});
	EXPECT_EQ(s.file[f].ops, 2U);
	EXPECT_EQ(s.classes[SUMMARY_OTHER].row.ops, 1U);
}

TEST_F(Summary, PlacesOfWhatHasNoFile)
{
	handle_id pipe = b.handle(p, ID_NONE, "pipe:[17]"),
		  socket = b.handle(p, ID_NONE, "socket:[4]");
	handle_id unnamed = b.handle(p, ID_NONE),
		  event = b.handle(p, ID_NONE, "anon_inode:[eventfd]");

	feed(transfer(1000, 1001, "read", pipe, IO_MODE_READ, 1));
	feed(transfer(1000, 1002, "read", socket, IO_MODE_READ, 2));
	feed(transfer(1000, 1004, "read", unnamed, IO_MODE_READ, 4));
	feed(transfer(1000, 1008, "read", event, IO_MODE_READ, 8));
	EXPECT_EQ(s.place[SUMMARY_PIPES].time, 1U);
	EXPECT_EQ(s.place[SUMMARY_PIPES].read, 1U);
	EXPECT_EQ(s.place[SUMMARY_SOCKETS].time, 2U);
	EXPECT_EQ(s.place[SUMMARY_UNNAMED].time, 4U);
	EXPECT_EQ(s.place[SUMMARY_REST].time, 8U);
	EXPECT_EQ(s.place[SUMMARY_FILES].time, 0U);
	EXPECT_EQ(s.files, 0U);
}

TEST_F(Summary, TasksAreNoIOAndFailuresHaveNoBytes)
{
	handle_id h = b.handle(p, b.file("/f"));

	feed({io::enter(1000, t, "execve"), io::leave(9000, t, "execve")});
	EXPECT_EQ(s.total.ops, 0U);
	feed(transfer(1000, 1100, "read", h, IO_MODE_READ, 4096, EIO));
	EXPECT_EQ(s.classes[SUMMARY_READ].failed, 1U);
	EXPECT_EQ(s.total.read, 0U);
	EXPECT_EQ(s.failed, 1U);
}

TEST_F(Summary, ErrorsByNumberWithTheCallThatMetThemMost)
{
	for (int i = 0; i < 3; i++)
		feed({io::enter(1, t, "openat"), io::leave(2, t, "openat", ENOENT)});
	for (int i = 0; i < 2; i++)
		feed({io::enter(1, t, "access"), io::leave(2, t, "access", ENOENT)});
	for (int i = 0; i < 9; i++)
		feed({io::enter(1, t, "read"), io::leave(2, t, "read", EAGAIN)});
	struct summary_error top[4];
	ASSERT_EQ(summary_errors(&s, top, 4), 2U);
	EXPECT_EQ(top[0].error, EAGAIN);
	EXPECT_EQ(top[0].count, 9U);
	EXPECT_EQ(top[1].error, ENOENT);
	EXPECT_EQ(top[1].count, 5U);
	EXPECT_EQ(top[1].by_call, 3U);
	EXPECT_EQ(top[1].call, io::call("openat"));
	EXPECT_EQ(summary_errors(&s, top, 1), 1U);
	EXPECT_EQ(top[0].error, EAGAIN);
}

TEST_F(Summary, TopKeepsTheLargestInOrder)
{
	for (uint64_t i = 0; i < 50; i++) {
		handle_id h = b.handle(p, b.file("/f" + std::to_string(i)));

		/* 37 i mod 50 is a permutation: bytes in one order, time in the other. */
		feed(transfer(1000, 1001 + i, "read", h, IO_MODE_READ, 1 + i * 37 % 50));
	}
	file_id top[5];
	ASSERT_EQ(summary_top(&s, false, top, 5), 5U);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(s.file[top[i]].read, 50U - static_cast<unsigned>(i));
	ASSERT_EQ(summary_top(&s, true, top, 5), 5U);
	for (unsigned i = 0; i < 5; i++)
		EXPECT_EQ(top[i], 49U - i);
}

TEST_F(Summary, WhatIsLeftOutHadNoThreads)
{
	uint32_t threads = summary_threads(&s);
	uint64_t lived = summary_lifetimes(&s);

	thread_id idle = b.thread(0, 4711, "idle");

	b.model->thread[idle].is_left_out = true;
	EXPECT_EQ(summary_threads(&s), threads);
	EXPECT_EQ(summary_lifetimes(&s), lived);
}

TEST_F(Summary, AsynchronousOperationsAreNobodysWaiting)
{
	handle_id h = b.handle(p, b.file("/f"));
	io_event begin = io::begin(1000, t, h, 5, IO_MODE_WRITE, 512);
	io_event end = io::complete(9000, t, h, 5, 512);

	begin.op.is_non_blocking = true;
	end.op.mode = IO_MODE_WRITE;
	feed({begin, end});
	EXPECT_EQ(s.classes[SUMMARY_ASYNC].latency.max, 8000U);
	EXPECT_EQ(s.classes[SUMMARY_ASYNC].row.written, 512U);
	EXPECT_EQ(s.total.time, 0U);
	EXPECT_EQ(s.issued.count, 0U);
	feed({begin, end, begin, end});
	EXPECT_EQ(s.asyncs, 1U);
}

TEST_F(Summary, NestedCallsTakeTimeOnce)
{
	handle_id h = b.handle(p, b.file("/f"));

	feed({io::enter(1000, t, "write", h), io::enter(1100, t, "fsync", h),
	      io::leave(1900, t, "fsync"), io::leave(2000, t, "write")});
	EXPECT_EQ(s.total.time, 1000U);
	EXPECT_EQ(s.total.ops, 2U);
	for (int i = 0; i < 9; i++)
		feed({io::enter(3000, t, "write", h)});
	for (int i = 0; i < 12; i++)
		feed({io::leave(4000, t, "write")});
	EXPECT_EQ(s.thread[t].depth, 0U);
}

TEST_F(Summary, UnknownIdsDoNoHarm)
{
	feed({io::enter(1, 77, "read", 99), io::leave(2, 77, "read"), io::enter(1, ID_NONE, "read"),
	      io::enter(1, t, "read", 99, 99), io::complete(2, t, 99, 1, 5),
	      io::leave(2, t, "read")});
	EXPECT_EQ(s.total.ops, 1U);
	EXPECT_EQ(s.files, 0U);
}

TEST_F(Summary, Text)
{
	handle_id in = b.handle(p, b.file("/data/in")), pipe = b.handle(p, ID_NONE, "pipe:[17]");
	Events all;

	b.model->host.argv = b.text(std::string("./app\0-n\0007", 10));
	b.model->host.status = 3 << 8;
	all += transfer(1000, 101000, "read", in, IO_MODE_READ, 1 << 20);
	all += transfer(101000, 401000, "read", in, IO_MODE_READ, 1 << 20);
	all += transfer(401000, 501000, "write", pipe, IO_MODE_WRITE, 1536);
	all += Events{io::enter(501000, t, "openat"), io::leave(501500, t, "openat", ENOENT)};
	b.tally.n[TALLY_samples] = b.tally.n[TALLY_events] = b.tally.n[TALLY_kernel_counted] = 1234;
	options.archive = "out";
	EXPECT_EQ(
		told(all),
		"iotrace: what was done\n"
		"  command     ./app -n 7\n"
		"  time        1.00 ms; 1 process, 1 thread; exit status 3\n"
		"  in I/O      500 us in calls of all threads: 50.0 % of the time these threads lived\n"
		"              files 400 us, pipes 100 us, other 500 ns\n"
		"  data        read 2.00 MiB, wrote 1.50 KiB; in files: read 2.00 MiB, wrote 0 B\n"
		"\n"
		"              calls  failed     read  written    time     p50     p99     max\n"
		"  read            2       - 2.00 MiB        -  400 us  100 us  300 us  300 us\n"
		"  write           1       -        - 1.50 KiB  100 us  100 us  100 us  100 us\n"
		"  open            1       1        -        -  500 ns  500 ns  500 ns  500 ns\n"
		"\n"
		"     time      calls      read   written  files with the most data\n"
		"   400 us          2  2.00 MiB         -  /data/in\n"
		"\n"
		"    calls  error\n"
		"        1  ENOENT (No such file or directory), most often in openat\n"
		"\n"
		"  books balance: 1,234 samples, nothing lost\n"
		"  archive: out\n");
}

TEST_F(Summary, WhoIsLeftBehindByACommandCouldBeWaitedFor)
{
	std::string left = "2 processes were still running when the recording ended";

	b.model->host.processes_left = 2;
	EXPECT_NE(told({}).find(left + "\n"), std::string::npos) << "of -p there is no command";
	b.model->host.argv = b.text("./app");
	EXPECT_NE(told({}).find(left + " (see --wait)\n"), std::string::npos);
	b.model->host.is_system = true;
	EXPECT_NE(told({}).find(left + "\n"), std::string::npos);
}

TEST_F(Summary, ARecordingThatWasStoppedSaysSo)
{
	std::string line = "the recording was stopped before the command ended\n";

	b.model->host.end_reason = 3;
	EXPECT_EQ(told({}).find(line), std::string::npos) << "of -p there is no command";
	b.model->host.argv = b.text("./app");
	EXPECT_NE(told({}).find(line), std::string::npos);
	b.model->host.status = 0;
	EXPECT_EQ(told({}).find(line), std::string::npos);
}

TEST_F(Summary, AnInterruptedCallDidNotFail)
{
	std::string text = told({io::enter(1000, t, "read"), io::leave(2000, t, "read", 512),
				 io::enter(3000, t, "read"), io::leave(4000, t, "read", 512)});

	EXPECT_NE(text.find("\n  read            2       - "), std::string::npos) << text;
	EXPECT_NE(text.find("\n        2  ERESTARTSYS (interrupted by a signal), most often in "
			    "read\n"),
		  std::string::npos)
		<< text;
	EXPECT_EQ(s.failed, 0u);
}

TEST_F(Summary, TextSaysWhoRecordedAndWhyNotTheOther)
{
	EXPECT_EQ(told({}).find("  recorded "), std::string::npos);
	b.model->host.source = MODEL_SOURCE_BPF;
	EXPECT_NE(told({}).find("\n  recorded    by BPF\n"), std::string::npos);
	b.model->host.source = MODEL_SOURCE_PERF;
	b.model->host.source_why = b.text("no BTF\033");
	EXPECT_NE(told({}).find("\n  recorded    by perf: no BTF\\x1b\n"), std::string::npos)
		<< told({});
}

TEST_F(Summary, TextSaysWhoToldOfBlockRequestsIfItWasAnother)
{
	b.model->host.source = MODEL_SOURCE_BPF;
	b.model->host.block_source = MODEL_SOURCE_BPF;
	EXPECT_EQ(told({}).find("block requests by"), std::string::npos);
	b.model->host.block_source = MODEL_SOURCE_PERF;
	b.model->host.block_why = b.text("no field");
	EXPECT_NE(
		told({}).find(
			"\n  recorded    by BPF\n              block requests by perf: no field\n"),
		std::string::npos)
		<< told({});
	b.model->host.source = MODEL_SOURCE_PERF;
	EXPECT_EQ(told({}).find("block requests by"), std::string::npos);
}

TEST_F(Summary, TextSaysWhatWasLost)
{
	b.tally.n[TALLY_samples] = b.tally.n[TALLY_events] = 10;
	b.tally.n[TALLY_lost] = 1700;
	b.tally.n[TALLY_kernel_counted] = 1710;
	b.model->count = static_cast<struct model_count *>(calloc(1, sizeof(struct model_count)));
	b.model->count[0] = {b.text("raw_syscalls:sys_exit"), 0, 1710, 1700, true};
	b.model->counts = 1;
	EXPECT_NE(
		told({}).find(
			"  books balance: 10 samples, but events are missing: 1,700 lost\n"
			"    1,700 events lost: the kernel found its ring full (a larger ring holds more: -m)\n"
			"      1,700 of raw_syscalls:sys_exit\n"),
		std::string::npos);
	b.tally.n[TALLY_begun] = 1;
	EXPECT_NE(
		told({}).find(
			"books do not balance: begun 1 = completed 0 + cancelled 0 + aborted 0 + in_flight 0"),
		std::string::npos);
}

TEST_F(Summary, TablesFitTheTerminal)
{
	handle_id h = b.handle(p, b.file("/directory/of/a/file/with/a/name/that/is/quite/long"));

	for (int columns = 45; columns < 100; columns++) {
		options.columns = columns;
		std::istringstream all(told(transfer(1000, 2000, "read", h, IO_MODE_READ, 7)));
		int rows = 0;

		for (std::string line; std::getline(all, line);) {
			if (line.rfind("  read  ", 0) &&
			    line.find("  files with") == std::string::npos &&
			    line.find("calls  ") == std::string::npos &&
			    line.find("/d") == std::string::npos)
				continue;
			EXPECT_LE(line.size(), static_cast<size_t>(columns)) << line;
			rows++;
		}
		EXPECT_EQ(rows, 4) << columns;
	}
	auto moved = transfer(1000, 2000, "read", h, IO_MODE_READ, 7);

	options.columns = 76;
	EXPECT_EQ(told(moved).find("failed"), std::string::npos);
	options.columns = 77;
	EXPECT_NE(told(moved).find("failed"), std::string::npos);
}

TEST_F(Summary, NoRawByteOfANameReachesTheTerminalAndNoLineIsTooWide)
{
	std::string name = "/d/\033[31m\n\xff" + std::string(300, 'x') + "\xe4\xb8\xad/end\x07";
	handle_id h = b.handle(p, b.file(name));

	b.model->host.argv = b.text(name);
	options.archive = name.c_str();
	for (int columns : {0, 20, 80, 120, 5000}) {
		options.columns = columns;
		std::string all = told(transfer(1000, 2000, "read", h, IO_MODE_READ, 7));
		size_t from = 0, end;

		for (; (end = all.find('\n', from)) != std::string::npos; from = end + 1) {
			size_t wide = escape_columns(all.data() + from, end - from);

			if (all.compare(from, 10, "  archive:") == 0)
				continue; /* stands whole, to be copied */
			EXPECT_LE(wide, static_cast<size_t>(columns > 80 ? columns : 80) + 20)
				<< all.substr(from, end - from);
		}
		for (char c : all)
			EXPECT_TRUE(c == '\n' || (c & 0x80) || (c >= 32 && c < 127)) << int(c);
		EXPECT_NE(all.find("/end\\x07"), std::string::npos);
	}
}

TEST_F(Summary, DiscardedTellsNothing)
{
	options.is_discarded = true;
	EXPECT_EQ(told({}), "");
	options.is_json = true;
	EXPECT_EQ(told({}), "");
}

TEST_F(Summary, WhereItCannotBeWritten)
{
	struct error err = {};
	std::string nowhere = scratch.path("none/summary");

	options.path = nowhere.c_str();
	struct sink *sink = sink_summary_ops.open(&options, &err);
	EXPECT_EQ(sink_summary_ops.close(sink, &err), -ENOENT);
	EXPECT_EQ(err.text, "summary: open " + nowhere + ": No such file or directory");
}

TEST_F(Summary, Json)
{
	handle_id h = b.handle(p, b.file("/f\xff"));

	options.is_json = true;
	json_object *top = json_tokener_parse(
		told(transfer(1000, 3000, "read", h, IO_MODE_READ, 7)).c_str());
	json_object *found = nullptr;
	ASSERT_NE(top, nullptr);
	ASSERT_EQ(json_pointer_get(top, "/classes/read/p99_ns", &found), 0);
	EXPECT_EQ(json_object_get_int64(found), 2000);
	ASSERT_EQ(json_pointer_get(top, "/files_by_bytes/0/path", &found), 0);
	EXPECT_STREQ(json_object_get_string(found), "/f\\xff");
	ASSERT_EQ(json_pointer_get(top, "/files_by_bytes/0/bytes_read", &found), 0);
	EXPECT_EQ(json_object_get_int64(found), 7);
	ASSERT_EQ(json_pointer_get(top, "/places/files/time_ns", &found), 0);
	EXPECT_EQ(json_object_get_int64(found), 2000);
	ASSERT_EQ(json_pointer_get(top, "/books/balanced", &found), 0);
	EXPECT_TRUE(json_object_get_boolean(found));
	json_object_put(top);
}

std::string bytes(uint64_t n)
{
	char out[SUMMARY_NUMBER];

	return summary_bytes(out, n);
}

std::string time_of(uint64_t n)
{
	char out[SUMMARY_NUMBER];

	return summary_time(out, n);
}

std::string count(uint64_t n)
{
	char out[SUMMARY_NUMBER];

	return summary_count(out, n);
}

TEST(SummaryNumbers, Bytes)
{
	EXPECT_EQ(bytes(0), "0 B");
	EXPECT_EQ(bytes(1023), "1023 B");
	EXPECT_EQ(bytes(1024), "1.00 KiB");
	EXPECT_EQ(bytes(10239), "10.0 KiB");
	EXPECT_EQ(bytes(102400), "100 KiB");
	EXPECT_EQ(bytes((1 << 20) - 1), "1.00 MiB");
	EXPECT_EQ(bytes(uint64_t(5) << 30), "5.00 GiB");
	EXPECT_EQ(bytes(UINT64_MAX), "16.0 EiB");
}

TEST(SummaryNumbers, Times)
{
	EXPECT_EQ(time_of(0), "0 ns");
	EXPECT_EQ(time_of(999), "999 ns");
	EXPECT_EQ(time_of(1000), "1.00 us");
	EXPECT_EQ(time_of(9999), "10.0 us");
	EXPECT_EQ(time_of(999499), "999 us");
	EXPECT_EQ(time_of(999500), "1.00 ms");
	EXPECT_EQ(time_of(1500000000), "1.50 s");
	EXPECT_EQ(time_of(3600ULL * 1000000000), "3600 s");
	EXPECT_EQ(time_of(36000ULL * 1000000000), "10.0 h");
}

TEST(SummaryNumbers, Counts)
{
	EXPECT_EQ(count(0), "0");
	EXPECT_EQ(count(999), "999");
	EXPECT_EQ(count(1000), "1,000");
	EXPECT_EQ(count(1234567), "1,234,567");
	EXPECT_EQ(count(UINT64_MAX), "18,446,744,073,709,551,615");
}

std::string name(const std::string &text, size_t columns)
{
	char out[2048];

	return summary_name(out, sizeof(out), text.data(), text.size(), columns);
}

TEST(SummaryNames, AreCutInTheMiddleAtWholeCharacters)
{
	EXPECT_EQ(name("/a/b", 20), "/a/b");
	EXPECT_EQ(name("0123456789abcdef", 16), "0123456789abcdef");
	EXPECT_EQ(name("0123456789abcdefg", 16), "0123...89abcdefg");
	EXPECT_EQ(name("a\nb", 20), "a\\nb");
	std::string wide;
	for (int i = 0; i < 30; i++)
		wide += "\xe4\xb8\xad";
	std::string cut = name(wide, 16);
	EXPECT_LE(escape_columns(cut.data(), cut.size()), 16U);
	EXPECT_GE(escape_columns(cut.data(), cut.size()), 14U);
	EXPECT_EQ(cut.find("\\x"), std::string::npos) << "a character was cut";
	for (size_t columns = 0; columns < 60; columns++) {
		cut = name("\xff\xfe\x01/" + wide + "\x80\x80\x80\x80\x80", columns);
		/* Backslashes of escapes count twice when they are escaped again. */
		size_t again = static_cast<size_t>(std::count(cut.begin(), cut.end(), '\\'));
		EXPECT_LE(escape_columns(cut.data(), cut.size()) - again,
			  columns < 8 ? 8 : columns);
	}
}

/* A request that ended, with what the model says of its times. */
Events request(uint64_t begun, uint64_t issued, uint64_t end, const struct model_device *device,
	       uint64_t id, enum request_kind type, uint64_t bytes, int error = 0)
{
	Events all = io::request(begun, issued, end, device->location, device->handle, id, type,
				 bytes, error);

	all[2].op.begun = begun;
	all[2].op.issued = issued;
	return all;
}

class SummaryDevices : public Summary
{
      protected:
	uint32_t sda = b.device(makedev(8, 0), "sda");

	struct model_device *device(uint32_t id)
	{
		return &b.model->device[id];
	}
	/* In the order of time, as they come. */
	void feed_sorted(Events events)
	{
		std::stable_sort(events.begin(), events.end(),
				 [](const io_event &x, const io_event &y) {
					 return x.time < y.time;
				 });
		feed(events);
	}
};

TEST_F(SummaryDevices, RequestsAreNoCalls)
{
	feed(request(1000, 1000, 2000, device(sda), 1, REQUEST_READ, 4096));
	EXPECT_EQ(s.total.ops, 0u);
	EXPECT_EQ(s.total.read, 0u);
	EXPECT_EQ(s.classes[SUMMARY_ASYNC].row.ops, 0u);
	EXPECT_EQ(s.files, 0u);
	EXPECT_EQ(summary_threads(&s), 1u); /* of the program */
	EXPECT_EQ(summary_lifetimes(&s), 1000000u);
	ASSERT_NE(summary_device(&s, sda), nullptr);
	EXPECT_EQ(summary_device(&s, sda)->kind[REQUEST_READ].requests, 1u);
}

/* In a run of one millisecond: */
TEST_F(SummaryDevices, Rates)
{
	Events all;

	all += request(1000, 101000, 201000, device(sda), 1, REQUEST_READ, 4096);
	all += request(101000, 101000, 401000, device(sda), 2, REQUEST_WRITE, 8192);
	all += request(501000, 501000, 601000, device(sda), 3, REQUEST_ZEROES, 1024);
	all += request(601000, 601000, 601000, device(sda), 4, REQUEST_FLUSH, 0, EIO);
	all += request(601000, 601000, 601000, device(sda), 5, REQUEST_DISCARD, 512);
	feed_sorted(all);
	struct summary_rates r = summary_device_rates(&s, sda);
	EXPECT_DOUBLE_EQ(r.reads, 1000);
	EXPECT_DOUBLE_EQ(r.writes, 2000);
	EXPECT_DOUBLE_EQ(r.read_bytes, 4096e3);
	EXPECT_DOUBLE_EQ(r.written_bytes, 9216e3);
	EXPECT_DOUBLE_EQ(r.wait, (200000 + 300000 + 100000) / 5.0);
	EXPECT_DOUBLE_EQ(r.read_wait, 200000);
	EXPECT_DOUBLE_EQ(r.write_wait, 200000);
	EXPECT_DOUBLE_EQ(r.util, 0.5);  /* 1..401 and 501..601 us */
	EXPECT_DOUBLE_EQ(r.queue, 0.6); /* 100 and 300 and 200 and 100 us of one */
	const struct summary_device *d = summary_device(&s, sda);
	EXPECT_EQ(d->service.count, 5u);
	EXPECT_EQ(d->service.max, 300000u);
	EXPECT_EQ(d->errors, 1u);
	EXPECT_EQ(d->in_flight, 0u);
}

TEST_F(SummaryDevices, WhatDidNotEndWasInFlight)
{
	Events all = request(1000, 2000, 501000, device(sda), 1, REQUEST_READ, 4096);

	all[2].kind = IO_OP_CANCELLED;
	feed(all);
	const struct summary_device *d = summary_device(&s, sda);
	EXPECT_EQ(d->kind[REQUEST_READ].requests, 0u);
	EXPECT_EQ(d->cancelled, 1u);
	EXPECT_DOUBLE_EQ(summary_device_rates(&s, sda).util, 0.5);
	EXPECT_DOUBLE_EQ(summary_device_rates(&s, sda).wait, 0);
	/* An end whose begin was before the recording. */
	io_event end = io::complete(501000, device(sda)->location, device(sda)->handle, 2, 512);
	end.op.type = REQUEST_WRITE;
	feed({end});
	EXPECT_EQ(d->in_flight, 0u);
	EXPECT_EQ(d->kind[REQUEST_WRITE].requests, 1u);
	EXPECT_EQ(d->kind[REQUEST_WRITE].waited, 0u);
	EXPECT_EQ(d->service.count, 0u);
}

/* By the number of the file's device, or by the source of its mount; a partition is part of its disk. */
TEST_F(SummaryDevices, FilesBelongToDevices)
{
	uint32_t part = b.device(makedev(8, 1), "sda1"), loop = b.device(makedev(7, 0), "loop0");
	device(part)->disk = sda;
	file_id by_number = b.file("/a"),
		by_mount = b.file("/b", FILE_REGULAR, b.mount("/", "/dev/loop0", "btrfs"));
	file_id whole = b.file("/dev/sda", FILE_DEVICE), other = b.file("/proc/x");
	b.model->file[by_number].dev = makedev(8, 1);
	b.model->file[by_mount].dev = makedev(0, 40);
	b.model->file[whole].dev = makedev(0, 5);
	b.model->file[other].dev = makedev(0, 6);
	for (file_id f : {by_number, by_mount, whole, other})
		feed(transfer(1000, 2000, "read", b.handle(p, f), IO_MODE_READ, 100u << f));
	feed(transfer(1000, 2000, "write", b.handle(p, by_number), IO_MODE_WRITE, 4000));
	feed(request(1000, 1000, 2000, device(sda), 1, REQUEST_READ, 512));
	feed(request(2000, 2000, 2000, device(sda), 2, REQUEST_WRITE, 3000));
	feed(request(2000, 2000, 2000, device(sda), 3, REQUEST_ZEROES, 96));
	struct summary_cache *cache = summary_device_cache(&s);
	EXPECT_EQ(cache[sda].asked_read, (100u << by_number) + (100u << whole));
	EXPECT_EQ(cache[sda].asked_written, 4000u);
	EXPECT_EQ(cache[sda].disk_read, 512u);
	EXPECT_EQ(cache[sda].disk_written, 3096u);
	EXPECT_EQ(cache[loop].asked_read, 100u << by_mount);
	EXPECT_EQ(cache[part].asked_read, 0u);
	free(cache);
	EXPECT_TRUE(summary_device_is_recorded(&s, sda));
	EXPECT_FALSE(summary_device_is_recorded(&s, loop));
	device(loop)->has_stat = true;
	EXPECT_TRUE(summary_device_is_recorded(&s, loop));
	EXPECT_DOUBLE_EQ(summary_cache_share(1000, 250), 0.75);
	EXPECT_DOUBLE_EQ(summary_cache_share(1000, 2000), 0);
	EXPECT_DOUBLE_EQ(summary_cache_share(0, 2000), -1);
}

TEST_F(SummaryDevices, TheTextWhole)
{
	uint32_t loop = b.device(makedev(7, 11), "averylongname11"),
		 idle = b.device(makedev(7, 1), "loop1");
	file_id f = b.file("/data");
	Events all;

	b.model->host.first_time = 1;
	b.model->host.last_time = 10000000001;
	b.model->file[f].dev = makedev(8, 0);
	b.model->file[b.file("/other")].dev = makedev(7, 1);
	all += transfer(1000, 2000, "read", b.handle(p, f), IO_MODE_READ, 1 << 20);
	all += transfer(2000, 3000, "read", b.handle(p, f + 1), IO_MODE_READ, 1000);
	for (uint64_t i = 1; i < 124; i++)
		all += request(i * 1000000, i * 1000000 + 400, i * 1000000 + 900000, device(sda), i,
			       REQUEST_READ, 4096);
	all += request(200000000, 200000000, 200000000, device(sda), 900, REQUEST_FLUSH, 0);
	all += request(200000000, 200000000, 200000000, device(sda), 901, REQUEST_DISCARD, 1 << 20,
		       EIO);
	all += request(300000000, 300000000, 9999000000, device(loop), 902, REQUEST_WRITE,
		       UINT64_C(1) << 44);
	device(sda)->has_stat = device(idle)->has_stat = true;
	device(sda)->seen[0] = 123;
	device(sda)->seen[2] = 984;
	device(sda)->stat[0][0] = 1000;
	device(sda)->stat[1][0] = 1125;
	device(sda)->stat[1][2] = 1000;
	device(sda)->seen[15] = 1;
	device(sda)->seen[11] = device(sda)->stat[1][11] = 1;
	device(sda)->seen[13] = 2048;
	options.columns = 80;
	std::string text = told(all);
	size_t from = text.find("\n device ");
	ASSERT_NE(from, std::string::npos) << text;
	text = text.substr(from, text.find("\n\n  books") - from);
	EXPECT_EQ(
		text,
		"\n"
		" device     r/s   w/s  rkB/s  wkB/s   await aqu-sz %util     p50     p99     max\n"
		" a...me11     0  0.10      0  1.72G  9.70 s   0.97  97.0  9.70 s  9.70 s  9.70 s\n"
		" sda       12.3     0   49.2      0  886 us   0.01   1.1  897 us  897 us  900 us\n"
		"          1 flush, 1 discard (1.00 MiB), 1 failed\n"
		" sda: the kernel itself counted 2 more reads,\n"
		"       2,048 fewer sectors of discards,\n"
		"       1 fewer flush\n"
		"\n"
		"         asked: read  from disk   cached       written    to disk   cached\n"
		" sda        1.00 MiB    492 KiB   52.0 %             -          -        -\n"
		" loop1        1000 B          -  100.0 %             -          -        -");
	std::istringstream lines(text);
	for (std::string line; std::getline(lines, line);)
		EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(SummaryDevices, Json)
{
	options.is_json = true;
	device(sda)->model = b.text("Fast");
	device(sda)->seen[0] = 1;
	b.device(makedev(7, 1), "loop1");
	b.model->device[1].group = ID_NONE;
	struct json_object *top = json_tokener_parse(
		told(request(1000, 101000, 201000, device(sda), 1, REQUEST_READ, 4096)).c_str());
	const struct {
		const char *path, *value;
	} expected[] = {
		{"/devices/0/device/name", "\"sda\""},     {"/devices/0/device/dev", "\"8:0\""},
		{"/devices/0/device/model", "\"Fast\""},   {"/devices/0/device/read/requests", "1"},
		{"/devices/0/reads/requests", "1"},        {"/devices/0/reads/bytes", "4096"},
		{"/devices/0/reads/wait_ns", "200000"},    {"/devices/0/writes/requests", "0"},
		{"/devices/0/busy_ns", "200000"},          {"/devices/0/max_ns", "100000"},
		{"/devices/0/reads_per_second", "1000.0"}, {"/devices/0/await_ns", "200000.0"},
		{"/devices/0/programs/disk_read", "4096"},
	};

	for (const auto &row : expected) {
		struct json_object *found = nullptr;

		ASSERT_EQ(json_pointer_get(top, row.path, &found), 0) << row.path;
		EXPECT_STREQ(json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN),
			     row.value)
			<< row.path;
	}
	struct json_object *devices = json_object_object_get(top, "devices");
	EXPECT_EQ(json_object_array_length(devices), 1u);
	json_object_put(top);
}

class SummaryGroups : public SummaryDevices
{
      protected:
	Events charged(uint64_t id, uint32_t group, enum request_kind type, uint64_t bytes)
	{
		Events all = request(1000, 1000, 2000, device(sda), id, type, bytes);

		all[0].op.cgroup = all[2].op.cgroup = group;
		return all;
	}
};

TEST_F(SummaryGroups, TheTextWhole)
{
	uint32_t top = b.cgroup(1, "/"), gone = b.cgroup(17, ""), job = b.cgroup(20, "/job\033/1");
	Events all = charged(1, top, REQUEST_READ, 4096);

	all += charged(2, gone, REQUEST_WRITE, 8192);
	all += charged(3, gone, REQUEST_FLUSH, IO_BYTES_UNDEFINED);
	all += charged(4, job, REQUEST_READ, 1 << 20);
	all += charged(5, ID_NONE, REQUEST_READ, 1 << 30);
	std::string text = told(all);
	size_t from = text.find("\n  requests");

	ASSERT_NE(from, std::string::npos) << text;
	EXPECT_EQ(text.substr(from + 1, text.find("\n\n", from + 1) - from),
		  "  requests      read   written  control groups with the most data on disks\n"
		  "         1  1.00 MiB         -  /job\\x1b/1\n"
		  "         2         -  8.00 KiB  cgroup:[17]\n"
		  "         1  4.00 KiB         -  /\n");
}

TEST_F(SummaryGroups, OneThatIsAlwaysThereIsNotWorthATable)
{
	EXPECT_EQ(told(charged(1, b.cgroup(1, "/"), REQUEST_READ, 4096)).find("control groups"),
		  std::string::npos);
}

TEST_F(SummaryGroups, TheLargestAreShown)
{
	Events all;

	for (uint32_t i = 0; i < 12; i++)
		all += charged(i, b.cgroup(i + 1, "/job/" + std::to_string(i)), REQUEST_READ,
			       4096 * (i * 5 % 12 + 1));
	std::string text = told(all), line;
	std::istringstream lines(text.substr(text.find("  requests      read")));

	std::getline(lines, line);
	for (uint32_t rank = 12; rank > 4; rank--) {
		std::getline(lines, line);
		EXPECT_NE(line.find("/job/" + std::to_string((rank - 1) * 5 % 12)),
			  std::string::npos)
			<< text;
	}
	std::getline(lines, line);
	EXPECT_EQ(line, "") << text;
}

TEST_F(SummaryGroups, Json)
{
	options.is_json = true;
	Events all = charged(1, b.cgroup(17, ""), REQUEST_WRITE, 512);

	all += charged(2, b.cgroup(4, "/a"), REQUEST_READ, 1024);
	struct json_object *top = json_tokener_parse(told(all).c_str());

	EXPECT_STREQ(json_object_to_json_string_ext(json_object_object_get(top, "cgroups"),
						    JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE),
		     "[{\"id\":17,\"path\":null,\"requests\":1,\"read\":0,\"written\":512},"
		     "{\"id\":4,\"path\":\"/a\",\"requests\":1,\"read\":1024,\"written\":0}]");
	json_object_put(top);
}

} // namespace
