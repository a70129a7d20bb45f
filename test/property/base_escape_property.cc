// escape: for any bytes the result is valid, within its bounds, and can be taken back.
#include <iotrace/escape.h>

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace
{

/* A second opinion: one character or 0, by the table of well-formed sequences of the Unicode Standard. */
size_t well_formed(const std::string &s, size_t at)
{
	struct row {
		int first_low, first_high, second_low, second_high;
		size_t length;
	};
	static const row rows[] = {
		{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	auto byte = [&](size_t i) {
		return i < s.size() ? static_cast<uint8_t>(s[i]) : -1;
	};

	for (const row &r : rows) {
		bool is_good = byte(at) >= r.first_low && byte(at) <= r.first_high;

		if (is_good && r.length > 1)
			is_good = byte(at + 1) >= r.second_low && byte(at + 1) <= r.second_high;
		for (size_t i = 2; is_good && i < r.length; i++)
			is_good = byte(at + i) >= 0x80 && byte(at + i) <= 0xbf;
		if (is_good)
			return r.length;
	}
	return 0;
}

bool is_utf8(const std::string &s)
{
	for (size_t at = 0; at < s.size();) {
		size_t length = well_formed(s, at);

		if (!length)
			return false;
		at += length;
	}
	return true;
}

std::string unescape(const std::string &s)
{
	std::string out;

	for (size_t i = 0; i < s.size(); i++) {
		if (s[i] != '\\') {
			out += s[i];
			continue;
		}
		switch (s.at(++i)) {
		case 'x':
			out += static_cast<char>(std::stoi(s.substr(i + 1, 2), nullptr, 16));
			i += 2;
			break;
		case 'n':
			out += '\n';
			break;
		case 't':
			out += '\t';
			break;
		case 'r':
			out += '\r';
			break;
		default:
			out += s[i];
		}
	}
	return out;
}

/* Pieces at the borders of the tables rather than plain noise, which is hardly ever valid. */
std::string any_bytes(std::mt19937 &random)
{
	static const char *pieces[] = {
		"a",
		"\\",
		"\n",
		"\x7f",
		"\xc2",
		"\xc2\x80",
		"\xc3\xa4",
		"\xe0\x9f\xbf",
		"\xe0\xa0\x80",
		"\xed\x9f\xbf",
		"\xed\xa0",
		"\xe2\x80\xae",
		"\xef\xbf\xbd",
		"\xf0\x8f",
		"\xf0\x90\x80",
		"\xf0\x9f\x98\x80",
		"\xf4\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5",
		"\x80",
		"\xff",
	};
	std::string out;
	size_t count = random() % 12;

	for (size_t i = 0; i < count; i++) {
		if (random() % 4)
			out += pieces[random() % (sizeof(pieces) / sizeof(*pieces))];
		else
			out += static_cast<char>(random());
	}
	return out;
}

using escaper = size_t (*)(char *, size_t, const char *, size_t);

class EscapeProperty : public testing::TestWithParam<escaper>
{
};

TEST_P(EscapeProperty, ValidWholeAndReversible)
{
	std::mt19937 random(1);

	for (int round = 0; round < 20000; round++) {
		std::string in = any_bytes(random);
		std::string full(ESCAPE_MAX * in.size() + 1, '?');
		size_t length = GetParam()(&full[0], full.size(), in.data(), in.size());
		size_t size = random() % (full.size() + 1);
		std::string cut(size + 1, '?');
		size_t cut_length = GetParam()(&cut[0], size, in.data(), in.size());

		ASSERT_LT(length, full.size());
		ASSERT_EQ(full[length], '\0');
		full.resize(length);
		ASSERT_EQ(full.find('\0'), std::string::npos);
		ASSERT_TRUE(is_utf8(full)) << testing::PrintToString(in);
		ASSERT_EQ(unescape(full), in);

		/* A shorter one is a beginning of the same, and valid. */
		ASSERT_EQ(cut[size], '?');
		ASSERT_TRUE(!size || cut_length < size);
		ASSERT_EQ(full.substr(0, cut_length), cut.substr(0, cut_length));
		ASSERT_TRUE(is_utf8(cut.substr(0, cut_length)));
	}
}

INSTANTIATE_TEST_SUITE_P(Both, EscapeProperty, testing::Values(escape_text, escape_utf8),
			 [](const auto &info) {
				 return info.param == escape_text ? "Text" : "Utf8";
			 });

TEST(EscapeUtf8Property, ValidTextIsUntouched)
{
	std::mt19937 random(2);

	for (int round = 0; round < 20000; round++) {
		std::string in = any_bytes(random);
		std::string out(ESCAPE_MAX * in.size() + 1, '?');

		if (!is_utf8(in) || in.find('\\') != std::string::npos ||
		    in.find('\0') != std::string::npos)
			continue;
		out.resize(escape_utf8(&out[0], out.size(), in.data(), in.size()));
		ASSERT_EQ(out, in);
	}
}

} // namespace
