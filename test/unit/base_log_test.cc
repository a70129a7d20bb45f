// log: levels, lines, escaping, and what the default writer puts on standard error.
#include <iotrace/log.h>

#include <iotrace/error.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace
{

std::vector<std::pair<enum log_level, std::string>> lines;

void keep(enum log_level level, const char *line)
{
	lines.emplace_back(level, line);
	errno = EBADF; /* as a writer may leave it */
}

class Log : public testing::Test
{
      protected:
	void SetUp() override
	{
		lines.clear();
		log_set_writer(keep);
	}
	void TearDown() override
	{
		log_set_writer(nullptr);
		log_set_level(LOG_WARN);
		log_set_columns(0);
	}
};

TEST_F(Log, DefaultLevelIsWarn)
{
	EXPECT_EQ(log_level(), LOG_WARN);
	log_error("e %d", 1);
	log_warn("w");
	log_info("i");
	log_debug("d");
	ASSERT_EQ(lines.size(), 2u);
	EXPECT_EQ(lines[0], std::make_pair(LOG_ERROR, std::string("e 1")));
	EXPECT_EQ(lines[1], std::make_pair(LOG_WARN, std::string("w")));
}

TEST_F(Log, LinesAboveTheLevelAreNotEvaluated)
{
	int evaluated = 0;

	log_info("%d", ++evaluated);
	EXPECT_EQ(evaluated, 0);
	log_set_level(LOG_INFO);
	log_info("%d", ++evaluated);
	EXPECT_EQ(evaluated, 1);
	ASSERT_EQ(lines.size(), 1u);
}

/* Otherwise, a file name could look like a message of its own. */
TEST_F(Log, ANewlineInANameBeginsNoLine)
{
	struct error err = {};

	error_set(&err, ENOENT, "open %s", "a\niotrace: all is well");
	error_hint(&err, "Remove %s", "a\nb");
	error_hint(&err, "or not");
	log_failure(LOG_ERROR, &err);
	log_warn("%s", "one\ntwo\n");
	ASSERT_EQ(lines.size(), 4u);
	EXPECT_EQ(lines[0].second, "open a\\niotrace: all is well: No such file or directory");
	EXPECT_EQ(lines[1].second, "Remove a\\nb");
	EXPECT_EQ(lines[2].second, "or not");
	EXPECT_EQ(lines[3].second, "one\\ntwo\\n");
}

TEST_F(Log, AnEmptyMessageIsALine)
{
	log_warn("%s", "");
	ASSERT_EQ(lines.size(), 1u);
	EXPECT_EQ(lines[0].second, "");
}

TEST_F(Log, ForeignBytesAreEscaped)
{
	log_warn("open %s", "a\033[31m\xff\u00e4");
	ASSERT_EQ(lines.size(), 1u);
	EXPECT_EQ(lines[0].second, "open a\\x1b[31m\\xff\u00e4");
}

TEST_F(Log, LongLinesAreWhole)
{
	std::string name(10000, '\001');

	log_warn("%s", name.c_str());
	ASSERT_EQ(lines.size(), 1u);
	EXPECT_EQ(lines[0].second.size(), 40000u);
}

TEST_F(Log, ErrnoIsKept)
{
	errno = EXDEV;
	log_warn("%s", std::string(100000, 'x').c_str());
	EXPECT_EQ(errno, EXDEV);
}

TEST_F(Log, TheDefaultWriterIsStandardError)
{
	log_set_writer(nullptr);
	testing::internal::CaptureStderr();
	testing::internal::CaptureStdout();
	log_error("one");
	log_error("two");
	EXPECT_EQ(testing::internal::GetCapturedStderr(), "iotrace: one\niotrace: two\n");
	EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

/* What the default writer says on a terminal of 40 columns. */
std::string on_terminal(const char *line)
{
	log_set_writer(nullptr);
	log_set_columns(40);
	testing::internal::CaptureStderr();
	log_error("%s", line);
	return testing::internal::GetCapturedStderr();
}

TEST_F(Log, OnATerminalLinesEndBetweenWords)
{
	EXPECT_EQ(on_terminal("short"), "iotrace: short\n");
	EXPECT_EQ(on_terminal("--x: unknown word 'a': expected one, two, three, four or five"),
		  "iotrace: --x: unknown word 'a': expected\n  one, two, three, four or five\n");
	EXPECT_EQ(on_terminal("to see the summary of this, 'iotrace report' prints it"),
		  "iotrace: to see the summary of this,\n  'iotrace report' prints it\n");
}

TEST_F(Log, OnATerminalACommandToCopyStaysWhole)
{
	EXPECT_EQ(
		on_terminal(
			"To let others record: setcap a,b+ep /usr/local/bin/iotrace && sysctl b=1"),
		"iotrace: To let others record:\n  setcap a,b+ep /usr/local/bin/iotrace && sysctl b=1\n");
	EXPECT_EQ(on_terminal("To remove it: rm -r .a"), "iotrace: To remove it: rm -r .a\n");
	EXPECT_EQ(on_terminal("a\\b\\c\\d d 'no end of a quote in these words"),
		  "iotrace: a\\\\b\\\\c\\\\d d 'no end of a quote\n  in these words\n");
}

} // namespace
