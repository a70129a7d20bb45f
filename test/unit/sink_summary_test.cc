/*
 * The summary: the text that people read and the JSON that programs read, whole.
 */
#include "collect_fixture.h"
#include "print/summary_name.h"
#include "scratch_dir.h"
#include "sinks.h"
#include "summary/summary.h"

#include <iotrace/error.h>
#include <iotrace/escape.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <json.h>
#include <sstream>
#include <sys/wait.h>

namespace
{

class Summary : public DevicesFixture
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("summary");
	struct sink_options options = b.options(path.c_str());

	Summary()
	{
		options.top = SINK_TOP_DEFAULT;
	}

	std::string summary_of(const Events &events)
	{
		struct error err = {};
		struct sink *sink = sink_summary_ops.open(&options, &err);

		for (const io_event &event : events)
			sink_summary_ops.event(sink, &event);
		EXPECT_EQ(sink_summary_ops.close(sink, &err), 0) << err.text;
		std::ifstream in(path);
		return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
	}

	/* One process that reads a file and waits for a pipe. */
	Events a_run()
	{
		handle_id in = b.handle(p, b.file("/data/in")),
			  pipe = b.handle(p, ID_NONE, "pipe:[17]");
		Events all;

		b.trace->host.argv = b.text(std::string("./app\0-n\0007 8", 12));
		b.trace->host.status = 3 << 8;
		all += transfer(1000, 101000, "read", in, IO_MODE_READ, 1 << 20);
		all += transfer(101000, 401000, "read", in, IO_MODE_READ, 1 << 20);
		all += transfer(401000, 501000, "write", pipe, IO_MODE_WRITE, 1536);
		all += Events{io::enter(501000, t, "openat"),
			      io::leave(501500, t, "openat", ENOENT)};
		all += transfer(502000, 503000, "write", in, IO_MODE_WRITE, 9, ENOSPC);
		b.tally.n[TALLY_samples] = b.tally.n[TALLY_events] =
			b.tally.n[TALLY_kernel_counted] = 1234;
		options.archive = "out";
		options.capture = "kept";
		return all;
	}
};

TEST_F(Summary, ACommand)
{
	EXPECT_EQ(
		summary_of(a_run()),
		"iotrace summary: ./app -n '7 8'\n"
		"1.00 ms: 40.2 % in file I/O, 10.0 % waiting for pipes; read 2.00 MiB (1.95 GiB/s)\n"
		"besides files: pipes 100 us, wrote 1.50 KiB\n"
		"complete: all 1,234 events recorded\n"
		"note: the command ended with exit status 3.\n"
		"\n"
		"     read  written per second    time   calls  file\n"
		" 2.00 MiB        - 1.95 GiB/s  401 us       3  /data/in\n"
		"\n"
		" calls      count  failed     read  written     time      p50      p99      max\n"
		" read           2       - 2.00 MiB        -   400 us   100 us   300 us   300 us\n"
		" write          2       1        - 1.50 KiB   101 us  1.00 us   100 us   100 us\n"
		" open           1       1        -        -   500 ns   500 ns   500 ns   500 ns\n"
		"failed: 1 ENOSPC of write: /data/in\n"
		"not found: 1 ENOENT of openat\n"
		"archive: out\n"
		"capture: kept\n");
}

/* 24 lines, of which the prompt takes one. */
TEST_F(Summary, ASimpleProgramFitsAScreen)
{
	const char *const name[] = {"read", "write", "openat", "close", "fsync", "fstat", "flock"};
	Events all = a_run();
	uint64_t time = 600000;

	for (const char *call : name) {
		handle_id to = b.handle(p, b.file(("/data/" + std::string(call)).c_str()));

		all += transfer(time, time + 100, call, to, IO_MODE_READ, 4096);
		all += transfer(time + 200, time + 300, call, to, IO_MODE_WRITE, 9);
		time += 1000;
	}
	const auto lines = [&] {
		const std::string text = summary_of(all);

		return std::count(text.begin(), text.end(), '\n');
	};

	options.columns = 0;
	EXPECT_GT(lines(), 23) << "in a file";
	options.columns = 80;
	EXPECT_LE(lines(), 23);
	EXPECT_NE(summary_of(all).find("file (4 of 8)"), std::string::npos) << summary_of(all);
	options.top = 5;
	EXPECT_GT(lines(), 23) << "the user has chosen it";
}

TEST_F(Summary, ACommandOnANarrowTerminal)
{
	options.columns = 50;
	EXPECT_EQ(summary_of(a_run()), "iotrace summary: ./app -n '7 8'\n"
				       "1.00 ms: 40.2 % in file I/O, 10.0 % waiting for\n"
				       "  pipes; read 2.00 MiB (1.95 GiB/s)\n"
				       "besides files: pipes 100 us, wrote 1.50 KiB\n"
				       "complete: all 1,234 events recorded\n"
				       "note: the command ended with exit status 3.\n"
				       "\n"
				       "     read  written    time  file\n"
				       " 2.00 MiB        -  401 us  /data/in\n"
				       "\n"
				       " calls      count     read  written     time\n"
				       " read           2 2.00 MiB        -   400 us\n"
				       " write          2        - 1.50 KiB   101 us\n"
				       " open           1        -        -   500 ns\n"
				       "failed: 1 ENOSPC of write: /data/in\n"
				       "not found: 1 ENOENT of openat\n"
				       "archive: out\n"
				       "capture: kept\n");
}

TEST_F(Summary, BoldTypeOnlyWhereTheTerminalHasIt)
{
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	EXPECT_TRUE(sink_has_style(80));
	EXPECT_FALSE(sink_has_style(0)) << "no terminal";
	for (const char *term : {"dumb", "unknown", ""}) {
		setenv("TERM", term, 1);
		EXPECT_FALSE(sink_has_style(80)) << term;
	}
	unsetenv("TERM");
	EXPECT_FALSE(sink_has_style(80));
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	EXPECT_FALSE(sink_has_style(80));
	setenv("NO_COLOR", "", 1);
	EXPECT_TRUE(sink_has_style(80)) << "an empty value is none";
}

