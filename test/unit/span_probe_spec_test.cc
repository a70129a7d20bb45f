/*
 * Probes of programs as users write them: their parts, their fields, what the kernel fetches, and the sentences for wrong ones.
 */
#include "span_driver.h"

#include <iotrace/probe_spec.h>
#include <string>

namespace
{

class Spec
{
      public:
	struct probe_spec spec = {};
	struct error err = {};
	int code;

	explicit Spec(const char *word) : code(probe_spec_parse(&spec, word, &err))
	{
	}
	~Spec()
	{
		probe_spec_release(&spec);
	}
	Spec(const Spec &) = delete;
	Spec &operator=(const Spec &) = delete;
};

std::string fetch(const char *text, const char *base = "%si", const char *type = "u64")
{
	struct probe_field field;
	struct error err = {};

	if (probe_field_parse(&field, text, &err))
		return err.text;
	char *words = probe_field_fetch(&field, base, type);
	std::string copy = words;
	free(words);
	return copy;
}

std::string name(const char *text)
{
	struct probe_field field;
	struct error err = {};
	char found[PROBE_NAME_SIZE];

	EXPECT_EQ(probe_field_parse(&field, text, &err), 0) << err.text;
	probe_field_name(&field, found);
	return found;
}

TEST(ProbeSpec, HasAPathAndASymbol)
{
	Spec s("uprobe:/usr/bin/a:b:begin+0x10");
	ASSERT_EQ(s.code, 0) << s.err.text;
	EXPECT_STREQ(s.spec.path, "/usr/bin/a:b");
	EXPECT_STREQ(s.spec.symbol, "begin+0x10");
	EXPECT_FALSE(s.spec.is_return);
	EXPECT_FALSE(s.spec.is_marker);
}

TEST(ProbeSpec, MayBeTheReturn)
{
	Spec s("uprobe:app:begin%return");
	ASSERT_EQ(s.code, 0) << s.err.text;
	EXPECT_STREQ(s.spec.symbol, "begin");
	EXPECT_TRUE(s.spec.is_return);
	Spec wrong("uprobe:app:begin+4%return");
	EXPECT_STREQ(wrong.err.text,
		     "'uprobe:app:begin+4%return': %return cannot be combined with an offset");
}

TEST(ProbeSpec, OfAMarkerHasProviderAndName)
{
	Spec s("usdt:/lib/a.so:server:request__begin");
	ASSERT_EQ(s.code, 0) << s.err.text;
	EXPECT_STREQ(s.spec.path, "/lib/a.so");
	EXPECT_STREQ(s.spec.symbol, "server");
	EXPECT_STREQ(s.spec.name, "request__begin");
	EXPECT_TRUE(s.spec.is_marker);
}

TEST(ProbeSpec, ThatLacksAPartIsRefused)
{
	for (const char *word : {"uprobe:", "uprobe:a", "uprobe::b", "uprobe:a:"})
		EXPECT_NE(std::string(Spec(word).err.text)
				  .find("expected uprobe:PATH:SYMBOL[+OFFSET][%return]"),
			  std::string::npos)
			<< word;
	for (const char *word : {"usdt:a:b", "usdt::a:b", "usdt:a:b:", "usdt:a::c"})
		EXPECT_NE(std::string(Spec(word).err.text).find("expected usdt:PATH:PROVIDER:NAME"),
			  std::string::npos)
			<< word;
}

TEST(ProbeField, IsFetchedAsPerfProbeWritesIt)
{
	EXPECT_EQ(fetch("arg2"), "%si:u64");
	EXPECT_EQ(fetch("arg2:x32"), "%si:x32");
	EXPECT_EQ(fetch("retval", "$retval", "s64"), "$retval:s64");
	EXPECT_EQ(fetch("+16(arg2)"), "+16(%si):u64");
	EXPECT_EQ(fetch("+4(+16(arg2)):u32"), "+4(+16(%si)):u32");
	EXPECT_EQ(fetch("-0x8(arg1):s16"), "-8(%si):s16");
	EXPECT_EQ(fetch("+0(+8(+24(arg1))):string"), "+0(+8(+24(%si))):string");
}

TEST(ProbeField, HasANameOfItsOwn)
{
	EXPECT_EQ(name("arg2"), "arg2");
	EXPECT_EQ(name("arg2:u8"), "arg2_u8");
	EXPECT_EQ(name("+4(+16(arg2)):u32"), "arg2_16_4_u32");
	EXPECT_EQ(name("+16(+4(arg2)):u32"), "arg2_4_16_u32");
	EXPECT_EQ(name("-8(retval)"), "retval_m8");
	std::string most = name("+1000000(+1000000(+1000000(arg1))):u32");
	EXPECT_LT(most.size(), static_cast<size_t>(PROBE_NAME_SIZE));
	EXPECT_NE(most, name("+1000000(+1000000(+1000001(arg1))):u32"));
}

TEST(ProbeField, ThatIsNoneIsRefused)
{
	for (const char *text :
	     {"arg0", "arg13", "arg", "argx", "+(arg1)", "+4(arg1", "+4arg1", "+4(arg1))",
	      "arg1:u7", "arg1:", "retvalx", "+1(+1(+1(+1(+1(arg1)))))", "bytes"})
		EXPECT_EQ(fetch(text).find(std::string("'") + text + "' is not a field of a probe"),
			  0U)
			<< text << ": " << fetch(text);
	EXPECT_EQ(fetch("retvl").find("'retvl' is not a field of a probe (did you mean 'retval'?)"),
		  0U);
	EXPECT_EQ(fetch("+8(agr2):u64")
			  .find("'+8(agr2):u64' is not a field of a probe (did you mean 'arg2'?)"),
		  0U);
	EXPECT_EQ(fetch("arg1:string"),
		  "'arg1:string': a string is in memory; write +0(arg1):string");
}

TEST(SpanOfProbes, HasPathsFieldsAndSeveralEnds)
{
	struct error err = {};
	struct span *span = span_parse(
		"q: uprobe:/a/b:pop%return if retval != 0 -> uprobe:/a/b:fill if arg4 == 0 or "
		"usdt:/a/b:p:n by pid,retval/arg2 group +4(+24(arg1)):u32 as fuse_opcode size +8(arg1) "
		"cancel uprobe:/a/b:reset or \"uprobe:/a b/c:stop\" if arg2:u8 == 0 by pid",
		&err);

	ASSERT_NE(span, nullptr) << err.text;
	const struct span_point *end = &span->side[SPAN_END], *cancel = &span->side[SPAN_CANCEL];
	EXPECT_STREQ(span->side[SPAN_BEGIN].event, "uprobe:/a/b:pop%return");
	EXPECT_STREQ(end->event, "uprobe:/a/b:fill");
	EXPECT_EQ(end->tests, 1U);
	ASSERT_NE(end->other, nullptr);
	EXPECT_STREQ(end->other->event, "usdt:/a/b:p:n");
	EXPECT_EQ(end->other->tests, 0U);
	ASSERT_EQ(end->other->keys, 2U);
	EXPECT_STREQ(end->other->key[1], "arg2");
	EXPECT_STREQ(span->group, "+4(+24(arg1)):u32");
	EXPECT_STREQ(span->size, "+8(arg1)");
	ASSERT_NE(cancel->other, nullptr);
	EXPECT_STREQ(cancel->other->event, "uprobe:/a b/c:stop");
	EXPECT_STREQ(cancel->other->test[0].field, "arg2:u8");
	EXPECT_EQ(cancel->other->keys, 1U);
	EXPECT_EQ(span->where, SPAN_IN_TASK);
	span_free(span);
}

/* What span_find_probes() makes of a span: the events have names, and a return has an entry. */
class Placed : public ::testing::Test
{
      protected:
	SpanDriver d{
		{"q: p:pop if retval != 0 -> p:fill or p:push by pid,arg2_96,retval/arg2 group "
		 "arg1_x64 as queue cancel p:reset by pid,arg1"},
		[](struct span *span) {
			span->has_probes = true;
			span->side[SPAN_BEGIN].entry = strdup("p:enter");
			span->side[SPAN_BEGIN].key_text[1] = strdup("+96(arg1)");
			span->side[SPAN_BEGIN].key_text[2] = strdup("retval:x64");
		}};

