// tracefs: read through a directory; what is missing is named.
#include "perf/tracefs.h"
#include "test_source.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iotrace/error.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

using Text = std::unique_ptr<char, decltype(&free)>;

class Tracefs : public testing::Test
{
      protected:
	char dir[32] = "/tmp/tracefs.XXXXXX";
	struct tracefs tracefs = {-1, false};

	void SetUp() override
	{
		ASSERT_NE(mkdtemp(dir), nullptr);
		ASSERT_EQ(symlink(test_source("formats/linux-6.18-x86_64").c_str(),
				  path("events").c_str()),
			  0);
		tracefs_open_at(&tracefs, open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}

	void TearDown() override
	{
		tracefs_close(&tracefs);
		EXPECT_EQ(tracefs.dir, -1);
		unlink(path("events").c_str());
		unlink(path("big").c_str());
		rmdir(dir);
	}

	std::string path(const char *name)
	{
		return std::string(dir) + "/" + name;
	}
};

TEST_F(Tracefs, FormatOfATracepoint)
{
	uint32_t offset = 0, size = 0;
	Text text(tracefs_format(&tracefs, "raw_syscalls", "sys_exit", nullptr), free);

	ASSERT_NE(text, nullptr);
	EXPECT_EQ(tracefs_id(text.get()), 442);
	EXPECT_TRUE(tracefs_field(text.get(), "ret", &offset, &size));
	EXPECT_EQ(offset, 16u);
	EXPECT_EQ(size, 8u);
	EXPECT_TRUE(tracefs_field(text.get(), "id", &offset, &size));
	EXPECT_EQ(offset, 8u);
	EXPECT_FALSE(tracefs_field(text.get(), "pid", &offset, &size)) << "common_pid is another";
	EXPECT_FALSE(tracefs_field(text.get(), "long", &offset, &size));
}

TEST_F(Tracefs, FieldThatIsAnArray)
{
	uint32_t offset = 0, size = 0;
	Text text(tracefs_format(&tracefs, "raw_syscalls", "sys_enter", nullptr), free);

	ASSERT_NE(text, nullptr);
	EXPECT_TRUE(tracefs_field(text.get(), "args", &offset, &size));
	EXPECT_EQ(offset, 16u);
	EXPECT_EQ(size, 48u);
}

TEST_F(Tracefs, MissingTracepointIsNamed)
{
	struct error err = {};

	EXPECT_EQ(tracefs_format(&tracefs, "raw_syscalls", "sys_none", &err), nullptr);
	EXPECT_EQ(err.code, ENOENT);
	EXPECT_NE(strstr(err.text, "this kernel has no tracepoint raw_syscalls:sys_none"), nullptr)
		<< err.text;
}

TEST_F(Tracefs, FilesOfAnySizeUpToABound)
{
	FILE *file = fopen(path("big").c_str(), "w");
	struct error err = {};

	ASSERT_NE(file, nullptr);
	for (int i = 0; i < 100000; i++)
		fputs("12345678", file);
	fflush(file);
	Text text(tracefs_text(&tracefs, "big", nullptr), free);
	ASSERT_NE(text, nullptr);
	EXPECT_EQ(strlen(text.get()), 800000u);
	for (int i = 0; i < 100000; i++)
		fputs("12345678", file);
	fclose(file);
	EXPECT_EQ(tracefs_text(&tracefs, "big", &err), nullptr);
	EXPECT_EQ(err.code, EFBIG);
}

TEST(TracefsText, IdsThatAreNone)
{
	EXPECT_EQ(tracefs_id("name: x\nID: 7\nformat:"), 7);
	EXPECT_EQ(tracefs_id("name: x\nformat:"), -1);
	EXPECT_EQ(tracefs_id("name: x\nID: 7x\n"), -1);
	EXPECT_EQ(tracefs_id("name: x\nID: 0\n"), -1);
	EXPECT_EQ(tracefs_id("name: x\nID: 99999999999\n"), -1);
}

TEST(TracefsText, TornFieldLines)
{
	uint32_t offset, size;

	EXPECT_FALSE(tracefs_field("\tfield:long id;\toffset:8;\tsize:8;", "id", &offset, &size));
	EXPECT_FALSE(tracefs_field("\tfield:long id;\tsize:8;\n\tfield:long x;\toffset:8;\n", "id",
				   &offset, &size));
	EXPECT_FALSE(tracefs_field("\tfield:long id", "id", &offset, &size));
}

bool has_address(const char *system, const std::string &fields, const char *print)
{
	std::string text =
		"name: x\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" +
		fields + "\nprint fmt: " + print + "\n";

	return tracefs_has_address(system, text.c_str());
}

TEST(TracefsAddress, FieldsAndPrintFormats)
{
	const std::string pointer = "\tfield:const void * ptr;\toffset:8;\tsize:8;\tsigned:0;\n";
	const std::string number = "\tfield:unsigned long site;\toffset:8;\tsize:8;\tsigned:0;\n";
	const std::string ip = "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n";
	const std::string plain = "\tfield:unsigned long ipv;\toffset:8;\tsize:8;\tsigned:0;\n";

	EXPECT_TRUE(has_address("kmem", pointer, "\"\""));
	EXPECT_TRUE(has_address("kmem", number, "\"at %pS\", (void *)REC->site"));
	EXPECT_TRUE(has_address("kmem", number, "\"at %p\", (void *)REC->site"));
	EXPECT_TRUE(has_address("kmem", ip, "\"%lx\", REC->ip"));
	EXPECT_FALSE(has_address("kmem", plain, "\"%lx to %pI4\", REC->ipv, REC->x"));
	EXPECT_FALSE(has_address("syscalls", pointer, "\"%p\", REC->ptr")) << "of the program";
}

} // namespace
