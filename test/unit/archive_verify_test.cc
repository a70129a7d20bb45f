/*
 * The verifier against archives that are wrong in one thing each, written with OTF2's own writer.
 */
#include "scratch_dir.h"

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

/*
 * Archives whose creator is iotrace. Locations 0 and 1 of group 0, location 2 of group 1, which group 0 created. Handle 0 is created,
 * 1 was open before, 2 stands for all. A test adds events, or changes a definition.
 */
class ArchiveVerify : public ::testing::Test
{
      protected:
	ScratchDir scratch;
	std::string dir = scratch.path("trace");
	OTF2_Archive *archive = nullptr;
	OTF2_EvtWriter *w[3];
	archive_report report = {};
	struct error err = {};

	/* What a test may change before end(). */
	uint64_t clock_first = 100, clock_length = 900;
	int more_events = 0; /* in the definition of location 0 */
	OTF2_StringRef region_name = 1;
	OTF2_RegionRef region_ref = 0;
	OTF2_IoHandleRef last_handle = 2;
	const OTF2_LocationType thread_type = OTF2_LOCATION_TYPE_CPU_THREAD;
	OTF2_LocationType last_type = thread_type; /* of location 2 */
	std::function<void(OTF2_GlobalDefWriter *)> also = [](OTF2_GlobalDefWriter *) {
	};

	ArchiveVerify()
	{
		static const OTF2_FlushCallbacks flush = {[](void *, OTF2_FileType,
							     OTF2_LocationRef, void *,
							     bool) -> OTF2_FlushType {
								  return OTF2_FLUSH;
							  },
							  nullptr};

		archive = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE, 256 * 1024,
					    256 * 1024, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);
		OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
		OTF2_Archive_SetSerialCollectiveCallbacks(archive);
		OTF2_Archive_SetCreator(archive, "iotrace 0");
		OTF2_Archive_OpenEvtFiles(archive);
		for (int i = 0; i < 3; i++)
			w[i] = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)i);
	}

	void define(OTF2_GlobalDefWriter *d, const uint64_t *events)
	{
		OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, clock_first, clock_length,
							  0);
		for (OTF2_StringRef s = 0; s < 4; s++)
			OTF2_GlobalDefWriter_WriteString(d, s, "text");
		OTF2_GlobalDefWriter_WriteAttribute(d, 0, 1, 2, OTF2_TYPE_UINT64);
		OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 1, 2,
							 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		OTF2_GlobalDefWriter_WriteLocationGroup(d, 0, 1, OTF2_LOCATION_GROUP_TYPE_PROCESS,
							0, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocationGroup(d, 1, 1, OTF2_LOCATION_GROUP_TYPE_PROCESS,
							0, 0);
		for (uint64_t i = 0; i < 3; i++)
			OTF2_GlobalDefWriter_WriteLocation(d, i, 1,
							   i == 2 ? last_type : thread_type,
							   events[i] +
								   (i ? 0 : (uint64_t)more_events),
							   i / 2);
		OTF2_GlobalDefWriter_WriteRegion(d, region_ref, region_name, 1, 1,
						 OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_NONE,
						 OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
						 0);
		OTF2_GlobalDefWriter_WriteRegion(d, 1, 1, 1, 1, OTF2_REGION_ROLE_FILE_IO,
						 OTF2_PARADIGM_NONE, OTF2_REGION_FLAG_NONE,
						 OTF2_UNDEFINED_STRING, 0, 0);
		OTF2_GlobalDefWriter_WriteIoParadigm(d, 0, 1, 2, OTF2_IO_PARADIGM_CLASS_SERIAL,
						     OTF2_IO_PARADIGM_FLAG_OS, 0, nullptr, nullptr,
						     nullptr);
		OTF2_GlobalDefWriter_WriteIoRegularFile(d, 0, 3, 0);
		for (OTF2_IoHandleRef h = 0; h <= last_handle; h++)
			OTF2_GlobalDefWriter_WriteIoHandle(d, h, 1,
							   h == 2 ? OTF2_UNDEFINED_IO_FILE : 0, 0,
							   h == 1 ? OTF2_IO_HANDLE_FLAG_PRE_CREATED
							   : h == 2 ? OTF2_IO_HANDLE_FLAG_ALL_PROXY
								    : OTF2_IO_HANDLE_FLAG_NONE,
							   OTF2_UNDEFINED_COMM,
							   OTF2_UNDEFINED_IO_HANDLE);
		also(d);
	}

	void end()
	{
		uint64_t events[3];

		for (int i = 0; i < 3; i++) {
			OTF2_EvtWriter_GetNumberOfEvents(w[i], &events[i]);
			OTF2_Archive_CloseEvtWriter(archive, w[i]);
		}
		OTF2_Archive_CloseEvtFiles(archive);
		OTF2_Archive_OpenDefFiles(archive);
		for (OTF2_LocationRef i = 0; i < 3; i++)
			OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i));
		OTF2_Archive_CloseDefFiles(archive);
		define(OTF2_Archive_GetGlobalDefWriter(archive), events);
		OTF2_Archive_Close(archive);
	}

	/* Returns all findings, a line for each; "not promised: " are those that OTF2 allows. */
	std::string check()
	{
		if (archive)
			end();
		archive = nullptr;
		int code = archive_verify(dir.c_str(), &report, &err);
		if (code)
			return std::string("error: ") + err.text + "\n";
		std::string all;
		for (uint64_t i = 0; i < report.findings && i < ARCHIVE_FINDINGS; i++)
			all += std::string(report.is_deviation[i] ? "not promised: " : "") +
			       report.finding[i] + "\n";
		return all;
	}

	void create(int l, uint64_t time, OTF2_IoHandleRef h)
	{
		OTF2_EvtWriter_IoCreateHandle(w[l], nullptr, time, h, 0, 0, 0);
	}
	void destroy(int l, uint64_t time, OTF2_IoHandleRef h)
	{
		OTF2_EvtWriter_IoDestroyHandle(w[l], nullptr, time, h);
	}
	void begin(int l, uint64_t time, OTF2_IoHandleRef h, uint64_t id,
		   bool is_non_blocking = false)
	{
		OTF2_EvtWriter_IoOperationBegin(w[l], nullptr, time, h, OTF2_IO_OPERATION_MODE_READ,
						is_non_blocking
							? OTF2_IO_OPERATION_FLAG_NON_BLOCKING
							: 0,
						10, id);
	}
	void complete(int l, uint64_t time, OTF2_IoHandleRef h, uint64_t id)
	{
		OTF2_EvtWriter_IoOperationComplete(w[l], nullptr, time, h, 10, id);
	}
	void issued(int l, uint64_t time, OTF2_IoHandleRef h, uint64_t id)
	{
		OTF2_EvtWriter_IoOperationIssued(w[l], nullptr, time, h, id);
	}
	void metric(int l, uint64_t time, OTF2_MetricRef ref, std::vector<OTF2_Type> types)
	{
		std::vector<OTF2_MetricValue> values(types.size());
		OTF2_EvtWriter_Metric(w[l], nullptr, time, ref, (uint8_t)types.size(), types.data(),
				      values.data());
	}
	/* Two members, INT64 and UINT64; class 0 of both is synchronous, class 1 of the first is not. */
	static void metrics(OTF2_GlobalDefWriter *d)
	{
		const OTF2_MetricMemberRef both[] = {0, 1};

		for (uint32_t i = 0; i < 2; i++)
			OTF2_GlobalDefWriter_WriteMetricMember(d, i, 1, 2, OTF2_METRIC_TYPE_OTHER,
							       OTF2_METRIC_ABSOLUTE_POINT,
							       i ? OTF2_TYPE_UINT64
								 : OTF2_TYPE_INT64,
							       OTF2_BASE_DECIMAL, 0, 1);
		OTF2_GlobalDefWriter_WriteMetricClass(d, 0, 2, both, OTF2_METRIC_SYNCHRONOUS,
						      OTF2_RECORDER_KIND_CPU);
		OTF2_GlobalDefWriter_WriteMetricClass(d, 1, 1, both, OTF2_METRIC_ASYNCHRONOUS,
						      OTF2_RECORDER_KIND_UNKNOWN);
		OTF2_GlobalDefWriter_WriteMetricClassRecorder(d, 1, 2);
		OTF2_GlobalDefWriter_WriteParameter(d, 0, 1, OTF2_PARAMETER_TYPE_STRING);
	}
	void operation(int l, uint64_t time, OTF2_IoHandleRef h, uint64_t id)
	{
		begin(l, time, h, id);
		complete(l, time + 1, h, id);
	}
};

