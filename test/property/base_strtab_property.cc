// strtab: for any sequence of strings, an id for each different one, in the order of their first coming.
#include <iotrace/strtab.h>

#include <cstring>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace
{

TEST(StrtabProperty, AgreesWithAMap)
{
	std::mt19937 random(7);
	std::map<std::string, str_id> model = {{"", 0}};
	struct strtab *tab = strtab_new();

	for (int i = 0; i < 50000; i++) {
		/* Few letters and short strings repeat; a long one now and then crosses the blocks. */
		size_t length = random() % 100 ? random() % 12 : random() % 20000;
		std::string in(length, '\0');

		for (char &c : in)
			c = static_cast<char>(random() % 3);
		auto [known, is_new] = model.emplace(in, static_cast<str_id>(model.size()));
		ASSERT_EQ(strtab_add(tab, in.data(), in.size()), known->second);
		ASSERT_EQ(strtab_count(tab), model.size());
	}
	for (const auto &[text, id] : model) {
		ASSERT_EQ(std::string(strtab_text(tab, id), strtab_length(tab, id)), text);
		ASSERT_EQ(strtab_text(tab, id)[text.size()], '\0');
	}
	strtab_free(tab);
}

/* So many that some have equal halves of their hashes: those are told apart by their bytes. */
TEST(StrtabProperty, EqualHashesAreNotEqualTexts)
{
	struct strtab *tab = strtab_new();

	for (uint32_t i = 1; i < 400000; i++)
		ASSERT_EQ(strtab_add(tab, reinterpret_cast<const char *>(&i), sizeof(i)), i);
	strtab_free(tab);
}

uint64_t folded(uint64_t a, uint64_t b)
{
	unsigned __int128 product = static_cast<unsigned __int128>(a) * b;

	return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/* Names of 16 bytes; with `is_chosen` all of them had one hash where the hash was the same in each run. */
std::vector<std::string> names(uint32_t count, bool is_chosen)
{
	std::vector<std::string> all;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t word[2] = {i, i};

		if (is_chosen)
			word[1] = folded((0x9e3779b97f4a7c15u ^ 16) ^ i, 0xa0761d6478bd642fu);
		all.emplace_back(reinterpret_cast<const char *>(word), sizeof(word));
	}
	return all;
}

double seconds_to_add(const std::vector<std::string> &all)
{
	struct strtab *tab = strtab_new();
	clock_t start = clock();

	for (const std::string &name : all)
		strtab_add(tab, name.data(), name.size());
	EXPECT_EQ(strtab_count(tab), all.size() + 1);
	strtab_free(tab);
	return static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
}

/* With a hash that can be foreseen, the chosen ones take more than a hundred times as long. */
TEST(StrtabProperty, NobodyCanChooseNamesOfEqualHash)
{
	seconds_to_add(names(40000, false));
	EXPECT_LT(seconds_to_add(names(40000, true)),
		  0.1 + 20 * seconds_to_add(names(40000, false)));
}

} // namespace
