/*
 * Spans of the model: calls, operations, block requests, descriptors, from io_events as the model and an archive give them.
 */
#include "trace_builder.h"

#include <array>
#include <csignal>
#include <deque>
#include <gtest/gtest.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/leaks.h>
#include <iotrace/span_engine.h>
#include <map>
#include <sys/sysmacros.h>

namespace
{

class Io : public ::testing::Test
{
      protected:
	TraceBuilder b;
	process_id p = b.process(100, "app");
	thread_id t = b.thread(p, 101, "worker");
	std::vector<struct span *> spans;
	struct span_engine *engine = nullptr;
	std::vector<struct span_seen> seen, begun, left;
	std::vector<std::string> notes;

	void open(const std::vector<const char *> &names, const char *by = nullptr)
	{
		struct error err = {};
		struct span_output output = {};

		for (const char *name : names)
			spans.push_back(span_find(name, &err));
		output.seen = [](void *context, const struct span_seen *s) {
			static_cast<Io *>(context)->seen.push_back(*s);
		};
		output.begun = [](void *context, const struct span_seen *s) {
			static_cast<Io *>(context)->begun.push_back(*s);
		};
		output.left = [](void *context, const struct span_seen *s) {
			static_cast<Io *>(context)->left.push_back(*s);
		};
		output.note = [](void *context, const struct span_note *note) {
			static_cast<Io *>(context)->notes.emplace_back(note->text);
		};
		output.context = this;
		engine = span_engine_new(spans.data(), static_cast<uint32_t>(spans.size()), b.trace,
					 &output);
		if (by)
			EXPECT_EQ(span_engine_group_by(engine, by, &err), 0) << err.text;
	}
	void TearDown() override
	{
		for (uint32_t i = 0; i < spans.size(); i++) {
			const struct span_books *books = span_engine_books(engine, i);
			uint64_t sum = 0;

			for (uint64_t count : books->fate)
				sum += count;
			EXPECT_EQ(books->begun, sum);
			span_free(spans[i]);
		}
		span_engine_free(engine);
	}
	void feed(const std::vector<io_event> &events)
	{
		for (const io_event &event : events)
			span_engine_io_event(engine, &event);
	}
	std::string group(const struct span_seen &s)
	{
		char text[256];

		return std::string(text,
				   span_engine_group(engine, s.span, s.group, text, sizeof(text)));
	}
	io_event program_end(uint64_t time, int status)
	{
		io_event e = io::at(time, IO_PROGRAM_END, t);

		e.program.exit_status = status;
		return e;
	}
};

TEST_F(Io, ACallHasItsFileAndItsBytes)
{
	handle_id h = b.handle(p, b.file("/data"));

	open({"call"});
	feed(io::operation(100, 130, t, h, 1, IO_MODE_READ, 4096));
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].end - seen[0].begin, 30U);
	EXPECT_EQ(seen[0].bytes, 4096U);
	EXPECT_EQ(group(seen[0]), "read");
	EXPECT_STREQ(span_engine_about(engine, &seen[0]), "/data");
	EXPECT_STREQ(span_engine_comm(engine, &seen[0]), "worker");
	EXPECT_EQ(seen[0].tid, 101U);
	ASSERT_EQ(notes.size(), 1U);
	EXPECT_EQ(notes[0], "read /data 4096 bytes");
}

TEST_F(Io, ACallThatWasCutIsNoneThatEnded)
{
	io_event cut = io::leave(20, t, "read");

	cut.region.is_cut = true;
	cut.region.end = IO_END_RECORDING;
	open({"call"});
	feed({io::enter(10, t, "read"), cut, io::enter(30, t, "read"), io::leave(35, t, "read")});
	ASSERT_EQ(seen.size(), 2U);
	EXPECT_EQ(seen[0].fate, SPAN_OPEN);
	EXPECT_EQ(seen[1].fate, SPAN_ENDED);
}

