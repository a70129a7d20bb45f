/* Spans that BPF programs count: their arithmetic, and how they find fields. */
#include "count/bpf_span_cell.h"
#include "count/bpf_span_shared.h"
#include "count/bpf_span_spec.h"
#include "test_source.h"

#include <asm/ptrace.h>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <iotrace/histogram.h>
#include <iotrace/recording.h>
#include <linux/bpf.h>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

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
		bpf_span_add(&cells[bucket / BPF_SPAN_BUCKETS], bucket, value, 3, true);
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

/* As programs of probes add up, which may be preempted anywhere. */
TEST(BpfSpan, CellsMayBeShared)
{
	struct bpf_span_cell shared = {}, expected = {};
	std::vector<std::thread> threads;

	for (uint64_t number = 0; number < 4; number++)
		threads.emplace_back([&shared, number] {
			std::mt19937_64 random(number);

			for (int i = 0; i < 20000; i++)
				bpf_span_add_shared(&shared, (uint32_t)i, random(), number);
		});
	for (auto &thread : threads)
		thread.join();
	for (uint64_t number = 0; number < 4; number++) {
		std::mt19937_64 random(number);

		for (int i = 0; i < 20000; i++)
			bpf_span_add(&expected, (uint32_t)i, random(), number, true);
	}
	EXPECT_EQ(memcmp(&shared, &expected, sizeof(shared)), 0);
}

const char begin_format[] =
	"name: begins\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 connection;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int error;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:20;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] label;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 kind;\toffset:40;\tsize:1;\tsigned:0;\n"
	"\tfield:u32 crooked;\toffset:42;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
const char end_format[] = "name: ends\nID: 6\nformat:\n"
			  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			  "\tfield:u64 connection;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "\tfield:u64 label;\toffset:32;\tsize:8;\tsigned:0;\n"
			  "\tfield:short len;\toffset:24;\tsize:2;\tsigned:1;\n\nprint fmt: \"\"\n";

struct Plan : testing::Test {
	struct counted_span span = {};
	struct bpf_span_plan plan = {};
	struct recording_probes probes = {};
	struct error err = {};

	Plan()
	{
		span.point[COUNTED_BEGIN].event = "a:begins";
		span.point[COUNTED_END].event = "a:ends";
		span.keys = 1;
		span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "connection";
	}

	int make()
	{
		char begin[sizeof(begin_format)], end[sizeof(end_format)];
		struct bpf_span_source from = {{}, &probes};

		memcpy(begin, begin_format, sizeof(begin));
		memcpy(end, end_format, sizeof(end));
		for (int i = 0; i < BPF_SPAN_POINTS; i++)
			if (span.point[i].event)
				from.format[i] = strcmp(span.point[i].event, "a:begins") ? end
											 : begin;
		return bpf_span_plan(&plan, &span, &from, &err);
	}
};

TEST_F(Plan, FindsFieldsOfBothSides)
{
	span.group = "error";
	span.size = "len";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].offset, 8);
	EXPECT_EQ(plan.offsets[BPF_SPAN_END].field[BPF_SPAN_KEY].offset, 16);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].shift, 32);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_SIZE].at, BPF_SPAN_NOTHING);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_SIZE].shift, 48);
	EXPECT_EQ(plan.offsets[BPF_SPAN_END].field[BPF_SPAN_SIZE].size, 2);
	EXPECT_TRUE(plan.spec.has_group);
	EXPECT_FALSE(plan.spec.is_of_thread);
}

TEST_F(Plan, ThreadsAreNoFields)
{
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.group = "kind";
	span.by = COUNTED_BY_PROCESS;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.is_of_thread);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_PID);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].size, 0);
}

TEST_F(Plan, KeysMayBeBitsOfANumber)
{
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].mask[0], UINT64_MAX);
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.point[COUNTED_BEGIN].mask[0] = 0xfff;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].mask[0], 0xfffU);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].mask[0], UINT64_MAX);
	EXPECT_FALSE(plan.spec.is_of_thread);
}