TEST_F(ArchiveVerify, Metrics)
{
	also = metrics;
	last_type = OTF2_LOCATION_TYPE_METRIC;
	metric(0, 110, 0, {OTF2_TYPE_INT64, OTF2_TYPE_UINT64});
	metric(2, 120, 1, {OTF2_TYPE_INT64});
	OTF2_EvtWriter_ParameterString(w[0], nullptr, 130, 0, 1);
	EXPECT_EQ(check(), "");
	EXPECT_EQ(report.events, 3u);
}

TEST_F(ArchiveVerify, WrongMetrics)
{
	also = metrics;
	metric(0, 110, 0, {OTF2_TYPE_INT64});
	metric(0, 120, 0, {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64});
	metric(0, 130, 1, {OTF2_TYPE_INT64});
	metric(0, 140, 2, {OTF2_TYPE_INT64});
	OTF2_EvtWriter_ParameterString(w[0], nullptr, 150, 1, 9);
	EXPECT_EQ(
		check(),
		"Metric 0 on location 0 has 1 values, its class 2\n"
		"value 0 of Metric 0 on location 0 is not of the type of its member\n"
		"not promised: Metric 1 is recorded on location 0, which is not one of its recorders\n"
		"Metric on location 0 names Metric 2, which is not defined\n"
		"ParameterString on location 0 names Parameter 1, which is not defined\n"
		"ParameterString on location 0 names String 9, which is not defined\n");
}

TEST_F(ArchiveVerify, MetricsOfNothing)
{
	also = [](OTF2_GlobalDefWriter *d) {
		const OTF2_MetricMemberRef none[] = {0};

		OTF2_GlobalDefWriter_WriteMetricClass(d, 0, 1, none, OTF2_METRIC_ASYNCHRONOUS,
						      OTF2_RECORDER_KIND_UNKNOWN);
		OTF2_GlobalDefWriter_WriteMetricClassRecorder(d, 1, 3);
	};
	EXPECT_EQ(check(), "a definition names Location 3, which is not defined\n"
			   "a definition names MetricMember 0, which is not defined\n"
			   "a definition names Metric 1, which is not defined\n");
}

