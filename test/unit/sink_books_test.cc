/*
 * The books: what balances, what is said, and iotrace.json.
 */
#include "scratch_dir.h"
#include "trace_builder.h"

#include <iotrace/books.h>
#include <iotrace/error.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <json.h>
#include <sys/sysmacros.h>

namespace
{

class Books : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	TraceBuilder b;

	void count(const char *name, uint32_t event, uint64_t counted, uint64_t lost,
		   bool has_lost = true)
	{
		b.trace->count = static_cast<struct trace_count *>(
			mem_grow(b.trace->count, &b.trace->counts_cap, b.trace->counts + 1,
				 sizeof(struct trace_count)));
		b.trace->count[b.trace->counts++] = {b.text(name), event,    counted,
						     lost,         has_lost, false};
	}

	/* Of block requests. */
	void see_no_end_of(uint64_t requests)
	{
		b.trace->unseen_ends = requests;
	}

	void settle(const std::vector<uint64_t> &samples, uint64_t lost_records = 0,
		    uint64_t cut = 0)
	{
		const struct books_missing missing = {lost_records, cut};

		for (uint64_t n : samples)
			b.tally.n[TALLY_samples] += n;
		b.tally.n[TALLY_events] = b.tally.n[TALLY_samples];
		books_settle(&b.tally, b.trace, samples.data(),
			     static_cast<uint32_t>(samples.size()), &missing);
	}

	std::string sentence(enum books_state state)
	{
		char text[512];

		EXPECT_EQ(books_check(b.trace, &b.tally, text, sizeof(text)), state);
		return text;
	}

	json_object *json(const struct books &books)
	{
		char *text = books_json(&books);
		json_object *top = json_tokener_parse(text);

		free(text);
		return top;
	}

	struct books books() const
	{
		struct books all = {};

		all.trace = b.trace;
		all.tally = &b.tally;
		all.version = "1.2.3";
		return all;
	}

	static std::string at(json_object *top, const char *where)
	{
		json_object *found = nullptr;

		if (json_pointer_get(top, where, &found))
			return "(none)";
		return found ? json_object_get_string(found) : "null";
	}
};

TEST_F(Books, SomeGapsHaveNoNumber)
{
	b.tally.n[TALLY_detached] = 1;
	settle({10});
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 1 program continued without being recorded, because it is set-uid or may "
		"not be read (--source=bpf records it).");
	b.tally.n[TALLY_detached] = 0;
	b.tally.n[TALLY_cpus_unseen] = 2;
	b.tally.n[TALLY_untraced] = 3;
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 2 CPUs came online, and some of their events are missing; 3 new tasks "
		"could not be followed for lack of memory.");
	b.tally.n[TALLY_foreign_processes] = 1;
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 1 process ran a 32-bit program, whose system calls are not recorded; 2 "
		"CPUs came online, and some of their events are missing; 3 new tasks could not be "
		"followed for lack of memory.");
	b.tally.n[TALLY_foreign_processes] = 0;
	b.tally.n[TALLY_malformed] = 1;
	b.tally.n[TALLY_events]--;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 1 of 10 events is missing (it does not follow its format). 2 CPUs "
		  "came online, and some of their events are missing; 3 new tasks could not be "
		  "followed for lack of memory.");
}

/* Nothing that was counted is missing, but nobody knows what came after. */
TEST_F(Books, ACaptureWithoutItsEndIsIncomplete)
{
	count("enter", 0, 10, 0);
	settle({10});
	b.trace->host.end_reason = -1;
	EXPECT_EQ(sentence(BOOKS_BALANCED), "complete: all 10 events recorded"); /* perf's */
	b.trace->host.source = TRACE_SOURCE_BPF;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: the capture has no end, because iotrace was killed, its disk was "
		  "full or the file was truncated. Later events are unknown.");
	b.trace->host.end_reason = TRACE_END_ERROR;
	EXPECT_EQ(sentence(BOOKS_LOSS), "incomplete: an error ended the recording early");
	b.trace->host.end_reason = 0;
	EXPECT_EQ(sentence(BOOKS_BALANCED), "complete: all 10 events recorded");
	b.tally.n[TALLY_torn] = 40;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: the capture has no end, because iotrace was killed, its disk was "
		  "full or the file was truncated. Later events are unknown.");
}

