// opener: it opens events for those who descend from the recorded processes, and for nobody else.
#include "message/message.h"
#include "opener/opener.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

enum : uint32_t { OF_TASK, OF_CPU, OF_GROUP, EVENTS };

/* A child that waits until it is killed, also by the end of this process. */
pid_t waiting(const std::function<void()> &first)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it was killed before */
		_exit(1);
	first();
	for (;;)
		pause();
}

void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, nullptr, 0);
}

uid_t uid_of(pid_t pid)
{
	std::ifstream status("/proc/" + std::to_string(pid) + "/status");
	std::string word;
	uid_t uid = 0;

	while (status >> word && word != "Uid:")
		;
	status >> uid;
	return uid;
}

class Opener : public ::testing::Test
{
      protected:
	struct opener opener;
	struct opener_event event[EVENTS] = {};
	struct error err = {};
	uint32_t root = 0;
	pid_t grandchild = 0;

	/* A root with a child of its own, which it names. */
	void SetUp() override
	{
		int ends[2];

		opener_init(&opener);
		ASSERT_EQ(pipe(ends), 0);
		root = static_cast<uint32_t>(waiting([&] {
			pid_t pid = waiting([] {});

			_exit(write(ends[1], &pid, sizeof(pid)) == sizeof(pid) ? (pause(), 0) : 1);
		}));
		ASSERT_EQ(read(ends[0], &grandchild, sizeof(grandchild)),
			  static_cast<ssize_t>(sizeof(grandchild)));
		close(ends[0]);
		close(ends[1]);
		for (struct opener_event &each : event) {
			each.attr.size = sizeof(each.attr);
			each.attr.type = PERF_TYPE_SOFTWARE;
			each.attr.config = PERF_COUNT_SW_DUMMY;
			each.attr.disabled = 1;
		}
		event[OF_TASK].kind = OPENER_OF_TASK;
		event[OF_CPU].kind = OPENER_OF_CPU;
		event[OF_GROUP].kind = OPENER_OF_CGROUP;
		start(EVENTS);
	}

	void TearDown() override
	{
		opener_close(&opener);
		end(static_cast<pid_t>(root));
	}

	void start(uint32_t events)
	{
		struct opener_table table = {};

		table.event = event;
		table.events = events;
		table.root = &root;
		table.roots = 1;
		opener_close(&opener);
		ASSERT_EQ(opener_start(&opener, &table, &err), 0) << err.text;
	}

	/* Returns 0 if it is opened, as an event, or -errno. */
	int open(uint32_t index, pid_t tid, uint32_t cpu = 0)
	{
		int fd = opener_open(&opener, index, tid, cpu);
		uint64_t id = 0;

		if (fd < 0)
			return fd;
		EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ID, &id), 0);
		EXPECT_NE(id, 0u);
		close(fd);
		return 0;
	}
};

TEST_F(Opener, OpensForARootAndWhoDescendsFromIt)
{
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(open(OF_TASK, static_cast<pid_t>(root)), 0);
		EXPECT_EQ(open(OF_TASK, grandchild), 0);
	}
}

TEST_F(Opener, RefusesWhoDoesNotDescend)
{
	pid_t stranger = waiting([] {});

	EXPECT_EQ(open(OF_TASK, static_cast<pid_t>(root)), 0);
	EXPECT_EQ(open(OF_TASK, stranger), -EPERM);
	EXPECT_EQ(open(OF_TASK, 1), -EPERM);
	EXPECT_EQ(open(OF_TASK, getpid()), -EPERM) << "the parent of the root";
	EXPECT_EQ(open(OF_TASK, opener.pid), -EPERM) << "itself";
	end(stranger);
	EXPECT_EQ(open(OF_TASK, stranger), -ESRCH);
}

/* As a command that joins. Processes of other users are not. */
TEST_F(Opener, OpensForARootThatIsAdded)
{
	pid_t comer = waiting([] {}), foreign = waiting([] {
					      if (setresuid(65534, 65534, 65534))
						      _exit(1);
				      });

	EXPECT_EQ(open(OF_TASK, comer), -EPERM);
	EXPECT_EQ(opener_add_root(&opener, comer), 0);
	EXPECT_EQ(open(OF_TASK, comer), 0);
	while (uid_of(foreign) == getuid())
		sched_yield();
	EXPECT_EQ(opener_add_root(&opener, foreign), -EPERM);
	EXPECT_EQ(open(OF_TASK, foreign), -EPERM);
	EXPECT_EQ(opener_add_root(&opener, 0), -EPERM);
	EXPECT_EQ(opener_add_root(&opener, -1), -EPERM);
	end(comer);
	end(foreign);
	EXPECT_NE(opener_add_root(&opener, comer), 0) << "it has ended";
}

