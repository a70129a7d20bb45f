/*
 * Names of archives, and what is refused before a command runs.
 */
#include "output.h"
#include "paths.h"
#include "scratch_dir.h"

#include <iotrace/error.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <unistd.h>

namespace
{

std::string taken(char *text)
{
	std::string copy = text;

	free(text);
	return copy;
}

TEST(Paths, OfARecording)
{
	std::string name = taken(path_of_recording());

	EXPECT_TRUE(std::regex_match(name, std::regex("iotrace-[^./]+-[0-9]{8}-[0-9]{6}-" +
						      std::to_string(getpid()))))
		<< name;
}

TEST(Paths, OfAConversion)
{
	EXPECT_EQ(taken(path_of_conversion("dir/trace.spool")), "dir/trace");
	EXPECT_EQ(taken(path_of_conversion("perf.data")), "perf");
	EXPECT_EQ(taken(path_of_conversion("capture")), "capture.otf2");
	EXPECT_EQ(taken(path_of_conversion("dir/.data")), "dir/.data.otf2");
	EXPECT_EQ(taken(path_of_conversion(".spool")), ".spool.otf2");
	EXPECT_EQ(taken(path_of_conversion("a.data.old")), "a.data.old.otf2");
}

TEST(Paths, Trimmed)
{
	EXPECT_EQ(taken(path_trimmed("a/b//")), "a/b");
	EXPECT_EQ(taken(path_trimmed("/")), "/");
	EXPECT_EQ(taken(path_trimmed("///")), "/");
	EXPECT_EQ(taken(path_trimmed("")), "");
}

TEST(Paths, NewNames)
{
	ScratchDir scratch;
	struct error err = {};
	std::string there = scratch.path("there"), below = scratch.path("none/below");

	EXPECT_EQ(path_check_new("-o", there.c_str(), &err), 0) << err.text;
	std::ofstream(there) << "x";
	EXPECT_EQ(path_check_new("-o", there.c_str(), &err), -EEXIST);
	EXPECT_EQ(err.text, "-o: " + there + " exists already; name another one or remove it");
	EXPECT_EQ(path_check_new("-o", below.c_str(), &err), -ENOENT);
	EXPECT_EQ(err.text, "-o " + below + ": the directory " + scratch.path("none") +
				    " cannot be written: No such file or directory");
	EXPECT_EQ(path_check_new("-o", "", &err), -EINVAL);
	EXPECT_EQ(path_check_new("-o", "no-such-name-here", &err), 0) << err.text;
	/* A dangling link is in the way, too. */
	std::filesystem::create_symlink("nowhere", scratch.path("link"));
	EXPECT_EQ(path_check_new("-o", scratch.path("link").c_str(), &err), -EEXIST);
}

TEST(Paths, RemoveTakesATreeAndFollowsNoLink)
{
	ScratchDir scratch;

	std::filesystem::create_directories(scratch.path("tree/sub"));
	std::ofstream(scratch.path("tree/sub/file")) << "x";
	std::ofstream(scratch.path("kept")) << "x";
	std::filesystem::create_symlink(scratch.path("kept"), scratch.path("tree/link"));
	std::filesystem::create_directory(scratch.path("kept.dir"));
	std::ofstream(scratch.path("kept.dir/file")) << "x";
	std::filesystem::create_directory_symlink(scratch.path("kept.dir"),
						  scratch.path("tree/dirlink"));
	path_remove(scratch.path("tree").c_str());
	EXPECT_FALSE(path_exists(scratch.path("tree").c_str()));
	EXPECT_TRUE(path_exists(scratch.path("kept").c_str()));
	EXPECT_TRUE(path_exists(scratch.path("kept.dir/file").c_str()));
	path_remove(scratch.path("kept").c_str());
	EXPECT_FALSE(path_exists(scratch.path("kept").c_str()));
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
	EXPECT_STREQ(err.text, "there is no format 'txt'; did you mean 'text'?");
	EXPECT_LT(output_parse_format(&options.format, "summary", &err), 0);
	EXPECT_STREQ(err.text, "there is no format 'summary'; there are otf2, text and null");
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
	EXPECT_STREQ(err.text, "none:file: no summary, and yet a file for it");
}

} // namespace
