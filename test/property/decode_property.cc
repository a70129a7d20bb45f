/*
 * Whatever the bytes: no crash, nothing read beyond them, and the books balance after every
 * sample.
 *
 * Sizes are drawn around the places where the decoder checks, and buffers are exactly as long as
 * they say, so that a check that is missing is a read that the sanitizer sees.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sys/syscall.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

const std::string with_path =
	format_text("sys_enter_openat", 9999,
		    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		    "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
		    "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
		    "\tfield:__data_loc char[] __filename_val;\toffset:32;\tsize:4;\tsigned:0;\n");

class Bytes
{
      public:
	explicit Bytes(uint32_t seed) : random(seed)
	{
	}

	uint32_t below(uint32_t n)
	{
		return static_cast<uint32_t>(random() % n);
	}

	/* Mostly small values, so that offsets, lengths and numbers of calls mean something. */
	Raw draw(size_t size)
	{
		Raw raw(size);

		for (uint8_t &byte : raw.bytes)
			byte = below(3) ? static_cast<uint8_t>(below(3) ? 0 : below(80))
					: static_cast<uint8_t>(random());
		raw.bytes.shrink_to_fit();
		return raw;
	}

      private:
	std::mt19937 random;
};

/* Reads every byte that the event lends. */
uint32_t touch(const event &e)
{
	uint32_t sum = 0;
	auto add = [&sum](const char *at, uint32_t length) {
		for (uint32_t i = 0; i < length; i++)
			sum += static_cast<uint8_t>(at[i]);
	};

	if (e.kind == EVENT_SYSCALL_ENTER) {
		for (const event_string &path : e.enter.path)
			add(path.at, path.length);
	} else if (e.kind == EVENT_COMM) {
		add(e.comm.name.at, e.comm.name.length);
	} else if (e.kind == EVENT_FACT) {
		for (const auto &string : e.fact.string)
			add(string.at, string.length);
	}
	return sum;
}

TEST(DecodeProperty, AnyBytesKeepTheBooks)
{
	Capture c;
	const char *saved[][2] = {
		{"raw_syscalls", "sys_enter"},      {"raw_syscalls", "sys_exit"},
		{"task", "task_newtask"},           {"sched", "sched_process_fork"},
		{"sched", "sched_process_exec"},    {"sched", "sched_process_exit"},
		{"syscalls", "sys_enter_renameat"}, {"syscalls", "sys_exit_openat"},
		{"filelock", "fcntl_setlk"}};

	for (const auto &s : saved)
		c.add_saved(s[0], s[1]);
	c.add_tracepoint("syscalls", "sys_enter_openat", with_path);
	c.add_event("cycles", PERF_TYPE_HARDWARE, 0);
	c.add_event("x:y", PERF_TYPE_TRACEPOINT, 123456);
	c.add_facts();
	error err{};
	Decoder d(c.open(&err), decode_free);

	ASSERT_NE(d, nullptr) << err.text;
	Bytes bytes(1);
	uint64_t kinds[EVENT_FACT + 1] = {}, sum = 0;

	for (int i = 0; i < 200000; i++) {
		bool is_map = !bytes.below(20);
		Raw raw = bytes.draw(is_map ? 32 : bytes.below(96));
		uint32_t index = bytes.below(static_cast<uint32_t>(c.events.size()) + 1);
		sample s = bytes.below(4) ? raw.sample(index) : raw.record(bytes.below(16));
		event e;

		if (is_map) {
			raw.add(std::string("[vdso]\0", 7));
			s = raw.record(PERF_RECORD_MMAP);
		}
		if (decode_sample(d.get(), &s, false, &e)) {
			ASSERT_LE(e.kind, EVENT_FACT);
			kinds[e.kind]++;
			sum += touch(e);
			if (e.kind == EVENT_SYSCALL_ENTER) {
				ASSERT_LT(e.enter.call, call_count());
			}
		}
		ASSERT_EQ(c.count(TALLY_samples), c.count(TALLY_events) + c.count(TALLY_ignored) +
							  c.count(TALLY_malformed));
	}
	for (int kind = EVENT_SYSCALL_ENTER; kind <= EVENT_FACT; kind++)
		EXPECT_GT(kinds[kind], 0U) << "the generator never made event " << kind;
	EXPECT_GT(sum, 0U);
	EXPECT_GT(c.count(TALLY_ignored), 0U);
	EXPECT_GT(c.count(TALLY_malformed), 0U);
}

