// escape: which bytes stand, which are escaped, where a text is cut, and how wide it is.
#include <iotrace/escape.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace
{

std::string text_of(const std::string &in)
{
	std::string out(ESCAPE_MAX * in.size() + 1, '?');

	out.resize(escape_text(&out[0], out.size(), in.data(), in.size()));
	return out;
}

std::string utf8_of(const std::string &in)
{
	std::string out(ESCAPE_MAX * in.size() + 1, '?');

	out.resize(escape_utf8(&out[0], out.size(), in.data(), in.size()));
	return out;
}

std::string hex_of(const std::string &in)
{
	std::string out;
	char hex[8];

	for (unsigned char c : in) {
		snprintf(hex, sizeof(hex), "\\x%02x", c);
		out += hex;
	}
	return out;
}

TEST(Escape, AsciiOneByOne)
{
	for (int c = 0; c < 128; c++) {
		std::string in(1, static_cast<char>(c));
		std::string want = c == '\\'               ? "\\\\"
				   : c == '\n'             ? "\\n"
				   : c == '\t'             ? "\\t"
				   : c == '\r'             ? "\\r"
				   : c >= 0x20 && c < 0x7f ? in
							   : hex_of(in);

		EXPECT_EQ(text_of(in), want) << c;
		want = c == '\\' ? "\\\\" : c ? in : "\\x00";
		EXPECT_EQ(utf8_of(in), want) << c;
	}
}

TEST(Escape, PrintableUtf8Stands)
{
	for (const char *in :
	     {"\u00e4\u00f6\u00fc", "\u20ac", "\u65e5\u672c\u8a9e", "\U0001f600", "\u00a0",
	      "\u0301", "\U0001f468\u200d\U0001f469", "\u0645\u0644\u0641", "\u07ff", "\u0800",
	      "\ud7ff", "\ue000", "\ufffd", "\U00010000", "\U0010fffd"}) {
		EXPECT_EQ(text_of(in), in);
		EXPECT_EQ(utf8_of(in), in);
	}
}

TEST(Escape, InvalidUtf8IsEscapedByteByByte)
{
	const std::string invalid[] = {
		"\x80",             /* a continuation that continues nothing */
		"\xbf\xbf",         /* two of them */
		"\xc3",             /* cut after the lead */
		"\xe2\x82",         /* cut before the last */
		"\xf0\x9f\x98",     /* the same of four */
		"\xc0\x80",         /* overlong NUL */
		"\xc0\xaf",         /* overlong '/' */
		"\xc1\xbf",         /* overlong DEL */
		"\xe0\x80\xaf",     /* overlong of three */
		"\xe0\x9f\xbf",     /* the last overlong of three */
		"\xf0\x80\x80\xaf", /* overlong of four */
		"\xf0\x8f\xbf\xbf", /* the last overlong of four */
		"\xed\xa0\x80",     /* the first surrogate */
		"\xed\xbf\xbf",     /* the last surrogate */
		"\xf4\x90\x80\x80", /* U+110000 */
		"\xf5\x80\x80\x80", /* leads that no character has */
		"\xf8\x88\x80\x80\x80",
		"\xfc\x84\x80\x80\x80\x80",
		"\xfe",
		"\xff\xff",
	};

	for (const std::string &in : invalid) {
		EXPECT_EQ(text_of(in), hex_of(in));
		EXPECT_EQ(utf8_of(in), hex_of(in));
	}
}

TEST(Escape, ACharacterEndsWithTheBytes)
{
	/* The bytes that would make it whole are there, but are not ours. */
	for (const char *in : {"\u00e4", "\u20ac", "\U0001f600"}) {
		for (size_t length = 1; length < strlen(in); length++) {
			char out[64];

			escape_text(out, sizeof(out), in, length);
			EXPECT_EQ(out, hex_of(std::string(in, length)));
		}
	}
}

TEST(Escape, WhatFollowsInvalidBytesIsNotLost)
{
	EXPECT_EQ(text_of("\xe2\x82x"), "\\xe2\\x82x");
	EXPECT_EQ(text_of("\xf0\x9f\u00e4"), "\\xf0\\x9f\u00e4");
	EXPECT_EQ(text_of("\xe2\xe2\x82\xac"), "\\xe2\u20ac");
	EXPECT_EQ(utf8_of("\xc3\n"), "\\xc3\n");
}

TEST(Escape, UnseenCharactersAreEscapedForATerminalOnly)
{
	for (const char *in :
	     {"\xc2\x80",   "\xc2\x85",   "\xc2\x9b",  "\xc2\x9f", /* C1 controls; U+009B is CSI */
	      "\u00ad",     "\u061c",     "\u180e",    "\u200b",   "\u200e", "\u200f",
	      "\u2028",     "\u2029",     "\u202a",    "\u202e",   "\u2060", "\u2066",
	      "\u2069",     "\ufeff",     "\ufff9",    "\ufffe",   "\uffff", "\ufdd0",
	      "\U0001fffe", "\U0010ffff", "\U000e0041"}) {
		EXPECT_EQ(text_of(in), hex_of(in));
		EXPECT_EQ(utf8_of(in), in);
	}
	EXPECT_EQ(text_of("safe\u202egpj.exe"), "safe\\xe2\\x80\\xaegpj.exe");
}

TEST(Escape, ABackslashCannotBeForged)
{
	EXPECT_EQ(text_of("a\\x0a"), "a\\\\x0a");
	EXPECT_EQ(text_of("a\n"), "a\\n");
	EXPECT_EQ(text_of("a\\n"), "a\\\\n");
}

TEST(Escape, CutBetweenUnitsAndTerminated)
{
	const struct {
		const char *in;
		size_t unit; /* each input is the same unit four times */
	} cases[] = {{"aaaa", 1},
		     {"\n\n\n\n", 2},
		     {"\\\\\\\\", 2},
		     {"\xff\xff\xff\xff", 4},
		     {"\u20ac\u20ac\u20ac\u20ac", 3},
		     {"\u202e\u202e\u202e\u202e", 12}};

	for (const auto &c : cases) {
		for (size_t size = 1; size <= 4 * c.unit + 2; size++) {
			std::string out(size, '?');
			size_t length = escape_text(&out[0], size, c.in, strlen(c.in));
			size_t units = std::min<size_t>((size - 1) / c.unit, 4);

			EXPECT_EQ(length, units * c.unit) << c.in << " " << size;
			EXPECT_EQ(out[length], '\0');
		}
	}
}

TEST(Escape, NoRoomAtAllWritesNothing)
{
	char out = '?';

	EXPECT_EQ(escape_text(&out, 0, "abc", 3), 0u);
	EXPECT_EQ(escape_utf8(&out, 0, "abc", 3), 0u);
	EXPECT_EQ(out, '?');
	EXPECT_EQ(escape_text(&out, 1, "abc", 3), 0u);
	EXPECT_EQ(out, '\0');
}

TEST(Escape, PrintWritesTheSame)
{
	const std::string in = std::string("a\0b\xff\n\u20ac\u202e\\", 12);
	char *text = nullptr;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	escape_print(out, in.data(), in.size());
	fclose(out);
	EXPECT_EQ(std::string(text, size), text_of(in));
	free(text);
}

TEST(Escape, Columns)
{
	const struct {
		const char *in;
		size_t columns;
	} cases[] = {{"", 0},       {"abc", 3},        {"\n", 2},         {"\xff", 4},
		     {"\\", 2},     {"\u00e4", 1},     {"a\u0301", 1},    {"\u65e5\u672c", 4},
		     {"\uff21", 2}, {"\U0001f600", 2}, {"\u202e", 12},    {"\u1112\u1161", 2},
		     {"\uac00", 2}, {"\u0300", 0},     {"\u036f", 0},     {"\u0370", 1},
		     {"\u4e00", 2}, {"\U0003134a", 2}, {"\U000e0100", 0}, {"\u00ff", 1}};

	for (const auto &c : cases)
		EXPECT_EQ(escape_columns(c.in, strlen(c.in)), c.columns) << c.in;
}

TEST(Escape, WhatIsEscapedStays)
{
	const struct {
		std::string in, out;
	} cases[] = {{"", ""},
		     {"a\\x1b\\\\b\\", "a\\x1b\\\\b\\"},
		     {"\x1b[2J\\n\n", "\\x1b[2J\\n\\n"},
		     {std::string("\0\\\xff", 3), "\\x00\\\\xff"}};

	for (const auto &c : cases) {
		char *text = nullptr;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		escape_print_again(out, c.in.data(), c.in.size());
		fclose(out);
		EXPECT_EQ(std::string(text, size), c.out);
		free(text);
	}
}

TEST(Escape, UndoGivesTheBytesBack)
{
	const std::string cases[] = {"",
				     "plain",
				     "back\\slash",
				     "\\x41",
				     std::string("\xff\xfe\0\\", 4),
				     "\xc3\xa9\n\t\x1b",
				     "\\\\xff"};

	for (const std::string &text : cases) {
		std::string room(ESCAPE_MAX * text.size() + 1, '?');
		size_t escaped = escape_utf8(room.data(), room.size(), text.data(), text.size());
		size_t length = escape_undo(room.data(), escaped);

		EXPECT_EQ(room.substr(0, length), text);
	}
	char other[] = "\\q \\x4 \\"; /* nothing that was escaped */

	EXPECT_EQ(std::string(other, escape_undo(other, strlen(other))), "\\q \\x4 \\");
}

} // namespace
