/*
 * Options: what is parsed into which field, and the sentence for everything that is not understood.
 */
#include "cmd/commands.h"
#include "error_lines.h"
#include "option/options.h"
#include "option/select.h"

#include <iotrace/error.h>
#include <iotrace/syscall.h>

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

struct fields {
	bool flag;
	int count;
	const char *text;
	uint64_t size;
	struct text_list list;
};

const struct option_row rows[] = {
	{'f', "flag", nullptr, "a flag", OPTION_FLAG, offsetof(struct fields, flag), nullptr,
	 nullptr},
	{'v', "verbose", nullptr, "more", OPTION_COUNT, offsetof(struct fields, count), nullptr,
	 nullptr},
	{'o', "output", "DIR", "where to", OPTION_TEXT, offsetof(struct fields, text), nullptr,
	 nullptr},
	{0, "buffer", "SIZE", "how much", OPTION_SIZE, offsetof(struct fields, size), nullptr,
	 nullptr},
	{'E', "event", "EVENT", "which", OPTION_CALL, offsetof(struct fields, list), options_add,
	 nullptr},
	OPTION_ROW_HELP,
	{'V', "version", nullptr, "the version", OPTION_VERSION, 0, nullptr, nullptr},
	{},
};

const struct option_hint hints[] = {
	{"-z", "Use -f."},
	{"--zeta", "Use --flag."},
	{},
};

class Options : public ::testing::Test
{
      protected:
	struct fields f = {};
	struct error err = {};

	void TearDown() override
	{
		free(f.list.item);
	}

	int parse(std::vector<const char *> words, bool is_command = true)
	{
		words.insert(words.begin(), "iotrace");
		words.push_back(nullptr);
		err = {};
		return options_parse(rows, hints, is_command, &f,
				     static_cast<int>(words.size()) - 1,
				     const_cast<char **>(words.data()), &err);
	}

	std::string refused(std::vector<const char *> words)
	{
		EXPECT_EQ(parse(std::move(words)), -1);
		return error_lines(err);
	}
};

TEST_F(Options, AnOptionIsNoValue)
{
	EXPECT_EQ(refused({"-o", "-q"}),
		  "option '--output' needs a value, and '-q' looks like an option; if it is the "
		  "value: --output=-q");
	EXPECT_NE(refused({"--output", "--flag"}), "");
	EXPECT_NE(refused({"-E", "-f"}), "");
	EXPECT_NE(refused({"--event", "--buffer=3"}), "");
	EXPECT_EQ(f.text, nullptr);
	EXPECT_EQ(parse({"-o-q"}), 2);
	EXPECT_STREQ(f.text, "-q");
	EXPECT_EQ(parse({"--output=-f", "-E", "-x", "-E", "--buf", "-E", "-"}), 8);
	EXPECT_STREQ(f.text, "-f");
	EXPECT_EQ(f.list.count, 3U);
	EXPECT_EQ(parse({"-o", "-"}), 3);
	EXPECT_STREQ(f.text, "-");
}

TEST_F(Options, EveryTypeGoesToItsField)
{
	EXPECT_EQ(parse({"-f", "-vv", "--verbose", "-o", "dir", "--buffer=4K", "-E", "a", "--event",
			 "b", "ls"}),
		  11);
	EXPECT_TRUE(f.flag);
	EXPECT_EQ(f.count, 3);
	EXPECT_STREQ(f.text, "dir");
	EXPECT_EQ(f.size, 4096U);
	ASSERT_EQ(f.list.count, 2U);
	EXPECT_STREQ(f.list.item[0], "a");
	EXPECT_STREQ(f.list.item[1], "b");
}

TEST_F(Options, TheCommandsOwnOptionsAreLeftAlone)
{
	EXPECT_EQ(parse({"-f", "ls", "-o", "x", "--help"}), 2);
	EXPECT_EQ(f.text, nullptr);
	EXPECT_EQ(parse({"--", "-f"}), 2);
	EXPECT_EQ(parse({}), 1);
	/* Where operands are no command, options may follow them. */
	EXPECT_EQ(parse({"file", "-o", "x"}, false), 3);
	EXPECT_STREQ(f.text, "x");
}

