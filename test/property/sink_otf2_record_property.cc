/*
 * The sink writes event files by itself: whatever the events are, they are byte for byte what the OTF2 library writes
 * for the same.
 */
#include "otf2_definition/otf2_flags.h"
#include "scratch_dir.h"
#include "sinks.h"
#include "trace_builder.h"

extern "C" {
#include "otf2_definition/otf2_defs.h"
#include "otf2_definition/otf2_text.h"
#include "otf2_definition/otf2_use.h"
#include "otf2_writer/otf2.h"
}

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <deque>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <sys/sysmacros.h>
#include <vector>

namespace
{

std::string content(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);

	return {std::istreambuf_iterator<char>(file), {}};
}

OTF2_FlushType flush(void *, OTF2_FileType, OTF2_LocationRef, void *, bool)
{
	return OTF2_FLUSH;
}

/* An archive with one location, written by the library alone. */
struct Library {
	static constexpr OTF2_FlushCallbacks callbacks = {flush, nullptr};
	OTF2_Archive *archive;
	OTF2_EvtWriter *w;
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	std::map<call_id, uint32_t> region;
	struct sink *sink; /* knows the ids of strings */

	Library(const std::string &path, struct sink *the_sink) : sink(the_sink)
	{
		archive = OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, CHUNK_SIZE,
					    CHUNK_SIZE, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);
		OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
		OTF2_Archive_SetSerialCollectiveCallbacks(archive);
		OTF2_Archive_OpenEvtFiles(archive);
		w = OTF2_Archive_GetEvtWriter(archive, 0);
	}
	void close()
	{
		OTF2_Archive_CloseEvtWriter(archive, w);
		OTF2_Archive_CloseEvtFiles(archive);
		OTF2_Archive_Close(archive);
		OTF2_AttributeList_Delete(list);
	}

	uint32_t text(str_id id) const
	{
		const struct strtab *strings = trace_strings(sink->trace);

		return otf2_string(sink, strtab_text(strings, id), strtab_length(strings, id));
	}
	uint32_t region_of(call_id call)
	{
		return region.emplace(call, (uint32_t)region.size()).first->second;
	}

	static uint64_t bytes_of(const io_event &e)
	{
		bool has_none = e.op.mode == IO_MODE_FLUSH && e.op.bytes == IO_BYTES_UNDEFINED;

		return has_none ? 0 : e.op.bytes;
	}

	OTF2_ErrorCode program_begin(const io_event &e)
	{
		const struct trace_thread *thread = trace_thread(sink->trace, e.thread);
		const struct trace_process *process = trace_process(sink->trace, thread->process);
		std::string argv(strtab_text(trace_strings(sink->trace), process->argv),
				 strtab_length(trace_strings(sink->trace), process->argv));
		std::vector<uint32_t> word;

		for (size_t at = 0; at < argv.size(); at += strlen(&argv[at]) + 1)
			word.push_back(otf2_text(sink, &argv[at]));
		OTF2_AttributeList_AddUint64(list, ATTRIBUTE_PROCESS_ID, process->pid);
		OTF2_AttributeList_AddUint64(list, ATTRIBUTE_THREAD_ID, thread->tid);
		return OTF2_EvtWriter_ProgramBegin(w, list, e.time, word[0],
						   (uint32_t)word.size() - 1, &word[1]);
	}

	OTF2_ErrorCode begin(const io_event &e)
	{
		static const OTF2_IoOperationMode mode[] = {OTF2_IO_OPERATION_MODE_READ,
							    OTF2_IO_OPERATION_MODE_WRITE,
							    OTF2_IO_OPERATION_MODE_FLUSH};

		if (otf2_is_block(sink, e.handle)) {
			if (e.op.pid)
				OTF2_AttributeList_AddUint64(list, ATTRIBUTE_BLOCK_PROCESS,
							     e.op.pid);
			if (e.op.tid && e.op.tid != e.op.pid)
				OTF2_AttributeList_AddUint64(list, ATTRIBUTE_BLOCK_THREAD,
							     e.op.tid);
			if (e.op.name)
				OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_BLOCK_COMMAND,
								text(e.op.name));
			if (e.op.rwbs)
				OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_BLOCK_RWBS,
								text(e.op.rwbs));
			if (e.op.cgroup < trace_cgroups(sink->trace))
				OTF2_AttributeList_AddStringRef(
					list, ATTRIBUTE_BLOCK_CGROUP,
					text(trace_cgroup(sink->trace, e.op.cgroup)->name));
			if (e.op.file < trace_files(sink->trace))
				OTF2_AttributeList_AddIoFileRef(list, ATTRIBUTE_FILE,
								otf2_file(sink, e.op.file));
		} else if (e.op.name) {
			OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_BY, text(e.op.name));
		}
		if (e.op.offset != IO_OFFSET_UNKNOWN)
			OTF2_AttributeList_AddUint64(list, ATTRIBUTE_OFFSET, e.op.offset);
		return OTF2_EvtWriter_IoOperationBegin(w, list, e.time, e.handle, mode[e.op.mode],
						       e.op.is_non_blocking
							       ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING
							       : 0,
						       bytes_of(e), e.op.id);
	}

	OTF2_ErrorCode metric(const io_event &e)
	{
		const struct trace_series *series = trace_series(sink->trace, e.metric.series);
		std::vector<OTF2_Type> type;
		std::vector<OTF2_MetricValue> value(series->metrics);

		for (uint32_t i = 0; i < series->metrics; i++) {
			type.push_back(
				otf2_metric_type(trace_metric(sink->trace, series->metric + i)));
			value[i].unsigned_int = e.metric.counter[i];
		}
		return OTF2_EvtWriter_Metric(w, nullptr, e.time, e.metric.series,
					     (uint8_t)series->metrics, type.data(), value.data());
	}

	OTF2_ErrorCode write_call(const io_event &e)
	{
		if (e.kind == IO_LEAVE && e.region.error)
			OTF2_AttributeList_AddInt32(list, ATTRIBUTE_ERRNO, e.region.error);
		if (e.kind == IO_LEAVE)
			return OTF2_EvtWriter_Leave(w, list, e.time, region_of(e.region.id));
		if (e.region.file != ID_NONE)
			OTF2_AttributeList_AddIoFileRef(list, ATTRIBUTE_FILE,
							otf2_file(sink, e.region.file));
		else if (e.handle != ID_NONE && e.region.id == io::call("fchmod"))
			OTF2_AttributeList_AddIoHandleRef(list, ATTRIBUTE_HANDLE, e.handle);
		return OTF2_EvtWriter_Enter(w, list, e.time, region_of(e.region.id));
	}

	OTF2_ErrorCode write_handle(const io_event &e)
	{
		static const OTF2_IoSeekOption whence[] = {OTF2_IO_SEEK_FROM_START,
							   OTF2_IO_SEEK_FROM_CURRENT,
							   OTF2_IO_SEEK_FROM_END, OTF2_IO_SEEK_DATA,
							   OTF2_IO_SEEK_HOLE};
		uint32_t flags = e.create.flags;

		switch (e.kind) {
		case IO_CREATE_HANDLE:
			return OTF2_EvtWriter_IoCreateHandle(w, nullptr, e.time, e.handle,
							     otf2_access_mode(flags),
							     otf2_creation_flags(flags),
							     otf2_status_flags(flags));
		case IO_DESTROY_HANDLE:
			return OTF2_EvtWriter_IoDestroyHandle(w, nullptr, e.time, e.handle);
		case IO_DUPLICATE_HANDLE:
			return OTF2_EvtWriter_IoDuplicateHandle(w, nullptr, e.time, e.handle,
								e.duplicate.new_handle,
								otf2_status_flags(
									e.duplicate.flags));
		case IO_SEEK:
			return OTF2_EvtWriter_IoSeek(w, nullptr, e.time, e.handle, e.seek.request,
						     whence[e.seek.whence], e.seek.result);
		case IO_CHANGE_STATUS_FLAGS:
			return OTF2_EvtWriter_IoChangeStatusFlags(w, nullptr, e.time, e.handle,
								  otf2_status_flags(flags));
		default:
			return OTF2_EvtWriter_IoDeleteFile(w, nullptr, e.time, PARADIGM_POSIX,
							   otf2_file(sink, e.delete_file.file));
		}
	}

	OTF2_ErrorCode write_operation(const io_event &e)
	{
		switch (e.kind) {
		case IO_OP_BEGIN:
			return begin(e);
		case IO_OP_ISSUED:
			return OTF2_EvtWriter_IoOperationIssued(w, nullptr, e.time, e.handle,
								e.op.id);
		case IO_OP_COMPLETE:
			if (e.op.error)
				OTF2_AttributeList_AddInt32(list, ATTRIBUTE_ERRNO, e.op.error);
			return OTF2_EvtWriter_IoOperationComplete(w, list, e.time, e.handle,
								  bytes_of(e), e.op.id);
		default:
			OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_CANCEL_REASON,
							otf2_text(sink, "the recording ended"));
			return OTF2_EvtWriter_IoOperationCancelled(w, list, e.time, e.handle,
								   e.op.id);
		}
	}

	OTF2_ErrorCode write_lock(const io_event &e)
	{
		OTF2_LockType type = e.lock.lock == IO_LOCK_SHARED ? OTF2_LOCK_SHARED
								   : OTF2_LOCK_EXCLUSIVE;

		if (e.kind == IO_ACQUIRE_LOCK)
			return OTF2_EvtWriter_IoAcquireLock(w, nullptr, e.time, e.handle, type);
		if (e.kind == IO_RELEASE_LOCK)
			return OTF2_EvtWriter_IoReleaseLock(w, nullptr, e.time, e.handle, type);
		return OTF2_EvtWriter_IoTryLock(w, nullptr, e.time, e.handle, type);
	}

	/* The time of an ended program is that which the sink gives it. */
	OTF2_ErrorCode write(const io_event &e)
	{
		if (e.kind == IO_ENTER || e.kind == IO_LEAVE)
			return write_call(e);
		if (e.kind >= IO_CREATE_HANDLE && e.kind <= IO_DELETE_FILE)
			return write_handle(e);
		if (e.kind >= IO_OP_BEGIN && e.kind <= IO_OP_CANCELLED)
			return write_operation(e);
		if (e.kind >= IO_ACQUIRE_LOCK && e.kind <= IO_TRY_LOCK)
			return write_lock(e);
		if (e.kind == IO_METRIC)
			return metric(e);
		if (e.kind == IO_PARAMETER)
			return OTF2_EvtWriter_ParameterString(w, nullptr, e.time,
							      e.parameter.parameter,
							      text(e.parameter.value));
		if (e.kind == IO_PROGRAM_BEGIN)
			return program_begin(e);
		if (e.kind == IO_THREAD_BEGIN) {
			OTF2_AttributeList_AddUint64(list, ATTRIBUTE_THREAD_ID, 4711);
			return OTF2_EvtWriter_ThreadBegin(w, list, e.time, 0,
							  OTF2_UNDEFINED_UINT64);
		}
		if (e.kind == IO_THREAD_END)
			return OTF2_EvtWriter_ThreadEnd(w, nullptr, e.time, 0,
							OTF2_UNDEFINED_UINT64);
		return OTF2_EvtWriter_ProgramEnd(w, nullptr, e.time,
						 e.program.exit_status < 0
							 ? OTF2_UNDEFINED_INT64
							 : e.program.exit_status >> 8);
	}
};