TEST_F(Io, CallsWithinCallsAreSpansOfTheirOwn)
{
	open({"call"});
	feed({io::enter(1, t, "fsync"), io::enter(2, t, "write"), io::leave(5, t, "write"),
	      io::leave(9, t, "fsync")});
	ASSERT_EQ(seen.size(), 2U);
	EXPECT_EQ(seen[0].end - seen[0].begin, 3U);
	EXPECT_EQ(seen[1].end - seen[1].begin, 8U);
}

/* In an archive, a region has another number than its call. */
TEST_F(Io, EachCallIsOfOneFileSystemOrOfNone)
{
	uint32_t root = b.mount("/", "/dev/vda", "ext4");
	handle_id data = b.handle(p, b.file("/data", FILE_REGULAR, root)),
		  null = b.handle(p, b.file("/dev/null", FILE_DEVICE, root));
	struct trace_region read = b.trace->region[io::enter(1, t, "read").region.id];
	region_id other = b.region(read);
	io_event enter = io::enter(40, t, "read", data), leave = io::leave(45, t, "read");
	std::map<std::string, int> rows;

	enter.region.id = leave.region.id = other;
	open({"call"}, "fs");
	feed({io::enter(1, t, "read", data), io::leave(5, t, "read"), enter, leave,
	      io::enter(50, t, "read", null), io::leave(55, t, "read"), io::enter(60, t, "mkdir"),
	      io::leave(65, t, "mkdir"), io::enter(70, t, "io_getevents"),
	      io::leave(75, t, "io_getevents")});
	for (const struct span_seen &span : seen) {
		char text[64];

		span_engine_group(engine, 0, span.group, text, sizeof(text));
		rows[text]++;
	}
	EXPECT_EQ(rows, (std::map<std::string, int>{{"/", 2},
						    {"(by path)", 1},
						    {"(no file system)", 2}}));
}

TEST_F(Io, AnOperationMayOutliveItsCall)
{
	handle_id h = b.handle(p, b.file("/data"));
	io_event begin = io::begin(10, t, h, 7, IO_MODE_WRITE, 512);

	begin.op.is_non_blocking = true;
	open({"io", "fault"});
	feed({io::enter(9, t, "write"), begin, io::leave(11, t, "write"),
	      io::complete(90, t, h, 7, 512)});
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].end - seen[0].begin, 80U);
	EXPECT_EQ(seen[0].bytes, 512U);
	EXPECT_EQ(group(seen[0]), "/data");
}

TEST_F(Io, AnOperationOutsideOfCallsIsAPageFault)
{
	handle_id h = b.handle(p, b.file("/lib"));

	open({"fault"});
	feed({io::begin(10, t, h, 1, IO_MODE_READ, 4096), io::complete(15, t, h, 1, 4096)});
	feed(io::operation(20, 30, t, h, 2, IO_MODE_READ, 4096));
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].end - seen[0].begin, 5U);
	EXPECT_EQ(span_engine_books(engine, 0)->ends_without_begin, 0U);
}

TEST_F(Io, OperationsHaveTheirFates)
{
	handle_id h = b.handle(p, b.file("/data"));
	const std::map<enum io_end, enum span_fate> fates = {{IO_END_RECORDING, SPAN_OPEN},
							     {IO_END_DEATH, SPAN_DIED},
							     {IO_END_LOST, SPAN_LOST},
							     {IO_END_ABORTED, SPAN_CANCELLED}};

	open({"io"}, "mode");
	for (const auto &[end, fate] : fates) {
		io_event cancel = io::at(5, IO_OP_CANCELLED, t, h);

		cancel.op.id = 1;
		cancel.op.end = end;
		feed({io::begin(1, t, h, 1, IO_MODE_WRITE, 1), cancel});
		EXPECT_EQ(seen.back().fate, fate);
		EXPECT_EQ(group(seen.back()), "write");
	}
}

TEST_F(Io, ARequestIsItsQueueAndItsService)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> request = io::request(100, 160, 400, d->location, d->handle, 1,
						    REQUEST_WRITE, 4096);

	request[2].op.begun = 100;
	request[2].op.issued = 160;
	open({"block", "block-queue", "block-service"});
	feed(request);
	ASSERT_EQ(seen.size(), 3U);
	std::map<uint32_t, uint64_t> taken;
	for (const struct span_seen &s : seen) {
		taken[s.span] = s.end - s.begin;
		EXPECT_EQ(group(s), "sda write");
	}
	EXPECT_EQ(taken[0], 300U);
	EXPECT_EQ(taken[1], 60U);
	EXPECT_EQ(taken[2], 240U);
}

