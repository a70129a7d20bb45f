/*
 * capture: streams as `perf record -o -` writes them, record by record.
 */
#include "stream_build.h"

#include <algorithm>

#include <gtest/gtest.h>

extern "C" {
#include "capture_format.h"
}

namespace
{

class Pipe : public testing::Test
{
      protected:
	Pipe()
	{
		file.add_event("", {1, 2});
		file.add_event("", {3, 4});
		uint64_t size = CAPTURE_PIPE_HEADER_SIZE;

		file.records = CAPTURE_MAGIC + bytes_of(size);
	}
	void TearDown() override
	{
		capture_close(c);
	}
	/* A string of a feature, behind its size. */
	static std::string sized(uint32_t size, const std::string &text)
	{
		return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) + text;
	}

	static std::string bytes_of(uint64_t value)
	{
		return {reinterpret_cast<char *>(&value), sizeof(value)};
	}
	void put_attr(uint32_t event, size_t size = sizeof(perf_event_attr))
	{
		perf_event_attr attr = file.info.event[event].attr;
		std::string body(size, '\0');

		attr.size = static_cast<uint32_t>(size);
		memcpy(body.data(), &attr, std::min(size, sizeof(attr)));
		for (uint32_t i = 0; i < file.info.event[event].ids; i++)
			body += bytes_of(file.info.event[event].id[i]);
		file.put_bytes(CAPTURE_RECORD_ATTR, body);
	}
	void put_update(uint64_t what, uint64_t id, const std::string &text)
	{
		file.put_bytes(CAPTURE_RECORD_EVENT_UPDATE, bytes_of(what) + bytes_of(id) + text);
	}
	const struct capture_info *open()
	{
		std::string path = file.scratch.path("pipe");

		write_file(path, file.records);
		c = capture_open(path.c_str(), nullptr, nullptr, &err);
		return c ? capture_info(c) : nullptr;
	}

	StreamFile file;
	capture *c = nullptr;
	error err{};
};

} // namespace

TEST_F(Pipe, EventsAreAttrsAndTheirNamesAreUpdates)
{
	put_attr(0);
	put_attr(1, PERF_ATTR_SIZE_VER0);
	put_update(2, 3, std::string("b:y\0\0\0\0\0", 8));
	put_update(2, 1, "a:x");
	put_update(0, 1, "unit");
	put_update(2, 2, "not the first id");
	file.put_bytes(CAPTURE_RECORD_EVENT_UPDATE, "short");
	file.put_sample(0, 10, 7, 1);
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr) << err.text;
	ASSERT_EQ(info->events, 2u);
	EXPECT_STREQ(info->event[0].name, "a:x");
	EXPECT_STREQ(info->event[1].name, "b:y");
	EXPECT_EQ(info->event[1].ids, 2u);
	EXPECT_EQ(info->event[1].id[1], 4u);
	EXPECT_EQ(info->event[1].attr.branch_sample_type, 0u);
}

TEST_F(Pipe, WhatIsSaidAfterTheFirstRecordOfTheKernelIsTooLate)
{
	put_attr(0);
	file.put_sample(0, 10);
	put_attr(1);
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr);
	EXPECT_EQ(info->events, 1u);
}

TEST_F(Pipe, NothingButItsPreambleIsFine)
{
	capture_round round;

	put_attr(0);
	ASSERT_NE(open(), nullptr) << err.text;
	EXPECT_EQ(capture_next_round(c, &round, nullptr), 0);
	EXPECT_EQ(capture_torn(c), 0u);
}

TEST_F(Pipe, AnImpossibleRecordEndsThePreamble)
{
	put_attr(0);
	file.put_bytes(CAPTURE_RECORD_ATTR, "", 4);
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr) << err.text;
	EXPECT_EQ(info->events, 1u);
}

TEST_F(Pipe, AuxDataInThePreambleIsSteppedOver)
{
	put_attr(0);
	file.put_bytes(CAPTURE_RECORD_AUXTRACE, bytes_of(5));
	file.records += "12345";
	put_attr(1);
	/* This one would lead back to the start. */
	file.put_bytes(CAPTURE_RECORD_AUXTRACE, bytes_of(-file.records.size()));
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr) << err.text;
	EXPECT_EQ(info->events, 2u);
}

TEST_F(Pipe, AuxDataThatIsNotThereEndsThePreamble)
{
	put_attr(0);
	file.put_bytes(CAPTURE_RECORD_AUXTRACE, bytes_of(1000));
	EXPECT_NE(open(), nullptr) << err.text;
}

TEST_F(Pipe, AnAttrThatDoesNotSayItsSizeIsTheFirstVersion)
{
	perf_event_attr attr = file.info.event[0].attr;

	attr.size = 0;
	file.put_bytes(CAPTURE_RECORD_ATTR,
		       std::string(reinterpret_cast<char *>(&attr), PERF_ATTR_SIZE_VER0) +
			       bytes_of(77));
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr) << err.text;
	ASSERT_EQ(info->event[0].ids, 1u);
	EXPECT_EQ(info->event[0].id[0], 77u);
}

TEST_F(Pipe, TornAttrsAreRefused)
{
	perf_event_attr attr = file.info.event[0].attr;

	attr.size = sizeof(attr) + 8;
	file.put_bytes(CAPTURE_RECORD_ATTR, {reinterpret_cast<char *>(&attr), sizeof(attr)});
	EXPECT_EQ(open(), nullptr);
	EXPECT_NE(std::string(err.text).find("has an event attribute that is truncated"),
		  std::string::npos);
	attr.size = 63;
	file.records.resize(CAPTURE_PIPE_HEADER_SIZE);
	file.put_bytes(CAPTURE_RECORD_ATTR, {reinterpret_cast<char *>(&attr), sizeof(attr)});
	EXPECT_EQ(open(), nullptr);
}

TEST_F(Pipe, FeaturesAreRecordsToo)
{
	put_attr(0);
	file.put_bytes(CAPTURE_RECORD_FEATURE,
		       bytes_of(CAPTURE_HOSTNAME) + sized(4, std::string("abc\0", 4)));
	file.put_bytes(CAPTURE_RECORD_FEATURE, bytes_of(UINT64_C(1) << 32 | CAPTURE_HOSTNAME) +
						       std::string("\1\0\0\0x", 5));
	file.put_bytes(CAPTURE_RECORD_FEATURE, "x");
	const struct capture_info *info = open();
	ASSERT_NE(info, nullptr) << err.text;
	EXPECT_STREQ(info->hostname, "abc");
}

TEST_F(Pipe, CompressedStreamsAreRefused)
{
	put_attr(0);
	file.put_bytes(CAPTURE_RECORD_FEATURE,
		       bytes_of(CAPTURE_COMPRESSED) + std::string(20, '\0'));
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, ENOTSUP);
	EXPECT_NE(std::string(err.text).find("`perf record -z`"), std::string::npos);
}
