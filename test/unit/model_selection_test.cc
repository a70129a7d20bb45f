/*
 * Selections: each command of a recording that several joined has its own --path, --comm and --syscalls, and so have the processes that
 * descend from it.
 */
#include "model_driver.h"

#include <gtest/gtest.h>

namespace
{

const uint64_t FIRST = 0, SECOND = 1; /* selections */

class Selection : public ::testing::Test
{
      protected:
	ModelDriver d;

	Selection()
	{
		d.fact(FACT_HOST, {1, 4096, 4, 1, 100, 0, 0, 0, 0, 1},
		       {"host", "6.1", "x86_64", "1"});
	}

	void filter(enum fact_filter kind, const char *glob, uint64_t selection)
	{
		d.fact(FACT_FILTER, {kind, selection}, {glob});
	}

	void groups(uint32_t groups, uint64_t selection)
	{
		d.fact(FACT_FILTER, {FILTER_GROUPS, selection, groups | CALL_GROUPS_ALWAYS});
	}

	void command(uint32_t pid, uint64_t selection, const char *name = "app")
	{
		d.fact(FACT_COMMAND, {pid, 0, 0, 0, 0, selection}, {name, "/", ""});
		d.comm(pid, pid, name, true);
	}

	void read(uint32_t pid, uint64_t fd, uint64_t bytes)
	{
		d.pair(pid, pid, "read", d.now++, {fd, 0, bytes}, int64_t(bytes));
	}

	void open(uint32_t pid, const char *path, int fd)
	{
		d.pair(pid, pid, "openat", d.now++, {uint64_t(AT_FDCWD), 0, O_RDONLY}, fd,
		       {.made = {{.fd = fd, .name = path}}, .paths = {path}});
	}

