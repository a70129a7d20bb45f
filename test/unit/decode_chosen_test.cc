/*
 * Events of -e: any tracepoint, with the fields that were named or all that can be told.
 */
#include "decode_capture.h"
#include "tracepoint/chosen.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iotrace/list.h>

namespace
{

const std::string fields = "\tfield:int small;\toffset:8;\tsize:4;\tsigned:1;\n"
			   "\tfield:u8 tiny;\toffset:12;\tsize:1;\tsigned:0;\n"
			   "\tfield:char comm[4];\toffset:13;\tsize:4;\tsigned:0;\n"
			   "\tfield:unsigned long args[2];\toffset:24;\tsize:16;\tsigned:0;\n"
			   "\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
			   "\tfield:const void * at;\toffset:48;\tsize:8;\tsigned:0;\n";

/* A sample's raw data for it. */
std::string raw()
{
	std::string bytes(60, '\0');
	int32_t small = -7;
	uint32_t where = 4 << 16 | 56;
	uint64_t at = 0xffff888000000000;

	memcpy(&bytes[8], &small, 4);
	bytes[12] = char(200);
	memcpy(&bytes[13], "ab\0", 3);
	memcpy(&bytes[40], &where, 4);
	memcpy(&bytes[48], &at, 8);
	memcpy(&bytes[56], "/x\0", 3);
	return bytes;
}

struct Chosen {
	struct chosen *it;
	std::string warning;

	explicit Chosen(const char *text, const std::string &format)
	{
		it = chosen_new(text);
		EXPECT_EQ(chosen_event(it), nullptr) << "its format has not come";
		char *said = chosen_add_format(it, "sys", format.data(), format.size());
		warning = said ? said : "";
		free(said);
	}
	~Chosen()
	{
		chosen_free(it);
	}
	Chosen(const Chosen &) = delete;
	Chosen &operator=(const Chosen &) = delete;

	enum decoded decode(const std::string &bytes, struct event *event) const
	{
		struct sample sample = {};