TEST_F(Plan, RefusesWhatIsNoNumber)
{
	const std::map<const char *, const char *> wrong = {
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
	span.point[COUNTED_BEGIN].tests = 2;
	span.point[COUNTED_BEGIN].test[0] = {"kind", COUNTED_LESS, false,  false, 3, nullptr,
					     0,      false,        nullptr};
	span.point[COUNTED_BEGIN].test[1] = {
		"error", COUNTED_GREATER_EQUAL, false, true, 7, nullptr, 0, false, nullptr};
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].test[0].is_signed, 0);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].test[1].is_signed, 1);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].test[1].is_alternative, 1);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].test[1].compare, BPF_SPAN_GREATER_EQUAL);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].tests, 2U);
}

TEST_F(Plan, GroupsMayBeTexts)
{
	span.group = "comm";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.texts, (uint32_t)BPF_SPAN_TEXTS);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_OF_TEXT);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].text, BPF_SPAN_TEXT_ARRAY);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].offset, 20U);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].size, 16U);
	EXPECT_EQ(plan.spec.text_size, (uint32_t)BPF_SPAN_SHORT_TEXT);
	EXPECT_TRUE(plan.spec.has_group_text);
	span.point[COUNTED_BEGIN].event = "a:ends"; /* it has no such field */
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_OF_TEXT);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].text, BPF_SPAN_TEXT_COMM);
	span.by = COUNTED_BY_THREAD;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.texts, 0U);
}

TEST_F(Plan, GroupsMayBeTextsOfAllEnds)
{
	span.point[COUNTED_BEGIN].event = "a:ends";
	span.point[COUNTED_END].event = "a:begins";
	span.group = "name";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.has_group_text);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_NOTHING);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_GROUP].text, BPF_SPAN_TEXT_DATA_LOC);
	span.group = "label"; /* a number of the begin, which is preferred */
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_FALSE(plan.spec.has_group_text);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_NUMBER);
	span.group = "name";
	span.point[COUNTED_END_2] = {"a:ends", nullptr, {"connection"}, {}, {}, 0};
	EXPECT_EQ(make(), -ENOTSUP);
}

TEST_F(Plan, KeysMayBeTexts)
{
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "comm";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].text, BPF_SPAN_TEXT_ARRAY);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_KEY].text, BPF_SPAN_TEXT_COMM);
	EXPECT_EQ(plan.spec.texts, (uint32_t)BPF_SPAN_TEXTS);
	EXPECT_EQ(plan.spec.text_size, (uint32_t)BPF_SPAN_SHORT_TEXT);
	EXPECT_FALSE(plan.spec.has_group_text);
	span.point[COUNTED_BEGIN].key[0] = "name"; /* of any length */
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].text, BPF_SPAN_TEXT_DATA_LOC);
	EXPECT_EQ(plan.spec.text_size, (uint32_t)BPF_SPAN_LONG_TEXT);
}

TEST_F(Plan, ConditionsMayBeTexts)
{
	const struct bpf_span_match *match = plan.match[BPF_SPAN_BEGIN];

	span.point[COUNTED_BEGIN].tests = 2;
	span.point[COUNTED_BEGIN].test[0] = {"comm", COUNTED_UNEQUAL, false,  false, 0, "dd",
					     2,      false,           nullptr};
	span.point[COUNTED_BEGIN].test[1] = {"comm", COUNTED_EQUAL, false,  false, 0, "cat*",
					     3,      true,          nullptr};
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_TEST].at, BPF_SPAN_OF_TEXT);
	EXPECT_EQ(std::string(match[0].wanted), "dd");
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_TEST].offset, 20U);
	EXPECT_EQ(match[0].mask[31], '\xff');
	EXPECT_TRUE(match[0].is_unequal);
	EXPECT_EQ(std::string(match[1].mask), "\xff\xff\xff");
	EXPECT_FALSE(match[1].is_unequal);
	for (const char *field : {"kind", "nothing"}) {
		err = {};
		span.point[COUNTED_BEGIN].test[1].field = field;
		EXPECT_EQ(make(), -ENOTSUP);
		EXPECT_EQ(err.text, std::string("tracepoint a:begins: its field '") + field +
					    "' is not a short text");
	}
	err = {};
	span.point[COUNTED_BEGIN].test[1] = {"comm", COUNTED_EQUAL,
					     false,  false,
					     0,      "a text of no less than 32 bytes.",
					     32,     false,
					     nullptr};
	EXPECT_EQ(make(), -ENOTSUP);
}