TEST_F(ArchiveVerify, PropertiesOfNothing)
{
	also = [](OTF2_GlobalDefWriter *d) {
		OTF2_AttributeValue text = {}, number = {};

		text.stringRef = 8;
		number.uint64 = 99;
		OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(d, 1, 9, OTF2_TYPE_UINT64, number);
		OTF2_GlobalDefWriter_WriteLocationGroupProperty(d, 2, 1, OTF2_TYPE_STRING, text);
		OTF2_GlobalDefWriter_WriteLocationProperty(d, 3, 1, OTF2_TYPE_UINT64, number);
	};
	EXPECT_EQ(check(), "definitions name String 8, which is not defined, and 1 other such\n"
			   "a definition names SystemTreeNode 1, which is not defined\n"
			   "a definition names LocationGroup 2, which is not defined\n"
			   "a definition names Location 3, which is not defined\n");
}

TEST_F(ArchiveVerify, OnlyThreadsHoldIo)
{
	last_type = OTF2_LOCATION_TYPE_METRIC;
	operation(2, 120, 1, 0);
	EXPECT_EQ(check(), "not promised: there is I/O on location 2, which is not a thread\n"
			   "not promised: there is I/O on location 2, which is not a thread\n");
}

/* A request that waited when the recording ended was not issued. */
TEST_F(ArchiveVerify, WhatWaitsMayBeCancelled)
{
	begin(0, 110, 1, 0, true);
	OTF2_EvtWriter_IoOperationCancelled(w[0], nullptr, 120, 1, 0);
	EXPECT_EQ(check(), "");
}

TEST_F(ArchiveVerify, ARightOne)
{
	OTF2_EvtWriter_Enter(w[0], nullptr, 100, 0);
	create(0, 110, 0);
	OTF2_EvtWriter_Leave(w[0], nullptr, 110, 0);
	operation(0, 120, 0, 0);
	operation(1, 130, 0, 1); /* another thread of the process */
	operation(2, 140, 0, 2); /* inherited */
	operation(2, 150, 1, 3); /* was open before */
	operation(2, 160, 2, 4); /* stands for all */
	begin(1, 170, 0, 5, true);
	issued(1, 171, 0, 5);
	OTF2_EvtWriter_IoOperationCancelled(w[1], nullptr, 172, 0, 5);
	destroy(0, 200, 0);
	operation(2, 210, 0, 6); /* the child still has it */
	destroy(2, 220, 0);
	create(0, 300, 0); /* used again */
	destroy(1, 310, 0);
	EXPECT_EQ(check(), "");
	EXPECT_EQ(report.locations, 3u);
	EXPECT_EQ(report.processes, 2u);
	EXPECT_EQ(report.begun, 7u);
	EXPECT_EQ(report.completed, 6u);
	EXPECT_EQ(report.cancelled, 1u);
	EXPECT_EQ(report.created, 2u);
	EXPECT_EQ(report.destroyed, 3u);
	EXPECT_EQ(report.events, 22u);
	EXPECT_EQ(report.first_time, 100u);
	EXPECT_EQ(report.last_time, 1000u);
	EXPECT_FALSE(report.has_books);
}

TEST_F(ArchiveVerify, CompleteWithoutBegin)
{
	complete(0, 100, 1, 7);
	EXPECT_EQ(check(), "operation 7 completes on location 0 at 100, but is not in flight\n");
}

TEST_F(ArchiveVerify, BeginWithoutEnd)
{
	begin(0, 100, 1, 7);
	EXPECT_EQ(check(), "operation 7 does not end\n");
}

TEST_F(ArchiveVerify, TwoEnds)
{
	operation(0, 100, 1, 7);
	complete(0, 102, 1, 7);
	EXPECT_EQ(check(), "operation 7 completes on location 0 at 102, but is not in flight\n");
}

TEST_F(ArchiveVerify, AnIdTwice)
{
	operation(0, 100, 1, 0);
	operation(1, 110, 1, 0);
	EXPECT_EQ(check(),
		  "not promised: operation 0 on location 1 at 110 has the id of an earlier one\n");
}

TEST_F(ArchiveVerify, EndElsewhere)
{
	begin(0, 100, 1, 0);
	complete(1, 101, 1, 0);
	begin(0, 110, 1, 1);
	complete(0, 111, 2, 1);
	EXPECT_EQ(
		check(),
		"not promised: operation 0 completes on location 1 at 101, but did not begin there\n"
		"operation 1 completes on location 0 at 111, but is not in flight\n"
		"operation 1 does not end\n");
}

TEST_F(ArchiveVerify, IssuedIsMandatoryForNonBlocking)
{
	begin(0, 100, 1, 0, true);
	complete(0, 101, 1, 0);
	begin(0, 110, 1, 1);
	issued(0, 111, 1, 1);
	complete(0, 112, 1, 1);
	begin(0, 120, 1, 2, true);
	issued(0, 121, 1, 2);
	issued(0, 122, 1, 2);
	complete(0, 123, 1, 2);
	issued(0, 130, 1, 3);
	EXPECT_EQ(check(), "not promised: operation 0 completes, but was not issued\n"
			   "operation 1 is issued but is blocking\n"
			   "operation 2 is issued twice\n"
			   "operation 3 is issued on location 0 at 130, but is not in flight\n");
}

TEST_F(ArchiveVerify, InactiveHandles)
{
	operation(0, 100, 0, 0); /* never created */
	create(2, 110, 0);
	create(2, 125, 0); /* twice */
	create(0, 130, 0);
	destroy(0, 140, 0);
	operation(1, 150, 0, 2); /* after its end */
	destroy(0, 160, 0);
	OTF2_EvtWriter_IoSeek(w[0], nullptr, 170, 0, 0, OTF2_IO_SEEK_FROM_START, 0);
	create(0, 180, 2);
	EXPECT_EQ(check(),
		  "IoHandle 0 is used in LocationGroup 0 at 100, but is not active there\n"
		  "IoHandle 0 is created in LocationGroup 1 at 125, but is active there\n"
		  "IoHandle 0 is used in LocationGroup 0 at 150, but is not active there\n"
		  "IoHandle 0 is destroyed in LocationGroup 0 at 160, but is not active there\n"
		  "IoHandle 0 is used in LocationGroup 0 at 170, but is not active there\n"
		  "IoHandle 2 stands for all handles, but is created\n");
}