		sample.raw = reinterpret_cast<const uint8_t *>(bytes.data());
		sample.raw_size = uint32_t(bytes.size());
		return chosen_decode(it, 3, &sample, event);
	}
};

std::string text(const event_string &string)
{
	return {string.at, string.length};
}

TEST(Chosen, AllNumbersAndStringsButArrays)
{
	Chosen chosen("sys:one", format_text("one", 5, fields));
	const struct decode_event *said = chosen_event(chosen.it);
	struct event event = {};
	std::string bytes = raw();

	EXPECT_EQ(chosen.warning,
		  "sys:one: skipped fields, which are neither a number nor a string, or more "
		  "than 16 of a kind: args");
	ASSERT_NE(said, nullptr);
	EXPECT_STREQ(said->name, "sys:one");
	ASSERT_EQ(said->numbers, 3u);
	EXPECT_STREQ(said->number[0], "small");
	EXPECT_TRUE(said->is_signed[0]);
	EXPECT_STREQ(said->number[1], "tiny");
	EXPECT_FALSE(said->is_signed[1]);
	EXPECT_STREQ(said->number[2], "at");
	ASSERT_EQ(said->strings, 2u);
	EXPECT_STREQ(said->string[0], "comm");
	EXPECT_STREQ(said->string[1], "path");
	ASSERT_EQ(chosen.decode(bytes, &event), DECODED_EVENT);
	EXPECT_EQ(event.kind, EVENT_TRACEPOINT);
	EXPECT_EQ(event.tracepoint.event, 3u);
	EXPECT_EQ(event.tracepoint.numbers, 3u);
	EXPECT_EQ(int64_t(event.tracepoint.number[0]), -7);
	EXPECT_EQ(event.tracepoint.number[1], 200u);
	EXPECT_EQ(event.tracepoint.number[2], 0xffff888000000000u);
	EXPECT_EQ(text(event.tracepoint.string[0]), "ab");
	EXPECT_EQ(text(event.tracepoint.string[1]), "/x");
}

TEST(Chosen, OnlyThoseThatAreNamed)
{
	Chosen chosen("sys:one=path,small", format_text("one", 5, fields));
	const struct decode_event *said = chosen_event(chosen.it);

	EXPECT_EQ(chosen.warning, "");
	ASSERT_EQ(said->numbers, 1u);
	EXPECT_STREQ(said->number[0], "small");
	ASSERT_EQ(said->strings, 1u);
	EXPECT_STREQ(said->string[0], "path");
	EXPECT_STREQ(said->name, "sys:one");
}

TEST(Chosen, SamplesThatAreTooShortAreMalformed)
{
	Chosen chosen("sys:one", format_text("one", 5, fields));
	std::string bytes = raw();
	struct event event = {};

	EXPECT_EQ(chosen.decode(bytes.substr(0, 55), &event), DECODED_MALFORMED);
	bytes[42] = 5; /* the string would reach beyond the end */
	EXPECT_EQ(chosen.decode(bytes, &event), DECODED_MALFORMED);
}

TEST(Chosen, AFormatThatCannotBeReadIsTold)
{
	Chosen chosen("sys:one", "name: one\nID: 5\nformat:\n\tnonsense\n");
	struct event event = {};

	EXPECT_EQ(chosen.warning, "sys:one: its format cannot be read, so its samples are skipped");
	EXPECT_EQ(chosen.decode(raw(), &event), DECODED_IGNORED);
}

TEST(Chosen, AnEventThatOnlySpansNeedIsForThemAlone)
{
	Capture capture;
	std::string bytes = raw();
	struct sample sample = {};
	struct event event = {};
	error err{};
	text_list wanted = {};

	capture.add_format("sys", format_text("one", 5, fields));
	sample.type = PERF_RECORD_SAMPLE;
	sample.event = capture.add_event("iotrace:span:sys:one", PERF_TYPE_TRACEPOINT, 5);
	sample.raw = reinterpret_cast<const uint8_t *>(bytes.data());
	sample.raw_size = uint32_t(bytes.size());
	decode *d = capture.open(&err);
	ASSERT_NE(d, nullptr) << err.text;
	EXPECT_EQ(decode_event(d, 0), nullptr);
	EXPECT_EQ(decode_sample(d, &sample, false, &event), 0);
	text_list_add(&wanted, "sys:one=tiny");
	decode_want(d, &wanted);
	EXPECT_TRUE(decode_wanted(d, &sample, &event));
	EXPECT_EQ(event.tracepoint.number[0], 200u);
	text_list_release(&wanted);
	decode_free(d);
}

TEST(Chosen, AnEventOfACaptureIsFoundByItsName)
{
	Capture capture;
	std::string format = format_text("one", 5, fields);
	std::string bytes = raw();

	capture.add_format("sys", format);
	capture.add_event("sys:one", PERF_TYPE_TRACEPOINT, 5);
	uint32_t index = capture.add_event("iotrace:event:sys:one=tiny", PERF_TYPE_TRACEPOINT, 5);
	error err{};
	decode *d = capture.open(&err);
	ASSERT_NE(d, nullptr) << err.text;
	ASSERT_NE(decode_event(d, 0), nullptr);
	EXPECT_STREQ(decode_event(d, 0)->number[0], "tiny");
	EXPECT_EQ(decode_event(d, 1), nullptr);
	struct sample sample = {};
	struct event event = {};
	sample.type = PERF_RECORD_SAMPLE;
	sample.raw = reinterpret_cast<const uint8_t *>(bytes.data());
	sample.raw_size = uint32_t(bytes.size());
	sample.event = index;
	EXPECT_EQ(decode_sample(d, &sample, false, &event), 1);
	EXPECT_EQ(event.kind, EVENT_TRACEPOINT);
	EXPECT_EQ(event.tracepoint.number[0], 200u);
	sample.event = index - 1;
	EXPECT_EQ(decode_sample(d, &sample, false, &event), 0) << "not chosen";
	EXPECT_EQ(capture.count(TALLY_ignored), 1u);
	decode_free(d);
}

/* Of kvm_exit, another field says whose reasons they are. */
TEST(Chosen, NamesOfNumbersAreThoseThatAnotherFieldChooses)
{
	std::ifstream in(test_source("formats/linux-6.18-x86_64/kvm/kvm_exit"));
	std::string format((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	Chosen chosen("kvm:kvm_exit=exit_reason", format);
	auto name = [&](uint32_t isa, uint32_t reason) {
		std::string bytes(72, '\0');
		struct event event = {};

		memcpy(&bytes[8], &reason, 4);
		memcpy(&bytes[24], &isa, 4);
		EXPECT_EQ(chosen.decode(bytes, &event), DECODED_EVENT);
		const char *said = decode_symbol(chosen_event(chosen.it), 0,
						 event.tracepoint.number[0]);
		return std::string(said ? said : "?");
	};

	EXPECT_EQ(name(1, 30), "IO_INSTRUCTION");
	EXPECT_EQ(name(1, 0x80000021), "INVALID_STATE") << "the upper bits say how it failed";
	EXPECT_EQ(name(2, 0x7b), "io");
	EXPECT_EQ(name(2, 0x4e), "PF excp") << "a sum";
	EXPECT_EQ(name(2, 0xffffffff), "invalid_guest_state") << "a negative number";
	EXPECT_EQ(name(2, 0x3ff), "?");
	EXPECT_EQ(name(1, 30), "IO_INSTRUCTION");
}

/* The kernel counts the reasons, and says whose they are. */
TEST(Chosen, NamesMayBeChosenWithoutASample)
{
	std::ifstream in(test_source("formats/linux-6.18-x86_64/kvm/kvm_exit"));
	std::string format((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	Chosen chosen("kvm:kvm_exit=exit_reason", format);
	char *chooser = decode_chooser(format.c_str(), "exit_reason");

	EXPECT_STREQ(chooser, "isa");
	free(chooser);
	EXPECT_EQ(decode_chooser(format.c_str(), "guest_rip"), nullptr);
	decode_choose(chosen_event(chosen.it), 0, 2);
	EXPECT_STREQ(decode_symbol(chosen_event(chosen.it), 0, 0x7b), "io");
	decode_choose(chosen_event(chosen.it), 0, 1);
	EXPECT_STREQ(decode_symbol(chosen_event(chosen.it), 0, 30), "IO_INSTRUCTION");
}

TEST(Chosen, ASumThatIsTooLargeIsNoTrouble)
{
	std::ifstream in(test_source("formats/linux-6.18-x86_64/kvm/kvm_exit"));
	std::string format((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	size_t at = format.find("{ 30, ");
	ASSERT_NE(at, std::string::npos);
	format.replace(at, 4, "{ 0x7fffffffffffffff + 0x7fffffffffffffff");
	Chosen chosen("kvm:kvm_exit=exit_reason", format);
	std::string bytes(72, '\0');
	struct event event = {};

	EXPECT_EQ(chosen.decode(bytes, &event), DECODED_EVENT);
}

} // namespace
