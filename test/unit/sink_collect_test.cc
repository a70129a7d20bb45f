/*
 * The collection: what is counted where, and what stands out of it.
 */
#include "collect/collect_rank.h"
#include "collect/collect_resource.h"
#include "collect_fixture.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/sysmacros.h>

namespace
{

using Collect = CollectFixture;

class CollectDevices : public DevicesFixture
{
      protected:
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

TEST_F(Collect, ACallIsBookedOnceInItsClassItsPlaceAndItsFile)
{
	file_id f = b.file("/data/in");
	handle_id h = b.handle(p, f);

	feed(transfer(1000, 3000, "read", h, IO_MODE_READ, 4096));
	feed(transfer(3000, 3500, "write", h, IO_MODE_WRITE, 10));
	EXPECT_EQ(s.classes[CLASS_READ].row.calls, 1U);
	EXPECT_EQ(s.classes[CLASS_READ].row.time, 2000U);
	EXPECT_EQ(s.classes[CLASS_READ].row.read, 4096U);
	EXPECT_EQ(s.classes[CLASS_READ].row.written, 0U);
	EXPECT_EQ(s.classes[CLASS_WRITE].row.written, 10U);
	EXPECT_EQ(s.resource[RESOURCE_FILES].calls, 2U);
	EXPECT_EQ(s.resource[RESOURCE_FILES].time, 2500U);
	EXPECT_EQ(s.total.time, 2500U);
	ASSERT_EQ(s.files, 1U);
	EXPECT_EQ(s.file[f].row.read, 4096U);
	EXPECT_EQ(s.file[f].row.written, 10U);
	EXPECT_EQ(s.file[f].row.time, 2500U);
	EXPECT_EQ(s.file[f].row.calls, 2U);
}

TEST_F(Collect, CopyIsOneCallWithBytesOnBothSides)
{
	handle_id from = b.handle(p, b.file("/from")), to = b.handle(p, b.file("/to"));
	io_event read = io::complete(2000, t, from, 1, 70),
		 write = io::complete(2000, t, to, 2, 70);

	read.op.mode = IO_MODE_READ;
	write.op.mode = IO_MODE_WRITE;
	feed({io::enter(1000, t, "copy_file_range", from), read, write,
	      io::leave(2000, t, "copy_file_range")});
	EXPECT_EQ(s.classes[CLASS_COPY].row.calls, 1U);
	EXPECT_EQ(s.classes[CLASS_COPY].row.time, 1000U);
	EXPECT_EQ(s.classes[CLASS_COPY].row.read, 70U);
	EXPECT_EQ(s.classes[CLASS_COPY].row.written, 70U);
	EXPECT_EQ(s.file[0].row.read, 70U);
	EXPECT_EQ(s.file[1].row.written, 70U);
}

TEST_F(Collect, AnOpenGoesToTheFileThatItCreatedAHandleOf)
{
	file_id f = b.file("/opened");
	handle_id h = b.handle(p, f);

	feed({io::enter(1000, t, "openat"), io::create(1400, t, h, O_RDONLY),
	      io::leave(1400, t, "openat")});
	EXPECT_EQ(s.file[f].row.time, 400U);
	EXPECT_EQ(s.classes[CLASS_OPEN].row.calls, 1U);
	feed({io::enter(2000, t, "unlink", ID_NONE, f), io::leave(2100, t, "unlink")});
	EXPECT_EQ(s.file[f].row.calls, 2U);
	EXPECT_EQ(s.classes[CLASS_META].row.calls, 1U);
}

TEST_F(Collect, PlacesOfWhatHasNoFile)
{
	handle_id pipe = b.handle(p, ID_NONE, "pipe:[17]"),
		  socket = b.handle(p, ID_NONE, "socket:[4]");
	handle_id unnamed = b.handle(p, ID_NONE),
		  event = b.handle(p, ID_NONE, "anon_inode:[eventfd]");

	feed(transfer(1000, 1001, "read", pipe, IO_MODE_READ, 1));
	feed(transfer(1000, 1002, "read", socket, IO_MODE_READ, 2));
	feed(transfer(1000, 1004, "read", unnamed, IO_MODE_READ, 4));
	feed(transfer(1000, 1008, "read", event, IO_MODE_READ, 8));
	EXPECT_EQ(s.resource[RESOURCE_PIPES].time, 1U);
	EXPECT_EQ(s.resource[RESOURCE_PIPES].read, 1U);
	EXPECT_EQ(s.resource[RESOURCE_SOCKETS].time, 2U);
	EXPECT_EQ(s.resource[RESOURCE_UNNAMED].time, 4U);
	EXPECT_EQ(s.resource[RESOURCE_OTHER].time, 8U);
	EXPECT_EQ(s.resource[RESOURCE_FILES].time, 0U);
	EXPECT_EQ(s.files, 0U);
}

TEST_F(Collect, TasksAreNoIOAndFailuresHaveNoBytes)
{
	handle_id h = b.handle(p, b.file("/f"));

	feed({io::enter(1000, t, "execve"), io::leave(9000, t, "execve")});
	EXPECT_EQ(s.total.calls, 0U);
	feed(transfer(1000, 1100, "read", h, IO_MODE_READ, 4096, EIO));
	EXPECT_EQ(s.classes[CLASS_READ].failed, 1U);
	EXPECT_EQ(s.total.read, 0U);
	EXPECT_EQ(s.failed, 1U);
}

TEST_F(Collect, WhatFailedStandsBeforeLookUps)
{
	const struct {
		const char *call;
		int error, count;
	} failed[] = {{"openat", ENOENT, 9},
		      {"readlink", EINVAL, 8},
		      {"read", EIO, 1},
		      {"openat", EACCES, 2},
		      {"read", EINVAL, 3}};

	for (const auto &row : failed)
		for (int i = 0; i < row.count; i++)
			feed({io::enter(1, t, row.call), io::leave(2, t, row.call, row.error)});
	struct top top = collect_top_faults(&s.faults, FAULT_ALL, 4);
	const int order[] = {EINVAL, EACCES, EIO, ENOENT};

	ASSERT_EQ(top.count, 4U);
	EXPECT_EQ(top.seen, 5U);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(s.faults.fault[top.id[i]].error, order[i]);
		EXPECT_EQ(s.faults.fault[top.id[i]].kind, i == 3 ? FAULT_LOOKUP : FAULT_FAILED);
	}
	EXPECT_EQ(s.faults.fault[top.id[0]].region, io::call("read"));
	EXPECT_EQ(s.faults.fault[top.id[3]].count, 9U);
	top_release(&top);
	EXPECT_EQ(s.failed, 23U);
}

TEST_F(Collect, LookUps)
{
	const struct {
		const char *call;
		int error;
		enum collect_fault_kind kind;
	} row[] = {{"openat", ENOENT, FAULT_LOOKUP},    {"openat", ENOTDIR, FAULT_LOOKUP},
		   {"openat", EACCES, FAULT_FAILED},    {"read", ENOENT, FAULT_FAILED},
		   {"readlinkat", EINVAL, FAULT_USUAL}, {"pread64", EINVAL, FAULT_FAILED},
		   {"lgetxattr", ENODATA, FAULT_USUAL}, {"read", ENODATA, FAULT_FAILED},
		   {"lseek", ESPIPE, FAULT_USUAL},      {"read", ESPIPE, FAULT_FAILED},
		   {"read", EAGAIN, FAULT_USUAL},       {"openat", EAGAIN, FAULT_FAILED},
		   {"mkdir", EEXIST, FAULT_USUAL},      {"openat", EEXIST, FAULT_FAILED},
		   {"close", EBADF, FAULT_USUAL},       {"write", EBADF, FAULT_FAILED},
		   {"connect", ENOENT, FAULT_LOOKUP},   {"unlinkat", EISDIR, FAULT_USUAL},
		   {"openat", EISDIR, FAULT_FAILED},    {"rmdir", ENOTEMPTY, FAULT_FAILED}};

	for (const auto &r : row) {
		feed({io::enter(1, t, r.call), io::leave(2, t, r.call, r.error)});
		EXPECT_EQ(s.faults.fault[s.faults.faults - 1].kind, r.kind)
			<< r.call << " " << r.error;
	}
}

class CollectFaults : public CollectFixture
{
      protected:
	/* A call that failed at a name, `count` times. */
	void fail(const char *call, int error, const std::string &name, int count = 1)
	{
		for (; count > 0; count--, now++)
			feed({io::enter(now, t, call),
			      io::leave(now, t, call, error, b.text(name))});
	}