TEST_F(Io, ARequestIsOfTheThreadThatCausedIt)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> request = io::request(100, 160, 400, d->location, d->handle, 1,
						    REQUEST_WRITE, 4096);

	request[0].op.pid = 10;
	request[0].op.tid = 11;
	open({"block"});
	feed(request);
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(std::pair(seen[0].pid, seen[0].tid), std::pair(10U, 11U));
}

/* The driver gave it back, so it was issued again; an archive says only the last time. */
TEST_F(Io, TheServiceOfARequestBeginsWithItsLastIssue)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> request = io::request(100, 160, 400, d->location, d->handle, 1,
						    REQUEST_WRITE, 4096);

	request[2].op.begun = 100;
	request[2].op.issued = 250;
	open({"block-queue", "block-service"});
	feed(request);
	feed({request[2]}); /* its begin is not known */
	ASSERT_EQ(seen.size(), 2U);
	EXPECT_EQ(seen[0].end - seen[0].begin, 150U);
	EXPECT_EQ(seen[1].end - seen[1].begin, 150U);
	EXPECT_EQ(seen[1].begin, 250U);
	for (uint32_t i = 0; i < 2; i++)
		EXPECT_EQ(span_engine_books(engine, i)->ends_without_begin, 1U);
}

TEST_F(Io, ARequestSaysWhatItMovedAndWhetherItFailed)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> write = io::request(1, 2, 3, d->location, d->handle, 1, REQUEST_WRITE,
						  4096);
	std::vector<io_event> read = io::request(4, 5, 6, d->location, d->handle, 2, REQUEST_READ,
						 512);
	std::vector<io_event> flush = io::request(7, 8, 9, d->location, d->handle, 3, REQUEST_FLUSH,
						  0);

	read[2].op.error = 5;
	flush[0].op.bytes = IO_BYTES_UNDEFINED;
	open({"block"});
	for (const auto &request : {write, read, flush})
		feed(request);
	ASSERT_EQ(seen.size(), 3U);
	const std::vector<std::array<uint64_t, 4>> expected = {{4096, 0, 4096, 0},
							       {512, 512, 0, 1},
							       {0, 0, 0, 0}};
	for (size_t i = 0; i < seen.size(); i++) {
		const struct span_seen &s = seen[i];

		EXPECT_EQ((std::array<uint64_t, 4>{s.bytes, s.read, s.written, s.has_failed}),
			  expected[i])
			<< i;
	}
}

TEST_F(Io, ARequestThatWasNeverIssuedHasNoService)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> request = io::request(100, 0, 400, d->location, d->handle, 1,
						    REQUEST_READ, 4096);

	request[2].op.begun = 100;
	open({"block", "block-queue", "block-service"});
	feed({request[0], request[2]});
	feed({io::begin(500, d->location, d->handle, 2, IO_MODE_READ, 4096)});
	span_engine_end(engine);
	EXPECT_EQ(span_engine_books(engine, 0)->fate[SPAN_ENDED], 1U);
	EXPECT_EQ(span_engine_books(engine, 0)->fate[SPAN_OPEN], 1U);
	EXPECT_EQ(span_engine_books(engine, 1)->fate[SPAN_CANCELLED], 1U);
	EXPECT_EQ(span_engine_books(engine, 2)->begun, 0U);
}

