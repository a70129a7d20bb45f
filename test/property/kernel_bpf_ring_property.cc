/*
 * Rounds of BPF rings: whatever the writers do meanwhile, nothing is late.
 *
 * Each writer makes a place for its record, takes the time, and completes the record; between the steps it may be stopped for as
 * long as it takes, and others write into the same ring. The reader looks at one ring after the other, moves what is complete,
 * and ends the round when bpf_ring_is_reached() says so of all. The test also breaks each of the two rules, and records are late
 * then: so it would notice.
 */
#include "load/bpf_ring.h"
#include "stream_build.h"

#include <linux/bpf.h>
#include <random>

namespace
{

enum : uint64_t { SIZE = 1 << 14, BODY = 16, RECORD = BPF_RINGBUF_HDR_SZ + BODY };
enum : uint32_t { RINGS = 3, WRITERS = 4, STEPS = 4000 };

struct Rules {
	bool is_time_after, is_held;
};

class Ring
{
      public:
	Ring()
	{
		ring = {&tail, &head, reinterpret_cast<const uint8_t *>(memory.data()), SIZE};
	}
	Ring(const Ring &) = delete;
	Ring &operator=(const Ring &) = delete;

	bool has_room() const
	{
		return head + RECORD - tail <= SIZE;
	}

	uint64_t reserve()
	{
		uint64_t at = head;

		put_word(at, BODY | BPF_RINGBUF_BUSY_BIT);
		head += RECORD;
		return at;
	}

	void commit(uint64_t at, uint64_t time, uint64_t tag)
	{
		put(at + BPF_RINGBUF_HDR_SZ, time);
		put(at + BPF_RINGBUF_HDR_SZ + 8, tag);
		put_word(at, BODY);
	}

	struct bpf_ring ring {
	};
	struct bpf_ring_reach reach {
	};

      private:
	void put_word(uint64_t at, uint32_t word)
	{
		uint64_t value = 0;

		memcpy(&value, &word, sizeof(word)); /* it comes first in any byte order */
		put(at, value);
	}

	void put(uint64_t at, uint64_t value)
	{
		memory[at % SIZE / 8] = memory[at % SIZE / 8 + SIZE / 8] = value;
	}

	uint64_t tail = 0, head = 0;
	std::vector<uint64_t> memory = std::vector<uint64_t>(2 * SIZE / 8);
};

struct Writer {
	enum { IDLE, BEGUN, PLACED, TIMED } state = IDLE;
	Ring *ring = nullptr;
	uint64_t at = 0, time = 0;
};

class Machine
{
      public:
	Machine(uint32_t seed, Rules rules) : rules(rules), random(seed)
	{
		file.add_event("a:b", {1});
	}

	/* Returns how many records were late; all that were written have come out, by time. */
	uint64_t run()
	{
		for (uint32_t i = 0; i < STEPS; i++)
			step();
		is_ending = true;
		for (Writer &writer : writers)
			while (writer.state != Writer::IDLE) {
				pass();
				advance(writer);
			}
		pass();
		return read();
	}

      private:
	uint32_t below(uint32_t limit)
	{
		return static_cast<uint32_t>(random() % limit);
	}

	/* A writer that is chosen goes on; some are seldom chosen: they are stopped where they are. */
	void step()
	{
		uint32_t chance = below(100);

		now++;
		if (chance < 8)
			pass();
		else if (chance < 97)
			advance(writers[below(WRITERS - 1)]);
		else
			advance(writers[WRITERS - 1]);
	}

	void advance(Writer &writer)
	{
		now++;
		switch (writer.state) {
		case Writer::IDLE:
			if (is_ending)
				break;
			writer.ring = &rings[below(RINGS)];
			writer.time = now;
			writer.state = Writer::BEGUN;
			break;
		case Writer::BEGUN:
			if (!writer.ring->has_room())
				break;
			writer.at = writer.ring->reserve();
			writer.state = Writer::PLACED;
			break;
		case Writer::PLACED:
			if (rules.is_time_after)
				writer.time = now;
			writer.state = Writer::TIMED;
			break;
		case Writer::TIMED:
			writer.ring->commit(writer.at, writer.time, written++);
			writer.state = Writer::IDLE;
			break;
		}
	}

	/* As live_round() has it; writers go on while the reader looks at one ring after the other. */
	void pass()
	{
		bool is_reached = true;

		for (Ring &r : rings) {
			bpf_ring_take(&r.ring, &r.reach, is_held);
			for (uint32_t i = below(4); i; i--)
				advance(writers[below(WRITERS - 1)]);
		}
		for (uint32_t cpu = 0; cpu < RINGS; cpu++) {
			move(cpu);
			is_reached &= bpf_ring_is_reached(&rings[cpu].ring, &rings[cpu].reach);
		}
		is_held = rules.is_held && !is_reached;
		if (!is_held)
			file.put_round();
	}

	void move(uint32_t cpu)
	{
		Ring &r = rings[cpu];
		uint64_t at = bpf_ring_tail(&r.ring);
		const void *bytes;
		uint32_t length;
		uint64_t body[2];

		while (bpf_ring_next(&r.ring, &at, r.reach.head, &bytes, &length) ==
		       BPF_RING_RECORD) {
			ASSERT_EQ(length, BODY);
			memcpy(body, bytes, sizeof(body));
			file.put_sample(cpu, body[0], static_cast<uint32_t>(body[1]));
		}
		bpf_ring_release(&r.ring, at);
	}

	uint64_t read()
	{
		tally books{};
		capture *c = opened(file.write());
		std::vector<Seen> seen = read_ordered(c, &books);

		capture_close(c);
		EXPECT_EQ(seen.size(), written);
		for (size_t i = 1; i < seen.size(); i++)
			EXPECT_LE(seen[i - 1].time, seen[i].time);
		return tally_get(&books, late);
	}

	Rules rules;
	std::mt19937 random;
	StreamFile file;
	Ring rings[RINGS];
	Writer writers[WRITERS];
	uint64_t now = 0, written = 0;
	bool is_held = false, is_ending = false;
};

uint64_t late_of(Rules rules)
{
	uint64_t late = 0;

	for (uint32_t seed = 1; seed <= 50; seed++)
		late += Machine(seed, rules).run();
	return late;
}

} // namespace

TEST(BpfRounds, NothingIsLateHoweverLongAWriterIsStopped)
{
	EXPECT_EQ(late_of({true, true}), 0U);
}

TEST(BpfRounds, RecordsAreLateIfARoundEndsWhileOneIsBeingWritten)
{
	EXPECT_GT(late_of({true, false}), 0U);
}

TEST(BpfRounds, RecordsAreLateIfTheirTimeIsTakenBeforeTheirPlace)
{
	EXPECT_GT(late_of({false, true}), 0U);
}
