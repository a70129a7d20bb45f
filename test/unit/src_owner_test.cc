/*
 * Whose an option is where commands share a recorder: the command's own, or the same for all.
 */
#include "record/owner.h"

#include "record/record_options.h"

#include <iotrace/error.h>

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace
{

class Owner : public ::testing::Test
{
      protected:
	struct record_options options = {};
	struct error err = {};

	void SetUp() override
	{
		record_options_init(&options);
	}

	void TearDown() override
	{
		record_options_release(&options);
	}

	void give(std::vector<const char *> words)
	{
		words.insert(words.begin(), "iotrace");
		words.push_back(nullptr);
		options_lines_add(&options.given, "here", int(words.size()) - 1, words.data());
		const struct recording_words *line = &options.given.line[options.given.count - 1];

		ASSERT_GE(options_parse(record_rows, record_hints, true, &options, line->argc,
					line->argv, &err),
			  0)
			<< err.text;
	}

	std::string common() const
	{
		char *text = owner_of_recorder(&options);
		std::string said = text;

		free(text);
		return said;
	}

	std::string names() const
	{
		char *text = owner_of_names(&options);
		std::string said = text;

		free(text);
		return said;
	}
};

TEST_F(Owner, EachOptionHasOne)
{
	std::set<std::string> rows, owners;

	for (const struct option_row *row = record_rows; row->name; row++)
		rows.insert(row->name);
	for (const struct owner_row *row = owner_rows; row->option; row++)
		EXPECT_TRUE(owners.insert(row->option).second) << row->option;
	EXPECT_EQ(rows, owners);
}

TEST_F(Owner, WhatChoosesIsTheCommands)
{
	give({"--path", "/a", "--exclude-path", "/b", "--comm", "dd", "--syscalls=data", "--marks",
	      "-v", "--join", "x"});
	EXPECT_EQ(common(), "");
}

TEST_F(Owner, TheRestIsTheRecorders)
{
	give({"-m", "4M", "--block=own"});
	give({"--source", "perf", "--block=all", "-q", "--ring-size=8M"});
	EXPECT_EQ(common(), "--source=perf\n--block=own,all\n--ring-size=8M\n--quiet");
}

TEST_F(Owner, HowItIsWrittenDoesNotMatter)
{
	give({"-o", "t", "-q"});
	const std::string first = common();

	record_options_release(&options);
	options = {};
	record_options_init(&options);
	give({"--quiet"});
	give({"--output=t"});
	EXPECT_EQ(common(), first);
}

/* Their programs are loaded when the recorder begins. */
TEST_F(Owner, GroupsThatAreNoCallsAreTheRecorders)
{
	give({"--syscalls=data,mmap"});
	EXPECT_EQ(common(), "--syscalls=+fault\n--syscalls=+writeback");
	give({"--syscalls=meta"});
	EXPECT_EQ(common(), "");
}

TEST_F(Owner, WithEachTheNameOfAnArchiveIsTheCommands)
{
	give({"-o", "t.%r", "--capture", "c"});
	EXPECT_EQ(common(), "--output=t.%r\n--capture=c");
	EXPECT_EQ(names(), "--output=t.%r\n--capture=c");
	give({"--each"});
	EXPECT_EQ(common(), "--each\n--capture=c");
	EXPECT_EQ(names(), "--capture=c");
}

} // namespace