TEST_F(Plan, ConditionsMayBePatterns)
{
	struct counted_test test = {"comm", COUNTED_EQUAL, false, false, 0, "d?", 2, false, "d?"};

	span.point[COUNTED_BEGIN].tests = BPF_SPAN_PATTERNS;
	for (int i = 0; i < BPF_SPAN_PATTERNS; i++)
		span.point[COUNTED_BEGIN].test[i] = test;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.patterns, (uint32_t)BPF_SPAN_PATTERNS);
	EXPECT_EQ(plan.match[BPF_SPAN_BEGIN][3].pattern, 4U);
	EXPECT_NE(plan.pattern[3].step[(int)'d'], 0U);
	test.field = "name"; /* of any length */
	span.point[COUNTED_BEGIN].test[1] = test;
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "tracepoint a:begins: its field 'name' is not a short text");
	err = {};
	test.field = "comm";
	span.point[COUNTED_BEGIN].test[1] = test;
	span.point[COUNTED_BEGIN].test[BPF_SPAN_PATTERNS] = test;
	span.point[COUNTED_BEGIN].tests++;
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "tracepoint a:begins: it has more than 4 patterns of texts");
}

std::string format_of_kvm(const char *event)
{
	std::ifstream in(test_source(std::string("formats/linux-6.18-x86_64/kvm/") + event));

	return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(Plan, AnotherFieldChoosesTheNamesOfGroups)
{
	std::string begin = format_of_kvm("kvm_exit"), end = format_of_kvm("kvm_entry");
	struct bpf_span_source from = {};

	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.group = "exit_reason";
	from.format[BPF_SPAN_BEGIN] = begin.data();
	from.format[BPF_SPAN_END] = end.data();
	ASSERT_EQ(bpf_span_plan(&plan, &span, &from, &err), 0) << err.text;
	EXPECT_TRUE(plan.spec.has_chooser);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].offset, 8);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_CHOOSER].offset, 24) << "isa";
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_CHOOSER].size, 4);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_CHOOSER].at, BPF_SPAN_NOTHING);
	span.group = "vcpu_id";
	ASSERT_EQ(bpf_span_plan(&plan, &span, &from, &err), 0) << err.text;
	EXPECT_FALSE(plan.spec.has_chooser);
}

TEST_F(Plan, SeveralEventsMayEndIt)
{
	span.group = "len";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_FALSE(plan.spec.has_ends);
	span.point[COUNTED_END_2] = {"a:begins", nullptr, {"error"}, {0xff}, {}, 0};
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.has_ends);
	EXPECT_EQ(plan.offsets[BPF_SPAN_END_2].field[BPF_SPAN_KEY].offset, 16);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END_2].mask[0], 0xffU);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_GROUP].at, BPF_SPAN_NUMBER);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END_2].field[BPF_SPAN_GROUP].at, BPF_SPAN_NOTHING);
	span.group = "nothing";
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "it has no number 'nothing'");
}

TEST_F(Plan, AllBeginsHaveTheFieldOrNone)
{
	span.point[COUNTED_BEGIN_2] = {"a:ends", nullptr, {"connection"}, {}, {}, 0};
	span.group = "connection";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].offset, 8);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN_2].field[BPF_SPAN_GROUP].offset, 16);
	for (const char *group : {"error", "len"}) {
		err = {};
		span.group = group;
		EXPECT_EQ(make(), -ENOTSUP);
		EXPECT_EQ(err.text,
			  std::string("not all its begins have a number '") + group + "'");
	}
	span.by = COUNTED_BY_THREAD;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN_2].field[BPF_SPAN_GROUP].at, BPF_SPAN_TID);
}

TEST_F(Plan, APartOfTheKeyMayCancelIt)
{
	span.keys = 2;
	span.point[COUNTED_BEGIN].key[1] = span.point[COUNTED_END].key[1] = "tid";
	span.point[COUNTED_CANCEL] = {"a:ends", nullptr, {"connection", "tid"}, {}, {}, 0};
	span.cancel_keys = 2;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.part, 0);
	span.point[COUNTED_CANCEL].key[1] = nullptr;
	span.cancel_keys = 1;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.part, 1);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_CANCEL].field[BPF_SPAN_KEY + 1].at, BPF_SPAN_NOTHING);
	span.point[COUNTED_CANCEL].event = nullptr;
	span.cancel_keys = 0;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.part, 0);
}

