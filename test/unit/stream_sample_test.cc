/*
 * sample: the records of one kernel, byte by byte, and the edges of sizes.
 */
#include <gtest/gtest.h>

#include <iotrace/error.h>
#include <iotrace/sample.h>

extern "C" {
#include "sample_offsets.h"
}

#include <cerrno>
#include <cstring>
#include <vector>

namespace
{

/* A record from its 64-bit words; the header's size is right. */
std::vector<uint8_t> record_of(uint32_t type, std::vector<uint64_t> words)
{
	perf_event_header header{};
	std::vector<uint8_t> bytes(sizeof(header) + 8 * words.size());

	header.type = type;
	header.size = static_cast<uint16_t>(bytes.size());
	memcpy(bytes.data(), &header, sizeof(header));
	if (!words.empty())
		memcpy(bytes.data() + sizeof(header), words.data(), 8 * words.size());
	return bytes;
}

/* Two numbers of 32 bits, in the order in which they lie in memory. */
uint64_t pair(uint32_t first, uint32_t second)
{
	const uint32_t both[] = {first, second};
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

sample_layout layout_of(uint64_t type, uint64_t format = 0)
{
	sample_layout layout{};

	layout.sample_type = type;
	layout.read_format = format;
	layout.sample_id_all = true;
	return layout;
}

} // namespace

TEST(Sample, RecordSizeIsThatOfAWholeRecordOnly)
{
	std::vector<uint8_t> record = record_of(PERF_RECORD_COMM, {1, 2});
	uint16_t size = 7;
	uint32_t type = 0;

	EXPECT_EQ(sample_record_size(record.data(), 24), 24u);
	EXPECT_EQ(sample_record_size(record.data(), 100), 24u);
	EXPECT_EQ(sample_record_size(record.data(), 23), 0u);
	EXPECT_EQ(sample_record_size(record.data(), 7), 0u);
	memcpy(record.data(), &type, sizeof(type));
	EXPECT_EQ(sample_record_size(record.data(), 24), 0u) << "type 0";
	type = 1;
	memcpy(record.data(), &type, sizeof(type));
	memcpy(record.data() + 6, &size, sizeof(size));
	EXPECT_EQ(sample_record_size(record.data(), 24), 0u) << "smaller than its header";
}

TEST(Sample, OurLayoutIsReadFieldByField)
{
	/* id; pid, tid; time; cpu; raw size 4 and data. */
	auto record = record_of(PERF_RECORD_SAMPLE,
				{77, pair(4, 5), 1234, pair(3, 0), pair(4, 0xabcdef01)});
	sample s;
	sample_layout layout = layout_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW);

	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.id, 77u);
	EXPECT_EQ(s.pid, 4u);
	EXPECT_EQ(s.tid, 5u);
	EXPECT_EQ(s.time, 1234u);
	EXPECT_EQ(s.cpu, 3u);
	EXPECT_EQ(s.size, 48u);
	EXPECT_EQ(s.event, UINT32_MAX);
	ASSERT_EQ(s.raw_size, 4u);
	EXPECT_EQ(s.raw, record.data() + 44);
}

TEST(Sample, TheIdentifierIsTheIdWhereBothAre)
{
	sample_layout layout = layout_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_CPU);
	auto record = record_of(PERF_RECORD_SAMPLE, {42, 40, pair(3, 0)});
	sample s;

	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.id, 42u);
	EXPECT_EQ(s.cpu, 3u);
}

TEST(Sample, RawIsFoundBehindACallchainAndAGroup)
{
	/* period; nr 2, enabled, {value, id} x 2; callchain of 3; raw. */
	auto record = record_of(PERF_RECORD_SAMPLE,
				{1, 2, 50, 10, 11, 20, 21, 3, 7, 8, 9, pair(4, 0x99999999)});
	sample_layout layout = layout_of(PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
						 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
					 PERF_FORMAT_GROUP | PERF_FORMAT_ID |
						 PERF_FORMAT_TOTAL_TIME_ENABLED);
	sample s;

	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	ASSERT_EQ(s.values, 2u);
	EXPECT_EQ(s.value[1], 20u);
	EXPECT_EQ(s.value_id[1], 21u);
	ASSERT_EQ(s.raw_size, 4u);
	EXPECT_EQ(s.raw[0], 0x99);
	ASSERT_EQ(s.callers, 3u);
	uint64_t caller[3];
	memcpy(caller, s.caller, sizeof(caller));
	EXPECT_EQ(caller[0], 7u);
	EXPECT_EQ(caller[2], 9u);

	uint8_t written[256];
	sample again;
	size_t size = sample_write(&s, &layout, written, sizeof(written));
	ASSERT_GT(size, 0u);
	ASSERT_EQ(sample_parse(&again, &layout, written), 0);
	ASSERT_EQ(again.callers, 3u);
	EXPECT_EQ(memcmp(again.caller, caller, sizeof(caller)), 0);
}

