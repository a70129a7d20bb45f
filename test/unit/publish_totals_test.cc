// Totals of the lines of the process that counts, the history and the metrics that are made of them.
#include "scratch_dir.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include <iotrace/error.h>
#include <iotrace/exposition.h>
#include <iotrace/publisher.h>
#include <iotrace/steps.h>
#include <iotrace/totals.h>
}

namespace
{

void name(void *, struct publication_row *row)
{
	snprintf(row->name, sizeof(row->name), "o%u", row->owner);
	if (row->kind != PUBLICATION_ALL)
		snprintf(row->operation, sizeof(row->operation), "k%u", row->kind);
}

class Totals : public testing::Test
{
      protected:
	struct totals *totals = totals_new(name, nullptr);
	uint64_t now = 1000;
	~Totals() override
	{
		totals_free(totals);
	}

	int say(const std::string &line)
	{
		return totals_line(totals, line.c_str());
	}

	// An interval of a second with these lines.
	void interval(const std::vector<std::string> &lines)
	{
		ASSERT_EQ(say("F " + std::to_string(now) + " " + std::to_string(now + 1000000000) +
			      " 5"),
			  0);
		now += 1000000000;
		for (auto &line : lines)
			ASSERT_EQ(say(line), 0) << line;
		ASSERT_EQ(say("."), 1);
	}

	const struct publication_row *row(uint32_t view, uint32_t owner, uint32_t kind)
	{
		for (uint32_t i = 0; i < totals_rows(totals); i++) {
			const struct publication_row *one = totals_row(totals, i);
			if (one->view == view && one->owner == owner && one->kind == kind)
				return one;
		}
		return nullptr;
	}

