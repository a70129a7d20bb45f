/*
 * The options of record: what they become for the kernel side, and what does not go together.
 */
#include "command.h"
#include "error_lines.h"
#include "record/record_options.h"

#include <iotrace/error.h>

#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

class Record : public ::testing::Test
{
      protected:
	struct record_options options = {};
	struct error err = {};
	char word[8] = "true";
	char *argv[2] = {word, nullptr}; /* the command */

	void SetUp() override
	{
		record_options_init(&options);
	}

	void TearDown() override
	{
		record_options_release(&options);
	}

	/* Returns the first trouble, or "". */
	std::string say(std::vector<const char *> words, bool has_command = true)
	{
		record_options_release(&options);
		options = {};
		record_options_init(&options);
		err = {};
		words.insert(words.begin(), "iotrace");
		words.push_back(nullptr);
		if (options_parse(record_rows, record_hints, true, &options, int(words.size()) - 1,
				  const_cast<char **>(words.data()), &err) < 0)
			return error_lines(err);
		return record_options_complete(&options, has_command ? argv : nullptr, &err)
			       ? error_lines(err)
			       : "";
	}

	/* What it says until the next one. */
	const struct recording &live(std::vector<const char *> words, bool has_command = true)
	{
		EXPECT_EQ(say(std::move(words), has_command), "");
		return options.recording;
	}
};

TEST_F(Record, WhatIsThereByDefault)
{
	const struct recording process = live({});
	const struct recording system = live({"-a"});

	EXPECT_FALSE(process.is_system);
	EXPECT_EQ(process.blocks.choice, BLOCK_NONE);
	EXPECT_EQ(process.sample_interval, 0u);
	EXPECT_TRUE(system.is_system);
	EXPECT_EQ(system.blocks.choice, BLOCK_ALL);
	EXPECT_FALSE(system.blocks.is_given);
	EXPECT_EQ(system.sample_interval, 100000000u);
	EXPECT_EQ(system.blocks.mode, unsigned(BLOCK_EVENTS | BLOCK_SAMPLES));
	EXPECT_EQ(live({"-a"}, false).duration, 0u);
}

TEST_F(Record, BlockRequests)
{
	EXPECT_EQ(live({"--block"}).blocks.choice, BLOCK_OWN);
	EXPECT_TRUE(live({"--block"}).blocks.is_given);
	EXPECT_NE(live({"--block"}).sample_interval, 0u);
	EXPECT_EQ(live({"--block=all"}).blocks.choice, BLOCK_ALL);
	EXPECT_EQ(live({"-a", "--block=own"}).blocks.choice, BLOCK_OWN);
	EXPECT_EQ(live({"-a", "--block=none"}).blocks.choice, BLOCK_NONE);
	EXPECT_EQ(live({"-a", "--no-block"}).blocks.choice, BLOCK_NONE);
	EXPECT_EQ(live({"-p", "1", "--block"}, false).blocks.choice, BLOCK_OWN);
	for (const char *choice : {"--comm=dd", "--uid=0", "--cgroup=x"}) {
		EXPECT_EQ(live({"-a", choice}).blocks.choice, BLOCK_OWN) << choice;
		EXPECT_EQ(live({"-a", "--device=sda", choice}).blocks.choice, BLOCK_OWN) << choice;
		EXPECT_EQ(live({"-a", "--block=all", choice}).blocks.choice, BLOCK_ALL) << choice;
		EXPECT_EQ(live({"-a", "--no-block", choice}).blocks.choice, BLOCK_NONE) << choice;
	}
	EXPECT_EQ(live({"--comm=dd"}).blocks.choice, BLOCK_NONE);
	EXPECT_EQ(live({"--comm=dd", "--block"}).blocks.choice, BLOCK_OWN);
	EXPECT_EQ(live({"--block-mode", "samples", "--block"}).blocks.mode,
		  unsigned(BLOCK_SAMPLES));
	EXPECT_EQ(live({"--sample-interval", "0", "-a"}).sample_interval, 0u);
	EXPECT_EQ(live({"--sample-interval", "2.5", "-a"}).sample_interval, 2500000u);
}