TEST_F(Plan, ASpanIsOfAProcessIfAllEventsAre)
{
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "pid";
	span.point[COUNTED_CANCEL] = {"a:ends", nullptr, {"pid"}, {}, {}, 0};
	span.cancel_keys = 1;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.is_of_process);
	EXPECT_EQ(plan.spec.hashed_keys, 1);
	span.point[COUNTED_END].mask[0] = 0xff;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_FALSE(plan.spec.is_of_process);
	EXPECT_EQ(plan.spec.hashed_keys, 0);
}

TEST_F(Plan, AThreadHasAPlaceOfItsOwnIfAllEventsAreOfIt)
{
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.point[COUNTED_CANCEL] = {"a:ends", nullptr, {"tid"}, {}, {}, 0};
	span.cancel_keys = 1;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.is_of_thread);
	span.point[COUNTED_CANCEL].key[0] = "connection";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_FALSE(plan.spec.is_of_thread);
}

#if defined(__x86_64__)
char begins[] = "a:begins", enters[] = "a:enters", text[] = "usdt:...";

struct Probes : Plan {
	std::vector<struct recording_probe> items;

	void add(char *event, const char *fields, uint64_t offset = 0)
	{
		items.push_back({event, text, false, -1, offset, 0, (char *)(uintptr_t)fields});
		probes = {items.data(), (uint32_t)items.size(), 0};
	}

	const struct bpf_span_fetch &fetch(uint32_t number, uint32_t site = 0)
	{
		return plan.probes.of[BPF_SPAN_BEGIN].site[site].field[number];
	}
};

TEST_F(Probes, FindFieldsInTheirLines)
{
	add(begins, "connection=%si:u64 connection_2=%di:u8 deep=-4(+16(%r12)):s32");
	span.group = "deep";
	span.size = "len";
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_TRUE(plan.spec.is_interleaved);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].at, BPF_SPAN_NUMBER);
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].offset,
		  offsetof(struct pt_regs, rsi));
	EXPECT_EQ(plan.offsets[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].size, 8);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_OF_PROBE);
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).at, offsetof(struct pt_regs, r12));
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).depth, 2);
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).offset[0], 16);
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).offset[1], -4);
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).size, 4);
	EXPECT_TRUE(fetch(BPF_SPAN_GROUP).is_signed);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].field[BPF_SPAN_SIZE].at, BPF_SPAN_NUMBER);
	EXPECT_EQ(plan.probes.of[BPF_SPAN_END].sites, 0U);
}

TEST_F(Probes, MayBeInSeveralPlaces)
{
	add(begins, "connection=%ax:u64", 0x1010);
	add(begins, "connection=\\-5:u64", 0x2020);
	add(begins, "connection=+-16(%bp):u64", 0x3030);
	ASSERT_EQ(make(), 0) << err.text;
	ASSERT_EQ(plan.probes.of[BPF_SPAN_BEGIN].sites, 3U);
	EXPECT_EQ(plan.probes.of[BPF_SPAN_BEGIN].low[1], 0x20U);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].at, BPF_SPAN_OF_PROBE);
	EXPECT_TRUE(fetch(BPF_SPAN_KEY, 1).is_constant);
	EXPECT_EQ(fetch(BPF_SPAN_KEY, 1).offset[0], -5);
	EXPECT_EQ(fetch(BPF_SPAN_KEY, 2).offset[0], -16);
	EXPECT_EQ(fetch(BPF_SPAN_KEY, 2).at, offsetof(struct pt_regs, rbp));
	items[2].offset = 0x4020;
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "usdt:...: two of its places cannot be told apart");
	for (auto &item : items) /* then it does not matter which of them it is */
		item.fields = items[0].fields;
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.probes.of[BPF_SPAN_BEGIN].sites, 1U);
	for (uint64_t i = 0; i < BPF_SPAN_SITES; i++)
		add(begins, "connection=%bx:u64", i);
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "usdt:...: it is in 11 places of the program");
}