/* A child that shares the table of its parent (CLONE_FILES) opens for both. */
TEST_F(ArchiveVerify, AParentMayUseWhatItsChildOpened)
{
	create(2, 110, 0);
	operation(0, 120, 0, 0);
	destroy(0, 130, 0);
	operation(0, 140, 0, 1);
	EXPECT_EQ(check(),
		  "IoHandle 0 is used in LocationGroup 0 at 140, but is not active there\n");
}

TEST_F(ArchiveVerify, TheLastEventUsesAnInactiveHandle)
{
	OTF2_EvtWriter_IoTryLock(w[0], nullptr, 100, 0, OTF2_LOCK_SHARED);
	EXPECT_EQ(check(),
		  "IoHandle 0 is used in LocationGroup 0 at 100, but is not active there\n");
}

TEST_F(ArchiveVerify, EventsOfOneTimeHaveNoOrder)
{
	create(1, 100, 0);
	operation(0, 100, 0, 0);
	begin(1, 110, 0, 5);
	complete(1, 111, 0, 5);
	destroy(0, 120, 0);
	begin(1, 120, 0, 6);
	complete(1, 121, 0, 6);
	create(1, 130, 0);
	destroy(1, 200, 0);
	begin(0, 200, 0, 1);
	complete(0, 201, 0, 1);
	EXPECT_EQ(check(), "");
}

TEST_F(ArchiveVerify, Duplicates)
{
	OTF2_EvtWriter_IoDuplicateHandle(w[0], nullptr, 100, 1, 0, 0);
	operation(0, 110, 0, 0);
	OTF2_EvtWriter_IoDuplicateHandle(w[0], nullptr, 120, 1, 9, 0);
	EXPECT_EQ(check(),
		  "IoDuplicateHandle on location 0 names IoHandle 9, which is not defined\n");
	EXPECT_EQ(report.duplicated, 2u);
}

TEST_F(ArchiveVerify, UndefinedReferences)
{
	OTF2_AttributeList *attributes = OTF2_AttributeList_New();

	OTF2_AttributeList_AddUint64(attributes, 5, 1);
	OTF2_EvtWriter_Enter(w[0], attributes, 100, 4);
	OTF2_AttributeList_AddInt32(attributes, 0, 1);
	OTF2_EvtWriter_Leave(w[0], attributes, 101, 4);
	OTF2_EvtWriter_IoDeleteFile(w[0], nullptr, 102, 3, 8);
	OTF2_EvtWriter_ProgramBegin(w[0], nullptr, 103, 77, 0, nullptr);
	OTF2_EvtWriter_ProgramEnd(w[0], nullptr, 103, 0);
	OTF2_EvtWriter_ThreadBegin(w[0], nullptr, 104, 6, 0);
	OTF2_AttributeList_Delete(attributes);
	EXPECT_EQ(check(),
		  "an event on location 0 names Attribute 5, which is not defined\n"
		  "Enter on location 0 names Region 4, which is not defined\n"
		  "an attribute on location 0 is not of the type of Attribute 0\n"
		  "Leave on location 0 names Region 4, which is not defined\n"
		  "IoDeleteFile on location 0 names IoParadigm 3, which is not defined\n"
		  "IoDeleteFile on location 0 names IoFile 8, which is not defined\n"
		  "ProgramBegin on location 0 names String 77, which is not defined\n"
		  "a thread's begin or end on location 0 names Comm 6, which is not defined\n");
}

TEST_F(ArchiveVerify, Definitions)
{
	region_ref = 3;
	region_name = 50;
	EXPECT_EQ(check(), "not promised: Region 3 is defined where 0 should be\n"
			   "a definition names String 50, which is not defined\n");
}

TEST_F(ArchiveVerify, RegionsNest)
{
	OTF2_EvtWriter_Leave(w[0], nullptr, 100, 0);
	OTF2_EvtWriter_Enter(w[0], nullptr, 110, 0);
	OTF2_EvtWriter_Enter(w[0], nullptr, 120, 1);
	OTF2_EvtWriter_Leave(w[0], nullptr, 130, 0);
	EXPECT_EQ(check(), "region 0 is left on location 0 at 100, but none was entered\n"
			   "region 0 is left on location 0 at 130 where 1 was entered\n"
			   "not promised: location 0 ends inside region 0\n");
}

TEST_F(ArchiveVerify, ProgramsArePaired)
{
	OTF2_EvtWriter_ProgramBegin(w[0], nullptr, 100, 1, 0, nullptr);
	OTF2_EvtWriter_ProgramBegin(w[1], nullptr, 110, 1, 0, nullptr);
	OTF2_EvtWriter_ProgramEnd(w[2], nullptr, 120, 0);
	EXPECT_EQ(check(), "the program on location 1 begins twice\n"
			   "the program on location 2 ends but did not begin\n"
			   "the program of LocationGroup 0 does not end\n");
}

