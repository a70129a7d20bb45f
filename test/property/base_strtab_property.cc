// strtab: for any sequence of strings, an id for each different one, in the order of their first coming.
#include <iotrace/strtab.h>

#include <map>
#include <random>
#include <string>

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

} // namespace