/* For perf_event_open() 0 is the caller, and -1 is everybody. */
TEST_F(Opener, RefusesNumbersThatAreNoThread)
{
	EXPECT_EQ(open(OF_TASK, 0), -EPERM);
	EXPECT_EQ(open(OF_TASK, -1), -EPERM);
	EXPECT_EQ(open(OF_TASK, INT32_MIN), -EPERM);
}

TEST_F(Opener, RefusesWhatIsNotInTheTable)
{
	EXPECT_EQ(open(EVENTS, static_cast<pid_t>(root)), -EINVAL);
	EXPECT_EQ(open(UINT32_MAX, static_cast<pid_t>(root)), -EINVAL);
	EXPECT_EQ(open(OF_TASK, static_cast<pid_t>(root), UINT32_MAX), -EINVAL);
	EXPECT_EQ(open(OF_GROUP, 0), -EINVAL) << "there is no control group";
	EXPECT_EQ(open(OF_GROUP, -1), -EINVAL);
	start(1);
	EXPECT_EQ(open(OF_CPU, -1), -EINVAL);
}

/* The number of the thread means nothing there. */
TEST_F(Opener, OpensEventsOfACpuIfTheTableHasThem)
{
	EXPECT_EQ(open(OF_CPU, -1), 0);
	EXPECT_EQ(open(OF_CPU, 1), 0);
	EXPECT_EQ(open(OF_CPU, -1, 9999), -EINVAL) << "there is no such CPU";
}

/* The number of a root that has ended may be somebody else's. */
TEST_F(Opener, ARootThatHasEndedIsNone)
{
	kill(static_cast<pid_t>(root), SIGKILL);
	siginfo_t info;

	ASSERT_EQ(waitid(P_PID, root, &info, WEXITED | WNOWAIT), 0);
	EXPECT_NE(open(OF_TASK, static_cast<pid_t>(root)), 0) << "it waits for its parent";
}

TEST_F(Opener, EndsAtAMessageThatIsNone)
{
	const char bytes[] = "0123456789abcdef";

	ASSERT_EQ(message_send(opener.socket, bytes, sizeof(bytes), -1), 0);
	EXPECT_LT(open(OF_TASK, static_cast<pid_t>(root)), 0);
	int status;

	EXPECT_EQ(waitpid(opener.pid, &status, 0), opener.pid);
	EXPECT_EQ(status, 0);
}

/* It has no files of the recorder, one capability at most of those that matter, and a filter. */
TEST_F(Opener, HasNothingThatItDoesNotNeed)
{
	ASSERT_EQ(open(OF_TASK, static_cast<pid_t>(root)), 0); /* it is ready */
	std::string of = "/proc/" + std::to_string(opener.pid), line, capabilities, mode;
	std::ifstream status(of + "/status");

	while (std::getline(status, line)) {
		if (line.rfind("CapPrm:", 0) == 0)
			capabilities = line.substr(8);
		if (line.rfind("Seccomp:", 0) == 0)
			mode = line.substr(9);
	}
	EXPECT_EQ(std::stoull(capabilities, nullptr, 16) &
			  ~(UINT64_C(1) << 38 | UINT64_C(1) << 21 | UINT64_C(1) << 19),
		  0u);
	EXPECT_EQ(mode, "2");
	for (int fd = 0; fd < 3; fd++) {
		std::string link = of + "/fd/" + std::to_string(fd);
		char target[256];
		ssize_t n = readlink(link.c_str(), target, sizeof(target));

		EXPECT_TRUE(n < 0 ||
			    std::string(target, static_cast<size_t>(n))
					    .rfind("anon_inode:[pidfd]", 0) == 0 ||
			    std::string(target, static_cast<size_t>(n)).rfind("pidfd:", 0) == 0)
			<< link;
	}
}

} // namespace