TEST_F(Summary, TheWholeMachine)
{
	process_id dd = b.process(200, "/usr/bin/dd", ID_NONE,
				  std::string("dd\0if=/dev/zero\0of=/mnt/x", 26));
	thread_id u = b.thread(dd, 200, "dd");
	uint32_t ext4 = b.mount("/mnt", "/dev/loop3", "ext4");
	uint32_t loop = b.device(makedev(7, 3), "loop3");
	file_id out = b.file("/mnt/x", FILE_REGULAR, ext4), conf = b.file("/etc/conf");
	handle_id zero = b.handle(dd, b.file("/dev/zero", FILE_DEVICE)), to = b.handle(dd, out);
	Events all;

	b.trace->host.is_system = true;
	b.trace->host.first_time = 1;
	b.trace->host.last_time = 2000000001;
	b.trace->host.processes_seen = 1234;
	b.trace->file[out].dev = makedev(7, 3);
	b.trace->file[conf].dev = makedev(8, 0);
	all += transfer_of(u, 1000, 2000, "read", zero, IO_MODE_READ, 8 << 20);
	all += transfer_of(u, 2000, 900000, "write", to, IO_MODE_WRITE, 8 << 20);
	all += transfer(1000, 2000, "read", b.handle(p, conf), IO_MODE_READ, 300);
	all += transfer_of(u, 900000, 901000, "read", b.handle(dd, conf), IO_MODE_READ, 100);
	all += request(1000000, 1000400, 31000000, device(loop), 1, REQUEST_WRITE, 8 << 20);
	all += request(2000000, 2000400, 2500000, device(sda), 2, REQUEST_READ, 4096);
	options.columns = 80;
	EXPECT_EQ(
		summary_of(all),
		"iotrace summary: the whole machine\n"
		"2.00 s, 1,234 processes (2 with I/O): 0.0 % of thread time in file I/O; read\n"
		"  400 B (200 B/s), wrote 8.00 MiB (4.00 MiB/s)\n"
		"besides files: /dev, /proc, /sys 1.00 us, read 8.00 MiB\n"
		"complete: there was nothing to record\n"
		"\n"
		"    pid     read  written per second file I/O  waiting  process\n"
		"    200    100 B 8.00 MiB 4.00 MiB/s   899 us        -  dd if=/...zero of=/mnt/x\n"
		"    100    300 B        -    150 B/s  1.00 us        -  app\n"
		"\n"
		" device      r/s    w/s     read/s  written/s   await aqu-sz %util     p99\n"
		" loop3         0   0.50          - 4.00 MiB/s 30.0 ms   0.01  1.50 30.0 ms\n"
		" sda        0.50      0 2.00 KiB/s          -  500 us   0.00  0.03  500 us\n"
		"\n"
		" cache          read from disk   cached    written   to disk   cached\n"
		" sda           400 B  4.00 KiB    0.0 %          -         -        -\n"
		" loop3             -         -        -   8.00 MiB  8.00 MiB    0.0 %\n"
		"\n"
		"     read  written    time process     device   file\n"
		"        - 8.00 MiB  898 us dd(200)     loop3    /mnt/x\n"
		"    400 B        - 2.00 us app(100)+1  sda      /etc/conf\n"
		"\n"
		" calls      count  failed     read  written     time      p50      p99      max\n"
		" read           3       - 8.00 MiB        -  3.00 us  1.00 us  1.00 us  1.00 us\n"
		" write          1       -        - 8.00 MiB   898 us   898 us   898 us   898 us\n");
	for (options.columns = 40; options.columns < 132; options.columns++) {
		std::istringstream lines(summary_of(all));

		for (std::string line; std::getline(lines, line);)
			EXPECT_LE(line.size(), size_t(options.columns))
				<< options.columns << ": " << line;
	}
	options.columns = 0;
	EXPECT_EQ(
		summary_of(all),
		"iotrace summary: the whole machine\n"
		"2.00 s, 1,234 processes (2 with I/O): 0.0 % of thread time in file I/O; read 400 B (200 B/s), wrote 8.00 MiB (4.00 MiB/s)\n"
		"besides files: /dev, /proc, /sys 1.00 us, read 8.00 MiB\n"
		"complete: there was nothing to record\n"
		"\n"
		"    pid     read  written per second file I/O  waiting  process\n"
		"    200    100 B 8.00 MiB 4.00 MiB/s   899 us        -  dd if=/dev/zero of=/mnt/x\n"
		"    100    300 B        -    150 B/s  1.00 us        -  app\n"
		"\n"
		" device                      r/s    w/s     read/s  written/s   await aqu-sz %util     p50     p99     max\n"
		" loop3                         0   0.50          - 4.00 MiB/s 30.0 ms   0.01  1.50 30.0 ms 30.0 ms 30.0 ms\n"
		" sda                        0.50      0 2.00 KiB/s          -  500 us   0.00  0.03  500 us  500 us  500 us\n"
		"\n"
		" cache                          read from disk   cached    written   to disk   cached\n"
		" sda                           400 B  4.00 KiB    0.0 %          -         -        -\n"
		" loop3                             -         -        -   8.00 MiB  8.00 MiB    0.0 %\n"
		"\n"
		"     read  written per second    time   calls process     device   file\n"
		"        - 8.00 MiB 4.00 MiB/s  898 us       1 dd(200)     loop3    /mnt/x\n"
		"    400 B        -    200 B/s 2.00 us       2 app(100)+1  sda      /etc/conf\n"
		"\n"
		" calls      count  failed     read  written     time      p50      p99      max\n"
		" read           3       - 8.00 MiB        -  3.00 us  1.00 us  1.00 us  1.00 us\n"
		" write          1       -        - 8.00 MiB   898 us   898 us   898 us   898 us\n");
}