enum { FILES = 600 };

/* Events that make no sense, of all kinds and with all sizes of numbers. */
struct AnyEvents {
	std::mt19937_64 random;
	TraceBuilder b;
	thread_id t;
	uint32_t series[3];
	std::deque<std::vector<uint64_t>> values; /* of metrics */
	uint64_t now = 0;

	AnyEvents(uint64_t seed, uint32_t words) : random(seed)
	{
		std::string argv = "program";

		for (uint32_t i = 0; i < words; i++)
			argv += std::string("\0word ", 6) + std::to_string(i);
		process_id p = b.process(4000000000u, "p", ID_NONE, argv);
		t = b.thread(p, 4711, "t");
		file_id f = b.file("/f");
		for (int i = 1; i < FILES; i++)
			b.file(("/f" + std::to_string(i)).c_str());
		b.handle(p, f);
		b.device(makedev(8, 0), "sda");
		const uint32_t sizes[] = {1, 5, EVENT_COUNTERS};
		for (uint32_t i = 0; i < 3; i++) {
			std::vector<struct trace_metric_text> text(sizes[i],
								   {"m", "#", "", false, i == 1});
			series[i] = trace_add_series(b.trace, "s", true, text.data(), sizes[i]);
		}
		for (int i = 0; i < 300; i++)
			trace_add_parameter(b.trace, "parameter");
		b.text("a command");
	}

