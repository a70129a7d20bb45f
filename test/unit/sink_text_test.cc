/*
 * The text sink, line by line, and the table of sinks.
 */
#include "error_lines.h"
#include "scratch_dir.h"
#include "sinks.h"
#include "trace_builder.h"

#include <iotrace/arch.h>
#include <iotrace/error.h>
#include <iotrace/metric.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace
{

class TextSink : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("out.txt");
	TraceBuilder b;
	struct error err = {};
	process_id p = b.process(100, "app");
	thread_id t = b.thread(p, 101, "app");
	file_id f = b.file("/data/file");
	handle_id h = b.handle(p, f);

	/* Returns the lines of the events; those of the definitions go to rest. */
	std::string text(const std::vector<io_event> &events, std::string *rest = nullptr)
	{
		struct sink_options options = b.options(path.c_str());

		std::filesystem::remove(path); /* it is never written over */
		struct sink *sink = sink_text_ops.open(&options, &err);

		EXPECT_NE(sink, nullptr) << err.text;
		for (const io_event &event : events)
			sink_text_ops.event(sink, &event);
		EXPECT_FALSE(sink_text_ops.failed(sink));
		EXPECT_EQ(sink_text_ops.close(sink, &err), 0) << err.text;
		std::ifstream in(path);
		std::string all((std::istreambuf_iterator<char>(in)),
				std::istreambuf_iterator<char>());
		size_t end = all.find("host ");
		if (rest)
			*rest = all.substr(end);
		return all.substr(0, end);
	}

	std::string line(const io_event &event)
	{
		return text({event});
	}
};

TEST_F(TextSink, Operations)
{
	EXPECT_EQ(text(io::operation(1000, 1500, t, h, 2, IO_MODE_READ, 4096)),
		  "1000 101@100 ENTER read h0\n"
		  "1000 101@100 OP_BEGIN h0 #2 READ 4096 @8192\n"
		  "1500 101@100 OP_COMPLETE h0 #2 4096\n"
		  "1500 101@100 LEAVE read\n");
	io_event e = io::begin(7, t, h, 3, IO_MODE_FLUSH, IO_BYTES_UNDEFINED);
	e.op.is_non_blocking = e.op.is_collective_proxy = true;
	EXPECT_EQ(line(e), "7 101@100 OP_BEGIN h0 #3 FLUSH * NON_BLOCKING ALL\n");
	e.kind = IO_OP_ISSUED;
	EXPECT_EQ(line(e), "7 101@100 OP_ISSUED h0 #3\n");
	e.kind = IO_OP_CANCELLED;
	e.op.end = IO_END_DEATH;
	EXPECT_EQ(line(e), "7 101@100 OP_CANCELLED h0 #3 DEATH\n");
	EXPECT_EQ(line(io::begin(7, t, ID_NONE, 3, IO_MODE_WRITE, 1)),
		  "7 101@100 OP_BEGIN - #3 WRITE 1\n");
}

TEST_F(TextSink, Regions)
{
	EXPECT_EQ(line(io::enter(1, t, "unlink", ID_NONE, f)), "1 101@100 ENTER unlink f0\n");
	EXPECT_EQ(line(io::enter(1, t, "fstatfs", h, f)), "1 101@100 ENTER fstatfs h0 f0\n");
	EXPECT_EQ(line(io::leave(2, t, "unlink", ENOENT)), "2 101@100 LEAVE unlink ENOENT\n");
	EXPECT_EQ(line(io::leave(2, t, "unlink", EACCES, b.text("/a \"b\"\n"))),
		  "2 101@100 LEAVE unlink EACCES \"/a \\\"b\\\"\\n\"\n");
	EXPECT_EQ(line(io::leave(2, t, "unlink", 4000)), "2 101@100 LEAVE unlink errno=4000\n");
	EXPECT_EQ(line(io::leave(2, t, "read", 512)), "2 101@100 LEAVE read ERESTARTSYS\n");
	EXPECT_EQ(line(io::leave(2, t, "no such call")), "2 101@100 LEAVE ?\n");
}