/* Every number of the text, and those that it has no room for. */
TEST_F(Summary, Json)
{
	process_id other = b.process(200, "/bin/other", p, std::string("other\0-x", 8));
	thread_id u = b.thread(other, 200, "other");
	file_id f = b.file("/f\xff", FILE_REGULAR, b.mount("/", "/dev/sda", "ext4"));
	Events all = transfer(1000, 3000, "read", b.handle(p, f), IO_MODE_READ, 7);

	b.trace->file[f].dev = makedev(8, 0);
	all += transfer_of(u, 3000, 4000, "write", b.handle(other, f), IO_MODE_WRITE, 9, 0);
	all += transfer(4000, 9000, "read", b.handle(p, b.file("/proc/x")), IO_MODE_READ, 3);
	all += Events{io::enter(9000, t, "newfstatat"),
		      io::leave(9100, t, "newfstatat", ENOENT, b.text("/none\xff"))};
	all += request(1000, 101000, 201000, device(sda), 1, REQUEST_READ, 4096);
	device(sda)->seen[0] = 1;
	b.tally.n[TALLY_samples] = b.tally.n[TALLY_events] = 5;
	b.tally.n[TALLY_foreign_calls] = 2;
	b.trace->host.status = 9;
	options.is_json = true;
	json_object *top = json_tokener_parse(summary_of(all).c_str());
	const struct {
		const char *path, *value;
	} expected[] = {
		{"/schema", "3"},
		{"/run/duration_ns", "1000000"},
		{"/run/signal", "9"},
		{"/run/exit_status", "null"},
		{"/run/whole_machine", "false"},
		{"/run/processes_with_io", "2"},
		{"/verdict/file_time_ns", "3100"},
		{"/verdict/bytes_read", "7"},
		{"/verdict/read_bytes_per_second", "7000.0"},
		{"/completeness/state", "\"complete\""},
		{"/completeness/sentence", "\"complete: all 5 events recorded\""},
		{"/completeness/counters/samples", "5"},
		{"/remarks/0", "\"the command was ended by signal 9 (SIGKILL).\""},
		{"/remarks/1", "\"calls of 32-bit programs, which were not recorded: 2.\""},
		{"/total/bytes_read", "10"},
		{"/total/failed", "1"},
		{"/places/kernel_files/bytes_read", "3"},
		{"/calls/read/p99_ns", "5000"},
		{"/calls/write/time_ns", "1000"},
		{"/processes/total", "2"},
		{"/processes/rows/0/pid", "200"},
		{"/processes/rows/0/argv", "[\"other\",\"-x\"]"},
		{"/processes/rows/0/files/written_bytes_per_second", "9000.0"},
		{"/processes/rows/1/name", "\"app\""},
		{"/processes/rows/1/files/bytes_read", "7"},
		{"/processes/rows/1/all/bytes_read", "10"},
		{"/files/total", "1"},
		{"/files/rows/0/path", "\"/f\\\\xff\""},
		{"/files/rows/0/file_system", "\"ext4\""},
		{"/files/rows/0/device", "\"sda\""},
		{"/files/rows/0/bytes_written", "9"},
		{"/files/rows/0/processes/total", "2"},
		{"/files/rows/0/processes/rows/0/name", "\"/bin/other\""},
		{"/files/rows/0/processes/rows/1/bytes", "7"},
		{"/kernel_files/rows/0/path", "\"/proc/x\""},
		{"/errors/rows/0/error", "\"ENOENT\""},
		{"/errors/rows/0/kind", "\"lookup\""},
		{"/failed_names/total", "1"},
		{"/failed_names/rows/0/name", "\"/none\\\\xff\""},
		{"/failed_names/rows/0/kind", "\"probe\""},
		{"/failed_names/rows/0/call", "\"newfstatat\""},
		{"/devices/0/device/name", "\"sda\""},
		{"/devices/0/device/dev", "\"8:0\""},
		{"/devices/0/device/read/requests", "1"},
		{"/devices/0/reads/bytes", "4096"},
		{"/devices/0/reads/wait_ns", "200000"},
		{"/devices/0/writes/requests", "0"},
		{"/devices/0/busy_ns", "200000"},
		{"/devices/0/max_ns", "100000"},
		{"/devices/0/reads_per_second", "1000.0"},
		{"/devices/0/await_ns", "200000.0"},
		{"/devices/0/await_p99_ns", "200000"},
		{"/devices/0/await_max_ns", "200000"},
		{"/devices/0/programs/asked_read", "7"},
		{"/devices/0/programs/disk_read", "4096"},
		{"/archive", "null"},
		{"/capture", "null"},
	};

	ASSERT_NE(top, nullptr);
	for (const auto &row : expected) {
		struct json_object *found = nullptr;

		ASSERT_EQ(json_pointer_get(top, row.path, &found), 0) << row.path;
		EXPECT_STREQ(json_object_to_json_string_ext(found,
							    JSON_C_TO_STRING_PLAIN |
								    JSON_C_TO_STRING_NOSLASHESCAPE),
			     row.value)
			<< row.path;
	}
	json_object_put(top);
}

TEST_F(Summary, AnAsynchronousFileHasCountAndTime)
{
	handle_id h = b.handle(p, b.file("/f"));
	io_event begin = io::begin(1000, t, h, 5, IO_MODE_WRITE, 512);
	io_event end = io::complete(9000, t, h, 5, 512);

	begin.op.is_non_blocking = true;
	end.op.mode = IO_MODE_WRITE;
	std::string text = summary_of({begin, end});
	EXPECT_NE(text.find("        -    512 B  500 KiB/s 8.00 us       1  /f\n"),
		  std::string::npos)
		<< text;
	EXPECT_NE(text.find(" async          1       -        -    512 B  8.00 us"),
		  std::string::npos)
		<< text;
}

TEST_F(Summary, ARecordingThatWasStoppedSaysSo)
{
	std::string line = "the recording was stopped before the command ended.\n";

	b.trace->host.end_reason = 3;
	EXPECT_EQ(summary_of({}).find(line), std::string::npos) << "of -p there is no command";
	b.trace->host.argv = b.text("./app");
	EXPECT_NE(summary_of({}).find(line), std::string::npos);
	b.trace->host.processes_left = 1;
	EXPECT_EQ(summary_of({}).find("--wait"), std::string::npos)
		<< "to wait does not help there: " << summary_of({});
	b.trace->host.status = 0;
	EXPECT_EQ(summary_of({}).find(line), std::string::npos);
}

TEST_F(Summary, ARecordingThatFoundNoRoomSaysSoFirst)
{
	auto second_line = [&] {
		std::string text = summary_of({});
		size_t at = text.find('\n') + 1;

		return text.substr(at, text.find('\n', at) - at);
	};
	const struct {
		int error;
		const char *cause, *remedy;
	} row[] = {
		{ENOSPC, "the disk was full", "choose a disk with more space (-o, --capture)"},
		{EDQUOT, "the disk quota was used up",
		 "choose a disk with more space (-o, --capture)"},
		{EFBIG, "a file reached its size limit", "raise that limit (ulimit -f)"},
		{EIO, "iotrace could not write (Input/output error)",
		 "choose another directory (-o, --capture)"},
		{0, "iotrace could not write (the capture does not say why)",
		 "choose another directory (-o, --capture)"},
	};
	struct sink_end end = {};

	b.trace->host.argv = b.text("./app");
	options.archive_end = &end;
	EXPECT_EQ(second_line().find("1.00 ms: "), 0U);
	end.is_cut = true;
	end.time = 401000;
	options.archive = "small/trace";
	EXPECT_NE(summary_of({}).find(
			  "\narchive: small/trace (the first 400 us; later events could "
			  "not be written)\n"),
		  std::string::npos)
		<< summary_of({});
	end.is_cut = false;
	EXPECT_NE(summary_of({}).find("\narchive: small/trace\n"), std::string::npos);
	options.archive = nullptr;
	options.is_archive_lost = true;
	EXPECT_NE(summary_of({}).find("\narchive: none, because it could not be written\n"),
		  std::string::npos);
	options.is_archive_lost = false;
	end.is_cut = true;
	for (const auto &r : row) {
		end.code = -r.error;
		EXPECT_EQ(second_line(),
			  std::string("the archive ends at 400 us, then ") + r.cause +
				  ". The numbers here cover the whole run. To record more, " +
				  r.remedy + ".");
	}
	b.trace->host.end_reason = TRACE_END_ERROR;
	for (const auto &r : row) {
		b.trace->host.end_errno = r.error;
		end.is_cut = false;
		EXPECT_EQ(second_line(), std::string("recorded until 1.00 ms, then ") + r.cause +
						 ". All numbers cover that time. To record more, " +
						 r.remedy + ".");
		end.is_cut = true;
		EXPECT_NE(second_line().find("that time; the archive ends at 400 us. To"),
			  std::string::npos);
	}
	EXPECT_EQ(summary_of({}).find("note: the recording was stopped"), std::string::npos);
	end.is_cut = false;
	b.trace->host.end_reason = TRACE_END_LIMIT;
	b.trace->host.end_errno = 0;
	EXPECT_EQ(
		second_line(),
		"recorded until 1.00 ms, then --limit was reached. All numbers cover that time. To "
		"record more, choose a larger --limit.");
	EXPECT_EQ(summary_of({}).find("note: the recording was stopped"), std::string::npos);
	b.trace->host.end_reason = TRACE_END_ERROR;
	b.trace->host.end_errno = ENOSPC;
	options.is_json = true;
	EXPECT_NE(summary_of({}).find("\"end_error\":\"ENOSPC\""), std::string::npos);
	EXPECT_NE(summary_of({}).find("\"remarks\":[\"recorded until 1.00 ms, then the disk"),
		  std::string::npos);
}