	/* Those of the kinds, best first: "2 /x,1 /y". */
	std::string names(uint32_t kinds, uint32_t size = 100)
	{
		collect_faults_judge(&s.faults);
		struct top top = collect_top_named_faults(&s.faults, kinds, size);
		std::string all;

		for (uint32_t i = 0; i < top.count; i++) {
			const struct collect_named_fault &named = s.faults.named[top.id[i]];

			all += (i ? "," : "") + std::to_string(named.fault.count) + " " +
			       trace_text(b.trace, named.name);
		}
		top_release(&top);
		return all;
	}

      private:
	uint64_t now = 1000;
};

TEST_F(CollectFaults, OneForEachErrorCallAndName)
{
	fail("openat", EACCES, "/a", 2);
	fail("openat", EACCES, "/b", 3);
	fail("unlink", EACCES, "/b");
	fail("openat", EROFS, "/b");
	EXPECT_EQ(names(1 << FAULT_FAILED), "3 /b,2 /a,1 /b,1 /b");
	EXPECT_EQ(names(1 << FAULT_FAILED, 1), "3 /b");
	EXPECT_EQ(s.faults.faults, 3U);
	EXPECT_EQ(s.failed, 7U);
}

/* What a descriptor leads to has a name, too. */
TEST_F(CollectFaults, ACallOnADescriptorHasTheNameOfItsHandle)
{
	feed(transfer(1000, 1100, "read", b.handle(p, b.file("/disk")), IO_MODE_READ, 1, EIO));
	feed(transfer(1000, 1200, "write", b.handle(p, ID_NONE, "pipe:[7]"), IO_MODE_WRITE, 1,
		      EPIPE));
	feed({io::enter(1300, t, "close"), io::leave(1300, t, "close", EIO)});
	EXPECT_EQ(names(1 << FAULT_FAILED), "1 pipe:[7],1 /disk");
}

/* Which of its two paths the error is about is not known. */
TEST_F(CollectFaults, ACallWithTwoPathsHasNoName)
{
	fail("rename", ENOENT, "/from");
	fail("linkat", EEXIST, "/from");
	fail("renameat2", EXDEV, "/from");
	fail("symlink", ENOENT, "/to");
	EXPECT_EQ(names(FAULT_ALL), "1 /to");
	EXPECT_EQ(s.failed, 4U);
}

/* The most frequent first, then the latest; and before them what the command was asked for. */
TEST_F(CollectFaults, LookUps)
{
	b.trace->host.argv = b.text(std::string("./app\0-f\0in/data.txt,more", 25));
	fail("openat", ENOENT, "/etc/a");
	fail("openat", ENOENT, "/etc/b");
	fail("openat", ENOENT, "/etc/c", 2);
	fail("openat", ENOENT, "/home/app");
	fail("openat", ENOENT, "/home/data");
	fail("statx", ENOENT, "/home/in/data.txt");
	fail("openat", ENOENT, "/home/more");
	EXPECT_EQ(names(1 << FAULT_LOOKUP),
		  "1 /home/more,1 /home/in/data.txt,2 /etc/c,1 /home/data,"
		  "1 /home/app,1 /etc/b,1 /etc/a");
}

TEST_F(CollectFaults, Probes)
{
	b.trace->host.argv = b.text(std::string("app\0sh\0conf", 11));
	b.file("/usr/include/a.h");
	b.file("/bin/sh");
	b.file("/etc/conf");
	fail("openat", ENOENT, "/etc/ld.so.preload");
	fail("openat", ENOENT, "/opt/lib/libx.so.6");
	fail("openat", ENOENT, "/usr/share/locale/C/LC_MESSAGES/libc.mo");
	fail("openat", ENOENT, "/usr/local/include/a.h"); /* it was found elsewhere */
	fail("newfstatat", ENOENT, "/etc/maybe");         /* the call only asks */
	fail("newfstatat", ENOENT, "/usr/local/bin/sh");  /* both, although the command names it */
	feed(transfer(1000, 1200, "read", b.handle(p, ID_NONE, "socket:[7]"), IO_MODE_READ, 1,
		      EAGAIN));               /* no look-up */
	fail("openat", ENOENT, "/home/conf"); /* elsewhere as well, but the command names it */
	EXPECT_EQ(names(1 << FAULT_LOOKUP), "1 /home/conf");
	EXPECT_EQ(names(1 << FAULT_PROBE).size(), names(FAULT_ALL).size() - 13);
	EXPECT_EQ(s.faults.nameds, 8U);
}

TEST_F(Collect, ListsAreSortedByWhatIsAskedFor)
{
	for (uint64_t i = 0; i < 50; i++) {
		handle_id h = b.handle(p, b.file("/f" + std::to_string(i)));

		/* 37 i mod 50 is a permutation: bytes in one order, time in the other. */
		feed(transfer(1000, 1001 + i, "read", h, IO_MODE_READ, 1 + i * 37 % 50));
	}
	feed(transfer(1000, 1001, "write", 7, IO_MODE_WRITE, 20));
	auto top = [&](enum sink_sort sort, uint32_t size) {
		struct top found = collect_top_files(&s, RESOURCE_FILES, sort, size);
		std::vector<uint32_t> ids(found.id, found.id + found.count);

		EXPECT_EQ(found.seen, 50U);
		top_release(&found);
		return ids;
	};

	std::vector<uint32_t> read = top(SORT_READ, 5), time = top(SORT_TIME, 5);
	ASSERT_EQ(read.size(), 5U);
	for (unsigned i = 0; i < 5; i++) {
		EXPECT_EQ(s.file[read[i]].row.read, 50U - i);
		EXPECT_EQ(time[i], 49U - i);
	}
	EXPECT_EQ(top(SORT_WRITTEN, 1)[0], 7U);
	EXPECT_EQ(top(SORT_CALLS, 1)[0], 7U);
	EXPECT_EQ(top(SORT_DATA, 50).size(), 50U);
	EXPECT_EQ(top(SORT_DATA, 0).size(), 0U);
	/* It has 10 + 20 bytes, as many as another that took longer. */
	EXPECT_EQ(top(SORT_DATA, 22)[21], 7U);
}

TEST_F(Collect, EqualsAreSortedByTimeThenByWhoCameFirst)
{
	for (int i = 0; i < 4; i++)
		feed(transfer(1000, i == 2 ? 3000 : 2000, "read",
			      b.handle(p, b.file("/f" + std::to_string(i))), IO_MODE_READ, 7));
	struct top top = collect_top_files(&s, RESOURCE_FILES, SORT_DATA, 9);
	std::vector<uint32_t> ids(top.id, top.id + top.count);

	top_release(&top);
	EXPECT_EQ(ids, (std::vector<uint32_t>{2, 0, 1, 3}));
}

TEST_F(Collect, EachProcessHasItsOwn)
{
	process_id other = b.process(200, "other");
	thread_id u = b.thread(other, 200, "other");
	file_id f = b.file("/shared");
	handle_id h = b.handle(p, f), g = b.handle(other, f),
		  pipe = b.handle(other, ID_NONE, "pipe:[1]");

	feed(transfer(1000, 2000, "read", h, IO_MODE_READ, 10));
	feed(transfer_of(u, 1000, 4000, "write", g, IO_MODE_WRITE, 30));
	feed(transfer_of(u, 4000, 9000, "read", pipe, IO_MODE_READ, 5));
	feed(transfer_of(u, 9000, 9500, "read", g, IO_MODE_READ, 1));
	EXPECT_EQ(s.process[p].files.read, 10U);
	EXPECT_EQ(s.process[p].wait, 0U);
	EXPECT_EQ(s.process[other].files.written, 30U);
	EXPECT_EQ(s.process[other].files.read, 1U);
	EXPECT_EQ(s.process[other].total.read, 6U);
	EXPECT_EQ(s.process[other].files.time, 3500U);
	EXPECT_EQ(s.process[other].wait, 5000U);
	EXPECT_EQ(collect_processes(&s), 2U);
	struct top top = collect_top_shares(&s, f, 5);
	ASSERT_EQ(top.count, 2U);
	EXPECT_EQ(s.share[top.id[0]].process, other);
	EXPECT_EQ(s.share[top.id[0]].bytes, 31U);
	EXPECT_EQ(s.share[top.id[0]].time, 3500U);
	EXPECT_EQ(s.share[top.id[1]].bytes, 10U);
	top_release(&top);
	top = collect_top_processes(&s, SORT_TIME, 1);
	EXPECT_EQ(top.id[0], other);
	EXPECT_EQ(top.seen, 2U);
	top_release(&top);
}

/* What each process did with a file adds up to what was done with it, however many there are. */
TEST_F(Collect, SharesAddUp)
{
	file_id f = b.file("/shared");

	for (uint32_t i = 0; i < 30; i++) {
		process_id q = b.process(1000 + i, "q");
		thread_id u = b.thread(q, 1000 + i, "q");
		handle_id h = b.handle(q, f);

		for (uint32_t k = 0; k <= i % 3; k++)
			feed(transfer_of(u, 1000, 1010, "read", h, IO_MODE_READ, i));
	}
	struct top top = collect_top_shares(&s, f, 100);
	uint64_t bytes = 0, time = 0;

	EXPECT_EQ(top.count, 30U);
	EXPECT_EQ(s.file[f].processes, 30U);
	for (uint32_t i = 0; i < top.count; i++) {
		bytes += s.share[top.id[i]].bytes;
		time += s.share[top.id[i]].time;
	}
	top_release(&top);
	EXPECT_EQ(bytes, s.file[f].row.read);
	EXPECT_EQ(time, s.file[f].row.time);
}

TEST_F(Collect, PlacesOfFiles)
{
	uint32_t proc = b.mount("/elsewhere", "proc", "proc"),
		 ext4 = b.mount("/", "/dev/vda", "ext4"),
		 dev = b.mount("/dev", "devtmpfs", "devtmpfs");
	const struct {
		const char *path;
		enum trace_file_kind kind;
		uint32_t mount;
		enum collect_resource place;
	} row[] = {
		{"/data", FILE_REGULAR, ID_NONE, RESOURCE_FILES},
		{"/proc/self/maps", FILE_REGULAR, ID_NONE, RESOURCE_KERNEL},
		{"/process/file", FILE_REGULAR, ID_NONE, RESOURCE_FILES},
		{"/sys/kernel/x", FILE_REGULAR, ID_NONE, RESOURCE_KERNEL},
		{"/dev/null", FILE_DEVICE, ID_NONE, RESOURCE_KERNEL},
		{"/dev/zero", FILE_REGULAR, ID_NONE, RESOURCE_KERNEL},
		{"/dev/shm/segment", FILE_REGULAR, dev, RESOURCE_FILES},
		{"/dev/pts/3", FILE_DEVICE, ID_NONE, RESOURCE_TERMINALS},
		{"/dev/tty", FILE_DEVICE, ID_NONE, RESOURCE_TERMINALS},
		{"/dev/sda1", FILE_DEVICE, ID_NONE, RESOURCE_FILES},
		{"/elsewhere/1/maps", FILE_REGULAR, proc, RESOURCE_KERNEL},
		{"/proc/on/a/disk", FILE_REGULAR, ext4, RESOURCE_FILES},
		{"/dev/null", FILE_DEVICE, ext4, RESOURCE_KERNEL},
		{"/dev/folder", FILE_DIRECTORY, dev, RESOURCE_KERNEL},
		{"/dev/loop0", FILE_REGULAR, ID_NONE, RESOURCE_FILES},
		{"/dev/mapper", FILE_DIRECTORY, ID_NONE, RESOURCE_KERNEL},
		{"/dev/mydisk", FILE_DEVICE, ID_NONE, RESOURCE_FILES},
		{"/data/fifo", FILE_FIFO, ext4, RESOURCE_PIPES},
		{"/fifo", FILE_FIFO, ID_NONE, RESOURCE_PIPES},
	};
	b.device(makedev(259, 0), "mydisk");
	for (const auto &r : row)
		EXPECT_EQ(collect_resource_of_file(b.trace, b.file(r.path, r.kind, r.mount)),
			  r.place)
			<< r.path;
}

TEST_F(Collect, WaitingForALockIsNoFileIO)
{
	file_id f = b.file("/lock");
	handle_id h = b.handle(p, f);

	feed({io::enter(1000, t, "flock", h), io::leave(3000, t, "flock", EINTR)});
	feed({io::enter(3000, t, "fcntl", h), io::at(3500, IO_ACQUIRE_LOCK, t, h),
	      io::leave(3500, t, "fcntl")});
	feed({io::enter(4000, t, "fcntl", h), io::leave(4100, t, "fcntl")});
	EXPECT_EQ(s.resource[RESOURCE_LOCKS].time, 2500U);
	EXPECT_EQ(s.resource[RESOURCE_FILES].time, 100U);
	EXPECT_EQ(s.process[p].wait, 2500U);
	EXPECT_EQ(s.file[f].row.time, 2600U) << "it is the file's lock";
}

TEST_F(Collect, ACallThatWaitsForAsynchronousRequestsIsNoFileIO)
{
	handle_id ring = b.handle(p, ID_NONE, "anon_inode:[io_uring]");

	feed({io::enter(1000, t, "io_getevents"), io::leave(3000, t, "io_getevents")});
	feed({io::enter(3000, t, "io_uring_enter", ring), io::leave(3700, t, "io_uring_enter")});
	EXPECT_EQ(s.resource[RESOURCE_ASYNC].time, 2700U);
	EXPECT_EQ(s.resource[RESOURCE_FILES].time, 0U);
	EXPECT_EQ(s.process[p].wait, 2700U);
}

TEST_F(Collect, PathsThatLeadNowhereAndSyncAreFileIO)
{
	feed({io::enter(1000, t, "openat"), io::leave(1500, t, "openat", ENOENT)});
	feed({io::enter(2000, t, "sync"), io::leave(2800, t, "sync")});
	EXPECT_EQ(s.resource[RESOURCE_FILES].time, 1300U);
	feed({io::enter(3000, t, "socket"), io::leave(3010, t, "socket", EMFILE)});
	EXPECT_EQ(s.resource[RESOURCE_SOCKETS].time, 10U);
}

TEST_F(Collect, APageFaultIsAnOperationWithoutACall)
{
	file_id f = b.file("/mapped");
	handle_id h = b.handle(p, f);
	io_event end = io::complete(3000, t, h, 1, 4096);

	feed({io::begin(1000, t, h, 1, IO_MODE_READ, 4096), end});
	EXPECT_EQ(s.classes[CLASS_FAULT].row.calls, 1U);
	EXPECT_EQ(s.classes[CLASS_FAULT].row.read, 4096U);
	EXPECT_EQ(s.classes[CLASS_FAULT].latency.max, 2000U);
	EXPECT_EQ(s.file[f].row.time, 2000U);
	EXPECT_EQ(s.file[f].row.calls, 1U);
	EXPECT_EQ(s.classes[CLASS_READ].row.calls, 0U);
}

TEST_F(Collect, Verdict)
{
	handle_id file = b.handle(p, b.file("/f")), pipe = b.handle(p, ID_NONE, "pipe:[1]");

	feed(transfer(1000, 101000, "read", file, IO_MODE_READ, 5000));
	feed(transfer(101000, 301000, "write", file, IO_MODE_WRITE, 700));
	feed(transfer(301000, 801000, "read", pipe, IO_MODE_READ, 99));
	struct collect_verdict v = collect_verdict(&s);

	EXPECT_EQ(v.wall, 1000000U);
	EXPECT_EQ(v.lived, 1000000U);
	EXPECT_DOUBLE_EQ(v.file_share, 0.3);
	EXPECT_DOUBLE_EQ(v.wait_share, 0.5);
	EXPECT_EQ(v.read, 5000U);
	EXPECT_DOUBLE_EQ(v.read_rate, 5e6);
	EXPECT_DOUBLE_EQ(v.write_rate, 7e5);
}

TEST_F(Collect, WhatIsLeftOutHadNoThreads)
{
	uint32_t threads = collect_threads(&s);
	uint64_t lived = collect_verdict(&s).lived;

	thread_id idle = b.thread(0, 4711, "idle");

	b.trace->thread[idle].is_excluded = true;
	EXPECT_EQ(collect_threads(&s), threads);
	EXPECT_EQ(collect_verdict(&s).lived, lived);
}

TEST_F(Collect, AsynchronousOperationsAreNobodysWaiting)
{
	file_id f = b.file("/f");
	handle_id h = b.handle(p, f);
	io_event begin = io::begin(1000, t, h, 5, IO_MODE_WRITE, 512);
	io_event end = io::complete(9000, t, h, 5, 512);
	io_event aborted = io::at(2000, IO_OP_CANCELLED, t, h);

	begin.op.is_non_blocking = true;
	end.op.mode = IO_MODE_WRITE;
	feed({begin, end});
	EXPECT_EQ(s.classes[CLASS_ASYNC].latency.max, 8000U);
	EXPECT_EQ(s.classes[CLASS_ASYNC].row.written, 512U);
	EXPECT_EQ(s.file[f].row.asyncs, 1U);
	EXPECT_EQ(s.file[f].row.async_time, 8000U);
	EXPECT_EQ(s.process[p].files.asyncs, 1U);
	EXPECT_EQ(s.total.time, 0U);
	EXPECT_EQ(s.issued.count, 0U);
	feed({begin, end, begin, end});
	EXPECT_EQ(s.asyncs, 1U);
	aborted.op.id = 5;
	feed({begin, aborted});
	EXPECT_EQ(s.classes[CLASS_ASYNC].row.asyncs, 4U);
	EXPECT_EQ(s.classes[CLASS_ASYNC].latency.count, 4U);
	EXPECT_EQ(s.file[f].row.written, 3U * 512U);
	EXPECT_EQ(s.issued.count, 0U);
}

TEST_F(Collect, AsynchronousOperationsThatFail)
{
	handle_id h = b.handle(p, b.file("/f"));
	io_event begin = io::begin(1000, t, h, 5, IO_MODE_WRITE, 512);
	io_event end = io::complete(9000, t, h, 5, IO_BYTES_UNDEFINED);

	begin.op.is_non_blocking = true;
	end.op.error = EIO;
	feed({begin, end});
	EXPECT_EQ(s.classes[CLASS_ASYNC].failed, 1U);
	EXPECT_EQ(s.failed, 1U);
}

TEST_F(Collect, WithoutAnEndThereIsNoDuration)
{
	file_id f = b.file("/f");
	handle_id h = b.handle(p, f);
	io_event begin = io::begin(1000, t, h, 5, IO_MODE_WRITE, 512);
	io_event cancelled = io::at(2000, IO_OP_CANCELLED, t, h);

	begin.op.is_non_blocking = true;
	cancelled.op.id = 5;
	for (io_end end : {IO_END_UNREPORTED, IO_END_LOST}) {
		cancelled.op.end = end;
		feed({begin, cancelled});
	}
	EXPECT_EQ(s.classes[CLASS_ASYNC].row.asyncs, 2U);
	EXPECT_EQ(s.classes[CLASS_ASYNC].latency.count, 0U);
	EXPECT_EQ(s.file[f].row.async_time, 0U);
	EXPECT_EQ(s.issued.count, 0U);
}

TEST_F(Collect, NestedCallsTakeTimeOnce)
{
	handle_id h = b.handle(p, b.file("/f"));

	feed({io::enter(1000, t, "write", h), io::enter(1100, t, "fsync", h),
	      io::leave(1900, t, "fsync"), io::leave(2000, t, "write")});
	EXPECT_EQ(s.total.time, 1000U);
	EXPECT_EQ(s.total.calls, 2U);
	for (int i = 0; i < 9; i++)
		feed({io::enter(3000, t, "write", h)});
	for (int i = 0; i < 12; i++)
		feed({io::leave(4000, t, "write")});
	EXPECT_EQ(s.thread[t].depth, 0U);
}

TEST_F(Collect, UnknownIdsDoNoHarm)
{
	feed({io::enter(1, 77, "read", 99), io::leave(2, 77, "read"), io::enter(1, ID_NONE, "read"),
	      io::enter(1, t, "read", 99, 99), io::complete(2, t, 99, 1, 5),
	      io::leave(2, t, "read")});
	EXPECT_EQ(s.total.calls, 1U);
	EXPECT_EQ(s.files, 0U);
}

TEST_F(CollectDevices, RequestsAreNoCalls)
{
	feed(request(1000, 1000, 2000, device(sda), 1, REQUEST_READ, 4096));
	EXPECT_EQ(s.total.calls, 0u);
	EXPECT_EQ(s.total.read, 0u);
	EXPECT_EQ(s.classes[CLASS_ASYNC].row.calls, 0u);
	EXPECT_EQ(s.files, 0u);
	EXPECT_EQ(collect_threads(&s), 1u); /* of the program */
	EXPECT_EQ(collect_verdict(&s).lived, 1000000u);
	ASSERT_NE(collect_device(&s, sda), nullptr);
	EXPECT_EQ(collect_device(&s, sda)->kind[REQUEST_READ].requests, 1u);
}

/* In a run of one millisecond: */
TEST_F(CollectDevices, Rates)
{
	Events all;

	all += request(1000, 101000, 201000, device(sda), 1, REQUEST_READ, 4096);
	all += request(101000, 101000, 401000, device(sda), 2, REQUEST_WRITE, 8192);
	all += request(501000, 501000, 601000, device(sda), 3, REQUEST_ZEROES, 1024);
	all += request(601000, 601000, 601000, device(sda), 4, REQUEST_FLUSH, 0, EIO);
	all += request(601000, 601000, 601000, device(sda), 5, REQUEST_DISCARD, 512);
	feed_sorted(all);
	struct collect_rates r = collect_device_rates(&s, sda);
	EXPECT_DOUBLE_EQ(r.reads, 1000);
	EXPECT_DOUBLE_EQ(r.writes, 2000);
	EXPECT_DOUBLE_EQ(r.read_bytes, 4096e3);
	EXPECT_DOUBLE_EQ(r.written_bytes, 9216e3);
	EXPECT_DOUBLE_EQ(r.wait, (200000 + 300000 + 100000) / 5.0);
	EXPECT_DOUBLE_EQ(r.read_wait, 200000);
	EXPECT_DOUBLE_EQ(r.write_wait, 200000);
	EXPECT_DOUBLE_EQ(r.util, 0.5);  /* 1..401 and 501..601 us */
	EXPECT_DOUBLE_EQ(r.queue, 0.6); /* 100 and 300 and 200 and 100 us of one */
	const struct collect_device *d = collect_device(&s, sda);
	EXPECT_EQ(d->service.count, 5u);
	EXPECT_EQ(d->service.max, 300000u);
	EXPECT_EQ(d->errors, 1u);
	EXPECT_EQ(d->in_flight, 0u);
}

TEST_F(CollectDevices, WhatDidNotEndWasInFlight)
{
	Events all = request(1000, 2000, 501000, device(sda), 1, REQUEST_READ, 4096);

	all[2].kind = IO_OP_CANCELLED;
	feed(all);
	const struct collect_device *d = collect_device(&s, sda);
	EXPECT_EQ(d->kind[REQUEST_READ].requests, 0u);
	EXPECT_EQ(d->cancelled, 1u);
	EXPECT_DOUBLE_EQ(collect_device_rates(&s, sda).util, 0.5);
	EXPECT_DOUBLE_EQ(collect_device_rates(&s, sda).wait, 0);
	/* An end whose begin was before the recording. */
	io_event end = io::complete(501000, device(sda)->location, device(sda)->handle, 2, 512);
	end.op.type = REQUEST_WRITE;
	feed({end});
	EXPECT_EQ(d->in_flight, 0u);
	EXPECT_EQ(d->kind[REQUEST_WRITE].requests, 1u);
	EXPECT_EQ(d->kind[REQUEST_WRITE].waited, 0u);
	EXPECT_EQ(d->service.count, 0u);
}

/* An end that was not delivered says nothing of when it was: the device was busy with other requests only. */
TEST_F(CollectDevices, WhatEndedUnseenIsNotInFlight)
{
	Events lost = request(101000, 101000, 1001000, device(sda), 1, REQUEST_READ, 4096);
	Events newer = request(401000, 401000, 1001000, device(sda), 3, REQUEST_READ, 4096), all;

	for (Events *some : {&lost, &newer}) {
		some->at(2).kind = IO_OP_CANCELLED;
		some->at(2).op.end = IO_END_LOST;
	}
	all += lost;
	all += request(51000, 51000, 151000, device(sda), 2, REQUEST_READ, 4096);
	all += newer;
	all += request(301000, 301000, 501000, device(sda), 4, REQUEST_READ, 4096);
	all += request(351000, 351000, 401000, device(sda), 5, REQUEST_READ, 4096);
	feed_sorted(all);
	struct collect_rates r = collect_device_rates(&s, sda);
	EXPECT_DOUBLE_EQ(r.util, 0.3);   /* 51 to 151 and 301 to 501 us */
	EXPECT_DOUBLE_EQ(r.queue, 0.35); /* and 351 to 401 us twice */
	EXPECT_EQ(collect_device(&s, sda)->unseen_ends, 2u);
	EXPECT_EQ(collect_device(&s, sda)->cancelled, 0u);
}

/* One that the kernel still has in flight, while the end of an earlier and of a later one was not delivered. */
TEST_F(CollectDevices, WhatHangsIsInFlight)
{
	Events before = request(101000, 101000, 1001000, device(sda), 1, REQUEST_READ, 4096);
	Events hangs = request(201000, 201000, 1001000, device(sda), 2, REQUEST_READ, 4096), all;
	Events after = request(501000, 501000, 1001000, device(sda), 3, REQUEST_READ, 4096);

	for (Events *some : {&before, &hangs, &after}) {
		some->at(2).kind = IO_OP_CANCELLED;
		some->at(2).op.end = some == &hangs ? IO_END_RECORDING : IO_END_LOST;
	}
	all += after; /* in any order */
	all += hangs;
	all += before;
	feed_sorted(all);
	struct collect_rates r = collect_device_rates(&s, sda);
	EXPECT_DOUBLE_EQ(r.util, 0.8);
	EXPECT_DOUBLE_EQ(r.queue, 0.8);
	EXPECT_EQ(collect_device(&s, sda)->unseen_ends, 2u);
	EXPECT_EQ(collect_device(&s, sda)->cancelled, 1u);
}

/* By the number of the file's device, or by the source of its mount; a partition is part of its disk. */
TEST_F(CollectDevices, FilesBelongToDevices)
{
	uint32_t part = b.device(makedev(8, 1), "sda1"), loop = b.device(makedev(7, 0), "loop0");
	device(part)->disk = sda;
	file_id by_number = b.file("/a"),
		by_mount = b.file("/b", FILE_REGULAR, b.mount("/", "/dev/loop0", "btrfs"));
	file_id whole = b.file("/dev/sda", FILE_DEVICE), other = b.file("/proc/x");
	b.trace->file[by_number].dev = makedev(8, 1);
	b.trace->file[by_mount].dev = makedev(0, 40);
	b.trace->file[whole].dev = makedev(0, 5);
	b.trace->file[other].dev = makedev(0, 6);
	for (file_id f : {by_number, by_mount, whole, other})
		feed(transfer(1000, 2000, "read", b.handle(p, f), IO_MODE_READ, 100u << f));
	feed(transfer(1000, 2000, "write", b.handle(p, by_number), IO_MODE_WRITE, 4000));
	feed(request(1000, 1000, 2000, device(sda), 1, REQUEST_READ, 512));
	feed(request(2000, 2000, 2000, device(sda), 2, REQUEST_WRITE, 3000));
	feed(request(2000, 2000, 2000, device(sda), 3, REQUEST_ZEROES, 96));
	struct collect_cache *cache = collect_caches(&s);
	EXPECT_EQ(cache[sda].asked_read, (100u << by_number) + (100u << whole));
	EXPECT_EQ(cache[sda].asked_written, 4000u);
	EXPECT_EQ(cache[sda].disk_read, 512u);
	EXPECT_EQ(cache[sda].disk_written, 3096u);
	EXPECT_EQ(cache[loop].asked_read, 100u << by_mount);
	EXPECT_EQ(cache[part].asked_read, 0u);
	free(cache);
	EXPECT_TRUE(collect_device_is_recorded(&s, sda));
	EXPECT_FALSE(collect_device_is_recorded(&s, loop));
	device(loop)->has_stat = true;
	EXPECT_TRUE(collect_device_is_recorded(&s, loop));
	EXPECT_DOUBLE_EQ(collect_cache_share(1000, 250), 0.75);
	EXPECT_DOUBLE_EQ(collect_cache_share(1000, 2000), 0);
	EXPECT_DOUBLE_EQ(collect_cache_share(0, 2000), -1);
}

/* A region of another program: an archive that was read has such. */
class CollectOfOthers : public CollectFixture
{
      protected:
	region_id region(const std::string &name, enum call_group group)
	{
		struct trace_region region = {};

		region.name = b.text(name);
		region.source = REGION_OTHER;
		region.kind = CALL_META;
		region.group = group;
		return b.region(region);
	}

