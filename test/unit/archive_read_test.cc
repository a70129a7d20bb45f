// archive_read: archives of other programs, as they may be.
#include <iotrace/archive.h>
#include <iotrace/error.h>
#include <iotrace/syscall.h>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "others_archive.h"

namespace
{

class OfOthers : public OthersArchive
{
      protected:
	struct trace trace = {};
	struct tally tally = {};
	struct error err = {};
	std::vector<struct io_event> events;
	std::vector<uint64_t> values; // of the last metric

	void SetUp() override
	{
		trace_init(&trace);
		OthersArchive::SetUp();
	}

	void TearDown() override
	{
		trace_release(&trace);
	}

	int read()
	{
		close();
		struct archive_source source = {};

		source.dir = path.c_str();
		source.trace = &trace;
		source.tally = &tally;
		source.context = this;
		source.on_event = [](void *context, const struct io_event *event) {
			static_cast<OfOthers *>(context)->take(event);
		};
		return archive_read(&source, &err);
	}

	// The values of a metric are lent.
	void take(const struct io_event *event)
	{
		events.push_back(*event);
		if (event->kind == IO_METRIC)
			values.assign(event->metric.counter,
				      event->metric.counter + event->metric.counters);
	}

	std::string name(str_id id)
	{
		return trace_text(&trace, id);
	}
};

TEST_F(OfOthers, DefinitionsMayHaveAnyNumberAndOrder)
{
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(trace.processes, 2u);
	ASSERT_EQ(trace.threads, 2u);
	for (uint32_t i = 0; i < 2; i++) {
		EXPECT_EQ(name(trace.process[i].name), "MPI Rank " + std::to_string(i));
		EXPECT_EQ(trace.process[i].pid, 0u);
		EXPECT_EQ(trace.thread[i].process, i);
		EXPECT_EQ(name(trace.thread[i].name), "Master thread");
	}
	ASSERT_EQ(trace.regions, 3u);
	EXPECT_EQ(name(trace.region[0].name), "MPI_File_write_at");
	EXPECT_EQ(trace.region[1].source, REGION_OTHER);
	EXPECT_EQ(trace.region[1].kind, CALL_WRITE); // as the system call of that name
	EXPECT_EQ(trace.region[2].group, GROUP_TASK);
	ASSERT_EQ(trace.files, 1u);
	EXPECT_EQ(name(trace.file[0].path), "/scratch/out");
	ASSERT_EQ(trace.handles, 2u);
	EXPECT_EQ(trace.handle[0].file, 0u);
	EXPECT_EQ(trace.handle[1].file, 0u);
	EXPECT_TRUE(trace.host.is_of_others);
	EXPECT_EQ(name(trace.host.hostname), "host0");
}

TEST_F(OfOthers, TimesAreNanoseconds)
{
	enter(0, 1500, 2);
	leave(0, 1501, 2);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 2u);
	EXPECT_EQ(events[0].time, 1500000u);
	EXPECT_EQ(events[1].time, 1501000u);
	EXPECT_EQ(trace.host.first_time, 1000000u);
	EXPECT_EQ(trace.host.last_time, 10000000u);
}

// The clock of the second host is 500 ticks behind.
TEST_F(OfOthers, ClockOffsetsAreApplied)
{
	OTF2_Archive_OpenDefFiles(archive);
	for (uint64_t i = 0; i < 2; i++) {
		OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, LOCATION + i);

		if (i) { // the library interpolates between two
			OTF2_DefWriter_WriteClockOffset(local, 1000, 500, 0);
			OTF2_DefWriter_WriteClockOffset(local, 9000, 500, 0);
		}
		OTF2_Archive_CloseDefWriter(archive, local);
	}
	OTF2_Archive_CloseDefFiles(archive);
	for (int on = 0; on < 2; on++) {
		enter(on, 1500 - 100 * on, 2);
		leave(on, 1600 - 100 * on, 2);
	}
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 4u);
	for (const auto &e : events)
		if (e.kind == IO_ENTER)
			EXPECT_EQ(e.time, e.thread ? 1900000u : 1500000u);
	EXPECT_EQ(events.back().thread, 1u); // and so is the order
}

