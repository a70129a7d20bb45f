/*
 * Where in a file an operation is, if others move the position whom the stream does not show: absent, not wrong.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <sys/socket.h>

namespace
{

constexpr uint64_t CWD = (uint64_t)AT_FDCWD;

/* A process that runs already: pid 10. */
class Position : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void open(int fd, const char *name, uint32_t pid = 10)
	{
		d.call(pid, pid, "openat", {CWD, 0, O_RDWR}, fd, {name});
	}

	/* The offset of a write() to the descriptor: a number, or "-". */
	std::string offset(uint64_t fd, uint32_t pid = 10)
	{
		size_t before = settled();

		d.call(pid, pid, "write", {fd, 0, 8}, 8);
		return begun(before);
	}

	/* Nothing waits for names longer than this. Returns how many records there are then. */
	size_t settled()
	{
		d.now += 1000000000;
		d.fact(FACT_LOOKUPS, {0});
		return d.events.size();
	}

	/* The offset of the first operation that writes since then. */
	std::string begun(size_t before)
	{
		settled();
		for (size_t i = before; i < d.events.size(); i++)
			if (d.events[i].kind == IO_OP_BEGIN && d.events[i].op.mode != IO_MODE_READ)
				return d.bytes(d.events[i].op.offset);
		return "none";
	}

	/* The same of a write() that the kernel paired, after which the file stood at `position`. */
	std::string paired(uint64_t fd, uint64_t position)
	{
		size_t before = settled();
		uint64_t begin = d.now++;

		d.pair(10, 10, "write", begin, {fd, 0, 8}, 8, {.position = position});
		return begun(before);
	}
};

TEST_F(Position, IsKnownOfWhatWasSeenFromItsOpen)
{
	open(3, "/data/a");
	EXPECT_EQ(offset(3), "0");
	d.call(10, 10, "lseek", {3, 100, SEEK_SET}, 100);
	EXPECT_EQ(offset(3), "100");
}

TEST_F(Position, OfWhatWasSentOverASocket)
{
	open(3, "/data/a");
	d.call(10, 10, "socket", {AF_UNIX, SOCK_STREAM, 0}, 4);
	d.call(10, 10, "sendmsg", {4, 0, 0}, 1);
	open(5, "/data/b");
	EXPECT_EQ(offset(3), "-");
	EXPECT_EQ(offset(5), "0") << "it was opened later";
	d.call(10, 10, "sendmmsg", {4, 0, 1, 0}, 1);
	EXPECT_EQ(offset(5), "-");
}

/* A sender that has not returned may have been heard already. */
TEST_F(Position, WhileAMessageIsBeingSent)
{
	d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	open(3, "/data/a");
	d.enter(10, 11, "sendmsg", {77, 0, 0});
	EXPECT_EQ(offset(3), "-");
	open(5, "/data/b");
	d.leave(10, 11, "sendmsg", 1);
	EXPECT_EQ(offset(5), "-") << "nor is it known when the descriptors were taken";
}

TEST_F(Position, IsNotSentOverTheNetwork)
{
	open(3, "/data/a");
	d.call(10, 10, "socket", {AF_INET, SOCK_STREAM, 0}, 4);
	d.call(10, 10, "sendmsg", {4, 0, 0}, 1);
	d.call(10, 10, "accept", {4, 0, 0}, 5);
	d.call(10, 10, "sendmsg", {5, 0, 0}, 1);
	EXPECT_EQ(offset(3), "0");
}

TEST_F(Position, OfWhatWasReceived)
{
	d.call(10, 10, "recvmsg", {4, 0, 0}, 1);
	d.call(10, 10, "lseek", {7, 100, SEEK_SET}, 100);
	EXPECT_EQ(offset(7), "-") << "the sender may have moved it";
}

