/*
 * The tracepoints of io_uring: of this kernel, and as kernels before it had them.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <memory>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

/* Decodes one sample of a capture with this tracepoint. */
struct aio read(const std::string &name, const std::string &format, Raw &raw, int expected = 1)
{
	Capture c;
	error err{};
	uint32_t index = c.add_tracepoint("io_uring", name, format);
	Decoder d(c.open(&err), decode_free);
	event e;

	EXPECT_NE(d, nullptr) << err.text;
	if (!d)
		return {};
	sample s = raw.sample(index);

	memset(&e, 0xaa, sizeof(e));
	EXPECT_EQ(decode_sample(d.get(), &s, false, &e), expected);
	EXPECT_EQ(c.count(TALLY_malformed), 0U);
	if (expected)
		EXPECT_EQ(e.kind, EVENT_AIO);
	EXPECT_EQ(e.tid, 101U);
	EXPECT_EQ(e.time, 5000U);
	return e.aio.step;
}

struct aio read(const std::string &name, Raw &raw, int expected = 1)
{
	return read(name, saved_format("io_uring", name), raw, expected);
}

/* ctx, req, user_data, opcode, flags, sq_thread; where Linux 6.18 has them. */
Raw submission(uint64_t opcode, uint64_t flags = 0, uint64_t thread = 0)
{
	Raw raw;

	raw.put(8, 8, 0x1111).put(16, 8, 0x2222).put(24, 8, 0x3333);
	raw.put(32, 1, opcode).put(40, 8, flags).put(48, 1, thread).put(52, 4, 0);
	return raw;
}

TEST(DecodeAio, Submission)
{
	Raw raw = submission(22, 0x400000);
	struct aio a = read("io_uring_submit_req", raw);

	EXPECT_EQ(a.step, AIO_SUBMIT);
	EXPECT_EQ(a.api, AIO_URING);
	EXPECT_EQ(a.action, AIO_READ);
	EXPECT_EQ(a.opcode, 22U);
	EXPECT_EQ(a.queue, 0x1111U);
	EXPECT_EQ(a.key, 0x2222U);
	EXPECT_EQ(a.user_data, 0x3333U);
	EXPECT_EQ(a.flags, 0U);
	EXPECT_EQ(a.fd, AIO_FD_UNKNOWN);
	EXPECT_EQ(a.index, -1);
	EXPECT_EQ(a.offset, AIO_UNKNOWN);
	EXPECT_EQ(a.bytes, AIO_UNKNOWN);
}

TEST(DecodeAio, FlagsOfASubmission)
{
	Raw fixed = submission(23, 1), silent = submission(23, 1 << 6),
	    thread = submission(3, 0, 1);
	struct aio a = read("io_uring_submit_req", fixed);

	EXPECT_EQ(a.flags, static_cast<uint32_t>(AIO_FIXED));
	EXPECT_EQ(a.fd, AIO_FD_NONE);
	EXPECT_EQ(a.action, AIO_WRITE);
	EXPECT_EQ(read("io_uring_submit_req", silent).flags, static_cast<uint32_t>(AIO_SILENT));
	a = read("io_uring_submit_req", thread);
	EXPECT_EQ(a.flags, static_cast<uint32_t>(AIO_BY_THREAD));
	EXPECT_EQ(a.action, AIO_FLUSH);
}

TEST(DecodeAio, WhatHasItsFile)
{
	Raw raw;

	raw.put(8, 8, 0x1111).put(16, 8, 0x2222).put(24, 8, 0x3333).put(32, 4, 5);
	struct aio a = read("io_uring_file_get", raw);

	EXPECT_EQ(a.step, AIO_START);
	EXPECT_EQ(a.key, 0x2222U);
	EXPECT_EQ(a.fd, 5);
	raw.put(32, 4, static_cast<uint32_t>(-1));
	read("io_uring_file_get", raw, 0);
}

TEST(DecodeAio, Completion)
{
	Raw raw;

	raw.put(8, 8, 0x1111).put(16, 8, 0x2222).put(24, 8, 0x3333);
	raw.put(32, 4, static_cast<uint32_t>(-125)).put(36, 4, 0).put(40, 8, 0).put(48, 8, 0);
	struct aio a = read("io_uring_complete", raw);

	EXPECT_EQ(a.step, AIO_COMPLETE);
	EXPECT_EQ(a.result, -125);
	EXPECT_EQ(a.flags, 0U);
	raw.put(32, 4, 4096).put(36, 4, 3);
	a = read("io_uring_complete", raw);
	EXPECT_EQ(a.result, 4096);
	EXPECT_EQ(a.flags, static_cast<uint32_t>(AIO_MORE));
	raw.put(36, 4, 1);
	EXPECT_EQ(read("io_uring_complete", raw).flags, 0U);
}

TEST(DecodeAio, ANewRing)
{
	Raw raw;

	raw.put(8, 4, 4).put(16, 8, 0x1111).put(24, 4, 8).put(28, 4, 16).put(32, 4, 0);
	struct aio a = read("io_uring_create", raw);

	EXPECT_EQ(a.step, AIO_QUEUE);
	EXPECT_EQ(a.queue, 0x1111U);
	EXPECT_EQ(a.fd, 4);
}