	static io_event at(uint64_t time, enum io_event_kind kind, thread_id thread, region_id id)
	{
		io_event e = io::at(time, kind, thread);

		e.region.id = id;
		e.region.file = ID_NONE;
		return e;
	}
};

TEST_F(CollectOfOthers, FunctionsThatDoNoIoAreNoCalls)
{
	region_id main = region("main", GROUP_TASK);
	handle_id h = b.handle(p, b.file("/data/out"));

	feed({at(100, IO_ENTER, t, main)});
	feed(transfer(1000, 3000, "write", h, IO_MODE_WRITE, 4096));
	feed({at(9000, IO_LEAVE, t, main)});
	EXPECT_EQ(s.total.calls, 1U);
	EXPECT_EQ(s.total.time, 2000U); /* it is not inside another call */
	EXPECT_EQ(s.total.written, 4096U);
}

TEST_F(CollectOfOthers, ARegionIsWhatItsOperationIs)
{
	region_id write = region("MPI_File_write", GROUP_DATA);
	handle_id h = b.handle(p, b.file("/data/out"));
	io_event begin = io::begin(1100, t, h, 1, IO_MODE_WRITE, 10),
		 end = io::complete(1900, t, h, 1, 10);

	end.op.mode = IO_MODE_WRITE;
	feed({at(1000, IO_ENTER, t, write), begin, end, at(2000, IO_LEAVE, t, write)});
	EXPECT_EQ(s.classes[CLASS_WRITE].row.calls, 1U);
	EXPECT_EQ(s.classes[CLASS_WRITE].row.written, 10U);
	EXPECT_EQ(s.classes[CLASS_OTHER].row.calls, 0U);
}

TEST_F(CollectOfOthers, OneLayerWithinAnotherCountsItsDataOnce)
{
	region_id outer = region("fwrite", GROUP_DATA);
	handle_id h = b.handle(p, b.file("/data/out"));
	io_event begin = io::begin(1100, t, h, 7, IO_MODE_WRITE, 10),
		 end = io::complete(1900, t, h, 7, 10);

	end.op.mode = IO_MODE_WRITE;
	feed({at(1000, IO_ENTER, t, outer), begin});
	feed(transfer(1200, 1800, "write", h, IO_MODE_WRITE, 10));
	feed({end, at(2000, IO_LEAVE, t, outer)});
	EXPECT_EQ(s.total.written, 10U);
	EXPECT_EQ(s.total.time, 1000U);
}

} // namespace
