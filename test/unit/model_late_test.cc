/*
 * Calls that come too late: others that happened after them were seen first.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

namespace
{

class Late : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.start_fd(10, 3, "/data/a");
	}

	/* Returns the name of the file that a write goes to. */
	std::string written(bool is_late)
	{
		struct event e = d.base(EVENT_CALL, 10, 10);

		e.is_late = is_late;
		e.pair.call = call_by_name("write", 5);
		e.pair.begin = e.time;
		e.pair.arg[0] = 3;
		e.pair.arg[2] = e.pair.result = 10;
		e.pair.position = EVENT_POSITION_UNKNOWN;
		e.pair.file[0].fd = e.pair.file[1].fd = -1;
		model_event(d.model, &e);
		for (size_t i = d.events.size(); i-- > 0;)
			if (d.events[i].kind == IO_OP_BEGIN)
				return d.path(d.events[i].handle);
		return "none";
	}
};

TEST_F(Late, ACallInTimeHasItsFile)
{
	EXPECT_EQ(written(false), "/data/a");
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 0u);
}

TEST_F(Late, ACallThatIsLateHasNoFileNorHaveThoseBehindIt)
{
	EXPECT_EQ(written(true), "none");
	EXPECT_EQ(written(false), "?");
	EXPECT_GE(tally_get(&d.tally, doubtful_fds), 1u);
}

TEST_F(Late, OtherProcessesAreNotDoubted)
{
	struct event e = d.base(EVENT_CALL, 11, 11);

	d.fact(FACT_TASK, {11, 11, 1, 0, 0}, {"other", "/bin/other"});
	e.is_late = true;
	e.pair.call = call_by_name("close", 5);
	e.pair.begin = e.time;
	e.pair.arg[0] = 3;
	e.pair.file[0].fd = e.pair.file[1].fd = -1;
	model_event(d.model, &e);
	EXPECT_EQ(written(false), "/data/a");
}

} // namespace