	std::string metrics(bool is_classic)
	{
		char *text = nullptr;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		exposition_print(totals, now, is_classic, out);
		fclose(out);
		std::string result(text, size);
		free(text);
		return result;
	}
};

TEST_F(Totals, AreSumsOfAllIntervals)
{
	interval({"G 0 8 1 10 5000 900 2 500 0 0:4 9:6", "G 0 8 2 1 70 70 0 0 0 3:1",
		  "O 0 8 4096 512 1 300 2 500 0", "B 0 13 11 0 0 0 0 0 0", "E 5 1"});
	interval({"G 0 8 1 1 100 100 0 0 0 9:1", "O 0 8 1 1 0 1 0 0 0", "B 0 1 1 0 0 0 0 0 0"});
	ASSERT_EQ(totals_rows(totals), 3u);
	const struct publication_row *all = row(0, 8, PUBLICATION_ALL), *one = row(0, 8, 1);
	ASSERT_TRUE(all && one && row(0, 8, 2));
	EXPECT_EQ(all->ops, 12u);
	EXPECT_EQ(one->ops, 11u);
	EXPECT_EQ(all->sum, 5170u);
	EXPECT_EQ(all->read, 4097u);
	EXPECT_EQ(all->written, 513u);
	EXPECT_EQ(all->errors, 1u);
	EXPECT_EQ(all->busy, 301u);
	EXPECT_EQ(all->in_flight, 0u); // of the last interval
	EXPECT_EQ(all->oldest, 0u);
	EXPECT_EQ(all->max, 100u);
	EXPECT_EQ(all->bucket[9], 7u);
	EXPECT_EQ(all->bucket[3], 1u);
	EXPECT_STREQ(all->name, "o8");
	EXPECT_STREQ(one->operation, "k1");
	EXPECT_EQ(totals_slot(totals)->books[0].begun, 14u);
	EXPECT_EQ(totals_slot(totals)->failed[5], 1u);
}

TEST_F(Totals, SaysWhatIsInFlight)
{
	interval({"G 2 4 3 0 0 0 2 777 1", "O 2 4 0 0 0 50 2 777 1"});
	EXPECT_EQ(row(2, 4, PUBLICATION_ALL)->in_flight, 2u);
	EXPECT_EQ(row(2, 4, 3)->in_flight, 2u);
	EXPECT_EQ(row(2, 4, 3)->oldest, 777u);
	EXPECT_EQ(row(2, 4, 3)->is_hung, 1u);
	totals_restart(totals);
	EXPECT_EQ(row(2, 4, 3)->in_flight, 0u);
	EXPECT_EQ(totals_slot(totals)->books[2].restarts, 1u);
}

TEST_F(Totals, OtherLinesChangeNothing)
{
	for (const char *line :
	     {"", "X 1 2", "F", "F 1", "F 2 1 0", "G 0 8 1 10", "G 3 8 1 10 5000 900 2 500 0",
	      "G 0 8 1 1 1 1 0 0 0 218:1", "G 0 8 1 1 1 1 0 0 0 1", "O 0 8 1 1 0 1 0 0",
	      "O 0 8 1 1 0 1 0 0 0 7", "E 256 1", "E 1", "B 9 1 1 0 0 0 0 0 0",
	      "iotrace: a message", "F 1 2 3x"})
		EXPECT_EQ(say(line), -EBADMSG) << line;
	EXPECT_EQ(totals_rows(totals), 0u);
}

TEST_F(Totals, OwnersWithoutRoomAreOneRow)
{
	std::vector<std::string> lines;
	for (int i = 0; i < 2000; i++)
		lines.push_back("G 1 " + std::to_string(i) + " 1 1 10 10 0 0 0 0:1");
	interval(lines);
	ASSERT_LE(totals_rows(totals), (uint32_t)PUBLICATION_ROWS);
	uint64_t ops = 0;
	for (uint32_t i = 0; i < totals_rows(totals); i++)
		ops += totals_row(totals, i)->kind == PUBLICATION_ALL ? totals_row(totals, i)->ops
								      : 0;
	EXPECT_EQ(ops, 2000u);
	EXPECT_GT(row(1, PUBLICATION_REST, PUBLICATION_ALL)->ops, 1700u);
	// What has been idle for a minute makes room.
	for (int i = 0; i < 70; i++)
		interval({});
	interval({"G 1 5000 1 1 10 10 0 0 0 0:1"});
	EXPECT_TRUE(row(1, 5000, PUBLICATION_ALL));
	EXPECT_LE(totals_rows(totals), (uint32_t)PUBLICATION_ROWS);
}

TEST_F(Totals, HistoryKeepsAnHour)
{
	ScratchDir dir;
	const std::string base = dir.path("");
	const struct publisher_options options = {base.c_str(),
						  "history",
						  HISTORY_MAGIC,
						  "",
						  HISTORY_SLOTS,
						  HISTORY_ROWS,
						  sizeof(struct history_row),
						  10,
						  1};
	struct error err = {};
	struct publisher *publisher = publisher_open(&options, &err);
	ASSERT_TRUE(publisher) << err.text;
	struct steps *steps = steps_new();
	// Two hours; at each second as many operations as seconds have passed, and now and then more owners than fit.
	for (int second = 1; second <= 7200; second++) {
		std::vector<std::string> lines = {"G 0 8 1 " + std::to_string(second) + " 100 " +
							  std::to_string(second) + " 0 0 0 0:1",
						  "O 0 8 10 20 0 1000000 0 0 0"};
		for (int i = 0; second % 100 == 0 && i < 100; i++)
			lines.push_back("G 1 " + std::to_string(i) + " 1 1 1 1 0 0 0 0:1");
		interval(lines);
		if (steps_add(steps, totals))
			steps_publish(steps, publisher);
	}
	struct publication_file *file = publication_open(dir.path("history").c_str(), HISTORY_MAGIC,
							 sizeof(struct history_row), &err);
	ASSERT_TRUE(file) << err.text;
	struct publication copy = {};
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	ASSERT_EQ(copy.head.generation, 720u);
	EXPECT_EQ(publication_copy(file, 360, &copy), -ENODATA);
	uint64_t end = 0;
	for (uint64_t generation = 361; generation <= 720; generation++) {
		ASSERT_EQ(publication_copy(file, generation, &copy), 0);
		ASSERT_LE(copy.slot.rows, (uint32_t)HISTORY_ROWS);
		ASSERT_EQ(copy.slot.monotonic - copy.slot.from, 10000000000u);
		ASSERT_TRUE(!end || copy.slot.from == end);
		end = copy.slot.monotonic;
		auto *first = static_cast<const struct history_row *>(publication_row(&copy, 0));
		ASSERT_EQ(first->owner, 8u);
		uint64_t last = generation * 10;
		ASSERT_EQ(first->ops, (last * (last + 1) - (last - 10) * (last - 9)) / 2);
		ASSERT_EQ(first->read, 100u);
		ASSERT_EQ(first->busy, 10000000u);
		ASSERT_EQ(first->max, last);
		uint64_t others = 0;
		for (uint32_t i = 1; i < copy.slot.rows; i++)
			others += static_cast<const struct history_row *>(publication_row(&copy, i))
					  ->ops;
		ASSERT_EQ(others, generation % 10 ? 0u : 100u);
	}
	publication_close(file);
	publication_release(&copy);
	publisher_close(publisher);
	steps_free(steps);
}

TEST_F(Totals, MetricsAreOpenMetrics)
{
	interval({"G 0 8 1 3 3000000 900 2 500 0 0:1 1:1 217:1",
		  "O 0 8 4096 512 1 300000000 2 1000000000 0", "E 5 1", "B 0 5 3 0 0 0 0 0 0"});
	std::string text = metrics(false);
	for (const char *line :
	     {"# TYPE iotrace_block_request_duration_seconds histogram\n# UNIT iotrace_block_request_duration_seconds seconds\n",
	      "iotrace_block_request_duration_seconds_bucket{device=\"o8\",operation=\"k1\",le=\"1.024e-06\"} 1\n",
	      "iotrace_block_request_duration_seconds_bucket{device=\"o8\",operation=\"k1\",le=\"2.048e-06\"} 2\n",
	      "iotrace_block_request_duration_seconds_bucket{device=\"o8\",operation=\"k1\",le=\"137.438953\"} 2\n",
	      "iotrace_block_request_duration_seconds_bucket{device=\"o8\",operation=\"k1\",le=\"+Inf\"} 3\n",
	      "iotrace_block_request_duration_seconds_sum{device=\"o8\",operation=\"k1\"} 0.003000000\n",
	      "iotrace_block_request_duration_seconds_count{device=\"o8\",operation=\"k1\"} 3\n",
	      "# TYPE iotrace_bytes counter\n",
	      "iotrace_bytes_total{view=\"device\",name=\"o8\",direction=\"read\"} 4096\n",
	      "iotrace_operations_in_flight{view=\"device\",name=\"o8\"} 2\n",
	      "iotrace_oldest_operation_age_seconds{view=\"device\",name=\"o8\"} 0.000001\n",
	      "iotrace_busy_seconds_total{view=\"device\",name=\"o8\"} 0.300000000\n",
	      "iotrace_errors_total{errno=\"EIO\"} 1\n",
	      "iotrace_spans_total{view=\"device\",fate=\"begun\"} 5\n",
	      "iotrace_counted{view=\"device\"} 1\n", "iotrace_counted{view=\"fuse\"} 0\n"})
		EXPECT_NE(text.find(line), std::string::npos) << line << text;
	EXPECT_EQ(text.substr(text.size() - 6), "# EOF\n");
	// The older format names the samples of a counter, and has no end.
	text = metrics(true);
	EXPECT_NE(text.find("# TYPE iotrace_bytes_total counter\n"), std::string::npos);
	EXPECT_EQ(text.find("# EOF"), std::string::npos);
	EXPECT_EQ(text.find("# UNIT"), std::string::npos);
}

void hostile(void *, struct publication_row *row)
{
	snprintf(row->name, sizeof(row->name), "a\"b\\c\nd\xff\xc3\xa9");
	*row->operation = '\0';
}

TEST(TotalsOfHostileNames, AreEscapedAndUnique)
{
	struct totals *totals = totals_new(hostile, nullptr);
	ASSERT_EQ(totals_line(totals, "O 1 7 1 1 1 1 0 0 0"), 0);
	ASSERT_EQ(totals_line(totals, "O 1 9 1 1 1 1 0 0 0"), 0);
	EXPECT_STRNE(totals_row(totals, 0)->name, totals_row(totals, 1)->name);
	char *text = nullptr;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	exposition_print(totals, 0, false, out);
	fclose(out);
	EXPECT_NE(strstr(text, "name=\"a\\\"b\\\\c\\nd\\\\xff\xc3\xa9\"} 0\n"), nullptr) << text;
	EXPECT_NE(strstr(text, "name=\"a\\\"b\\\\c\\nd\\\\xff\xc3\xa9 #9\"} 0\n"), nullptr) << text;
	free(text);
	totals_free(totals);
}

} // namespace