TEST_F(Summary, ProcessesOfSharedLocationsAreExplainedAndCounted)
{
	process_id group = b.process(0, "shared locations");
	thread_id shared = b.thread(group, 0, "true");
	Events all = transfer(1000, 2000, "read", b.handle(p, b.file("/f")), IO_MODE_READ, 7);

	b.trace->process[group].kind = TRACE_SHARED_GROUP;
	b.trace->process[group].sharing = 254;
	b.trace->thread[shared].sharing = 254;
	all += transfer_of(shared, 2000, 5000, "read", b.handle(group, b.file("/f")), IO_MODE_READ,
			   9);
	options.top = 1;
	std::string text = summary_of(all);

	EXPECT_NE(text.find("process (1 of 255)\n"), std::string::npos) << text;
	EXPECT_NE(text.find("  254 processes (shared)\n"), std::string::npos) << text;
	EXPECT_NE(text.find("\nnote: 254 processes are in one row, because "
			    "an archive has room for few threads. With --format null each process "
			    "has its own row.\n"),
		  std::string::npos)
		<< text;
	b.trace->process[group].sharing = 0;
	EXPECT_EQ(summary_of(all).find("note:"), std::string::npos);
}

TEST_F(Summary, AnInterruptedCallDidNotFail)
{
	std::string text = summary_of({io::enter(1000, t, "read"), io::leave(2000, t, "read", 512),
				       io::enter(3000, t, "read"),
				       io::leave(4000, t, "read", 512)});

	EXPECT_NE(text.find("\n read           2       - "), std::string::npos) << text;
	EXPECT_NE(text.find("\ninterrupted by signals: 2 ERESTARTSYS of read\n"), std::string::npos)
		<< text;
	EXPECT_EQ(text.find("failed:"), std::string::npos);
}

/* A pipe with a name waits as one without. */
TEST_F(Summary, ANamedPipeIsAPipe)
{
	handle_id fifo = b.handle(p, b.file("/tmp/fifo", FILE_FIFO));
	std::string text = summary_of(transfer(1000, 501000, "read", fifo, IO_MODE_READ, 2048));

	EXPECT_NE(
		text.find(
			"0.0 % in file I/O, 50.0 % waiting for pipes; no file data read or written\n"
			"besides files: pipes 500 us, read 2.00 KiB\n"),
		std::string::npos)
		<< text;
	EXPECT_EQ(text.find("/tmp/fifo"), std::string::npos) << "among the files: " << text;
}

/* The rate is that of what the rows are sorted by. */
TEST_F(Summary, RatesOfWhatTheTablesAreSortedBy)
{
	handle_id h = b.handle(p, b.file("/f"));
	Events all = transfer(1000, 2000, "read", h, IO_MODE_READ, 1 << 20);
	auto table = [&](enum sink_sort sort) {
		options.sort = sort;
		std::string text = summary_of(all);
		size_t at = text.find("     read  written");

		return text.substr(at, text.find("\n\n", at) - at);
	};

	b.trace->host.argv = b.text("./app"); /* one process: the table of files alone */
	all += transfer(2000, 4000, "write", h, IO_MODE_WRITE, 2 << 20);
	for (enum sink_sort sort : {SORT_DATA, SORT_TIME, SORT_CALLS})
		EXPECT_EQ(table(sort), "     read  written per second    time   calls  file\n"
				       " 1.00 MiB 2.00 MiB 2.93 GiB/s 3.00 us       2  /f");
	EXPECT_EQ(table(SORT_READ), "     read  written     read/s    time   calls  file\n"
				    " 1.00 MiB 2.00 MiB 1000 MiB/s 3.00 us       2  /f");
	EXPECT_EQ(table(SORT_WRITTEN), "     read  written  written/s    time   calls  file\n"
				       " 1.00 MiB 2.00 MiB 1.95 GiB/s 3.00 us       2  /f");
}