TEST_F(ArchiveVerify, TheClockCoversAll)
{
	clock_first = 105;
	clock_length = 10;
	operation(0, 104, 1, 0);
	operation(0, 115, 1, 1);
	EXPECT_EQ(check(), "an event on location 0 at 104 is outside the clock properties\n"
			   "an event on location 0 at 116 is outside the clock properties\n");
}

TEST_F(ArchiveVerify, NumbersOfEvents)
{
	more_events = 2;
	operation(0, 104, 1, 0);
	EXPECT_EQ(check(), "location 0 has 2 events, its definition says 4\n");
}

TEST_F(ArchiveVerify, Books)
{
	operation(0, 104, 1, 0);
	end();
	archive = nullptr;
	std::ofstream(dir + "/iotrace.json")
		<< R"({"books": {"counters": {"begun": 2, "completed": 1, "cancelled": 0, "in_flight": 1}}})";
	EXPECT_EQ(
		check(),
		"not promised: iotrace.json has 2 begun, the events 1\n"
		"not promised: iotrace.json has 0 cancelled and 1 in flight, the events 0 cancelled\n");
	EXPECT_TRUE(report.has_books);
	std::ofstream(dir + "/iotrace.json") << "{nonsense";
	EXPECT_EQ(check(), "not promised: iotrace.json is not JSON\n");
	std::ofstream(dir + "/iotrace.json")
		<< R"({"books": {"counters": {"begun": 1, "completed": 1, "cancelled": 0, "in_flight": 0}}})";
	EXPECT_EQ(check(), "");
}

TEST_F(ArchiveVerify, BooksThatNoRecordingWrites)
{
	end();
	archive = nullptr;
	std::ofstream(dir + "/iotrace.json") << "{}";
	ASSERT_EQ(truncate((dir + "/iotrace.json").c_str(), (64 << 20) + 1), 0);
	EXPECT_EQ(check(), "not promised: iotrace.json is larger than 64 MiB\n");
}

TEST_F(ArchiveVerify, NoArchive)
{
	dir = scratch.path("nothing");
	std::string missing = dir;
	EXPECT_EQ(archive_verify(missing.c_str(), &report, &err), -ENOENT);
	EXPECT_EQ(std::string(err.text),
		  "cannot open the archive " + missing + "/traces.otf2: No such file or directory");
	dir = scratch.path("trace");
	end();
	archive = nullptr;
	ASSERT_EQ(truncate((dir + "/traces.otf2").c_str(), 0), 0);
	EXPECT_EQ(check(),
		  "error: " + dir +
			  "/traces.otf2 is not the anchor of an OTF2 archive: it is empty\n");
}

TEST_F(ArchiveVerify, AnEventFileIsMissing)
{
	operation(0, 104, 1, 0);
	end();
	archive = nullptr;
	ASSERT_EQ(unlink((dir + "/traces/0.evt").c_str()), 0);
	EXPECT_EQ(check(), "traces/0.evt: No such file or directory\n");
}

/* However an event file broke off, reading it ends, and says so. */
TEST_F(ArchiveVerify, AnEventFileThatBrokeOff)
{
	for (uint64_t i = 0; i < 30000; i++) {
		begin(0, 104 + i / 100, 1, i);
		complete(0, 104 + i / 100, 1, i);
	}
	end();
	archive = nullptr;
	std::string path = dir + "/traces/0.evt";
	std::ifstream in(path, std::ios::binary);
	std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	ASSERT_GT(whole.size(), 512u * 1024);
	alarm(60);
	for (size_t size : {whole.size() - 1, whole.size() - 2, size_t(512 * 1024 + 1),
			    size_t(512 * 1024), size_t(512 * 1024 - 1), size_t(256 * 1024 + 18),
			    size_t(100), size_t(18), size_t(1), size_t(0)}) {
		ASSERT_EQ(truncate(path.c_str(), (off_t)size), 0);
		std::string found = check();
		EXPECT_EQ(report.findings, 1u) << size << ": " << found;
		EXPECT_EQ(found.substr(0, 14), "traces/0.evt: ") << found;
		std::ofstream(path, std::ios::binary) << whole;
	}
	alarm(0);
	EXPECT_EQ(check(), "");
}

/* Definitions and the anchor, too: every length is an error or right. */
TEST_F(ArchiveVerify, DefinitionsThatBrokeOff)
{
	operation(0, 104, 1, 0);
	end();
	archive = nullptr;
	alarm(60);
	for (const char *name : {"/traces.def", "/traces.otf2"}) {
		std::string path = dir + name;
		std::ifstream in(path, std::ios::binary);
		std::string whole((std::istreambuf_iterator<char>(in)),
				  std::istreambuf_iterator<char>());
		for (size_t size = whole.size() - 1; size > 0; size--) {
			ASSERT_EQ(truncate(path.c_str(), (off_t)size), 0);
			std::string found = check();
			/* Of the anchor's end, marks may be missing. */
			if (name[8] == 'd' || size < whole.size() - 3) {
				EXPECT_NE(found, "") << name << " of " << size;
			}
		}
		std::ofstream(path, std::ios::binary) << whole;
	}
	alarm(0);
	EXPECT_EQ(check(), "");
}