TEST_F(OfOthers, MatchingIdsBecomeUnique)
{
	enter(0, 1100, 0);
	begin(0, 1110, 0, 10, 0);
	enter(0, 1120, 1);
	begin(0, 1130, 1, 10, 0); // the same id, of another handle
	complete(0, 1140, 1, 10, 0);
	leave(0, 1150, 1);
	complete(0, 1160, 0, 10, 0);
	leave(0, 1170, 0);
	begin(1, 1180, 0, 20, 0); // and once more, when that one is over
	complete(1, 1190, 0, 20, 0);
	ASSERT_EQ(read(), 0) << err.text;
	std::vector<uint64_t> begun, ended;

	for (const auto &e : events)
		if (e.kind == IO_OP_BEGIN)
			begun.push_back(e.op.id);
		else if (e.kind == IO_OP_COMPLETE)
			ended.push_back(e.op.id);
	EXPECT_EQ(begun, (std::vector<uint64_t>{0, 1, 2}));
	EXPECT_EQ(ended, (std::vector<uint64_t>{1, 0, 2}));
	EXPECT_EQ(tally_get(&tally, begun), 3u);
	EXPECT_EQ(tally_get(&tally, completed), 3u);
	char text[256];

	EXPECT_TRUE(tally_balance(&tally, text, sizeof(text))) << text;
}

TEST_F(OfOthers, ACallHasTheHandleOfItsRecord)
{
	enter(0, 1100, 2);
	create(0, 1110, 1);
	enter(0, 1120, 1);
	begin(0, 1130, 1, 10, 4);
	complete(0, 1140, 1, 8, 4);
	leave(0, 1150, 1);
	leave(0, 1160, 2);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 7u);
	EXPECT_EQ(events[0].handle, ID_NONE);
	EXPECT_EQ(events[1].create.flags, static_cast<uint32_t>(O_WRONLY | O_CREAT | O_APPEND));
	EXPECT_EQ(events[2].kind, IO_ENTER);
	EXPECT_EQ(events[2].handle, 1u);
	EXPECT_EQ(events[4].op.mode, IO_MODE_WRITE); // what only the begin says
	EXPECT_EQ(events[4].op.bytes, 8u);
	EXPECT_EQ(trace.handle[1].process, 0u);
}

TEST_F(OfOthers, WhatIsNotDefinedIsLeftOutAndCounted)
{
	OTF2_EvtWriter_Enter(rank[0], nullptr, 1100, 1);
	begin(0, 1200, 7, 10, 0);
	complete(0, 1300, 0, 10, 99); // did not begin
	ASSERT_EQ(read(), 0) << err.text;
	EXPECT_TRUE(events.empty());
	EXPECT_EQ(tally_get(&tally, ignored), 3u);
}

TEST_F(OfOthers, WhatOutlivesItsCallIsNonBlocking)
{
	begin(0, 1100, 0, 10, 0, OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
	complete(0, 1900, 0, 10, 0);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 2u);
	EXPECT_TRUE(events[0].op.is_non_blocking);
	EXPECT_EQ(events[1].op.begun, 1100000u);
}

TEST_F(OfOthers, ATornFileIsAnErrorAndTheRestIsRead)
{
	enter(0, 1100, 2);
	leave(0, 1200, 2);
	enter(1, 1100, 2);
	leave(1, 1200, 2);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 4u);
	std::string file = path + "/traces/" + std::to_string(LOCATION) + ".evt";

	ASSERT_EQ(truncate(file.c_str(), 30), 0);
	trace_release(&trace);
	trace_init(&trace);
	tally = {};
	events.clear();
	struct archive_source source = {};

	source.dir = path.c_str();
	source.trace = &trace;
	source.tally = &tally;
	source.context = &events;
	source.on_event = [](void *context, const struct io_event *event) {
		static_cast<std::vector<struct io_event> *>(context)->push_back(*event);
	};
	EXPECT_LT(archive_read(&source, &err), 0);
	EXPECT_NE(std::string(err.text).find("is missing"), std::string::npos) << err.text;
	EXPECT_EQ(events.size(), 2u);
}

