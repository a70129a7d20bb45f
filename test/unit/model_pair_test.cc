/*
 * Calls that the kernel paired: told when they end, meant as they began.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <cstdio> /* RENAME_EXCHANGE */
#include <sys/mman.h>

namespace
{

constexpr uint64_t CWD = (uint64_t)AT_FDCWD;

/* A process that runs already: pid 10 with the threads 10 and 11. */
class Pair : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void open(uint32_t tid, int fd, const char *name, uint64_t flags = O_RDWR)
	{
		uint64_t begin = d.now++;

		d.pair(10, tid, "openat", begin, {CWD, 0, flags}, fd, {{{fd, name}}});
	}

	void pipe(int in, int out)
	{
		uint64_t begin = d.now++;

		d.pair(10, 10, "pipe2", begin, {0, 0}, 0,
		       {{{in, "pipe:[7]", O_RDONLY, EVENT_POSITION_UNKNOWN, 010600},
			 {out, "pipe:[7]", O_WRONLY, EVENT_POSITION_UNKNOWN, 010600}}});
	}

	/* close() as the kernel tells it: its begin at once. */
	void close(uint32_t tid, uint64_t fd)
	{
		d.call(10, tid, "close", {fd}, 0);
	}

	/* A rename in a directory that is called so when it ends; the paths of all files that are known then. */
	std::string renamed(const char *directory, const char *from, const char *to,
			    uint64_t flags = 0)
	{
		uint64_t begin = d.now++;
		std::string all;
		Paired with;

		with.paths = {from, to};
		d.start = directory;
		d.pair(10, 10, "renameat2", begin, {CWD, 0, CWD, 0, flags}, 0, with);
		for (file_id f = 0; f < trace_files(d.trace); f++)
			all += std::string(trace_text(d.trace, trace_file(d.trace, f)->path)) + " ";
		return all;
	}

	std::string ended()
	{
		d.end();
		EXPECT_EQ(d.unbalanced(), "");
		return d.text();
	}
};

TEST_F(Pair, ARenameBesideItsDirectoryIsKnown)
{
	EXPECT_EQ(renamed("/top/d0/s", "../a", "../b"), "/top/d0/a ");
}

/* It began in /top/d0/s. */
TEST_F(Pair, ARenameOfItsOwnDirectoryIsNot)
{
	EXPECT_EQ(renamed("/top/d1/t/s", "../../d0", "../../d1/t"), "");
}

/* It began in /top/d1/t/s. */
TEST_F(Pair, AnExchangeOfItsOwnDirectoryIsNot)
{
	EXPECT_EQ(renamed("/top/d0/s", "../../../d0", "../../../d1/t", RENAME_EXCHANGE), "");
	EXPECT_EQ(renamed("/top/d0/s", "../d1", "../d2", RENAME_EXCHANGE), "/top/d0/d1 ");
}

TEST_F(Pair, AnOpenHasItsNameAtOnce)
{
	open(10, 3, "/data/a");
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n");
	uint64_t begin = d.now++;

	d.pair(10, 10, "read", begin, {3, 0, 4096}, 10, {{}, 10});
	close(10, 3);
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 /data/a\n"
			   "10 OP_BEGIN h0 4096 @0\n"
			   "10 OP_COMPLETE h0 10\n"
			   "10 DESTROY_HANDLE h0 /data/a\n");
	EXPECT_EQ(tally_get(&d.tally, names_known), 1U);
	EXPECT_EQ(tally_get(&d.tally, calls), 3U);
	const struct trace_file *file = trace_file(d.trace, 0);

	EXPECT_EQ(file->dev, 1U);
	EXPECT_EQ(file->ino, 2U);
	EXPECT_EQ(file->kind, FILE_REGULAR);
}

TEST_F(Pair, EnterAndLeaveHaveTheTimesOfTheCall)
{
	d.at(900);
	d.pair(10, 10, "read", 400, {3, 0, 5}, -EBADF);
	ASSERT_EQ(d.events.size(), 2U);
	EXPECT_EQ(d.events[0].kind, IO_ENTER);
	EXPECT_EQ(d.events[0].time, 400U);
	EXPECT_EQ(d.events[1].kind, IO_LEAVE);
	EXPECT_EQ(d.events[1].time, 900U);
	EXPECT_EQ(d.events[1].region.error, EBADF);
	EXPECT_EQ(trace_host(d.trace)->first_time, 400U);
	EXPECT_EQ(tally_get(&d.tally, calls_failed), 1U);
}