TEST_F(Books, SamplesOfPerfAreNotAllEvents)
{
	count("enter", 0, 10, 0);
	settle({10});
	b.tally.n[TALLY_sampled] = 2;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 2 kinds of events have only samples, because of "
		  "-F or -c of perf record.");
}

TEST_F(Books, AnArchiveOfOthersDoesNotSayIt)
{
	b.trace->host.is_of_others = true;
	EXPECT_EQ(sentence(BOOKS_UNKNOWN), "the archive does not say whether events are missing");
}

/* The capture may be whole: the conversion did not read it to its end. */
TEST_F(Books, AConversionThatEndsEarlySaysWhy)
{
	count("enter", 0, 10, 0);
	settle({10});
	b.trace->host.source = TRACE_SOURCE_BPF;
	b.trace->host.end_reason = -1;
	b.trace->host.conversion = TRACE_CONVERSION_STOPPED;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: the conversion was stopped. Later events were not converted.");
	json_object *top = json(books());
	EXPECT_EQ(at(top, "/conversion_end"), "stopped");
	json_object_put(top);
	b.trace->host.conversion = TRACE_CONVERSION_UNWRITTEN;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: the conversion ended early, because its output could not be "
		  "written. Later events were not converted.");
	top = json(books());
	EXPECT_EQ(at(top, "/conversion_end"), "error");
	json_object_put(top);
	b.trace->host.conversion = TRACE_CONVERSION_WHOLE;
	top = json(books());
	EXPECT_EQ(at(top, "/conversion_end"), "null");
	json_object_put(top);
}

/* The user has set the limit, so nothing is lost; but this is not the whole run. */
TEST_F(Books, WhatALimitEndedIsNotComplete)
{
	b.trace->host.first_time = 1000;
	b.trace->host.last_time = 92401000;
	b.trace->host.end_reason = TRACE_END_LIMIT;
	b.trace->host.source = TRACE_SOURCE_BPF;
	EXPECT_EQ(sentence(BOOKS_BALANCED),
		  "incomplete: --limit ended the recording after 92.4 ms");
	count("enter", 0, 10, 0);
	settle({10});
	EXPECT_EQ(sentence(BOOKS_BALANCED),
		  "incomplete: --limit ended the recording after 92.4 ms. All 10 events until then "
		  "were recorded");
	struct books all = books();
	all.is_complete = true;
	json_object *top = json(all);
	EXPECT_EQ(at(top, "/end"), "limit");
	json_object_put(top);
}

TEST_F(Books, NothingLost)
{
	count("enter", 0, 600, 0);
	count("exit", 1, 600, 0);
	settle({600, 600, 0});
	EXPECT_EQ(sentence(BOOKS_BALANCED), "complete: all 1,200 events recorded");
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 1200U);
}

TEST_F(Books, OneThatIsMissing)
{
	count("enter", 0, 23345, 0);
	settle({23344});
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 1 of 23,345 events is missing (the kernel did not deliver it). Try "
		  "--source=bpf.");
	/* It was BPF already. */
	b.trace->host.source = TRACE_SOURCE_BPF;
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 1 of 23,345 events is missing (the kernel did not deliver it).");
}

TEST_F(Books, LostAndUnseen)
{
	count("enter", 0, 1000, 300);
	count("exit", 2, 1000, 200);
	settle({700, 0, 790});
	EXPECT_EQ(b.tally.n[TALLY_lost], 500U);
	EXPECT_EQ(b.tally.n[TALLY_unseen], 10U);
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 510 of 2,000 events are missing (500: the kernel's ring buffers "
		  "were full; 10: the kernel did not deliver them). Try a larger ring buffer with "
		  "-m, or --source=bpf.");
}

/* The kernel delivered it: it lay in a part of the spool that was given back to the disk. */
TEST_F(Books, WhatWasCutOutOfTheSpoolIsLost)
{
	count("enter", 0, 100, 5);
	count("exit", 1, 100, 0);
	settle({70, 90}, 35, 30);
	EXPECT_EQ(b.tally.n[TALLY_lost], 35U);
	EXPECT_EQ(b.tally.n[TALLY_unseen], 5U);
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 200U);
}

TEST_F(Books, EndsThatNoEventCountsAreUnseen)
{
	see_no_end_of(3);
	count("bpf", 0, 20, 5);
	settle({15});
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 23U);
	EXPECT_EQ(b.tally.n[TALLY_unseen], 3U);
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 8 of 23 events are missing (5: the kernel's ring buffers were full; "
		"3: the kernel did not deliver them). Try a larger ring buffer with -m, or --source=bpf.");
}