TEST_F(Probes, KeepFieldsOfTheEntry)
{
	add(enters, "connection=%si:u64 len=%dx:s16");
	add(begins, "retval=$retval:s64");
	span.point[COUNTED_BEGIN].entry = enters;
	span.group = "retval";
	span.size = "len";
	span.point[COUNTED_BEGIN].tests = 1;
	span.point[COUNTED_BEGIN].test[0] = {"len", COUNTED_LESS, false,  false, 3, nullptr,
					     0,     false,        nullptr};
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].at, BPF_SPAN_OF_ENTRY);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at, BPF_SPAN_NUMBER);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_SIZE].argument, 1);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].test[0].is_signed, 1);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].fields, 2U);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].field[1].at, offsetof(struct pt_regs, rdx));
	EXPECT_EQ(fetch(BPF_SPAN_GROUP).at, offsetof(struct pt_regs, rax));
}

TEST_F(Probes, MayHaveTexts)
{
	add(begins, "connection=-8(+16(%di)):string");
	ASSERT_EQ(make(), 0) << err.text;
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].at, BPF_SPAN_OF_TEXT);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].text, BPF_SPAN_TEXT_MEMORY);
	EXPECT_EQ(fetch(BPF_SPAN_KEY).depth, 1) << "the last access is left to the programs";
	EXPECT_EQ(fetch(BPF_SPAN_KEY).offset[0], 16);
	EXPECT_EQ(fetch(BPF_SPAN_KEY).offset[1], -8);
	EXPECT_EQ(fetch(BPF_SPAN_KEY).size, 0);
	span.flights.is_wanted = true;
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "its key has a text, which is shown if it hangs");
}

TEST_F(Probes, ReturnsHaveTextsOfTheirEntries)
{
	add(enters, "connection=+0(%si):string len=%dx:s16");
	add(begins, "retval=$retval:s64");
	span.point[COUNTED_BEGIN].entry = enters;
	span.group = "connection";
	ASSERT_EQ(make(), 0) << err.text;
	const struct bpf_span_field *field = plan.spec.point[BPF_SPAN_BEGIN].field;
	for (int i : {int(BPF_SPAN_KEY), int(BPF_SPAN_GROUP)}) {
		EXPECT_EQ(field[i].at, BPF_SPAN_OF_ENTRY);
		EXPECT_TRUE(field[i].is_text);
		EXPECT_EQ(field[i].argument, 0);
	}
	EXPECT_TRUE(plan.spec.has_group_text);
	EXPECT_EQ(plan.spec.text_size, uint32_t(BPF_SPAN_LONG_TEXT));
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].fields, 1U);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].field[0].size, 0) << "it is a text";
	span.point[COUNTED_BEGIN].tests = 1;
	span.point[COUNTED_BEGIN].test[0] = {"connection", COUNTED_EQUAL, false, false, 0, "a", 1,
					     false,        nullptr};
	ASSERT_EQ(make(), 0) << err.text;
	const struct bpf_span_point &point = plan.spec.point[BPF_SPAN_BEGIN];
	EXPECT_EQ(point.field[BPF_SPAN_TEST].at, BPF_SPAN_OF_ENTRY);
	EXPECT_FALSE(point.field[BPF_SPAN_TEST].is_text)
		<< "it is whether the text is the wanted one";
	EXPECT_EQ(point.test[0].number, 1U);
	EXPECT_EQ(point.test[0].compare, BPF_SPAN_EQUAL);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].fields, 2U);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].field[0].match, 0);
	EXPECT_EQ(plan.probes.entry[BPF_SPAN_BEGIN].field[1].match, 1);
	EXPECT_EQ(plan.match[BPF_SPAN_BEGIN][0].wanted[0], 'a');
}

TEST_F(Probes, RefuseWhatIsNoNumber)
{
	for (const char *fields :
	     {"connection=%di:string", "connection=%cr3:u64", "connection=%di",
	      "connection=", "connection=+4294967296(%di):u64", "connection=+0(%di:u64",
	      "connection=@sym:u64", "connection=+0(+0(+0(+0(+0(+0(%di)))))):u64"}) {
		items.clear();
		err = {};
		add(begins, fields);
		EXPECT_EQ(make(), -ENOTSUP) << fields;
		EXPECT_STREQ(err.text, "usdt:...: its field 'connection' is not a single number")
			<< fields;
	}
	items.clear();
	err = {};
	add(begins, "connection_2=%di:u64");
	EXPECT_EQ(make(), -ENOTSUP);
	EXPECT_STREQ(err.text, "usdt:...: it has no number 'connection'");
}
#endif

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