TEST_F(TextSink, Handles)
{
	EXPECT_EQ(line(io::create(1, t, h, O_RDWR | O_CREAT | O_SYNC | O_TMPFILE | 0x40000000)),
		  "1 101@100 CREATE_HANDLE h0 O_RDWR|O_CREAT|O_SYNC|O_TMPFILE|0x40000000\n");
	EXPECT_EQ(line(io::create(1, t, h, O_DSYNC | O_DIRECTORY | O_CLOEXEC)),
		  "1 101@100 CREATE_HANDLE h0 O_RDONLY|O_DSYNC|O_DIRECTORY|O_CLOEXEC\n");
	EXPECT_EQ(line(io::destroy(1, t, h)), "1 101@100 DESTROY_HANDLE h0\n");
	io_event e = io::at(1, IO_DUPLICATE_HANDLE, t, h);
	e.duplicate.new_handle = 5;
	EXPECT_EQ(line(e), "1 101@100 DUPLICATE_HANDLE h0 h5\n");
	e.duplicate.flags = O_CLOEXEC;
	EXPECT_EQ(line(e), "1 101@100 DUPLICATE_HANDLE h0 h5 O_CLOEXEC\n");
	e = io::at(1, IO_SEEK, t, h);
	e.seek.request = -10;
	e.seek.result = 90;
	e.seek.whence = SEEK_END;
	EXPECT_EQ(line(e), "1 101@100 SEEK h0 SEEK_END -10 = 90\n");
	e.seek.whence = 9;
	EXPECT_EQ(line(e), "1 101@100 SEEK h0 whence=9 -10 = 90\n");
	e = io::at(1, IO_CHANGE_STATUS_FLAGS, t, h);
	e.create.flags = O_WRONLY | O_APPEND;
	EXPECT_EQ(line(e), "1 101@100 CHANGE_STATUS_FLAGS h0 O_WRONLY|O_APPEND\n");
	e.create.flags = arch_here()->open.large_file; /* another number on each architecture */
	EXPECT_EQ(line(e), "1 101@100 CHANGE_STATUS_FLAGS h0 O_RDONLY|O_LARGEFILE\n");
	e = io::at(1, IO_DELETE_FILE, t);
	e.delete_file.file = f;
	EXPECT_EQ(line(e), "1 101@100 DELETE_FILE f0\n");
	e = io::at(1, IO_TRY_LOCK, t, h);
	EXPECT_EQ(line(e), "1 101@100 TRY_LOCK h0 EXCLUSIVE\n");
	e.kind = IO_RELEASE_LOCK;
	e.lock.lock = IO_LOCK_SHARED;
	EXPECT_EQ(line(e), "1 101@100 RELEASE_LOCK h0 SHARED\n");
}

TEST_F(TextSink, TheRest)
{
	const uint64_t totals[] = {1, UINT64_MAX};
	io_event e = io::at(1, IO_PROGRAM_END, t);

	EXPECT_EQ(line(e), "1 101@100 PROGRAM_END status=0\n");
	e.program.exit_status = -1;
	EXPECT_EQ(line(e), "1 101@100 PROGRAM_END status=?\n");
	EXPECT_EQ(line(io::at(1, IO_PROGRAM_BEGIN, t)), "1 101@100 PROGRAM_BEGIN\n");
	EXPECT_EQ(line(io::at(1, IO_THREAD_BEGIN, t)), "1 101@100 THREAD_BEGIN\n");
	e = io::at(1, IO_METRIC, t);
	e.metric.counters = 2;
	e.metric.counter = totals;
	EXPECT_EQ(line(e), "1 101@100 METRIC s0 1 18446744073709551615\n");
	e = io::at(1, IO_LOST, ID_NONE);
	e.lost.count = 42;
	EXPECT_EQ(line(e), "1 - LOST 42\n");
}

TEST_F(TextSink, Definitions)
{
	std::string rest;

	b.counters({"instructions"});
	process_id child = b.process(200, "a \"b\"", p, std::string("ls\0-l\0\0a b", 10));
	b.trace->process[child].status = 256;
	b.file("/dir\n\x80", FILE_DIRECTORY, b.mount("/", "/dev/sda1", "ext4"));
	b.pre_created(child, "pipe:[17]", O_WRONLY);
	b.trace->handle[b.handle(child, ID_NONE)].is_all_proxy = true;
	b.trace->host.first_time = 5;
	b.trace->host.last_time = 9;
	text({}, &rest);
	EXPECT_EQ(
		rest,
		"host \"node7\" \"6.1.0\" \"x86_64\" cpus=8 from=5 to=9 processes=0 threads=0 left=0\n"
		"process p0 100 \"app\" parent=- status=?\n"
		"process p1 200 \"a \\\"b\\\"\" parent=p0 status=256 argv \"ls\" \"-l\" \"\" \"a b\"\n"
		"thread t0 101@100 \"app\"\n"
		"mount m0 \"/\" \"/dev/sda1\" \"ext4\"\n"
		"file f0 \"/data/file\" REGULAR -\n"
		"file f1 \"/dir\\n\\x80\" DIRECTORY m0\n"
		"handle h0 p0 f0 \"/data/file\"\n"
		"handle h1 p1 - \"pipe:[17]\" PRE_CREATED O_WRONLY\n"
		"handle h2 p1 - \"\" ALL_PROXY\n"
		"series s0 \"counters\" OF_CALLS\n"
		"metric s0 \"instructions\" \"#\" ACCUMULATED\n");
}