TEST_F(Options, HelpAndVersionEndIt)
{
	EXPECT_EQ(parse({"-f", "--help", "--nonsense"}), OPTIONS_HELP);
	EXPECT_EQ(parse({"-V"}), OPTIONS_VERSION);
}

TEST_F(Options, WhatIsNotUnderstoodIsNamedAndTheNearestToo)
{
	EXPECT_EQ(refused({"--ouptut", "x"}),
		  "unknown option '--ouptut'; did you mean '--output'?");
	EXPECT_EQ(refused({"--bufer=4"}), "unknown option '--bufer'; did you mean '--buffer'?");
	EXPECT_EQ(refused({"--nonsense"}), "unknown option '--nonsense'");
	EXPECT_EQ(refused({"-x"}), "unknown option '-x'");
	EXPECT_EQ(refused({"-fx"}), "unknown option '-x'");
	EXPECT_EQ(refused({"-o"}), "option '-o' needs a value: --output DIR");
	EXPECT_EQ(refused({"--output"}), "option '--output' needs a value: --output DIR");
	EXPECT_EQ(refused({"--flag=1"}), "option '--flag' takes no value");
	EXPECT_EQ(refused({"--buffer", "1"}), "--buffer: size '1' is too small: the minimum is 4K");
	EXPECT_EQ(refused({"--buffer", "4194304T"}),
		  "--buffer: size '4194304T' is too large: it must be less than 4194304T");
	EXPECT_EQ(
		refused({"--buffer", "much"}),
		"--buffer: invalid size 'much': expected a number of bytes, for example 65536, 64K or 4M");
	EXPECT_EQ(refused({"-E", ""}), "-E: the value is empty");
}

TEST_F(Options, AnOptionOfAnotherToolHasAHint)
{
	EXPECT_EQ(refused({"-z"}), "unknown option '-z'\nUse -f.");
	EXPECT_EQ(refused({"-fz"}), "unknown option '-z'\nUse -f.");
	EXPECT_EQ(refused({"--zeta=4"}), "unknown option '--zeta'\nUse --flag.");
	EXPECT_EQ(refused({"--zet"}), "unknown option '--zet'") << "it is no option either";
}

TEST_F(Options, Sizes)
{
	const struct {
		const char *text;
		uint64_t size;
	} good[] = {
		{"5000", 5000},    {"4096", 4096},     {"4K", 4096},       {"4k", 4096},
		{"1.5M", 3 << 19}, {"2G", 2ULL << 30}, {"1T", 1ULL << 40}, {"4KiB", 4096},
		{"4KB", 4096},     {"5000B", 5000},    {"4kib", 4096},     {"10mb", 10 << 20},
		{"5000b", 5000},
	};
	uint64_t size;

	for (const auto &row : good) {
		EXPECT_EQ(options_size(&size, row.text, &err), 0) << row.text << ": " << err.text;
		EXPECT_EQ(size, row.size) << row.text;
	}
	for (const char *bad :
	     {"",    "0",    "-1",    "+1",  " 1",  "1 ",  "K",        "1KK",
	      "1iB", "1X",   "0x10",  "inf", "nan", "1e3", "4194304T", "99999999999999999999",
	      "0.5", "1..5", "1.5.5", "1",   "4095"})
		EXPECT_LT(options_size(&size, bad, &err), 0) << bad;
}

TEST_F(Options, HelpShowsEveryRowWithin80Columns)
{
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);
		char *text = nullptr;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		command_help(command, out);
		fclose(out);
		std::string help(text, size);
		free(text);
		for (const struct option_row *row = command->row; row->name; row++)
			EXPECT_NE(help.find(std::string("--") + row->name), std::string::npos)
				<< row->name;
		size_t from = 0, end;
		for (; (end = help.find('\n', from)) != std::string::npos; from = end + 1)
			EXPECT_LE(end - from, 80U) << help.substr(from, end - from);
	}
}