TEST_F(Position, OfWhatAnyoneMayHaveTaken)
{
	d.fact(FACT_TASK, {20, 20, 1, 0, 0}, {"other", "/bin/other"});
	open(3, "/data/a");
	d.call(20, 20, "pidfd_getfd", {99, 3, 0}, 5);
	d.call(20, 20, "lseek", {5, 10, SEEK_SET}, 10);
	EXPECT_EQ(offset(3), "-");
	EXPECT_EQ(offset(5, 20), "-");
	open(4, "/data/b");
	EXPECT_EQ(offset(4), "0") << "it was opened later";
}

/* The flags of a description are shared as its position is. */
TEST_F(Position, OfWhatSomebodyElseMayHaveLetAppend)
{
	constexpr uint64_t APPEND = O_RDWR | O_APPEND;

	auto at = [this](uint64_t fd) {
		size_t before = settled();

		d.call(10, 10, "pwrite64", {fd, 0, 8, 700}, 8);
		return begun(before);
	};
	d.fact(FACT_TASK, {20, 20, 1, 0, 0}, {"other", "/bin/other"});
	open(3, "/data/a");
	d.call(20, 20, "pidfd_getfd", {99, 3, 0}, 5);
	open(4, "/data/b");
	EXPECT_EQ(at(3), "700");
	d.call(20, 20, "fcntl", {5, F_SETFL, O_RDWR | O_NONBLOCK}, 0);
	EXPECT_EQ(at(3), "-") << "whether 5 appended before is not known";
	d.call(10, 10, "fcntl", {3, F_SETFL, O_RDWR}, 0);
	EXPECT_EQ(at(3), "700");
	d.call(20, 20, "fcntl", {5, F_SETFL, APPEND}, -EBADF);
	EXPECT_EQ(at(3), "700");
	d.call(20, 20, "fcntl", {5, F_SETFL, APPEND}, 0);
	EXPECT_EQ(at(3), "-");
	EXPECT_EQ(at(4), "700") << "nobody else has it";
	d.call(10, 10, "fcntl", {3, F_SETFL, O_RDWR}, 0);
	EXPECT_EQ(at(3), "700");
	d.call(20, 20, "fcntl", {77, F_SETFL, APPEND}, 0);
	EXPECT_EQ(at(3), "-") << "77 may be the same";
	open(6, "/data/c");
	d.call(20, 20, "pidfd_getfd", {99, 6, 0}, 7);
	EXPECT_EQ(at(6), "700") << "somebody else has it since";
	d.call(20, 20, "fcntl", {77, F_SETFL, APPEND}, 0);
	EXPECT_EQ(at(6), "-");
}

/* What a doubtful descriptor moves is booked on no file, and it may be the same file in another process. */
TEST_F(Position, OfWhatADoubtfulDescriptorMayMove)
{
	open(3, "/data/a");
	d.start_fd(10, 4, "anon_inode:[io_uring]");
	EXPECT_EQ(offset(3), "0");
	d.fork(10, 10, 11, 11);
	d.call(11, 11, "io_uring_enter", {4, 1, 0, 0, 0, 0}, 1);
	d.call(11, 11, "write", {3, 0, 8}, 8);
	EXPECT_EQ(offset(3), "-");
}

TEST_F(Position, OfWhatMovedInALoss)
{
	open(3, "/data/a");
	EXPECT_EQ(offset(3), "0");
	d.fork(10, 10, 11, 11);
	d.lost(1);
	d.fd(10, 3, "/data/a", 1, d.now);
	EXPECT_EQ(offset(3), "-");
	d.call(10, 10, "lseek", {3, 100, SEEK_SET}, 100);
	d.call(11, 11, "write", {3, 0, 8}, 8);
	EXPECT_EQ(offset(3), "-") << "3 of process 11 is still doubtful";
}