TEST(Sample, GroupLargerThanValuesIsSteppedOver)
{
	std::vector<uint64_t> words = {40};
	sample_layout layout = layout_of(PERF_SAMPLE_READ | PERF_SAMPLE_RAW, PERF_FORMAT_GROUP);
	sample s;

	for (uint64_t i = 0; i < 40; i++)
		words.push_back(i);
	words.push_back(pair(4, 0x42424242));
	auto record = record_of(PERF_RECORD_SAMPLE, words);
	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.values, static_cast<uint32_t>(SAMPLE_VALUES_MAX));
	EXPECT_EQ(s.value[31], 31u);
	EXPECT_EQ(s.raw[0], 0x42);
}

TEST(Sample, WhatFollowsTheRawDataIsSteppedOver)
{
	uint64_t tail = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX;
	sample_layout layout = layout_of(PERF_SAMPLE_RAW | tail);
	/*
	 * raw; 1 branch and hw_idx and counters; abi and 2 registers; 8 bytes of stack; no
	 * registers; 16 of AUX
	 */
	std::vector<uint64_t> words = {pair(4, 0), 1, 99, 1, 2, 3,  88, 2, 5,
				       6,          8, 7,  8, 0, 16, 1,  2};
	sample s;

	layout.regs_user = 2;
	layout.regs_intr = 5;
	layout.branch_sample_type = 1 << 17 | 1 << 19;
	auto record = record_of(PERF_RECORD_SAMPLE, words);
	EXPECT_EQ(sample_parse(&s, &layout, record.data()), 0);
	for (size_t n = 1; n < words.size(); n++) {
		auto cut = record_of(PERF_RECORD_SAMPLE,
				     {words.begin(), words.begin() + static_cast<long>(n)});

		EXPECT_EQ(sample_parse(&s, &layout, cut.data()), -EBADMSG) << n;
	}
}

TEST(Sample, CountsThatOverflowAreRefused)
{
	sample_layout layout = layout_of(PERF_SAMPLE_CALLCHAIN);
	sample s;

	for (uint64_t count : {UINT64_C(1) << 61, UINT64_MAX, UINT64_C(2)}) {
		auto record = record_of(PERF_RECORD_SAMPLE, {count, 0});

		EXPECT_EQ(sample_parse(&s, &layout, record.data()), -EBADMSG) << count;
	}
	layout = layout_of(PERF_SAMPLE_BRANCH_STACK);
	/* 24 times this is 8, modulo 2^64. */
	auto record = record_of(PERF_RECORD_SAMPLE, {UINT64_C(0x5555555555555555) + 6, 0});
	EXPECT_EQ(sample_parse(&s, &layout, record.data()), -EBADMSG);
	layout = layout_of(PERF_SAMPLE_READ, PERF_FORMAT_GROUP);
	record = record_of(PERF_RECORD_SAMPLE, {UINT64_MAX, 1});
	EXPECT_EQ(sample_parse(&s, &layout, record.data()), -EBADMSG);
}

TEST(Sample, OtherRecordsEndInTheirIds)
{
	sample_layout layout = layout_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
					 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_ID);
	/* body; pid, tid; time; id; stream; cpu; identifier */
	auto record = record_of(PERF_RECORD_EXIT, {1, 2, pair(5, 6), 999, 40, 41, pair(7, 0), 42});
	sample s;

	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.body, record.data() + 8);
	EXPECT_EQ(s.body_size, 16u);
	EXPECT_EQ(s.pid, 5u);
	EXPECT_EQ(s.tid, 6u);
	EXPECT_EQ(s.time, 999u);
	EXPECT_EQ(s.cpu, 7u);
	EXPECT_EQ(s.id, 42u);
	layout.sample_id_all = false;
	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.body_size, 64u);
	EXPECT_EQ(s.time, 0u);
	EXPECT_EQ(s.cpu, SAMPLE_CPU_NONE);
}