	uint64_t below(uint64_t n)
	{
		return random() % n;
	}
	/* Around every power of two, and the special ones. */
	uint64_t number()
	{
		uint64_t power = UINT64_C(1) << below(64);

		return below(4) ? power + below(3) - 1 : below(2) ? 0 : UINT64_MAX;
	}

	void fill_operation(io_event &e)
	{
		e.op.id = number();
		e.op.bytes = number();
		e.op.offset = number();
		e.op.mode = (io_mode)below(3);
		e.op.is_non_blocking = below(2);
		e.op.end = IO_END_RECORDING;
		e.op.pid = (uint32_t)number();
		e.op.tid = below(2) ? e.op.pid : (uint32_t)number();
		e.op.name = below(2) ? b.text("a command") : 0;
		e.op.rwbs = below(2) ? b.text("WS") : 0;
		e.op.file = below(2) ? 0 : ID_NONE;
		e.op.error = below(3) ? 0 : (int32_t)number() & INT32_MAX;
	}

	void fill(io_event &e)
	{
		static const char *const call[] = {"read", "write", "fchmod", "openat", "fsync"};

		if (e.kind == IO_ENTER || e.kind == IO_LEAVE) {
			e.region.id = io::call(call[below(5)]);
			e.region.error = below(3) ? 0 : (int32_t)number() & INT32_MAX;
			e.region.file = below(2) ? ID_NONE : (uint32_t)below(FILES);
		} else if (e.kind == IO_SEEK) {
			e.seek.request = (int64_t)number();
			e.seek.result = number();
			e.seek.whence = (uint32_t)below(5);
		} else if (e.kind == IO_DUPLICATE_HANDLE) {
			e.duplicate.new_handle = (uint32_t)number();
			e.duplicate.flags = below(2) ? O_CLOEXEC : 0;
		} else if (e.kind >= IO_OP_BEGIN && e.kind <= IO_OP_CANCELLED) {
			fill_operation(e);
		} else if (e.kind == IO_METRIC) {
			e.metric.series = series[below(3)];
			e.metric.counters = b.trace->series[e.metric.series].metrics;
			values.emplace_back(EVENT_COUNTERS);
			for (uint64_t &value : values.back())
				value = number();
			e.metric.counter = values.back().data();
		} else if (e.kind == IO_PARAMETER) {
			e.parameter.parameter = (uint32_t)below(300);
			e.parameter.value = b.text("value " + std::to_string(below(1000)));
		} else if (e.kind == IO_DELETE_FILE) {
			e.delete_file.file = (uint32_t)below(FILES);
		} else {
			e.create.flags = (uint32_t)random(); /* lock.lock */
		}
		if (e.kind >= IO_ACQUIRE_LOCK && e.kind <= IO_TRY_LOCK)
			e.lock.lock = below(2) ? IO_LOCK_SHARED : IO_LOCK_EXCLUSIVE;
	}

