/*
 * capture, opening: files that are not ours, or damaged, and the sentences with which they are
 * refused.
 */
#include "stream_fixture.h"

#include <sys/stat.h>

#include <algorithm>

TEST_F(Capture, CompressedFilesAreRefused)
{
	file.put_sample(0, 1);
	std::string all = bytes();
	capture_header header = header_of(all);

	header.flags[0] |= UINT64_C(1) << CAPTURE_COMPRESSED;
	set_header(&all, header);
	EXPECT_NE(refused(path_with(all))
			  .find("changed.data: was written by `perf record -z`, whose records are "
				"compressed"),
		  std::string::npos);
	for (uint32_t type : {CAPTURE_RECORD_COMPRESSED, CAPTURE_RECORD_COMPRESSED2}) {
		file.put_bytes(type, "xxxxxxxx");
		c = opened(file.write());
		capture_round round;
		error err{};
		EXPECT_EQ(capture_next_round(c, &round, &err), -ENOTSUP);
		EXPECT_NE(std::string(err.text).find("perf record -z"), std::string::npos);
		capture_close(c);
		c = nullptr;
		file.records.clear();
	}
}

TEST_F(Capture, WhatIsNoCaptureIsRefusedWithItsReason)
{
	std::string all = bytes(), path = file.scratch.path("changed.data");

	const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	const std::string theirs = is_little ? "big" : "little",
			  ours = is_little ? "little" : "big";
	const std::string swapped = std::string(all.rbegin() + static_cast<long>(all.size()) - 8,
						all.rend());

	EXPECT_EQ(refused(file.scratch.path("none")),
		  "cannot open " + file.scratch.path("none") + ": No such file or directory");
	EXPECT_EQ(refused(path_with("")), path + ": is empty");
	EXPECT_EQ(refused(path_with("short")),
		  path + ": is neither a capture of iotrace nor a file that perf record wrote");
	EXPECT_EQ(refused(path_with("PERFILE2")),
		  path + ": is truncated: it should have 16 bytes at offset 0");
	EXPECT_EQ(refused(path_with(std::string(200, 'x'))),
		  path + ": is neither a capture of iotrace nor a file that perf record wrote");
	EXPECT_EQ(refused(path_with(swapped + all.substr(8))),
		  path + ": was recorded on a " + theirs + "-endian machine, but this machine is " +
			  ours + "-endian; convert it on a machine of the same kind");
	EXPECT_EQ(
		refused(path_with("PERFFILE" + all.substr(8))),
		path + ": has the perf.data format from before 2009, which iotrace does not read");
	EXPECT_NE(refused(file.scratch.path("")).find("is a directory"), std::string::npos);
	ASSERT_EQ(mkfifo(file.scratch.path("fifo").c_str(), 0600), 0);
	EXPECT_NE(refused("/dev/null").find("is not a regular file"), std::string::npos);

	capture_header header = header_of(all);
	header.size = 96;
	set_header(&all, header);
	EXPECT_EQ(refused(path_with(all)), path + ": has a header of 96 bytes, not of 104");
}

TEST_F(Capture, SectionsThatAreNotThereAreRefused)
{
	std::string all = bytes();
	const capture_header good = header_of(all);
	capture_header bad = good;

	bad.attrs.offset = all.size() - 10;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all))
			  .find("is truncated: it should have " + std::to_string(good.attr_size) +
				" bytes at offset"),
		  std::string::npos);
	bad = good;
	bad.attrs.offset = UINT64_MAX - 3;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("is truncated"), std::string::npos);
	bad = good;
	bad.attr_size = 79;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has event attributes of 79 bytes"),
		  std::string::npos);
	bad.attr_size = UINT64_MAX;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has event attributes of"), std::string::npos);
	bad = good;
	bad.attrs.size = UINT64_MAX;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("has more than 4096 events"), std::string::npos);
	bad = good;
	bad.attrs.size = 0;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("describes no events"), std::string::npos);
	bad = good;
	bad.data.offset = all.size() + 1;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("its records should begin at offset"),
		  std::string::npos);
	bad.data.offset = 8;
	set_header(&all, bad);
	EXPECT_NE(refused(path_with(all)).find("its records should begin at offset"),
		  std::string::npos);

	/* The ids of the event, and the table in front. */
	set_header(&all, good);
	std::string broken = all;
	uint64_t huge = UINT64_MAX / 2;
	memcpy(broken.data() + good.attrs.offset + sizeof(perf_event_attr) + 8, &huge, 8);
	EXPECT_NE(refused(path_with(broken)).find("has more than 4194304 ids"), std::string::npos);
	broken = all;
	memcpy(broken.data() + sizeof(good) + sizeof(capture_front) + 8, &huge, 8);
	EXPECT_NE(refused(path_with(broken)).find("its feature section 12 claims"),
		  std::string::npos);
}

