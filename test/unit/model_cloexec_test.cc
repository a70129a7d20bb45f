/*
 * Descriptors across an exec: which are closed, which are kept, and which nobody can tell.
 */
#include <algorithm>
#include <gtest/gtest.h>

#include "model_driver.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>

namespace
{

/* The model gets the requests of the table on every machine. On ppc64 the headers have others, which decode translates. */
enum request : uint64_t {
#define IOCTL(name, request, ...) REQUEST_##name = request,
#include <iotrace/ioctls.def>
#undef IOCTL
};

/* A process that runs already: pid 10 with one thread. */
class Cloexec : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	void open_named(int fd, const char *name, uint64_t flags)
	{
		d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, flags}, fd);
		d.fd(10, (uint64_t)fd, name, 1, d.now);
	}

	/* The kernel calls the end of every exec that of execve. */
	void exec(const char *name = "execve")
	{
		d.enter(10, 10, name, {});
		d.comm(10, 10, "app", true);
		d.leave(10, 10, "execve", 0);
	}

	/* Writes to a descriptor and returns the name that the operation has, "?" if none. */
	std::string written(uint64_t fd)
	{
		handle_id handle = ID_NONE;

		d.call(10, 10, "write", {fd, 0, 8}, 8);
		d.end();
		for (const io_event &event : d.events)
			if (event.kind == IO_OP_BEGIN)
				handle = event.handle;
		return handle == ID_NONE ? "" : d.path(handle);
	}

	/* The name of what a call made, when it is used after an exec. */
	std::string after_exec(const char *call, std::vector<uint64_t> args)
	{
		d.call(10, 10, call, args, 3);
		d.fd(10, 3, "/data/a", 1, d.now);
		exec();
		return written(3);
	}
};

TEST_F(Cloexec, AnExecveatEndsAsExecveAndClosesWhatIsToBeClosed)
{
	open_named(3, "/data/a", O_RDWR | O_CLOEXEC);
	open_named(4, "/data/b", O_RDWR);
	exec("execveat");
	d.call(10, 10, "write", {3, 0, 8}, 8);
	d.call(10, 10, "write", {4, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 CREATE_HANDLE h1 /data/b\n"
			    "10 DESTROY_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h2 8 @-\n"
			    "10 OP_COMPLETE h2 8\n"
			    "10 OP_BEGIN h1 8 @0\n"
			    "10 OP_COMPLETE h1 8\n");
	EXPECT_EQ(tally_get(&d.tally, orphan_exits), 0u);
	EXPECT_EQ(d.unbalanced(), "");
}

/* Another thread becomes the first one of its process. */
TEST_F(Cloexec, AnExecveatOfAnotherThreadEndsAsExecveToo)
{
	open_named(3, "/data/a", O_RDWR | O_CLOEXEC);
	d.fork(10, 10, 10, 11);
	d.enter(10, 11, "execveat", {});
	d.exit(10, 10);
	d.leave(10, 10, "execve", 0);
	d.end();
	EXPECT_EQ(tally_get(&d.tally, orphan_exits), 0u);
	EXPECT_EQ(tally_get(&d.tally, handles_open), 0u);
}

TEST_F(Cloexec, AnExecveatLeavesTheTableThatItShared)
{
	d.fork(10, 10, 20, 20);
	d.clone_flags(10, 10, CLONE_FILES);
	d.enter(20, 20, "execveat", {});
	d.leave(20, 20, "execve", 0);
	d.call(20, 20, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3);
	d.fd(20, 3, "/data/child", 1, d.now);
	d.call(10, 10, "write", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "20 PROGRAM_BEGIN\n"
			    "20 CREATE_HANDLE h0 /data/child\n"
			    "10 OP_BEGIN h1 8 @-\n"
			    "10 OP_COMPLETE h1 8\n");
	EXPECT_EQ(d.path(1), "?");
}

TEST_F(Cloexec, EachCallHasItsOwnBitOfItsOwnArgument)
{
	struct {
		const char *call;
		std::vector<uint64_t> args;
	} const with[] = {
		{"openat", {(uint64_t)AT_FDCWD, 0, O_CLOEXEC}},
		{"open", {0, O_CLOEXEC}},
		{"open_by_handle_at", {0, 0, O_CLOEXEC}},
		{"socket", {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC}},
		{"accept4", {99, 0, 0, SOCK_CLOEXEC}},
		{"eventfd2", {0, O_CLOEXEC}},
		{"epoll_create1", {O_CLOEXEC}},
		{"memfd_create", {0, MFD_CLOEXEC}},
		{"memfd_secret", {O_CLOEXEC}},
		{"signalfd4", {(uint64_t)-1, 0, 8, O_CLOEXEC}},
		{"timerfd_create", {0, O_CLOEXEC}},
		{"inotify_init1", {O_CLOEXEC}},
		{"fanotify_init", {1}},
		{"userfaultfd", {O_CLOEXEC}},
		{"perf_event_open", {0, 0, 0, (uint64_t)-1, 8}},
		{"pidfd_open", {10}},
		{"pidfd_getfd", {99, 0}},
		{"io_uring_setup", {8}},
		{"fsopen", {0, 1}},
		{"fsmount", {99, 1}},
		{"fspick", {(uint64_t)AT_FDCWD, 0, 1}},
		{"open_tree", {(uint64_t)AT_FDCWD, 0, O_CLOEXEC}},
		{"open_tree_attr", {(uint64_t)AT_FDCWD, 0, O_CLOEXEC}},
	};

	for (const auto &w : with) {
		Cloexec_EachCallHasItsOwnBitOfItsOwnArgument_Test other;

		other.SetUp();
		EXPECT_EQ(other.after_exec(w.call, w.args), "?") << w.call;
		EXPECT_EQ(tally_get(&other.d.tally, doubtful_exec), 0u) << w.call;
		EXPECT_EQ(tally_get(&other.d.tally, handles_destroyed), 1u) << w.call;
	}
	for (const auto &w : with) {
		Cloexec_EachCallHasItsOwnBitOfItsOwnArgument_Test other;

		if (call_row(call_by_name(w.call, strlen(w.call)))->cloexec == CALL_CLOEXEC_ALWAYS)
			continue;
		std::vector<uint64_t> without = w.args;

		without.back() = 0;
		other.SetUp();
		EXPECT_EQ(other.after_exec(w.call, without), "/data/a") << w.call;
	}
}

TEST_F(Cloexec, WhatOpenat2SaysIsNotKnownSoTheNumberIsDoubtful)
{
	EXPECT_EQ(after_exec("openat2", {(uint64_t)AT_FDCWD, 0, 0, 24}), "?");
	EXPECT_EQ(tally_get(&d.tally, doubtful_exec), 1u);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 0u) << "no data was lost";
}