std::string field(const std::string &declaration, int offset, int size)
{
	return "\tfield:" + declaration + ";\toffset:" + std::to_string(offset) +
	       ";\tsize:" + std::to_string(size) + ";\tsigned:0;\n";
}

/* Linux 6.1 has another name for it, and flags of 32 bits. */
TEST(DecodeAio, SubmissionBeforeLinux64)
{
	std::string format = format_text(
		"io_uring_submit_sqe", 71,
		field("void * ctx", 8, 8) + field("void * req", 16, 8) +
			field("unsigned long long user_data", 24, 8) + field("u8 opcode", 32, 1) +
			field("u32 flags", 36, 4) + field("bool force_nonblock", 40, 1) +
			field("bool sq_thread", 41, 1) + field("__data_loc char[] op_str", 44, 4));
	Raw raw;

	raw.put(8, 8, 0x1111).put(16, 8, 0x2222).put(24, 8, 0x3333).put(32, 1, 2);
	raw.put(36, 4, 1).put(40, 1, 1).put(41, 1, 1).put(44, 4, 0);
	struct aio a = read("io_uring_submit_sqe", format, raw);

	EXPECT_EQ(a.action, AIO_WRITE);
	EXPECT_EQ(a.key, 0x2222U);
	EXPECT_EQ(a.flags, static_cast<uint32_t>(AIO_FIXED | AIO_BY_THREAD | AIO_REPEATS))
		<< "completions before Linux 5.18 do not say the request";
}

/* Then only what the program calls it tells which request it is. */
TEST(DecodeAio, BeforeLinux513RequestsHaveNoKey)
{
	std::string submit = format_text("io_uring_submit_sqe", 71,
					 field("void * ctx", 8, 8) + field("u8 opcode", 16, 1) +
						 field("u64 user_data", 24, 8) +
						 field("bool force_nonblock", 32, 1) +
						 field("bool sq_thread", 33, 1));
	std::string complete = format_text("io_uring_complete", 72,
					   field("void * ctx", 8, 8) +
						   field("u64 user_data", 16, 8) +
						   field("long res", 24, 8));
	std::string file = format_text("io_uring_file_get", 73,
				       field("void * ctx", 8, 8) + field("int fd", 16, 4));
	Raw raw;

	raw.put(8, 8, 0x1111).put(16, 1, 22).put(24, 8, 0x3333).put(32, 1, 1).put(33, 1, 0);
	struct aio a = read("io_uring_submit_sqe", submit, raw);

	EXPECT_EQ(a.key, 0U);
	EXPECT_EQ(a.user_data, 0x3333U);
	EXPECT_EQ(a.flags, static_cast<uint32_t>(AIO_REPEATS));
	Raw end;

	end.put(8, 8, 0x1111).put(16, 8, 0x3333).put(24, 8, 12);
	a = read("io_uring_complete", complete, end);
	EXPECT_EQ(a.key, 0U);
	EXPECT_EQ(a.user_data, 0x3333U);
	EXPECT_EQ(a.result, 12);
	Raw start;

	start.put(8, 8, 0x1111).put(16, 4, 9);
	a = read("io_uring_file_get", file, start);
	EXPECT_EQ(a.key, 0U);
	EXPECT_EQ(a.user_data, 0U);
	EXPECT_EQ(a.fd, 9);
}

TEST(DecodeAio, Actions)
{
	const struct {
		enum aio_api api;
		uint32_t opcode;
		enum aio_action action;
		uint32_t flags;
	} row[] = {
		{AIO_URING, 0, AIO_MANAGE, 0},   {AIO_URING, 1, AIO_READ, 0},
		{AIO_URING, 5, AIO_WRITE, 0},    {AIO_URING, 8, AIO_FLUSH, 0},
		{AIO_URING, 18, AIO_OPEN, 0},    {AIO_URING, 19, AIO_CLOSE, 0},
		{AIO_URING, 20, AIO_FIX, 0},     {AIO_URING, 22, AIO_READ, 0},
		{AIO_URING, 26, AIO_WRITE, 0},   {AIO_URING, 27, AIO_READ, AIO_REPEATS},
		{AIO_URING, 61, AIO_WRITE, 0},   {AIO_URING, 62, AIO_PASS, 0},
		{AIO_URING, 255, AIO_MANAGE, 0}, {AIO_LIBAIO, 0, AIO_READ, 0},
		{AIO_LIBAIO, 1, AIO_WRITE, 0},   {AIO_LIBAIO, 3, AIO_FLUSH, 0},
		{AIO_LIBAIO, 5, AIO_MANAGE, 0},  {AIO_LIBAIO, 8, AIO_WRITE, 0},
		{AIO_LIBAIO, 9, AIO_MANAGE, 0},
	};

	for (const auto &r : row) {
		uint32_t flags = 0;

		EXPECT_EQ(aio_action(r.api, r.opcode, &flags), r.action)
			<< r.api << " " << r.opcode;
		EXPECT_EQ(flags, r.flags) << r.opcode;
	}
}

} /* namespace */
