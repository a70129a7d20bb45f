// The published file: its layout, readers beside a writer, and files that are none.
#include "scratch_dir.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
#include <iotrace/error.h>
#include <iotrace/publisher.h>
}

namespace
{

class Publication : public testing::Test
{
      protected:
	ScratchDir dir;
	std::string base = dir.path(""), path = dir.path("stat");
	struct publisher_options options = {base.c_str(),
					    "stat",
					    PUBLICATION_MAGIC,
					    "the boot",
					    PUBLICATION_SLOTS,
					    PUBLICATION_ROWS,
					    sizeof(struct publication_row),
					    1000,
					    7};
	struct error err = {};

	struct publication_file *open()
	{
		return publication_open(path.c_str(), PUBLICATION_MAGIC,
					sizeof(struct publication_row), &err);
	}

	// Changes bytes of the file behind the writer.
	void poke(size_t offset, uint32_t value)
	{
		int fd = ::open(path.c_str(), O_RDWR);
		ASSERT_EQ(pwrite(fd, &value, sizeof(value), (off_t)offset), (ssize_t)sizeof(value));
		close(fd);
	}
};

// Fills a slot with one number, so that a mixture of two can be seen.
void fill(struct publisher *publisher, uint64_t number)
{
	struct publication_slot *slot = publisher_next(publisher);
	slot->rows = PUBLICATION_ROWS;
	slot->monotonic = number;
	for (uint32_t i = 0; i < PUBLICATION_ROWS; i++) {
		auto *row = static_cast<struct publication_row *>(publisher_row(publisher, i));
		row->ops = row->bucket[0] = row->bucket[PUBLICATION_BUCKETS - 1] = number;
	}
	publisher_put(publisher);
}

TEST_F(Publication, LayoutIsThatOfThePage)
{
	EXPECT_EQ(offsetof(struct publication_head, generation), 128u);
	EXPECT_EQ(offsetof(struct publication_head, uncounted_since), 136u);
	EXPECT_EQ(offsetof(struct publication_head, uncounted), 144u);
	EXPECT_EQ(offsetof(struct publication_head, boot_id), 56u);
	EXPECT_EQ(offsetof(struct publication_slot, failed), 48u);
	EXPECT_EQ(offsetof(struct publication_slot, books), 2096u);
	EXPECT_EQ(sizeof(struct publication_books), 72u);
	EXPECT_EQ(sizeof(struct publication_slot), 2312u);
	EXPECT_EQ(offsetof(struct publication_row, ops), 104u);
	EXPECT_EQ(offsetof(struct publication_row, in_flight), 168u);
	EXPECT_EQ(offsetof(struct publication_row, bucket), 176u);
	EXPECT_EQ(offsetof(struct history_row, ops), 72u);
	EXPECT_EQ(offsetof(struct history_row, p50), 128u);
	EXPECT_EQ(offsetof(struct history_row, in_flight), 144u);
}

TEST_F(Publication, BucketsAreEightForEachPowerOfTwo)
{
	EXPECT_EQ(publication_bucket(0), 0u);
	EXPECT_EQ(publication_bucket(1023), 0u);
	EXPECT_EQ(publication_bucket(1024), 1u);
	EXPECT_EQ(publication_bucket(1024 + 127), 1u);
	EXPECT_EQ(publication_bucket(1024 + 128), 2u);
	EXPECT_EQ(publication_bucket(2048), 9u);
	EXPECT_EQ(publication_bucket((UINT64_C(1) << 37) - 1), PUBLICATION_BUCKETS - 2u);
	EXPECT_EQ(publication_bucket(UINT64_C(1) << 37), PUBLICATION_BUCKETS - 1u);
	EXPECT_EQ(publication_bucket(UINT64_MAX), PUBLICATION_BUCKETS - 1u);
	for (uint32_t i = 1; i < PUBLICATION_BUCKETS; i++) {
		EXPECT_EQ(publication_bucket(publication_bucket_from(i)), i);
		EXPECT_EQ(publication_bucket(publication_bucket_from(i) - 1), i - 1);
	}
}

TEST_F(Publication, QuantilesAreInTheirBucket)
{
	uint64_t bucket[PUBLICATION_BUCKETS] = {};
	EXPECT_EQ(publication_quantile(bucket, 500, 5), 0u);
	bucket[publication_bucket(10000)] = 99;
	bucket[publication_bucket(5000000)] = 1;
	EXPECT_EQ(publication_bucket(publication_quantile(bucket, 500, 5000000)),
		  publication_bucket(10000));
	EXPECT_EQ(publication_bucket(publication_quantile(bucket, 990, 5000000)),
		  publication_bucket(10000));
	EXPECT_EQ(publication_bucket(publication_quantile(bucket, 1000, 5000000)),
		  publication_bucket(5000000));
	EXPECT_EQ(publication_quantile(bucket, 1000, 4950000), 4950000u);
}

TEST_F(Publication, IsReadAsItWasWritten)
{
	struct publisher *publisher = publisher_open(&options, &err);
	ASSERT_TRUE(publisher) << err.text;
	struct publication_file *file = open();
	ASSERT_TRUE(file) << err.text;
	struct publication copy = {};
	EXPECT_EQ(publication_copy(file, 0, &copy), -ENODATA);
	fill(publisher, 1);
	fill(publisher, 2);
	fill(publisher, 3);
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	EXPECT_EQ(copy.slot.generation, 3u);
	EXPECT_EQ(static_cast<const struct publication_row *>(publication_row(&copy, 5))->ops, 3u);
	EXPECT_EQ(copy.head.pid, (uint32_t)getpid());
	EXPECT_STREQ(copy.head.boot_id, "the boot");
	ASSERT_EQ(publication_copy(file, 2, &copy), 0);
	EXPECT_EQ(static_cast<const struct publication_row *>(publication_row(&copy, 5))->ops, 2u);
	EXPECT_EQ(publication_copy(file, 1, &copy), -ENODATA);
	EXPECT_EQ(publication_state(&copy, copy.slot.monotonic, copy.head.boot_id),
		  PUBLICATION_RUNS);
	EXPECT_EQ(publication_state(&copy, UINT64_C(60000000000), ""), PUBLICATION_SILENT);
	EXPECT_EQ(publication_state(&copy, copy.slot.monotonic, "another"),
		  PUBLICATION_OF_ANOTHER_BOOT);
	publisher_uncounted(publisher, 17, 5);
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	EXPECT_EQ(copy.head.uncounted, 5u);
	EXPECT_EQ(publication_state(&copy, copy.slot.monotonic, ""), PUBLICATION_UNCOUNTED);
	publisher_uncounted(publisher, 0, 5);
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	EXPECT_EQ(publication_state(&copy, copy.slot.monotonic, ""), PUBLICATION_RUNS);
	publisher_close(publisher);
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	EXPECT_EQ(publication_state(&copy, copy.slot.monotonic, ""), PUBLICATION_STOPPED);
	publication_close(file);
	publication_release(&copy);
}

TEST_F(Publication, ReadersNeverSeeHalfASlot)
{
	struct publisher *publisher = publisher_open(&options, &err);
	ASSERT_TRUE(publisher) << err.text;
	fill(publisher, 1);
	bool is_over = false;
	uint64_t written = 1, copies = 0, last = 0;
	std::thread writer([&] {
		while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
			fill(publisher, ++written);
	});
	struct publication_file *file = open();
	ASSERT_TRUE(file) << err.text;
	struct publication copy = {};
	for (int i = 0; i < 3000; i++) {
		if (publication_copy(file, 0, &copy))
			continue;
		copies++;
		ASSERT_EQ(copy.slot.rows, (uint32_t)PUBLICATION_ROWS);
		for (uint32_t k = 0; k < copy.slot.rows; k++) {
			auto *row = static_cast<const struct publication_row *>(
				publication_row(&copy, k));
			ASSERT_EQ(row->ops, copy.slot.monotonic);
			ASSERT_EQ(row->bucket[0], copy.slot.monotonic);
			ASSERT_EQ(row->bucket[PUBLICATION_BUCKETS - 1], copy.slot.monotonic);
		}
		ASSERT_GE(copy.slot.monotonic, last);
		last = copy.slot.monotonic;
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	writer.join();
	EXPECT_GT(copies, 0u);
	EXPECT_GT(written, 100u);
	publication_close(file);
	publication_release(&copy);
	publisher_close(publisher);
}

// A writer that dies in the middle leaves the slot before.
TEST_F(Publication, UnfinishedSlotIsNotSeen)
{
	struct publisher *publisher = publisher_open(&options, &err);
	ASSERT_TRUE(publisher) << err.text;
	fill(publisher, 1);
	publisher_next(publisher)->monotonic = 2;
	struct publication_file *file = open();
	struct publication copy = {};
	ASSERT_EQ(publication_copy(file, 0, &copy), 0);
	EXPECT_EQ(copy.slot.monotonic, 1u);
	EXPECT_EQ(publication_copy(file, 2, &copy), -EAGAIN);
	publication_close(file);
	publication_release(&copy);
	publisher_close(publisher);
}

TEST_F(Publication, AnotherVersionIsRefusedWithASentence)
{
	publisher_close(publisher_open(&options, &err));
	poke(offsetof(struct publication_head, version), 2);
	EXPECT_FALSE(open());
	EXPECT_EQ(err.code, EPROTO);
	EXPECT_TRUE(strstr(err.text, "version 2 of its layout")) << err.text;
}

TEST_F(Publication, OtherFilesAreRefused)
{
	EXPECT_FALSE(open());
	EXPECT_EQ(err.code, ENOENT);
	std::ofstream(path) << "short";
	EXPECT_FALSE(open());
	EXPECT_EQ(err.code, EBADMSG);
	std::ofstream(path) << std::string(100000, 'x');
	EXPECT_FALSE(open());
	EXPECT_EQ(err.code, EBADMSG);
	unlink(path.c_str());
	ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
	EXPECT_FALSE(open()); // and it does not wait for a writer
}

TEST_F(Publication, SizesThatDoNotFitAreRefused)
{
	for (size_t field :
	     {offsetof(struct publication_head, head_size),
	      offsetof(struct publication_head, slot_size),
	      offsetof(struct publication_head, slots), offsetof(struct publication_head, row_size),
	      offsetof(struct publication_head, rows)}) {
		for (uint32_t value : {0u, 1u, 9u, 0x7ffffff8u, 0xffffffffu}) {
			publisher_close(publisher_open(&options, &err));
			poke(field, value);
			struct publication_file *file = open();
			// Fewer rows or slots are sound.
			bool is_sound =
				(field == offsetof(struct publication_head, rows) && value < 10) ||
				(field == offsetof(struct publication_head, slots) && value == 1);
			EXPECT_EQ(file != nullptr, is_sound) << field << " " << value;
			publication_close(file);
		}
	}
}

TEST_F(Publication, AnotherDaemonReplacesTheFile)
{
	struct publisher *first = publisher_open(&options, &err);
	fill(first, 1);
	struct publication_file *file = open();
	struct publisher *second = publisher_open(&options, &err);
	ASSERT_TRUE(second) << err.text;
	struct publication copy = {};
	EXPECT_EQ(publication_copy(file, 0, &copy), 0); // the old one is still mapped
	publication_close(file);
	file = open();
	EXPECT_EQ(publication_copy(file, 0, &copy), -ENODATA);
	publication_close(file);
	publication_release(&copy);
	publisher_close(first);
	publisher_close(second);
	struct stat status;
	ASSERT_EQ(stat(path.c_str(), &status), 0);
	EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(Publication, MissingDirectoryIsSaid)
{
	options.directory = "/nonexistent";
	EXPECT_FALSE(publisher_open(&options, &err));
	EXPECT_STREQ(err.text, "cannot publish /nonexistent/stat: No such file or directory");
}

} // namespace