/* A format with its fields at random places; samples must be read from just there. */
TEST(DecodeProperty, FieldsAreReadWhereverTheyStand)
{
	Bytes bytes(2);

	for (int i = 0; i < 500; i++) {
		uint32_t size[2] = {1U << bytes.below(4), 1U << bytes.below(4)};
		uint32_t at[2] = {bytes.below(40), 48 + bytes.below(1000)};
		int is_signed = static_cast<int>(bytes.below(2));
		auto line = [](const char *name, uint32_t offset, uint32_t length, int sign) {
			return "\tfield:long " + std::string(name) +
			       ";\toffset:" + std::to_string(offset) +
			       ";\tsize:" + std::to_string(length) +
			       ";\tsigned:" + std::to_string(sign) + ";\n";
		};
		bool is_swapped = bytes.below(2);
		Capture c;
		uint32_t index = c.add_tracepoint(
			"raw_syscalls", "sys_exit",
			format_text("sys_exit", 5,
				    line("ret", at[is_swapped], size[0], is_signed) +
					    line("id", at[!is_swapped], size[1], 0)));
		Decoder d(c.open(), decode_free);
		uint64_t value = bytes.below(UINT32_MAX) * 0x100000001ULL;
		Raw raw;

		raw.put(at[!is_swapped], size[1], SYS_read).put(at[is_swapped], size[0], value);
		int64_t expected = static_cast<int64_t>(value << (64 - 8 * size[0]));

		expected = is_signed ? expected >> (64 - 8 * size[0])
				     : static_cast<int64_t>(static_cast<uint64_t>(expected) >>
							    (64 - 8 * size[0]));
		sample s = raw.sample(index);
		event e;

		ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
		ASSERT_EQ(e.exit.result, expected) << size[0] << " bytes, signed " << is_signed;
		raw.bytes.pop_back();
		raw.bytes.shrink_to_fit();
		s = raw.sample(index);
		ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 0);
	}
}

/* Formats with bytes changed, cut and doubled: set up or refused, and never more. */
TEST(DecodeProperty, AnyFormatIsTakenOrRefused)
{
	const std::string texts[] = {saved_format("syscalls", "sys_enter_openat"),
				     saved_format("raw_syscalls", "sys_enter"), with_path,
				     saved_format("sched", "sched_process_exec")};
	const char *systems[] = {"syscalls", "raw_syscalls", "syscalls", "sched"};
	Bytes bytes(3);
	int taken = 0, refused = 0;

	for (int i = 0; i < 4000; i++) {
		uint32_t which = bytes.below(4);
		std::string text = texts[which];

		for (uint32_t k = bytes.below(4); k > 0; k--) {
			uint32_t at = bytes.below(static_cast<uint32_t>(text.size()));

			switch (bytes.below(4)) {
			case 0:
				text[at] = static_cast<char>(' ' + bytes.below(95));
				break;
			case 1:
				text.erase(at, bytes.below(40));
				break;
			case 2: {
				uint32_t from = bytes.below(static_cast<uint32_t>(text.size()));

				text.insert(at, text.substr(from, bytes.below(60)));
				break;
			}
			default:
				text[at] = "0123456789;:[]\n\t"[bytes.below(16)];
				break;
			}
		}
		Capture c;
		error err{};

		c.add_format(systems[which], text);
		c.add_event("", PERF_TYPE_TRACEPOINT, format_id(texts[which]));
		Decoder d(c.open(&err), decode_free);

		taken += d != nullptr;
		refused += d == nullptr;
		ASSERT_EQ(d == nullptr, err.text[0] != 0);
		if (!d)
			continue;
		Raw raw = bytes.draw(bytes.below(200));
		sample s = raw.sample(0);
		event e;

		if (decode_sample(d.get(), &s, false, &e))
			touch(e);
	}
	EXPECT_GT(taken, 500);
	EXPECT_GT(refused, 500);
}

} // namespace
