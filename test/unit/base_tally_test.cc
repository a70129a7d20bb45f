// tally: the table, and each equation of the books, balanced and not.
#include <iotrace/tally.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace
{

std::string complaint(const struct tally &tally)
{
	char text[512] = "?";

	return tally_balance(&tally, text, sizeof(text)) ? "" : text;
}

TEST(Tally, EveryCounterHasANameAndASentence)
{
	std::set<std::string> names;

	for (int i = 0; i < TALLY_COUNT; i++) {
		auto counter = static_cast<enum tally_counter>(i);

		EXPECT_TRUE(names.insert(tally_name(counter)).second) << tally_name(counter);
		EXPECT_GT(strlen(tally_sentence(counter)), 5u) << tally_name(counter);
	}
	EXPECT_STREQ(tally_name(TALLY_lost), "lost");
	EXPECT_TRUE(tally_is_warning(TALLY_lost));
	EXPECT_FALSE(tally_is_warning(TALLY_samples));
}

TEST(Tally, AddAndGet)
{
	struct tally tally = {};

	tally_add(&tally, samples, 2);
	tally_add(&tally, samples, 3);
	EXPECT_EQ(tally_get(&tally, samples), 5u);
	EXPECT_EQ(tally_get(&tally, events), 0u);
}

TEST(Tally, NothingBalances)
{
	EXPECT_EQ(complaint({}), "");
}

TEST(Tally, TheTextIsEmptyWhenTheBooksBalance)
{
	struct tally tally = {};
	char text[8] = "junk";

	EXPECT_TRUE(tally_balance(&tally, text, sizeof(text)));
	EXPECT_STREQ(text, "");
}

TEST(Tally, Samples)
{
	struct tally tally = {};

	tally_add(&tally, samples, 6);
	tally_add(&tally, events, 3);
	tally_add(&tally, ignored, 2);
	tally_add(&tally, malformed, 1);
	EXPECT_EQ(complaint(tally), "");
	tally_add(&tally, facts, 9); /* are counted apart */
	EXPECT_EQ(complaint(tally), "");
	tally_add(&tally, events, 1);
	EXPECT_EQ(complaint(tally), "samples 6 = events 4 + ignored 2 + malformed 1");
}

TEST(Tally, KernelCounted)
{
	struct tally tally = {};

	tally_add(&tally, samples, 5);
	tally_add(&tally, events, 5);
	tally_add(&tally, lost, 2);
	EXPECT_EQ(complaint(tally), ""); /* a foreign file: nobody counted */
	tally_add(&tally, kernel_counted, 8);
	EXPECT_EQ(complaint(tally), "kernel_counted 8 = samples 5 + lost 2 + unseen 0");
	tally_add(&tally, unseen, 1);
	EXPECT_EQ(complaint(tally), "");
}

TEST(Tally, Begun)
{
	struct tally tally = {};

	tally_add(&tally, begun, 7);
	tally_add(&tally, completed, 5);
	tally_add(&tally, in_flight, 1);
	EXPECT_EQ(complaint(tally),
		  "begun 7 = completed 5 + cancelled 0 + aborted 0 + unreported 0 + in_flight 1");
	tally_add(&tally, unreported, 1);
	EXPECT_EQ(complaint(tally), "");
}

TEST(Tally, Handles)
{
	struct tally tally = {};

	tally_add(&tally, handles_created, 4);
	tally_add(&tally, handles_inherited, 2);
	tally_add(&tally, handles_destroyed, 3);
	tally_add(&tally, handles_open, 2);
	EXPECT_EQ(complaint(tally),
		  "handles_created 4 + handles_inherited 2 = handles_destroyed 3 + handles_open 2");
	tally_add(&tally, handles_open, 1);
	EXPECT_EQ(complaint(tally), "");
}

TEST(Tally, TheTextIsCutToItsSize)
{
	struct tally tally = {};

	tally_add(&tally, begun, 7);
	for (size_t size = 0; size < 96; size++) {
		std::string text(size + 1, '?');

		EXPECT_FALSE(tally_balance(&tally, &text[0], size));
		EXPECT_EQ(text[size], '?');
		if (size) {
			EXPECT_EQ(strlen(text.c_str()), std::min<size_t>(size - 1, 76)) << text;
		}
	}
}

} // namespace
