/*
 * capture: of which event a record is, and what a capture says of its events.
 */
#include "stream_build.h"

extern "C" {
#include "capture_format.h"
}

TEST(CaptureFind, EventsAreFoundByTheirIds)
{
	for (uint64_t base : {UINT64_C(5), UINT64_MAX - 100}) {
		for (uint64_t far : {UINT64_C(40), UINT64_C(5000000000)}) {
			StreamFile file;

			file.add_event("a:b", {base, base + 2});
			file.add_event("a:c", {base + 1, base + far});
			capture *c = opened(file.write());
			EXPECT_EQ(capture_find_event(c, base), 0u);
			EXPECT_EQ(capture_find_event(c, base + 2), 0u);
			EXPECT_EQ(capture_find_event(c, base + 1), 1u);
			EXPECT_EQ(capture_find_event(c, base + far), 1u);
			EXPECT_EQ(capture_find_event(c, base + 3), UINT32_MAX);
			EXPECT_EQ(capture_find_event(c, base - 1), UINT32_MAX);
			EXPECT_EQ(capture_find_event(c, base + far + 1), UINT32_MAX);
			capture_close(c);
		}
	}
	StreamFile file;
	file.add_event("a:b", {7});
	capture *c = opened(file.write());
	EXPECT_EQ(capture_find_event(c, 12345), 0u) << "the only one";
	capture_close(c);
}

TEST(CaptureFind, ManyEventsWithoutIdsAreNone)
{
	StreamFile file;

	file.add_event("a:b", {}, PERF_SAMPLE_TIME);
	file.add_event("a:c", {}, PERF_SAMPLE_TIME);
	file.put_sample(0, 1);
	capture *c = opened(file.write());
	sample s;
	EXPECT_EQ(capture_find_event(c, 0), UINT32_MAX);
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, UINT32_MAX);
	EXPECT_EQ(s.time, 1u);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsAreToldByTheId)
{
	StreamFile file;

	file.add_event("a:b", {7}, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME);
	file.add_event("a:c", {8},
		       PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_TID |
			       PERF_SAMPLE_CPU);
	file.put_sample(3, 10, 5, 1);
	size_t second = file.records.size();
	file.put_sample(0, 20, 0, 0);
	capture *c = opened(file.write());
	sample s;
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, 1u);
	EXPECT_EQ(s.tid, 5u);
	EXPECT_EQ(s.cpu, 3u);
	ASSERT_EQ(capture_parse(c, file.records.data() + second, &s), 0);
	EXPECT_EQ(s.event, 0u);
	EXPECT_EQ(s.time, 20u);
	/*
	 * A sample of nobody cannot be taken apart; a record that perf made up (id 0) is like the
	 * first event's.
	 */
	const uint64_t nobody = 99;

	memcpy(&file.records[8], &nobody, sizeof(nobody));
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), -EBADMSG);
	EXPECT_EQ(s.type, static_cast<uint32_t>(PERF_RECORD_SAMPLE));
	file.records.clear();
	file.info.event[0].id[0] = 0;
	file.put_other(PERF_RECORD_COMM, 0, 30);
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.body_size, 16u);
	EXPECT_EQ(s.time, 30u);
	const uint16_t size = 12;

	memcpy(&file.records[6], &size, sizeof(size));
	EXPECT_EQ(capture_parse(c, file.records.substr(0, 12).data(), &s), -EBADMSG);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsWithoutACommonPlaceAreRefused)
{
	StreamFile file;

	file.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	file.add_event("a:c", {8}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_IP);
	EXPECT_NE(refused(file.write())
			  .find("events a:b and a:c do not have their id at the same position"),
		  std::string::npos);
}

TEST(CaptureFind, MixedLayoutsWithoutAnyIdAreRefused)
{
	StreamFile file;

	file.add_event("a:b", {}, PERF_SAMPLE_TIME);
	file.add_event("a:c", {}, PERF_SAMPLE_TIME | PERF_SAMPLE_TID);
	EXPECT_NE(refused(file.write()).find("do not have their id at the same position"),
		  std::string::npos);
}

TEST(CaptureFind, TheIdMustBeAtOnePlaceInOtherRecordsToo)
{
	StreamFile file, other;

	file.add_event("a:b", {7}, OUR_LAYOUT, true);
	file.add_event("a:c", {8}, OUR_LAYOUT, false);
	EXPECT_NE(refused(file.write()).find("do not have their id at the same position"),
		  std::string::npos);
	other.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME);
	other.add_event("a:c", {8}, PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
	EXPECT_NE(refused(other.write()).find("do not have their id at the same position"),
		  std::string::npos);
}

/*
 * Each of the two differs from the other in one point only; both must be read by their own layout.
 */
TEST(CaptureFind, ADifferentReadFormatIsADifferentLayout)
{
	StreamFile file;
	sample s{}, out;

	file.add_event("a:b", {7}, OUR_LAYOUT | PERF_SAMPLE_READ);
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ, true, PERF_FORMAT_GROUP);
	s.type = PERF_RECORD_SAMPLE;
	s.id = 8;
	s.values = 3;
	s.value[2] = 99;
	file.put(s, 1);
	capture *c = opened(file.write());
	ASSERT_EQ(capture_parse(c, file.records.data(), &out), 0);
	EXPECT_EQ(out.values, 3u);
	EXPECT_EQ(out.value[2], 99u);
	capture_close(c);
}

