// error: the sentence, the cause behind it, and what is kept when it is too long.
#include <iotrace/error.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace
{

TEST(Error, SetAppendsTheCause)
{
	struct error err = {};

	EXPECT_EQ(error_set(&err, EACCES, "open %s", "/dev/null"), -EACCES);
	EXPECT_EQ(err.code, EACCES);
	EXPECT_STREQ(err.text, "open /dev/null: Permission denied");
}

TEST(Error, SetWithoutCodeHasNoCause)
{
	struct error err = {};

	EXPECT_EQ(error_set(&err, 0, "nothing"), 0);
	EXPECT_STREQ(err.text, "nothing");
}

TEST(Error, TooLongWithoutCodeIsSeenToBeCut)
{
	struct error err = {};

	error_set(&err, 0, "%s", std::string(ERROR_TEXT_SIZE, 'x').c_str());
	EXPECT_EQ(err.text, std::string(ERROR_TEXT_SIZE - 4, 'x') + "...");
}

TEST(Error, SayStandsAlone)
{
	struct error err = {};

	EXPECT_EQ(error_say(&err, EINVAL, "the ring has %d pages", 3), -EINVAL);
	EXPECT_EQ(err.code, EINVAL);
	EXPECT_STREQ(err.text, "the ring has 3 pages");
}

TEST(Error, WrapReadsOutsideIn)
{
	struct error err = {};

	error_set(&err, ENOENT, "open id");
	EXPECT_EQ(error_wrap(&err, "tracepoint %s", "a:b"), -ENOENT);
	EXPECT_EQ(err.code, ENOENT);
	EXPECT_STREQ(err.text, "tracepoint a:b: open id: No such file or directory");
}

TEST(Error, HintIsALineOfItsOwn)
{
	struct error err = {};

	error_set(&err, EPERM, "open");
	error_hint(&err, "run `%s`", "iotrace check");
	EXPECT_EQ(err.code, EPERM);
	EXPECT_STREQ(err.text, "open: Operation not permitted");
	error_hint(&err, "or\nelse");
	error_wrap(&err, "outside");
	const char *hint = error_next_hint(&err, nullptr);
	ASSERT_NE(hint, nullptr);
	EXPECT_STREQ(hint, "run `iotrace check`");
	hint = error_next_hint(&err, hint);
	ASSERT_NE(hint, nullptr);
	EXPECT_STREQ(hint, "or\nelse");
	EXPECT_EQ(error_next_hint(&err, hint), nullptr);

	/* Another sentence has other hints. */
	error_set(&err, EIO, "read");
	EXPECT_EQ(error_next_hint(&err, nullptr), nullptr);
}

TEST(Error, HintsThatDoNotFitAreCutOrLeftOut)
{
	struct error err = {};
	std::string most(5000, 'h');

	error_say(&err, EIO, "sentence");
	error_hint(&err, "first");
	error_hint(&err, "%s", most.c_str());
	error_hint(&err, "third");
	const char *hint = error_next_hint(&err, error_next_hint(&err, nullptr));
	ASSERT_NE(hint, nullptr);
	EXPECT_EQ(std::string(hint), std::string(ERROR_TEXT_SIZE - 6 - 2 - 3, 'h') + "...");
	EXPECT_EQ(error_next_hint(&err, hint), nullptr);
}

TEST(Error, NullIsAccepted)
{
	EXPECT_EQ(error_set(nullptr, EIO, "x"), -EIO);
	EXPECT_EQ(error_say(nullptr, EIO, "x"), -EIO);
	EXPECT_LT(error_wrap(nullptr, "x"), 0);
	error_hint(nullptr, "x");
}

TEST(Error, ArgumentsMayBeTheOldText)
{
	struct error err = {};

	error_say(&err, EIO, "inner");
	error_set(&err, EIO, "outer (%s)", err.text);
	EXPECT_STREQ(err.text, "outer (inner): Input/output error");
	error_wrap(&err, "again <%s>", err.text);
	EXPECT_STREQ(
		err.text,
		"again <outer (inner): Input/output error>: outer (inner): Input/output error");
}

TEST(Error, TooLongKeepsTheCause)
{
	struct error err = {};
	std::string path(5000, 'p');
	std::string text;

	error_set(&err, ENAMETOOLONG, "open %s", path.c_str());
	text = err.text;
	EXPECT_EQ(text.size(), ERROR_TEXT_SIZE - 1u);
	EXPECT_EQ(text.substr(0, 8), "open ppp");
	EXPECT_NE(text.find("ppp...: File name too long"), std::string::npos);
}

TEST(Error, ExactlyFullIsNotCut)
{
	struct error err = {};
	std::string full(ERROR_TEXT_SIZE - 1, 'x');

	error_say(&err, EIO, "%s", full.c_str());
	EXPECT_EQ(err.text, full);
	error_say(&err, EIO, "%sy", full.c_str());
	EXPECT_EQ(err.text, full.substr(0, ERROR_TEXT_SIZE - 4) + "...");
}

TEST(Error, TooLongWrapsKeepBothEnds)
{
	struct error err = {};
	std::string outer(2000, 'o');
	std::string text;

	error_say(&err, EIO, "inner end");
	error_wrap(&err, "%s", outer.c_str());
	text = err.text;
	EXPECT_EQ(text.size(), ERROR_TEXT_SIZE - 1u);
	EXPECT_EQ(text.substr(text.size() - 15), "o...: inner end");

	/* A full text still says what it was wrapped in. */
	error_wrap(&err, "outside");
	text = err.text;
	EXPECT_EQ(text.size(), ERROR_TEXT_SIZE - 1u);
	EXPECT_EQ(text.substr(0, 12), "outside: ooo");
	EXPECT_EQ(text.substr(text.size() - 3), "...");
}

TEST(Error, TwoLongOnesShareTheRoom)
{
	struct error err = {};
	std::string inner(ERROR_TEXT_SIZE - 1, 'i');
	std::string outer(2000, 'o');
	std::string text;

	error_say(&err, EIO, "%s", inner.c_str());
	error_wrap(&err, "%s", outer.c_str());
	text = err.text;
	EXPECT_EQ(text.size(), ERROR_TEXT_SIZE - 1u);
	EXPECT_EQ(text.substr(0, 100), std::string(100, 'o'));
	EXPECT_NE(text.find("o...: iii"), std::string::npos);
	EXPECT_EQ(text.substr(text.size() - 4), "i...");
}

TEST(Error, HintOnAFullTextIsKept)
{
	struct error err = {};
	std::string full(ERROR_TEXT_SIZE - 1, 'x');

	error_say(&err, EIO, "%s", full.c_str());
	error_hint(&err, "remedy");
	EXPECT_EQ(err.text, full);
	ASSERT_NE(error_next_hint(&err, nullptr), nullptr);
	EXPECT_STREQ(error_next_hint(&err, nullptr), "remedy");
}

TEST(Error, CutsBetweenCharacters)
{
	for (size_t lead = 0; lead < 4; lead++) {
		struct error err = {};
		std::string name(lead, 'x');
		std::string text;

		for (int i = 0; i < 1000; i++)
			name += "\u20ac";
		error_say(&err, EIO, "%s", name.c_str());
		text = err.text;
		ASSERT_EQ(text.substr(text.size() - 3), "...");
		text.resize(text.size() - 3);
		EXPECT_EQ((text.size() - lead) % 3, 0u);
		EXPECT_GT(text.size(), ERROR_TEXT_SIZE - 9u);
	}
}

} // namespace