TEST_F(Pair, ACallUsesWhatItsDescriptorNamedWhenItBegan)
{
	pipe(5, 6);
	uint64_t begin = d.now++;

	close(11, 5);
	open(11, 5, "/data/new");
	d.pair(10, 10, "read", begin, {5, 0, 100}, 3);
	begin = d.now++;
	d.pair(10, 10, "read", begin, {5, 0, 100}, 100, {{}, 100});
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 pipe:[7]\n"
			   "10 CREATE_HANDLE h1 pipe:[7]\n"
			   "11 DESTROY_HANDLE h0 pipe:[7]\n"
			   "11 CREATE_HANDLE h2 /data/new\n"
			   "10 OP_BEGIN h0 100 @-\n"
			   "10 OP_COMPLETE h0 3\n"
			   "10 OP_BEGIN h2 100 @0\n"
			   "10 OP_COMPLETE h2 100\n");
}

TEST_F(Pair, ADescriptorThatWasClosedWhenTheCallBeganWasNothing)
{
	open(11, 5, "/data/old");
	close(11, 5);
	uint64_t begin = d.now++;

	open(11, 5, "/data/new");
	d.pair(10, 10, "read", begin, {5, 0, 100}, 100);
	std::string text = ended();

	EXPECT_EQ(text.find("OP_BEGIN"), std::string::npos) << text;
}

TEST_F(Pair, WhatIsTwoChangesBackIsNotGuessed)
{
	open(11, 5, "/data/old");
	uint64_t begin = d.now++;

	close(11, 5);
	open(11, 5, "/data/new");
	close(11, 5);
	d.pair(10, 10, "read", begin, {5, 0, 100}, 100);
	EXPECT_EQ(trace_handles(d.trace), 1U + 1U) << "no handle is made up for it";
	std::string text = ended();

	EXPECT_EQ(text.find("OP_BEGIN"), std::string::npos) << text;
}

TEST_F(Pair, AHandleInUseByACallInFlightMayBeUsedAgain)
{
	open(11, 5, "/data/a");
	uint64_t begin = d.now++;

	close(11, 5);
	open(11, 7, "/data/a");
	d.pair(10, 10, "fsync", begin, {5}, 0);
	EXPECT_EQ(trace_handles(d.trace), 1U);
	EXPECT_EQ(ended(), "11 CREATE_HANDLE h0 /data/a\n"
			   "11 DESTROY_HANDLE h0 /data/a\n"
			   "11 CREATE_HANDLE h0 /data/a\n"
			   "10 OP_BEGIN h0 - @-\n"
			   "10 OP_COMPLETE h0 -\n");
}

TEST_F(Pair, APipeHasTwoEndsAndASocketItsName)
{
	pipe(3, 4);
	uint64_t begin = d.now++;

	d.pair(10, 10, "socket", begin, {1, 2, 0}, 5,
	       {{{5, "socket:[9]", O_RDWR, EVENT_POSITION_UNKNOWN, 0140777}}});
	begin = d.now++;
	d.pair(10, 10, "write", begin, {4, 0, 8}, 8);
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 pipe:[7]\n"
			   "10 CREATE_HANDLE h1 pipe:[7]\n"
			   "10 CREATE_HANDLE h2 socket:[9]\n"
			   "10 OP_BEGIN h1 8 @-\n"
			   "10 OP_COMPLETE h1 8\n");
	EXPECT_EQ(tally_get(&d.tally, handles_created), 3U);
	EXPECT_EQ(tally_get(&d.tally, names_known), 0U) << "these are no files";
}

TEST_F(Pair, APairThatClosesOnExecIsGoneAfterIt)
{
	uint64_t begin = d.now++;

	d.pair(10, 10, "pipe2", begin, {0, O_CLOEXEC}, 0,
	       {{{3, "pipe:[7]", O_RDONLY | O_CLOEXEC}, {4, "pipe:[7]", O_WRONLY | O_CLOEXEC}}});
	d.call(10, 10, "execve", {}, 0);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 2U);
}

