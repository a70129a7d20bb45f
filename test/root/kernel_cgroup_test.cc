// cgroup: only the kernel can say whether a directory is a control group, and it says so to root alone.
#include "host/cgroup.h"

#include "scratch_dir.h"

#include <filesystem>
#include <fstream>
#include <iotrace/error.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

TEST(Cgroup, ADirectoryThatOnlyLooksLikeOneIsNotRecordable)
{
	ScratchDir scratch;
	struct procfs root = {-1};
	struct error err = {};

	std::filesystem::create_directories(scratch.path("top"));
	std::ofstream(scratch.path("top/cgroup.procs")) << "30\n";
	ASSERT_EQ(procfs_open(&root, scratch.path(".").c_str(), &err), 0) << err.text;
	int top = cgroup_open(&root, scratch.path("top").c_str(), &err);

	ASSERT_GE(top, 0) << err.text;
	EXPECT_FALSE(cgroup_is_recordable(top));
	close(top);
	procfs_close(&root);
}

} // namespace