TEST_F(Books, WhereNothingWasCountedNothingIsUnseen)
{
	see_no_end_of(3);
	settle({15});
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 0U);
	EXPECT_EQ(sentence(BOOKS_BALANCED), "complete: all 15 events recorded");
}

TEST_F(Books, TooManyOfOneDoNotHideTooFewOfAnother)
{
	count("enter", 0, 100, 0);
	count("exit", 1, 100, 0);
	settle({110, 90});
	EXPECT_EQ(sentence(BOOKS_WRONG)
			  .rfind("the event counts contradict each other: kernel_counted 200 = ",
				 0),
		  0U);
}

TEST_F(Books, KernelsThatCountNoLoss)
{
	count("enter", 0, 100, 0, false);
	settle({60}, 30);
	EXPECT_EQ(b.tally.n[TALLY_lost], 30U);
	EXPECT_EQ(b.tally.n[TALLY_unseen], 10U);
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 40 of 100 events are missing (30: the kernel's ring buffers were "
		  "full; 10: the kernel did not deliver them). Try a larger ring buffer with -m, "
		  "or --source=bpf.");
}

TEST_F(Books, WithoutCountsTheRecordsOfLossAreAll)
{
	settle({60}, 30);
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 0U);
	EXPECT_EQ(b.tally.n[TALLY_unseen], 0U);
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 30 of 90 events are missing (the kernel's ring buffers were full). "
		  "Try a larger ring buffer with -m.");
}

TEST_F(Books, SamplesTooBrokenToBePlacedAreNotUnseen)
{
	count("enter", 0, 10, 0);
	b.tally.n[TALLY_samples] = 2;
	b.tally.n[TALLY_malformed] = 2;
	settle({8});
	b.tally.n[TALLY_events] = 8;
	EXPECT_EQ(b.tally.n[TALLY_unseen], 0U);
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 2 of 10 events are missing (they do not follow their format).");
}

/* The kernel counts wakeups of a thread by others, and delivers them to nobody. */
TEST_F(Books, WhatIsNotComparedWithItsCount)
{
	count("iotrace:event:sched:sched_wakeup", 0, 35, 0);
	count("enter", 1, 7, 0);
	b.trace->count[0].is_inexact = true;
	settle({10, 7});
	EXPECT_EQ(sentence(BOOKS_BALANCED), "complete: all 17 events recorded");
	EXPECT_EQ(b.tally.n[TALLY_kernel_counted], 17U);
}

/* No other source and no option of ours would deliver them. */
TEST_F(Books, NothingHelpsAgainstUndeliveredEventsThatWereChosen)
{
	count("iotrace:event:sched:sched_wakeup", 0, 35, 0);
	count("enter", 1, 7, 0);
	settle({33, 7});
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 2 of 42 events are missing (the kernel did not deliver them).");
}

TEST_F(Books, WhatHelpsAgainstOthers)
{
	count("iotrace:event:sched:sched_wakeup", 0, 35, 0);
	count("enter", 1, 8, 0);
	settle({33, 7});
	EXPECT_EQ(sentence(BOOKS_LOSS),
		  "incomplete: 3 of 43 events are missing (the kernel did not deliver them). Try "
		  "--source=bpf.");
}

/* iotrace had to end the recording: then it was not the kernel that did not deliver. */
TEST_F(Books, WhatFoundNoRoomInTheSpool)
{
	count("enter", 0, 100, 0);
	settle({60});
	b.trace->host.end_reason = TRACE_END_ERROR;
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 40 of 100 events are missing (iotrace could not write them to its spool).");
	b.tally.n[TALLY_sink_unwritten] = 1234;
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 40 of 100 events are missing (iotrace could not write them to its spool). The archive lacks 1,234 records (they could not be written).");
}

TEST_F(Books, WhatTheArchiveLacks)
{
	settle({60});
	b.tally.n[TALLY_sink_unwritten] = 5;
	b.tally.n[TALLY_sink_refused] = 1;
	EXPECT_EQ(
		sentence(BOOKS_LOSS),
		"incomplete: 60 events were recorded, but the archive lacks 6 records (1: OTF2 cannot express it; 5: they could not be written).");
}

