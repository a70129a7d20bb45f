/*
 * The otf2 sink: what it writes is read back by the archive layer, by otf2-print and by OTF2's own
 * reader.
 */
#include "error_lines.h"
#include "otf2_definition/otf2_flags.h"
#include "otf2_definition/otf2_host.h"
#include "scratch_dir.h"
#include "sinks.h"
#include "trace_builder.h"

#include <iotrace/arch.h>
#include <iotrace/archive.h>
#include <iotrace/error.h>
#include <iotrace/metric.h>
#include <iotrace/place.h>

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

std::string findings(const archive_report &report)
{
	std::string all;

	for (uint64_t i = 0; i < report.findings && i < ARCHIVE_FINDINGS; i++)
		all += std::string(report.finding[i]) + "\n";
	return all;
}

bool exists(const std::string &path)
{
	struct stat status;

	return lstat(path.c_str(), &status) == 0;
}

/* Returns what otf2-print says of the archive; empty: it accepts it. It fills tens of megabytes first, sooner in huge pages. */
std::string otf2_print(const std::string &dir, const std::string &options)
{
	std::string command = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 otf2-print " + options + " '" +
			      dir + "/traces.otf2' 2>&1";
	FILE *pipe = popen(command.c_str(), "r");
	std::string text;
	char buffer[4096];

	for (size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
		text.append(buffer, n);
	return pclose(pipe) == 0 ? text : "otf2-print failed: " + text;
}

/* "name" <7> becomes "name". */
std::string without_refs(const std::string &text)
{
	return std::regex_replace(text, std::regex(" <[0-9]+>"), "");
}

class Otf2Sink : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("trace");
	TraceBuilder b;
	struct error err = {};
	struct sink *sink = nullptr;
	archive_report report = {};

	/* Where the archive grows. */
	std::string work() const
	{
		size_t slash = path.rfind('/') + 1;

		return path.substr(0, slash) + "." + path.substr(slash) + ".iotrace";
	}

	process_id p = b.process(100, "app", ID_NONE, std::string("app\0-v\0a b", 10));
	thread_id t = b.thread(p, 100, "app");
	file_id f = b.file("/data/file");
	handle_id h = b.handle(p, f);

	bool is_of_library = false;

	void open(uint64_t reserve = 0)
	{
		struct sink_options options = b.options(path.c_str());

		options.reserve = reserve;
		options.is_of_library = is_of_library;
		sink = sink_otf2_ops.open(&options, &err);
		ASSERT_NE(sink, nullptr) << err.text;
	}

	void fail_a_write();

	void send(const io_event &event)
	{
		sink_otf2_ops.event(sink, &event);
	}
	void send(const std::vector<io_event> &events)
	{
		for (const io_event &event : events)
			send(event);
	}

	int close()
	{
		int code = sink_otf2_ops.close(sink, &err);

		sink = nullptr;
		return code;
	}

	/* All readers accept the archive. otf2-print needs half a second for any. */
	void verify(bool also_by_otf2_print = true)
	{
		struct error wrong = {};

		ASSERT_EQ(archive_verify(path.c_str(), &report, &wrong), 0) << wrong.text;
		EXPECT_EQ(report.findings, 0u) << findings(report);
		if (!also_by_otf2_print)
			return;
		std::string said = otf2_print(path, "--silent -Werror");
		EXPECT_EQ(said.find("failed"), std::string::npos) << said;
		EXPECT_EQ(said.find("ERROR"), std::string::npos) << said;
	}
};

TEST_F(Otf2Sink, NoEvents)
{
	open();
	EXPECT_FALSE(exists(path));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.locations, 1u);
	EXPECT_EQ(report.events, 0u);
	EXPECT_FALSE(exists(path + "/.reserve"));
	EXPECT_FALSE(exists(work()));
}

TEST_F(Otf2Sink, NoModelEntries)
{
	TraceBuilder empty;
	struct sink_options options = empty.options(path.c_str());

	sink = sink_otf2_ops.open(&options, &err);
	ASSERT_NE(sink, nullptr) << err.text;
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.locations, 1u); /* readers refuse an archive with none */
}