TEST_F(Cloexec, ALookUpMaySayHowOpenat2OpenedIt)
{
	d.call(10, 10, "openat2", {(uint64_t)AT_FDCWD, 0, 0, 24}, 3);
	d.fd(10, 3, "/data/a", 1, d.now, 0, 0100644, O_RDWR | O_CLOEXEC);
	d.call(10, 10, "openat2", {(uint64_t)AT_FDCWD, 0, 0, 24}, 4);
	d.fd(10, 4, "/data/b", 1, d.now, 0, 0100644, O_RDWR);
	exec();
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 1u);
	EXPECT_EQ(written(4), "/data/b");
	EXPECT_EQ(tally_get(&d.tally, doubtful_exec), 0u);
}

TEST_F(Cloexec, WhatFcntlSaidIsSurerThanAnEarlierLookUp)
{
	d.call(10, 10, "openat2", {(uint64_t)AT_FDCWD, 0, 0, 24}, 3);
	uint64_t t0 = d.now++;
	d.call(10, 10, "fcntl", {3, F_SETFD, 0}, 0);
	d.fd(10, 3, "/data/a", 1, t0, 0, 0100644, O_RDWR | O_CLOEXEC);
	exec();
	EXPECT_EQ(written(3), "/data/a");
}

TEST_F(Cloexec, ADoubtfulNumberIsConfirmedByALookUp)
{
	d.call(10, 10, "openat2", {(uint64_t)AT_FDCWD, 0, 0, 24}, 3);
	d.fd(10, 3, "/data/a", 1, d.now);
	exec();
	d.fd(10, 3, "/data/a", 3, d.now);
	d.call(10, 10, "write", {3, 0, 8}, 8);
	d.end();
	EXPECT_EQ(d.text(), "10 CREATE_HANDLE h0 /data/a\n"
			    "10 OP_BEGIN h0 8 @-\n"
			    "10 OP_COMPLETE h0 8\n")
		<< "another program may have moved its position";
}