TEST_F(TextSink, Devices)
{
	uint32_t d = b.device(makedev(8, 16), "sdb"), disk = b.device(makedev(8, 0), "sd!a");
	thread_id at = b.trace->device[d].location;
	handle_id dev = b.trace->device[d].handle;
	io_event e = io::request(7, 8, 9, at, dev, 3, REQUEST_DISCARD, 512, EIO)[0];

	e.op.pid = 100;
	e.op.name = b.text("mkfs\"");
	e.op.rwbs = b.text("DS");
	e.op.file = f;
	e.op.cgroup = b.cgroup(17, "/a/b");
	EXPECT_EQ(line(e), "7 sdb OP_BEGIN h1 #3 WRITE 512 @12288 NON_BLOCKING DISCARD \"DS\" 100 "
			   "\"mkfs\\\"\" f0 g0\n");
	EXPECT_EQ(text(io::request(7, 8, 9, at, dev, 3, REQUEST_READ, 512, EIO)),
		  "7 sdb OP_BEGIN h1 #3 READ 512 @12288 NON_BLOCKING READ\n"
		  "8 sdb OP_ISSUED h1 #3\n"
		  "9 sdb OP_COMPLETE h1 #3 512 EIO\n");

	struct trace_device *device = &b.trace->device[d];
	device->disk = disk;
	device->model = b.text("Fast \"X\"");
	device->scheduler = b.text("none");
	device->under = b.text("sdc sdd");
	device->backing = b.text("/image");
	device->sectors = 2048;
	device->is_rotational = device->has_stat = true;
	device->stat[0][16] = 5;
	device->stat[1][0] = 7;
	b.samples(d);
	b.samples(ID_NONE);
	std::string rest;
	text({}, &rest);
	EXPECT_EQ(rest.substr(rest.find("process p1")),
		  "process p1 sdb\n"
		  "process p2 sd!a\n"
		  "process p3 machine\n"
		  "thread t0 101@100 \"app\"\n"
		  "thread t1 sdb\n"
		  "thread t2 sd!a\n"
		  "thread t3 sdb/samples\n"
		  "thread t4 machine/samples\n"
		  "file f0 \"/data/file\" REGULAR -\n"
		  "file f1 \"/dev/sdb\" DEVICE -\n"
		  "file f2 \"/dev/sd!a\" DEVICE -\n"
		  "handle h0 p0 f0 \"/data/file\"\n"
		  "handle h1 p1 f1 \"/dev/sdb\" PRE_CREATED O_RDWR BLOCK\n"
		  "handle h2 p2 f2 \"/dev/sd!a\" PRE_CREATED O_RDWR BLOCK\n"
		  "device d0 8:16 \"sdb\" disk=d1 sectors=2048 ROTATIONAL model=\"Fast \\\"X\\\"\" "
		  "scheduler=\"none\" below=\"sdc sdd\" backing=\"/image\" p1 h1\n"
		  "stat d0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5\n"
		  "stat d0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		  "seen d0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		  "device d1 8:0 \"sd!a\" p2 h2\n"
		  "seen d1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		  "cgroup g0 17 \"/a/b\"\n");
}

TEST_F(TextSink, WhatIsLeftOut)
{
	process_id out = b.process(200, "out", 0);
	thread_id idle = b.thread(out, 200, "out");
	std::string rest;

	b.trace->process[out].is_excluded = b.trace->thread[idle].is_excluded = true;
	text({}, &rest);
	EXPECT_EQ(rest.find("process p1"), std::string::npos) << rest;
	EXPECT_EQ(rest.find("thread t1"), std::string::npos) << rest;
	EXPECT_NE(rest.find("thread t0"), std::string::npos) << rest;
}