// What no io_event has room for is counted.
TEST_F(OfOthers, UnknownRecordsAndAttributesAreCounted)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	OTF2_GlobalDefWriter_WriteAttribute(defs, 11, string("Load"), string(""), OTF2_TYPE_DOUBLE);
	OTF2_GlobalDefWriter_WriteAttribute(defs, 12, string("Offset"), string(""),
					    OTF2_TYPE_UINT64);
	OTF2_AttributeList_AddDouble(list, 11, 0.5);
	OTF2_EvtWriter_Enter(rank[0], list, 1100, REGION - 2);
	OTF2_AttributeList_AddUint64(list, 12, 7); // one of ours
	OTF2_AttributeList_AddUint64(list, 13, 7); // not defined
	OTF2_EvtWriter_Leave(rank[0], list, 1120, REGION - 2);
	OTF2_EvtWriter_MpiSend(rank[0], nullptr, 1130, 0, 0, 1, 100);
	leave(0, 1140, 4711); // not defined
	OTF2_AttributeList_Delete(list);
	ASSERT_EQ(read(), 0) << err.text;
	EXPECT_EQ(events.size(), 2u);
	EXPECT_EQ(tally.n[TALLY_attributes_unread], 2u);
	EXPECT_EQ(tally.n[TALLY_records_unread], 2u);
}

// A string, or what has a name, is a parameter of the record behind it. An ENTER has the handle of its record nevertheless.
TEST_F(OfOthers, StringAndMetricAttributesAreParameters)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	const OTF2_MetricMemberRef member[] = {60};
	const struct {
		OTF2_AttributeRef ref;
		const char *name;
		OTF2_Type type;
	} rows[] = {{11, "Note", OTF2_TYPE_STRING},          {12, "Counter", OTF2_TYPE_METRIC},
		    {13, "Caller", OTF2_TYPE_REGION},        {14, "Target", OTF2_TYPE_IO_FILE},
		    {15, "Peer", OTF2_TYPE_LOCATION},        {16, "Window", OTF2_TYPE_RMA_WIN},
		    {17, "Parent", OTF2_TYPE_LOCATION_GROUP}};

	OTF2_GlobalDefWriter_WriteMetricClass(defs, 70, 1, member, OTF2_METRIC_SYNCHRONOUS,
					      OTF2_RECORDER_KIND_CPU);
	OTF2_GlobalDefWriter_WriteMetricMember(defs, 60, string("PAPI_TOT_CYC"), string(""),
					       OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ABSOLUTE_POINT,
					       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string("#"));
	for (const auto &row : rows)
		OTF2_GlobalDefWriter_WriteAttribute(defs, row.ref, string(row.name), string(""),
						    row.type);
	enter(0, 1090, 2);
	OTF2_AttributeList_AddStringRef(list, 11, string("of the program"));
	OTF2_AttributeList_AddMetricRef(list, 12, 70);
	OTF2_EvtWriter_Enter(rank[0], list, 1100, REGION - 1);
	OTF2_AttributeList_AddRegionRef(list, 13, REGION - 2);
	OTF2_AttributeList_AddIoFileRef(list, 14, FILES + 1);
	OTF2_AttributeList_AddLocationRef(list, 15, LOCATION + 1);
	OTF2_AttributeList_AddRmaWinRef(list, 16, 0); // has no name here
	OTF2_AttributeList_AddLocationGroupRef(list, 17, GROUP + 10);
	OTF2_EvtWriter_IoOperationBegin(rank[0], list, 1110, HANDLE + 50,
					OTF2_IO_OPERATION_MODE_WRITE, 0, 10, 1);
	complete(0, 1120, 1, 10, 1);
	OTF2_AttributeList_AddStringRef(list, 11, 1); // not defined
	OTF2_EvtWriter_Leave(rank[0], list, 1130, REGION - 1);
	leave(0, 1140, 2);
	OTF2_AttributeList_Delete(list);
	ASSERT_EQ(read(), 0) << err.text;
	std::string all;

	for (const auto &e : events)
		all += e.kind == IO_PARAMETER ? name(trace.parameter[e.parameter.parameter]) + "=" +
							name(e.parameter.value) + "\n"
					      : std::string(io_event_name(e.kind)) + "\n";
	EXPECT_EQ(all, "ENTER\nNote=of the program\nCounter=PAPI_TOT_CYC\nENTER\nCaller=main\n"
		       "Target=/scratch/out\nPeer=Master thread\nParent=MPI Rank 1\nOP_BEGIN\n"
		       "OP_COMPLETE\nLEAVE\nLEAVE\n");
	EXPECT_EQ(events[3].handle, 1u);
	EXPECT_EQ(tally.n[TALLY_attributes_unread], 2u);
	EXPECT_EQ(tally.n[TALLY_records_unread], 0u);
}