TEST_F(Io, ARequestWaitsUntilItIsIssuedAndIsServedFromThen)
{
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::vector<io_event> request = io::request(100, 160, 400, d->location, d->handle, 1,
						    REQUEST_WRITE, 4096);
	std::map<uint32_t, uint64_t> begins;

	request[2].op.begun = 100;
	request[2].op.issued = 160;
	open({"block", "block-queue", "block-service"});
	feed({request[0]});
	EXPECT_EQ(begun.size(), 2U);
	feed({request[1], request[2]});
	for (const struct span_seen &s : begun)
		begins[s.span] = s.begin;
	EXPECT_EQ(begins, (std::map<uint32_t, uint64_t>{{0, 100}, {1, 100}, {2, 160}}));
	ASSERT_EQ(left.size(), 1U);
	EXPECT_EQ(left[0].span, 1U);
	EXPECT_EQ(left[0].end, 160U);
	for (const struct span_seen &s : seen)
		EXPECT_EQ(s.fate, SPAN_ENDED);
	EXPECT_EQ(seen.size(), 3U);
}

TEST_F(Io, RequestsThatTheKernelHasCountedHaveTheSameGroups)
{
	const uint64_t sda = 8 << 20, sdb = 8 << 20 | 16, dev = 32;
	const struct {
		const char *by;
		uint64_t group;
		const char *text;
	} rows[] = {
		{"group", sda << dev | REQUEST_WRITE, "sda write"},
		{"group", sda << dev | REQUEST_DISCARD, "sda discard"},
		{"group", sdb << dev | REQUEST_READ, "8:16 read"},
		{"mode", REQUEST_ZEROES, "zeroes"},
		{"mode", REQUEST_READ, "read"},
		{"device", sda, "sda"},
		{"device", sdb, "8:16"},
		{"none", 0, ""},
	};

	b.device(makedev(8, 0), "sda");
	for (const auto &row : rows) {
		struct span_seen counted = {};

		for (struct span *span : spans)
			span_free(span);
		spans.clear();
		span_engine_free(engine);
		open({"block-queue"}, row.by);
		span_engine_use_counted(engine, 0);
		counted.group = row.group;
		EXPECT_EQ(group(counted), row.text) << row.by;
	}
}

/* The samples that have call chains, and the stacks that requests get. */
class RequestStacks : public Io
{
      protected:
	const uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *d = &b.trace->device[sda];
	std::deque<struct decode_event> fields;

	void start()
	{
		const char *text;

		open({"block", "block-queue"});
		span_engine_use_stacks(engine);
		for (uint32_t i = 0; (text = span_request_event(i)); i++) {
			struct decode_event event = {};

			event.name = i == 0   ? "block:block_rq_insert"
				     : i == 1 ? "block:block_rq_issue"
					      : "block:block_bio_queue";
			event.numbers = 2;
			event.number[0] = "dev";
			event.number[1] = "sector";
			fields.push_back(event);
			span_engine_define(engine, i, &fields.back());
		}
	}
	void sample(uint64_t time, uint32_t kind, uint64_t sector, uint64_t address,
		    uint64_t dev = 8 << 20)
	{
		const uint64_t chain[] = {static_cast<uint64_t>(-512), address};
		struct event event = {};

		event.kind = EVENT_TRACEPOINT;
		event.time = time;
		event.pid = event.tid = 1;
		event.tracepoint.event = kind;
		event.tracepoint.numbers = 2;
		event.tracepoint.number[0] = dev;
		event.tracepoint.number[1] = sector;
		event.tracepoint.callers = 2;
		event.tracepoint.caller = reinterpret_cast<const uint8_t *>(chain);
		span_engine_tracepoint(engine, &event);
	}
	void begins(uint64_t time, uint64_t id)
	{
		feed({io::request(time, time, time, d->location, d->handle, id, REQUEST_READ,
				  4096)[0]});
	}
	/* The address where each open request began; 0: not known. */
	std::map<uint64_t, uint64_t> stacks()
	{
		std::map<uint64_t, uint64_t> found;

		span_engine_end(engine);
		for (const struct span_seen &s : seen) {
			const struct span_frame *frame = span_engine_frame(engine, s.stack, 0);
			const uint64_t address = frame ? frame->offset : 0;

			EXPECT_TRUE(!found.count(s.key[0]) || found[s.key[0]] == address);
			found[s.key[0]] = address;
		}
		return found;
	}
};