	Placed()
	{
		d.define("p:pop", {"retval"});
		d.define("p:enter", {"arg1_x64", "arg2_96"});
		d.define("p:fill", {"arg1_x64", "arg2", "arg2_96"});
		d.define("p:push", {"arg1_x64", "arg2", "arg2_96"});
		d.define("p:reset", {"arg1"});
	}
	/* A thread enters, and returns. */
	void pop(uint64_t time, uint64_t queue, uint64_t device, uint64_t element, uint32_t tid = 1)
	{
		d.happens(time, "p:enter", {queue, device}, 1, tid);
		d.happens(time + 1, "p:pop", {element}, 1, tid);
	}
};

TEST_F(Placed, AReturnHasTheArgumentsOfItsEntry)
{
	pop(10, 0xabc, 7, 100);
	d.happens(20, "p:fill", {0xabc, 100, 7});
	ASSERT_EQ(d.seen.size(), 1U);
	EXPECT_EQ(d.seen[0].fate, SPAN_ENDED);
	EXPECT_EQ(d.seen[0].begin, 11U);
	EXPECT_EQ(d.group(d.seen[0]), "0xabc");
	EXPECT_EQ(d.key(d.seen[0]), "pid=1 +96(arg1)=7 retval:x64=0x64");
}

TEST_F(Placed, EachThreadHasItsOwnEntries)
{
	d.happens(1, "p:enter", {1, 7}, 1, 1);
	d.happens(2, "p:enter", {2, 8}, 1, 2);
	d.happens(3, "p:pop", {100}, 1, 1);
	d.happens(4, "p:pop", {200}, 1, 2);
	span_engine_end(d.engine);
	ASSERT_EQ(d.seen.size(), 2U);
	std::map<uint64_t, std::string> group;
	for (const struct span_seen &s : d.seen)
		group[s.key[2]] = d.group(s);
	EXPECT_EQ(group[100], "0x1");
	EXPECT_EQ(group[200], "0x2");
}

TEST_F(Placed, InnerCallsReturnFirst)
{
	for (uint64_t i = 0; i < 12; i++)
		d.happens(i, "p:enter", {i, 7});
	for (uint64_t i = 12; i-- > 0;)
		d.happens(100 - i, "p:pop", {1000 + i});
	d.happens(200, "p:enter", {99, 7});
	d.happens(201, "p:pop", {2000});
	span_engine_end(d.engine);
	std::map<uint64_t, std::string> group;
	for (const struct span_seen &s : d.seen)
		group[s.key[2]] = d.group(s);
	/* Eight are kept for each thread; those of the outer calls are not known, and so are left out. */
	EXPECT_EQ(group.size(), 9U);
	EXPECT_EQ(group.count(1003), 0U);
	EXPECT_EQ(group[1004], "0x4");
	EXPECT_EQ(group[1011], "0xb");
	EXPECT_EQ(group[2000], "0x63");
}

TEST_F(Placed, AReturnOfACallThatBeganBeforeIsLeftOut)
{
	d.happens(5, "p:pop", {100});
	EXPECT_EQ(d.books().begun, 0U);
	d.happens(6, "p:enter", {1, 7});
	d.exits(7, 1, 0);
	d.happens(8, "p:pop", {100});
	EXPECT_EQ(d.books().begun, 0U);
}

TEST_F(Placed, AnEndWithinAnEndIsNone)
{
	pop(10, 1, 7, 100);
	d.happens(20, "p:push", {1, 100, 7});
	d.happens(21, "p:fill", {1, 100, 7});
	EXPECT_EQ(d.books().fate[SPAN_ENDED], 1U);
	EXPECT_EQ(d.books().ends_without_begin, 0U);
	d.happens(22, "p:push", {1, 100, 7});
	EXPECT_EQ(d.books().ends_without_begin, 1U) << "the same event again";
	d.happens(23, "p:fill", {1, 101, 7});
	EXPECT_EQ(d.books().ends_without_begin, 2U) << "another key";
	d.happens(24, "p:push", {1, 101, 7}, 1, 2);
	EXPECT_EQ(d.books().ends_without_begin, 3U) << "another thread";
	expect_balance(d.books());
}

TEST_F(Placed, ACancelTakesAllOfTheDevice)
{
	pop(10, 1, 7, 100);
	pop(12, 1, 7, 101);
	pop(14, 2, 8, 102);
	pop(16, 2, 0, 0); /* the queue was empty */
	d.happens(20, "p:reset", {7});
	span_engine_end(d.engine);
	EXPECT_EQ(d.books().begun, 3U);
	EXPECT_EQ(d.books().fate[SPAN_CANCELLED], 2U);
	EXPECT_EQ(d.books().fate[SPAN_OPEN], 1U);
	expect_balance(d.books());
}

TEST(SpanNames, OfNumbersComeFromATable)
{
	SpanDriver d{{"f: a:b -> a:c by id group opcode as fuse_opcode",
		      "e: a:b -> a:c by id group ret as errno"}};

	d.define("a:b", {"id", "opcode", "ret"});
	d.define("a:c", {"id"});
	d.happens(1, "a:b", {1, 14, static_cast<uint64_t>(-5)});
	d.happens(2, "a:c", {1});
	d.happens(3, "a:b", {2, 99, 0});
	d.happens(4, "a:c", {2});
	ASSERT_EQ(d.seen.size(), 4U);
	EXPECT_EQ(d.group(d.seen[0]), "OPEN(14)");
	EXPECT_EQ(d.group(d.seen[1]), "EIO(18446744073709551611)");
	EXPECT_EQ(d.group(d.seen[2]), "99");
	EXPECT_EQ(d.group(d.seen[3]), "0");
}

} // namespace
