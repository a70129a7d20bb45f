/* Spans that BPF programs count: their arithmetic, and how they find fields. */
#include "load/bpf_span_cell.h"
#include "load/bpf_span_shared.h"
#include "load/bpf_span_spec.h"

#include <cstring>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <iotrace/histogram.h>
#include <linux/bpf.h>
#include <map>
#include <random>

namespace
{

/* As many of each size of number, since most of 64 random bits are large. */
uint64_t some_latency(std::mt19937_64 &random)
{
	return random() >> (random() % 64);
}

/* As the programs add up, and as user space takes it from them. */
TEST(BpfSpan, CountsAsHistogramsDo)
{
	std::map<uint32_t, struct bpf_span_cell> cells;
	struct histogram counted, expected;
	unsigned __int128 squares = 0, found = 0;
	std::mt19937_64 random(16);

	histogram_init(&counted);
	histogram_init(&expected);
	for (int i = 0; i < 20000; i++) {
		const uint64_t value = i < 200 ? (uint64_t)i : some_latency(random);
		const uint32_t bucket = bpf_span_bucket(value);

		ASSERT_GE(value, histogram_from(bucket));
		ASSERT_LE(value, histogram_to(bucket));
		bpf_span_add(&cells[bucket / BPF_SPAN_BUCKETS], bucket, value, 3);
		histogram_add(&expected, value);
		squares += (unsigned __int128)value * value;
	}
	for (const auto &[number, cell] : cells) {
		const struct histogram_part part = {
			number * BPF_SPAN_BUCKETS,   BPF_SPAN_BUCKETS, cell.bucket, cell.sum,
			UINT64_MAX - cell.above_min, cell.max};

		histogram_add_part(&counted, &part);
		found += ((unsigned __int128)cell.squares[1] << 64) + cell.squares[0];
	}
	EXPECT_LT((uint32_t)cells.rbegin()->first, (uint32_t)BPF_SPAN_CELLS);
	EXPECT_EQ(counted.count, expected.count);
	EXPECT_EQ(counted.sum, expected.sum);
	EXPECT_EQ(counted.min, expected.min);
	EXPECT_EQ(counted.max, expected.max);
	EXPECT_TRUE(found == squares);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		ASSERT_EQ(histogram_bucket(&counted, i), histogram_bucket(&expected, i)) << i;
	histogram_release(&counted);
	histogram_release(&expected);
}

const char begin_format[] =
	"name: begins\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 connection;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int error;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:20;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 kind;\toffset:40;\tsize:1;\tsigned:0;\n"
	"\tfield:u32 crooked;\toffset:42;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
const char end_format[] = "name: ends\nID: 6\nformat:\n"
			  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			  "\tfield:u64 connection;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "\tfield:short len;\toffset:24;\tsize:2;\tsigned:1;\n\nprint fmt: \"\"\n";

struct Plan : testing::Test {
	struct counted_span span = {};
	struct bpf_span_plan plan = {};
	struct error err = {};

	Plan()
	{
		span.side[COUNTED_BEGIN].event = "a:begins";
		span.side[COUNTED_END].event = "a:ends";
		span.keys = 1;
		span.side[COUNTED_BEGIN].key[0] = span.side[COUNTED_END].key[0] = "connection";
	}

	int make()
	{
		char begin[sizeof(begin_format)], end[sizeof(end_format)];
		char *const format[] = {begin, end, nullptr};

		memcpy(begin, begin_format, sizeof(begin));
		memcpy(end, end_format, sizeof(end));
		return bpf_span_plan(&plan, &span, format, &err);
	}
};

TEST_F(Plan, FindsFieldsOfBothSides)
{
	span.group = "error";
	span.size = "len";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].offset, 8);
	EXPECT_EQ(plan.offsets[BPF_SPAN_END].field[BPF_SPAN_KEY].offset, 16);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].shift, 32);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].field[BPF_SPAN_SIZE].at, BPF_SPAN_NOTHING);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_END].field[BPF_SPAN_SIZE].shift, 48);
	EXPECT_EQ(plan.offsets[BPF_SPAN_END].field[BPF_SPAN_SIZE].size, 2);
	EXPECT_TRUE(plan.spec.has_group);
	EXPECT_FALSE(plan.spec.is_of_thread);
}

TEST_F(Plan, ThreadsAreNoFields)
{
	span.side[COUNTED_BEGIN].key[0] = span.side[COUNTED_END].key[0] = "tid";
	span.group = "kind";
	span.by = COUNTED_BY_PROCESS;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.is_of_thread);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_PID);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].size, 0);
}

TEST_F(Plan, KeysMayBeBitsOfANumber)
{
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].mask[0], UINT64_MAX);
	span.side[COUNTED_BEGIN].key[0] = span.side[COUNTED_END].key[0] = "tid";
	span.side[COUNTED_BEGIN].mask[0] = 0xfff;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].mask[0], 0xfffU);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_END].mask[0], UINT64_MAX);
	EXPECT_FALSE(plan.spec.is_of_thread);
}

TEST_F(Plan, RefusesWhatIsNoNumber)
{
	const std::map<const char *, const char *> wrong = {
		{"comm", "its field 'comm' is not a single number"},
		{"name", "its field 'name' is not a single number"},
		{"crooked", "its field 'crooked' is not a single number"},
		{"common_pid", "its field 'common_pid' is not a single number"},
		{"nothing", "it has no number 'nothing'"}};

	for (const auto &[field, sentence] : wrong) {
		err = {};
		span.group = field;
		EXPECT_EQ(make(), -ENOTSUP) << field;
		EXPECT_STREQ(err.text, sentence);
	}
}

TEST_F(Plan, ConditionsKnowSigns)
{
	span.side[COUNTED_BEGIN].tests = 2;
	span.side[COUNTED_BEGIN].test[0] = {"kind", COUNTED_LESS, false, false, 3};
	span.side[COUNTED_BEGIN].test[1] = {"error", COUNTED_GREATER_EQUAL, false, true, 7};
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].test[0].is_signed, 0);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].test[1].is_signed, 1);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].test[1].is_alternative, 1);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].test[1].compare, BPF_SPAN_GREATER_EQUAL);
	EXPECT_EQ(plan.spec.side[BPF_SPAN_BEGIN].tests, 2U);
}

TEST_F(Plan, PutsPlacesIntoInstructions)
{
	struct bpf_insn insn[3] = {};

	span.group = "error";
	ASSERT_EQ(make(), 0) << err.text;
	for (auto &one : insn)
		one.code = BPF_LDX | BPF_MEM | BPF_DW;
	insn[0].off = BPF_SPAN_MARK + 8 * BPF_SPAN_GROUP;
	insn[1].off = BPF_SPAN_MARK + 8 * BPF_SPAN_SIZE; /* there is none */
	insn[2].off = 16;
	bpf_span_patch(insn, 3, &plan.offsets[BPF_SPAN_BEGIN]);
	EXPECT_EQ(insn[0].off, 16);
	EXPECT_EQ(insn[0].code, BPF_LDX | BPF_MEM | BPF_W);
	EXPECT_EQ(insn[1].off, BPF_SPAN_MARK + 8 * BPF_SPAN_SIZE);
	EXPECT_EQ(insn[2].off, 16);
	EXPECT_EQ(insn[2].code, BPF_LDX | BPF_MEM | BPF_DW);
}

} // namespace