TEST_F(RequestStacks, AreOfTheSampleAtTheSamePlaceAndTime)
{
	const std::map<uint64_t, uint64_t> expected = {{1, 0x11}, {2, 0x12}, {3, 0},
						       {4, 0},    {5, 0x15}, {6, 0}};

	start();
	sample(1000000, 0, 8, 0x11);
	begins(1000900, 1);
	begins(2000000, 2); /* its sample comes later */
	sample(2000700, 1, 16, 0x12);
	sample(3000000, 0, 24, 0x13);
	begins(3900000, 3); /* too late */
	sample(4000000, 0, 32, 0x14, 9 << 20);
	begins(4000100, 4); /* another device */
	sample(5000000, 0, 40, 0x15);
	sample(5900000, 1, 40, 0x99); /* it was inserted, and then issued */
	begins(5000100, 5);
	begins(6000000, 6);
	sample(6900000, 1, 48, 0x16);
	EXPECT_EQ(stacks(), expected);
}

class Descriptors : public Io
{
      protected:
	handle_id h = b.handle(p, b.file("/tmp/a"));
	std::vector<io_event> opened(uint64_t time, handle_id handle)
	{
		return {io::enter(time, t, "openat"), io::create(time + 1, t, handle, 0),
			io::leave(time + 2, t, "openat")};
	}
	std::vector<io_event> closed(uint64_t time, handle_id handle)
	{
		return {io::enter(time, t, "close", handle), io::destroy(time, t, handle),
			io::leave(time + 1, t, "close")};
	}
};

TEST_F(Descriptors, ACloseEndsThem)
{
	open({"fd"});
	feed(opened(10, h));
	feed(closed(50, h));
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].fate, SPAN_ENDED);
	EXPECT_EQ(seen[0].end - seen[0].begin, 39U);
	EXPECT_EQ(group(seen[0]), "/tmp/a");
}

TEST_F(Descriptors, WhatGoesWithItsProcessWasLeftOrDied)
{
	for (int status : {0, SIGKILL}) {
		if (engine)
			TearDown();
		spans.clear();
		seen.clear();
		open({"fd"});
		feed(opened(10, h));
		feed({io::destroy(90, t, h), program_end(90, status)});
		span_engine_end(engine);
		ASSERT_EQ(seen.size(), 1U);
		EXPECT_EQ(seen[0].fate, status ? SPAN_DIED : SPAN_LEFT);
		EXPECT_EQ(seen[0].end, 90U);
	}
}

TEST_F(Descriptors, DuplicatesAreSpansOfTheirOwn)
{
	io_event duplicate = io::at(20, IO_DUPLICATE_HANDLE, t, h);

	duplicate.duplicate.new_handle = b.handle(p, b.file("/tmp/a"));
	open({"fd"});
	feed(opened(10, h));
	feed({duplicate});
	feed(closed(30, h));
	span_engine_end(engine);
	EXPECT_EQ(span_engine_books(engine, 0)->begun, 2U);
	EXPECT_EQ(span_engine_books(engine, 0)->fate[SPAN_OPEN], 1U);
}

/* A child closes what it inherited, or loses it in an exec. Its parent keeps its own. */
TEST_F(Descriptors, CopiesOfAnotherProcessEndNothing)
{
	thread_id child = b.thread(b.process(200, "child", p), 200, "child");

	open({"fd"});
	feed(opened(10, h));
	feed({io::enter(20, child, "close", h), io::destroy(20, child, h),
	      io::leave(21, child, "close"), io::destroy(30, child, h)});
	EXPECT_EQ(span_engine_books(engine, 0)->ends_without_begin, 0U);
	EXPECT_TRUE(seen.empty());
	feed(closed(50, h));
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].fate, SPAN_ENDED);
	EXPECT_EQ(seen[0].end, 50U);
}

/* clone(CLONE_FILES): they have the same descriptors. */
TEST_F(Descriptors, AnotherProcessMayShareThem)
{
	thread_id other = b.thread(b.process(200, "other", p), 200, "other");
	io_event shared = io::destroy(20, other, h);

	shared.destroy.is_shared = true;
	open({"fd"});
	feed(opened(10, h));
	feed({io::enter(20, other, "close", h), shared, io::leave(21, other, "close")});
	ASSERT_EQ(seen.size(), 1U);
	EXPECT_EQ(seen[0].fate, SPAN_ENDED);
}

