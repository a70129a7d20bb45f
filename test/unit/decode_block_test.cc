/*
 * Block tracepoints to steps of requests, with the formats of this kernel and of others.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <memory>
#include <sys/sysmacros.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

const uint32_t kernel_sda1 = 8 << 20 | 1, sda1 = makedev(8, 1);
const uint32_t kernel_large = 259U << 20 | 70000, large = makedev(259, 70000);

/* Where the fields stand in the saved formats. */
enum { DEV = 8, SECTOR = 16, SECTORS = 24 };

class BlockDecode : public ::testing::Test
{
      protected:
	std::deque<Capture> captures; /* a capture has each event once */
	Decoder d{nullptr, decode_free};
	event e;
	Raw bytes;

	/* Returns 1 or 0, as decode_sample() does; the event is in e. */
	int decode(const std::string &name, const Raw &raw)
	{
		return decode_with(name, saved_format("block", name), raw);
	}

	int decode_with(const std::string &name, const std::string &format, const Raw &raw)
	{
		Capture &c = captures.emplace_back();
		uint32_t index = c.add_tracepoint("block", name, format);
		error err{};

		d.reset(c.open(&err));
		EXPECT_NE(d, nullptr) << err.text;
		bytes = raw; /* the event's strings are lent */
		sample s = bytes.sample(index);

		memset(static_cast<void *>(&e), 0xaa, sizeof(e));
		return decode_sample(d.get(), &s, false, &e);
	}

	/* All that the tracepoints have in common; large enough for each. */
	static Raw raw(uint64_t sector, uint32_t sectors, size_t rwbs_at, const std::string &rwbs)
	{
		Raw r(64);

		r.put(DEV, 4, kernel_sda1).put(SECTOR, 8, sector).put(SECTORS, 4, sectors);
		memcpy(&r.bytes[rwbs_at], rwbs.data(), rwbs.size());
		return r;
	}

	static Raw named(Raw r, size_t at)
	{
		memcpy(&r.bytes[at], "fio", 3);
		return r;
	}

	enum request_kind type_of(const std::string &rwbs, uint64_t sector = 8,
				  uint32_t sectors = 8)
	{
		EXPECT_EQ(decode("block_rq_complete", raw(sector, sectors, 34, rwbs)), 1);
		EXPECT_EQ(text_of(e.request.rwbs), rwbs);
		return e.request.type;
	}

	void expect(enum request_step step, enum request_kind type, const char *name)
	{
		EXPECT_EQ(e.kind, EVENT_REQUEST);
		EXPECT_EQ(e.request.step, step);
		EXPECT_EQ(e.request.type, type);
		EXPECT_EQ(e.request.dev, sda1);
		EXPECT_EQ(e.request.sector, 1000u);
		EXPECT_EQ(e.request.sectors, 8u);
		EXPECT_EQ(text_of(e.request.name), name);
		EXPECT_EQ(e.request.key, 0u);
		EXPECT_EQ(e.request.inode, 0u);
		EXPECT_EQ(e.pid, 100u);
		EXPECT_EQ(e.tid, 101u);
	}
};

TEST_F(BlockDecode, RequestsThatWaitOrGo)
{
	const struct {
		const char *name;
		enum request_step step;
	} rows[] = {{"block_rq_insert", REQUEST_INSERT},
		    {"block_rq_issue", REQUEST_ISSUE},
		    {"block_rq_merge", REQUEST_MERGE}};

	for (const auto &row : rows) {
		ASSERT_EQ(decode(row.name, named(raw(1000, 8, 34, "WFS"), 44).put(28, 4, 4096)), 1);
		expect(row.step, REQUEST_WRITE, "fio");
		EXPECT_EQ(e.request.bytes, 4096u);
		EXPECT_EQ(text_of(e.request.rwbs), "WFS");
	}
}

TEST_F(BlockDecode, ARequeueHasNoName)
{
	ASSERT_EQ(decode("block_rq_requeue", raw(1000, 8, 30, "R")), 1);
	expect(REQUEST_REQUEUE, REQUEST_READ, "(none)");
}

TEST_F(BlockDecode, EndsHaveAnErrorAboveZero)
{
	Raw failed = raw(1000, 8, 34, "RA").put(28, 4, static_cast<uint32_t>(-5));

	ASSERT_EQ(decode("block_rq_complete", failed), 1);
	expect(REQUEST_COMPLETE, REQUEST_READ, "(none)");
	EXPECT_EQ(e.request.error, 5);
	ASSERT_EQ(decode("block_rq_error", failed), 1);
	expect(REQUEST_ERROR, REQUEST_READ, "(none)");
	EXPECT_EQ(e.request.error, 5);
	ASSERT_EQ(decode("block_bio_complete",
			 raw(1000, 8, 32, "W").put(28, 4, static_cast<uint32_t>(-28))),
		  1);
	expect(REQUEST_BIO_COMPLETE, REQUEST_WRITE, "(none)");
	EXPECT_EQ(e.request.error, 28);
}

TEST_F(BlockDecode, Bios)
{
	ASSERT_EQ(decode("block_bio_queue", named(raw(1000, 8, 28, "W"), 38)), 1);
	expect(REQUEST_BIO_QUEUE, REQUEST_WRITE, "fio");
	ASSERT_EQ(decode("block_bio_backmerge", named(raw(1000, 8, 28, "W"), 38)), 1);
	expect(REQUEST_BIO_MERGE, REQUEST_WRITE, "fio");
	EXPECT_EQ(e.request.old_sector, UINT64_MAX) << "put behind";
	ASSERT_EQ(decode("block_bio_frontmerge", named(raw(1000, 8, 28, "W"), 38)), 1);
	expect(REQUEST_BIO_MERGE, REQUEST_WRITE, "fio");
	EXPECT_EQ(e.request.old_sector, 1008u) << "put before what began there";
}