// What iotrace knows by name may be an integer of any type.
TEST_F(OfOthers, AttributesThatAreKnownMayHaveOtherTypes)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	OTF2_GlobalDefWriter_WriteAttribute(defs, 11, string("ProcessId"), string(""),
					    OTF2_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteAttribute(defs, 12, string("ThreadId"), string(""),
					    OTF2_TYPE_UINT32);
	OTF2_GlobalDefWriter_WriteAttribute(defs, 13, string("Offset"), string(""),
					    OTF2_TYPE_INT64);
	OTF2_GlobalDefWriter_WriteAttribute(defs, 14, string("errno"), string(""), OTF2_TYPE_INT8);
	OTF2_AttributeList_AddUint64(list, 11, 4711);
	OTF2_AttributeList_AddUint32(list, 12, 4712);
	OTF2_EvtWriter_ProgramBegin(rank[0], list, 1100, string("app"), 0, nullptr);
	OTF2_AttributeList_AddInt64(list, 13, 8192);
	OTF2_EvtWriter_IoOperationBegin(rank[0], list, 1110, HANDLE, OTF2_IO_OPERATION_MODE_WRITE,
					0, 10, 1);
	OTF2_AttributeList_AddInt8(list, 14, -5);
	OTF2_EvtWriter_IoOperationComplete(rank[0], list, 1120, HANDLE, 0, 1);
	OTF2_AttributeList_Delete(list);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 3u);
	EXPECT_EQ(trace.process[0].pid, 4711u);
	EXPECT_EQ(trace.thread[0].tid, 4712u);
	EXPECT_EQ(events[1].op.offset, 8192u);
	EXPECT_EQ(events[2].op.error, -5);
	EXPECT_EQ(tally.n[TALLY_attributes_unread], 0u);
}

// fprintf() over write(), as a profiler of both layers records it, beside the MPI-IO of another rank.
TEST_F(OfOthers, ParadigmsMayNest)
{
	region(10, "fwrite", OTF2_REGION_ROLE_FILE_IO);
	region(11, "write", OTF2_REGION_ROLE_FILE_IO);
	handle(2, "ISOC", 1);
	enter(0, 1100, 10);
	begin(0, 1110, 2, 100, 0);
	enter(0, 1120, 11);
	begin(0, 1130, 1, 4096, 0);
	complete(0, 1140, 1, 4096, 0);
	leave(0, 1150, 11);
	complete(0, 1160, 2, 100, 0);
	leave(0, 1170, 10);
	enter(1, 1200, 0);
	begin(1, 1210, 0, 50, 0);
	complete(1, 1220, 0, 50, 0);
	leave(1, 1230, 0);
	ASSERT_EQ(read(), 0) << err.text;
	std::vector<std::pair<std::string, handle_id>> calls;

	for (const auto &e : events)
		if (e.kind == IO_ENTER)
			calls.emplace_back(name(trace.region[e.region.id].name), e.handle);
	// Handles are defined in the order ISOC, MPI-IO, POSIX.
	EXPECT_EQ(calls, (std::vector<std::pair<std::string, handle_id>>{
				 {"fwrite", 0}, {"write", 2}, {"MPI_File_write_at", 1}}));
	for (handle_id id = 0; id < 3; id++)
		EXPECT_EQ(trace.handle[id].file, 0u);
	EXPECT_EQ(tally_get(&tally, completed), 3u);
	EXPECT_EQ(tally.n[TALLY_records_unread], 0u);
}

// The same path on two hosts is two files.
TEST_F(OfOthers, HostsHaveFilesOfTheirOwn)
{
	OTF2_GlobalDefWriter_WriteIoRegularFile(defs, FILES + 2, string("/scratch/out"), TREE + 1);
	handle(2, "POSIX", 2);
	begin(0, 1100, 1, 10, 0);
	complete(0, 1110, 1, 10, 0);
	begin(1, 1105, 2, 20, 0);
	complete(1, 1115, 2, 20, 0);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(trace.files, 2u);
	std::map<file_id, uint64_t> bytes;

	for (const auto &e : events)
		if (e.kind == IO_OP_COMPLETE)
			bytes[trace.handle[e.handle].file] += e.op.bytes;
	EXPECT_EQ(bytes, (std::map<file_id, uint64_t>{{0, 20}, {1, 10}}));
	EXPECT_EQ(name(trace.file[0].path), name(trace.file[1].path));
	EXPECT_NE(trace.handle[0].process, trace.handle[2].process);
}