TEST_F(TextSink, SharedLocations)
{
	process_id group = b.process(0, "shared locations");
	thread_id shared = b.thread(group, 0, "true");
	std::string rest;

	b.trace->process[group].kind = TRACE_SHARED_GROUP;
	b.trace->process[group].sharing = 16;
	b.trace->thread[shared].sharing = 17;
	EXPECT_EQ(text({io::enter(1, shared, "read")}, &rest), "1 t1 ENTER read\n");
	EXPECT_NE(rest.find("process p1 SHARED 16\n"), std::string::npos) << rest;
	EXPECT_NE(rest.find("thread t1 t1 \"true\" SHARED 17\n"), std::string::npos) << rest;
}

TEST_F(TextSink, SeriesAndParameters)
{
	const struct trace_metric_text metric[] = {{"up", "B", "", true, false},
						   {"change", "#", "", false, true}};
	uint32_t series = trace_add_series(b.trace, "net", false, metric, 2);
	const std::vector<uint64_t> values = {UINT64_MAX, UINT64_MAX};
	std::string rest;

	EXPECT_EQ(line(io::metric(1, b.samples(ID_NONE), series, values)),
		  "1 machine/samples METRIC s0 18446744073709551615 -1\n");
	EXPECT_EQ(line(io::metric(1, t, 9, values)),
		  "1 101@100 METRIC s9 18446744073709551615 18446744073709551615\n");
	io_event e = io::at(2, IO_PARAMETER, t);
	e.parameter.parameter = trace_add_parameter(b.trace, "filename");
	e.parameter.value = b.text("a\nb");
	EXPECT_EQ(text({e}, &rest), "2 101@100 PARAMETER a0 \"a\\nb\"\n");
	EXPECT_EQ(rest.substr(rest.find("series")), "series s0 \"net\"\n"
						    "metric s0 \"up\" \"B\" ACCUMULATED\n"
						    "metric s0 \"change\" \"#\" SIGNED\n"
						    "parameter a0 \"filename\"\n");
}

TEST_F(TextSink, ItCannotBeCreated)
{
	std::string bad = scratch.path("missing/out.txt");
	struct sink_options options = b.options(bad.c_str());

	EXPECT_EQ(sink_text_ops.open(&options, &err), nullptr);
	EXPECT_EQ(error_lines(err), "text " + bad + ": cannot create files in " +
					    scratch.path("missing") +
					    ": No such file or directory\n"
					    "Create that directory first, or choose another one.");
}

TEST_F(TextSink, AFullDisk)
{
	int own = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);

	fflush(stdout);
	ASSERT_EQ(dup2(full, STDOUT_FILENO), STDOUT_FILENO);
	struct sink_options options = b.options("-");
	struct sink *sink = sink_text_ops.open(&options, &err);
	io_event e = io::destroy(1, t, h);

	ASSERT_NE(sink, nullptr);
	for (int i = 0; i < 10000 && !sink_text_ops.failed(sink); i++)
		sink_text_ops.event(sink, &e);
	EXPECT_TRUE(sink_text_ops.failed(sink));
	EXPECT_EQ(sink_text_ops.close(sink, &err), -ENOSPC);
	dup2(own, STDOUT_FILENO);
	close(own);
	close(full);
	clearerr(stdout);
	EXPECT_EQ(error_lines(err), "cannot write standard output: No space left on device");
}

TEST(Sinks, TheTable)
{
	ASSERT_NE(sink_find("text"), nullptr);
	EXPECT_EQ(sink_find("text"), &sink_text_ops);
	EXPECT_EQ(sink_find("otf2"), &sink_otf2_ops);
	EXPECT_EQ(sink_find("null"), &sink_null_ops);
	EXPECT_STREQ(sink_find("summary")->name, "summary");
	EXPECT_EQ(sink_find("tex"), nullptr);
	uint32_t count = 0;
	for (; sink_at(count); count++) {
		EXPECT_EQ(sink_find(sink_at(count)->name), sink_at(count));
		EXPECT_NE(sink_at(count)->help, nullptr);
		EXPECT_NE(sink_at(count)->open, nullptr);
		EXPECT_NE(sink_at(count)->event, nullptr);
		EXPECT_NE(sink_at(count)->close, nullptr);
	}
	EXPECT_EQ(count, 4u);
	EXPECT_EQ(sink_at(UINT32_MAX), nullptr);
}

TEST(Sinks, NullTakesEverything)
{
	struct error err = {};
	struct sink_options options = {};
	struct sink *sink = sink_null_ops.open(&options, &err);
	io_event e = io::at(1, IO_LOST, ID_NONE);

	sink_null_ops.event(sink, &e);
	EXPECT_EQ(sink_null_ops.close(sink, &err), 0);
}

} // namespace
