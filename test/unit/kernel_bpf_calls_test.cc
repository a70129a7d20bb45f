/*
 * The table that the BPF programs get, against syscalls.def: every call of the chosen groups, with what its row says.
 */
#include "load/bpf_calls.h"

#include <cstring>
#include <gtest/gtest.h>
#include <iotrace/syscall.h>
#include <string>
#include <vector>

namespace
{

class BpfCalls : public ::testing::Test
{
      protected:
	struct bpf_call_role role[BPF_CALLS];

	const struct bpf_call_role &of(const char *name)
	{
		call_id id = call_by_name(name, strlen(name));

		EXPECT_NE(id, CALL_ID_NONE) << name;
		EXPECT_GE(call_row(id)->number, 0) << name;
		return role[call_row(id)->number];
	}

	/* Those of them that this machine has. */
	static std::vector<const char *> those(std::vector<const char *> names)
	{
		std::vector<const char *> there;

		for (const char *name : names)
			if (call_row(call_by_name(name, strlen(name)))->number >= 0)
				there.push_back(name);
		return there;
	}

	void SetUp() override
	{
		bpf_calls_fill(role, ~0U);
	}
};

TEST_F(BpfCalls, EveryCallOfTheTableIsChosenAndNoOther)
{
	uint32_t chosen = 0, calls = 0;

	for (uint32_t number = 0; number < BPF_CALLS; number++) {
		chosen += role[number].flags != 0;
		EXPECT_EQ(role[number].flags != 0,
			  call_by_number(static_cast<long>(number)) != CALL_ID_NONE)
			<< number;
	}
	for (uint32_t id = 0; id < call_count(); id++)
		calls += call_row(static_cast<call_id>(id))->number >= 0;
	EXPECT_EQ(chosen, calls);
}

TEST_F(BpfCalls, GroupsAreLeftOutButForThoseThatAllRestOn)
{
	bpf_calls_fill(role, 1U << GROUP_SYNC);
	EXPECT_EQ(of("read").flags, 0);
	EXPECT_EQ(of("newfstat").flags, 0);
	EXPECT_NE(of("fsync").flags, 0);
	EXPECT_NE(of("close").flags, 0);
	EXPECT_NE(of("openat").flags, 0);
	EXPECT_NE(of("chdir").flags, 0);
	EXPECT_NE(of("execve").flags, 0);
	EXPECT_NE(of("clone").flags, 0);
}

TEST_F(BpfCalls, WhatTakesEffectAtOnceHasARecordForItsBegin)
{
	const uint32_t both = BPF_CALL_OWN_BEGIN | BPF_CALL_CLOSES;

	for (const char *name :
	     those({"execve", "execveat", "clone", "clone3", "fork", "vfork", "unshare"}))
		EXPECT_EQ(of(name).flags & both, uint32_t(BPF_CALL_OWN_BEGIN)) << name;
	for (const char *name : those({"close", "close_range", "dup2", "dup3"}))
		EXPECT_EQ(of(name).flags & both, uint32_t(BPF_CALL_CLOSES)) << name;
	for (const char *name :
	     those({"read", "openat", "dup", "fcntl", "pipe2", "unlink", "chdir"}))
		EXPECT_EQ(of(name).flags & both, 0u) << name;
	EXPECT_TRUE(of("execve").flags & BPF_CALL_EXEC);
	EXPECT_FALSE(of("close").flags & BPF_CALL_EXEC);
}

TEST_F(BpfCalls, WhatOthersRestOnIsToldOfTasksWithAnyName)
{
	for (const char *name :
	     those({"openat", "close", "dup2", "fcntl", "chdir", "clone3", "execve"}))
		EXPECT_TRUE(of(name).flags & BPF_CALL_ALWAYS) << name;
	for (const char *name : those({"read", "fsync", "unlink", "getdents64", "accept4"}))
		EXPECT_FALSE(of(name).flags & BPF_CALL_ALWAYS) << name;
}

TEST_F(BpfCalls, PathsAndDescriptorsStandWhereTheRowSays)
{
	EXPECT_TRUE(of("openat").flags & BPF_CALL_PATHS);
	EXPECT_TRUE(of("openat").flags & BPF_CALL_MAKES_FD);
	EXPECT_EQ(of("openat").path[0], 1);
	EXPECT_EQ(of("openat").path[1], -1);
	EXPECT_EQ(of("renameat").path[0], 1);
	EXPECT_EQ(of("renameat").path[1], 3);
	EXPECT_EQ(of("symlinkat").path[0], 2);
	EXPECT_FALSE(of("fsync").flags & BPF_CALL_PATHS);
	EXPECT_TRUE(of("accept4").flags & BPF_CALL_MAKES_FD);
	EXPECT_EQ(of("pipe2").flags, BPF_CALL_CHOSEN | BPF_CALL_ALWAYS | BPF_CALL_MAKES_PAIR);
	EXPECT_EQ(of("pipe2").pair, 0);
	EXPECT_EQ(of("socketpair").pair, 3);
	for (const char *name : {"chdir", "fchdir", "pivot_root", "setns"})
		EXPECT_TRUE(of(name).flags & BPF_CALL_MOVES_DIRECTORY) << name;
}

TEST_F(BpfCalls, ThePositionIsWantedOfCallsThatMoveIt)
{
	EXPECT_TRUE(of("read").flags & BPF_CALL_MOVES);
	EXPECT_TRUE(of("writev").flags & BPF_CALL_MOVES);
	EXPECT_EQ(of("read").fd, 0);
	EXPECT_FALSE(of("pread64").flags & BPF_CALL_MOVES);
	EXPECT_FALSE(of("lseek").flags & BPF_CALL_MOVES); /* it returns it */
	EXPECT_FALSE(of("fsync").flags & BPF_CALL_MOVES);
}

TEST_F(BpfCalls, NoArgumentIsBeyondTheLast)
{
	for (const struct bpf_call_role &r : role) {
		for (int argument : {+r.fd, +r.path[0], +r.path[1], +r.pair})
			EXPECT_TRUE(!r.flags || (argument >= -1 && argument < 6));
		EXPECT_TRUE(!(r.flags & BPF_CALL_MOVES) || r.fd >= 0);
		EXPECT_TRUE(!(r.flags & BPF_CALL_MAKES_PAIR) || r.pair >= 0);
	}
}

/* What is added while the programs run is what would have been there from the begin. */
TEST_F(BpfCalls, GroupsThatAreAddedLaterAreTheSame)
{
	struct bpf_call_role all[BPF_CALLS];
	const uint32_t first = 1U << GROUP_DATA, more = 1U << GROUP_META | 1U << GROUP_MAP;

	bpf_calls_fill(all, first | more);
	bpf_calls_fill(role, first);
	EXPECT_NE(memcmp(role, all, sizeof(role)), 0);
	bpf_calls_add(role, more);
	EXPECT_EQ(memcmp(role, all, sizeof(role)), 0);
	bpf_calls_add(role, more | first);
	EXPECT_EQ(memcmp(role, all, sizeof(role)), 0);
}

} // namespace