	io_event next()
	{
		auto kind = (io_event_kind)(IO_ENTER + below(IO_LOST - IO_ENTER));
		auto handle = below(4) ? (uint32_t)below(2) : (uint32_t)number();
		io_event e = io::at(now, kind, t, handle);

		now += below(2) ? 0 : below(100) ? below(1000) : below(UINT64_C(1) << 40);
		fill(e);
		return e;
	}
};

/* What a sink writes whose events go through the library. */
std::string through_library(AnyEvents &any, const std::vector<io_event> &events)
{
	ScratchDir scratch;
	std::string path = scratch.path("trace");
	struct error err = {};
	struct sink_options options = any.b.options(path.c_str());

	options.is_of_library = true;
	struct sink *sink = sink_otf2_ops.open(&options, &err);

	for (const io_event &e : events)
		sink_otf2_ops.event(sink, &e);
	EXPECT_EQ(sink_otf2_ops.close(sink, &err), 0) << err.text;
	return content(path + "/traces/0.evt");
}

/* Sends the events to the sink, both ways, and to the library. Returns the size of the file. */
size_t compare(AnyEvents &any, const std::vector<io_event> &events)
{
	ScratchDir scratch;
	std::string path = scratch.path("trace"), path_of_library = scratch.path("library");
	struct error err = {};
	struct sink_options options = any.b.options(path.c_str());
	struct sink *sink = sink_otf2_ops.open(&options, &err);

	EXPECT_NE(sink, nullptr) << err.text;
	Library library(path_of_library, sink);
	for (const io_event &e : events) {
		sink_otf2_ops.event(sink, &e);
		EXPECT_EQ(library.write(e), OTF2_SUCCESS) << io_event_name(e.kind);
	}
	EXPECT_EQ(sink->refused, 0u);
	library.close();
	EXPECT_EQ(sink_otf2_ops.close(sink, &err), 0) << err.text;

	std::string ours = content(path + "/traces/0.evt");
	EXPECT_FALSE(ours.empty());
	EXPECT_TRUE(ours == content(path_of_library + "/traces/0.evt"));
	EXPECT_TRUE(ours == through_library(any, events));
	return ours.size();
}