	size_t count(const char *text) const
	{
		const std::string all = d.text(false);
		size_t n = 0;

		for (size_t at = all.find(text); at != std::string::npos;
		     at = all.find(text, at + 1))
			n++;
		return n;
	}
};

TEST_F(Selection, EachCommandHasItsOwnPaths)
{
	filter(FILTER_PATH_INCLUDED, "/one/*", FIRST);
	command(7, FIRST);
	groups(~0U, SECOND);
	filter(FILTER_PATH_INCLUDED, "/two/*", SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		open(pid, "/one/a", 3);
		open(pid, "/two/b", 4);
		read(pid, 3, pid * 10);
		read(pid, 4, pid * 100);
	}
	d.end();
	EXPECT_EQ(count("7 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_NE(d.text(false).find(" 70\n"), std::string::npos) << d.text(false);
	EXPECT_EQ(count("8 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_NE(d.text(false).find(" 800\n"), std::string::npos) << d.text(false);
	EXPECT_EQ(trace_handles(d.trace), 2u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Selection, ACommandWithoutPathsHasAll)
{
	filter(FILTER_PATH_INCLUDED, "/one/*", FIRST);
	command(7, FIRST);
	groups(~0U, SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		open(pid, "/two/b", 4);
		read(pid, 4, pid);
	}
	d.end();
	EXPECT_EQ(count("7 "), 0u) << d.text(false);
	EXPECT_EQ(count("8 OP_COMPLETE"), 1u) << d.text(false);
	ASSERT_EQ(trace_threads(d.trace), 2u);
	EXPECT_EQ(trace_handles(d.trace), 1u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Selection, OnlyThePathsOfASecondCommandFilter)
{
	command(7, FIRST);
	groups(~0U, SECOND);
	filter(FILTER_PATH_EXCLUDED, "/two/*", SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		open(pid, "/two/b", 4);
		read(pid, 4, pid);
	}
	d.end();
	EXPECT_EQ(count("7 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_EQ(count("8 OP_COMPLETE"), 0u) << d.text(false);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Selection, ChildrenHaveThatOfTheirParent)
{
	command(7, FIRST);
	groups(~0U, SECOND);
	filter(FILTER_PATH_INCLUDED, "/two/*", SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		d.fork(pid, pid, pid + 10, pid + 10);
		open(pid + 10, "/one/a", 3);
		read(pid + 10, 3, pid);
	}
	d.end();
	EXPECT_EQ(count("17 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_EQ(count("18 OP_COMPLETE"), 0u) << d.text(false);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Selection, EachCommandHasItsOwnGroups)
{
	groups(1U << GROUP_DATA, FIRST);
	command(7, FIRST);
	groups(1U << GROUP_META, SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		open(pid, "/data/a", 3);
		read(pid, 3, 10);
		d.pair(pid, pid, "fchmod", d.now++, {3, 0600}, 0);
	}
	d.end();
	EXPECT_EQ(count("7 ENTER read"), 1u) << d.text(false);
	EXPECT_EQ(count("7 ENTER fchmod"), 0u) << d.text(false);
	EXPECT_EQ(count("8 ENTER read"), 0u) << d.text(false);
	EXPECT_EQ(count("8 ENTER fchmod"), 1u) << d.text(false);
	EXPECT_EQ(count("ENTER openat"), 2u) << "always recorded";
	EXPECT_EQ(d.tally.n[TALLY_unchosen], 2u);
	EXPECT_EQ(d.tally.n[TALLY_calls], 4u);
	EXPECT_EQ(d.tally.n[TALLY_orphan_exits], 0u);
	EXPECT_EQ(d.unbalanced(), "");
}

TEST_F(Selection, GroupsHoldForCallsThatTheKernelDidNotPair)
{
	groups(1U << GROUP_DATA, FIRST);
	command(7, FIRST);
	groups(1U << GROUP_META, SECOND);
	command(8, SECOND);
	for (uint32_t pid : {7, 8}) {
		d.call(pid, pid, "read", {0, 0, 10}, 10);
		d.call(pid, pid, "fchmod", {0, 0600}, 0);
	}
	d.end();
	EXPECT_EQ(count("7 ENTER read"), 1u) << d.text(false);
	EXPECT_EQ(count("8 ENTER fchmod"), 1u) << d.text(false);
	EXPECT_EQ(count("ENTER "), 2u) << d.text(false);
	EXPECT_EQ(d.tally.n[TALLY_orphan_exits], 0u);
	EXPECT_EQ(d.unbalanced(), "");
}

/* From the second command on, the kernel records more than each of them wants. */
TEST_F(Selection, EachCommandHasItsOwnNames)
{
	filter(FILTER_COMM, "dd", FIRST);
	command(7, FIRST, "sh");
	groups(~0U, SECOND);
	filter(FILTER_COMM, "cat", SECOND);
	command(8, SECOND, "sh");
	for (uint32_t pid : {7, 8}) {
		for (const char *name : {"dd", "cat"}) {
			d.fork(pid, pid, pid + 10, pid + 10);
			d.comm(pid + 10, pid + 10, name, true);
			open(pid + 10, "/data/a", 3);
			read(pid + 10, 3, *name == 'd' ? 1 : 2);
			d.exit(pid + 10, pid + 10);
		}
		read(pid, 0, 3);
	}
	d.end();
	EXPECT_EQ(count("17 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_EQ(count("18 OP_COMPLETE"), 1u) << d.text(false);
	EXPECT_EQ(count("OP_COMPLETE h0 1\n"), 1u) << d.text(false);
	EXPECT_EQ(count("OP_COMPLETE h1 2\n"), 1u) << d.text(false);
	EXPECT_EQ(count("OP_COMPLETE"), 2u) << d.text(false);
	EXPECT_EQ(d.unbalanced(), "");
}

/* What the kernel said of a task before it stopped comparing names is no answer any more. */
TEST_F(Selection, NamesCountAsSoonAsTheKernelStopsComparingThem)
{
	auto read_as = [&](enum event_choice choice) {
		struct event e = d.base(EVENT_CALL, 7, 7);

		e.pair = {};
		e.pair.call = call_by_name("read", 4);
		e.pair.begin = d.now++;
		e.pair.arg[0] = 0;
		e.pair.result = 5;
		e.pair.position = EVENT_POSITION_UNKNOWN;
		for (event_file &file : e.pair.file)
			file.fd = -1;
		e.time = d.now++;
		e.choice = choice;
		model_event(d.model, &e);
	};

	filter(FILTER_COMM, "dd", FIRST);
	command(7, FIRST, "dd");
	read_as(CHOICE_IN);
	groups(~0U, SECOND);
	command(8, SECOND, "cat");
	read_as(CHOICE_UNKNOWN);
	d.comm(7, 7, "sh", false);
	read_as(CHOICE_UNKNOWN);
	d.end();
	EXPECT_EQ(count("7 OP_COMPLETE"), 2u) << d.text(false);
}

/* All commands have the same names then, and the kernel goes on to compare users. */
TEST_F(Selection, WithUsersTheKernelDecides)
{
	filter(FILTER_USER, "1000", FIRST);
	d.fact(FACT_SOURCE, {TRACE_SOURCE_BPF}, {""});
	command(7, FIRST);
	groups(~0U, SECOND);
	filter(FILTER_PATH_INCLUDED, "/two/*", SECOND);
	command(8, SECOND);
	for (enum event_choice choice : {CHOICE_OUT, CHOICE_IN}) {
		struct event e = d.base(EVENT_CALL, 7, 7);

		e.pair = {};
		e.pair.call = call_by_name("close", 5);
		e.pair.begin = d.now++;
		e.pair.arg[0] = 99;
		e.pair.result = -EBADF;
		for (event_file &file : e.pair.file)
			file.fd = -1;
		e.time = d.now++;
		e.choice = choice;
		model_event(d.model, &e);
	}
	d.end();
	EXPECT_EQ(count("7 ENTER close"), 1u) << d.text(false);
}

TEST_F(Selection, OneThatASelectionIsNotSaidOfHasTheFirst)
{
	filter(FILTER_PATH_INCLUDED, "/one/*", FIRST);
	command(7, FIRST);
	command(8, 4711);
	open(8, "/two/b", 4);
	read(8, 4, 8);
	open(8, "/one/b", 5);
	read(8, 5, 9);
	d.end();
	EXPECT_EQ(count("8 OP_COMPLETE"), 1u) << d.text(false);
}

/* Beyond so many threads they share locations: those of different selections do not. */
TEST_F(Selection, ThreadsOfTwoSelectionsShareNoLocation)
{
	command(7, FIRST);
	groups(~0U, SECOND);
	filter(FILTER_PATH_INCLUDED, "/two/*", SECOND);
	command(8, SECOND);
	for (uint32_t i = 0; i < 1200; i++) {
		uint32_t parent = 7 + i % 2, child = 100 + i;

		d.fork(parent, parent, child, child);
		open(child, "/one/a", 3);
		read(child, 3, 1000 + i % 2);
		open(child, "/two/b", 4);
		read(child, 4, 2000 + i % 2);
		d.exit(child, child);
	}
	d.end();
	EXPECT_EQ(count(" 1000\n"), 600u);
	EXPECT_EQ(count(" 1001\n"), 0u);
	EXPECT_EQ(count(" 2000\n"), 600u);
	EXPECT_EQ(count(" 2001\n"), 600u);
	EXPECT_EQ(d.unbalanced(), "");
}

} // namespace