TEST(Sample, UserRecordsHaveNoIds)
{
	sample_layout layout = layout_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	auto record = record_of(80, {1});
	sample s;

	ASSERT_EQ(sample_parse(&s, &layout, record.data()), 0);
	EXPECT_EQ(s.body_size, 8u);
	EXPECT_EQ(s.time, 0u);
}

TEST(Sample, UserRecordsAreWrittenWithoutIds)
{
	sample_layout layout = layout_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	sample s{};
	uint8_t out[64];

	s.type = 80;
	EXPECT_EQ(sample_write(&s, &layout, out, sizeof(out)), 8u);
	s.type = 63;
	EXPECT_EQ(sample_write(&s, &layout, out, sizeof(out)), 24u);
}

TEST(Sample, RawDataIsPaddedAsTheKernelDoesIt)
{
	sample_layout layout = layout_of(PERF_SAMPLE_RAW);
	sample in{}, out;
	uint8_t bytes[64];

	in.type = PERF_RECORD_SAMPLE;
	in.raw = reinterpret_cast<const uint8_t *>("abcde");
	in.raw_size = 5;
	ASSERT_EQ(sample_write(&in, &layout, bytes, sizeof(bytes)), 24u);
	ASSERT_EQ(sample_parse(&out, &layout, bytes), 0);
	EXPECT_EQ(out.raw_size, 12u);
	EXPECT_EQ(memcmp(out.raw, "abcde\0\0\0\0\0\0", 12), 0);
}

TEST(Sample, ARecordIsNeverLargerThanItsSizeCanSay)
{
	sample_layout layout = layout_of(PERF_SAMPLE_RAW);
	std::vector<uint8_t> out(100000), raw(100000);
	sample s{};

	s.type = PERF_RECORD_SAMPLE;
	s.raw = raw.data();
	s.raw_size = 65508;
	EXPECT_EQ(sample_write(&s, &layout, out.data(), out.size()), 65520u);
	s.raw_size = 65524;
	EXPECT_EQ(sample_write(&s, &layout, out.data(), out.size()), 0u);
}

TEST(Sample, UnknownLayoutSaysWhichBit)
{
	perf_event_attr attr{};
	sample_layout layout;
	error err{};

	attr.sample_type = UINT64_C(1) << 30;
	EXPECT_EQ(sample_layout_init(&layout, &attr, &err), -ENOTSUP);
	EXPECT_STREQ(
		err.text,
		"its samples have fields that this iotrace does not know (sample_type 0x40000000)");
}

TEST(Sample, PlacesAreWhereParsingFindsTheFields)
{
	for (uint64_t bits = 0; bits < 512; bits++) {
		/* All fields before READ, in all combinations. */
		uint64_t type = (bits & 0xf) | (bits >> 4 & 1) << 6 | (bits >> 5 & 1) << 7 |
				(bits >> 6 & 1) << 8 | (bits >> 7 & 1) << 9 | (bits >> 8 & 1) << 16;
		sample_layout layout = layout_of(type);
		sample in{}, out;
		sample_offsets offsets;
		uint8_t bytes[128];

		sample_offsets_init(&offsets, &layout);
		in.time = 11;
		in.cpu = 12;
		in.id = 13;
		for (uint32_t kind : {PERF_RECORD_SAMPLE, PERF_RECORD_COMM}) {
			bool is_sample = kind == PERF_RECORD_SAMPLE;
			const field_offsets &fields = is_sample ? offsets.sample : offsets.trailer;

			in.type = kind;
			uint32_t size = static_cast<uint32_t>(
				sample_write(&in, &layout, bytes, sizeof(bytes)));
			ASSERT_EQ(sample_parse(&out, &layout, bytes), 0);
			EXPECT_EQ(fields.min_size, size);
			const uint8_t *at = sample_field(bytes, size, is_sample, fields.time);
			EXPECT_EQ(at ? sample_u64(at) : 0, out.time);
			at = sample_field(bytes, size, is_sample, fields.cpu);
			EXPECT_EQ(at ? sample_u32(at) : SAMPLE_CPU_NONE, out.cpu);
			at = sample_field(bytes, size, is_sample, fields.id);
			EXPECT_EQ(at ? sample_u64(at) : 0, out.id);
		}
	}
}

TEST(Sample, ThePlaceOfTheIdIsThatOfTheIdentifier)
{
	sample_layout layout = layout_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
	sample_offsets offsets;

	sample_offsets_init(&offsets, &layout);
	EXPECT_EQ(offsets.sample.id, 8u);
	EXPECT_EQ(offsets.trailer.id, 8u);
}
