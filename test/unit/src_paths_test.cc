/*
 * Names that follow from other names, and the options of all outputs.
 */
#include "path/archive_path.h"
#include "path/paths.h"
#include "run/output.h"

#include <iotrace/error.h>

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

std::string taken(char *text)
{
	std::string copy = text;

	free(text);
	return copy;
}

TEST(Paths, OfAConversion)
{
	EXPECT_EQ(taken(path_of_conversion("dir/trace.spool")), "dir/trace");
	EXPECT_EQ(taken(path_of_conversion("perf.data")), "perf");
	EXPECT_EQ(taken(path_of_conversion("capture")), "capture.otf2");
	EXPECT_EQ(taken(path_of_conversion("dir/.data")), "dir/.data.otf2");
	EXPECT_EQ(taken(path_of_conversion(".spool")), ".spool.otf2");
	EXPECT_EQ(taken(path_of_conversion("a.data.old")), "a.data.old.otf2");
	EXPECT_EQ(taken(path_of_conversion("dir/.trace.iotrace/spool")), "dir/trace");
}

TEST(Paths, NamesOfDevices)
{
	for (const char *name : {"sda", "sdb1", "vda", "xvdf", "nvme0n1", "dm-0", "loop7", "md127",
				 "mmcblk0", "/dev/sda", "/dev/mapper/root"})
		EXPECT_TRUE(path_is_like_device(name)) << name;
	for (const char *name : {"", "sd", "sda.c", "sdiff", "ls", "dm", "loop", "md5sum", "/dev/",
				 "/bin/sda", "./sda"})
		EXPECT_FALSE(path_is_like_device(name)) << name;
}

TEST(Paths, OfCommands)
{
	const std::string before = getenv("PATH");

	setenv("PATH", "/nonexistent:/bin", 1);
	EXPECT_TRUE(path_may_run("sh"));
	EXPECT_TRUE(path_may_run("/bin/sh"));
	EXPECT_FALSE(path_may_run("no-such-command"));
	EXPECT_FALSE(path_may_run("./no-such-command"));
	EXPECT_FALSE(path_may_run("/bin/sh/sh"));
	EXPECT_FALSE(path_may_run(""));
	setenv("PATH", "/nonexistent", 1);
	EXPECT_FALSE(path_may_run("sh"));
	unsetenv("PATH");
	EXPECT_TRUE(path_may_run("sh"));
	ASSERT_EQ(chdir("/bin"), 0);
	setenv("PATH", "/nonexistent:", 1);
	EXPECT_TRUE(path_may_run("sh"));
	setenv("PATH", before.c_str(), 1);
}

/* The reason is the kernel's own. */
TEST(Paths, WhyItIsNoArchive)
{
	EXPECT_STREQ(archive_path_wrong("/bin/sh/archive"), "Not a directory");
	EXPECT_STREQ(archive_path_wrong("/nonexistent"), "No such file or directory");
	EXPECT_STREQ(archive_path_wrong("/bin/sh"), "is a file; an OTF2 archive is a directory");
	EXPECT_STREQ(archive_path_wrong("/proc"), "is not an OTF2 archive: it has no traces.otf2");
}

TEST(Output, Modes)
{
	struct output_options options = {};
	struct error err = {};
	mode_t mask = umask(027);

	EXPECT_EQ(output_mode(&options, false), 0640u);
	EXPECT_EQ(output_mode(&options, true), 0600u);
	umask(0777);
	EXPECT_EQ(output_mode(&options, false), 0600u);
	umask(mask);
	for (const char *bad : {"", "8", "x", "44", "0", "1777", "640 ", "-1", "400"})
		EXPECT_LT(output_parse_mode(&options.mode, bad, &err), 0) << bad;
	ASSERT_EQ(output_parse_mode(&options.mode, "755", &err), 0) << err.text;
	EXPECT_EQ(output_mode(&options, true), 0644u);
}

TEST(Output, Formats)
{
	struct output_options options = {};
	struct error err = {};

	EXPECT_TRUE(output_is_archive(&options));
	for (const char *name : {"otf2", "text", "null"}) {
		ASSERT_EQ(output_parse_format(&options.format, name, &err), 0) << err.text;
		EXPECT_STREQ(options.format->name, name);
		EXPECT_EQ(output_is_archive(&options), !strcmp(name, "otf2"));
	}
	EXPECT_LT(output_parse_format(&options.format, "txt", &err), 0);
	EXPECT_STREQ(err.text, "unknown format 'txt'; did you mean 'text'?");
	EXPECT_LT(output_parse_format(&options.format, "summary", &err), 0);
	EXPECT_STREQ(err.text, "unknown format 'summary': expected otf2, text or null");
}

TEST(Output, Summaries)
{
	struct output_summary_option summary = {};
	struct error err = {};

	ASSERT_EQ(output_parse_summary(&summary, "json:a:b", &err), 0) << err.text;
	EXPECT_EQ(summary.kind, OUTPUT_JSON);
	EXPECT_STREQ(summary.path, "a:b");
	ASSERT_EQ(output_parse_summary(&summary, "none", &err), 0) << err.text;
	EXPECT_EQ(summary.kind, OUTPUT_NONE);
	EXPECT_EQ(summary.path, nullptr);
	for (const char *bad : {"", "jso", "jsonx", "xml", ":file", "json:", "none:file"})
		EXPECT_LT(output_parse_summary(&summary, bad, &err), 0) << bad;
	EXPECT_STREQ(err.text, "none:file: no file can be given with none");
	EXPECT_LT(output_parse_summary(&summary, "json:-q", &err), 0);
	EXPECT_STREQ(err.text, "json:-q: '-q' looks like an option; if it is a file: json:./-q");
	EXPECT_LT(output_parse_summary(&summary, "text:-", &err), 0);
}

} // namespace