TEST_F(Summary, WhereCallsFailed)
{
	Events all;
	uint64_t now = 1000;
	auto fail = [&](const char *call, int error, const std::string &name) {
		now++;
		all += Events{io::enter(now, t, call),
			      io::leave(now, t, call, error, name.empty() ? 0 : b.text(name))};
	};
	auto errors = [&] {
		std::string text = summary_of(all);

		return text.substr(text.find("failed:", text.find("\n calls")));
	};

	fail("openat", EACCES, "/a  b\n");
	EXPECT_EQ(errors(), "failed: 1 EACCES of openat: /a  b\\n\n");
	fail("openat", EACCES, ""); /* not known */
	EXPECT_EQ(errors(), "failed: 2 EACCES of openat\n"
			    "  1 EACCES of openat: /a  b\\n\n");
	for (int i = 0; i < 7; i++)
		fail("unlink", EPERM, "/f" + std::to_string(i));
	for (int i = 0; i < 3; i++)
		fail("openat", ENOENT, "/" + std::string(90, (char)('p' + i)));
	fail("newfstatat", ENOENT, "/probe");
	options.columns = 60;
	EXPECT_EQ(errors(), "failed: 7 EPERM of unlink, 2 EACCES of openat\n"
			    "  1 EPERM of unlink: /f6\n"
			    "  1 EPERM of unlink: /f5\n"
			    "  1 EPERM of unlink: /f4\n"
			    "  1 EPERM of unlink: /f3\n"
			    "  1 EPERM of unlink: /f2\n"
			    "not found: 3 ENOENT of openat, 1 ENOENT of newfstatat\n"
			    "  1 ENOENT of openat: /rrrrrrrrrr...rrrrrrrrrrrrrrrrrrrrrrrr\n"
			    "  1 ENOENT of openat: /qqqqqqqqqq...qqqqqqqqqqqqqqqqqqqqqqqq\n");
	options.top = 1;
	EXPECT_EQ(errors(), "failed: 7 EPERM of unlink, 1 more\n"
			    "  1 EPERM of unlink: /f6\n"
			    "not found: 3 ENOENT of openat, 1 more\n"
			    "  1 ENOENT of openat: /rrrrrrrrrr...rrrrrrrrrrrrrrrrrrrrrrrr\n");
	all.clear();
	options.top = 4;
	fail("unlink", EPERM, "/f");
	fail("openat", ENOENT, "");
	fail("read", EAGAIN, "pipe:[7]");
	fail("readlink", EINVAL, "/d");
	EXPECT_EQ(errors(), "failed: 1 EPERM of unlink: /f\n"
			    "not found: 1 ENOENT of openat\n"
			    "usually harmless: 1 EAGAIN of read, 1 EINVAL of readlink\n");
	options.top = SINK_TOP_DEFAULT;
	EXPECT_EQ(errors(), "failed: 1 EPERM of unlink: /f\n"
			    "not found: 1 ENOENT of openat; 2 usually harmless\n");
}

TEST_F(Summary, HowManyRowsAndByWhat)
{
	Events all;

	for (int i = 0; i < 9; i++)
		all += transfer(1000, 1010 + (i * 4 % 9), "read",
				b.handle(p, b.file("/f" + std::to_string(i))), IO_MODE_READ, 1 + i);
	auto files = [&] {
		std::string text = summary_of(all), found;

		for (size_t at = 0; (at = text.find("  /f", at)) != std::string::npos; at += 4)
			found += text[at + 4];
		return found;
	};

	EXPECT_EQ(files(), "87654");
	EXPECT_NE(summary_of(all).find("file (5 of 9)"), std::string::npos);
	options.top = 20;
	EXPECT_EQ(files(), "876543210");
	EXPECT_EQ(summary_of(all).find("(5 of 9)"), std::string::npos);
	options.sort = SORT_TIME;
	options.top = 3;
	EXPECT_EQ(files(), "246");
	options.top = 0;
	EXPECT_EQ(files(), "");
	EXPECT_EQ(summary_of(all).find("calls"), std::string::npos) << summary_of(all);
}

TEST_F(Summary, Remarks)
{
	const struct trace_host before = b.trace->host;
	auto expect = [&](const std::string &text) {
		EXPECT_NE(summary_of({}).find("\nnote: " + text + "\n"), std::string::npos)
			<< summary_of({});
		b.trace->host = before;
		memset(&b.tally, 0, sizeof(b.tally));
	};

	EXPECT_EQ(summary_of({}).find("note"), std::string::npos);
	b.trace->host.processes_left = 2;
	expect("2 processes were still running when the recording ended.");
	b.trace->host.processes_left = 1;
	b.trace->host.argv = b.text("./app");
	b.trace->host.end_reason = 0;
	b.trace->host.status = 0;
	expect("1 process was still running when the recording ended. To wait for it, use --wait.");
	b.trace->host.status = 9;
	expect("the command was ended by signal 9 (SIGKILL).");
	b.trace->host.status = 2 << 8;
	expect("the command ended with exit status 2.");
	b.trace->host.source = TRACE_SOURCE_PERF;
	b.trace->host.source_why = b.text("no BTF\033");
	expect("calls were recorded with perf instead of BPF: no BTF\\x1b");
	b.trace->host.source = TRACE_SOURCE_BPF;
	b.trace->host.block_source = TRACE_SOURCE_PERF;
	b.trace->host.block_why = b.text("no field");
	expect("block requests were recorded with perf instead of BPF: no field");
	b.trace->host.last_time = 400000000;
	b.trace->host.cpu_wait = 70000000;
	EXPECT_EQ(summary_of({}).find("waited for a CPU"), std::string::npos) << "rarely";
	b.trace->host.cpu_wait = 172000000;
	expect("calls may have taken longer: some task waited for a CPU 43 % of the time.");
	b.trace->host.last_time = 90000000;
	b.trace->host.cpu_wait = 80000000;
	EXPECT_EQ(summary_of({}).find("waited for a CPU"), std::string::npos) << "too short";
	b.trace->host = before;
	b.refuse("io_uring requests", "no tracepoint\033", "");
	expect("the kernel refuses BPF programs: io_uring requests: no tracepoint\\x1b");
	b.refuse("record locks", "other arguments", "perf");
	expect("the kernel refuses BPF programs: io_uring requests: no tracepoint\\x1b; record locks: "
	       "other arguments; recorded with perf");
	b.trace->refusals = 0;
	b.tally.n[TALLY_foreign_calls] = 1700;
	expect("calls of 32-bit programs, which were not recorded: 1,700.");
	b.trace->host.processes_left = 2;
	b.trace->host.is_system = true;
	EXPECT_EQ(summary_of({}).find("note"), std::string::npos);
	b.tally.n[TALLY_untraceable] = 1;
	expect("process 1 ran, but this kernel reports none of its system calls; those of other "
	       "processes are recorded.");
	b.trace->host.is_system = false;
	b.trace->host.processes_left = 0;
	b.tally.n[TALLY_untraceable] = 0;
	b.trace->host.attached = 1;
	b.trace->host.attached_pid[0] = 10;
	EXPECT_EQ(summary_of({}).find("-p 1"), std::string::npos);
	b.trace->host.attached_pid[b.trace->host.attached++] = 1;
	expect("-p 1 records process 1 and the processes that it starts during the recording, but not "
	       "those that were running already; -a records all.");
}

TEST_F(Summary, EventsThatWereAskedFor)
{
	for (const char *name :
	     {"iotrace:bpf", "iotrace:event:sched:one=a,b", "iotrace:event:x:y"}) {
		b.trace->count = static_cast<struct trace_count *>(
			mem_grow(b.trace->count, &b.trace->counts_cap, b.trace->counts + 1,
				 sizeof(struct trace_count)));
		b.trace->count[b.trace->counts++] = {b.text(name), 0, 1700, 0, true, false};
	}
	EXPECT_NE(summary_of({}).find("\nnote: events of -e: 1,700 of sched:one, 1,700 of x:y.\n"),
		  std::string::npos)
		<< summary_of({});
}