TEST(Rows, AreUniqueAndComplete)
{
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);
		bool has_help = false;

		EXPECT_EQ(command_find(command->name), command);
		for (const struct option_row *row = command->row; row->name; row++) {
			has_help |= row->type == OPTION_HELP;
			EXPECT_EQ(row->type == OPTION_CALL, row->parse != nullptr) << row->name;
			bool takes = row->type == OPTION_TEXT || row->type == OPTION_SIZE;
			bool may_take = takes || row->type == OPTION_CALL;
			EXPECT_TRUE(row->arg ? may_take : !takes) << row->name;
			EXPECT_TRUE(row->offset < command->size || !may_take) << row->name;
			for (const struct option_row *other = command->row; other != row; other++) {
				EXPECT_STRNE(other->name, row->name);
				EXPECT_TRUE(!row->short_name ||
					    other->short_name != row->short_name)
					<< row->name;
			}
		}
		EXPECT_TRUE(has_help) << command->name;
	}
	EXPECT_EQ(command_find("nonsense"), nullptr);
}

TEST(Nearest, HintsOnlyWhatIsNear)
{
	EXPECT_STREQ(command_nearest("convetr"), "convert");
	EXPECT_STREQ(command_nearest("rceord"), "record");
	EXPECT_STREQ(command_nearest("cbeck"), "check");
	EXPECT_STREQ(command_nearest("check-archiv"), "check-archive");
	EXPECT_STREQ(command_nearest("summary"), "report");
	EXPECT_STREQ(command_nearest("stats"), "stat");
	EXPECT_STREQ(command_nearest("helpp"), "help");
	EXPECT_STREQ(command_nearest("vversion"), "version");
	EXPECT_EQ(command_nearest("ls"), nullptr);
	EXPECT_EQ(command_nearest("make"), nullptr);
	EXPECT_EQ(command_nearest(""), nullptr);
}

class Select : public ::testing::Test
{
      protected:
	struct error err = {};
	uint32_t groups = 0;
	static constexpr uint32_t always = 1U << GROUP_OPEN | 1U << GROUP_TASK;

	uint32_t parse(const char *spec)
	{
		groups = 0;
		EXPECT_EQ(select_parse(&groups, spec, &err), 0) << err.text;
		return groups;
	}

	std::string refused(const char *spec)
	{
		groups = 77;
		EXPECT_LT(select_parse(&groups, spec, &err), 0) << spec;
		EXPECT_EQ(groups, 77U) << "a refused value changes nothing";
		return error_lines(err);
	}
};

TEST_F(Select, Specs)
{
	EXPECT_EQ(parse("data"), always | 1U << GROUP_DATA);
	EXPECT_EQ(parse("data,sync"), always | 1U << GROUP_DATA | 1U << GROUP_SYNC);
	EXPECT_EQ(parse("+mmap"),
		  select_default() | 1U << GROUP_MAP | 1U << GROUP_FAULT | 1U << GROUP_WRITEBACK);
	EXPECT_EQ(parse("-net,-meta"), select_default() & ~(1U << GROUP_NET | 1U << GROUP_META));
	const uint32_t none = 1U << GROUP_URING | 1U << GROUP_FAULT | 1U << GROUP_WRITEBACK;
	const uint32_t calls = ((1U << GROUP_COUNT) - 1) & ~none;

	EXPECT_EQ(parse("all"), calls) << "requests, page faults and writeback are no calls";
	EXPECT_EQ(parse("all,+uring"), calls | 1U << GROUP_URING);
	EXPECT_EQ(parse("all,-mmap"), calls & ~(1U << GROUP_MAP));
	EXPECT_EQ(parse("default"), select_default());
	EXPECT_EQ(parse("-all,data"), always | 1U << GROUP_DATA);
	EXPECT_EQ(select_default() & always, always);
}

TEST_F(Select, Refusals)
{
	EXPECT_EQ(refused("nonsense"),
		  "unknown group of system calls 'nonsense': expected data, sync, open, meta, dir, "
		  "lock, net, mmap, aio, uring, fault, writeback, task, all or default");
	EXPECT_EQ(refused("data,synk").substr(0, 59),
		  "unknown group of system calls 'synk' (did you mean 'sync'?)");
	EXPECT_EQ(refused("data,pread64"), "'pread64' is a system call; its group is data");
	EXPECT_EQ(refused("-open"),
		  "group 'open' cannot be removed, because all other groups depend on it");
	EXPECT_EQ(refused("-task"),
		  "group 'task' cannot be removed, because all other groups depend on it");
	refused("");
	refused("data,");
	refused("+");
	refused("++data");
}

} // namespace