/* It may be gone since the exec, and another file may have its number. */
TEST_F(Cloexec, ALaterNameIsNotThatOfAReceivedDescriptor)
{
	d.call(10, 10, "recvmsg", {99, 0, MSG_CMSG_CLOEXEC}, 1);
	d.call(10, 10, "write", {5, 0, 8}, 8);
	exec();
	d.fd(10, 5, "socket:[7]", 2, d.now);
	d.call(10, 10, "write", {5, 0, 9}, 9);
	d.end();
	EXPECT_EQ(d.text().find("socket"), std::string::npos) << d.text();
	for (uint32_t i = 0; i < trace_handles(d.trace); i++)
		EXPECT_EQ(d.path(i), "?");
	EXPECT_EQ(tally_get(&d.tally, doubtful_exec), 1u);
}

TEST_F(Cloexec, AProgramOf32BitMayHaveDoneAnythingToWhatItHad)
{
	open_named(3, "/data/a", O_RDWR);
	d.program(10, true);
	d.program(10, false);
	EXPECT_EQ(written(3), "?");
	EXPECT_EQ(tally_get(&d.tally, doubtful_foreign), 1u);
}

/* A thread need not share the descriptors of its process. */
class Apart : public Cloexec
{
      protected:
	void open_named_by(uint32_t tid, uint64_t fd, const char *name)
	{
		d.call(10, tid, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, (int64_t)fd);
		d.fact(FACT_FD,
		       {10, fd, d.now, 0, UINT64_MAX, UINT64_MAX, 1, 2, 0100644, 1, 9, 1, tid},
		       {name});
	}

	void new_thread(uint32_t parent, uint32_t tid, uint64_t flags)
	{
		d.enter(10, parent, "clone", {flags});
		d.fork(10, parent, 10, tid);
		d.leave(10, parent, "clone", tid);
	}
};

TEST_F(Apart, AThreadMadeWithoutCloneFilesHasACopy)
{
	open_named_by(10, 3, "/data/a");
	new_thread(10, 11, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND);
	d.call(10, 11, "close", {3}, 0);
	open_named_by(11, 3, "/data/b");
	EXPECT_EQ(written(3), "/data/a");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Apart, AThreadThatClone3MadeWithoutCloneFilesHasACopyToo)
{
	open_named_by(10, 3, "/data/a");
	d.enter(10, 10, "clone3", {0, 88});
	d.fork(10, 10, 10, 11);
	d.clone_flags(10, 10, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND);
	d.leave(10, 10, "clone3", 11);
	open_named_by(11, 4, "/data/b");
	d.call(10, 11, "close", {3}, 0);
	EXPECT_EQ(written(3), "/data/a");
}

TEST_F(Apart, AThreadSharesTheTableOfItsMakerAndNotThatOfTheProcess)
{
	open_named_by(10, 3, "/data/a");
	new_thread(10, 11, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND);
	new_thread(11, 12, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_FILES);
	d.call(10, 12, "close", {3}, 0);
	open_named_by(11, 3, "/data/b");
	d.exit(10, 11);
	d.call(10, 12, "write", {3, 0, 7}, 7);
	EXPECT_EQ(d.path(d.events.back().kind == IO_LEAVE ? d.events[d.events.size() - 2].handle
							  : ID_NONE),
		  "/data/b");
	d.exit(10, 12);
	EXPECT_EQ(written(3), "/data/a");
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Apart, ALookUpIsOfTheThreadThatOpened)
{
	open_named_by(10, 3, "/data/a");
	new_thread(10, 11, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND);
	d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 4);
	open_named_by(11, 4, "/data/b");
	EXPECT_EQ(written(4), "?");
}

TEST_F(Cloexec, WhatPidfdGetfdTookMayBeAFile)
{
	d.call(10, 10, "pidfd_getfd", {99, 3}, 3);
	exec();
	d.call(10, 10, "pidfd_getfd", {99, 3}, 3);
	EXPECT_EQ(written(3), "?") << "the name of the call is not that of a file";
	EXPECT_NE(d.text().find("8 @-"), std::string::npos) << "nor is its position known";
}

