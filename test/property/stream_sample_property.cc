/*
 * sample: every layout that the kernel knows can be written and read back, and no byte too few is
 * accepted.
 */
#include <gtest/gtest.h>

#include <iotrace/error.h>
#include <iotrace/sample.h>

#include <cstring>
#include <random>
#include <vector>

namespace
{

constexpr uint32_t BITS = 25;

perf_event_attr attr_of(uint64_t sample_type, uint64_t read_format = 0)
{
	perf_event_attr attr{};

	attr.sample_type = sample_type;
	attr.read_format = read_format;
	attr.sample_id_all = 1;
	attr.sample_regs_user = 0xff;
	attr.sample_regs_intr = 0x7;
	attr.branch_sample_type = 1 << 17;
	return attr;
}

sample_layout layout_of(uint64_t sample_type, uint64_t read_format = 0)
{
	perf_event_attr attr = attr_of(sample_type, read_format);
	sample_layout layout;

	EXPECT_EQ(sample_layout_init(&layout, &attr, nullptr), 0);
	return layout;
}

const uint8_t raw[20] = {7, 6, 5, 4, 3, 2, 1};
const uint8_t body[24] = {1, 2, 3, 4};

sample full_sample(uint32_t type)
{
	sample s{};

	s.type = type;
	s.misc = 3;
	s.pid = 0x11111111;
	s.tid = 0x22222222;
	s.cpu = 0x33333333;
	s.time = 0x4444444444444444;
	s.id = 0x5555555555555555;
	s.raw = raw;
	s.raw_size = sizeof(raw);
	s.values = 1;
	s.value[0] = 0x6666;
	s.value_id[0] = 0x7777;
	s.body = body;
	s.body_size = sizeof(body);
	return s;
}

/* Memory of exactly the record's size, so that ASan sees a byte too far. */
std::vector<uint8_t> write(const sample &s, const sample_layout &layout)
{
	std::vector<uint8_t> big(UINT16_MAX);
	size_t size = sample_write(&s, &layout, big.data(), big.size());

	return {big.begin(), big.begin() + static_cast<ptrdiff_t>(size)};
}

int parse(sample *s, const sample_layout &layout, std::vector<uint8_t> record, size_t size)
{
	uint16_t claimed = static_cast<uint16_t>(size);

	record.resize(size);
	record.shrink_to_fit();
	memcpy(record.data() + 6, &claimed, sizeof(claimed));
	EXPECT_EQ(sample_record_size(record.data(), record.size()), size);
	int rc = sample_parse(s, &layout, record.data());

	/* The bytes die here: compare them while they live. */
	if (!rc && s->raw) {
		EXPECT_EQ(memcmp(s->raw, raw, s->raw_size), 0);
	}
	if (!rc && s->body) {
		EXPECT_EQ(memcmp(s->body, body, sizeof(body)), 0);
	}
	return rc;
}

void expect_same_ids(const sample &a, const sample &b, uint64_t type)
{
	EXPECT_EQ(b.type, a.type);
	EXPECT_EQ(b.misc, a.misc);
	EXPECT_EQ(b.pid, type & PERF_SAMPLE_TID ? a.pid : 0);
	EXPECT_EQ(b.tid, type & PERF_SAMPLE_TID ? a.tid : 0);
	EXPECT_EQ(b.cpu, type & PERF_SAMPLE_CPU ? a.cpu : SAMPLE_CPU_NONE);
	EXPECT_EQ(b.time, type & PERF_SAMPLE_TIME ? a.time : 0);
	EXPECT_EQ(b.id, type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? a.id : 0);
}

void round_trip(uint64_t type, uint64_t read_format)
{
	SCOPED_TRACE(testing::Message()
		     << "sample_type " << std::hex << type << " read_format " << read_format);
	sample_layout layout = layout_of(type, read_format);
	sample in = full_sample(PERF_RECORD_SAMPLE), out;
	std::vector<uint8_t> record = write(in, layout);

	ASSERT_GE(record.size(), 8u);
	ASSERT_EQ(parse(&out, layout, record, record.size()), 0);
	expect_same_ids(in, out, type);
	EXPECT_EQ(out.raw_size, type & PERF_SAMPLE_RAW ? sizeof(raw) : 0);
	EXPECT_EQ(out.raw != nullptr, (type & PERF_SAMPLE_RAW) != 0);
	EXPECT_EQ(out.values, type & PERF_SAMPLE_READ ? 1u : 0u);
	if (out.values) {
		EXPECT_EQ(out.value[0], in.value[0]);
		EXPECT_EQ(out.value_id[0], read_format & PERF_FORMAT_ID ? in.value_id[0] : 0);
	}
	for (size_t size = 8; size < record.size(); size++)
		EXPECT_EQ(parse(&out, layout, record, size), -EBADMSG)
			<< "with " << size << " bytes";
	std::vector<uint8_t> small(record.size());
	EXPECT_EQ(sample_write(&in, &layout, small.data(), record.size()), record.size());
	EXPECT_EQ(sample_write(&in, &layout, small.data(), record.size() - 1), 0u);
}

void round_trip_other(uint64_t type)
{
	SCOPED_TRACE(testing::Message() << "trailer of " << std::hex << type);
	sample_layout layout = layout_of(type);
	sample in = full_sample(PERF_RECORD_COMM), out;
	std::vector<uint8_t> record = write(in, layout);

	ASSERT_EQ(parse(&out, layout, record, record.size()), 0);
	expect_same_ids(in, out, type);
	EXPECT_EQ(out.body_size, sizeof(body));
	EXPECT_EQ(out.raw, nullptr);
	if (record.size() > 8 + sizeof(body)) {
		EXPECT_EQ(parse(&out, layout, record, record.size() - sizeof(body) - 1), -EBADMSG);
	}
}

} // namespace

