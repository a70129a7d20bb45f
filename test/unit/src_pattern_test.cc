/*
 * Patterns of --path: where they begin, and what is said of one that is a directory.
 */
#include <gtest/gtest.h>

extern "C" {
#include "option/options.h"
#include "option/pattern.h"
}
#include "scratch_dir.h"

#include <filesystem>
#include <iotrace/error.h>
#include <iotrace/log.h>

namespace
{

std::string remarks;

class Pattern : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	std::filesystem::path before = std::filesystem::current_path();

	Pattern()
	{
		remarks.clear();
		log_set_writer([](enum log_level, const char *line) { remarks += line; });
		std::filesystem::create_directories(scratch.path("sub [1]/in"));
		std::filesystem::current_path(scratch.path("sub [1]"));
	}
	~Pattern() override
	{
		log_set_writer(nullptr);
		std::filesystem::current_path(before);
	}

	/* The pattern as files are compared with it. */
	std::string parsed(const char *arg)
	{
		struct text_list list = {};
		struct error err = {};

		EXPECT_EQ(pattern_parse(&list, arg, &err), 0) << err.text;
		EXPECT_EQ(list.count, 1u);
		std::string text = list.count ? list.item[0] : "";

		for (uint32_t i = 0; i < list.count; i++)
			free((void *)list.item[i]);
		free((void *)list.item);
		return text;
	}

	std::string below(const char *rest) const
	{
		std::string root = std::filesystem::canonical(scratch.path(".")).string();

		return root + rest;
	}
};

TEST_F(Pattern, BeginsInTheCurrentDirectory)
{
	EXPECT_EQ(parsed("x/*"), below("/sub \\[1]/x/*"));
	EXPECT_EQ(parsed("./x"), below("/sub \\[1]/x"));
	EXPECT_EQ(parsed("../x"), below("/x"));
	EXPECT_EQ(parsed("/x/*"), "/x/*");
	EXPECT_EQ(parsed("*.c"), "*.c");
	EXPECT_EQ(remarks, "");
}

/* Who means what is below it forgets the star. */
TEST_F(Pattern, ADirectoryHasARemark)
{
	const char said[] =
		"' is a directory: the pattern matches only the directory itself. To match the "
		"files in it: '";

	EXPECT_EQ(parsed("in"), below("/sub \\[1]/in"));
	EXPECT_EQ(remarks, "'in" + std::string(said) + "in/*'");
	remarks.clear();
	parsed("in/");
	EXPECT_EQ(remarks, "'in/" + std::string(said) + "in/*'");
	remarks.clear();
	parsed("/");
	EXPECT_EQ(remarks, "'/" + std::string(said) + "/*'");
	remarks.clear();
	parsed("in/*");
	parsed("none");
	parsed("[i]n");
	EXPECT_EQ(remarks, "");
}

} // namespace
