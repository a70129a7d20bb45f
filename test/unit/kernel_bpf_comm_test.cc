/* Globs of command names: what the programs' table takes is what fnmatch(3) takes. */
#include "load/bpf_comm.h"

#include <cstring>
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <random>
#include <string>
#include <vector>

namespace
{

/* As the programs do it. */
bool takes(const struct bpf_comm &comm, const char *name)
{
	uint64_t state = comm.first;

	for (; *name; name++)
		state = bpf_comm_step(&comm, state, (uint8_t)*name);
	return (state & comm.last) != 0;
}

bool matches(const std::vector<const char *> &globs, const char *name)
{
	struct bpf_comm comm;
	struct error err = {};

	EXPECT_EQ(bpf_comm_fill(&comm, globs.data(), (uint32_t)globs.size(), &err), 0) << err.text;
	return takes(comm, name);
}

std::string word(std::mt19937 &random, const std::vector<std::string> &pieces, unsigned most)
{
	std::string text;

	for (unsigned n = random() % (most + 1); n; n--)
		text += pieces[random() % pieces.size()];
	return text;
}

} // namespace

TEST(BpfComm, WithoutAGlobEveryNameIsChosen)
{
	struct bpf_comm comm;
	struct error err = {};

	ASSERT_EQ(bpf_comm_fill(&comm, nullptr, 0, &err), 0);
	EXPECT_EQ(comm.first, 0u);
}

TEST(BpfComm, AnyOfTheGlobsIsEnough)
{
	EXPECT_TRUE(matches({"dd", "cat"}, "cat"));
	EXPECT_TRUE(matches({"dd", "cat"}, "dd"));
	EXPECT_FALSE(matches({"dd", "cat"}, "ddcat"));
	EXPECT_FALSE(matches({"dd", "cat"}, "d"));
	EXPECT_FALSE(matches({"dd", "cat"}, ""));
}

TEST(BpfComm, SetsAreThoseOfTheKernel)
{
	EXPECT_TRUE(matches({"d[a-d]"}, "dd"));
	EXPECT_FALSE(matches({"d[a-d]"}, "de"));
	EXPECT_TRUE(matches({"d[!a-d]"}, "de"));
	EXPECT_TRUE(matches({"[]]x"}, "]x"));
	EXPECT_TRUE(matches({"[a-]"}, "-"));
	EXPECT_TRUE(matches({"[ab"}, "[ab")) << "a set that is not closed";
	EXPECT_TRUE(matches({"[a-"}, "[a-")) << "a set that is not closed";
	EXPECT_TRUE(matches({"a\\*"}, "a*"));
	EXPECT_FALSE(matches({"a\\*"}, "ab"));
	EXPECT_TRUE(matches({"a\\"}, "a\\"));
	EXPECT_TRUE(matches({"\xc3\xbc*"}, "\xc3\xbc"
					   "ber"));
}

TEST(BpfComm, StarsAreThoseOfFnmatch)
{
	const std::vector<std::string> of_glob = {"a", "b", "*", "?", "[ab]", "[!a]", "*"};
	const std::vector<std::string> of_name = {"a", "b", "c"};
	std::mt19937 random(4);

	for (int i = 0; i < 20000; i++) {
		std::string first = word(random, of_glob, 6), second = word(random, of_glob, 6);
		std::string name = word(random, of_name, 15);
		bool is_expected = !fnmatch(first.c_str(), name.c_str(), 0) ||
				   !fnmatch(second.c_str(), name.c_str(), 0);

		EXPECT_EQ(matches({first.c_str(), second.c_str()}, name.c_str()), is_expected)
			<< first << " or " << second << " and " << name;
	}
}

TEST(BpfComm, WhatIsTooLongIsRefused)
{
	const std::string most(63, 'a'), more(64, 'a');
	const char *fits[] = {most.c_str()}, *too_long[] = {more.c_str()};
	const char *together[] = {most.c_str(), ""};
	struct bpf_comm comm;
	struct error err = {};

	EXPECT_EQ(bpf_comm_fill(&comm, fits, 1, &err), 0);
	EXPECT_TRUE(takes(comm, most.c_str()));
	EXPECT_EQ(bpf_comm_fill(&comm, too_long, 1, &err), -E2BIG);
	EXPECT_NE(std::string(err.text).find("64 letters"), std::string::npos) << err.text;
	EXPECT_EQ(bpf_comm_fill(&comm, together, 2, &err), -E2BIG);
}