TEST_F(Pair, AFileWithoutANameIsNotWaitedFor)
{
	open(10, 3, "");
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 ?\n");
	ended();
	EXPECT_EQ(tally_get(&d.tally, names_unknown), 1U);
}

TEST_F(Pair, OpenAt2HasItsFlagsFromTheFile)
{
	uint64_t begin = d.now++;

	d.pair(10, 10, "openat2", begin, {CWD}, 3, {{{3, "/a", O_WRONLY | O_APPEND | O_CLOEXEC}}});
	ASSERT_EQ(d.events.size(), 3U);
	EXPECT_EQ(d.events[1].create.flags, (uint32_t)(O_WRONLY | O_APPEND | O_CLOEXEC));
	d.call(10, 10, "execve", {}, 0);
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 1U);
}

/* Another thread had the number between the begin and the end of an open: the file at its end may be another. */
class Doubt : public Pair
{
      protected:
	uint64_t begin = 0;

	void SetUp() override
	{
		Pair::SetUp();
		open(11, 5, "/data/other");
		close(11, 5);
		begin = d.now++;
	}

	void expect_no_name()
	{
		d.pair(10, 10, "openat", begin, {CWD, 0, 0}, 5, {{{5, "/data/which"}}});
		std::string text = ended();

		EXPECT_EQ(text.find("which"), std::string::npos) << text;
	}
};

TEST_F(Doubt, ACloseOfWhatWasThereBeforeIsNone)
{
	open(11, 5, "/data/x");
	begin = d.now++;
	close(11, 5);
	d.pair(10, 10, "openat", begin, {CWD, 0, 0}, 5, {{{5, "/data/mine"}}});
	EXPECT_NE(ended().find("mine"), std::string::npos);
}

TEST_F(Doubt, AnotherOpenGotTheNumber)
{
	open(11, 5, "/data/x");
	expect_no_name();
}

TEST_F(Doubt, AnotherThreadClosedIt)
{
	close(11, 5);
	expect_no_name();
}

TEST_F(Doubt, AnotherThreadClosedANumberThatWasNeverUsed)
{
	uint64_t earlier = d.now++;

	close(11, 40);
	d.pair(10, 10, "openat", earlier, {CWD, 0, 0}, 40, {{{40, "/data/which"}}});
	std::string text = ended();

	EXPECT_EQ(text.find("which"), std::string::npos) << text;
}

TEST_F(Doubt, ANumberBeyondTheTableMayBeInItLater)
{
	uint64_t earlier = d.now++;

	close(11, 400);
	open(11, 390, "/data/x");
	open(11, 450, "/data/y");
	d.pair(10, 10, "openat", earlier, {CWD, 0, 0}, 400, {{{400, "/data/which"}}});
	std::string text = ended();

	EXPECT_EQ(text.find("which"), std::string::npos) << text;
}

TEST_F(Doubt, ADupOntoItIsInFlight)
{
	open(11, 6, "/data/x");
	d.enter(10, 11, "dup2", {6, 5});
	expect_no_name();
}

TEST_F(Doubt, ManyAreBeingClosed)
{
	d.enter(10, 11, "close_range", {0, 100, 0});
	expect_no_name();
}

TEST_F(Doubt, DataWasLost)
{
	d.lost(1);
	expect_no_name();
}

TEST_F(Pair, ThePositionAfterTheCallTellsWhereItBegan)
{
	open(10, 3, "/a", O_RDWR | O_APPEND);
	d.exit(10, 11);
	uint64_t begin = d.now++;

	d.pair(10, 10, "write", begin, {3, 0, 10}, 10, {{}, 510});
	begin = d.now++;
	d.pair(10, 10, "pwrite64", begin, {3, 0, 10, 77}, 10, {{}, 510});
	begin = d.now++;
	d.pair(10, 10, "lseek", begin, {3, 20, SEEK_SET}, 20);
	begin = d.now++;
	d.pair(10, 10, "read", begin, {3, 0, 10}, -EIO);
	begin = d.now++;
	d.pair(10, 10, "read", begin, {3, 0, 10}, 5, {{}, 25});
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 /a\n"
			   "10 OP_BEGIN h0 10 @500\n10 OP_COMPLETE h0 10\n"
			   "10 OP_BEGIN h0 10 @-\n10 OP_COMPLETE h0 10\n"
			   "10 SEEK h0 20\n"
			   "10 OP_BEGIN h0 10 @20\n10 OP_COMPLETE h0 -\n10 LEAVE read errno 5\n"
			   "10 OP_BEGIN h0 10 @20\n10 OP_COMPLETE h0 5\n");
}

