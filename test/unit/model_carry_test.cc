/*
 * A model that continues another one knows the files of all descriptors, and has only operations that began after that.
 */
#include "aio_steps.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace
{

class Carry : public ::testing::Test
{
      protected:
	ModelDriver before, after;

	/* Everything from now on goes to `after`. */
	void carry(bool has_positions = true)
	{
		after.at(before.now);
		model_begin_at(after.model, before.now);
		model_continue(after.model, before.model, has_positions);
	}

	static void open(ModelDriver &d, uint32_t pid, int fd, const char *path)
	{
		d.pair(pid, pid, "openat", d.now - 1, {(uint64_t)AT_FDCWD, 0, O_RDWR}, fd,
		       {.made = {{.fd = fd, .name = path}}, .paths = {path}});
	}

	static void read(ModelDriver &d, uint32_t pid, uint64_t fd, uint64_t bytes)
	{
		d.enter(pid, pid, "read", {fd, 0, bytes});
		d.leave(pid, pid, "read", (int64_t)bytes);
	}

	/* The model must not count anything twice, and must not leak. */
	void expect_balance()
	{
		before.end();
		after.end();
		EXPECT_EQ(before.unbalanced(), "");
		EXPECT_EQ(after.unbalanced(), "");
	}
};

TEST_F(Carry, FilesThatWereOpenedBeforeHaveTheirNames)
{
	open(before, 7, 3, "/data/a");
	open(before, 7, 4, "/data/b");
	before.call(7, 7, "close", {4}, 0);
	carry();
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n");
	EXPECT_EQ(after.path(0), "/data/a");
	EXPECT_TRUE(trace_handle(after.trace, 0)->is_pre_created);
	expect_balance();
}

/* However long the recording was, only what is open takes memory in the next model. */
TEST_F(Carry, WhatIsGoneIsLeftBehind)
{
	ModelDriver early;

	open(before, 7, 3, "/data/a");
	early.at(before.now);
	model_continue(early.model, before.model, true);
	for (uint32_t pid = 100; pid < 2000; pid++) {
		before.fork(7, 7, pid, pid);
		open(before, pid, 4, ("/data/" + std::to_string(pid)).c_str());
		before.exit(pid, pid);
	}
	carry();
	EXPECT_GT(trace_bytes(before.trace), 3 * trace_bytes(early.trace));
	EXPECT_EQ(trace_bytes(after.trace), trace_bytes(early.trace));
}

TEST_F(Carry, PositionsAreKnownOnlyIfEveryCallWasSeen)
{
	open(before, 7, 3, "/data/a");
	read(before, 7, 3, 100);
	carry(false);
	read(after, 7, 3, 10);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @-\n7 OP_COMPLETE h0 10\n");
	expect_balance();
}

TEST_F(Carry, AChildThatWasForkedBeforeSharesTheDescription)
{
	open(before, 7, 3, "/data/a");
	before.fork(7, 7, 8, 8);
	carry();
	read(after, 7, 3, 10);
	read(after, 8, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n"
				"8 OP_BEGIN h0 20 @10\n8 OP_COMPLETE h0 20\n");
	expect_balance();
}

TEST_F(Carry, DescriptorsOfADuplicateShareThePosition)
{
	open(before, 7, 3, "/data/a");
	before.call(7, 7, "dup", {3}, 5);
	carry();
	read(after, 7, 5, 10);
	read(after, 7, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n"
				"7 OP_BEGIN h1 20 @10\n7 OP_COMPLETE h1 20\n");
	EXPECT_EQ(after.path(1), "/data/a");
	expect_balance();
}

TEST_F(Carry, ThreadsThatShareATableStillDo)
{
	before.fork(7, 7, 8, 8);
	before.clone_flags(7, 7, 0x400); /* CLONE_FILES */
	open(before, 7, 3, "/data/a");
	carry();
	open(after, 7, 4, "/data/b");
	read(after, 8, 3, 10);
	read(after, 8, 4, 20);
	EXPECT_EQ(after.text(),
		  "7 CREATE_HANDLE h0 /data/b\n8 OP_BEGIN h1 10 @0\n8 OP_COMPLETE h1 10\n"
		  "8 OP_BEGIN h2 20 @0\n8 OP_COMPLETE h2 20\n");
	EXPECT_EQ(after.path(1), "/data/a");
	EXPECT_EQ(after.path(2), "/data/b");
	expect_balance();
}

TEST_F(Carry, ACallInFlightIsLeftOutButTakesEffect)
{
	before.enter(7, 7, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, {"/data/a"});
	carry();
	after.leave(7, 7, "openat", 3);
	after.fd(7, 3, "/data/a", 1, after.now);
	read(after, 7, 3, 10);
	after.end();
	EXPECT_EQ(after.text(false),
		  "7 CREATE_HANDLE h0 /data/a\n7 ENTER read\n7 OP_BEGIN h0 10 @0\n"
		  "7 OP_COMPLETE h0 10\n7 LEAVE read\n");
	before.end();
	EXPECT_EQ(after.unbalanced(), "");
}

/* A record of BPF programs comes at the end of a call. */
TEST_F(Carry, APairedCallThatBeganBeforeIsLeftOut)
{
	open(before, 7, 3, "/data/a");
	uint64_t begin = before.now - 1;

	carry();
	after.pair(7, 7, "read", begin, {3, 0, 10}, 10, {.position = 10});
	after.pair(7, 7, "read", after.now - 1, {3, 0, 20}, 20, {.position = 30});
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @10\n7 OP_COMPLETE h0 20\n");
	expect_balance();
}

TEST_F(Carry, ADeletedFileIsNotTheNewOneOfItsName)
{
	before.pair(7, 7, "openat", before.now - 1, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3,
		    {.made = {{.fd = 3, .name = "/data/a", .ino = 5, .is_deleted = true}}});
	carry();
	open(after, 7, 4, "/data/a");
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	ASSERT_EQ(trace_handles(after.trace), 2u);
	EXPECT_NE(trace_handle(after.trace, 0)->file, trace_handle(after.trace, 1)->file);
	expect_balance();
}

TEST_F(Carry, NamesOfProcessesAndTheirArgumentsAreThere)
{
	open(before, 9, 3, "/data/other"); /* strings are numbered in another order */
	before.exit(9, 9);
	before.fact(FACT_TASK, {7, 7, 1}, {"app", "/bin/app", std::string("app\0-x\0", 7)});
	open(before, 7, 3, "/data/a");
	carry();
	read(after, 7, 3, 10);
	const struct trace_process *process = trace_process(after.trace, 0);

	EXPECT_STREQ(trace_text(after.trace, process->name), "app");
	EXPECT_EQ(process->pid, 7u);
	EXPECT_EQ(strtab_length(trace_strings(after.trace), process->argv), 6u);
	expect_balance();
}

/* The fact about the command would have its process begin again. */
TEST_F(Carry, TheCommandHasBegunAlready)
{
	for (ModelDriver *d : {&before, &after})
		d->fact(FACT_COMMAND, {7}, {std::string("app\0", 4), "/"});
	before.comm(7, 7, "app", true);
	open(before, 7, 3, "/data/a");
	carry();
	read(after, 7, 3, 10);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n");
	expect_balance();
}

/* OTF2 wants both or none. */
TEST_F(Carry, AProgramWithoutABeginHasNoEnd)
{
	before.fork(7, 7, 8, 8);
	before.comm(8, 8, "app", true);
	open(before, 8, 3, "/data/a");
	carry();
	read(after, 8, 3, 10);
	after.exit(8, 8);
	EXPECT_EQ(after.text(),
		  "8 OP_BEGIN h0 10 @0\n8 OP_COMPLETE h0 10\n8 DESTROY_HANDLE h0 /data/a\n");
	expect_balance();
}

TEST_F(Carry, NamesThatAreExcludedStayExcluded)
{
	for (ModelDriver *d : {&before, &after})
		d->fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	open(before, 7, 3, "/etc/secret");
	open(before, 7, 4, "/data/a");
	carry();
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	after.end();
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @0\n7 OP_COMPLETE h0 20\n");
	before.end();
}

TEST_F(Carry, MappedFilesAreKnown)
{
	open(before, 7, 3, "/data/a");
	before.call(7, 7, "mmap", {0, 4096, 3, 1, 3, 0}, 0x10000);
	before.call(7, 7, "close", {3}, 0);
	carry();
	after.call(7, 7, "msync", {0x10000, 4096, 4}, 0);
	ASSERT_EQ(trace_handles(after.trace), 1u) << after.text();
	EXPECT_EQ(after.path(0), "/data/a");
	expect_balance();
}

/* Directories, and the answers of look-ups of them. */
class CarryRoot : public Carry
{
      protected:
	static void found(ModelDriver &d, uint32_t pid, const char *path, uint64_t space)
	{
		d.fact(FACT_ROOT, {pid, d.now, 0, space}, {path});
	}
	static void chroot(ModelDriver &d, uint32_t pid, const char *path)
	{
		d.pair(pid, pid, "chroot", d.now, {}, 0,
		       {.made = {{.fd = -1, .name = "/"},
				 {.fd = -1, .name = path, .position = 7}}});
	}
	/* "ROOT NAMESPACE" of the process, which does its I/O now. */
	std::string root(uint32_t pid)
	{
		read(after, pid, 3, 10);
		for (process_id p = 0; p < trace_processes(after.trace); p++) {
			const struct trace_process *process = trace_process(after.trace, p);

			if (process->pid == pid)
				return std::string(process->root
							   ? trace_text(after.trace, process->root)
							   : "?") +
				       " " + std::to_string(process->mount_namespace);
		}
		return "no process";
	}
};

TEST_F(CarryRoot, IsThatOfBefore)
{
	open(before, 7, 3, "/data/a");
	found(before, 7, "/jail", 9);
	carry();
	EXPECT_EQ(root(7), "/jail 9");
	expect_balance();
}

TEST_F(CarryRoot, IsStillShared)
{
	open(before, 7, 3, "/data/a");
	found(before, 7, "/", 7);
	before.fork(7, 7, 8, 8);
	before.clone_flags(7, 7, CLONE_FS);
	carry();
	chroot(after, 8, "/jail");
	after.exit(8, 8); /* it does not take the directories of the other one away */
	EXPECT_EQ(root(7), "/jail 7");
	after.fork(7, 7, 9, 9);
	EXPECT_EQ(root(9), "/jail 7");
	expect_balance();
}

TEST_F(CarryRoot, IsNotSharedWithAnOrdinaryChild)
{
	open(before, 7, 3, "/data/a");
	found(before, 7, "/", 7);
	before.fork(7, 7, 8, 8);
	carry();
	chroot(after, 8, "/jail");
	EXPECT_EQ(root(7), "/ 7");
	EXPECT_EQ(root(8), "/jail 7");
	expect_balance();
}

/* The calls before and the look-ups after it are in different models. */
TEST_F(CarryRoot, ALookUpBesideACallThatChangesItIsNotBelieved)
{
	open(before, 7, 3, "/data/a");
	found(before, 7, "/", 7);
	uint64_t since = before.now;
	before.call(7, 7, "chroot", {0}, 0, {"/jail"});
	carry();
	after.fact(FACT_ROOT, {7, since, 0, 7}, {"/"});
	EXPECT_EQ(root(7), "? 0");
	expect_balance();
}

/* A duplicate shows where the read of a closed descriptor went. */
TEST_F(Carry, ACallThatBeganBeforeACloseUsesTheFileOfThen)
{
	open(before, 7, 3, "/data/a");
	before.call(7, 7, "dup", {3}, 5);
	uint64_t begin = before.now++;
	before.call(7, 7, "close", {3}, 0);
	carry();
	after.pair(7, 7, "read", begin, {3, 0, 10}, 10, {.position = 10});
	read(after, 7, 5, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h1 20 @10\n7 OP_COMPLETE h1 20\n");
	expect_balance();
}

/* Its end has the position of the file at its begin. */
TEST_F(Carry, ACallInFlightMovesThePosition)
{
	open(before, 7, 3, "/data/a");
	read(before, 7, 3, 100);
	before.enter(7, 7, "read", {3, 0, 10});
	carry();
	after.leave(7, 7, "read", 10);
	read(after, 7, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @110\n7 OP_COMPLETE h0 20\n");
	expect_balance();
}

TEST_F(Carry, ACallInFlightMovesBothPositions)
{
	open(before, 7, 3, "/data/a");
	open(before, 7, 4, "/data/b");
	read(before, 7, 4, 50);
	before.enter(7, 7, "copy_file_range", {3, 0, 4, 0, 10});
	carry();
	after.leave(7, 7, "copy_file_range", 10);
	read(after, 7, 3, 1);
	read(after, 7, 4, 1);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 1 @10\n7 OP_COMPLETE h0 1\n"
				"7 OP_BEGIN h1 1 @60\n7 OP_COMPLETE h1 1\n");
	expect_balance();
}

/* Another thread closes the file while the call is in flight. */
TEST_F(Carry, ACallInFlightHoldsItsFile)
{
	before.fork(7, 7, 7, 8);
	open(before, 7, 3, "/data/a");
	open(before, 7, 4, "/data/b");
	before.enter(7, 8, "copy_file_range", {3, 0, 4, 0, 10});
	carry();
	after.call(7, 7, "close", {3}, 0);
	after.call(7, 7, "close", {4}, 0);
	open(after, 7, 3, "/data/c");
	open(after, 7, 4, "/data/d");
	after.leave(7, 8, "copy_file_range", 10);
	read(after, 7, 3, 1);
	read(after, 7, 4, 1);
	EXPECT_EQ(after.text(), "7 DESTROY_HANDLE h0 /data/a\n7 DESTROY_HANDLE h1 /data/b\n"
				"7 CREATE_HANDLE h2 /data/c\n7 CREATE_HANDLE h3 /data/d\n"
				"7 OP_BEGIN h2 1 @0\n7 OP_COMPLETE h2 1\n"
				"7 OP_BEGIN h3 1 @0\n7 OP_COMPLETE h3 1\n");
	expect_balance();
}

TEST_F(Carry, NamesOfThreadsAndPipesAreThere)
{
	before.fork(7, 7, 7, 8);
	before.comm(7, 8, "worker", false);
	before.start_fd(7, 3, "pipe:[44]", O_RDWR, 0, 0010600);
	carry();
	after.call(7, 8, "read", {3, 0, 5}, 5);
	ASSERT_EQ(trace_threads(after.trace), 1u);
	EXPECT_STREQ(trace_text(after.trace, trace_thread(after.trace, 0)->name), "worker");
	EXPECT_EQ(after.path(0), "pipe:[44]");
	EXPECT_EQ(after.text(), "8 OP_BEGIN h0 5 @-\n8 OP_COMPLETE h0 5\n");
	expect_balance();
}

TEST_F(Carry, MountAndInodeOfAFileAreThere)
{
	for (ModelDriver *d : {&before, &after})
		d->fact(FACT_MOUNT, {9, 1}, {"/data", "/dev/sda1", "ext4"});
	before.pair(7, 7, "openat", before.now - 1, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3,
		    {.made = {{.fd = 3, .name = "/data/a", .mode = 0060600, .ino = 55}}});
	carry();
	read(after, 7, 3, 10);
	const struct trace_file *file = trace_file(after.trace, trace_handle(after.trace, 0)->file);
	const struct trace_file *old = trace_file(before.trace,
						  trace_handle(before.trace, 0)->file);

	EXPECT_EQ(file->mount, 0u);
	EXPECT_EQ(file->dev, 1u);
	EXPECT_EQ(file->ino, 55u);
	EXPECT_EQ(file->kind, old->kind);
	EXPECT_NE(file->kind, trace_file_kind{}) << "it is no ordinary file";
	expect_balance();
}

TEST_F(Carry, AttachedProcessesAreNamed)
{
	before.fact(FACT_TASK, {7, 7, 1}, {"one", "/bin/one", ""});
	before.fact(FACT_TASK, {8, 8, 1}, {"two", "/bin/two", ""});
	carry();
	const struct trace_host *host = trace_host(after.trace);

	ASSERT_EQ(host->attached, 2u);
	EXPECT_EQ(host->attached_pid[1], 8u);
	EXPECT_STREQ(trace_text(after.trace, host->attached_name[0]), "one");
	EXPECT_STREQ(trace_text(after.trace, host->attached_name[1]), "two");
	expect_balance();
}

TEST_F(Carry, APauseGoesOn)
{
	open(before, 7, 3, "/data/a");
	before.fact(FACT_PAUSE, {1});
	carry();
	read(after, 7, 3, 10);
	after.fact(FACT_PAUSE, {0});
	read(after, 7, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @10\n7 OP_COMPLETE h0 20\n");
	expect_balance();
}

/* The number of a process that was not seen to end is that of its successor. */
TEST_F(Carry, ANumberThatWasUsedAgainIsThatOfTheNewProcess)
{
	before.fork(1, 1, 7, 7);
	open(before, 7, 3, "/data/old");
	before.fork(1, 1, 7, 7);
	before.comm(7, 7, "new", true);
	before.start_fd(7, 3, "/data/new");
	carry();
	read(after, 7, 3, 10);
	EXPECT_EQ(after.path(0), "/data/new");
	EXPECT_STREQ(trace_text(after.trace, trace_process(after.trace, 0)->name), "new");
	expect_balance();
}

/* A worker of io_uring keeps the table that the task had: what it opens is no descriptor of the task. */
TEST_F(Carry, ATableThatWasUnsharedStillIs)
{
	open(before, 7, 5, "/data/own");
	before.call(7, 7, "unshare", {CLONE_FILES}, 0);
	carry();
	for (int fd : {5, 6}) {
		const Made made = {.fd = fd, .name = "/data/other"};
		struct event e = after.base(EVENT_AIO, 7, 7);

		aio_do(after, 7, 7, aio_submit(9, AIO_OPEN));
		e.time = after.now++;
		e.aio.step = aio_complete(9, fd);
		e.aio.file = ModelDriver::file_of(made);
		model_event(after.model, &e);
		read(after, 7, (uint64_t)fd, 10);
	}
	std::string all = after.text();

	EXPECT_NE(all.find(" 10 @0\n"), std::string::npos) << all;
	for (handle_id h = 0; h < trace_handles(after.trace); h++)
		EXPECT_NE(after.path(h), "/data/other") << all;
	expect_balance();
}

/* Each flag that says O_APPEND may be set by a process that is not seen. */
TEST_F(Carry, AppendingIsStillUncertain)
{
	before.start_fd(7, 3, "/data/a", O_RDWR, 100);
	before.call(9, 9, "fcntl", {77, F_SETFL, O_APPEND}, 0);
	carry();
	after.enter(7, 7, "pwrite64", {3, 0, 10, 40});
	after.leave(7, 7, "pwrite64", 10);
	ModelDriver whole;
	whole.start_fd(7, 3, "/data/a", O_RDWR, 100);
	whole.call(9, 9, "fcntl", {77, F_SETFL, O_APPEND}, 0);
	whole.call(7, 7, "pwrite64", {3, 0, 10, 40}, 10);
	EXPECT_EQ(after.text(), whole.text());
	expect_balance();
}

/* As in one model: paths and bytes of the operations. */
static std::string operations(const ModelDriver &d)
{
	std::string all;

	for (const io_event &e : d.events)
		if (e.kind == IO_OP_BEGIN)
			all += d.path(e.handle) + " " + d.bytes(e.op.bytes) + " @" +
			       d.bytes(e.op.offset) + "\n";
	return all;
}

TEST_F(Carry, WhileALossGoesOnNoLookUpIsBelieved)
{
	ModelDriver whole;

	for (ModelDriver *d : {&before, &whole}) {
		d->at(1000);
		open(*d, 7, 3, "/data/a");
		open(*d, 7, 4, "/data/a");
		d->lost(1, 1050);
	}
	carry();
	for (ModelDriver *d : {&after, &whole}) {
		d->fd(7, 3, "/data/b", 3, d->now);
		read(*d, 7, 3, 20);
		d->call(7, 7, "close", {3}, 0);
		d->at(1060);
		d->fd(7, 4, "/data/c", 3, d->now);
		read(*d, 7, 4, 30);
	}
	whole.end();
	expect_balance();
	EXPECT_EQ(operations(after), operations(whole));
	EXPECT_EQ(operations(after), "? 20 @-\n? 30 @-\n");
}

/* The look-up of a name began before, and is of a descriptor that has changed since, or has not. */
TEST_F(Carry, NamesThatWaitComeLater)
{
	ModelDriver whole;
	uint64_t since = 0;

	for (ModelDriver *d : {&before, &whole}) {
		d->at(1000);
		for (int64_t fd : {3, 4, 5})
			d->call(7, 7, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, fd);
		since = d->now;
		d->call(7, 7, "close", {4}, 0);
		d->call(7, 7, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 4);
		d->enter(7, 8, "dup2", {3, 5}); /* it may have had an effect already */
	}
	carry();
	for (ModelDriver *d : {&after, &whole}) {
		d->fd(7, 3, "/data/a", 1, since);
		d->fd(7, 4, "/data/old", 1, since);
		d->fd(7, 5, "/data/b", 1, since);
		for (uint64_t fd : {3, 4, 5})
			read(*d, 7, fd, 10 * fd);
	}
	whole.end();
	expect_balance();
	EXPECT_EQ(operations(after), operations(whole));
	EXPECT_EQ(operations(after), "/data/a 30 @0\n? 40 @0\n? 50 @0\n");
}

TEST_F(Carry, ACallInFlightDoesNotSayAPosition)
{
	open(before, 7, 3, "/data/a");
	before.enter(7, 7, "read", {3, 0, 10});
	carry(false);
	after.leave(7, 7, "read", 10);
	read(after, 7, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @-\n7 OP_COMPLETE h0 20\n");
	expect_balance();
}

/* An exec may have closed any descriptor, known or unknown: a number that a call closes after it need not be that of a look-up. */
TEST_F(Carry, WhatAnExecHasClosedHasNoNameFromBefore)
{
	ModelDriver whole;
	uint64_t since = 0;

	for (ModelDriver *d : {&before, &whole}) {
		d->at(1000);
		since = d->now++;
		d->call(7, 7, "execve", {0}, 0);
		d->comm(7, 7, "app", true);
	}
	carry();
	for (ModelDriver *d : {&after, &whole}) {
		d->fd(7, 3, "/data/closed", 0, since);
		read(*d, 7, 3, 10);
	}
	whole.end();
	expect_balance();
	EXPECT_EQ(operations(after), operations(whole));
}

} // namespace
