/*
 * What a call that failed had named: its LEAVE has the path, and there is no file.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

namespace
{

constexpr uint64_t CWD = (uint64_t)AT_FDCWD;

class Failed : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	}

	/* A call that the kernel paired; `start` is where its relative path starts. */
	void pair(const char *name, std::vector<uint64_t> args, int64_t result, const char *path,
		  const char *start = "")
	{
		uint64_t begin = d.now++;

		d.start = start;
		d.pair(10, 10, name, begin, args, result, {{}, EVENT_POSITION_UNKNOWN, {path}});
	}

	std::string ended()
	{
		d.end();
		EXPECT_EQ(d.unbalanced(), "");
		EXPECT_EQ(trace_files(d.trace), 0u);
		return d.text();
	}
};

TEST_F(Failed, NamesItsPath)
{
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/missing");
	pair("statx", {CWD}, -EACCES, "/home/./me//x", "/tmp");
	pair("mkdir", {0}, -EEXIST, "new", "/srv");
	pair("unlink", {0}, -ENOENT, "new", "/");
	EXPECT_EQ(ended(), "10 LEAVE openat errno 2 /missing\n"
			   "10 LEAVE statx errno 13 /home/me/x\n"
			   "10 LEAVE mkdir errno 17 /srv/new\n"
			   "10 LEAVE unlink errno 2 /new\n");
}

/* The component before ".." may be a symbolic link, so the path cannot be shortened. */
TEST_F(Failed, KeepsAPathThatCannotBeResolved)
{
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/usr/lib/../x");
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "a/../x", "/home");
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "a/../x", "/");
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "a/x");
	EXPECT_EQ(ended(), "10 LEAVE openat errno 2 /usr/lib/../x\n"
			   "10 LEAVE openat errno 2 /home/a/../x\n"
			   "10 LEAVE openat errno 2 /a/../x\n"
			   "10 LEAVE openat errno 2 a/x\n");
}

TEST_F(Failed, ADescriptorHasNoPath)
{
	d.call(10, 10, "close", {9}, -EBADF);
	pair("newfstatat", {9}, -EBADF, "");
	EXPECT_EQ(ended(), "10 LEAVE close errno 9\n"
			   "10 LEAVE newfstatat errno 9\n");
}

TEST_F(Failed, WhatSucceedsHasNone)
{
	pair("access", {0}, 0, "a/../x");
	EXPECT_EQ(ended(), "");
	EXPECT_EQ(strtab_count(trace_strings(d.trace)),
		  call_count() + 2); /* "", the name of the task, and those of the calls */
}

/* The way of an exec, and of perf: the path comes before the result. */
TEST_F(Failed, InTwoSteps)
{
	d.call(10, 10, "execve", {0}, -ENOENT, {"/bin/none"});
	d.enter(10, 10, "statx", {CWD});
	d.fact(FACT_PATH, {10, 10, d.now, 0, (uint64_t)call_by_name("statx", 5), 0},
	       {"a/../none", "/home"});
	d.leave(10, 10, "statx", -ENOENT);
	EXPECT_EQ(ended(), "10 LEAVE execve errno 2 /bin/none\n"
			   "10 LEAVE statx errno 2 /home/a/../none\n");
}

/* Another thread may have changed the directory while the call was in flight. */
TEST_F(Failed, ADirectoryThatMovedIsNotBelieved)
{
	uint64_t number = (uint64_t)call_by_name("statx", 5);

	d.fact(FACT_TASK, {11, 10, 1, 0, 0}, {"app", "/bin/app"});
	d.enter(10, 10, "statx", {CWD});
	d.enter(10, 11, "chdir", {0}, {"/tmp"});
	d.fact(FACT_PATH, {10, 10, d.now, 0, number, 0}, {"a/../none", "/home"});
	d.leave(10, 11, "chdir", -EACCES);
	d.leave(10, 10, "statx", -ENOENT);
	EXPECT_EQ(ended(), "11 LEAVE chdir errno 13 /tmp\n"
			   "10 LEAVE statx errno 2\n");
}

TEST_F(Failed, IsKeptIfItsPathMatches)
{
	d.fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/data/none");
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/etc/none");
	d.call(10, 10, "close", {9}, -EBADF);
	EXPECT_EQ(ended(), "10 LEAVE openat errno 2 /data/none\n");
	EXPECT_EQ(d.tally.n[TALLY_records_excluded], 4u);
}

TEST_F(Failed, IsLeftOutIfItsPathIs)
{
	d.fact(FACT_FILTER, {FILTER_PATH_EXCLUDED}, {"/etc/*"});
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/data/none");
	pair("openat", {CWD, 0, O_RDONLY}, -ENOENT, "/etc/none");
	EXPECT_EQ(ended(), "10 LEAVE openat errno 2 /data/none\n");
	EXPECT_EQ(d.tally.n[TALLY_records_excluded], 2u);
}

} // namespace
