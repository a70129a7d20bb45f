/*
 * Options that stand in files and in the environment: how a line is read, who comes last, and what is refused.
 */
#include "command.h"
#include "error_lines.h"
#include "option/options_files.h"
#include "record/record_options.h"
#include "scratch_dir.h"

#include <iotrace/error.h>
#include <iotrace/log.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace
{

using Words = std::vector<std::string>;

std::map<std::string, std::string> environment;
std::string said;

const char *variable(const char *name)
{
	auto found = environment.find(name);

	return found == environment.end() ? nullptr : found->second.c_str();
}

void hear(enum log_level, const char *line)
{
	said += std::string(line) + "\n";
}

const char way_out[] = "\nTo record without these options: --no-defaults";

class Files : public testing::Test
{
      protected:
	ScratchDir scratch;
	std::string machine = scratch.path("etc"), user = scratch.path("iotrace/options");
	struct options_paths places = {machine.c_str(), variable, false};
	struct options_lines lines = {};
	struct record_options options = {};
	struct error err = {};

	void SetUp() override
	{
		environment.clear();
		environment["XDG_CONFIG_HOME"] = scratch.path("");
		environment["XDG_CONFIG_HOME"].pop_back();
		std::filesystem::create_directory(scratch.path("iotrace"));
		record_options_init(&options);
		said.clear();
		log_set_writer(hear);
	}

	void TearDown() override
	{
		log_set_writer(nullptr);
		record_options_release(&options);
		options_lines_release(&lines);
	}

	static void write(const std::string &path, const std::string &text)
	{
		std::ofstream(path, std::ios::binary) << text;
		ASSERT_EQ(chmod(path.c_str(), 0644), 0);
	}

	/* Returns the error, or "". */
	std::string read()
	{
		options_lines_release(&lines);
		err = {};
		return options_files_read(&lines, &places, &err) ? error_lines(err) : "";
	}

	std::string parse()
	{
		std::string trouble = read();

		if (trouble.empty() &&
		    options_files_parse(&lines, record_rows, record_hints, &options, &err))
			return error_lines(err);
		return trouble;
	}

	/* Returns "NAME:LINE WORDS" of each. */
	Words all() const
	{
		Words found;

		for (uint32_t i = 0; i < lines.count; i++) {
			std::string from = lines.line[i].from;
			char *text = options_line_text(&lines.line[i]);

			found.push_back(from.substr(from.rfind('/') + 1) + ":" +
					std::to_string(lines.line[i].line) + " " + text);
			free(text);
		}
		return found;
	}

	/* Returns the words of one line, or what is wrong with it. */
	Words words(const std::string &line)
	{
		write(user, line);
		std::string trouble = read();
		Words found;

		if (!trouble.empty())
			return {trouble};
		for (uint32_t i = 0; i < lines.count; i++)
			for (int k = 1; k < lines.line[i].argc; k++)
				found.emplace_back(lines.line[i].argv[k]);
		return found;
	}
};

TEST_F(Files, ALineIsReadAsAShellWould)
{
	EXPECT_EQ(words("--top 3"), (Words{"--top", "3"}));
	EXPECT_EQ(words(" \t--top\t3 \r\n"), (Words{"--top", "3"}));
	EXPECT_EQ(words("--path '/a b' # c"), (Words{"--path", "/a b"}));
	EXPECT_EQ(words("--path /a#b"), (Words{"--path", "/a#b"}));
	EXPECT_EQ(words("--path=\"/a\"' b'\\ c"), (Words{"--path=/a b c"}));
	EXPECT_EQ(words("--path \"\\\"\\\\\\n'#\""), (Words{"--path", "\"\\\\n'#"}));
	EXPECT_EQ(words("--path '\\'"), (Words{"--path", "\\"}));
	EXPECT_EQ(words("--path ''"), (Words{"--path", ""}));
	EXPECT_EQ(words("--path $HOME~*"), (Words{"--path", "$HOME~*"}));
	EXPECT_EQ(words("# only a comment\n\n \n"), (Words{}));
	EXPECT_EQ(words(""), (Words{}));
	EXPECT_EQ(words("-q\n-v"), (Words{"-q", "-v"}));
}

TEST_F(Files, WhatIsNoLineIsRefusedWithItsNumber)
{
	const struct {
		const char *line, *wrong;
	} row[] = {
		{"--path 'a", "a quotation mark (') is not closed"},
		{"--path \"a\\\"", "a quotation mark (\") is not closed"},
		{"--path a\\", "it ends with a backslash, but lines cannot be continued"},
	};

	for (const auto &[line, wrong] : row)
		EXPECT_EQ(words(std::string("-q\n\n") + line + "\n-v\n"),
			  (Words{user + ", line 3: " + wrong + way_out}));
	EXPECT_EQ(words(std::string("-q\n-\0v", 6)),
		  (Words{user + ", line 2: it contains a NUL byte, so it is not text" + way_out}));
}

TEST_F(Files, TextOfALineIsReadAsTheSameWords)
{
	const std::string line = "--path 'a'\\''b \"$#' '' -o=/x,y";

	EXPECT_EQ(words(line), (Words{"--path", "a'b \"$#", "", "-o=/x,y"}));
	EXPECT_EQ(all(), (Words{"options:1 --path 'a'\\''b \"$#' '' -o=/x,y"}));
}

TEST_F(Files, TheMachineTheUserAndTheEnvironmentInThisOrder)
{
	write(machine, "--top 1\n--path /m\n");
	write(user, "\n--top 2 --path /u\n");
	environment["IOTRACE_OPTIONS"] = "--top 3 # mine\n--path /e";

	ASSERT_EQ(parse(), "");
	EXPECT_EQ(all(), (Words{"etc:1 --top 1", "etc:2 --path /m", "options:2 --top 2 --path /u",
				"IOTRACE_OPTIONS:0 --top 3", "IOTRACE_OPTIONS:0 --path /e"}));
	EXPECT_EQ(options.output.top, 3U);
	ASSERT_EQ(options.recording.selection.paths.count, 3U);
	EXPECT_STREQ(options.recording.selection.paths.item[2], "/e");
}

TEST_F(Files, TheUsersFileIsWhereTheSpecificationSays)
{
	std::filesystem::create_directories(scratch.path("home/.config/iotrace"));
	write(scratch.path("home/.config/iotrace/options"), "--strict");
	write(user, "-q");
	environment["HOME"] = scratch.path("home");

	EXPECT_EQ(read(), "");
	EXPECT_EQ(all(), (Words{"options:1 -q"}));
	for (const char *config : {"", "relative"}) {
		environment["XDG_CONFIG_HOME"] = config;
		EXPECT_EQ(read(), "");
		EXPECT_EQ(all(), (Words{"options:1 --strict"}));
	}
	environment["HOME"] = "";
	EXPECT_EQ(read(), "");
	EXPECT_EQ(all(), (Words{}));
	environment.clear();
	EXPECT_EQ(read(), "");
}

TEST_F(Files, OnlyOptionsOfARecordingHold)
{
	const struct {
		const char *line, *wrong;
	} row[] = {
		{"--topp 3", "unknown option '--topp'; did you mean '--top'?"},
		{"--top", "option '--top' needs a value: --top N"},
		{"--top many",
		 "--top: invalid number of rows 'many': expected 0 to 10000, for example 10"},
		{"ls -l", "'ls' is not an option, and only options are allowed here"},
		{"-q -- ls", "'ls' is not an option, and only options are allowed here"},
		{"-h", "--help and --version are for the command line only"},
		{"--version", "--help and --version are for the command line only"},
	};

	for (const auto &[line, wrong] : row) {
		environment.erase("IOTRACE_OPTIONS");
		write(user, std::string("\n") + line);
		EXPECT_EQ(parse(), user + ", line 2: " + wrong + way_out);
		write(user, "");
		environment["IOTRACE_OPTIONS"] = line;
		EXPECT_EQ(parse(), std::string("IOTRACE_OPTIONS: ") + wrong + way_out);
	}
}

TEST_F(Files, WhatIsNoTextFileIsRefusedAtOnce)
{
	const std::string head = "cannot use the options in " + user + ": ";

	std::filesystem::create_directory(user);
	EXPECT_EQ(read(), head + "it is not a regular file" + way_out);
	std::filesystem::remove(user);
	ASSERT_EQ(mkfifo(user.c_str(), 0600), 0);
	EXPECT_EQ(read(), head + "it is not a regular file" + way_out);
	std::filesystem::remove(user);
	std::filesystem::create_symlink("/dev/zero", user);
	EXPECT_EQ(read(), head + "it is not a regular file" + way_out);
	std::filesystem::remove(user);
	std::filesystem::create_symlink(user, user);
	EXPECT_EQ(read(), "cannot read the options in " + user +
				  ": Too many levels of symbolic links" + way_out);
	std::filesystem::remove(user);
	write(user, "--path " + std::string(10 << 20, 'x'));
	EXPECT_EQ(read(), head + "it is larger than 64 KiB" + way_out);
	write(user, "--path " + std::string((64 << 10) - 7, 'x'));
	EXPECT_EQ(read(), "");
	EXPECT_EQ(strlen(lines.line[0].argv[2]), (64U << 10) - 7);
	environment["IOTRACE_OPTIONS"] = std::string((64 << 10) + 1, ' ');
	EXPECT_EQ(read(), std::string("IOTRACE_OPTIONS: it is larger than 64 KiB") + way_out);
}

TEST_F(Files, AFileThatOthersMayWriteIsRefused)
{
	const std::string head = "cannot use the options in " + user + ": ";

	write(user, "-q");
	ASSERT_EQ(chmod(user.c_str(), 0664), 0);
	EXPECT_EQ(read(), "");
	ASSERT_EQ(chmod(user.c_str(), 0602), 0);
	EXPECT_EQ(read(), head + "every user may write to it" + way_out);
	if (geteuid()) /* only root can give a file away */
		return;
	ASSERT_EQ(chmod(user.c_str(), 0600), 0);
	ASSERT_EQ(chown(user.c_str(), 65534, 65534), 0);
	EXPECT_EQ(read(), head + "it belongs to another user" + way_out);
}

TEST_F(Files, WithLentRightsOnlyThatOfRootHolds)
{
	places.is_lent = true;
	write(user, "--strict");
	environment["IOTRACE_OPTIONS"] = "-q";
	EXPECT_EQ(parse(), "");
	EXPECT_EQ(all(), (Words{}));
	EXPECT_EQ(said,
		  "the options in IOTRACE_OPTIONS are ignored, because iotrace has capabilities "
		  "that its user does not have. Give them on the command line\n");
	said.clear();
	environment["IOTRACE_OPTIONS"] = " \n";
	EXPECT_EQ(parse(), "");
	EXPECT_EQ(said, "");
	environment.clear();

	write(machine, "-q");
	ASSERT_EQ(chmod(machine.c_str(), 0664), 0);
	EXPECT_EQ(read(), "cannot use the options in " + machine +
				  ": iotrace has capabilities that its user does not have, so this "
				  "file must belong to root, and only root may write to it" +
				  way_out);
	ASSERT_EQ(chmod(machine.c_str(), 0644), 0);
	EXPECT_EQ(read().empty(), geteuid() == 0);
	places.is_lent = false;
	EXPECT_EQ(read(), "");
	EXPECT_EQ(said, "");
}

TEST_F(Files, TheCommandLineTakesBackWhatAFileRefused)
{
	write(user, "--no-block\n");
	for (const char *word : {"--block", "--block=own", "--block=all"}) {
		environment["IOTRACE_OPTIONS"] = word;
		record_options_release(&options);
		options = {};
		record_options_init(&options);
		ASSERT_EQ(parse(), "");
		EXPECT_FALSE(options.recording.blocks.has_choice &&
			     options.recording.blocks.choice == BLOCK_NONE)
			<< word;
	}
}

} // namespace
