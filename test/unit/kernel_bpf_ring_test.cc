/*
 * The reader of a BPF ring buffer, over memory that the test writes as the kernel does: a word with the length in
 * front of each record, everything twice.
 */
#include "load/bpf_ring.h"

#include <cstring>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <string>
#include <vector>

namespace
{

enum : uint64_t { SIZE = 256 };

class BpfRing : public ::testing::Test
{
      protected:
	uint64_t tail = 0, head = 0;
	std::vector<uint64_t> memory = std::vector<uint64_t>(2 * SIZE / 8);
	struct bpf_ring ring = {&tail, &head, reinterpret_cast<const uint8_t *>(memory.data()),
				SIZE};

	void put_at(uint64_t place, const void *bytes, size_t size)
	{
		auto *data = reinterpret_cast<uint8_t *>(memory.data());

		for (size_t i = 0; i < size; i++) {
			size_t to = (place + i) % SIZE;

			data[to] = data[to + SIZE] = static_cast<const uint8_t *>(bytes)[i];
		}
	}

	/* Returns where the record's word stands. */
	uint64_t put(const std::string &text, uint32_t flags = 0)
	{
		uint32_t word[2] = {static_cast<uint32_t>(text.size()) | flags, 0};
		uint64_t at = head;

		put_at(at, word, sizeof(word));
		put_at(at + sizeof(word), text.data(), text.size());
		head += (sizeof(word) + text.size() + 7) / 8 * 8;
		return at;
	}

	std::string next(uint64_t *at, enum bpf_ring_next expected = BPF_RING_RECORD)
	{
		const void *bytes = nullptr;
		uint32_t length = 0;

		EXPECT_EQ(bpf_ring_next(&ring, at, bpf_ring_head(&ring), &bytes, &length),
			  expected);
		return std::string(static_cast<const char *>(bytes), length);
	}
};

TEST_F(BpfRing, RecordsComeInOrderWithTheirLengths)
{
	uint64_t at = bpf_ring_tail(&ring);

	put("one");
	put("twelve bytes");
	EXPECT_EQ(next(&at), "one");
	EXPECT_EQ(next(&at), "twelve bytes");
	EXPECT_EQ(at, head);
	next(&at, BPF_RING_END);
	bpf_ring_release(&ring, at);
	EXPECT_EQ(tail, 16U + 24U);
}

TEST_F(BpfRing, ARecordThatWrapsAroundIsWhole)
{
	uint64_t at;

	tail = head = at = SIZE - 16;
	put("behind the end of the memory");
	EXPECT_EQ(next(&at), "behind the end of the memory");
}

TEST_F(BpfRing, WhatIsBeingWrittenStopsTheWalkUntilItIsDone)
{
	uint64_t at = 0, busy;

	put("first");
	busy = put("second", BPF_RINGBUF_BUSY_BIT);
	put("third");
	EXPECT_EQ(next(&at), "first");
	next(&at, BPF_RING_BUSY);
	EXPECT_EQ(at, busy);
	uint32_t done = 6;

	put_at(busy, &done, sizeof(done));
	EXPECT_EQ(next(&at), "second");
	EXPECT_EQ(next(&at), "third");
}

TEST_F(BpfRing, WhatItsWriterTookBackIsSteppedOver)
{
	uint64_t at = 0;

	put("gone", BPF_RINGBUF_DISCARD_BIT);
	put("here");
	put("gone, too", BPF_RINGBUF_DISCARD_BIT);
	EXPECT_EQ(next(&at), "here");
	next(&at, BPF_RING_END);
	EXPECT_EQ(at, head);
}

TEST_F(BpfRing, ALengthThatLeadsBeyondHeadIsBad)
{
	uint64_t at = 0;

	put("0123456789abcdef");
	head -= 8;
	next(&at, BPF_RING_BAD);
	EXPECT_EQ(at, 0U);
}

TEST_F(BpfRing, AHeadFurtherAwayThanTheRingIsLargeIsBad)
{
	uint64_t at = 0;

	head = SIZE + 8;
	next(&at, BPF_RING_BAD);
}

TEST_F(BpfRing, ARingThatIsFullToTheLastByteIsReadInFull)
{
	uint64_t at = 0;

	put(std::string(SIZE - 8, 'x'));
	EXPECT_EQ(next(&at), std::string(SIZE - 8, 'x'));
	next(&at, BPF_RING_END);
}

} // namespace
