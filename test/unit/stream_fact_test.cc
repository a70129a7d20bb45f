/*
 * fact: the table, and the encoding against readers and writers of other versions.
 */
#include <gtest/gtest.h>

#include <iotrace/fact.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace
{

fact fd_fact()
{
	fact f{};

	f.kind = FACT_FD;
	for (uint32_t i = 0; i < FACT_NUMBERS; i++)
		f.number[i] = 1000 + i;
	f.string[0] = {"/tmp/a", 6};
	return f;
}

std::vector<uint8_t> encode(const fact &f)
{
	std::vector<uint8_t> out(FACT_SIZE_MAX);

	out.resize(fact_encode(&f, out.data(), out.size()));
	out.shrink_to_fit();
	return out;
}

/* What a program of another version might write. */
std::vector<uint8_t> raw_fact(uint32_t kind, uint16_t numbers, uint16_t strings,
			      std::vector<uint64_t> values, std::vector<std::string> texts)
{
	std::vector<uint8_t> out(8);

	memcpy(out.data(), &kind, 4);
	memcpy(out.data() + 4, &numbers, 2);
	memcpy(out.data() + 6, &strings, 2);
	for (uint64_t v : values)
		out.insert(out.end(), reinterpret_cast<uint8_t *>(&v),
			   reinterpret_cast<uint8_t *>(&v + 1));
	for (const std::string &t : texts) {
		uint16_t size = static_cast<uint16_t>(t.size());

		out.insert(out.end(), reinterpret_cast<uint8_t *>(&size),
			   reinterpret_cast<uint8_t *>(&size + 1));
		out.insert(out.end(), t.begin(), t.end());
	}
	return out;
}

} // namespace

TEST(Fact, EachKindRoundTripsWithAllItsFields)
{
	for (uint32_t kind = 1; kind < FACT_KINDS; kind++) {
		std::string names = fact_number_names(kind), texts = fact_string_names(kind);
		uint32_t numbers = names.empty() ? 0
						 : 1 + static_cast<uint32_t>(
							       std::count(names.begin(),
									  names.end(), ' '));
		uint32_t strings = texts.empty() ? 0
						 : 1 + static_cast<uint32_t>(
							       std::count(texts.begin(),
									  texts.end(), ' '));
		fact in{}, out;

		SCOPED_TRACE(fact_name(kind));
		ASSERT_LE(numbers, static_cast<uint32_t>(FACT_NUMBERS));
		ASSERT_LE(strings, static_cast<uint32_t>(FACT_STRINGS));
		in.kind = static_cast<fact_kind>(kind);
		for (uint32_t i = 0; i < numbers; i++)
			in.number[i] = UINT64_MAX - i;
		for (uint32_t i = 0; i < strings; i++)
			in.string[i] = {&"0123456789"[i], 10 - i};
		std::vector<uint8_t> bytes = encode(in);
		ASSERT_EQ(fact_decode(&out, bytes.data(), bytes.size()), 0);
		EXPECT_EQ(out.kind, in.kind);
		for (uint32_t i = 0; i < FACT_NUMBERS; i++)
			EXPECT_EQ(out.number[i], i < numbers ? UINT64_MAX - i : 0);
		for (uint32_t i = 0; i < FACT_STRINGS; i++)
			EXPECT_EQ(std::string(out.string[i].at, out.string[i].length),
				  i < strings ? std::string(&"0123456789"[i], 10 - i) : "");
		for (size_t size = 0; size < bytes.size(); size++) {
			std::vector<uint8_t> cut(bytes.begin(),
						 bytes.begin() + static_cast<long>(size));

			EXPECT_EQ(fact_decode(&out, cut.data(), size), -EBADMSG) << size;
			EXPECT_EQ(fact_encode(&in, cut.data(), size), 0u) << size;
		}
	}
}

TEST(Fact, FieldsStandWhereTheirRowSays)
{
	EXPECT_EQ(FACT_FD_pid, 0);
	EXPECT_EQ(FACT_FD_pos, 5);
	EXPECT_EQ(FACT_FD_target, 0);
	EXPECT_EQ(FACT_MOUNT_type, 2);
	EXPECT_EQ(FACT_BEGIN_NUMBERS, 1);
	EXPECT_STREQ(fact_number_names(FACT_PRESSURE), "some_us full_us");
	EXPECT_STREQ(fact_string_names(FACT_PRESSURE), "");
	EXPECT_STREQ(fact_name(FACT_FD), "FD");
	EXPECT_EQ(fact_name(FACT_NONE), nullptr);
	EXPECT_EQ(fact_name(FACT_KINDS), nullptr);
	EXPECT_STREQ(fact_number_names(FACT_KINDS), "");
}

TEST(Fact, LongStringsAreRefused)
{
	std::string text(FACT_STRING_SIZE + 1, 'x');
	fact f = fd_fact(), out;

	f.string[0] = {text.data(), FACT_STRING_SIZE};
	EXPECT_FALSE(encode(f).empty());
	f.string[0] = {text.data(), FACT_STRING_SIZE + 1};
	EXPECT_TRUE(encode(f).empty());
	std::vector<uint8_t> bytes = raw_fact(FACT_FD, 0, 1, {}, {text});
	EXPECT_EQ(fact_decode(&out, bytes.data(), bytes.size()), -EBADMSG);
}

TEST(Fact, KindsOfTheFutureAreTold)
{
	std::vector<uint8_t> bytes = raw_fact(FACT_KINDS, 1, 1, {5}, {"x"});
	fact f = fd_fact();

	EXPECT_EQ(fact_decode(&f, bytes.data(), bytes.size()), -ENOENT);
	EXPECT_EQ(f.kind, FACT_NONE);
	EXPECT_EQ(fact_decode(&f, bytes.data(), bytes.size() - 1), -EBADMSG);
	f.kind = FACT_NONE;
	EXPECT_TRUE(encode(f).empty());
	f.kind = FACT_KINDS;
	EXPECT_TRUE(encode(f).empty());
}

TEST(Fact, MoreFieldsThanAreKnownAreSteppedOver)
{
	std::vector<uint64_t> numbers(FACT_NUMBERS + 3, 7);
	std::vector<std::string> texts(FACT_STRINGS + 2, "t");
	std::vector<uint8_t> bytes = raw_fact(FACT_FD, FACT_NUMBERS + 3, FACT_STRINGS + 2, numbers,
					      texts);
	fact f;

	ASSERT_EQ(fact_decode(&f, bytes.data(), bytes.size()), 0);
	EXPECT_EQ(f.number[FACT_NUMBERS - 1], 7u);
	EXPECT_EQ(f.string[FACT_STRINGS - 1].length, 1u);
	EXPECT_EQ(*f.string[FACT_STRINGS - 1].at, 't');
}

TEST(Fact, FewerFieldsThanAreKnownAreEmpty)
{
	std::vector<uint8_t> bytes = raw_fact(FACT_FD, 1, 0, {4}, {});
	fact f = fd_fact();

	ASSERT_EQ(fact_decode(&f, bytes.data(), bytes.size()), 0);
	EXPECT_EQ(f.number[0], 4u);
	EXPECT_EQ(f.number[1], 0u);
	ASSERT_NE(f.string[0].at, nullptr);
	EXPECT_EQ(f.string[0].length, 0u);
}

TEST(Fact, PaddingBehindItIsNoMatter)
{
	fact f = fd_fact(), out;
	std::vector<uint8_t> bytes = encode(f);

	bytes.resize(bytes.size() + 7);
	EXPECT_EQ(fact_decode(&out, bytes.data(), bytes.size()), 0);
	EXPECT_EQ(out.number[1], 1001u);
}
