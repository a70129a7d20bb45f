// Names of file systems and block devices by device, from saved trees of /proc and /sys.
#include "scratch_dir.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

extern "C" {
#include <iotrace/error.h>
#include <iotrace/mount_names.h>
}

namespace
{

constexpr uint32_t device(uint32_t major, uint32_t minor)
{
	return major << 20 | minor;
}

class MountNames : public testing::Test
{
      protected:
	MountNames()
	{
		std::filesystem::create_directories(scratch.path("sys/dev/block"));
		std::filesystem::create_symlink("../../devices/pci/block/sda/sda1",
						scratch.path("sys/dev/block/8:1"));
	}
	~MountNames() override
	{
		mount_names_close(names);
	}

	void mounts_of(const std::string &process, const std::string &text)
	{
		std::filesystem::create_directories(scratch.path("proc/" + process));
		std::ofstream(scratch.path("proc/" + process + "/mountinfo")) << text;
	}
	void open()
	{
		names = mount_names_open(scratch.path("proc").c_str(), scratch.path("sys").c_str(),
					 &err);
		ASSERT_TRUE(names) << err.text;
	}
	std::string point(uint32_t of)
	{
		const char *text = mount_names_point(names, of);
		return text ? text : "(none)";
	}
	std::string name(uint32_t of, size_t size = 64)
	{
		std::string text(size, 'x');
		mount_names_device(names, of, text.data(), size);
		return text.c_str();
	}

	ScratchDir scratch;
	struct mount_names *names = nullptr;
	struct error err = {};
};

TEST_F(MountNames, TheShortestPointOfEachFileSystem)
{
	mounts_of("1", "20 1 8:1 / /mnt/long rw - ext4 /dev/sda1 rw\n"
		       "21 1 8:1 /a /a\\040b rw shared:1 - ext4 /dev/sda1 rw\n"
		       "22 1 8:1 / /mnt/longer rw - ext4 /dev/sda1 rw\n"
		       "23 1 0:1048575 / /last rw - tmpfs none rw\n"
		       "24 1 broken\n");
	open();
	EXPECT_EQ(point(device(8, 1)), "/a b");
	EXPECT_EQ(point(device(0, 1048575)), "/last");
	EXPECT_EQ(point(device(8, 2)), "(none)");
}

TEST_F(MountNames, ALookSaysWhetherMountsHaveChanged)
{
	mounts_of("1", "20 1 8:1 / /old rw - ext4 /dev/sda1 rw\n");
	open();
	EXPECT_FALSE(mount_names_look(names));
	mounts_of("1", "20 1 8:2 / /old rw - ext4 /dev/sda2 rw\n");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 1)), "(none)");
	EXPECT_EQ(point(device(8, 2)), "/old");
	mounts_of("1", "20 1 8:2 / /new rw - ext4 /dev/sda2 rw\n");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 2)), "/new");
	EXPECT_FALSE(mount_names_look(names));
	mounts_of("1", "");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 2)), "(none)");
}

TEST_F(MountNames, WithoutTheFirstProcessTheMountsAreOurs)
{
	mounts_of(std::to_string(getpid()), "20 1 8:1 / /ours rw - ext4 /dev/sda1 rw\n");
	open();
	EXPECT_EQ(point(device(8, 1)), "/ours");
	mounts_of("1", "20 1 8:1 / /machine rw - ext4 /dev/sda1 rw\n");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 1)), "/machine");
}

TEST_F(MountNames, WithoutRightsTheMachinesPointsStay)
{
	mounts_of("1", "20 1 8:1 / /machine rw - ext4 /dev/sda1 rw\n");
	open();
	std::filesystem::remove(scratch.path("proc/1/mountinfo"));
	mounts_of(std::to_string(getpid()), "20 1 8:1 / /m rw - ext4 /dev/sda1 rw\n"
					    "21 1 8:2 / /ours rw - ext4 /dev/sda2 rw\n");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 1)), "/machine");
	EXPECT_EQ(point(device(8, 2)), "/ours");
	mounts_of(std::to_string(getpid()), "");
	EXPECT_TRUE(mount_names_look(names));
	EXPECT_EQ(point(device(8, 1)), "/machine");
	EXPECT_EQ(point(device(8, 2)), "(none)");
}

TEST_F(MountNames, WhatOnlyWeSeeHasOurPoint)
{
	mounts_of("1", "20 1 8:1 / /machine rw - ext4 /dev/sda1 rw\n");
	mounts_of(std::to_string(getpid()), "20 1 8:1 / /m rw - ext4 /dev/sda1 rw\n"
					    "21 1 8:2 / /ours/long rw - ext4 /dev/sda2 rw\n"
					    "22 1 8:2 / /ours rw - ext4 /dev/sda2 rw\n");
	open();
	EXPECT_EQ(point(device(8, 1)), "/machine");
	EXPECT_EQ(point(device(8, 2)), "/ours");
	EXPECT_FALSE(mount_names_look(names));
}

TEST_F(MountNames, RequestsOfAConnectionThatWait)
{
	mounts_of("1", "");
	std::filesystem::create_directories(scratch.path("sys/fs/fuse/connections/44"));
	std::ofstream(scratch.path("sys/fs/fuse/connections/44/waiting")) << "17\n";
	open();
	EXPECT_EQ(mount_names_waiting(names, device(0, 44)), 17);
	EXPECT_EQ(mount_names_waiting(names, device(0, 45)), 0);
}

TEST_F(MountNames, FuseConnectionsOfTheMachine)
{
	mounts_of("1", "20 1 0:44 / /a rw - fuse.sshfs host: rw\n"
		       "21 1 0:44 / /b rw - fuse.sshfs host: rw\n"
		       "22 1 8:1 / /c rw - fuseblk /dev/sda1 rw\n"
		       "23 1 0:45 / /d rw - virtiofs tag rw\n"
		       "24 1 0:46 / /sys/fs/fuse/connections rw - fusectl none rw\n"
		       "25 1 0:47 / /e rw - tmpfs none rw\n");
	std::filesystem::create_directories(scratch.path("sys/fs/fuse/connections/44"));
	std::filesystem::create_directories(scratch.path("sys/fs/fuse/connections/99"));
	open();
	uint32_t found[8];
	uint32_t count = mount_names_connections(names, found, 8);

	EXPECT_EQ((std::set<uint32_t>(found, found + count)),
		  (std::set<uint32_t>{44, 99, device(8, 1), 45}));
	EXPECT_EQ(count, 4u);
	EXPECT_EQ(mount_names_connections(names, found, 2), 2u);
}

TEST_F(MountNames, BlockDevices)
{
	mounts_of("1", "");
	open();
	EXPECT_EQ(name(device(8, 1)), "sda1");
	EXPECT_EQ(name(device(8, 1), 4), "sda") << "it is cut, and ends";
	EXPECT_EQ(name(device(259, 1048575)), "259:1048575");
}

TEST_F(MountNames, WithoutATreeThereIsAMessage)
{
	mounts_of("1", "");
	EXPECT_FALSE(mount_names_open(scratch.path("proc").c_str(), "/nowhere/sys", &err));
	EXPECT_STREQ(err.text, "cannot open /nowhere/sys: No such file or directory");
}

} // namespace