TEST_F(Pair, APositionThatAnotherThreadMayHaveMovedIsNotBelieved)
{
	open(10, 3, "/a");
	uint64_t first = d.now++, second = d.now++;

	d.pair(10, 11, "read", second, {3, 0, 10}, 10, {{}, 20});
	d.pair(10, 10, "read", first, {3, 0, 10}, 10, {{}, 20});
	first = d.now++;
	d.pair(10, 10, "read", first, {3, 0, 10}, 10, {{}, 30});
	first = d.now++;
	d.pair(10, 10, "read", first, {3, 0, 10}, -EIO);
	EXPECT_EQ(ended(), "10 CREATE_HANDLE h0 /a\n"
			   "11 OP_BEGIN h0 10 @-\n11 OP_COMPLETE h0 10\n"
			   "10 OP_BEGIN h0 10 @-\n10 OP_COMPLETE h0 10\n"
			   "10 OP_BEGIN h0 10 @20\n10 OP_COMPLETE h0 10\n"
			   "10 OP_BEGIN h0 10 @-\n10 OP_COMPLETE h0 -\n10 LEAVE read errno 5\n");
}

TEST_F(Pair, APositionThatCannotBeIsNone)
{
	d.exit(10, 11);
	open(10, 3, "/a");
	d.pair(10, 10, "read", d.now++, {3, 0, 10}, 10, {{}, 5});
	EXPECT_NE(ended().find("OP_BEGIN h0 10 @-"), std::string::npos);
}

TEST_F(Pair, AnOpenSaysItsPosition)
{
	d.exit(10, 11);
	d.pair(10, 10, "openat", d.now++, {CWD, 0, O_RDWR}, 3, {{{3, "/a", O_RDWR, 70}}});
	d.pair(10, 10, "read", d.now++, {3, 0, 10}, -EIO);
	EXPECT_NE(ended().find("OP_BEGIN h0 10 @70"), std::string::npos);
}

TEST_F(Pair, WhatMovedSinceACallInFlightBeganHidesItsOffset)
{
	open(10, 3, "/a");
	uint64_t begin = d.now++, other = d.now++;

	d.pair(10, 11, "read", other, {3, 0, 10}, 10, {{}, 10});
	d.pair(10, 10, "read", begin, {3, 0, 10}, 0, {{}, EVENT_POSITION_UNKNOWN, {}, true});
	EXPECT_NE(ended().find("10 OP_BEGIN h0 10 @-"), std::string::npos);
}

TEST_F(Pair, ThePositionOfANumberThatWasUsedAgainIsThatOfAnotherFile)
{
	open(11, 5, "/a");
	uint64_t begin = d.now++;

	close(11, 5);
	open(11, 5, "/b");
	d.pair(10, 10, "read", begin, {5, 0, 10}, 10, {{}, 10});
	EXPECT_NE(ended().find("10 OP_BEGIN h0 10 @-"), std::string::npos);
}

TEST_F(Pair, WhatNobodySawBeingMadeMayBeAStream)
{
	d.exit(10, 11);
	d.pair(10, 10, "read", d.now++, {0, 0, 10}, 0, {{}, 0});
	d.pair(10, 10, "read", d.now++, {1, 0, 10}, 10, {{}, 20});
	d.pair(10, 10, "read", d.now++, {1, 0, 10}, 10, {{}, 30});
	std::string text = ended();

	EXPECT_NE(text.find("OP_BEGIN h0 10 @-"), std::string::npos) << text;
	EXPECT_NE(text.find("OP_BEGIN h1 10 @20"), std::string::npos) << text;
}