// One of an operation that was tested for its end, one that was cancelled.
TEST_F(OfOthers, NonBlockingOperations)
{
	for (uint64_t id : {0, 1}) {
		uint64_t time = 1100 + 100 * id;

		begin(0, time, 0, 10, id, OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
		OTF2_EvtWriter_IoOperationIssued(rank[0], nullptr, time + 10, HANDLE, id);
		OTF2_EvtWriter_IoOperationTest(rank[0], nullptr, time + 20, HANDLE, id);
	}
	complete(1, 1300, 0, 9, 0); // by another rank
	OTF2_EvtWriter_IoOperationCancelled(rank[0], nullptr, 1310, HANDLE, 1);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(events.size(), 6u);
	EXPECT_TRUE(events[0].op.is_non_blocking);
	EXPECT_EQ(events[4].kind, IO_OP_COMPLETE);
	EXPECT_EQ(events[4].thread, 1u);
	EXPECT_EQ(events[4].op.begun, 1100000u);
	EXPECT_EQ(events[4].op.issued, 1110000u);
	EXPECT_EQ(events[5].kind, IO_OP_CANCELLED);
	EXPECT_EQ(tally_get(&tally, cancelled), 1u);
	EXPECT_EQ(tally.n[TALLY_records_unread], 2u); // the tests
	char text[256];

	EXPECT_TRUE(tally_balance(&tally, text, sizeof(text))) << text;
}

// A location without a file of definitions has the ids of the archive, beside one that has its own.
TEST_F(OfOthers, MappingTablesMayBeMissing)
{
	static const uint64_t ids[] = {REGION - 1, REGION - 2};
	OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(2, ids, false);

	OTF2_Archive_OpenDefFiles(archive);
	OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, LOCATION);
	OTF2_DefWriter_WriteMappingTable(local, OTF2_MAPPING_REGION, map);
	OTF2_Archive_CloseDefWriter(archive, local);
	OTF2_Archive_CloseDefFiles(archive);
	OTF2_IdMap_Free(map);
	OTF2_EvtWriter_Enter(rank[0], nullptr, 1100, 1); // main
	leave(0, 1110, 2);                               // is in no table
	enter(1, 1200, 1);                               // pwrite64
	leave(1, 1210, 1);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_NE(access((path + "/traces/" + std::to_string(LOCATION + 1) + ".def").c_str(), F_OK),
		  0);
	ASSERT_EQ(events.size(), 4u);
	for (const auto &e : events)
		EXPECT_EQ(name(trace.region[e.region.id].name), e.thread ? "pwrite64" : "main");
}

TEST_F(OfOthers, ValuesOfMetricsMayHaveAFractionAndAnInstance)
{
	const OTF2_Type type[] = {OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
	const OTF2_MetricMemberRef member[] = {61, 60};
	OTF2_MetricValue value[2];
	double real;

	value[0].signed_int = -3;
	value[1].floating_point = 0.75;
	for (uint32_t i = 0; i < 2; i++)
		OTF2_GlobalDefWriter_WriteMetricMember(defs, member[i],
						       string(i ? "load" : "steps"), string(""),
						       OTF2_METRIC_TYPE_OTHER,
						       OTF2_METRIC_ABSOLUTE_POINT, type[i],
						       OTF2_BASE_DECIMAL, 0, string(""));
	OTF2_GlobalDefWriter_WriteMetricClass(defs, 70, 2, member, OTF2_METRIC_SYNCHRONOUS,
					      OTF2_RECORDER_KIND_CPU);
	OTF2_GlobalDefWriter_WriteMetricInstance(defs, 71, 70, LOCATION, OTF2_SCOPE_LOCATION,
						 LOCATION);
	OTF2_EvtWriter_Metric(rank[0], nullptr, 1100, 71, 2, type, value);
	ASSERT_EQ(read(), 0) << err.text;
	ASSERT_EQ(trace.metrics, 2u);
	EXPECT_TRUE(trace.metric[0].is_signed);
	EXPECT_TRUE(trace.metric[1].is_real);
	ASSERT_EQ(values.size(), 2u);
	EXPECT_EQ(static_cast<int64_t>(values[0]), -3);
	memcpy(&real, &values[1], sizeof(real));
	EXPECT_EQ(real, 0.75);
	EXPECT_EQ(tally.n[TALLY_records_unread], 0u);
}

} // namespace