/* Each event alone may have as many ids as it claims, but not all together. */
TEST_F(Capture, IdsOfAllEventsTogetherAreLimited)
{
	std::string all = bytes();
	capture_header header = header_of(all);
	capture_attr attr;
	const uint64_t ids = CAPTURE_IDS_MAX / 2 + 1;

	memcpy(&attr, all.data() + header.attrs.offset, sizeof(attr));
	attr.ids = {all.size(), ids * 8};
	header.attrs = {all.size() + ids * 8, 2 * sizeof(attr)};
	set_header(&all, header);
	all.resize(header.attrs.offset);
	all.append(reinterpret_cast<char *>(&attr), sizeof(attr));
	all.append(reinterpret_cast<char *>(&attr), sizeof(attr));
	EXPECT_NE(refused(path_with(all)).find("has more than 4194304 ids"), std::string::npos);
	header.attrs.size = sizeof(attr);
	set_header(&all, header);
	c = opened(path_with(all));
	EXPECT_EQ(capture_info(c)->event[0].ids, ids);
}

/* The attr of another perf is shorter or longer; what both know is taken. */
TEST_F(Capture, AttrsOfOtherSizesAreRead)
{
	file.put_sample(0, 5, 7);
	for (size_t size :
	     {static_cast<size_t>(PERF_ATTR_SIZE_VER0), sizeof(perf_event_attr) + 16}) {
		std::string all = bytes(), attrs(size, '\xff'), ids;
		capture_header header = header_of(all);
		capture_section section;

		memcpy(attrs.data(), all.data() + header.attrs.offset,
		       std::min(size, sizeof(perf_event_attr)));
		memcpy(&section, all.data() + header.attrs.offset + sizeof(perf_event_attr),
		       sizeof(section));
		attrs.append(reinterpret_cast<char *>(&section), sizeof(section));
		header.attrs = {all.size(), attrs.size()};
		header.attr_size = attrs.size();
		set_header(&all, header);
		c = opened(path_with(all + attrs));
		const struct capture_info *info = capture_info(c);
		ASSERT_EQ(info->events, 1u);
		EXPECT_EQ(info->event[0].attr.sample_type, OUR_LAYOUT);
		EXPECT_EQ(info->event[0].attr.config, 100u);
		EXPECT_EQ(info->event[0].attr.sig_data, 0u);
		ASSERT_EQ(info->event[0].ids, 2u);
		EXPECT_EQ(info->event[0].id[1], 2u);
		tally books{};
		EXPECT_EQ(tags_of(read_ordered(c, &books)), (std::vector<uint32_t>{7}));
		capture_close(c);
		c = nullptr;
	}
}

TEST_F(Capture, EventsWithUnknownLayoutAreRefused)
{
	std::string all = bytes();
	capture_header header = header_of(all);
	uint64_t type = UINT64_C(1) << 40;

	memcpy(all.data() + header.attrs.offset + offsetof(perf_event_attr, sample_type), &type, 8);
	EXPECT_NE(refused(path_with(all))
			  .find("its samples have fields that this iotrace does not know"),
		  std::string::npos);
}