TEST_F(Cloexec, AnIoctlFlagsAndUnflags)
{
	open_named(3, "/data/a", O_RDWR);
	open_named(4, "/data/b", O_RDWR | O_CLOEXEC);
	open_named(5, "/data/c", O_RDWR);
	d.call(10, 10, "ioctl", {3, REQUEST_FIOCLEX}, 0);
	d.call(10, 10, "ioctl", {4, REQUEST_FIONCLEX}, 0);
	d.call(10, 10, "ioctl", {5, REQUEST_FIOCLEX}, -EACCES);
	exec();
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 1u);
	d.call(10, 10, "write", {5, 0, 8}, 8);
	EXPECT_EQ(written(4), "/data/b");
	EXPECT_EQ(tally_get(&d.tally, doubtful_exec), 0u);
}

TEST_F(Cloexec, AnIoctlMakesADescriptorThatIsNotTheFirstOne)
{
	d.call(10, 10, "ioctl", {0, REQUEST_TIOCGPTPEER, O_RDWR | O_CLOEXEC}, 3);
	d.fd(10, 3, "/data/a", 3, d.now);
	d.call(10, 10, "ioctl", {0, REQUEST_TIOCGPTPEER, O_RDWR}, 4);
	d.fd(10, 4, "/data/b", 3, d.now);
	exec();
	EXPECT_EQ(tally_get(&d.tally, handles_destroyed), 1u);
	EXPECT_EQ(written(4), "/data/b");
	EXPECT_EQ(std::count_if(d.events.begin(), d.events.end(),
				[](const io_event &e) {
					return e.kind == IO_CREATE_HANDLE &&
					       (e.create.flags & O_ACCMODE) == O_RDWR;
				}),
		  2)
		<< "as its argument says";
}

TEST_F(Cloexec, AnIoctlOfNoInterestIsNotTold)
{
	open_named(3, "/data/a", O_RDWR);
	size_t before = d.events.size();

	d.call(10, 10, "ioctl", {3, 0x5401}, 0);
	d.call(10, 10, "ioctl", {77, 0x5401}, 5);
	EXPECT_EQ(d.events.size(), before);
	EXPECT_EQ(tally_get(&d.tally, handles_created), 1u);
	EXPECT_EQ(written(3), "/data/a");
}

/* It is told to the supervisor only, not which process it is, nor whether what was there is replaced. */
TEST_F(Cloexec, WhatASupervisorPutsIntoAnotherProcessIsDoubtful)
{
	d.fact(FACT_TASK, {20, 20, 1, 0, 0}, {"supervisor", "/bin/supervisor"});
	open_named(3, "/data/a", O_RDWR);
	open_named(4, "/data/b", O_RDWR);
	d.call(20, 20, "ioctl", {9, REQUEST_SECCOMP_IOCTL_NOTIF_ADDFD, 0}, 3);
	d.call(10, 10, "write", {3, 0, 8}, 8);
	EXPECT_EQ(tally_get(&d.tally, doubtful_put), 1u);
	EXPECT_EQ(written(4), "/data/b");
	EXPECT_EQ(d.text().find("OP_BEGIN h0"), std::string::npos);
}

/* A look-up says what the number led to before; the number itself was not known then. */
TEST_F(Cloexec, ALookUpThatAnExecOrACloseOvertook)
{
	uint64_t t0 = d.now++;

	exec();
	d.fd(10, 3, "/data/a", 2, t0);
	EXPECT_EQ(written(3), "?");
	t0 = d.now++;
	d.call(10, 10, "close_range", {4, 9, 0}, 0);
	d.fd(10, 5, "/data/b", 2, t0);
	EXPECT_EQ(written(5), "?");
	t0 = d.now++;
	d.call(10, 10, "close", {6}, 0);
	d.call(10, 10, "close", {700}, 0);
	d.fd(10, 6, "/data/c", 2, t0);
	d.fd(10, 700, "/data/d", 2, t0);
	EXPECT_EQ(written(6), "?");
	EXPECT_EQ(written(700), "?");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 4u);
}

/* What is closed after an exec may be something else that got the number. */
TEST_F(Cloexec, ACloseOfWhatAnExecMayHaveClosedHasNoHandle)
{
	d.call(10, 10, "recvmsg", {9, 0, 0}, 1);
	d.call(10, 10, "write", {3, 0, 8}, 8);
	exec();
	d.call(10, 10, "close", {3}, 0);
	d.end();
	for (const io_event &event : d.events)
		if (event.kind == IO_ENTER && event.region.id == call_by_name("close", 5))
			EXPECT_EQ(event.handle, ID_NONE);
	EXPECT_EQ(tally_get(&d.tally, doubtful_exec), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

} // namespace