/* Who asks for something that is not there should not have to wonder at an empty summary. */
TEST_F(Summary, FiltersThatNothingMatches)
{
	auto note = [&](const Events &events = {}) {
		std::string text = summary_of(events);
		size_t at = text.find("\nnote: ");

		b.trace->filters.count = 0;
		return at == std::string::npos
			       ? ""
			       : text.substr(at + 7, text.find('\n', at + 1) - at - 7);
	};

	b.filter(FILTER_COMM, "d*");
	b.filter(FILTER_COMM, "cp\033");
	EXPECT_EQ(note(), "no task that matches --comm 'd*', 'cp\\x1b' made a call.");
	b.filter(FILTER_COMM, "dd");
	b.trace->filters.other[0] = b.text("sh");
	b.trace->filters.others = 1;
	EXPECT_EQ(note(),
		  "no task that matches --comm 'dd' made a call. Calls of 'sh' were excluded.");
	b.filter(FILTER_USER, "1000");
	for (str_id &name : b.trace->filters.other)
		name = b.text("ls");
	b.trace->filters.others = TRACE_OTHERS;
	EXPECT_EQ(note(), "no task that matches --uid '1000' made a call. Calls of "
			  "'ls', 'ls', 'ls' and perhaps others were excluded.");
	b.trace->filters.others = 0;
	b.filter(FILTER_CGROUP, "a.slice");
	EXPECT_EQ(note(), "no task that matches --cgroup 'a.slice' made a call.");
	b.filter(FILTER_USER, "1000");
	b.filter(FILTER_COMM, "dd");
	EXPECT_EQ(note(), "no task that matches --comm 'dd' and --uid '1000' made a call.");
	b.filter(FILTER_DEVICE, "sda");
	EXPECT_EQ(note(), "no block request of 'sda' was recorded.");
	b.tally.n[TALLY_requests_excluded] = 7;
	b.filter(FILTER_DEVICE, "sda");
	EXPECT_EQ(
		note(),
		"no block request of 'sda' was recorded. 7 of tasks that are not recorded were excluded.");
	b.filter(FILTER_DEVICE, "sda");
	EXPECT_EQ(note(request(1000, 1000, 2000, device(sda), 1, REQUEST_READ, 512)), "");
	b.tally.n[TALLY_calls] = 1;
	b.filter(FILTER_COMM, "dd");
	b.filter(FILTER_USER, "1000");
	b.filter(FILTER_CGROUP, "a.slice");
	EXPECT_EQ(note(), "");
}

TEST_F(Summary, TextSaysWhatIsMissing)
{
	b.tally.n[TALLY_samples] = b.tally.n[TALLY_events] = 10;
	b.tally.n[TALLY_lost] = 1700;
	b.tally.n[TALLY_kernel_counted] = 1710;
	b.trace->count = static_cast<struct trace_count *>(calloc(1, sizeof(struct trace_count)));
	b.trace->count[0] = {b.text("raw_syscalls:sys_exit"), 0, 1710, 1700, true, false};
	b.trace->counts = 1;
	EXPECT_NE(summary_of({}).find(
			  "\nincomplete: 1,700 of 1,710 events are missing (the kernel's ring "
			  "buffers were full). Try a larger ring buffer with -m. Missing: 1,700 of "
			  "raw_syscalls:sys_exit.\n"),
		  std::string::npos)
		<< summary_of({});
	b.tally.n[TALLY_begun] = 1;
	EXPECT_NE(
		summary_of({}).find(
			"\nthe event counts contradict each other: begun 1 = completed 0 + cancelled 0 + "
			"aborted 0 + unreported 0 + in_flight 0. If the capture is not damaged, this is a bug in "
			"iotrace: please report it.\n"),
		std::string::npos)
		<< summary_of({});
}