TEST_F(Record, DevicesAreThoseOfBothOptions)
{
	const struct recording &said = live({"-a", "--block=sda,sdb", "--device", "nvme0n1"});

	ASSERT_EQ(said.blocks.devices.count, 3u);
	EXPECT_STREQ(said.blocks.devices.item[0], "sda");
	EXPECT_STREQ(said.blocks.devices.item[1], "sdb");
	EXPECT_STREQ(said.blocks.devices.item[2], "nvme0n1");
	EXPECT_EQ(said.blocks.choice, BLOCK_ALL);
	live({"-a", "--block=/dev/sda,/dev/", "--device", "/dev/nvme0n1",
	      "--device=/dev/mapper/a"});
	ASSERT_EQ(said.blocks.devices.count, 4u);
	EXPECT_STREQ(said.blocks.devices.item[0], "sda");
	EXPECT_STREQ(said.blocks.devices.item[1], "/dev/");
	EXPECT_STREQ(said.blocks.devices.item[2], "nvme0n1");
	EXPECT_STREQ(said.blocks.devices.item[3], "/dev/mapper/a");
	EXPECT_EQ(live({"--device", "sda"}).blocks.choice, BLOCK_OWN);
	EXPECT_EQ(live({"--block=all,sda"}).blocks.choice, BLOCK_ALL);
	EXPECT_EQ(say({"--no-block", "--device", "sda"}),
		  "--device cannot be combined with --block=none");
	EXPECT_EQ(say({"--block=sda,"}), "--block: the name of a device is missing");
}

TEST_F(Record, AProcessIsRecordedOnce)
{
	const struct number_list &pids = live({"-p", "7,8,7", "-p", "8,9"}, false).pids;

	EXPECT_EQ(std::vector<uint32_t>(pids.item, pids.item + pids.count),
		  (std::vector<uint32_t>{7, 8, 9}));
}

TEST_F(Record, ChoicesMayBeRepeated)
{
	std::string me = std::to_string(getuid());
	const struct recording &said = live({"-a", "--uid", "root", "--uid", me.c_str(), "--comm",
					     "cc1*", "--comm", "ld", "--cgroup", "a", "--cgroup",
					     "b", "--path", "/x/*", "--exclude-path", "*.o"});

	ASSERT_EQ(said.users.ids.count, 2u);
	EXPECT_EQ(said.users.ids.item[0], 0u);
	EXPECT_EQ(said.users.ids.item[1], getuid());
	EXPECT_STREQ(said.users.names.item[0], "root");
	EXPECT_EQ(said.users.names.item[1], me);
	EXPECT_EQ(said.selection.comms.count, 2u);
	EXPECT_EQ(said.cgroups.count, 2u);
	ASSERT_EQ(said.selection.paths.count, 1u);
	EXPECT_STREQ(said.selection.paths.item[0], "/x/*");
	ASSERT_EQ(said.selection.excluded.count, 1u);
	EXPECT_STREQ(said.selection.excluded.item[0], "*.o");
}

TEST_F(Record, WhatDoesNotGoTogether)
{
	EXPECT_EQ(say({}, false), "no command: iotrace [OPTION]... [--] COMMAND [ARG]..., -p PID, "
				  "or -a for the whole machine");
	EXPECT_EQ(say({"-p", "1"}), "either -p PID or a command, not both");
	EXPECT_EQ(say({"-p", "1", "-a"}, false), "either -p PID or -a, not both");
	EXPECT_EQ(say({"--cgroup", "x"}), "--cgroup works only with -a");
	EXPECT_EQ(say({"-a", "-E", "page-faults"}),
		  "-E cannot be combined with -a: the kernel does not count for each thread then");
}

