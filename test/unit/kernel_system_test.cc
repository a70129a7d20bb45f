// sysblock, machine, cgroup: made-up trees of /sys and /proc, and what becomes of them.
#include "host/cgroup.h"
#include "host/cgroup_names.h"
#include "host/machine.h"
#include "host/sysblock.h"
#include "proc/facts.h"

#include "error_lines.h"
#include "scratch_dir.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iotrace/error.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace
{

struct Fact {
	enum fact_kind kind;
	std::vector<uint64_t> number;
	std::vector<std::string> text;
};

class System : public testing::Test
{
      protected:
	ScratchDir scratch;
	struct procfs root = {-1};
	struct sample_layout layout = {};
	struct facts facts = {};
	struct error err = {};

	void SetUp() override
	{
		layout.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				     PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
		facts_init(&facts, &layout, 1);
		std::filesystem::create_directories(scratch.path("block"));
		ASSERT_EQ(procfs_open(&root, scratch.path(".").c_str(), &err), 0) << err.text;
	}

	void TearDown() override
	{
		procfs_close(&root);
		facts_release(&facts);
	}

	/* A disk that has done something. */
	void put_disk(const std::string &name, const std::string &dev,
		      const std::string &stat) const
	{
		put("block/" + name + "/dev", dev + "\n");
		put("block/" + name + "/stat", stat + "\n");
	}

	void put(const std::string &name, const std::string &text) const
	{
		std::filesystem::path path = scratch.path(name);

		std::filesystem::create_directories(path.parent_path());
		std::ofstream(path) << text;
	}

	std::vector<Fact> all() const
	{
		std::vector<Fact> found;

		for (uint32_t at = 0; at < facts.size;) {
			uint32_t size = sample_record_size(facts.bytes + at, facts.size - at);
			struct sample sample = {};
			struct fact fact = {};

			EXPECT_EQ(sample_parse(&sample, &layout, facts.bytes + at), 0);
			EXPECT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
			found.push_back({fact.kind, {fact.number, fact.number + FACT_NUMBERS}, {}});
			for (auto &string : fact.string)
				found.back().text.emplace_back(string.at ? string.at : "",
							       string.length);
			at += size;
		}
		return found;
	}

	/* The one about the device of this name. */
	Fact device(const std::string &name) const
	{
		for (auto &fact : all())
			if (fact.kind == FACT_DEVICE && fact.text[0] == name)
				return fact;
		ADD_FAILURE() << name << " is not there";
		return {FACT_NONE, std::vector<uint64_t>(FACT_NUMBERS),
			std::vector<std::string>(FACT_STRINGS)};
	}
};

TEST_F(System, ADiskAndItsPartition)
{
	put("block/sda/dev", "8:0\n");
	put("block/sda/size", "1000215216\n");
	put("block/sda/queue/rotational", "1\n");
	put("block/sda/queue/scheduler", "none [mq-deadline] kyber bfq \n");
	put("block/sda/device/model", "ST1000LM024 HN-M \n");
	put("block/sda/sda1/dev", "8:1\n");
	put("block/sda/sda1/partition", "1\n");
	put("block/sda/sda1/size", "2048\n");
	put("block/nothing/size", "1\n");
	sysblock_devices(&root, &facts);
	ASSERT_EQ(all().size(), 2u) << "what has no number is no device";
	Fact disk = device("sda"), part = device("sda1");
	EXPECT_EQ(disk.number[0], makedev(8, 0));
	EXPECT_EQ(disk.number[1], 0u);
	EXPECT_EQ(disk.number[2], 1000215216u);
	EXPECT_EQ(disk.number[3], 1u);
	EXPECT_EQ(disk.text[1], "ST1000LM024 HN-M");
	EXPECT_EQ(disk.text[2], "mq-deadline");
	EXPECT_EQ(disk.text[3], "");
	EXPECT_EQ(part.number[0], makedev(8, 1));
	EXPECT_EQ(part.number[1], makedev(8, 0));
	EXPECT_EQ(part.number[2], 2048u);
}

TEST_F(System, StackedDevicesNameWhatIsUnderThem)
{
	struct stat status;

	put("block/dm-0/dev", "252:0\n");
	put("block/dm-0/dm/name", "vg0-root\n");
	put("block/dm-0/slaves/sda2/dev", "8:2\n");
	put("block/md0/dev", "9:0\n");
	put("block/md0/md/level", "raid1\n");
	put("block/md0/slaves/sdb/dev", "8:16\n");
	put("block/md0/slaves/sdc/dev", "8:32\n");
	put("image", "");
	ASSERT_EQ(stat(scratch.path("image").c_str(), &status), 0);
	put("block/loop7/dev", "7:7\n");
	put("block/loop7/queue/scheduler", "none\n");
	put("block/loop7/loop/backing_file", scratch.path("image") + "\n");
	std::filesystem::create_directories(scratch.path("dev/block"));
	std::string number = std::to_string(major(status.st_dev)) + ":" +
			     std::to_string(minor(status.st_dev));
	ASSERT_EQ(symlink("../../devices/virtual/block/sdd",
			  scratch.path("dev/block/" + number).c_str()),
		  0);
	sysblock_devices(&root, &facts);
	EXPECT_EQ(device("dm-0").text[1], "vg0-root");
	EXPECT_EQ(device("dm-0").text[3], "sda2");
	EXPECT_EQ(device("md0").text[1], "raid1");
	std::string under = device("md0").text[3];
	EXPECT_TRUE(under == "sdb sdc" || under == "sdc sdb") << under;
	EXPECT_EQ(device("loop7").text[2], "none");
	EXPECT_EQ(device("loop7").text[3], "sdd");
	EXPECT_EQ(device("loop7").text[4], scratch.path("image"));
}

TEST_F(System, CountersOfWholeDevicesInTheirOrder)
{
	put_disk("sda", "8:0",
		 "       1        2        3        4        5        6        7"
		 "        8        9       10       11       12       13       14"
		 "       15       16       17");
	put("block/sda/sda1/dev", "8:1\n");
	put("block/sda/sda1/partition", "1\n");
	put("block/sda/sda1/stat", "9\n");
	put_disk("sdb", "8:16", "21 22 23 24 25 26 27 28 29 30 31"); /* Linux 4.17 */
	sysblock_stats(&root, 1, {}, &facts);
	auto found = all();
	ASSERT_EQ(found.size(), 2u);
	std::sort(found.begin(), found.end(),
		  [](const Fact &a, const Fact &b) { return a.number[0] < b.number[0]; });
	EXPECT_EQ(found[0].kind, FACT_DISKSTAT);
	EXPECT_EQ(found[0].number[0], makedev(8, 0));
	EXPECT_EQ(found[0].number[1], 1u);
	for (uint64_t i = 1; i <= 17; i++)
		EXPECT_EQ(found[0].number[1 + i], i);
	EXPECT_EQ(found[1].number[12], 31u);
	EXPECT_EQ(found[1].number[13], 0u);
}

TEST_F(System, CountersOfChosenDevicesOnly)
{
	uint32_t number = 0;

	put_disk("sda", "8:0", "1 2 3");
	put_disk("nvme0n1", "259:300", "4 5 6");
	ASSERT_EQ(sysblock_number(&root, "nvme0n1", &number, &err), 0);
	sysblock_stats(&root, 0, {&number, 1}, &facts);
	auto found = all();
	ASSERT_EQ(found.size(), 1u) << "of the others no request is recorded";
	EXPECT_EQ(found[0].number[0], makedev(259, 300));
	EXPECT_EQ(found[0].number[2], 4u);
}

TEST_F(System, NumbersOfDevicesAreTheKernels)
{
	uint32_t number = 0;

	put("block/nvme0n1/dev", "259:300\n");
	put("block/sda/dev", "8:0\n");
	put("block/sda/sda1/dev", "8:1\n");
	put("block/sda/sda1/partition", "1\n");
	EXPECT_EQ(sysblock_number(&root, "nvme0n1", &number, &err), 0);
	EXPECT_EQ(number, 259u << 20 | 300);
	EXPECT_EQ(sysblock_number(&root, "sda1", &number, &err), -EINVAL);
	EXPECT_STREQ(err.text,
		     "device sda1 is a partition, but requests belong to its disk: use sda");
	for (const char *name : {"sdz", "", ".", "../block/sda", "sda/sda1"}) {
		err = {};
		EXPECT_EQ(sysblock_number(&root, name, &number, &err), -ENODEV) << name;
	}
	EXPECT_STREQ(err.text, "no block device sda/sda1; /sys/block lists the devices");
	EXPECT_EQ(sysblock_number(&root, "nvme0n2", &number, &err), -ENODEV);
	EXPECT_STREQ(err.text, "no block device nvme0n2; did you mean 'nvme0n1'?");
}

TEST_F(System, TimeInWhichADeviceIsBusy)
{
	uint64_t busy_ms = 0;

	put_disk("sda", "8:0", "  1 2 3 4 5 6 7 8 9 10 11\n");
	put_disk("sdb", "8:16", "1 2 3");
	put("block/sdb/queue/iostats", "0\n");
	EXPECT_EQ(sysblock_check_busy(&root, "sda", &err), 0);
	EXPECT_TRUE(sysblock_busy(&root, "sda", &busy_ms));
	EXPECT_EQ(busy_ms, 10u);
	EXPECT_FALSE(sysblock_busy(&root, "sdc", &busy_ms));
	EXPECT_EQ(sysblock_check_busy(&root, "sdb", &err), -EINVAL);
	EXPECT_EQ(error_lines(err), "device sdb does not count its requests\n"
				    "To switch it on: echo 1 >/sys/block/sdb/queue/iostats");
}

TEST_F(System, MemoryInBytesAndPressure)
{
	put("meminfo", "MemTotal:        4016568 kB\nDirty:                12 kB\n"
		       "Writeback:             3 kB\nWritebackTmp:          7 kB\n");
	put("pressure/io", "some avg10=1.70 avg60=0.58 avg300=0.58 total=12430725\n"
			   "full avg10=0.25 avg60=0.21 avg300=0.43 total=10679948\n");
	machine_sample(&root, &facts);
	auto found = all();
	ASSERT_EQ(found.size(), 2u);
	EXPECT_EQ(found[0].kind, FACT_MEMORY);
	EXPECT_EQ(found[0].number[0], 12288u);
	EXPECT_EQ(found[0].number[1], 3072u);
	EXPECT_EQ(found[1].kind, FACT_PRESSURE);
	EXPECT_EQ(found[1].number[0], 12430725u);
	EXPECT_EQ(found[1].number[1], 10679948u);
}

TEST_F(System, AKernelWithoutPressureSaysNothingOfIt)
{
	put("meminfo", "MemTotal: 1 kB\nDirty: 5 kB\nWriteback: 0 kB\n");
	machine_sample(&root, &facts);
	ASSERT_EQ(all().size(), 1u);
	EXPECT_EQ(all()[0].number[0], 5120u);
}

TEST_F(System, AControlGroupAndThoseBelowIt)
{
	struct number_list pids = {};

	put("top/cgroup.procs", "30\n10\n");
	put("top/low/cgroup.procs", "20\n");
	put("top/low/deep/cgroup.procs", "40\n");
	put("topper/cgroup.procs", "50\n");
	int top = cgroup_open(&root, scratch.path("top").c_str(), &err);
	int deep = cgroup_open(&root, scratch.path("top/low/deep").c_str(), &err);
	int topper = cgroup_open(&root, scratch.path("topper").c_str(), &err);
	ASSERT_GE(std::min({top, deep, topper}), 0) << err.text;
	cgroup_processes(top, &pids);
	std::vector<uint32_t> found(pids.item, pids.item + pids.count);
	std::sort(found.begin(), found.end());
	EXPECT_EQ(found, (std::vector<uint32_t>{10, 20, 30, 40}));
	EXPECT_TRUE(cgroup_overlap(top, top));
	EXPECT_TRUE(cgroup_overlap(deep, top));
	EXPECT_TRUE(cgroup_overlap(top, deep));
	EXPECT_FALSE(cgroup_overlap(top, topper));
	number_list_release(&pids);
	for (int fd : {top, deep, topper})
		close(fd);
}

TEST_F(System, WhatIsNoControlGroupIsNamed)
{
	put("plain/file", "");
	EXPECT_LT(cgroup_open(&root, scratch.path("plain").c_str(), &err), 0);
	EXPECT_EQ(err.text, "no cgroup " + scratch.path("plain") +
				    ": neither this directory nor the one below the mount of "
				    "cgroup2 has a file cgroup.procs");
}

class Groups : public System
{
      protected:
	struct cgroup_names names = {};

	void SetUp() override
	{
		System::SetUp();
		for (const char *path : {"top", "top/a b", "top/a b/c", "top/z"})
			make(path);
		put("top/file", "");
		cgroup_names_at(&names, open(scratch.path("top").c_str(), O_RDONLY | O_DIRECTORY));
		ASSERT_GE(names.top, 0);
	}

	void TearDown() override
	{
		cgroup_names_close(&names);
		System::TearDown();
	}

	void make(const std::string &path) const
	{
		std::filesystem::create_directories(scratch.path(path));
	}

	uint64_t inode(const std::string &path) const
	{
		struct stat status = {};

		EXPECT_EQ(stat(scratch.path(path).c_str(), &status), 0) << path;
		return status.st_ino;
	}

	/* What is reported now: path by id. */
	std::map<uint64_t, std::string> reported()
	{
		std::map<uint64_t, std::string> found;

		cgroup_names_add_facts(&names, &facts);
		for (const Fact &fact : all()) {
			EXPECT_EQ(fact.kind, FACT_CGROUP);
			EXPECT_TRUE(found.emplace(fact.number[0], fact.text[0]).second);
		}
		facts_clear(&facts);
		return found;
	}
};

TEST_F(Groups, EachHasItsInodeAndItsPathBelowTheTop)
{
	EXPECT_EQ(reported(), (std::map<uint64_t, std::string>{{inode("top"), "/"},
							       {inode("top/a b"), "/a b"},
							       {inode("top/a b/c"), "/a b/c"},
							       {inode("top/z"), "/z"}}));
}

TEST_F(Groups, LaterOnlyThoseThatCameSince)
{
	reported();
	make("top/a b/c/new");
	EXPECT_EQ(reported(),
		  (std::map<uint64_t, std::string>{{inode("top/a b/c/new"), "/a b/c/new"}}));
	EXPECT_TRUE(reported().empty());
}

TEST_F(Groups, ThereMayBeNoHierarchy)
{
	struct cgroup_names none = {};

	cgroup_names_add_facts(&none, &facts);
	cgroup_names_close(&none);
	cgroup_names_at(&none, -1);
	cgroup_names_add_facts(&none, &facts);
	cgroup_names_close(&none);
	EXPECT_TRUE(all().empty());
}

/* In a tree of /proc: the mounts of this process. */
TEST_F(Groups, TheHierarchyIsThatOfBlkioOrVersion2)
{
	const std::string line = "30 20 0:30 / " + scratch.path("top");
	const std::string mounts = "self/mountinfo", own = std::to_string(getpid()) + "/mountinfo";
	const std::string second = line + "/z rw - cgroup2 cgroup2 rw\n";

	make("top/blkio/x");
	for (const std::string &text :
	     {second, line + "/a\\040b rw - cgroup cgroup rw,cpu\n" + second,
	      second + line + "/blkio rw - cgroup cgroup rw,blkio\n",
	      line + "/blkio rw - cgroup cgroup rw,blkio\n" + second}) {
		bool is_first = text.find("rw,blkio") != std::string::npos;

		put(own, text);
		cgroup_names_close(&names);
		cgroup_names_open(&names, &root, true);
		std::map<uint64_t, std::string> found = reported();
		EXPECT_EQ(found[inode(is_first ? "top/blkio" : "top/z")], "/") << text;
		EXPECT_EQ(found.size(), is_first ? 2u : 1u) << text;
	}
}

} // namespace
