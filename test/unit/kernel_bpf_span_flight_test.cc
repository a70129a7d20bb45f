/* What is in flight, as the programs count it: the time of a group from two words that change one after the other. */
#include "count/bpf_span_flight.h"
#include "count/bpf_span_spec.h"

#include <cstring>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <linux/bpf.h>
#include <vector>

namespace
{

struct Flight : testing::Test {
	struct bpf_span_flight flight = {};

	/* The two steps of a program. */
	void count(int64_t change)
	{
		flight.count += change;
	}
	void add(int64_t time)
	{
		flight.busy += time;
	}
	void begins(int64_t time)
	{
		if (!flight.count++)
			add(-time);
	}
	void ends(int64_t time)
	{
		if (!--flight.count)
			add(time);
	}
};

TEST_F(Flight, IsBusyWhileAnyIsOpen)
{
	EXPECT_EQ(bpf_span_busy(&flight, 900), 0U);
	begins(1000);
	EXPECT_EQ(bpf_span_busy(&flight, 1500), 500U);
	begins(1600);
	ends(1700);
	EXPECT_EQ(bpf_span_busy(&flight, 1800), 800U);
	ends(2000);
	EXPECT_EQ(bpf_span_busy(&flight, 5000), 1000U);
	begins(6000);
	EXPECT_EQ(bpf_span_busy(&flight, 6001), 1001U);
}

/* Whichever word was changed first, what makes no sense is not believed. */
TEST_F(Flight, HalfAChangeIsNoTime)
{
	begins(1000);
	ends(2000);
	count(1); /* begins at 3000, but its time is still missing */
	EXPECT_EQ(bpf_span_busy(&flight, 3100), 0U);
	add(-3000);
	EXPECT_EQ(bpf_span_busy(&flight, 3100), 1100U);
	count(-1); /* has ended at 3200 */
	EXPECT_EQ(bpf_span_busy(&flight, 3300), 0U);
	add(3200);
	EXPECT_EQ(bpf_span_busy(&flight, 3300), 1200U);
}

TEST_F(Flight, IsToldWithoutWhatIsNotUsed)
{
	std::vector<struct bpf_span_flight> all(5);
	std::vector<struct counted_flight> found;

	all[BPF_SPAN_FLIGHT_ALL].busy = 30;
	all[BPF_SPAN_FLIGHT_FIRST] = {7, 0, 20, 1, 2, 3, "dd"};
	bpf_span_each_flight(
		all.data(), 4, 100,
		[](void *context, const struct counted_flight *one) {
			static_cast<std::vector<struct counted_flight> *>(context)->push_back(*one);
		},
		&found);
	ASSERT_EQ(found.size(), 2U);
	EXPECT_EQ(found[0].group, 7U);
	EXPECT_EQ(found[0].busy, 20U);
	EXPECT_EQ(found[0].read, 1U);
	EXPECT_EQ(found[0].written, 2U);
	EXPECT_EQ(found[0].errors, 3U);
	EXPECT_STREQ(found[0].comm, "dd");
	EXPECT_TRUE(found[1].is_total); /* last: no group is busier */
}

const char enter_format[] =
	"name: sys_enter\nID: 5\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"\"\n";
const char exit_format[] = "name: sys_exit\nID: 6\nformat:\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
			   "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n";

/* The two tracepoints of all calls, and what an end says of a call. */
TEST(FlightPlan, KnowsTheNumberOfACall)
{
	static const uint8_t about[COUNTED_VALUES] = {};
	struct counted_span span = {};
	struct bpf_span_plan plan = {};
	struct error err = {};
	char enter[sizeof(enter_format)], leave[sizeof(exit_format)];
	const struct bpf_span_source from = {{enter, leave, nullptr}, nullptr};

	memcpy(enter, enter_format, sizeof(enter));
	memcpy(leave, exit_format, sizeof(leave));
	span.point[COUNTED_BEGIN].event = "raw_syscalls:sys_enter";
	span.point[COUNTED_END].event = "raw_syscalls:sys_exit";
	span.keys = 1;
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.group = "id";
	span.size = "ret";
	span.by = COUNTED_BY_USER;
	span.flights.is_wanted = true;
	span.flights.result = "ret";
	span.about = about;
	span.flights.read.is_of_end = true;
	ASSERT_EQ(bpf_span_plan(&plan, &span, &from, &err), 0) << err.text;
	bpf_span_use_calls(&plan, BPF_SPAN_BEGIN, span.point[COUNTED_BEGIN].event, -1);
	bpf_span_use_calls(&plan, BPF_SPAN_END, span.point[COUNTED_END].event, -1);
	const struct bpf_span_point &begin = plan.spec.point[BPF_SPAN_BEGIN];
	const struct bpf_span_point &end = plan.spec.point[BPF_SPAN_END];
	EXPECT_EQ(begin.call, (uint32_t)BPF_SPAN_AT_CALL);
	EXPECT_EQ(end.call, (uint32_t)BPF_SPAN_AT_RETURN);
	EXPECT_EQ(begin.number, BPF_SPAN_ANY_CALL);
	EXPECT_EQ(begin.field[BPF_SPAN_GROUP].at, BPF_SPAN_UID);
	EXPECT_EQ(begin.field[BPF_SPAN_WHAT].at, BPF_SPAN_CALL);
	EXPECT_EQ(end.field[BPF_SPAN_SIZE].at, BPF_SPAN_RESULT);
	EXPECT_EQ(end.field[BPF_SPAN_OUTCOME].at, BPF_SPAN_RESULT);
	EXPECT_TRUE(plan.spec.has_about && plan.spec.has_outcome && plan.spec.is_read_of_end);
	EXPECT_FALSE(plan.spec.is_written_of_end);
	EXPECT_TRUE(plan.spec.is_of_thread);
}

/* Without flights, the number says whether the result is a size. */
TEST(FlightPlan, TheNumberOfACallSaysWhatItsResultIs)
{
	static const uint8_t about[COUNTED_VALUES] = {};
	struct counted_span span = {};
	struct bpf_span_plan plan = {};
	struct error err = {};
	char enter[sizeof(enter_format)], leave[sizeof(exit_format)];
	const struct bpf_span_source from = {{enter, leave, nullptr}, nullptr};

	memcpy(enter, enter_format, sizeof(enter));
	memcpy(leave, exit_format, sizeof(leave));
	span.point[COUNTED_BEGIN].event = "raw_syscalls:sys_enter";
	span.point[COUNTED_END].event = "raw_syscalls:sys_exit";
	span.keys = 1;
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	span.group = "id";
	span.size = "ret";
	span.by = COUNTED_BY_THREAD;
	span.about = about;
	span.is_size_result = true;
	ASSERT_EQ(bpf_span_plan(&plan, &span, &from, &err), 0) << err.text;
	bpf_span_use_calls(&plan, BPF_SPAN_BEGIN, span.point[COUNTED_BEGIN].event, -1);
	const struct bpf_span_point &begin = plan.spec.point[BPF_SPAN_BEGIN];
	EXPECT_EQ(begin.field[BPF_SPAN_GROUP].at, BPF_SPAN_TID);
	EXPECT_EQ(begin.field[BPF_SPAN_WHAT].at, BPF_SPAN_CALL);
	EXPECT_TRUE(plan.spec.has_about && plan.spec.is_size_result);
}

/* A tracepoint of one call has no such field before its arguments. */
TEST(FlightPlan, OneCallHasItsNumber)
{
	struct bpf_span_plan plan = {};

	plan.spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY].at = BPF_SPAN_TID;
	bpf_span_use_calls(&plan, BPF_SPAN_BEGIN, "syscalls:sys_enter_read", 0);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].number, 0);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_BEGIN].call, (uint32_t)BPF_SPAN_AT_CALL);
	bpf_span_use_calls(&plan, BPF_SPAN_END, "sched:sched_switch", -1);
	EXPECT_EQ(plan.spec.point[BPF_SPAN_END].call, (uint32_t)BPF_SPAN_AT_TRACEPOINT);
}

} // namespace