TEST(Otf2RecordProperty, EventFilesAreThoseOfTheLibrary)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		AnyEvents any(seed, 0);
		std::vector<io_event> events;

		if (seed % 2) /* a time of 0 is written, too */
			events.push_back(io::at(0, IO_THREAD_BEGIN, any.t));
		while (events.size() < 60000) /* several chunks */
			events.push_back(any.next());
		events.push_back(io::at(any.now, IO_THREAD_END, any.t));
		compare(any, events);
		ASSERT_FALSE(HasFailure()) << "seed " << seed;
	}
}

/* Records with long data, at any distance from the end of a chunk. */
TEST(Otf2RecordProperty, LongRecordsDoNotGoOverAChunk)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		for (uint32_t words : {1u, 47u, 48u, 49u, 50u, 51u, 4095u}) {
			AnyEvents any(seed, words);
			std::vector<io_event> events;

			while (events.size() < seed * 2100)
				events.push_back(any.next());
			events.push_back(io::at(any.now, IO_PROGRAM_BEGIN, any.t));
			events.push_back(io::at(any.now, IO_PROGRAM_END, any.t));
			events.back().program.exit_status = seed % 3 ? 3 << 8 : -1;
			compare(any, events);
			ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << words << " words";
		}
	}
}

/* Returns records that fill a chunk up but for a few bytes: `small` of 2 bytes, the others as long as can be. */
std::vector<io_event> nearly_a_chunk(AnyEvents &any, size_t small, size_t leave)
{
	const size_t header = 18, time = 9, record = 25;
	std::vector<io_event> events(small, io::enter(1, any.t, "read"));

	any.now = 1;
	for (size_t left = CHUNK_SIZE - header - (small ? time + 2 * small : 0);
	     left >= record + leave; left -= record)
		events.push_back(io::issued(++any.now, any.t, 1u << 31, UINT64_C(1) << 63));
	return events;
}

TEST(Otf2RecordProperty, ARecordNeverFillsAChunk)
{
	for (size_t small = 0; small < 25; small++) {
		AnyEvents any(1, 0);
		std::vector<io_event> events = nearly_a_chunk(any, small, 2);

		for (int i = 0; i < 3; i++)
			events.push_back(io::issued(++any.now, any.t, 1u << 31, UINT64_C(1) << 63));
		compare(any, events);
		ASSERT_FALSE(HasFailure()) << small;
	}
}

TEST(Otf2RecordProperty, TheEndMayFallOnThatOfAChunk)
{
	size_t largest = 0;

	for (size_t small = 0; small < 25; small++) {
		AnyEvents any(1, 0);
		size_t size = compare(any, nearly_a_chunk(any, small, 2));

		ASSERT_FALSE(HasFailure()) << small;
		largest = size > largest ? size : largest;
	}
	EXPECT_EQ(largest, (size_t)CHUNK_SIZE);
}

/* The last record may leave one byte, and the second of the two marks stands behind the chunk. The library fails then. */
TEST(Otf2RecordProperty, AMarkMayStandBehindAChunk)
{
	bool was_there = false;

	for (size_t small = 0; small < 25; small++) {
		ScratchDir scratch;
		std::string path = scratch.path("trace");
		AnyEvents any(1, 0);
		std::vector<io_event> events = nearly_a_chunk(any, small, 1);
		struct error err = {};
		struct sink_options options = any.b.options(path.c_str());
		struct sink *sink = sink_otf2_ops.open(&options, &err);
		archive_report report = {};

		ASSERT_NE(sink, nullptr) << err.text;
		for (const io_event &e : events)
			sink_otf2_ops.event(sink, &e);
		ASSERT_EQ(sink_otf2_ops.close(sink, &err), 0) << err.text;
		was_there |= content(path + "/traces/0.evt").size() == CHUNK_SIZE + 1;
		ASSERT_EQ(archive_verify(path.c_str(), &report, &err), 0) << err.text;
		EXPECT_EQ(report.events, events.size());
	}
	EXPECT_TRUE(was_there);
}

} // namespace
