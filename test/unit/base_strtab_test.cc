// strtab: ids, lengths, and texts that stay where they are.
#include <iotrace/strtab.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace
{

class Strtab : public testing::Test
{
      protected:
	struct strtab *tab = strtab_new();

	void TearDown() override
	{
		strtab_free(tab);
	}
	std::string at(str_id id)
	{
		return std::string(strtab_text(tab, id), strtab_length(tab, id));
	}
};

TEST_F(Strtab, ZeroIsTheEmptyString)
{
	EXPECT_EQ(strtab_count(tab), 1u);
	EXPECT_STREQ(strtab_text(tab, 0), "");
	EXPECT_EQ(strtab_length(tab, 0), 0u);
	EXPECT_EQ(strtab_add_text(tab, ""), 0u);
	EXPECT_EQ(strtab_add(tab, nullptr, 0), 0u);
	EXPECT_EQ(strtab_count(tab), 1u);
}

TEST_F(Strtab, IdsAreDenseAndStoredOnce)
{
	EXPECT_EQ(strtab_add_text(tab, "a"), 1u);
	EXPECT_EQ(strtab_add_text(tab, "b"), 2u);
	EXPECT_EQ(strtab_add_text(tab, "a"), 1u);
	EXPECT_EQ(strtab_add(tab, "bcd", 1), 2u);
	EXPECT_EQ(strtab_count(tab), 3u);
}

TEST_F(Strtab, AnyByteAndATerminator)
{
	const std::string in("a\0b\xff", 4);
	str_id id = strtab_add(tab, in.data(), in.size());

	EXPECT_EQ(at(id), in);
	EXPECT_EQ(strtab_text(tab, id)[4], '\0');
	EXPECT_NE(strtab_add_text(tab, "a"), id);
}

/* Zeros at the end must make a difference to the hash as well as to the comparison. */
TEST_F(Strtab, LengthsTell)
{
	const char zeros[20] = {};

	for (size_t length = 0; length < sizeof(zeros); length++)
		EXPECT_EQ(strtab_add(tab, zeros, length), length);
	for (size_t length = 0; length < sizeof(zeros); length++)
		EXPECT_EQ(strtab_length(tab, static_cast<str_id>(length)), length);
}

TEST_F(Strtab, TheBytesAreCopied)
{
	std::string in = "mutable";
	str_id id = strtab_add_text(tab, in.c_str());

	in[0] = 'X';
	EXPECT_EQ(at(id), "mutable");
}

TEST_F(Strtab, TextsStayWhereTheyAre)
{
	const char *first = strtab_text(tab, strtab_add_text(tab, "first"));
	std::vector<const char *> texts;

	for (int i = 0; i < 50000; i++)
		texts.push_back(
			strtab_text(tab,
				    strtab_add_text(tab, ("name " + std::to_string(i)).c_str())));
	EXPECT_EQ(strtab_text(tab, 1), first);
	EXPECT_STREQ(first, "first");
	for (int i = 0; i < 50000; i++) {
		ASSERT_EQ(strtab_text(tab, static_cast<str_id>(i + 2)),
			  texts[static_cast<size_t>(i)]);
		ASSERT_EQ(texts[static_cast<size_t>(i)], "name " + std::to_string(i));
	}
}

TEST_F(Strtab, LongTextsBetweenShortOnes)
{
	for (size_t length : {8190u, 8191u, 8192u, 8193u, 65535u, 65536u, 65537u, 1000000u}) {
		str_id before = strtab_add_text(tab, ("before " + std::to_string(length)).c_str());
		str_id id = strtab_add(tab, std::string(length, 'x').data(), length);
		str_id after = strtab_add_text(tab, ("after " + std::to_string(length)).c_str());

		EXPECT_EQ(at(id), std::string(length, 'x'));
		EXPECT_EQ(at(before), "before " + std::to_string(length));
		EXPECT_EQ(at(after), "after " + std::to_string(length));
	}
}

TEST(StrtabFree, NullIsFine)
{
	strtab_free(nullptr);
}

} // namespace
