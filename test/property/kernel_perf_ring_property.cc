// perf_ring: the same records at every offset of the ring; bytes that are no records end the walk inside
// [tail, head).
#include "perf/perf_ring.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace
{

constexpr uint64_t SIZE = 4096;

class PerfRing : public testing::Test
{
      protected:
	alignas(8) perf_event_mmap_page page = {};
	// Guards around the ring show a read or a write beyond it to the sanitizer and to the tests.
	std::vector<uint64_t> memory = std::vector<uint64_t>(SIZE / 8);
	std::vector<uint8_t> scratch = std::vector<uint8_t>(PERF_RECORD_BYTES);
	struct perf_ring ring = {};
	std::mt19937 random{1};

	void SetUp() override
	{
		perf_ring_over(&ring, &page, memory.data(), SIZE);
	}

	std::vector<std::vector<uint8_t>> some_records(uint64_t room)
	{
		std::vector<std::vector<uint8_t>> records;

		for (;;) {
			uint16_t size = uint16_t(8 * (1 + random() % 30));

			if (size > room)
				return records;
			std::vector<uint8_t> record(size);
			for (auto &byte : record)
				byte = uint8_t(random());
			memcpy(&record[6], &size, 2);
			records.push_back(record);
			room -= size;
		}
	}

	void write(uint64_t at, const void *bytes, size_t size)
	{
		for (size_t i = 0; i < size; i++)
			ring.data[(at + i) % SIZE] = ((const uint8_t *)bytes)[i];
	}

	static std::vector<uint8_t> copy(const perf_event_header *record)
	{
		auto at = (const uint8_t *)record;
		uint16_t size;

		memcpy(&size, at + 6, 2);
		return {at, at + size};
	}
};

TEST_F(PerfRing, SameRecordsAtEveryOffset)
{
	auto records = some_records(SIZE);

	for (uint64_t start = 0; start < 2 * SIZE; start += 8) {
		uint64_t head = start + (UINT64_MAX - 4 * SIZE + 1) *
						(start % 16 == 8); /* near the wrap of 2^64 */
		uint64_t at = head, begin = head;

		for (auto &record : records) {
			write(head, record.data(), record.size());
			head += record.size();
		}
		page.data_head = head;
		ASSERT_EQ(perf_ring_head(&ring), head);
		for (auto &record : records) {
			auto got = perf_ring_next(&ring, &at, head, scratch.data());

			ASSERT_NE(got, nullptr) << start;
			ASSERT_EQ(copy(got), record) << start;
		}
		EXPECT_EQ(at, head);
		EXPECT_EQ(perf_ring_next(&ring, &at, head, scratch.data()), nullptr);
		std::vector<uint8_t> all(head - begin), want;
		perf_ring_copy(&ring, begin, head, all.data());
		for (auto &record : records)
			want.insert(want.end(), record.begin(), record.end());
		ASSERT_EQ(all, want) << start;
	}
}

TEST_F(PerfRing, CutIsTheLastEndWithinTheLimit)
{
	auto records = some_records(SIZE);
	uint64_t begin = 3 * SIZE - 64, head = begin;

	for (auto &record : records) {
		write(head, record.data(), record.size());
		head += record.size();
	}
	for (uint64_t limit = 0; limit <= SIZE + 8; limit++) {
		uint64_t want = begin;

		for (auto &record : records) {
			if (want + record.size() - begin > limit)
				break;
			want += record.size();
		}
		ASSERT_EQ(perf_ring_cut(&ring, begin, head, limit), want) << limit;
	}
}

TEST_F(PerfRing, ReleaseIsTheKernelsTail)
{
	perf_ring_release(&ring, 4711 * 8);
	EXPECT_EQ(page.data_tail, 4711u * 8);
	EXPECT_EQ(perf_ring_tail(&ring), 4711u * 8);
}

TEST_F(PerfRing, GarbageEndsInsideTailAndHead)
{
	static const uint16_t sizes[] = {0, 1, 7, 8, 9, 12, 16, 24, 4088, 4096, 4104, 65528, 65535};

	for (int round = 0; round < 20000; round++) {
		uint64_t tail = random() % (4 * SIZE), head = tail + random() % (SIZE + 9),
			 at = tail;

		if (round % 4)
			tail = at = tail & ~7ULL;
		for (auto &word : memory) {
			word = uint64_t(random()) << 32;
			word |= random();
		}
		for (uint64_t place = 0; place < SIZE; place += 8) {
			uint16_t size = sizes[random() % std::size(sizes)];

			if (random() % 2)
				memcpy(ring.data + place + 6, &size, 2);
		}
		uint64_t steps = 0;
		while (auto record = perf_ring_next(&ring, &at, head, scratch.data())) {
			uint64_t size = copy(record).size();

			ASSERT_GE(size, 8u);
			ASSERT_EQ(size % 8, 0u);
			ASSERT_LE(++steps, SIZE / 8);
			ASSERT_LE(at, head);
		}
		ASSERT_GE(at, tail);
		ASSERT_EQ(perf_ring_cut(&ring, tail, head, UINT64_MAX), at);
	}
}

TEST_F(PerfRing, HeadFurtherThanTheRingIsRefused)
{
	uint16_t size = 8;
	uint64_t at = 0;

	write(6, &size, 2);
	EXPECT_EQ(perf_ring_next(&ring, &at, SIZE + 8, scratch.data()), nullptr);
	EXPECT_NE(perf_ring_next(&ring, &at, SIZE, scratch.data()), nullptr);
}

TEST_F(PerfRing, RecordLongerThanWhatIsLeft)
{
	uint16_t size = 24;
	uint64_t at = 0;

	write(6, &size, 2);
	EXPECT_EQ(perf_ring_next(&ring, &at, 16, scratch.data()), nullptr);
	EXPECT_EQ(at, 0u);
	EXPECT_NE(perf_ring_next(&ring, &at, 24, scratch.data()), nullptr);
	EXPECT_EQ(at, 24u);
}

} // namespace