TEST_F(Pair, AStreamHasNoPosition)
{
	pipe(3, 4);
	d.exit(10, 11);
	uint64_t begin = d.now++;

	d.pair(10, 10, "read", begin, {3, 0, 10}, 0, {{}, 0});
	EXPECT_NE(ended().find("OP_BEGIN h0 10 @-"), std::string::npos);
}

TEST_F(Pair, ACopyMovesBothEnds)
{
	d.exit(10, 11);
	open(10, 3, "/in");
	open(10, 4, "/out");
	for (int i = 1; i <= 2; i++) {
		uint64_t begin = d.now++;

		d.pair(10, 10, "sendfile64", begin, {4, 3, 0, 100}, 100, {{}, (uint64_t)(100 * i)});
	}
	std::string text = ended();

	EXPECT_NE(text.find("OP_BEGIN h0 100 @100"), std::string::npos) << text;
	EXPECT_NE(text.find("OP_BEGIN h1 100 @100"), std::string::npos) << text;
}

/* Symbolic links and ".." are known to the kernel only. */
TEST_F(Pair, TheDirectoryThatTheKernelSawIsTheFileOfAChdir)
{
	d.pair(10, 10, "chdir", d.now++, {0}, 0,
	       {{{-1, "/real/dir"}}, EVENT_POSITION_UNKNOWN, {"../link"}});
	ASSERT_EQ(d.events.size(), 2U);
	ASSERT_NE(d.events[0].region.file, ID_NONE);
	EXPECT_STREQ(trace_text(d.trace, trace_file(d.trace, d.events[0].region.file)->path),
		     "/real/dir");
}

/* Another file may have the path that it had. */
TEST_F(Pair, ADeletedFileIsNotTheOneThatHasItsPathNow)
{
	for (uint64_t ino : {7, 8, 7, 9}) {
		bool is_deleted = ino != 8;

		d.pair(10, 10, "openat", d.now++, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3,
		       {{{3, "/a", O_RDWR, 0, 0100644, ino, is_deleted}}});
		d.pair(10, 10, "close", d.now++, {3}, 0);
	}
	d.end();
	ASSERT_EQ(trace_files(d.trace), 3U) << "two deleted ones, and the other";
	for (uint32_t i = 0; i < 3; i++) {
		EXPECT_STREQ(trace_text(d.trace, trace_file(d.trace, i)->path), "/a");
		EXPECT_EQ(trace_file(d.trace, i)->is_deleted, i != 1);
	}
	std::vector<uint32_t> files;
	for (uint32_t i = 0; i < trace_handles(d.trace); i++)
		files.push_back(trace_handle(d.trace, i)->file);
	EXPECT_EQ(files, (std::vector<uint32_t>{0, 1, 0, 2})) << "no handle is used for another";
}

TEST_F(Pair, TheFileOfAPathCallStandsInItsEnter)
{
	uint64_t begin = d.now++;

	d.pair(10, 10, "newstat", begin, {0}, 0, {{}, EVENT_POSITION_UNKNOWN, {"/etc/x"}});
	ASSERT_EQ(d.events.size(), 2U);
	ASSERT_NE(d.events[0].region.file, ID_NONE);
	EXPECT_STREQ(trace_text(d.trace, trace_file(d.trace, d.events[0].region.file)->path),
		     "/etc/x");
}

TEST_F(Pair, ACallInFlightIsCancelledAtTheEnd)
{
	pipe(3, 4);
	uint64_t begin = d.now++;

	d.pair(10, 10, "read", begin, {3, 0, 10}, 0, {{}, EVENT_POSITION_UNKNOWN, {}, true});
	open(11, 5, "/later");
	uint64_t last = d.now - 1;

	std::string text = ended();

	EXPECT_NE(text.find("10 OP_BEGIN h0 10 @-\n10 OP_CANCELLED h0"), std::string::npos) << text;
	EXPECT_EQ(tally_get(&d.tally, in_flight), 1U);
	EXPECT_EQ(d.events.back().time, last);
}

