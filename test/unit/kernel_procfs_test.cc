// procfs: saved trees of /proc, with the names and the half-written files that real ones have.
#include "proc/procfs.h"
#include "test_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iotrace/error.h>
#include <string>
#include <sys/sysmacros.h>
#include <vector>

#include <gtest/gtest.h>

namespace
{

class Procfs : public testing::Test
{
      protected:
	struct procfs proc = {-1};
	char text[256] = "";

	void SetUp() override
	{
		struct error err = {};

		ASSERT_EQ(procfs_open(&proc, test_source("proc/linux-6.18").c_str(), &err), 0)
			<< err.text;
	}

	void TearDown() override
	{
		procfs_close(&proc);
		EXPECT_EQ(proc.root, -1);
		procfs_close(&proc);
	}
};

TEST_F(Procfs, OpenSaysWhich)
{
	struct procfs none;
	struct error err = {};

	EXPECT_EQ(procfs_open(&none, "/nowhere/proc", &err), -ENOENT);
	EXPECT_STREQ(err.text, "cannot open /nowhere/proc: No such file or directory");
}

TEST_F(Procfs, NameWithParenthesesAndNewline)
{
	struct procfs_task task;

	ASSERT_EQ(procfs_task(&proc, 42, 42, &task), 0);
	EXPECT_STREQ(task.comm, "a) b (\nc");
	EXPECT_EQ(task.ppid, 7u);
	EXPECT_EQ(task.start_time, 123456u);
}

TEST_F(Procfs, UsersOfAProcess)
{
	const uint32_t some[] = {7, 1000}, others[] = {0, 1001};

	EXPECT_TRUE(procfs_is_of(&proc, 42, some, 2)) << "the real id";
	EXPECT_FALSE(procfs_is_of(&proc, 42, others, 2)) << "not the effective one";
	EXPECT_FALSE(procfs_is_of(&proc, 42, some, 0));
	EXPECT_FALSE(procfs_is_of(&proc, 43, some, 2)) << "it is gone";
}

TEST_F(Procfs, OneThatWaitsForItsParentHasEnded)
{
	struct procfs_task task;

	ASSERT_EQ(procfs_task(&proc, 42, 42, &task), 0);
	EXPECT_FALSE(task.has_ended);
	ASSERT_EQ(procfs_task(&proc, 42, 46, &task), 0);
	EXPECT_TRUE(task.has_ended);
}

TEST_F(Procfs, TornStatIsRefused)
{
	struct procfs_task task;

	EXPECT_EQ(procfs_task(&proc, 42, 43, &task), -EBADMSG);
	EXPECT_EQ(procfs_task(&proc, 42, 44, &task), -EBADMSG)
		<< "the parentheses the wrong way round";
	EXPECT_EQ(procfs_task(&proc, 42, 45, &task), -ENOENT);
}

TEST_F(Procfs, ReadCutsAndTerminates)
{
	char small[5];

	memset(small, 'x', sizeof(small));
	EXPECT_EQ(procfs_read(&proc, small, sizeof(small), "%u/fdinfo/3", 42), 4);
	EXPECT_STREQ(small, "pos:");
	EXPECT_EQ(procfs_read(&proc, small, sizeof(small), "41/stat"), -ENOENT);
	EXPECT_STREQ(small, "");
}

TEST_F(Procfs, LinkCutsAndTerminates)
{
	char small[5];

	EXPECT_EQ(procfs_link(&proc, text, sizeof(text), "42/fd/3"), 12);
	EXPECT_STREQ(text, "/data/in put");
	memset(small, 'x', sizeof(small));
	EXPECT_EQ(procfs_link(&proc, small, sizeof(small), "42/fd/3"), 4);
	EXPECT_STREQ(small, "/dat");
	EXPECT_EQ(procfs_link(&proc, text, sizeof(text), "42/fd/9"), -ENOENT);
	EXPECT_STREQ(text, "");
}

TEST_F(Procfs, ListIsSortedAndBounded)
{
	struct number_list numbers = {};

	ASSERT_EQ(procfs_list(&proc, &numbers, 100, "%u/fd", 42), 0);
	EXPECT_EQ(std::vector<uint32_t>(numbers.item, numbers.item + numbers.count),
		  (std::vector<uint32_t>{3, 4, 10}));
	ASSERT_EQ(procfs_list(&proc, &numbers, 2, "%u/fd", 42), 0);
	EXPECT_EQ(numbers.count, 2u);
	EXPECT_EQ(procfs_list(&proc, &numbers, 2, "%u/fd", 43), -ENOENT);
	EXPECT_EQ(numbers.count, 0u);
	ASSERT_EQ(procfs_list(&proc, &numbers, 9, "%u", 42), 0);
	EXPECT_EQ(numbers.count, 0u) << "\"fd\" and \"mountinfo\" are no numbers";
	number_list_release(&numbers);
}

TEST_F(Procfs, Fdinfo)
{
	struct procfs_fdinfo info;

	ASSERT_EQ(procfs_fdinfo(&proc, 42, 3, &info), 0);
	EXPECT_EQ(info.pos, 4096u);
	EXPECT_EQ(info.flags, uint64_t(O_CLOEXEC | O_RDWR)) << "O_LARGEFILE is the kernel's";
	EXPECT_EQ(info.mnt_id, 29u);
	ASSERT_EQ(procfs_fdinfo(&proc, 42, 4, &info), 0);
	EXPECT_EQ(info.flags, 1u);
	EXPECT_EQ(info.pos, UINT64_MAX);
	EXPECT_EQ(procfs_fdinfo(&proc, 42, 5, &info), -ENOENT);
	EXPECT_EQ(info.flags, UINT64_MAX);
}

struct Mount {
	uint64_t mnt_id, dev;
	std::string point, source, type;
};

void add(void *context, const struct procfs_mount *mount)
{
	((std::vector<Mount> *)context)
		->push_back({mount->mnt_id, mount->dev, mount->mount_point, mount->source,
			     mount->type});
}

TEST_F(Procfs, MountsAreUnescapedAndBrokenLinesSkipped)
{
	std::vector<Mount> mounts;

	ASSERT_EQ(procfs_mounts(&proc, 42, add, &mounts), 0);
	ASSERT_EQ(mounts.size(), 3u);
	EXPECT_EQ(mounts[0].mnt_id, 29u);
	EXPECT_EQ(mounts[0].dev, makedev(254, 0));
	EXPECT_EQ(mounts[1].point, "/mnt/a b\\c");
	EXPECT_EQ(mounts[2].type, "nfs4");
	EXPECT_EQ(mounts[2].source, "server:/home");
	EXPECT_EQ(procfs_mounts(&proc, 43, add, &mounts), -ENOENT);
}

TEST_F(Procfs, ClassOfAProgram)
{
	EXPECT_TRUE(procfs_is_foreign(&proc, 42));
	EXPECT_FALSE(procfs_is_foreign(&proc, 43));
}

} // namespace