/* It opens nothing. */
TEST_F(Descriptors, ACopyOfTheTableBeginsNone)
{
	for (const char *call : {"unshare", "close_range"}) {
		io_event duplicate = io::at(21, IO_DUPLICATE_HANDLE, t, h);

		if (engine)
			TearDown();
		spans.clear();
		duplicate.duplicate.new_handle = b.handle(p, b.file("/tmp/a"));
		open({"fd"});
		feed({io::enter(20, t, call), duplicate, io::leave(22, t, call)});
		EXPECT_EQ(span_engine_books(engine, 0)->begun, 0U) << call;
	}
}

TEST_F(Descriptors, OneThatWasOpenBeforeIsNone)
{
	open({"fd"});
	feed(closed(5, h));
	EXPECT_EQ(span_engine_books(engine, 0)->begun, 0U);
	EXPECT_EQ(span_engine_books(engine, 0)->ends_without_begin, 1U);
}

TEST_F(Descriptors, ALookTellsWhatIsOpenNowAndChangesNothing)
{
	struct leaks leaks = {};

	open({"fd"});
	feed(opened(10, h));
	leaks.older_than = 900;
	span_engine_look(engine, 909, leaks_seen, &leaks);
	EXPECT_EQ(leaks.leaks, 0U);
	EXPECT_EQ(leaks.young[0], 1U);
	span_engine_look(engine, 1000, leaks_seen, &leaks); /* long after the last event */
	EXPECT_EQ(leaks.leaks, 1U);
	EXPECT_EQ(leaks.open[0], 1U);
	EXPECT_TRUE(seen.empty());
	leaks_release(&leaks);
	feed(closed(50, h));
	EXPECT_EQ(seen.back().fate, SPAN_ENDED);
}

TEST_F(Descriptors, ALookLeavesOutWhatEndedWithItsProcess)
{
	struct leaks leaks = {};

	open({"fd"});
	feed(opened(10, h));
	feed({io::destroy(90, t, h), program_end(90, 0)});
	span_engine_look(engine, 1000, leaks_seen, &leaks);
	EXPECT_EQ(leaks.leaks, 0U);
	leaks_release(&leaks);
	span_engine_end(engine);
	EXPECT_EQ(seen.back().fate, SPAN_LEFT);
}

struct span_seen leak(enum span_fate fate, uint64_t age, uint64_t group)
{
	struct span_seen s = {};

	s.fate = fate;
	s.begin = 100;
	s.end = 100 + age;
	s.group = group;
	return s;
}

TEST(Leaks, AreWhatWasLeftAndWhatIsOpenForLong)
{
	struct leaks leaks = {};

	leaks.older_than = 1000;
	for (const struct span_seen &s :
	     {leak(SPAN_LEFT, 1, 1), leak(SPAN_OPEN, 1000, 2), leak(SPAN_OPEN, 2000, 2),
	      leak(SPAN_OPEN, 999, 3), leak(SPAN_DIED, 5000, 4), leak(SPAN_CANCELLED, 5000, 5),
	      leak(SPAN_ENDED, 5000, 6), leak(SPAN_BEGUN_AGAIN, 5000, 7), leak(SPAN_LOST, 5000, 8)})
		leaks_seen(&leaks, &s);
	leaks_sort(&leaks);
	EXPECT_EQ(leaks.leaks, 3U);
	EXPECT_EQ(leaks.left[0], 1U);
	EXPECT_EQ(leaks.open[0], 2U);
	EXPECT_EQ(leaks.young[0], 1U);
	ASSERT_EQ(leaks.groups, 2U);
	EXPECT_EQ(leaks.group[0].group, 2U);
	EXPECT_EQ(leaks.group[0].count, 2U);
	EXPECT_EQ(leaks.group[0].oldest, 2000U);
	leaks_release(&leaks);
}