TEST_F(Record, WordsThatAreNotUnderstood)
{
	for (const char *time :
	     {"-1", "0", "1e3", "0x10", "", ".", "1 s", "1.2.3", "s", "99999999999", "0.1ns", "5d"})
		EXPECT_EQ(
			say({"--duration", time, "-a"}),
			std::string("--duration: invalid time '") + time +
				"': expected a number of seconds above 0, or with ns, us, ms, s, m or h, "
				"for example 10, 0.5 or 20ms");
	for (const char *number : {"", "-1", "2", "3x", "0x10", "99999999999"})
		EXPECT_EQ(say({"--ready-fd", number}),
			  std::string("--ready-fd: invalid descriptor '") + number +
				  "': expected a number of at least 3");
	EXPECT_EQ(say({"--sample-interval", "0.1"}),
		  "--sample-interval: invalid interval '0.1': expected at least 1 ms, or 0 for "
		  "no samples");
	EXPECT_EQ(say({"--uid", "nobody-of-that-name"}),
		  "--uid: no user 'nobody-of-that-name' on this machine");
	EXPECT_EQ(say({"--comm", "a\"b"}),
		  "--comm: invalid pattern 'a\"b': expected at most 200 characters, without '\"'");
	EXPECT_EQ(say({"--block-mode", "all"}),
		  "--block-mode: unknown mode 'all': expected events, samples or both");
	for (const char *event : {"sched", ":x", "sched:", "sched:=a", "sched:x="})
		EXPECT_EQ(say({"-e", event}),
			  std::string("-e: invalid tracepoint '") + event +
				  "': expected SYSTEM:EVENT or SYSTEM:EVENT=FIELD,...\n"
				  "To list all tracepoints: iotrace list -e '*'");
	EXPECT_EQ(
		say({"-e", "sched:*"}),
		"-e: 'sched:*' is a pattern, but this option takes a single "
		"tracepoint: SYSTEM:EVENT "
		"or SYSTEM:EVENT=FIELD,...\nTo list the matching tracepoints: iotrace list -e 'sched:*'");
	for (const char *call : {"trace=open,read", "trace=%file", "openat", "read,write"})
		EXPECT_EQ(
			say({"-e", call}),
			std::string("-e: invalid tracepoint '") + call +
				"': expected SYSTEM:EVENT or SYSTEM:EVENT=FIELD,...\nTo "
				"choose system calls, use --syscalls; 'iotrace list' shows their groups");
	EXPECT_EQ(say({"--block=ownn"}), "--block: no block device 'ownn'; did you mean 'own'?");
	EXPECT_EQ(say({"--block=no-such-device"}), "") << "the kernel is asked later";
	EXPECT_EQ(
		say({"-p", "bash"}, false),
		"-p: invalid process id 'bash': expected a number, or several separated by commas\n"
		"To record the programs with that name: iotrace -a --comm bash");
}

/* A row of another tool is no option of ours: it would never be seen. */
TEST_F(Record, OptionsOfOtherToolsHaveHints)
{
	for (const struct option_hint *hint = record_hints; hint->option; hint++)
		EXPECT_EQ(say({hint->option}),
			  std::string("unknown option '") + hint->option + "'\n" + hint->hint);
}

TEST_F(Record, ATimeInSecondsBecomesNanoseconds)
{
	EXPECT_EQ(live({"-a", "--duration", "0.25"}, false).duration, 250000000u);
	EXPECT_EQ(live({"-a", "--ready-fd", "10"}).ready_fd, 10);
	EXPECT_EQ(live({"-p", "1", "--duration", "2"}, false).duration, 2000000000u);
	EXPECT_EQ(live({"--duration", "3"}).duration, 3000000000u) << "of a command";
}

/* Files have absolute paths; what a shell would take from the current directory is taken from there. */
TEST_F(Record, RelativePatternsBecomeAbsolute)
{
	char before[4096], made[] = "/tmp/iotrace-test-[x]XXXXXX";
	ASSERT_NE(getcwd(before, sizeof(before)), nullptr);
	ASSERT_NE(mkdtemp(made), nullptr);
	ASSERT_EQ(chdir(made), 0);
	std::string here = std::string("/tmp/iotrace-test-\\[x]") + (strchr(made, ']') + 1);
	const struct {
		const char *given;
		std::string is;
	} row[] = {
		{"lib/*", here + "/lib/*"},
		{"./lib/*", here + "/lib/*"},
		{"?.c", here + "/?.c"},
		{"[ab]", here + "/[ab]"},
		{"../x*", "/tmp/x*"},
		{"../../../x", "/x"},
		{".", here},
		{"..", "/tmp"},
		{"/abs/*", "/abs/*"},
		{"*.c", "*.c"},
	};

	for (const auto &r : row) {
		const struct recording &live = this->live(
			{"--path", r.given, "--exclude-path", r.given});
		EXPECT_EQ(std::string(live.selection.paths.item[0]), r.is) << r.given;
		EXPECT_EQ(std::string(live.selection.excluded.item[0]), r.is) << r.given;
	}
	EXPECT_EQ(chdir(before), 0);
	rmdir(made);
}

} // namespace