/* The requests themselves read and write at the position. */
TEST_F(Position, OfWhatUnrecordedRequestsMayMove)
{
	open(3, "/data/a");
	d.start_fd(10, 4, "anon_inode:[io_uring]");
	EXPECT_EQ(offset(3), "0");
	d.call(10, 10, "io_uring_enter", {4, 1, 0, 0, 0, 0}, 1);
	d.fd(10, 3, "/data/a", 1, d.now);
	EXPECT_EQ(offset(3), "-");
}

TEST_F(Position, OfWhatWasOpenBefore)
{
	d.start_fd(10, 3, "/data/a", O_RDWR, 40);
	EXPECT_EQ(offset(3), "-");
}

/* A child's child is not followed while it is a 32-bit program. */
TEST_F(Position, OfWhatAForeignProgramHas)
{
	open(3, "/data/a");
	d.fork(10, 10, 20, 20);
	d.program(20, true);
	EXPECT_EQ(offset(3), "-");
}

TEST_F(Position, OfWhatAThreadHasThatIsNotWanted)
{
	d.fact(FACT_FILTER, {2}, {"app"});
	open(3, "/data/a");
	d.fork(10, 10, 20, 20);
	d.comm(20, 20, "other", true);
	EXPECT_EQ(offset(3), "-");
	open(4, "/data/b");
	EXPECT_EQ(offset(4), "0");
	d.fork(10, 10, 10, 11);
	open(5, "/data/c");
	EXPECT_EQ(offset(5), "-") << "the other thread may have another name";
}

/* The kernel says where it stands; what the model knows must agree. */
TEST_F(Position, OfACallThatTheKernelPaired)
{
	d.start_fd(10, 3, "/data/a", O_RDWR, 40);
	EXPECT_EQ(paired(3, 48), "40");
	EXPECT_EQ(paired(3, 156), "-") << "somebody else moved it";
	EXPECT_EQ(paired(3, 164), "156");
}

/* The second end is not said by the kernel. */
TEST_F(Position, OfTheSecondEndOfAPairedCopy)
{
	uint64_t begin;

	for (const char *call : {"socket", "pidfd_getfd"}) {
		begin = d.now++;
		d.pair(10, 10, "openat", begin, {CWD, 0, O_RDWR}, 3, {{{3, "/data/a"}}});
		begin = d.now++;
		d.pair(10, 10, "openat", begin, {CWD, 0, O_RDWR}, 4, {{{4, "/data/b"}}});
		begin = d.now++;
		d.pair(10, 10, call, begin, {AF_INET}, 6, {{{6, "socket:[1]"}}});
		size_t before = settled();

		begin = d.now++;
		d.pair(10, 10, "copy_file_range", begin, {3, 0, 4, 0, 10, 0}, 10, {.position = 10});
		EXPECT_EQ(begun(before), strcmp(call, "socket") ? "-" : "0") << call;
		for (uint64_t fd : {3, 4, 6})
			d.call(10, 10, "close", {fd}, 0);
	}
}

/* sendfile() of a file onto itself moves its position once. */
TEST_F(Position, OfAFileThatIsSentOntoItself)
{
	open(3, "/data/a");
	d.call(10, 10, "dup", {3}, 4);
	d.call(10, 10, "sendfile64", {4, 3, 0, 10}, 10);
	EXPECT_EQ(offset(3), "10");
	d.call(10, 10, "sendfile64", {4, 3, 0x1000, 10}, 10);
	EXPECT_EQ(offset(3), "28");
}

/* What openat2() has in memory may be O_TMPFILE, or let the path start elsewhere. */
TEST_F(Position, HasNoNameOfItsTextWhereFlagsAreInMemory)
{
	d.call(10, 10, "openat2", {CWD, 0, 0, 24}, 3, {"/data/a"});
	EXPECT_EQ(offset(3), "-") << "O_APPEND may be there, too";
	EXPECT_EQ(trace_handle(d.trace, 0)->name, 0u);
	EXPECT_EQ(trace_handle(d.trace, 0)->file, ID_NONE);
}

} // namespace
