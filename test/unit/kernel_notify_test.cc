// notify: the word arrives; a reader who is gone costs nothing; what cannot be written to is refused.
#include "command/notify.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iotrace/error.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

class Notify : public testing::Test
{
      protected:
	int end[2] = {-1, -1};
	struct error err = {};

	void SetUp() override
	{
		ASSERT_EQ(pipe(end), 0);
	}

	void TearDown() override
	{
		close(end[0]);
		close(end[1]);
	}
};

TEST_F(Notify, TheWordArrives)
{
	char got[16] = {};

	EXPECT_EQ(notify(end[1], "ready\n", 6), 0);
	EXPECT_EQ(read(end[0], got, sizeof(got)), 6);
	EXPECT_STREQ(got, "ready\n");
}

/* A SIGPIPE would end the test. */
TEST_F(Notify, AReaderWhoIsGone)
{
	sigset_t pending, mask;

	close(end[0]);
	EXPECT_EQ(notify(end[1], "ready\n", 6), -EPIPE);
	sigpending(&pending);
	EXPECT_FALSE(sigismember(&pending, SIGPIPE));
	pthread_sigmask(SIG_SETMASK, nullptr, &mask);
	EXPECT_FALSE(sigismember(&mask, SIGPIPE));
}

TEST_F(Notify, ASignalOfOthersStays)
{
	sigset_t pipe_only, pending;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
	raise(SIGPIPE);
	close(end[0]);
	EXPECT_EQ(notify(end[1], "", 1), -EPIPE);
	sigpending(&pending);
	EXPECT_TRUE(sigismember(&pending, SIGPIPE));
	signal(SIGPIPE, SIG_IGN); /* which takes it away */
	pthread_sigmask(SIG_UNBLOCK, &pipe_only, nullptr);
	signal(SIGPIPE, SIG_DFL);
}

TEST_F(Notify, WhatIsKeptTheCommandHasNot)
{
	EXPECT_EQ(fcntl(end[1], F_GETFD), 0);
	EXPECT_EQ(notify_keep(end[1], &err), 0) << err.text;
	EXPECT_EQ(fcntl(end[1], F_GETFD), FD_CLOEXEC);
}

TEST_F(Notify, WhatCannotBeWrittenToIsRefused)
{
	std::string number = std::to_string(end[0]);

	EXPECT_EQ(notify_keep(end[0], &err), -EBADF);
	EXPECT_EQ(err.text, "descriptor " + number + " is not open for writing");
	EXPECT_EQ(notify_keep(1, &err), -EINVAL);
	EXPECT_STREQ(err.text, "descriptor 1 is one of the command's own streams: use 3 or more");
	close(end[0]);
	EXPECT_EQ(notify_keep(end[0], &err), -EBADF);
	EXPECT_EQ(err.text, "descriptor " + number + " is not open: a shell opens it with " +
				    number + ">FILE");
}

} // namespace