TEST_F(Pair, ACallThatWasInFlightAtASnapshotEndsOnce)
{
	pipe(3, 4);
	uint64_t begin = d.now++;

	d.pair(10, 10, "read", begin, {3, 0, 10}, 0, {{}, EVENT_POSITION_UNKNOWN, {}, true});
	d.pair(10, 10, "read", begin, {3, 0, 10}, 7);
	ended();
	EXPECT_EQ(tally_get(&d.tally, begun), 1U);
	EXPECT_EQ(tally_get(&d.tally, completed), 1U);
	EXPECT_EQ(tally_get(&d.tally, lost_exits), 0U);
}

TEST_F(Pair, TheEndOfWhatWasInFlightWasLostIfAnotherCallCame)
{
	pipe(3, 4);
	uint64_t begin = d.now++;

	d.pair(10, 10, "read", begin, {3, 0, 10}, 0, {{}, EVENT_POSITION_UNKNOWN, {}, true});
	begin = d.now++;
	d.pair(10, 10, "read", begin, {3, 0, 10}, 7);
	ended();
	EXPECT_EQ(tally_get(&d.tally, lost_exits), 1U);
	EXPECT_EQ(tally_get(&d.tally, cancelled), 1U);
	EXPECT_EQ(tally_get(&d.tally, completed), 1U);
}

TEST_F(Pair, TimeDoesNotFallWhateverTheRecordsSay)
{
	open(10, 3, "/a");
	uint64_t early = d.now;

	d.now += 100;
	d.pair(10, 10, "read", early, {3, 0, 1}, 1);
	d.now += 100;
	d.pair(10, 10, "read", early + 50, {3, 0, 1}, 1);
	d.now += 100;
	d.enter(10, 10, "close", {3});
	d.pair(10, 10, "read", early + 60, {0, 0, 1}, 1);
	ended();
	uint64_t last = 0;

	for (const io_event &e : d.events) {
		EXPECT_GE(e.time, last) << d.line(e);
		last = e.time;
	}
}

TEST_F(Pair, ARecordLockHasTheTypeThatCameDuringIt)
{
	open(10, 3, "/a");
	uint64_t begin = d.now++;

	d.lock(10, 10, F_RDLCK);
	d.pair(10, 10, "fcntl", begin, {3, F_SETLK}, 0);
	begin = d.now++;
	d.pair(10, 10, "fcntl", begin, {3, F_SETLK}, 0);
	std::string text = ended();

	EXPECT_NE(text.find("ACQUIRE_LOCK"), std::string::npos);
	EXPECT_EQ(text.find("ACQUIRE_LOCK"), text.rfind("ACQUIRE_LOCK"))
		<< "the second call's type was not told";
}

TEST_F(Pair, AnUnmapLeavesWhatWasMappedThereLater)
{
	open(10, 3, "/a");
	open(10, 4, "/b");
	d.pair(10, 10, "mmap", d.now++, {0, 4096, 0, MAP_PRIVATE, 3, 0}, 0x10000);
	uint64_t begin = d.now++;

	d.pair(10, 11, "mmap", d.now++, {0, 4096, 0, MAP_PRIVATE, 4, 0}, 0x11000);
	d.pair(10, 10, "munmap", begin, {0x10000, 0x2000}, 0);
	close(10, 4);
	d.pair(10, 11, "msync", d.now++, {0x11000, 4096}, 0);
	d.end();
	const io_event &enter = d.events[d.events.size() - 4]; /* then its flush */

	ASSERT_EQ(enter.kind, IO_ENTER);
	ASSERT_NE(enter.region.file, ID_NONE);
	EXPECT_STREQ(trace_text(d.trace, trace_file(d.trace, enter.region.file)->path), "/b");
}

TEST_F(Pair, ADupOfWhatNobodySawIsNamedByTheKernel)
{
	d.pair(10, 10, "dup", d.now++, {0}, 3, {{{3, "/data/in"}}});
	d.pair(10, 10, "read", d.now++, {0, 0, 4}, 4);
	std::string text = ended();

	EXPECT_NE(text.find("DUPLICATE_HANDLE"), std::string::npos) << text;
	EXPECT_EQ(trace_files(d.trace), 1U);
}