TEST_F(Otf2Sink, EveryKind)
{
	b.counters({"instructions", "cache-misses"});
	thread_id second = b.thread(p, 101, "worker");
	uint32_t mount = b.mount("/data", "/dev/sdb1", "xfs");
	file_id directory = b.file("/data", FILE_DIRECTORY, mount);
	handle_id copy = b.handle(p, f), out = b.pre_created(p, "pipe:[17]", O_WRONLY | O_APPEND);
	handle_id all = b.handle(p, ID_NONE, "all files");
	b.trace->handle[all].is_all_proxy = true;
	b.trace->host.argv = b.text(std::string("app\0-v", 6));

	open();
	send(io::at(100, IO_PROGRAM_BEGIN, t));
	send(io::at(150, IO_THREAD_BEGIN, second));
	send(io::enter(200, t, "openat"));
	send(io::create(250, t, h, O_RDWR | O_CREAT | O_CLOEXEC));
	send(io::leave(250, t, "openat"));
	send(io::operation(300, 320, t, h, 1, IO_MODE_READ, 4096));
	send(io::operation(330, 340, second, out, 2, IO_MODE_WRITE, 10));
	send(io::operation(350, 360, t, h, 3, IO_MODE_FLUSH, IO_BYTES_UNDEFINED));

	io_event e = io::begin(361, t, all, 4, IO_MODE_FLUSH, IO_BYTES_UNDEFINED);
	e.op.is_collective_proxy = true;
	send(e);
	send(io::complete(362, t, all, 4, IO_BYTES_UNDEFINED));

	send(io::enter(370, t, "dup", h));
	e = io::at(371, IO_DUPLICATE_HANDLE, t, h);
	e.duplicate.new_handle = copy;
	send(e);
	send(io::leave(371, t, "dup"));
	e = io::at(380, IO_SEEK, t, h);
	e.seek.request = -5;
	e.seek.whence = SEEK_END;
	e.seek.result = 95;
	send(e);
	e = io::at(381, IO_CHANGE_STATUS_FLAGS, t, h);
	e.create.flags = O_APPEND;
	send(e);
	for (io_event_kind kind : {IO_TRY_LOCK, IO_ACQUIRE_LOCK, IO_RELEASE_LOCK})
		send(io::at(382, kind, t, h));
	e = io::begin(390, t, h, 5, IO_MODE_READ, 1);
	e.op.is_non_blocking = true;
	send(e);
	e = io::at(391, IO_OP_ISSUED, t, h);
	e.op.id = 5;
	send(e);
	e = io::at(392, IO_OP_CANCELLED, t, h);
	e.op.id = 5;
	e.op.end = IO_END_RECORDING;
	send(e);
	send(io::enter(400, t, "unlink", ID_NONE, f));
	e = io::at(401, IO_DELETE_FILE, t);
	e.delete_file.file = f;
	send(e);
	send(io::leave(401, t, "unlink"));
	send(io::enter(410, t, "mkdir", ID_NONE, directory));
	send(io::leave(411, t, "mkdir", EEXIST, b.text("/data")));
	send(io::enter(412, t, "fchmod", h));
	send(io::leave(413, t, "fchmod"));
	e = io::at(413, IO_METRIC, t);
	const uint64_t totals[] = {1234, UINT64_MAX};
	e.metric.counters = 2;
	e.metric.counter = totals;
	send(e);
	e = io::at(405, IO_LOST, ID_NONE);
	e.lost.count = 42;
	send(e);
	for (handle_id gone : {h, copy, out})
		send(io::destroy(420, t, gone));
	send(io::at(430, IO_THREAD_END, second));
	e = io::at(440, IO_PROGRAM_END, t);
	e.program.exit_status = 3 << 8;
	send(e);
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.begun, 5u);
	EXPECT_EQ(report.completed, 4u);
	EXPECT_EQ(report.cancelled, 1u);
	EXPECT_EQ(report.created, 1u);
	EXPECT_EQ(report.duplicated, 1u);
	EXPECT_EQ(report.destroyed, 3u);
	EXPECT_EQ(report.markers, 1u);
	EXPECT_EQ(report.first_time, 100u);
	EXPECT_EQ(report.last_time, 440u);

	std::string text = otf2_print(path, "");
	for (const char *piece :
	     {"2 Arguments", "\"a b\"", "(\"ProcessId\" <2>; UINT64; 100)", "Exit status: 3",
	      "Access Mode: READ_WRITE", "CREATE", "CLOSE_ON_EXEC",
	      "(\"Offset\" <0>; UINT64; 4096)", "(\"errno\" <1>; INT32; 17)",
	      "(\"OTF2::IO_PATH\" <13>; STRING; \"/data\"",
	      "(\"OTF2::IO_FILE\" <4>; IO_FILE; \"directory:///data\"",
	      "(\"OTF2::IO_HANDLE\" <5>; IO_HANDLE; ", "the recording ended", "1234"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	text = otf2_print(path, "-G");
	for (const char *piece :
	     {"POSIX", "SERIAL", "Mount Source", "/dev/sdb1", "PRE_CREATED", "ALL_PROXY",
	      "pipe:[17]", "instructions", "WRITE_ONLY", "APPEND", "100 app", "Command line"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
}

/* A process has calls before it executes the program that it is for. */
TEST_F(Otf2Sink, ProgramBeginHasWordsThatBecomeKnownLater)
{
	open();
	send(io::at(10, IO_PROGRAM_BEGIN, t));
	send(io::create(15, t, h, O_RDWR));
	send(io::operation(20, 30, t, h, 1, IO_MODE_READ, 1));
	b.trace->process[p].argv = b.text(std::string("late\0x\0", 7));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = without_refs(otf2_print(path, ""));
	std::string begin = "10  Name: \"late\", 2 Arguments: \"x\", \"\"";

	EXPECT_NE(text.find(begin), std::string::npos) << text;
	EXPECT_LT(text.find(begin), text.find("IO_OPERATION_BEGIN")) << text;
}

TEST_F(Otf2Sink, WordsThatAreNotAllSaySo)
{
	b.trace->process[p].is_argv_cut = true;
	open();
	send(io::at(10, IO_PROGRAM_BEGIN, t));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = without_refs(otf2_print(path, ""));

	EXPECT_NE(text.find("\"app\", 3 Arguments: \"-v\", \"a b\", \"[...]\""), std::string::npos)
		<< text;
	text = otf2_print(path, "-G");
	EXPECT_NE(text.find("Value: \"app -v a b [...]\""), std::string::npos) << text;
}

/* Readers that take regions of no known paradigm for computing find them under "I/O". */
TEST_F(Otf2Sink, RegionsCountAsIo)
{
	open();
	for (const char *call : {"read", "openat", "execve"}) {
		send(io::enter(10, t, call));
		send(io::leave(10, t, call));
	}
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = without_refs(otf2_print(path, "-G"));
	for (const char *piece :
	     {"NONE, Name: \"I/O\", Class: PROCESS",
	      "Name: \"read\" (Aka. \"read\"), Descr.: \"system call\", Role: FILE_IO, Paradigm: \"I/O\",",
	      "\"openat\"), Descr.: \"system call\", Role: FILE_IO_METADATA, Paradigm: \"I/O\",",
	      "\"execve\"), Descr.: \"system call\", Role: FUNCTION, Paradigm: UNKNOWN,"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
}

/* Group and location have different names, for some readers know things by them alone. */
TEST_F(Otf2Sink, GroupsAndLocationsHaveNamesOfTheirOwn)
{
	thread_id second = b.thread(p, 101, "worker");

	open();
	send(io::operation(10, 20, t, h, 1, IO_MODE_READ, 1));
	send(io::operation(10, 20, second, h, 2, IO_MODE_READ, 1));
	ASSERT_EQ(close(), 0) << err.text;
	std::string text = without_refs(otf2_print(path, "-G"));
	for (const char *piece : {" 0  Name: \"100 app\", Type: PROCESS",
				  " 0  Name: \"thread 100 app\", Type: CPU_THREAD",
				  " 1  Name: \"thread 101 worker\", Type: CPU_THREAD"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
}

TEST_F(Otf2Sink, FilesThatNothingRefersToAreNotDefined)
{
	file_id unused = b.file("/unused", FILE_REGULAR, b.mount("/", "/dev/unused", "ext4"));
	file_id named = b.file("/named");

	ASSERT_LT(unused, named);
	b.trace->file[unused].is_deleted = b.trace->file[named].is_deleted = true;
	open();
	send(io::enter(10, t, "mkdir", ID_NONE, named));
	send(io::leave(11, t, "mkdir"));
	send(io::create(15, t, h, O_RDWR));
	send(io::operation(20, 30, t, h, 1, IO_MODE_READ, 1));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = otf2_print(path, "-G");
	EXPECT_EQ(text.find("unused"), std::string::npos) << text;
	EXPECT_NE(text.find("\"/named\""), std::string::npos) << text;
	EXPECT_NE(text.find("\"file:///data/file\""), std::string::npos) << text;
	size_t deleted = text.find("IO_FILE_PROPERTY");
	ASSERT_NE(deleted, std::string::npos) << text;
	std::string property = text.substr(deleted, text.find('\n', deleted) - deleted);
	EXPECT_NE(property.find("/named\" <0>"), std::string::npos) << property;
	EXPECT_EQ(text.find("IO_FILE_PROPERTY", deleted + 1), std::string::npos) << text;
	text = otf2_print(path, "");
	EXPECT_NE(text.find("IO_FILE; \"file:///named\" <0>"), std::string::npos) << text;
}

/* Who sums up all sizes must not find 2^64 - 1. */
TEST_F(Otf2Sink, AFlushMovesNoBytes)
{
	io_event end = io::complete(20, t, h, 1, IO_BYTES_UNDEFINED);

	end.op.mode = IO_MODE_FLUSH;
	open();
	send(io::create(5, t, h, O_RDWR));
	send(io::begin(10, t, h, 1, IO_MODE_FLUSH, IO_BYTES_UNDEFINED));
	send(end);
	send(io::operation(30, 40, t, h, 2, IO_MODE_READ, 512));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = otf2_print(path, "");
	EXPECT_NE(text.find("Mode: FLUSH, Operation Flags: NONE, Bytes Request: 0,"),
		  std::string::npos)
		<< text;
	EXPECT_NE(text.find("Bytes Result: 0,"), std::string::npos) << text;
	EXPECT_EQ(text.find("18446744073709551615"), std::string::npos) << text;
}

TEST_F(Otf2Sink, DevicesAreNodesWithGroupsAndLocations)
{
	uint32_t disk = b.device(makedev(8, 0), "sda"), loop = b.device(makedev(7, 0), "loop0");
	struct trace_device *device = &b.trace->device[loop];
	thread_id at = device->location;
	handle_id dev = device->handle;

	device->disk = disk;
	device->model = b.text("Fast X");
	device->scheduler = b.text("none");
	device->under = b.text("sdx sdy");
	device->backing = b.text("/image");
	device->sectors = 2048;
	open();
	std::vector<io_event> request = io::request(100, 110, 130, at, dev, 7, REQUEST_DISCARD,
						    512);
	request[0].op.pid = 4711;
	request[0].op.tid = 4712;
	request[0].op.name = b.text("mkfs");
	request[0].op.rwbs = b.text("DS");
	request[0].op.file = f;
	send(request);
	send(io::request(120, 120, 140, b.trace->device[disk].location,
			 b.trace->device[disk].handle, 8, REQUEST_READ, 4096, EIO));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.begun, 2u);
	EXPECT_EQ(report.completed, 2u);

	std::string text = otf2_print(path, "-G");
	for (const char *piece :
	     {"\"block I/O loop0\"", "\"block device\"", "\"Fast X\"", "\"Scheduler\"",
	      "\"sdx sdy\"", "\"/image\"", "\"Whole disk\"", "1048576", "\"7:0\"", "\"block_io\"",
	      "\"/dev/loop0\"", "\"Rotational\""})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	text = otf2_print(path, "");
	for (const char *piece : {"(\"OTF2::BLOCK_IO_PROCESS_ID\" <7>; UINT64; 4711)",
				  "(\"OTF2::BLOCK_IO_THREAD_ID\" <8>; UINT64; 4712)",
				  "(\"OTF2::BLOCK_IO_COMMAND\" <9>; STRING; \"mkfs\" <",
				  "(\"OTF2::BLOCK_IO_RWBS\" <10>; STRING; \"DS\" <",
				  "(\"OTF2::IO_FILE\" <4>; IO_FILE; \"file:///data/file\"",
				  "(\"errno\" <1>; INT32; 5)", "NON_BLOCKING"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
}

/* The path of a group may come after its requests, and never. */
TEST_F(Otf2Sink, ControlGroupsHaveTheirNamesAtTheEnd)
{
	uint32_t sda = b.device(makedev(8, 0), "sda");
	const struct trace_device *disk = &b.trace->device[sda];
	uint32_t group[] = {b.cgroup(1, "/"), b.cgroup(17, ""), b.cgroup(18, "")};
	uint64_t time = 100;

	open();
	for (uint32_t id : group) {
		std::vector<io_event> request = io::request(time, time, time, disk->location,
							    disk->handle, time, REQUEST_READ, 512);

		request[0].op.cgroup = id;
		send(request);
		time += 10;
	}
	b.trace->cgroup[group[1]].name = b.text("/late \xff");
	b.trace->cgroup[group[1]].is_known = true;
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = otf2_print(path, "");
	for (const char *piece : {"(\"OTF2::BLOCK_IO_CGROUP\" <11>; STRING; \"/\" <",
				  "(\"OTF2::BLOCK_IO_CGROUP\" <11>; STRING; \"/late \\xff\" <",
				  "(\"OTF2::BLOCK_IO_CGROUP\" <11>; STRING; \"cgroup:[18]\" <"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	EXPECT_EQ(text.find("cgroup:[17]"), std::string::npos);
}

TEST_F(Otf2Sink, WhatAnotherTaskDidSaysWhich)
{
	io_event e = io::begin(10, t, h, 1, IO_MODE_FLUSH, IO_BYTES_UNDEFINED);

	open();
	send(io::begin(9, t, h, 0, IO_MODE_READ, 5));
	send(io::complete(9, t, h, 0, 5));
	e.op.name = b.text("kworker/u8:1");
	send(e);
	send(io::complete(11, t, h, 1, 4096));
	ASSERT_EQ(close(), 0) << err.text;
	std::string text = otf2_print(path, "");
	std::string by = "(\"OTF2::IO_BY\" <12>; STRING; \"kworker/u8:1\" <";

	EXPECT_NE(text.find(by), std::string::npos) << text;
	EXPECT_EQ(text.find("OTF2::IO_BY", text.find(by) + by.size()), std::string::npos) << text;
}

TEST_F(Otf2Sink, SharedLocationsSayHowManyShareThem)
{
	process_id group = b.process(0, "shared locations");
	thread_id shared = b.thread(group, 0, "true");

	b.trace->process[group].kind = TRACE_SHARED_GROUP;
	b.trace->process[group].sharing = 4711;
	b.trace->thread[shared].sharing = 815;
	b.trace->thread[shared].lived = 31415;
	b.trace->thread[shared].end = 2718;
	b.trace->thread[t].end = 16180;
	open();
	send(io::create(1, t, h, O_RDWR));
	send(io::operation(10, 20, shared, h, 1, IO_MODE_READ, 1)); /* of any process */
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = otf2_print(path, "-G");
	for (const char *piece :
	     {"\"shared locations\"", "\"Sharing processes\"", "4711", "\"true (shared)\"",
	      "\"Sharing threads\"", "815", "\"Lifetime of sharing threads\"", "31415",
	      "\"End of thread\"", "16180"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	EXPECT_EQ(text.find("2718"), std::string::npos) << text;
}

TEST_F(Otf2Sink, SamplesHaveARecorder)
{
	uint32_t disk = b.device(makedev(8, 0), "sda");
	thread_id of_disk = b.samples(disk), of_machine = b.samples(ID_NONE);
	const struct trace_metric_text flight[] = {{"in flight", "#", "Requests", false, false},
						   {"change", "B/s", "", false, true}};
	const struct trace_metric_text dirty[] = {{"dirty", "B", "Dirty pages", false, false}};
	uint32_t device = trace_add_series(b.trace, "device", false, flight, 2);
	uint32_t machine = trace_add_series(b.trace, "machine", false, dirty, 1);
	const std::vector<uint64_t> two = {3, (uint64_t)-5}, one = {77}, three = {1, 2, 3};

	open();
	send(io::metric(10, of_disk, device, two));
	send(io::metric(11, of_machine, machine, one));
	send(io::metric(12, of_disk, device, two));
	io_event e = io::at(13, IO_PARAMETER, t);
	e.parameter.parameter = trace_add_parameter(b.trace, "filename");
	e.parameter.value = b.text("a name");
	send(e);
	send(io::metric(14, of_disk, device, three)); /* not what the class has */
	send(io::metric(14, of_disk, 7, two));
	e.parameter.parameter = 1;
	send(e);
	EXPECT_EQ(close(), -EPROTO);
	EXPECT_EQ(error_lines(err).substr(0, 9), "3 events ");
	verify();
	EXPECT_EQ(report.events, 4u);
	std::string text = otf2_print(path, "");
	for (const char *piece : {"-5", "77", "PARAMETER_STRING", "a name"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	text = otf2_print(path, "-G");
	for (const char *piece :
	     {"ASYNCHRONOUS", "METRIC_CLASS_RECORDER", "INT64", "B/s", "filename", "METRIC"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
}

TEST_F(Otf2Sink, AFileNameIsAnyBytes)
{
	std::string odd("/tmp/\xff\xfe \n\t\"\\\xc3\xa9", 14);
	file_id strange = b.file(odd);
	handle_id handle = b.handle(p, strange);

	open();
	send(io::create(10, t, handle, O_RDONLY));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	std::string text = otf2_print(path, "-G");
	EXPECT_NE(text.find("/tmp/\\xff\\xfe \n\t\"\\\\\xc3\xa9"), std::string::npos) << text;
}

TEST_F(Otf2Sink, ALateEventIsRaised)
{
	open();
	send(io::create(1000, t, h, O_RDONLY));
	send(io::operation(500, 1500, t, h, 1, IO_MODE_READ, 1));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.events, 5u);
	EXPECT_EQ(report.first_time, 1000u);
}

TEST_F(Otf2Sink, ManyChunksAndDefinitions)
{
	const uint64_t operations = 30000; /* about 1.7 MB of events */

	for (int i = 0; i < 8000; i++) /* and more than a chunk of definitions */
		b.handle(p, b.file("/data/a directory with a long name/file " + std::to_string(i)));
	open();
	send(io::create(1, t, h, O_RDWR));
	for (uint64_t i = 0; i < operations; i++)
		send(io::operation(10 + 10 * i, 15 + 10 * i, t, h, i, IO_MODE_WRITE, 100));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.begun, operations);
	EXPECT_EQ(report.files, 8001u);
	struct stat status;
	ASSERT_EQ(stat((path + "/traces/0.evt").c_str(), &status), 0);
	EXPECT_GT(status.st_size, 4 * 256 * 1024);
	EXPECT_LT((double)status.st_size / (double)operations, 60.0);
}

/* Every length of the last chunk, so that the end falls on its border, too. */
TEST_F(Otf2Sink, AnyLengthEndsProperly)
{
	for (int more = 0; more < 40; more++) {
		path = scratch.path("trace" + std::to_string(more));
		open();
		send(io::create(1, t, h, O_RDWR));
		uint64_t i = 0;
		for (; i < 4690; i++)
			send(io::operation(10 + 10 * i, 15 + 10 * i, t, h, i, IO_MODE_WRITE, 100));
		for (int j = 0; j < more; j++) {
			io_event e = io::at(10 + 10 * i, IO_DELETE_FILE, t); /* 5 bytes */
			e.delete_file.file = f;
			send(e);
		}
		ASSERT_EQ(close(), 0) << err.text;
		verify(more % 8 == 0);
		EXPECT_EQ(report.events, 1 + 4 * i + (uint64_t)more);
	}
}

/* Numbers have no gaps, whatever the model left out. */
TEST_F(Otf2Sink, WhatIsLeftOutIsNotDefined)
{
	process_id out = b.process(200, "out", p), child = b.process(300, "child", out);
	thread_id idle = b.thread(out, 200, "out"), worker = b.thread(child, 300, "child"),
		  last = b.thread(child, 301, "last");
	handle_id own = b.handle(child, f);

	for (thread_id excluded : {t, idle})
		b.trace->thread[excluded].is_excluded = true;
	b.trace->process[out].is_excluded = true;
	open();
	send(io::at(5, IO_THREAD_BEGIN, last));
	send(io::create(10, last, own, O_RDWR));
	send(io::operation(20, 30, worker, own, 1, IO_MODE_READ, 100));
	send(io::at(40, IO_THREAD_END, last));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.locations, 2u);
	EXPECT_EQ(report.processes, 2u);
	std::string text = otf2_print(path, "-G");
	for (const char *piece : {"\"300 child\" <", "\"thread 301 last\" <", "\"100 app\" <"})
		EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in\n"
							       << text;
	for (const char *piece : {"200 out", "LOCATION                               2"})
		EXPECT_EQ(text.find(piece), std::string::npos) << piece << " is in\n" << text;
	EXPECT_EQ(access((path + "/traces/1.evt").c_str(), F_OK), 0);
	EXPECT_NE(access((path + "/traces/2.evt").c_str(), F_OK), 0);
	EXPECT_NE(access((path + "/traces/3.evt").c_str(), F_OK), 0);
}

/* Returns the files of an archive by their names, and what is in them; of the anchor all but the archive's random number. */
std::map<std::string, std::string> files_of(const std::string &dir)
{
	std::map<std::string, std::string> files;

	for (const auto &entry : std::filesystem::recursive_directory_iterator(dir)) {
		std::ifstream in(entry.path(), std::ios::binary);
		std::string name = entry.path().string().substr(dir.size());

		if (!entry.is_regular_file())
			continue;
		files[name].assign(std::istreambuf_iterator<char>(in), {});
		if (name == "/traces.otf2")
			files[name].resize(files[name].size() - 19);
	}
	return files;
}

/* Where event files are not in a form that is known, the library writes them; here it is known, so that all is the same. */
TEST_F(Otf2Sink, TheLibraryWritesTheSameArchive)
{
	thread_id out = b.thread(p, 101, "out"), worker = b.thread(p, 102, "worker");
	std::map<std::string, std::string> written[2];

	b.trace->thread[out].is_excluded = true;
	b.thread(p, 103, "idle");
	for (bool library : {false, true}) {
		is_of_library = library;
		open();
		send(io::at(1, IO_THREAD_BEGIN, worker));
		send(io::create(10, t, h, O_RDWR));
		for (uint64_t i = 0; i < 30000; i++)
			send(io::operation(20 + i, 20 + i, worker, h, i, IO_MODE_READ, 100));
		send(io::at(20, IO_PROGRAM_BEGIN, t)); /* behind another record */
		ASSERT_EQ(close(), 0) << err.text;
		verify();
		written[library] = files_of(path);
		std::filesystem::remove_all(path);
	}
	EXPECT_EQ(written[0].size(),
		  8u); /* anchor, definitions, and two files for each of three locations */
	for (const auto &[name, bytes] : written[0])
		EXPECT_TRUE(written[1][name] == bytes) << name;
	EXPECT_EQ(written[1].size(), written[0].size());
}

TEST_F(Otf2Sink, WhereAllIsLeftOutALocationStandsForNone)
{
	b.trace->thread[t].is_excluded = b.trace->process[p].is_excluded = true;
	b.thread(p, 101, "other");
	b.trace->thread[1].is_excluded = true;
	open();
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	EXPECT_EQ(report.locations, 1u);
	EXPECT_NE(otf2_print(path, "-G").find("no I/O was recorded"), std::string::npos);
}

TEST_F(Otf2Sink, AnEndedThreadIsOnDisk)
{
	thread_id second = b.thread(p, 101, "worker");

	open();
	send(io::at(1, IO_THREAD_BEGIN, second));
	send(io::at(2, IO_THREAD_END, second));
	std::string part = work();
	EXPECT_TRUE(exists(part + "/archive/traces/1.evt"));
	/* What comes later has no place any more. */
	send(io::create(3, second, h, O_RDONLY));
	EXPECT_EQ(close(), -EPROTO);
	EXPECT_EQ(error_lines(err),
		  ("1 events that OTF2 cannot express are missing from " + path).c_str());
	verify();
	EXPECT_EQ(report.events, 2u);
}

TEST_F(Otf2Sink, ProgramsBeginAndEndOnceAndInPairs)
{
	open();
	send(io::at(1, IO_PROGRAM_END, t)); /* its begin was not seen */
	send(io::at(2, IO_PROGRAM_BEGIN, t));
	send(io::at(3, IO_PROGRAM_BEGIN, t));
	EXPECT_EQ(close(), -EPROTO);
	verify(); /* the end is supplied */
	EXPECT_EQ(report.events, 2u);
	EXPECT_NE(otf2_print(path, "").find("Exit status: UNDEFINED"), std::string::npos)
		<< otf2_print(path, "");
}

TEST_F(Otf2Sink, UnknownThingsAreRefused)
{
	open();
	send(io::create(1, 7, h, O_RDONLY)); /* no such thread */
	send(io::enter(2, t, "no such call"));
	io_event e = io::at(3, IO_SEEK, t, h);
	e.seek.whence = 77;
	send(e);
	send(io::at(4, IO_METRIC, t)); /* no counters are defined */
	send(io::at(4, IO_EVENT_KINDS, t));
	EXPECT_EQ(close(), -EPROTO);
	EXPECT_EQ(error_lines(err).substr(0, 9), "5 events ");
	verify();
	EXPECT_EQ(report.events, 0u);
}

/* The memory of a thread that ended serves the next one; nothing of its contents may show. */
TEST_F(Otf2Sink, AChunkIsUsedAgain)
{
	thread_id second = b.thread(p, 101, "long"), third = b.thread(p, 102, "short");

	open();
	send(io::create(1, t, h, O_RDWR));
	send(io::at(2, IO_THREAD_BEGIN, second));
	for (uint64_t i = 0; i < 3000; i++)
		send(io::operation(10 + 10 * i, 15 + 10 * i, second, h, i, IO_MODE_WRITE, 100));
	send(io::at(90000, IO_THREAD_END, second));
	send(io::at(90001, IO_THREAD_BEGIN, third));
	send(io::at(90002, IO_THREAD_END, third));
	ASSERT_EQ(close(), 0) << err.text;
	verify();
	struct stat status;
	ASSERT_EQ(stat((path + "/traces/2.evt").c_str(), &status), 0);
	EXPECT_LT(status.st_size, 100);
	/* The header of a chunk has the numbers of its first and last event. */
	uint64_t number[2];
	std::ifstream file(path + "/traces/1.evt", std::ios::binary);
	file.seekg(2);
	file.read((char *)number, sizeof(number));
	EXPECT_EQ(number[0], 1u);
	EXPECT_EQ(number[1], 12002u);
}

TEST_F(Otf2Sink, PropertiesHoldTheBooks)
{
	b.tally.n[TALLY_begun] = 17;
	open();
	ASSERT_EQ(close(), 0);
	std::string text = otf2_print(path, "-I");
	EXPECT_NE(text.find("IOTRACE::BEGUN"), std::string::npos) << text;
	EXPECT_NE(text.find("17"), std::string::npos) << text;
	EXPECT_NE(text.find("node7"), std::string::npos) << text;
	EXPECT_NE(text.find("iotrace "), std::string::npos) << text;
}

TEST_F(Otf2Sink, ThePathMustNotExist)
{
	ASSERT_EQ(mkdir(path.c_str(), 0777), 0);
	struct sink_options options = b.options(path.c_str());
	EXPECT_EQ(sink_otf2_ops.open(&options, &err), nullptr);
	EXPECT_EQ(err.code, EEXIST);
	EXPECT_EQ(error_lines(err),
		  ("archive: " + path + " already exists; choose another name, for example " +
		   path + "/trace")
			  .c_str());
}

TEST_F(Otf2Sink, ThePathMayAppearMeanwhile)
{
	open();
	std::ofstream(path) << "precious";
	EXPECT_EQ(close(), -EEXIST);
	EXPECT_NE(error_lines(err).find("It is complete, and stays in " + work()),
		  std::string::npos)
		<< err.text;
	std::string text;
	std::ifstream(path) >> text;
	EXPECT_EQ(text, "precious");
	path = work() + "/archive";
	verify();
}

/* As that of a command which cannot be run. The sanitizers see what is not freed. */
TEST_F(Otf2Sink, AnArchiveThatIsGivenUpLeavesNothing)
{
	struct place *place = place_open("archive", path.c_str(), &err);
	ASSERT_NE(place, nullptr) << err.text;
	struct sink_options options = b.options(path.c_str());
	options.place = place;
	sink = sink_otf2_ops.open(&options, &err);
	ASSERT_NE(sink, nullptr) << err.text;
	send(io::enter(1, t, "read"));
	place_give_up(place);
	EXPECT_EQ(close(), 0) << err.text;
	place_close(place);
	EXPECT_FALSE(exists(path));
	EXPECT_FALSE(exists(work()));
}

TEST_F(Otf2Sink, TheParentMustExist)
{
	path = scratch.path("missing/trace");
	struct sink_options options = b.options(path.c_str());
	EXPECT_EQ(sink_otf2_ops.open(&options, &err), nullptr);
	EXPECT_EQ(err.code, ENOENT);
	EXPECT_EQ(error_lines(err), "archive " + path + ": cannot create files in " +
					    scratch.path("missing") +
					    ": No such file or directory\n"
					    "Create that directory first, or choose another one.");
	for (const char *none : {(const char *)nullptr, "", "-"}) {
		options.path = none;
		EXPECT_EQ(sink_otf2_ops.open(&options, &err), nullptr);
		EXPECT_EQ(err.code, EINVAL);
	}
}

TEST_F(Otf2Sink, ATrailingSlashIsNoName)
{
	path += "//";
	open();
	ASSERT_EQ(close(), 0) << err.text;
	verify();
}

/* All but a few megabytes are to be left free. */
TEST_F(Otf2Sink, TheDiskIsNotFilled)
{
	ScratchDir memory("/dev/shm");
	thread_id second = b.thread(p, 101, "worker");
	struct statvfs fs;

	path = memory.path("trace");
	ASSERT_EQ(statvfs("/dev/shm", &fs), 0);
	open((uint64_t)fs.f_bavail * fs.f_frsize - (8 << 20));
	send(io::create(1, t, h, O_RDWR));
	uint64_t taken = 0;
	for (uint64_t i = 0; i < 400000; i++) {
		send(io::operation(10 + 10 * i, 15 + 10 * i, i % 2 ? t : second, h, i,
				   IO_MODE_WRITE, 100));
		taken += !sink_otf2_ops.failed(sink);
	}
	EXPECT_GT(taken, 30000u);
	EXPECT_LT(taken, 170000u);
	io_event lost = io::at(4000000, IO_LOST, ID_NONE);
	lost.lost.count = 5;
	send(lost);
	EXPECT_EQ(close(), -ENOSPC);
	EXPECT_EQ(error_lines(err).find("cannot write " + path + ": No space left on device\n"), 0U)
		<< err.text;
	verify(); /* whole calls only */
	EXPECT_TRUE(report.ends_early);
	EXPECT_EQ(report.markers, 2u);
	EXPECT_GE(report.begun, taken);
	EXPECT_LE(report.begun, taken + 2);
	EXPECT_EQ(report.begun, report.completed);
}

/* A call that has begun when the events stop still ends. Others may free memory meanwhile: then it
 * takes more events. */
TEST_F(Otf2Sink, ACallEndsAfterTheStop)
{
	ScratchDir memory("/dev/shm");
	const uint64_t most = 4000000;
	struct statvfs fs;

	path = memory.path("trace");
	ASSERT_EQ(statvfs("/dev/shm", &fs), 0);
	open((uint64_t)fs.f_bavail * fs.f_frsize - (4 << 20));
	send(io::create(1, t, h, O_RDWR));
	send(io::enter(2, t, "write", h));
	uint64_t i;
	for (i = 0; i < most && !sink_otf2_ops.failed(sink); i++) {
		send(io::begin(10 + i, t, h, i, IO_MODE_WRITE, 1));
		send(io::complete(10 + i, t, h, i, 1));
	}
	ASSERT_LT(i, most);
	send(io::leave(20 + i, t, "write"));
	send(io::enter(21 + i, t, "write", h));
	EXPECT_EQ(close(), -ENOSPC);
	verify();
}

/* No room: the reserve is larger than the disk. */
TEST_F(Otf2Sink, NoRoomAtOpen)
{
	struct sink_options options = b.options(path.c_str());

	options.reserve = 1ULL << 60;
	EXPECT_EQ(sink_otf2_ops.open(&options, &err), nullptr);
	EXPECT_EQ(err.code, ENOSPC);
	std::string text = error_lines(err);

	EXPECT_EQ(text.find("too little space left for an archive at " + path + ": "), 0U) << text;
	EXPECT_NE(text.find(" KiB are free there, and it needs 11258999068"), std::string::npos)
		<< text;
	EXPECT_NE(text.find(" KiB to begin with\nFree some space there, or choose another file "
			    "system with -o."),
		  std::string::npos)
		<< text;
	EXPECT_FALSE(exists(work()));
}

/*
 * A limit on the size of files makes a write fail half way, as a quota does. In a child: limits
 * stay.
 */
void Otf2Sink::fail_a_write()
{
	pid_t child = fork();

	ASSERT_GE(child, 0);
	if (child == 0) {
		struct rlimit limit = {700000, 700000}; /* within the third chunk */

		signal(SIGXFSZ, SIG_IGN);
		open();
		setrlimit(RLIMIT_FSIZE, &limit);
		thread_id second = b.thread(p, 101, "worker");
		uint64_t taken = 0;
		send(io::create(1, t, h, O_RDWR));
		send(io::at(1, IO_PROGRAM_BEGIN, second));
		for (uint64_t i = 0; i < 30000; i++) {
			send(io::enter(10 + 10 * i, t, "write", h));
			send(io::operation(10 + 10 * i, 15 + 10 * i, t, h, i, IO_MODE_WRITE, 100));
			send(io::leave(15 + 10 * i, t, "write"));
			taken += !sink_otf2_ops.failed(sink);
		}
		send(io::create(400000, second, h, O_RDWR));
		int code = close();
		bool good = code == -EFBIG && taken > 8000 && taken < 17000 && !HasFailure();
		good = good &&
		       error_lines(err).find("later events were not written") != std::string::npos;
		if (!good)
			fprintf(stderr, "code %d, taken %lu: %s\n", code, (unsigned long)taken,
				err.text);
		_exit(good ? 0 : 1);
	}
	int status;
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_EQ(status, 0);
	b.thread(p, 101, "worker");
	struct error wrong = {};
	ASSERT_EQ(archive_verify(path.c_str(), &report, &wrong), 0) << wrong.text;
	EXPECT_TRUE(report.ends_early);
	EXPECT_EQ(report.markers, 1u);
	EXPECT_EQ(report.locations, 2u);
	EXPECT_EQ(report.findings, 0u) << findings(report);
}

TEST_F(Otf2Sink, AWriteThatFails)
{
	fail_a_write();
	/* Two whole chunks; then the call at their border and the program end. */
	EXPECT_GT(report.events, 30000u);
}

/* The library cannot end a file of which a write failed: the events of that thread are gone, those of others stay. */
TEST_F(Otf2Sink, AWriteOfTheLibraryThatFails)
{
	is_of_library = true;
	fail_a_write();
	EXPECT_EQ(report.events, 2u);
}

TEST(Otf2Flags, LargerFlagsContainSmaller)
{
	EXPECT_EQ(otf2_status_flags(O_DSYNC), (uint32_t)OTF2_IO_STATUS_FLAG_DATA_SYNC);
	EXPECT_EQ(otf2_status_flags(O_SYNC), (uint32_t)OTF2_IO_STATUS_FLAG_SYNC);
	EXPECT_EQ(otf2_creation_flags(O_DIRECTORY), (uint32_t)OTF2_IO_CREATION_FLAG_DIRECTORY);
	EXPECT_EQ(otf2_creation_flags(O_TMPFILE), (uint32_t)OTF2_IO_CREATION_FLAG_TEMPORARY_FILE);
	EXPECT_EQ(otf2_creation_flags(arch_here()->open.large_file),
		  (uint32_t)OTF2_IO_CREATION_FLAG_LARGEFILE);
	EXPECT_EQ(otf2_creation_flags(O_CREAT | O_TRUNC | O_EXCL),
		  (uint32_t)(OTF2_IO_CREATION_FLAG_CREATE | OTF2_IO_CREATION_FLAG_TRUNCATE |
			     OTF2_IO_CREATION_FLAG_EXCLUSIVE));
	EXPECT_EQ(otf2_status_flags(O_RDWR | O_CREAT), 0u);
	EXPECT_EQ(otf2_access_mode(O_RDONLY | O_CREAT), OTF2_IO_ACCESS_MODE_READ_ONLY);
	EXPECT_EQ(otf2_access_mode(O_WRONLY), OTF2_IO_ACCESS_MODE_WRITE_ONLY);
	EXPECT_EQ(otf2_access_mode(O_RDWR), OTF2_IO_ACCESS_MODE_READ_WRITE);
	EXPECT_EQ(otf2_access_mode(3), OTF2_IO_ACCESS_MODE_READ_WRITE);
}

/* 4 bytes of the first file; or what the second one or the host's name makes, which stays the same. */
TEST(Otf2Host, ItsNumberNeedsNoResolver)
{
	ScratchDir scratch;
	std::string hostid = scratch.path("hostid"), machine = scratch.path("machine-id"),
		    none = scratch.path("none");
	const uint32_t number = 0x89abcdef;

	std::ofstream(hostid).write((const char *)&number, sizeof(number));
	std::ofstream(machine) << "a";
	EXPECT_EQ(otf2_host_id(hostid.c_str(), machine.c_str()), number);
	EXPECT_EQ(otf2_host_id(none.c_str(), machine.c_str()), 0xe40c292cu); /* FNV-1a of "a" */
	EXPECT_EQ(otf2_host_id(machine.c_str(), none.c_str()),
		  otf2_host_id(none.c_str(), none.c_str()))
		<< "a file that is too short is none";
	EXPECT_NE(otf2_host_id(none.c_str(), none.c_str()), 2166136261u) << "of nothing";
	EXPECT_EQ(dlsym(RTLD_DEFAULT, "gethostid"), (void *)&gethostid)
		<< "what the OTF2 library calls is ours";
	Dl_info info;
	ASSERT_NE(dladdr((void *)&gethostid, &info), 0);
	EXPECT_EQ(std::string(info.dli_fname).find("libc."), std::string::npos) << info.dli_fname;
}

} // namespace
