/*
 * Which events are of which command: by descent, by number, or of all.
 */
#include "run/each_route.h"

#include <gtest/gtest.h>

namespace
{

class EachRoute : public testing::Test
{
      protected:
	struct each_route route = {};

	~EachRoute() override
	{
		each_route_release(&route);
	}

	uint32_t of(enum event_kind kind, uint32_t pid)
	{
		struct event event = {};

		event.kind = kind;
		event.pid = event.tid = pid;
		return each_route_of(&route, &event);
	}

	uint32_t fork(uint32_t pid, uint32_t child, uint32_t child_tid)
	{
		struct event event = {};

		event.kind = EVENT_FORK;
		event.pid = event.tid = pid;
		event.fork.child_pid = child;
		event.fork.child_tid = child_tid;
		return each_route_of(&route, &event);
	}

	uint32_t fact(enum fact_kind kind, int number, uint32_t pid)
	{
		struct event event = {};

		event.kind = EVENT_FACT;
		event.fact.kind = kind;
		event.fact.number[number] = pid;
		return each_route_of(&route, &event);
	}
};

TEST_F(EachRoute, ChildrenAreOfTheCommandOfTheirParent)
{
	each_route_add(&route, 10, 0);
	each_route_add(&route, 20, 1);
	EXPECT_EQ(fork(10, 11, 11), 0u);
	EXPECT_EQ(fork(20, 20, 21), 1u); /* a thread */
	EXPECT_EQ(fork(11, 12, 12), 0u);
	EXPECT_EQ(of(EVENT_CALL, 12), 0u);
	EXPECT_EQ(of(EVENT_CALL, 20), 1u);
	EXPECT_EQ(of(EVENT_CALL, 21), static_cast<uint32_t>(ROUTE_NONE));
}

TEST_F(EachRoute, ANumberThatIsUsedAgainIsOfItsNewParent)
{
	each_route_add(&route, 10, 0);
	each_route_add(&route, 20, 1);
	fork(10, 11, 11);
	fork(20, 11, 11);
	EXPECT_EQ(of(EVENT_CALL, 11), 1u);
	fork(99, 11, 11);
	EXPECT_EQ(of(EVENT_CALL, 11), static_cast<uint32_t>(ROUTE_NONE));
}

TEST_F(EachRoute, WhatIsOfNoProcessIsOfAll)
{
	each_route_add(&route, 10, 0);
	EXPECT_EQ(of(EVENT_LOST, 0), static_cast<uint32_t>(ROUTE_ALL));
	EXPECT_EQ(of(EVENT_REQUEST, 10), static_cast<uint32_t>(ROUTE_ALL));
	EXPECT_EQ(fact(FACT_MOUNT, 0, 10), static_cast<uint32_t>(ROUTE_ALL));
	EXPECT_EQ(fact(FACT_COUNT, 0, 10), static_cast<uint32_t>(ROUTE_ALL));
	EXPECT_EQ(fact(FACT_FD, FACT_FD_pid, 10), 0u);
	EXPECT_EQ(fact(FACT_FD, FACT_FD_pid, 9), static_cast<uint32_t>(ROUTE_NONE));
}

TEST_F(EachRoute, AMarkIsOfItsProgramOrOfAll)
{
	each_route_add(&route, 10, 0);
	EXPECT_EQ(fact(FACT_MARK, FACT_MARK_pid, 10), 0u);
	EXPECT_EQ(fact(FACT_MARK, FACT_MARK_pid, 9), static_cast<uint32_t>(ROUTE_ALL));
}

TEST_F(EachRoute, CallsOfUnknownProcessesCountAfterLoss)
{
	of(EVENT_CALL, 9);
	EXPECT_EQ(route.unknown, 0u);
	of(EVENT_LOST, 0);
	of(EVENT_CALL, 9);
	of(EVENT_COMM, 9);
	EXPECT_EQ(route.unknown, 1u);
}

} // namespace