TEST(SampleProperty, EachBitAloneRoundTrips)
{
	for (uint32_t bit = 0; bit < BITS; bit++) {
		round_trip(UINT64_C(1) << bit, 0);
		round_trip_other(UINT64_C(1) << bit);
	}
}

TEST(SampleProperty, AllBitsTogetherRoundTrip)
{
	round_trip((UINT64_C(1) << BITS) - 1, 0x1f);
	round_trip_other((UINT64_C(1) << BITS) - 1);
}

TEST(SampleProperty, AnyBitsRoundTrip)
{
	std::mt19937_64 random(1);

	for (int i = 0; i < 400; i++) {
		uint64_t type = random() & ((UINT64_C(1) << BITS) - 1);

		round_trip(type, random() & 0x1f);
		round_trip_other(type);
	}
}

TEST(SampleProperty, EachReadFormatRoundTripsWithAGroup)
{
	for (uint64_t format = 0; format < 0x20; format++) {
		sample_layout layout = layout_of(PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
						 format | PERF_FORMAT_GROUP);
		sample in = full_sample(PERF_RECORD_SAMPLE), out;

		in.values = SAMPLE_VALUES_MAX;
		for (uint32_t i = 0; i < SAMPLE_VALUES_MAX; i++) {
			in.value[i] = i + 1;
			in.value_id[i] = 100 + i;
		}
		std::vector<uint8_t> record = write(in, layout);
		ASSERT_EQ(parse(&out, layout, record, record.size()), 0);
		ASSERT_EQ(out.values, static_cast<uint32_t>(SAMPLE_VALUES_MAX));
		for (uint32_t i = 0; i < SAMPLE_VALUES_MAX; i++) {
			EXPECT_EQ(out.value[i], i + 1);
			EXPECT_EQ(out.value_id[i], format & PERF_FORMAT_ID ? 100 + i : 0);
		}
		EXPECT_EQ(out.raw_size, sizeof(raw));
		EXPECT_EQ(parse(&out, layout, record, record.size() - 1), -EBADMSG);
		in.values++;
		EXPECT_TRUE(write(in, layout).empty());
	}
}

TEST(SampleProperty, UnknownBitsAreRefused)
{
	for (uint32_t bit = BITS; bit < 64; bit++) {
		perf_event_attr attr = attr_of(UINT64_C(1) << bit | PERF_SAMPLE_TIME);
		sample_layout layout;
		error err{};

		EXPECT_EQ(sample_layout_init(&layout, &attr, &err), -ENOTSUP) << bit;
		EXPECT_EQ(err.code, ENOTSUP);
	}
	for (uint32_t bit = 5; bit < 64; bit++) {
		perf_event_attr attr = attr_of(PERF_SAMPLE_READ, UINT64_C(1) << bit);
		sample_layout layout;

		EXPECT_EQ(sample_layout_init(&layout, &attr, nullptr), -ENOTSUP) << bit;
		attr.sample_type = PERF_SAMPLE_TIME;
		EXPECT_EQ(sample_layout_init(&layout, &attr, nullptr), 0) << "nobody reads it";
	}
}

TEST(SampleProperty, AnyBytesAreReadWithinTheRecord)
{
	std::mt19937_64 random(2);

	for (int i = 0; i < 100000; i++) {
		uint64_t bits = random();

		bits &= random() & ((UINT64_C(1) << BITS) - 1);
		sample_layout layout = layout_of(bits, random() & 0x1f);
		std::vector<uint8_t> record(8 + random() % 120);
		uint16_t size = static_cast<uint16_t>(record.size());
		uint32_t type = static_cast<uint32_t>(1 + random() % 80);
		sample s;

		if (random() % 2)
			type = PERF_RECORD_SAMPLE;
		/* Small numbers, so that counts and sizes are sometimes possible. */
		for (uint8_t &byte : record)
			byte = random() % 3 ? 0
					    : static_cast<uint8_t>(random() % 6 ? random() % 4
										: random());
		memcpy(record.data(), &type, sizeof(type));
		memcpy(record.data() + 6, &size, sizeof(size));
		if (sample_parse(&s, &layout, record.data()))
			continue;
		const uint8_t *end = record.data() + size;
		if (s.raw) {
			EXPECT_LE(s.raw + s.raw_size, end);
		}
		if (s.body) {
			EXPECT_LE(s.body + s.body_size, end);
		}
		EXPECT_LE(s.values, static_cast<uint32_t>(SAMPLE_VALUES_MAX));
	}
}