/* Calls whose begins were recorded with their stacks. */
class CallStacks : public Io
{
      protected:
	void SetUp() override
	{
		open({"fd", "call", "io"});
		span_engine_use_stacks(engine);
		ASSERT_STREQ(span_engine_events(engine)->item[0], "raw_syscalls:sys_enter=id");
	}
	void begins(uint64_t time, uint64_t address, uint32_t tid = 101)
	{
		const uint64_t chain[] = {static_cast<uint64_t>(-512), address};
		struct event event = {};

		event.kind = EVENT_TRACEPOINT;
		event.time = time;
		event.pid = 100;
		event.tid = tid;
		event.tracepoint.callers = 2;
		event.tracepoint.caller = reinterpret_cast<const uint8_t *>(chain);
		span_engine_tracepoint(engine, &event);
	}
	/* The address in the stack; 0: no stack. */
	uint64_t address(const struct span_seen &s)
	{
		const struct span_frame *frame = span_engine_frame(engine, s.stack, 0);

		return frame ? frame->offset : 0;
	}
	/* Addresses in the order of ends, by the name of the span. */
	std::map<std::string, std::vector<uint64_t>> all()
	{
		std::map<std::string, std::vector<uint64_t>> found;

		span_engine_end(engine);
		for (const struct span_seen &s : seen)
			found[spans[s.span]->name].push_back(address(s));
		return found;
	}
	handle_id h = b.handle(p, b.file("/x"));
};

TEST_F(CallStacks, AreOfTheCallThatMadeTheSpan)
{
	/* Samples of later calls are there before the model passes the first call on. */
	begins(1000, 0xa);
	begins(2000, 0xb);
	begins(3000, 0xc);
	begins(2500, 0xd, 102);
	feed({io::enter(1000, t, "openat"), io::create(1500, t, h, 0), io::leave(1500, t, "openat"),
	      io::enter(2000, t, "read"), io::begin(2000, t, h, 7, IO_MODE_READ, 5),
	      io::complete(2500, t, h, 7, 5), io::leave(2500, t, "read"),
	      io::enter(3100, t, "fsync"), io::leave(3500, t, "fsync")});
	auto found = all();
	EXPECT_EQ(found["fd"], std::vector<uint64_t>({0xa}));
	EXPECT_EQ(found["call"], std::vector<uint64_t>({0xa, 0xb, 0xc}));
	EXPECT_EQ(found["io"], std::vector<uint64_t>({0xb}));
}

TEST_F(CallStacks, AreAbsentWhereTheSampleIs)
{
	begins(1000000, 0xa);
	feed({io::enter(1000000, t, "read"), io::leave(1000500, t, "read"),
	      io::enter(2000000, t, "read"), io::leave(2000500, t, "read")});
	begins(2900000, 0xb); /* of a call that the model does not pass on */
	begins(3000000, 0xc);
	feed({io::enter(3000000, t, "read"), io::leave(3000500, t, "read")});
	EXPECT_EQ(all()["call"], std::vector<uint64_t>({0xa, 0, 0xc}));
}

/* Walking a stack takes time, and so does an interrupt between sample and record. */
TEST_F(CallStacks, MayBeTakenLongBeforeOrAfterTheRecord)
{
	begins(905000, 0xa);
	feed({io::enter(1000000, t, "read"), io::leave(1000500, t, "read")});
	begins(2040000, 0xb);
	feed({io::enter(2000000, t, "read"), io::leave(2050000, t, "read")});
	EXPECT_EQ(all()["call"], std::vector<uint64_t>({0xa, 0xb}));
}

/* Here the sample of a call was lost, and those of the calls before and after it are near. */
TEST_F(CallStacks, AreNotThoseOfAnotherCall)
{
	begins(1000000, 0xa);
	feed({io::enter(1000000, t, "read"), io::leave(1000500, t, "read"),
	      io::enter(1002000, t, "read"), io::leave(1002500, t, "read")});
	begins(1004000, 0xc);
	feed({io::enter(1004000, t, "read"), io::leave(1004500, t, "read")});
	EXPECT_EQ(all()["call"], std::vector<uint64_t>({0xa, 0, 0xc}));
}

} // namespace