/* The library would allocate, or wait, for what these numbers say. */
TEST_F(ArchiveVerify, NumbersOfTheAnchorThatCannotBe)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *found;
	} damage[] = {
		{12, UINT64_C(1) << 40, "has an impossible size of chunks"},
		{20, 0, "has an impossible size of chunks"},
		{28, 0x0201, "has compressed files, or is a single container file"},
		{28, 0x0102, "has compressed files, or is a single container file"},
		{30, UINT64_C(1) << 40, "has more locations than definitions"},
		{38, UINT64_C(1) << 50, "has more definitions than traces.def"},
	};
	std::string path = dir + "/traces.otf2", whole, broken;

	end();
	archive = nullptr;
	std::ifstream in(path, std::ios::binary);
	whole.assign((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
	for (const auto &row : damage) {
		broken = whole;
		memcpy(&broken[row.at], &row.value, sizeof(row.value));
		std::ofstream(path, std::ios::binary) << broken;
		EXPECT_EQ(check(), "error: " + path + " is not the anchor of an OTF2 archive: it " +
					   row.found + "\n");
	}
	/* The number of properties is behind three strings. */
	size_t at = 46;
	for (int i = 0; i < 3; i++)
		at = whole.find('\0', at) + 1;
	broken = whole;
	memset(&broken[at], 0x7f, 4);
	std::ofstream(path, std::ios::binary) << broken;
	EXPECT_EQ(
		check(),
		"error: " + path +
			" is not the anchor of an OTF2 archive: it has more properties than bytes\n");
	const uint32_t many = 10001;
	broken = whole;
	memcpy(&broken[at], &many, sizeof(many));
	broken.insert(at + sizeof(many), 2 * many, '\0');
	std::ofstream(path, std::ios::binary) << broken;
	EXPECT_EQ(
		check(),
		"error: " + path +
			" is not the anchor of an OTF2 archive: it has more than 10000 properties\n");
	std::ofstream(path, std::ios::binary) << whole;
	EXPECT_EQ(check(), "");
}

TEST_F(ArchiveVerify, ADamagedChunk)
{
	for (uint64_t i = 0; i < 30000; i++) {
		begin(0, 104 + i / 100, 1, i);
		complete(0, 104 + i / 100, 1, i);
	}
	end();
	archive = nullptr;
	std::fstream file(dir + "/traces/0.evt", std::ios::in | std::ios::out | std::ios::binary);
	file.seekp(256 * 1024);
	file.put('\x07');
	file.close();
	EXPECT_EQ(check(), "traces/0.evt: has a damaged chunk\n");
}

/*
 * Files written byte by byte, as another program may: what the library would allocate, read beyond a chunk for, or wait for.
 * Archives with a clock, two strings, an attribute and a location, of which a test replaces one file.
 */
class ArchiveRecords : public ArchiveVerify
{
      protected:
	static constexpr size_t chunk = 256 * 1024;

	/* A number behind its size, in two bytes or in one. */
	static std::string number(uint8_t value)
	{
		return value ? std::string("\1") + char(value) : std::string(1, '\0');
	}
	static std::string header(bool is_big = false)
	{
		return std::string(is_big ? "\3\x23" : "\3\x42") + std::string(16, '\0');
	}
	/* A record of fewer than 255 bytes. */
	static std::string record(uint8_t type, const std::string &data)
	{
		return std::string() + char(type) + char(data.size()) + data;
	}
	/* One of any size, which has the byte order of the usual header on every machine. */
	static std::string large_record(uint8_t type, uint64_t size, const std::string &data)
	{
		std::string bytes = std::string() + char(type) + "\xff";

		for (int shift = 0; shift < 64; shift += 8)
			bytes += char(size >> shift);
		return bytes + data;
	}
	static std::string whole(const std::string &records, bool is_big = false)
	{
		return header(is_big) + records + "\2\1";
	}
	/* Of that many attributes, each with an id of its own. */
	static std::string attributes(uint16_t count)
	{
		std::string list = std::string("\2") + char(count) + char(count >> 8);

		for (uint16_t i = 0; i < count; i++)
			list += std::string("\2") + char(i) + char(i >> 8) + "\1\7";
		return large_record(6, list.size(), list);
	}

	/* Returns what is found if the file has these bytes. */
	std::string check(const std::string &name, const std::string &bytes)
	{
		if (archive)
			end();
		archive = nullptr;
		std::string path = dir + "/" + name, before;
		std::ifstream in(path, std::ios::binary);
		before.assign((std::istreambuf_iterator<char>(in)),
			      std::istreambuf_iterator<char>());
		bool was_there = in.is_open();
		std::ofstream(path, std::ios::binary) << bytes;
		alarm(60);
		std::string found = ArchiveVerify::check();
		alarm(0);
		if (was_there)
			std::ofstream(path, std::ios::binary) << before;
		else
			unlink(path.c_str());
		return found;
	}
};

static const std::string zero(1, '\0');

TEST_F(ArchiveRecords, EventsThatCannotBe)
{
	static const struct {
		std::string records, found;
	} rows[] = {
		{record(83, number(1) + "\xff"),
		 "byte 18: ProgramBegin counts 4294967295 elements in 0 bytes"},
		{record(83, number(1) + "\4\xff\xff\xff\x7f" + number(1)),
		 "byte 18: ProgramBegin counts 2147483647 elements in 2 bytes"},
		{record(31, number(1) + "\xff" + number(4)),
		 "byte 18: Metric counts 255 elements in 2 bytes"},
		{record(6, "\xff" + number(0)),
		 "byte 18: AttributeList counts 4294967295 elements in 1 bytes"},
		{attributes(257),
		 "byte 18: AttributeList counts 257 elements, of which 256 are allowed"},
		{attributes(1) + attributes(1),
		 "byte 36: AttributeList is the second of one event"},
		{attributes(1).substr(0, 10) + "\5" + attributes(1).substr(11),
		 "byte 18: AttributeList has a number of 5 bytes"},
		{record(6, number(1) + number(1) + "\x70\1"),
		 "byte 18: AttributeList has a value of the unknown type 112"},
		{record(75, ""), "byte 18: IoOperationBegin is shorter than its fields"},
		{record(75, number(1) + "\1" + number(1) + number(9)),
		 "byte 18: IoOperationBegin is shorter than its fields"},
		{record(10, "1234567"), "byte 18: BufferFlush is shorter than its fields"},
		{record(14, number(1) + "\7" + std::string(40, 'x')),
		 "byte 18: MpiSend has a number of 7 bytes"},
		{"\x0c\5" + std::string(5, 'x'), "byte 18: Enter has a number of 5 bytes"},
		{"\x0c\4", "byte 18: Enter is shorter than its fields"},
		{std::string("\x4b\xc8"),
		 "byte 18: IoOperationBegin has 200 bytes, of which 2 are there"},
		{large_record(75, UINT64_C(1) << 40, number(1)),
		 "byte 18: IoOperationBegin has 1099511627776 bytes, of which 4 are there"},
		{large_record(200, UINT64_MAX, ""),
		 "byte 18: a record of type 200 has 18446744073709551615 bytes, of which 2 are there"},
		{"\x4b\xff", "byte 18: IoOperationBegin is truncated"},
		{"\5"
		 "1234",
		 "byte 18: a record is truncated"},
		{record(200, "ab") + "\5"
				     "123",
		 "byte 22: a record is truncated"},
		{zero, "byte 18: a chunk ends, but no other follows"},
	};

	for (const auto &row : rows) {
		EXPECT_EQ(check("traces/0.evt", whole(row.records)),
			  "traces/0.evt: " + row.found + "\n");
		EXPECT_EQ(report.findings, 1u);
	}
	EXPECT_EQ(ArchiveVerify::check(), "");
}

/* The library has no file for the chunk behind the last one, and takes an old chunk again. */
TEST_F(ArchiveRecords, ChunksWithoutAnEnd)
{
	std::string first = header() + std::string(chunk - header().size(), '\0');

	EXPECT_EQ(check("traces/0.evt", first + whole(zero)),
		  "traces/0.evt: byte 262162: a chunk ends, but no other follows\n");
	EXPECT_EQ(check("traces/0.evt", first + whole("")), "");
}

TEST_F(ArchiveRecords, ARecordOverTheEndOfAChunk)
{
	std::string first = header() + large_record(200, chunk - 18 - 10 - 2, "");

	first.resize(chunk - 2);
	EXPECT_EQ(check("traces/0.evt", first + record(75, "") + whole("")),
		  "traces/0.evt: byte 262142: IoOperationBegin is shorter than its fields\n");
	EXPECT_EQ(
		check("traces/0.evt", first + "\x4b\5" + whole("")),
		"traces/0.evt: byte 262142: IoOperationBegin has 5 bytes, of which 0 are there\n");
	EXPECT_EQ(check("traces/0.evt", first +
						"\5"
						"1" +
						whole("")),
		  "traces/0.evt: byte 262142: a record is truncated\n");
	EXPECT_EQ(check("traces/0.evt", first + record(200, "") + whole("")),
		  "traces/0.evt: byte 262144: a record is truncated\n");
}

/* Numbers of events in a header bind nobody; a byte order does. */
TEST_F(ArchiveRecords, HeadersOfChunks)
{
	std::string numbers = "\3\x42" + std::string(16, '\xff') + "\2\1";
	std::string order = "\3\x24" + std::string(16, '\0') + "\2\1";

	EXPECT_EQ(check("traces/0.evt", numbers), "");
	EXPECT_EQ(check("traces/0.evt", order), "traces/0.evt: has a damaged chunk\n");
}

/* What is odd, but right, is read on: types of records to come, large records, the other byte order. */
TEST_F(ArchiveRecords, EventsThatMayBe)
{
	std::string arguments = number(1) + "\2" + char(300 & 0xff) + char(300 >> 8);
	std::string big = std::string("\5\0\0\0\0\0\0\0\x78", 9) +
			  record(83, number(1) + std::string("\2\0\1", 3) + zero);

	for (int i = 0; i < 300; i++)
		arguments += number(1);
	EXPECT_EQ(check("traces/0.evt", whole(std::string("\5\x78\0\0\0\0\0\0\0", 9) +
					      large_record(83, arguments.size(), arguments))),
		  "location 0 has 1 events, its definition says 0\n"
		  "the program of LocationGroup 0 does not end\n");
	EXPECT_EQ(check("traces/0.evt", whole(big, true)),
		  "location 0 has 1 events, its definition says 0\n"
		  "the program of LocationGroup 0 does not end\n");
	big = record(83, number(1) + std::string("\2\1\0", 3) + zero);
	EXPECT_EQ(check("traces/0.evt", whole(big, true)),
		  "traces/0.evt: byte 18: ProgramBegin counts 256 elements in 1 bytes\n");
	EXPECT_EQ(check("traces/0.evt", whole(std::string("\5\x78\0\0\0\0\0\0\0", 9) +
					      record(200, "what is to come"))),
		  "not promised: there is an event of an unknown kind on location 0\n"
		  "location 0 has 1 events, its definition says 0\n");
}

TEST_F(ArchiveRecords, DefinitionsThatCannotBe)
{
	const std::string counts_all = "\xff";
	const struct {
		std::string records, found;
	} rows[] = {
		{record(18, number(1) + number(1) + "\1" + counts_all),
		 "byte 18: Group counts 4294967295 elements in 0 bytes"},
		{record(20, number(1) + counts_all),
		 "byte 18: MetricClass counts 255 elements in 0 bytes"},
		{record(8, "\1" + number(1) + number(1) + "\1" + number(0) + counts_all),
		 "byte 18: IoParadigm counts 255 elements in 0 bytes"},
		{record(31, number(0) + number(0) + number(0) + counts_all),
		 "byte 18: CartTopology counts 255 elements in 0 bytes"},
		{record(32, number(0) + number(0) + counts_all),
		 "byte 18: CartCoordinate counts 255 elements in 0 bytes"},
		{record(10, number(1) + "endless"), "byte 18: String has a text without an end"},
		{record(40, number(1)), "byte 18: IoHandle is shorter than its fields"},
		{zero, "byte 18: a chunk ends, but no other follows"},
	};

	std::string others;

	for (int i = 0; i < 20; i++) /* as many as the anchor says */
		others += record(10, number(1) + zero);
	for (const auto &row : rows)
		EXPECT_EQ(check("traces.def", whole(row.records + others)),
			  "error: the definitions in " + dir +
				  " are damaged: traces.def: " + row.found + "\n");
}

/* For each context that is out of order the library moves all that are higher. */
TEST_F(ArchiveRecords, CallingContextsOutOfOrder)
{
	auto contexts = [](uint16_t count) {
		std::string all;

		for (uint16_t i = 0; i < count; i++) {
			uint16_t id = 10000 - i;

			all += record(34, std::string("\2") + char(id) + char(id >> 8) +
						  std::string(3, '\0'));
		}
		return all;
	};

	EXPECT_EQ(check("traces.def", whole(contexts(1001))).find("damaged"), std::string::npos);
	EXPECT_EQ(
		check("traces.def", whole(contexts(1002))),
		"error: the definitions in " + dir +
			" are damaged: traces.def: byte 8026: CallingContext is out of order, as 1000 before it\n");
}

/* Records of older writers lack the last fields. */
TEST_F(ArchiveRecords, DefinitionsOfOlderWriters)
{
	std::string older = record(5, number(1) + number(100) + number(200)) +
			    record(10, number(0) + zero) +
			    record(11, number(0) + number(0) + "\1") +
			    record(18, number(0) + number(0) + "\1" + number(0));

	EXPECT_EQ(check("traces.def", whole(older)).find("damaged"), std::string::npos);
	EXPECT_EQ(check("traces.def",
			whole(older + record(18, number(1) + number(1) + "\1" + number(0) + "\1"))),
		  "error: the definitions in " + dir +
			  " are damaged: traces.def: byte 41: Group is shorter than its fields\n");
}

TEST_F(ArchiveRecords, LocalDefinitionsThatCannotBe)
{
	const struct {
		std::string records, found;
	} rows[] = {
		/* Eight times that is 8. */
		{record(5,
			std::string("\1\x08\1\0\0\0\0\0\0\x20", 10) + zero + number(1) + number(2)),
		 "byte 18: MappingTable counts 2305843009213693953 elements in 4 bytes"},
		{record(5, "\1\xff\1" + number(1) + number(2)),
		 "byte 18: MappingTable counts 18446744073709551615 elements in 4 bytes"},
		{record(5, "\1" + number(2) + "\1" + number(3) + number(1) + number(2) + number(1)),
		 "byte 18: MappingTable is not sorted"},
		{record(6, "1234567"), "byte 18: ClockOffset is shorter than its fields"},
		{record(18, number(1) + number(1) + "\1\xff"),
		 "byte 18: Group counts 4294967295 elements in 0 bytes"},
	};

	for (const auto &row : rows)
		EXPECT_EQ(check("traces/0.def", whole(row.records)),
			  "traces/0.def: " + row.found + "\n");
	EXPECT_EQ(check("traces/0.def",
			whole(record(5, "\1" + number(2) + zero + number(3) + number(1)) +
			      record(5, "\2" + number(2) + "\1" + number(1) + number(2) +
						number(2) + number(1)))),
		  "");
}

TEST_F(ArchiveRecords, MarkersThatCannotBe)
{
	EXPECT_EQ(check("traces.marker", whole(record(5, number(1) + "endless"))),
		  "traces.marker: byte 18: MarkerDefinition has a text without an end\n");
	EXPECT_EQ(check("traces.marker", whole(record(6, number(1) + number(1)))),
		  "traces.marker: byte 18: Marker is shorter than its fields\n");
	EXPECT_EQ(check("traces.marker",
			whole(record(5, number(0) + "group" + zero + "category" + zero + "\1"))),
		  "");
}

/* A pipe would be waited for. */
TEST_F(ArchiveRecords, APipeIsNoFile)
{
	static const struct {
		const char *name, *found;
	} rows[] = {
		{"traces/1.evt", "traces/1.evt: is not a regular file\n"},
		{"traces/1.def", "traces/1.def: is not a regular file\n"},
		{"traces.marker", "traces.marker: is not a regular file\n"},
		{"iotrace.json", "not promised: iotrace.json is not a regular file\n"},
	};

	end();
	archive = nullptr;
	for (const auto &row : rows) {
		std::string path = dir + "/" + row.name, aside = path + "~";
		bool was_there = rename(path.c_str(), aside.c_str()) == 0;

		ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
		alarm(20);
		EXPECT_EQ(ArchiveVerify::check(), row.found);
		alarm(0);
		unlink(path.c_str());
		if (was_there) {
			ASSERT_EQ(rename(aside.c_str(), path.c_str()), 0);
		}
	}
	EXPECT_EQ(ArchiveVerify::check(), "");
}

} // namespace