TEST(CaptureFind, MixedLayoutsWithoutTrailerHaveNone)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7}, OUR_LAYOUT, false);
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ, false);
	file.put_other(PERF_RECORD_COMM, 0, 0);
	capture *c = opened(file.write());
	ASSERT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.body_size, 16u);
	capture_close(c);
}

TEST(CaptureFind, UserRecordsAreOfNoEvent)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7});
	file.add_event("a:c", {8}, OUR_LAYOUT | PERF_SAMPLE_READ);
	file.put_bytes(80, "");
	capture *c = opened(file.write());
	EXPECT_EQ(capture_parse(c, file.records.data(), &s), 0);
	EXPECT_EQ(s.event, UINT32_MAX);
	capture_close(c);
}

/* Memory of the record's size, so that ASan sees what is read beyond. */
TEST(CaptureFind, RecordsThatAreTooShortForTheirIdAreNotRead)
{
	StreamFile file;
	sample s;

	file.add_event("a:b", {7}, PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID);
	file.add_event("a:c", {8},
		       PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW);
	capture *c = opened(file.write());
	for (uint32_t type : {PERF_RECORD_SAMPLE, PERF_RECORD_COMM}) {
		for (uint16_t size = 8; size < 16; size++) {
			std::vector<uint8_t> record(size);
			perf_event_header header = {type, 0, size};

			memcpy(record.data(), &header, sizeof(header));
			record.shrink_to_fit();
			EXPECT_EQ(capture_parse(c, record.data(), &s), -EBADMSG);
		}
	}
	capture_close(c);
}

TEST(CaptureInfo, TooManyEventsAreRefused)
{
	struct capture_info info;
	perf_event_attr attr{};
	error err{};

	capture_info_init(&info);
	for (uint32_t i = 0; i < CAPTURE_EVENTS_MAX; i++)
		ASSERT_NE(capture_info_add_event(&info, &attr, "", nullptr, 0, &err), nullptr);
	EXPECT_EQ(capture_info_add_event(&info, &attr, "", nullptr, 0, &err), nullptr);
	EXPECT_STREQ(err.text, "more than 4096 events in one stream");
	attr.sample_type = UINT64_C(1) << 50;
	info.events--;
	free(info.event[info.events].name);
	free(info.event[info.events].id);
	EXPECT_EQ(capture_info_add_event(&info, &attr, "x:y", nullptr, 0, &err), nullptr);
	EXPECT_EQ(std::string(err.text).substr(0, 14), "event x:y: its");
	capture_info_release(&info);
}

TEST(CaptureInfo, AFormatIsKeptOnce)
{
	struct capture_info info;

	capture_info_init(&info);
	capture_info_add_format(&info, "a", "name: x\nID: 5\n");
	capture_info_add_format(&info, "a", "name: x\nID: 5\n");
	capture_info_add_format(&info, "b", "name: x\nID: 5\n");
	capture_info_add_format(&info, "a", "name: x\n");
	EXPECT_EQ(info.formats, 3u);
	EXPECT_EQ(info.format[0].id, 5u);
	EXPECT_EQ(info.format[2].id, UINT64_MAX);
	capture_info_release(&info);
}

TEST(CaptureInfo, FormatsBeyondALimitAreLeftOut)
{
	StreamFile file;

	file.add_event("a:b", {1});
	for (uint32_t i = 0; i < CAPTURE_FORMATS_MAX + 5; i++)
		capture_info_add_format(&file.info, "a", ("name: f" + std::to_string(i)).c_str());
	capture *c = opened(file.write());
	EXPECT_EQ(capture_info(c)->formats, static_cast<uint32_t>(CAPTURE_FORMATS_MAX));
	EXPECT_STREQ(capture_info(c)->format[0].text, "name: f0");
	capture_close(c);
}

TEST(CaptureInfo, OnlyTracepointsWithoutANameAreNamedByTheirFormat)
{
	StreamFile file;

	for (const char *name : {"", "my:own", ""})
		file.add_event(name, {1 + file.info.events});
	for (uint32_t i = 0; i < 3; i++)
		file.info.event[i].attr.config = 5;
	file.info.event[2].attr.type = PERF_TYPE_SOFTWARE;
	capture_info_add_format(&file.info, "a", "print: x\nID: 5\n");
	capture_info_add_format(&file.info, "a", "name: z\nID: 6\n");
	capture_info_add_format(&file.info, "a", "name: b\nID: 5\n");
	capture *c = opened(file.write());
	EXPECT_STREQ(capture_info(c)->event[0].name, "a:b");
	EXPECT_STREQ(capture_info(c)->event[1].name, "my:own");
	EXPECT_STREQ(capture_info(c)->event[2].name, "");
	capture_close(c);
}