/* A hostile capture may say anything of its clock. */
TEST_F(Books, TimesBeyondAllCalendars)
{
	settle({1});
	for (int64_t offset : {INT64_MAX, INT64_MIN, (int64_t)-1}) {
		b.trace->host.realtime_offset = offset;
		for (uint64_t first : {UINT64_MAX, (uint64_t)INT64_MAX, (uint64_t)1 << 63}) {
			b.trace->host.first_time = first;
			json_object *top = json(books());
			EXPECT_NE(top, nullptr);
			json_object_put(top);
		}
	}
}

TEST_F(Books, ASmallBufferIsEnough)
{
	b.tally.n[TALLY_lost] = 5;
	for (size_t size = 1; size < 80; size++) {
		std::vector<char> text(size, 'x');

		EXPECT_EQ(books_check(b.trace, &b.tally, text.data(), size), BOOKS_LOSS);
		EXPECT_LT(strnlen(text.data(), size), size);
	}
}

TEST_F(Books, JsonSaysWhatWasRecorded)
{
	b.trace->host.argv = b.text(std::string("./a\0b c\0\xff", 9));
	b.trace->host.cwd = b.text("/home");
	b.trace->host.status = 9;
	b.trace->host.end_reason = 1;
	b.trace->host.block_source = TRACE_SOURCE_BPF;
	b.trace->host.block_why = b.text("because");
	b.trace->host.first_time = 500;
	b.trace->host.last_time = 2500;
	count("enter", 1, 7, 2);
	struct books all = books();
	const uint64_t samples[] = {0, 5};
	all.samples = samples;
	all.events = 2;
	all.groups = 1U << GROUP_DATA | 1U << GROUP_TASK;
	all.is_complete = true;
	struct sink_end cut = {};
	cut.code = -EFBIG;
	cut.is_cut = true;
	cut.time = 1700;
	all.end = &cut;
	b.trace->host.end_errno = ENOSPC;
	json_object *top = json(all);
	ASSERT_NE(top, nullptr);
	const struct {
		const char *where, *is;
	} row[] = {
		{"/schema", "1"},
		{"/end_errno", "28"},
		{"/archive_end/duration_ns", "1200"},
		{"/archive_end/errno", "27"},
		{"/iotrace", "1.2.3"},
		{"/source", "perf"},
		{"/block_source", "bpf"},
		{"/whole_machine", "false"},
		{"/block_source_why", "because"},
		{"/command/argv/0", "./a"},
		{"/command/argv/1", "b c"},
		{"/command/argv/2", "\\xff"},
		{"/command/argv/3", "(none)"},
		{"/command/cwd", "/home"},
		{"/command/exit_status", "null"},
		{"/command/signal", "9"},
		{"/host/name", "node7"},
		{"/host/cpus", "8"},
		{"/start", "2023-11-14T22:13:20.000000500Z"},
		{"/start_ns", "1700000000000000500"},
		{"/duration_ns", "2000"},
		{"/end", "interrupted"},
		{"/is_complete", "true"},
		{"/syscalls/0", "data"},
		{"/syscalls/1", "task"},
		{"/syscalls/2", "(none)"},
		{"/events/0/name", "enter"},
		{"/events/0/counted", "7"},
		{"/events/0/lost", "2"},
		{"/events/0/samples", "5"},
		{"/books/balanced", "true"},
	};
	for (const auto &r : row)
		EXPECT_EQ(at(top, r.where), r.is) << r.where;
	json_object_put(top);
}