TEST_F(Summary, NoRawByteOfANameReachesTheTerminalAndNoLineIsTooWide)
{
	std::string name = "/d/\033[31m\n\xff" + std::string(300, 'x') + "\xe4\xb8\xad/end\x07";
	handle_id h = b.handle(p, b.file(name));

	b.trace->host.argv = b.text(name);
	options.archive = name.c_str();
	for (int columns : {0, 20, 80, 120, 5000}) {
		options.columns = columns;
		std::string all = summary_of(transfer(1000, 2000, "read", h, IO_MODE_READ, 7));
		size_t from = 0, end;

		for (; (end = all.find('\n', from)) != std::string::npos; from = end + 1) {
			size_t wide = escape_columns(all.data() + from, end - from);

			if (all.compare(from, 8, "archive:") == 0 || !columns)
				continue; /* stands whole, to be copied */
			/* escape_columns() counts the backslashes of escapes twice. */
			wide -= static_cast<size_t>(std::count(all.begin() + (long)from,
							       all.begin() + (long)end, '\\'));
			EXPECT_LE(wide, static_cast<size_t>(columns < 45 ? 45 : columns))
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
	EXPECT_EQ(summary_of({}), "");
	options.is_json = true;
	EXPECT_EQ(summary_of({}), "");
}

TEST_F(Summary, WhereItCannotBeWritten)
{
	struct error err = {};
	std::string nowhere = scratch.path("none/summary");

	options.path = nowhere.c_str();
	struct sink *sink = sink_summary_ops.open(&options, &err);
	EXPECT_EQ(sink_summary_ops.close(sink, &err), -ENOENT);
	EXPECT_EQ(err.text, "summary: cannot write " + nowhere + ": No such file or directory");
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

TEST(SummaryNumbers, Rates)
{
	char out[SUMMARY_NUMBER];

	EXPECT_STREQ(summary_rate(out, 0), "0 B/s");
	EXPECT_STREQ(summary_rate(out, 819200), "800 KiB/s");
	EXPECT_STREQ(summary_rate(out, 1e300), "888 PiB/s");
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

std::string quoted(const std::string &words)
{
	char *text = summary_quote(words.data(), words.size());
	std::string copy = text;

	free(text);
	return copy;
}

TEST(SummaryNames, CommandsAreQuotedAsAShellNeedsThem)
{
	EXPECT_EQ(quoted("ls"), "ls");
	EXPECT_EQ(quoted(std::string("ls\0-l\0/a_b/c.d,e", 16)), "ls -l /a_b/c.d,e");
	EXPECT_EQ(quoted(std::string("sh\0-c\0a | b", 11)), "sh -c 'a | b'");
	EXPECT_EQ(quoted("it's"), "'it'\\''s'");
	EXPECT_EQ(quoted(std::string("a\0\0b", 4)), "a '' b");
	EXPECT_EQ(quoted("back\\slash"), "'back\\slash'");
	EXPECT_EQ(quoted("a\033[1m'\\\n"), "$'a\\x1b[1m\\'\\\\\\n'");
	EXPECT_EQ(quoted("\xff"), "$'\\xff'");
	EXPECT_EQ(quoted("\xe4\xb8\xad"), "'\xe4\xb8\xad'");
	EXPECT_EQ(quoted(""), "");
}

/* The shell gets back what went in. */
TEST(SummaryNames, AShellUnderstandsTheQuotes)
{
	std::string word;

	for (int c = 1; c < 256; c++)
		word += static_cast<char>(c);
	for (const std::string &text : {word, std::string("\\'\"$`\n!"), std::string("-n")}) {
		std::string line = "printf %s " + quoted(std::string("x\0", 2) + text).substr(2);
		ScratchDir scratch;
		std::string script = scratch.path("script");

		std::ofstream(script) << line;
		FILE *shell = popen(("bash " + script).c_str(), "r");
		std::string said;
		for (int c; (c = fgetc(shell)) != EOF;)
			said += static_cast<char>(c);
		pclose(shell);
		EXPECT_EQ(said, text);
	}
}

std::string cut(const std::string &text, size_t columns)
{
	char *out = summary_cut(text.c_str(), columns, 4);
	std::string copy = out;

	free(out);
	return copy;
}

TEST(SummaryNames, AreCutInTheMiddleAtWholeCharacters)
{
	EXPECT_EQ(cut("/a/b", 20), "/a/b");
	EXPECT_EQ(cut("0123456789abcdef", 16), "0123456789abcdef");
	EXPECT_EQ(cut("0123456789abcdefg", 16), "0123...89abcdefg");
	EXPECT_EQ(cut("0123456789abcdefg", 0), "0123456789abcdefg");
	std::string wide;
	for (int i = 0; i < 30; i++)
		wide += "\xe4\xb8\xad";
	EXPECT_LE(escape_columns(cut(wide, 16).data(), cut(wide, 16).size()), 16U);
	EXPECT_GE(escape_columns(cut(wide, 16).data(), cut(wide, 16).size()), 14U);
	EXPECT_EQ(quoted(cut(wide, 16)).find("\\x"), std::string::npos) << "a character was cut";
	for (size_t columns = 8; columns < 60; columns++)
		EXPECT_LE(summary_columns(
				  cut("\\xff\\xfe\\x01/" + wide + "\\x80\\x80", columns).c_str()),
			  columns);
}

std::vector<std::string> cut_list(const std::vector<std::string> &names, size_t columns)
{
	std::vector<char *> list;
	std::vector<std::string> all;

	for (const std::string &name : names)
		list.push_back(strdup(name.c_str()));
	summary_cut_list(list.data(), static_cast<uint32_t>(list.size()), columns);
	for (char *name : list) {
		EXPECT_LE(summary_columns(name), columns);
		all.emplace_back(name);
		free(name);
	}
	return all;
}

TEST(SummaryNames, ThatDifferStillDiffer)
{
	EXPECT_EQ(cut_list({"/usr/lib/python3.11/json/__pycache__/__init__.cpython-311.pyc",
			    "/usr/lib/python3.11/http/__pycache__/__init__.cpython-311.pyc",
			    "/usr/lib/python3.11/os.py"},
			   40),
		  (std::vector<std::string>{"/usr/lib/python3.11/json/__...on-311.pyc",
					    "/usr/lib/python3.11/http/__...on-311.pyc",
					    "/usr/lib/python3.11/os.py"}));
	std::string deep = "/very/long/path/that/is/the/same/for/all/of/them/and/goes/on/",
		    tail = "/__pycache__/also/quite/long/__init__.cpython-311.pyc";
	EXPECT_EQ(cut_list({deep + "a" + tail, deep + "b" + tail, "/opt" + deep + "b" + tail}, 30),
		  (std::vector<std::string>{"...a/__pycache_...thon-311.pyc",
					    "...b/__pycache_...thon-311.pyc",
					    "/opt/very...__.cpython-311.pyc"}));
	std::vector<std::string> many;
	for (int i = 0; i < 300; i++)
		many.push_back(deep + std::to_string(i) + tail);
	for (size_t columns : {16, 24, 37, 60, 90}) {
		std::vector<std::string> list = cut_list(many, columns);
		std::sort(list.begin(), list.end());
		EXPECT_EQ(std::unique(list.begin(), list.end()), list.end()) << columns;
	}
	/* The same name twice has no difference to show. */
	EXPECT_EQ(cut_list({deep + tail, deep + tail}, 30),
		  (std::vector<std::string>{"/very/lon...__.cpython-311.pyc",
					    "/very/lon...__.cpython-311.pyc"}));
}

TEST_F(Summary, Devices)
{
	uint32_t loop = b.device(makedev(7, 11), "averylongname11"),
		 idle = b.device(makedev(7, 1), "loop1");
	file_id f = b.file("/data");
	Events all;

	b.trace->host.first_time = 1;
	b.trace->host.last_time = 10000000001;
	b.trace->file[f].dev = makedev(8, 0);
	b.trace->file[b.file("/other")].dev = makedev(7, 1);
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
	std::string text = summary_of(all);
	size_t from = text.find("\n device ");
	ASSERT_NE(from, std::string::npos) << text;
	text = text.substr(from, text.find("\n\n     read ") - from);
	EXPECT_EQ(text,
		  "\n"
		  " device      r/s    w/s     read/s  written/s   await aqu-sz %util     p99\n"
		  " a...me11      0   0.10          - 1.60 TiB/s  9.70 s   0.97  97.0  9.70 s\n"
		  " sda        12.3      0 49.2 KiB/s          -  886 us   0.01  1.11  897 us\n"
		  "           1 flush, 1 discard (1.00 MiB), 1 failed\n"
		  " sda: the kernel itself counted 2 more reads, 2,048 fewer sectors of discards,\n"
		  "           1 fewer flush\n"
		  "\n"
		  " cache          read from disk   cached    written   to disk   cached\n"
		  " sda        1.00 MiB   492 KiB   52.0 %          -         -        -\n"
		  " loop1        1000 B         -  100.0 %          -         -        -");
	std::istringstream lines(text);
	for (std::string line; std::getline(lines, line);)
		EXPECT_LE(line.size(), 80u) << line;
}

/* The sentence on completeness says that it is missing, the line of the device what that means there. */
TEST_F(Summary, AMissingEndOfARequestIsSaidOnce)
{
	Events all = request(1000, 1000, 501000, device(sda), 1, REQUEST_READ, 512);

	all[2].kind = IO_OP_CANCELLED;
	all[2].op.end = IO_END_LOST;
	b.tally.n[TALLY_begun] = b.tally.n[TALLY_cancelled] = 1;
	device(sda)->has_stat = true;
	device(sda)->stat[1][0] = 1;
	device(sda)->stat[1][2] = 1;
	std::string text = summary_of(all);

	EXPECT_NE(text.find("           1 without an end, not counted in %util and aqu-sz\n"),
		  std::string::npos)
		<< text;
	EXPECT_EQ(text.find("note: "), std::string::npos) << text;
	EXPECT_EQ(text.find("the kernel itself counted"), std::string::npos) << text;
	device(sda)->stat[1][0] = 2;
	b.tally.n[TALLY_begun] = b.tally.n[TALLY_cancelled] = 2;
	text = summary_of(all);
	EXPECT_NE(text.find("the kernel itself counted 2 more reads"), std::string::npos) << text;
	EXPECT_NE(text.find("in the call): 1.\n"), std::string::npos) << text;
}

/* Without a terminal, too: paths are whole, but nobody reads a command line of thousands of bytes. */
TEST_F(Summary, LongCommandLinesAreCut)
{
	std::string words("./app\0", 6), path = "/" + std::string(900, 'p');
	process_id other = b.process(200, "other", p,
				     std::string("other\0", 6) + std::string(8000, 'y'));
	thread_id u = b.thread(other, 200, "other");
	Events all = transfer_of(u, 1000, 2000, "read", b.handle(other, b.file(path)), IO_MODE_READ,
				 7);

	all += transfer(3000, 4000, "read", b.handle(p, b.file("/g")), IO_MODE_READ, 7);
	b.trace->host.argv = b.text(words + std::string(8000, 'x'));
	std::string text = summary_of(all);

	EXPECT_EQ(text.find('\n'), 240U) << text;
	EXPECT_EQ(text.find(std::string(240, 'y')), std::string::npos);
	EXPECT_NE(text.find("  other yyyy"), std::string::npos) << text;
	EXPECT_NE(text.find("  " + path + "\n"), std::string::npos) << text;
	options.is_json = true;
	EXPECT_NE(summary_of(all).find(std::string(8000, 'y')), std::string::npos);
}

TEST_F(Summary, DescriptorsWithoutANameAreExplained)
{
	std::string why =
		"descriptors without a name 1.00 us, read 7 B (iotrace could not look them up in "
		"time, or no path of their process leads to the file)\n";
	handle_id nameless = b.handle(p, ID_NONE);
	Events all = transfer(1000, 2000, "read", nameless, IO_MODE_READ, 7);

	EXPECT_NE(summary_of(all).find(why), std::string::npos) << summary_of(all);
	all += transfer(2000, 902000, "read", b.handle(p, b.file("/f")), IO_MODE_READ, 7000);
	EXPECT_EQ(summary_of(all).find("without a name"), std::string::npos)
		<< "a thousandth of all";
}

TEST_F(Summary, CountersOfAllThreads)
{
	thread_id u = b.thread(p, 102, "app");
	Events all = transfer(1000, 2000, "read", b.handle(p, b.file("/f")), IO_MODE_READ, 7);
	const std::vector<uint64_t> first = {3, 50}, last = {4, 1000}, other = {10, 500};

	EXPECT_EQ(summary_of(all).find("counters:"), std::string::npos);
	b.counters({"page-faults", "context-switches"});
	all += Events{io::metric(2000, t, 0, first), io::metric(3000, t, 0, last),
		      io::metric(3000, u, 0, other)};
	EXPECT_NE(summary_of(all).find("\ncounters: page-faults 14, context-switches 1,500\n"),
		  std::string::npos)
		<< summary_of(all);
	options.is_json = true;
	EXPECT_NE(summary_of(all).find(
			  "\"counters\":[{\"name\":\"page-faults\",\"count\":14},{\"name\":"
			  "\"context-switches\",\"count\":1500}]"),
		  std::string::npos);
	b.trace->host.is_of_others = true;
	EXPECT_NE(summary_of(all).find("\"counters\":[]"), std::string::npos);
}

/* The columns are of one time: a mean is not above the most. */
TEST_F(Summary, AwaitAndItsSpreadAreOfTheSameTimes)
{
	std::string text = summary_of(
		request(1000, 401000, 501000, device(sda), 1, REQUEST_READ, 512));
	size_t at = text.find("\n sda ");

	ASSERT_NE(at, std::string::npos) << text;
	EXPECT_NE(text.substr(at + 1, text.find('\n', at + 1))
			  .find("  500 us   0.50  50.0  500 us  500 us  500 us\n"),
		  std::string::npos)
		<< text;
}

class SummaryGroups : public Summary
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
	std::string text = summary_of(all);
	size_t from = text.find("\n  requests");

	ASSERT_NE(from, std::string::npos) << text;
	EXPECT_EQ(text.substr(from + 1, text.find("\n\n", from + 1) - from),
		  "  requests      read   written  control group\n"
		  "         1  1.00 MiB         -  /job\\x1b/1\n"
		  "         2         -  8.00 KiB  cgroup:[17]\n"
		  "         1  4.00 KiB         -  /\n");
}

TEST_F(SummaryGroups, OneThatIsAlwaysThereIsNotWorthATable)
{
	uint32_t group = b.cgroup(1, "");

	EXPECT_EQ(summary_of(charged(1, group, REQUEST_READ, 4096)).find("control group"),
		  std::string::npos);
}

TEST_F(SummaryGroups, NorIfItHasAName)
{
	EXPECT_EQ(
		summary_of(charged(1, b.cgroup(7, "/"), REQUEST_READ, 4096)).find("control group"),
		std::string::npos);
}

TEST_F(SummaryGroups, TheLargestAreShown)
{
	Events all;

	for (uint32_t i = 0; i < 12; i++)
		all += charged(i, b.cgroup(i + 1, "/job/" + std::to_string(i)), REQUEST_READ,
			       4096 * (i * 5 % 12 + 1));
	std::string text = summary_of(all), line;
	std::istringstream lines(text.substr(text.find("  requests      read")));

	std::getline(lines, line);
	for (uint32_t rank = 12; rank > 7; rank--) {
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
	struct json_object *top = json_tokener_parse(summary_of(all).c_str());

	EXPECT_STREQ(json_object_to_json_string_ext(json_object_object_get(top, "cgroups"),
						    JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE),
		     "[{\"id\":17,\"path\":null,\"requests\":1,\"read\":0,\"written\":512},"
		     "{\"id\":4,\"path\":\"/a\",\"requests\":1,\"read\":1024,\"written\":0}]");
	json_object_put(top);
}

} // namespace
