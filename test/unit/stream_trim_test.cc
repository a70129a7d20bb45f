// trim: the middle of a capture goes as far as its reader has come; what is left is read, with what is missing.
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/trim.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "scratch_dir.h"

#include <gtest/gtest.h>

namespace
{

enum { RECORD = 64, PIECE = 1 << 20, PIECES = 64, KEPT = 4 << 20 };

class Trim : public testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("spool");
	struct capture_info info;
	struct capture_writer *writer = nullptr;
	struct trim *trim = nullptr;
	struct error err = {};
	uint64_t records = 0; /* written; each has its number */

	void SetUp() override
	{
		struct perf_event_attr attr = {};
		uint64_t id = 1;

		attr.type = PERF_TYPE_SOFTWARE;
		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
		capture_info_init(&info);
		ASSERT_NE(capture_info_add_event(&info, &attr, "x", &id, 1, &err), nullptr);
		writer = capture_create(path.c_str(), &info, &err);
		ASSERT_NE(writer, nullptr) << err.text;
		trim = trim_new(writer, {KEPT, TRIM_STEP});
		ASSERT_NE(trim, nullptr) << "this file system punches no holes";
	}
	void TearDown() override
	{
		trim_free(trim);
		capture_finish(writer, nullptr);
		capture_info_release(&info);
	}
	void write()
	{
		std::vector<uint8_t> piece(PIECE);

		for (size_t at = 0; at < PIECE; at += RECORD, records++) {
			struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, RECORD};
			uint64_t field[] = {1, 1000 + records};

			memcpy(&piece[at], &header, sizeof(header));
			memcpy(&piece[at + sizeof(header)], field, sizeof(field));
		}
		ASSERT_EQ(capture_write(writer, piece.data(), PIECE, &err), 0);
		trim_note(trim, capture_written(writer), trim_count(piece.data(), PIECE));
	}
	uint64_t on_disk() const
	{
		struct stat status = {};

		stat(path.c_str(), &status);
		return static_cast<uint64_t>(status.st_blocks) * 512;
	}
	/* Returns the numbers of all records that can be read. */
	std::vector<uint64_t> read(uint64_t *gone, uint64_t *gone_records)
	{
		struct capture *capture = capture_open(path.c_str(), nullptr, nullptr, &err);
		struct capture_round round;
		std::vector<uint64_t> found;

		while (capture_next_round(capture, &round, &err) == 1) {
			for (size_t at = 0; at < round.size; at += RECORD) {
				uint64_t time;

				memcpy(&time, round.bytes + at + 16, sizeof(time));
				found.push_back(time - 1000);
			}
			capture_round_free(&round);
		}
		EXPECT_EQ(capture_torn(capture), 0u);
		*gone = capture_gone(capture, gone_records);
		capture_close(capture);
		return found;
	}
};

TEST_F(Trim, GivesTheMiddleBack)
{
	uint64_t most = 0, gone, gone_records;
	struct trim_mark mark;

	for (int i = 0; i < PIECES; i++) {
		write();
		if (trim_is_due(trim, capture_written(writer) - PIECE / 2, &mark))
			trim_cut(trim, &mark);
		most = std::max(most, on_disk());
	}
	EXPECT_LE(most, static_cast<uint64_t>(KEPT) + TRIM_STEP + 4 * PIECE);
	std::vector<uint64_t> found = read(&gone, &gone_records);

	ASSERT_FALSE(found.empty());
	EXPECT_GE(gone, static_cast<uint64_t>(PIECES - 2 * (TRIM_STEP / PIECE)) * PIECE);
	EXPECT_EQ(found.size() + gone_records, records);
	EXPECT_EQ(found.front(), 0u);
	EXPECT_EQ(found.back(), records - 1);
	for (size_t i = 1; i < found.size(); i++)
		ASSERT_EQ(found[i] - found[i - 1], i == KEPT / RECORD ? gone_records + 1 : 1);
}

TEST_F(Trim, KeepsWhatNobodyHasRead)
{
	uint64_t gone, gone_records;
	struct trim_mark mark;

	for (int i = 0; i < PIECES; i++)
		write();
	EXPECT_FALSE(trim_is_due(trim, KEPT + TRIM_STEP - 1, &mark));
	ASSERT_TRUE(trim_is_due(trim, KEPT + 2 * TRIM_STEP + 1, &mark));
	EXPECT_EQ(mark.end, static_cast<uint64_t>(KEPT) + 2 * TRIM_STEP);
	EXPECT_EQ(read(&gone, &gone_records).size(), records);
	EXPECT_EQ(gone, 0u);
	trim_cut(trim, &mark);
	EXPECT_EQ(read(&gone, &gone_records).size(), records - 2 * TRIM_STEP / RECORD);
	EXPECT_EQ(gone_records, 2u * TRIM_STEP / RECORD);
}

} // namespace