TEST_F(Books, JsonHasDevicesWithTheirBooks)
{
	process_id excluded = b.process(4711, "idle");

	thread_id idle = b.thread(excluded, 4711, "idle");

	b.trace->thread[idle].is_excluded = true;
	b.trace->process[excluded].is_excluded = true;
	b.cgroup(17, "/a/b");
	b.cgroup(18, "");
	uint32_t sda = b.device(makedev(8, 0), "sda"), loop = b.device(makedev(7, 0), "loop0");
	struct trace_device *device = &b.trace->device[sda];
	const struct trace_metric_text metric[] = {{"dirty", "B", "", false, false}};
	process_id shared = b.process(0, "shared locations");

	b.trace->process[shared].kind = TRACE_SHARED_GROUP;
	b.trace->process[shared].sharing = 12;
	b.process(100, "app");
	b.thread(shared, 0, "true");
	b.trace->process[b.process(0, "of no request")].kind = TRACE_PROCESS;
	trace_add_series(b.trace, "memory", false, metric, 1);
	trace_add_parameter(b.trace, "filename");
	device->model = b.text("Fast");
	device->sectors = 2048;
	device->is_rotational = true;
	device->has_stat = true;
	for (uint32_t i = 0; i < DEVICE_STATS; i++) {
		device->stat[0][i] = 1000;
		device->stat[1][i] = 1000 + i;
		device->seen[i] = i;
	}
	device->seen[8] = 77; /* in flight: is not compared */
	b.trace->device[loop].disk = sda;
	b.trace->device[loop].backing = b.text("/image");
	b.trace->device[loop].is_known = false;
	json_object *top = json(books());
	ASSERT_NE(top, nullptr);
	const struct {
		const char *where, *is;
	} row[] = {
		{"/devices/0/name", "sda"},
		{"/devices/0/dev", "8:0"},
		{"/devices/0/model", "Fast"},
		{"/devices/0/rotational", "true"},
		{"/devices/0/size", "1048576"},
		{"/devices/0/disk", "null"},
		{"/devices/0/balanced", "true"},
		{"/devices/0/read/requests", "0"},
		{"/devices/0/read/kernel_sectors", "2"},
		{"/devices/0/write/requests", "4"},
		{"/devices/0/write/sectors", "6"},
		{"/devices/0/discard/kernel_requests", "11"},
		{"/devices/0/discard/sectors", "13"},
		{"/devices/0/flush/requests", "15"},
		{"/devices/0/flush/kernel_requests", "15"},
		{"/devices/0/flush/sectors", "0"},
		{"/devices/1/disk", "sda"},
		{"/devices/1/backing", "/image"},
		{"/devices/1/rotational", "null"},
		{"/devices/1/size", "null"},
		{"/devices/1/balanced", "null"},
		{"/devices/1/read/kernel_requests", "null"},
		{"/devices/2", "(none)"},
		{"/cgroups/0/id", "17"},
		{"/cgroups/0/path", "/a/b"},
		{"/cgroups/1/id", "18"},
		{"/cgroups/1/path", "null"},
		{"/cgroups/2", "(none)"},
		{"/series/0/name", "memory"},
		{"/series/0/metrics/0/name", "dirty"},
		{"/series/0/metrics/0/unit", "B"},
		{"/parameters/0", "filename"},
		{"/trace/processes", "2"},
		{"/trace/sharing_processes", "12"},
		{"/trace/threads", "1"},
		{"/trace/devices", "2"},
	};
	for (const auto &r : row)
		EXPECT_EQ(at(top, r.where), r.is) << r.where;
	json_object_put(top);
}

TEST_F(Books, ADeviceIsBalancedIfAllItsKindsAre)
{
	uint32_t sda = b.device(makedev(8, 0), "sda");
	struct trace_device *device = &b.trace->device[sda];

	device->has_stat = true;
	for (uint32_t index : {0, 2, 4, 6, 11, 13, 15}) {
		device->seen[index] = 1;
		json_object *top = json(books());
		EXPECT_EQ(at(top, "/devices/0/balanced"), "false") << index;
		json_object_put(top);
		device->stat[1][index] = 1;
		top = json(books());
		EXPECT_EQ(at(top, "/devices/0/balanced"), "true") << index;
		json_object_put(top);
	}
}

TEST_F(Books, JsonHasNullForWhatIsNotKnown)
{
	b.trace->host.realtime_offset = 0;
	b.tally.n[TALLY_begun] = 1;
	count("enter", 0, 7, 0, false);
	json_object *top = json(books());
	ASSERT_NE(top, nullptr);
	for (const char *where :
	     {"/command/argv", "/command/cwd", "/command/exit_status", "/command/signal", "/start",
	      "/start_ns", "/end", "/end_errno", "/archive_end", "/syscalls", "/events/0/lost"})
		EXPECT_EQ(at(top, where), "null") << where;
	EXPECT_EQ(at(top, "/books/balanced"), "false");
	EXPECT_EQ(at(top, "/is_complete"), "false");
	json_object_put(top);
}

