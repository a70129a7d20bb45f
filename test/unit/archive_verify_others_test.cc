// archive_verify: archives of other programs are checked for what OTF2 demands, and for nothing that only iotrace promises.
#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <fstream>
#include <string>

#include "others_archive.h"

namespace
{

class VerifyOthers : public OthersArchive
{
      protected:
	archive_report report = {};

	/* Returns all findings, a line for each. */
	std::string check()
	{
		struct error err = {};
		std::string all;

		close();
		if (archive_verify(path.c_str(), &report, &err))
			return std::string("error: ") + err.text;
		EXPECT_EQ(report.deviations, 0u);
		for (uint64_t i = 0; i < report.findings && i < ARCHIVE_FINDINGS; i++)
			all += std::string(report.finding[i]) + "\n";
		return all;
	}

	void operation(int on, uint64_t time, uint32_t handle, uint64_t id)
	{
		begin(on, time, handle, 10, id);
		complete(on, time + 1, handle, 10, id);
	}
};

TEST_F(VerifyOthers, ReferencesMayBeSparseAndInAnyOrder)
{
	enter(0, 1100, 2);
	create(0, 1110, 0);
	leave(0, 1120, 2);
	EXPECT_EQ(check(), "");
	EXPECT_EQ(report.locations, 2u);
	EXPECT_EQ(report.processes, 2u);
	EXPECT_EQ(report.regions, 3u);
	EXPECT_EQ(report.files, 1u);
	EXPECT_EQ(report.handles, 2u);
	EXPECT_EQ(report.events, 3u);
}

TEST_F(VerifyOthers, MatchingIdsAreOfEachHandle)
{
	create(0, 1100, 0);
	create(0, 1100, 1);
	begin(0, 1110, 0, 10, 7);
	operation(0, 1120, 1, 7);
	complete(0, 1130, 0, 10, 7);
	operation(0, 1140, 0, 7); // used again
	EXPECT_EQ(check(), "");
	EXPECT_EQ(report.begun, 3u);
	EXPECT_EQ(report.completed, 3u);
}

TEST_F(VerifyOthers, AnotherThreadMayEndAnOperation)
{
	create(0, 1100, 0);
	create(1, 1100, 0);
	begin(0, 1110, 0, 10, 7);
	complete(1, 1120, 0, 10, 7);
	EXPECT_EQ(check(), "");
}

TEST_F(VerifyOthers, AnOperationThatEndsTwice)
{
	create(0, 1100, 0);
	operation(0, 1110, 0, 3);
	complete(0, 1120, 0, 10, 3);
	EXPECT_EQ(check(), "operation 3 completes on location 1099511627776 at 1120, but is not in "
			   "flight\n");
}

TEST_F(VerifyOthers, AnOperationThatBeginsTwice)
{
	create(0, 1100, 0);
	begin(0, 1110, 0, 10, 3);
	begin(0, 1120, 0, 10, 3);
	complete(0, 1130, 0, 10, 3);
	EXPECT_EQ(check(), "operation 3 begins twice, on location 1099511627776 at 1120\n");
}

TEST_F(VerifyOthers, AnOperationWithoutAnEnd)
{
	create(0, 1100, 0);
	begin(0, 1110, 0, 10, 3);
	EXPECT_EQ(check(), "operation 3 does not end\n");
}

TEST_F(VerifyOthers, AHandleThatIsNotActive)
{
	operation(0, 1110, 0, 3);
	EXPECT_EQ(check(), "IoHandle 3000 is used in LocationGroup 1000 at 1110, but is not active "
			   "there\n");
}

TEST_F(VerifyOthers, ReferencesOfEventsToNothing)
{
	// Between those that are defined.
	OTF2_EvtWriter_Enter(rank[0], nullptr, 1100, REGION - 3);
	OTF2_EvtWriter_IoCreateHandle(rank[0], nullptr, 1110, HANDLE + 1, 0, 0, 0);
	OTF2_EvtWriter_Leave(rank[0], nullptr, 1120, REGION - 3);
	EXPECT_EQ(check(),
		  "Enter on location 1099511627776 names Region 6997, which is not defined\n"
		  "IoCreateHandle on location 1099511627776 names IoHandle 3001, which is not "
		  "defined\n"
		  "Leave on location 1099511627776 names Region 6997, which is not defined\n");
}

TEST_F(VerifyOthers, ReferencesOfDefinitionsToNothing)
{
	OTF2_GlobalDefWriter_WriteIoHandle(defs, 3, string("x"), FILES + 7, PARADIGM,
					   OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, HANDLE);
	OTF2_GlobalDefWriter_WriteIoHandle(defs, 4, string("x"), FILES + 6, PARADIGM,
					   OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, HANDLE);
	OTF2_GlobalDefWriter_WriteLocationGroupProperty(defs, 3, string("x"), OTF2_TYPE_UINT64,
							OTF2_AttributeValue{});
	EXPECT_EQ(check(), "a definition names LocationGroup 3, which is not defined\n"
			   "definitions name IoFile 906, which is not defined, and 1 other such\n");
}

TEST_F(VerifyOthers, ADefinitionTwice)
{
	OTF2_GlobalDefWriter_WriteIoRegularFile(defs, FILES + 1, string("x"), TREE);
	EXPECT_EQ(check(), "IoFile 901 is defined twice\n");
}

TEST_F(VerifyOthers, EventsThatAreNotAboutIoAreCounted)
{
	OTF2_EvtWriter_MeasurementOnOff(rank[0], nullptr, 1100, OTF2_MEASUREMENT_ON);
	OTF2_EvtWriter_MpiCollectiveBegin(rank[0], nullptr, 1110);
	OTF2_EvtWriter_BufferFlush(rank[1], nullptr, 1120, 1130);
	EXPECT_EQ(check(), "");
	EXPECT_EQ(report.events, 3u);
}

TEST_F(VerifyOthers, MetricsMayBeInstances)
{
	const OTF2_MetricMemberRef member[] = {60};
	const OTF2_Type type[] = {OTF2_TYPE_UINT64}, other[] = {OTF2_TYPE_DOUBLE};
	OTF2_MetricValue value = {};

	OTF2_GlobalDefWriter_WriteMetricInstance(defs, 71, 70, LOCATION, OTF2_SCOPE_LOCATION,
						 LOCATION + 1);
	OTF2_GlobalDefWriter_WriteMetricClass(defs, 70, 1, member, OTF2_METRIC_ASYNCHRONOUS,
					      OTF2_RECORDER_KIND_ABSTRACT);
	OTF2_GlobalDefWriter_WriteMetricMember(defs, 60, string("x"), string("x"),
					       OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
					       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string("x"));
	OTF2_EvtWriter_Metric(rank[0], nullptr, 1100, 71, 1, type, &value);
	OTF2_EvtWriter_Metric(rank[0], nullptr, 1110, 71, 1, other, &value);
	EXPECT_EQ(check(), "value 0 of Metric 71 on location 1099511627776 is not of the type of "
			   "its member\n");
}

TEST_F(VerifyOthers, CommunicatorsMayBeBetweenGroups)
{
	OTF2_GlobalDefWriter_WriteIoHandle(defs, 3, string("x"), FILES + 1, PARADIGM,
					   OTF2_IO_HANDLE_FLAG_NONE, 80, HANDLE);
	OTF2_GlobalDefWriter_WriteInterComm(defs, 80, string("x"), 90, 90, OTF2_UNDEFINED_COMM,
					    OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteGroup(defs, 90, string("x"), OTF2_GROUP_TYPE_COMM_GROUP,
					OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, nullptr);
	EXPECT_EQ(check(), "");
}

TEST_F(VerifyOthers, TheirOwnIotraceJsonIsNotLookedAt)
{
	std::ofstream(path + "/iotrace.json") << "nonsense";
	EXPECT_EQ(check(), "");
}

} // namespace