/* What is done to a handle stands in the archive before its end. */
TEST_F(Pair, WhatWasDoneToADescriptorThatIsGoneByNowIsToldAtTheBegin)
{
	open(11, 5, "/a");
	uint64_t seek = d.now++, flags = d.now++, lock = d.now++;

	close(11, 5);
	d.pair(10, 10, "lseek", seek, {5, 7, SEEK_SET}, 7);
	d.pair(10, 12, "fcntl", flags, {5, F_SETFL, O_APPEND}, 0);
	d.pair(10, 13, "flock", lock, {5, 2}, 0);
	ended();
	for (const io_event &e : d.events) {
		if (e.kind == IO_SEEK)
			EXPECT_EQ(e.time, seek);
		if (e.kind == IO_CHANGE_STATUS_FLAGS)
			EXPECT_EQ(e.time, flags);
		if (e.kind == IO_ACQUIRE_LOCK)
			EXPECT_EQ(e.time, lock);
	}
	EXPECT_NE(d.text().find("SEEK"), std::string::npos);
}

TEST_F(Pair, ACopyOfADescriptorThatIsGoneByNowIsCreated)
{
	open(11, 5, "/a");
	uint64_t begin = d.now++;

	close(11, 5);
	d.pair(10, 10, "dup", begin, {5}, 6);
	EXPECT_EQ(ended(), "11 CREATE_HANDLE h0 /a\n"
			   "11 DESTROY_HANDLE h0 /a\n"
			   "10 CREATE_HANDLE h0 /a\n");
}

TEST_F(Pair, AfterDataLossADescriptorIsDoubtfulForCallsThatBeganLater)
{
	open(10, 3, "/a");
	uint64_t before = d.now++;

	d.lost(5);
	d.pair(10, 11, "fsync", before, {3}, 0);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 0U) << "then it was still known";
	d.pair(10, 10, "fsync", d.now++, {3}, 0);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1U);
	std::string text = ended();

	EXPECT_NE(text.find("11 OP_BEGIN h0"), std::string::npos) << text;
	EXPECT_EQ(text.find("10 OP_BEGIN h0"), std::string::npos) << text;
}

TEST_F(Pair, WhatDataLossMadeDoubtfulIsNotUsedByCallsOfOtherThreads)
{
	open(10, 3, "/a");
	d.lost(5);
	uint64_t first = d.now++, second = d.now++;

	d.pair(10, 10, "fsync", second, {3}, 0);
	d.pair(10, 11, "fsync", first, {3}, 0);
	std::string text = ended();

	EXPECT_EQ(text.find("OP_BEGIN h0"), std::string::npos) << text;
}

TEST_F(Pair, AnotherLossDuringACallDoesNotMakeSureWhatOneBeforeItMadeDoubtful)
{
	open(10, 3, "/a");
	d.lost(5);
	uint64_t begin = d.now++;

	d.lost(5);
	d.pair(10, 10, "fsync", begin, {3}, 0);
	std::string text = ended();

	EXPECT_EQ(text.find("OP_BEGIN h0"), std::string::npos) << text;
}

TEST_F(Pair, TheFirstTimeIsThatOfTheEarliestBegin)
{
	d.at(900);
	d.pair(10, 10, "read", 700, {3, 0, 5}, -EBADF);
	d.pair(10, 11, "read", 400, {3, 0, 5}, -EBADF);
	EXPECT_EQ(trace_host(d.trace)->first_time, 400U);
}

TEST_F(Pair, BeforeTheCommandsExecNothingIsRecorded)
{
	d.fact(FACT_COMMAND, {20}, {"true", "/"});
	d.pair(20, 20, "read", d.now++, {0, 0, 1}, 1);
	d.pair(20, 20, "execve", d.now++, {}, -ENOENT);
	EXPECT_TRUE(d.events.empty());
	EXPECT_EQ(tally_get(&d.tally, calls), 0U);
}

TEST_F(Pair, CallsOf32BitProgramsAreCounted)
{
	d.program(10, true);
	d.pair(10, 10, "read", d.now++, {0, 0, 1}, 1);
	EXPECT_TRUE(d.events.empty());
	EXPECT_EQ(tally_get(&d.tally, foreign_calls), 1U);
}

} /* namespace */