/* All was converted; whether that is all of the command, the stream says. */
TEST_F(Books, CompleteIsWhatWasRecordedToItsEnd)
{
	const struct {
		bool has_command;
		int status, reason;
		uint32_t source;
		const char *is;
	} row[] = {
		{true, 0, 0, TRACE_SOURCE_BPF, "true"},
		{true, 9, 3, TRACE_SOURCE_BPF, "true"},
		{true, -1, 3, TRACE_SOURCE_BPF, "false"},  /* stopped before the command ended */
		{true, -1, -1, TRACE_SOURCE_BPF, "false"}, /* iotrace was killed */
		{true, 0, 2, TRACE_SOURCE_BPF, "false"},   /* the disk was full */
		{true, 0, 4, TRACE_SOURCE_BPF, "false"},   /* --limit, and the command ended then */
		{false, -1, 4, TRACE_SOURCE_BPF, "false"}, /* -a and --limit */
		{false, -1, 1, TRACE_SOURCE_PERF, "true"}, /* -a until Ctrl-C */
		{false, -1, 3, TRACE_SOURCE_PERF, "true"}, /* -p until Ctrl-C */
		{false, -1, -1, TRACE_SOURCE_PERF, "false"},
		{false, -1, -1, TRACE_SOURCE_UNKNOWN, "true"}, /* a file of perf record */
	};

	for (const auto &r : row) {
		b.trace->host.argv = r.has_command ? b.text("./app") : 0;
		b.trace->host.status = r.status;
		b.trace->host.end_reason = r.reason;
		b.trace->host.source = r.source;
		struct books all = books();
		all.is_complete = true;
		json_object *top = json(all);
		EXPECT_EQ(at(top, "/is_complete"), r.is) << &r - row;
		json_object_put(top);
		EXPECT_EQ(books_ends_early(b.trace),
			  r.has_command && r.status < 0 && r.reason >= 0);
	}
}

TEST_F(Books, WhatTheKernelRefusesIsThere)
{
	char text[1024];

	b.refuse("io_uring requests", "no tracepoint", "");
	b.refuse("record locks", "other arguments", "perf");
	for (enum tally_counter counter : {TALLY_refused, TALLY_uring_unseen, TALLY_late}) {
		bool is_missing = counter != TALLY_late;

		memset(&b.tally, 0, sizeof(b.tally));
		b.tally.n[counter] = 1;
		struct books all = books();
		all.is_complete = true;
		json_object *top = json(all);
		EXPECT_EQ(at(top, "/refused/0/name"), "io_uring requests");
		EXPECT_EQ(at(top, "/refused/0/why"), "no tracepoint");
		EXPECT_EQ(at(top, "/refused/0/instead"), "null");
		EXPECT_EQ(at(top, "/refused/1/instead"), "perf");
		EXPECT_EQ(at(top, "/is_complete"), is_missing ? "false" : "true");
		json_object_put(top);
		EXPECT_EQ(books_check(b.trace, &b.tally, text, sizeof(text)),
			  is_missing ? BOOKS_LOSS : BOOKS_BALANCED);
	}
	memset(&b.tally, 0, sizeof(b.tally));
	b.tally.n[TALLY_refused] = 1;
	books_check(b.trace, &b.tally, text, sizeof(text));
	EXPECT_STREQ(text,
		     "incomplete: 1 kind of record is missing, because the kernel refuses the BPF "
		     "programs for it.");
}

TEST_F(Books, EveryCounterIsThereByName)
{
	for (int i = 0; i < TALLY_COUNT; i++)
		b.tally.n[i] = static_cast<uint64_t>(i) + 100;
	json_object *top = json(books());
	for (int i = 0; i < TALLY_COUNT; i++) {
		std::string where = std::string("/books/counters/") +
				    tally_name(static_cast<enum tally_counter>(i));

		EXPECT_EQ(at(top, where.c_str()), std::to_string(i + 100)) << where;
	}
	json_object_put(top);
}

TEST_F(Books, AreWrittenWholeOrNotAtAll)
{
	struct error err = {};
	struct books all = books();
	std::string dir = scratch.path("dir");

	std::filesystem::create_directory(dir);
	int fd = open(dir.c_str(), O_RDONLY | O_DIRECTORY);
	ASSERT_EQ(books_write(&all, fd, &err), 0) << err.text;
	json_object *top = json_object_from_file((dir + "/iotrace.json").c_str());
	EXPECT_EQ(at(top, "/schema"), "1");
	json_object_put(top);
	/* Never over anything. */
	EXPECT_EQ(books_write(&all, fd, &err), -EEXIST);
	EXPECT_STREQ(err.text, "cannot write iotrace.json: File exists");
	EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), {}), 1);
	close(fd);
	EXPECT_EQ(books_write(&all, fd, &err), -EBADF);
}

} // namespace
