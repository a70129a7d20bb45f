/*
 * The sentence that defines a span, and what is said of one that does not.
 */
#include <cstdlib>
#include <gtest/gtest.h>

#include "error_lines.h"
#include <iotrace/error.h>
#include <iotrace/span.h>
#include <memory>
#include <set>
#include <string>

namespace
{

struct Free {
	void operator()(struct span *span) const
	{
		span_free(span);
	}
};
using Span = std::unique_ptr<struct span, Free>;

Span parse(const std::string &text)
{
	struct error err = {};
	Span span(span_parse(text.c_str(), &err));

	EXPECT_TRUE(span) << err.text;
	return span;
}

std::string refused(const std::string &text)
{
	struct error err = {};
	Span span(span_parse(text.c_str(), &err));

	EXPECT_FALSE(span) << text;
	return err.text;
}

TEST(Spec, ARowMayHaveOtherDefinitions)
{
	Span s(span_find("virtqueue", nullptr)), other(span_find("sched", nullptr));
	std::string help = s->help;

	EXPECT_STREQ(s->side[SPAN_BEGIN].event, "usdt:qemu:qemu:virtqueue_pop");
	EXPECT_TRUE(s->side[SPAN_END].other) << "a function";
	ASSERT_TRUE(span_use_other(s.get()));
	EXPECT_FALSE(s->side[SPAN_END].other);
	ASSERT_TRUE(span_use_other(s.get()));
	EXPECT_STREQ(s->side[SPAN_BEGIN].event, "uprobe:qemu:virtqueue_pop%return");
	EXPECT_FALSE(span_use_other(s.get()));
	EXPECT_STREQ(s->side[SPAN_BEGIN].event, "uprobe:qemu:virtqueue_pop%return");
	EXPECT_STREQ(s->name, "virtqueue");
	EXPECT_EQ(s->help, help);
	EXPECT_FALSE(span_use_other(other.get()));
}

TEST(Spec, TakesTheWholeSentence)
{
	Span s = parse(
		"req: fuse:send if opcode==14 && len > 0 || comm ~ \"a b*\" -> fuse:end if error != -4 "
		"by connection,unique/id group opcode as what size len cancel fuse:reset by connection");

	EXPECT_STREQ(s->name, "req");
	EXPECT_STREQ(s->side[SPAN_BEGIN].event, "fuse:send");
	EXPECT_STREQ(s->side[SPAN_END].event, "fuse:end");
	EXPECT_STREQ(s->side[SPAN_CANCEL].event, "fuse:reset");
	ASSERT_EQ(s->side[SPAN_BEGIN].tests, 3U);
	const struct span_test *test = s->side[SPAN_BEGIN].test;
	EXPECT_STREQ(test[0].field, "opcode");
	EXPECT_EQ(test[0].compare, SPAN_EQUAL);
	EXPECT_TRUE(test[0].is_number);
	EXPECT_EQ(test[0].number, 14U);
	EXPECT_EQ(test[1].compare, SPAN_GREATER);
	EXPECT_FALSE(test[1].is_alternative);
	EXPECT_TRUE(test[2].is_alternative);
	EXPECT_STREQ(test[2].text, "a b*");
	EXPECT_FALSE(test[2].is_number);
	ASSERT_EQ(s->side[SPAN_END].tests, 1U);
	EXPECT_TRUE(s->side[SPAN_END].test[0].is_negative);
	EXPECT_EQ(s->side[SPAN_END].test[0].number, static_cast<uint64_t>(-4));
	ASSERT_EQ(s->side[SPAN_BEGIN].keys, 2U);
	EXPECT_STREQ(s->side[SPAN_BEGIN].key[1], "unique");
	EXPECT_STREQ(s->side[SPAN_END].key[1], "id");
	ASSERT_EQ(s->side[SPAN_CANCEL].keys, 1U);
	EXPECT_STREQ(s->group, "opcode");
	EXPECT_STREQ(s->group_name, "what");
	EXPECT_STREQ(s->size, "len");
	EXPECT_EQ(s->where, SPAN_ANYWHERE);
}

TEST(Spec, NeedsNoBlanksAroundOperators)
{
	Span s = parse("a:b:c if x>=0x10->d:e by tid");

	EXPECT_STREQ(s->name, "a");
	EXPECT_STREQ(s->side[SPAN_BEGIN].event, "b:c");
	EXPECT_EQ(s->side[SPAN_BEGIN].test[0].number, 16U);
	EXPECT_EQ(s->where, SPAN_IN_TASK);
}

TEST(Spec, ACancelHasTheKeyOfTheEnd)
{
	Span s = parse("a: b:c -> d:e by x/y cancel f:g");

	ASSERT_EQ(s->side[SPAN_CANCEL].keys, 1U);
	EXPECT_STREQ(s->side[SPAN_CANCEL].key[0], "y");
}

TEST(Spec, AKeyMayBeBitsOfANumber)
{
	Span s = parse("a: b:c or b:d -> d:e by x, cid&0xfff, y&3/z & 0x30 cancel f:g by x&1");
	const struct span_point *begin = &s->side[SPAN_BEGIN], *end = &s->side[SPAN_END];

	EXPECT_STREQ(begin->key[1], "cid");
	EXPECT_EQ(begin->mask[0], 0U);
	EXPECT_EQ(begin->mask[1], 0xfffU);
	EXPECT_EQ(end->mask[1], 0xfffU);
	EXPECT_EQ(begin->mask[2], 3U);
	EXPECT_EQ(begin->other->mask[2], 3U);
	EXPECT_STREQ(end->key[2], "z");
	EXPECT_EQ(end->mask[2], 0x30U);
	EXPECT_EQ(s->side[SPAN_CANCEL].mask[0], 1U);
	EXPECT_EQ(parse("a: b:c -> d:e by x&7 cancel f:g")->side[SPAN_CANCEL].mask[0], 7U);
}

/* Threads with the same bits share the key. */
TEST(Spec, BitsOfAThreadAreNoThread)
{
	EXPECT_EQ(parse("a: b:c -> d:e by tid&0xff")->where, SPAN_ANYWHERE);
	EXPECT_FALSE(parse("a: uprobe:/p:f -> uprobe:/p:f%return by tid&1")->is_nested);
}

TEST(Spec, SaysWhatIsWrong)
{
	EXPECT_EQ(refused("a: b:c -> d:e by x&y"),
		  "span 'a': expected the bits of a key, such as 0xfff, not 'y'");
	EXPECT_EQ(refused("a: b:c -> d:e by x&0"),
		  "span 'a': expected the bits of a key, such as 0xfff, not '0'");
	EXPECT_EQ(refused("a: b:c -> d:e by x&"),
		  "span 'a': expected the bits of a key, such as 0xfff, but the text ends");
	EXPECT_EQ(refused("a: b:c -> d:e by x&0x1ffffffffffffffff"),
		  "span 'a': expected the bits of a key, such as 0xfff, not '0x1ffffffffffffffff'");
	EXPECT_EQ(refused("b c -> d:e by x"),
		  "span 'b c -> d:e by x': it has no name; expected 'NAME: BEGIN -> END by FIELD'");
	EXPECT_EQ(refused("a: b -> d:e by x"),
		  "span 'a': expected the event of its begin, such as SYSTEM:EVENT, not 'b'");
	EXPECT_EQ(refused("a: b:c d:e by x"), "span 'a': expected '->' and the end, not 'd:e'");
	EXPECT_EQ(refused("a: b:c -> d:e"),
		  "span 'a': expected 'by' and the key, but the text ends");
	EXPECT_EQ(
		refused("a: b:c -> d:e by x xgroup y"),
		"span 'a': expected group, size, result, cancel or the end, not 'xgroup'; did you mean 'group'?");
	EXPECT_EQ(refused("a: b:c if x -> d:e by x"),
		  "span 'a': expected one of == != < <= > >= ~, not '->'");
	EXPECT_EQ(refused("a: b:c if x < many -> d:e by x"),
		  "span 'a': 'many' is not a number, and only numbers have an order");
	EXPECT_EQ(refused("a: b:c if pid == abc -> d:e by x"),
		  "span 'a': 'abc' is not a number, and pid is one");
	EXPECT_EQ(refused("a: b:c if x == 1 -> d:e if cpu != \"5 6\" by x"),
		  "span 'a': '5 6' is not a number, and cpu is one");
	EXPECT_EQ(refused("a: b:c -> d:e by x cancel f:g by x,y"),
		  "span 'a': the key of its cancel has more fields than that of its begin");
	EXPECT_EQ(refused("a: b:c if x == \"y -> d:e by x"),
		  "span 'a': a quotation mark is missing, or a word is too long");
	EXPECT_EQ(refused("a: b:c -> d:e by v,w,x,y,z"), "span 'a': a key of more than 4 fields");
	EXPECT_EQ(refused("a: b:* -> d:e by x"),
		  "span 'a': expected the event of its begin, such as SYSTEM:EVENT, not 'b:*'");
}

/* Whatever is cut off or repeated: a span or a sentence. */
TEST(Spec, EveryBeginningIsASpanOrASentence)
{
	const std::string text =
		"r: a:b if x == 1 && y ~ \"*\" || z != -1 -> c:d by k/l,m&3 group g as h size s cancel e:f by k";

	for (size_t length = 0; length <= text.size(); length++) {
		struct error err = {};
		Span span(span_parse(text.substr(0, length).c_str(), &err));

		EXPECT_NE(span == nullptr, std::string(err.text).empty()) << text.substr(0, length);
	}
}

TEST(Spans, EveryRowIsASpanWithItsNameAndHelp)
{
	std::set<std::string> names;
	uint32_t i = 0;

	for (;; i++) {
		Span span(span_row(i));

		if (!span)
			break;
		EXPECT_TRUE(names.insert(span->name).second) << span->name;
		EXPECT_TRUE(span->help) << span->name;
		EXPECT_EQ(span->source == SPAN_OF_TRACEPOINTS,
			  span->side[SPAN_BEGIN].event != nullptr);
	}
	EXPECT_GT(i, 10U);
	struct error err = {};
	EXPECT_EQ(span_find("fuze", &err), nullptr);
	EXPECT_EQ(error_lines(err), "there is no span 'fuze'; did you mean 'fuse'?\n"
				    "To see which there are: iotrace list --spans");
}

TEST(Spans, NeedEachTracepointOnceWithAllItsFields)
{
	Span a = parse("a: x:begin if n > 1 -> x:end by key/id group what size len");
	Span b = parse("b: x:end -> x:begin by other");
	struct text_list events = {};

	span_add_events(a.get(), false, &events);
	span_add_events(b.get(), false, &events);
	ASSERT_EQ(events.count, 2U);
	EXPECT_STREQ(events.item[0], "x:begin=key,n,what,len,other");
	EXPECT_STREQ(events.item[1], "x:end=id,what,len,other");
	for (uint32_t i = 0; i < events.count; i++)
		free(const_cast<char *>(events.item[i]));
	text_list_release(&events);
}

} // namespace