TEST_F(BlockDecode, ASplitSaysHowLongItsFirstPartIs)
{
	ASSERT_EQ(decode("block_split", named(raw(1000, 0, 32, "N").put(24, 8, 1008), 42)), 1);
	expect(REQUEST_SPLIT, REQUEST_ZEROES, "fio");
	EXPECT_EQ(e.request.old_sector, 1008u);
}

TEST_F(BlockDecode, RemapsHaveTwoDevices)
{
	Raw r = raw(1000, 8, 40, "W").put(28, 4, kernel_large).put(32, 8, 77);

	ASSERT_EQ(decode("block_bio_remap", r), 1);
	expect(REQUEST_BIO_REMAP, REQUEST_WRITE, "(none)");
	EXPECT_EQ(e.request.old_dev, large);
	EXPECT_EQ(e.request.old_sector, 77u);
	ASSERT_EQ(decode("block_rq_remap",
			 raw(1000, 8, 44, "W").put(28, 4, kernel_large).put(32, 8, 77)),
		  1);
	EXPECT_EQ(e.request.step, REQUEST_BIO_REMAP);
	EXPECT_EQ(e.request.old_dev, large);
}

TEST_F(BlockDecode, LettersSayWhatARequestDoes)
{
	EXPECT_EQ(type_of("R"), REQUEST_READ);
	EXPECT_EQ(type_of("RAM"), REQUEST_READ);
	EXPECT_EQ(type_of("WS"), REQUEST_WRITE);
	EXPECT_EQ(type_of("FWFSM"), REQUEST_WRITE);
	EXPECT_EQ(type_of("FR"), REQUEST_READ);
	EXPECT_EQ(type_of("F"), REQUEST_FLUSH);
	EXPECT_EQ(type_of("FF"), REQUEST_FLUSH);
	EXPECT_EQ(type_of("FS"), REQUEST_FLUSH);
	EXPECT_EQ(type_of("DS"), REQUEST_DISCARD);
	EXPECT_EQ(type_of("DES"), REQUEST_DISCARD);
	EXPECT_EQ(type_of("FDS"), REQUEST_DISCARD);
	EXPECT_EQ(type_of("ZAS"), REQUEST_WRITE);
	EXPECT_EQ(type_of("ZR"), REQUEST_OTHER);
	EXPECT_EQ(type_of("Z"), REQUEST_OTHER);
	EXPECT_EQ(type_of(""), REQUEST_OTHER);
	EXPECT_EQ(type_of("?"), REQUEST_OTHER);
}

TEST_F(BlockDecode, WithoutALetterThePlaceTellsZeroesFromCommands)
{
	EXPECT_EQ(type_of("NS", 8, 64), REQUEST_ZEROES);
	EXPECT_EQ(type_of("N", UINT64_MAX, 8), REQUEST_OTHER);
	EXPECT_EQ(type_of("N", 0, 0), REQUEST_OTHER);
}

std::string field(const std::string &declaration, int offset, int size, int is_signed = 0)
{
	return "\tfield:" + declaration + ";\toffset:" + std::to_string(offset) +
	       ";\tsize:" + std::to_string(size) + ";\tsigned:" + std::to_string(is_signed) + ";\n";
}

/* Linux 6.1: rwbs is shorter, and there is no priority. */
TEST_F(BlockDecode, OtherKernelsHaveTheirFieldsElsewhere)
{
	std::string issue = format_text("block_rq_issue", 900,
					field("dev_t dev", 8, 4) + field("sector_t sector", 16, 8) +
						field("unsigned int nr_sector", 24, 4) +
						field("unsigned int bytes", 28, 4) +
						field("char rwbs[8]", 32, 8) +
						field("char comm[16]", 40, 16) +
						field("__data_loc char[] cmd", 56, 4));

	ASSERT_EQ(decode_with("block_rq_issue", issue, named(raw(1000, 8, 32, "WS"), 40)), 1);
	expect(REQUEST_ISSUE, REQUEST_WRITE, "fio");
	EXPECT_EQ(text_of(e.request.rwbs), "WS");
}

TEST_F(BlockDecode, AnErrorFieldMayHaveItsOldName)
{
	std::string complete =
		format_text("block_bio_complete", 901,
			    field("dev_t dev", 8, 4) + field("sector_t sector", 16, 8) +
				    field("unsigned nr_sector", 24, 4) +
				    field("int errors", 28, 4, 1) + field("char rwbs[8]", 32, 8));

	ASSERT_EQ(decode_with("block_bio_complete", complete, raw(1000, 8, 32, "W")), 1);
	EXPECT_EQ(e.request.error, 0);
}

TEST_F(BlockDecode, OneByteShortIsMalformed)
{
	Raw r = raw(1000, 8, 30, "R");

	r.bytes.resize(39); /* rwbs is the last wanted field of a requeue */
	r.bytes.shrink_to_fit();
	EXPECT_EQ(decode("block_rq_requeue", r), 0);
	EXPECT_EQ(captures.back().count(TALLY_malformed), 1u);
	EXPECT_EQ(captures.back().count(TALLY_samples), 1u);
}

} // namespace
