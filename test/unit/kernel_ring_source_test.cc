/*
 * ring_source: what a round asks of which source, and when.
 */
#include "ring/ring_source.h"

#include <iotrace/error.h>

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace
{

/* A source that writes down what it is asked. */
struct Fake {
	std::string name;
	std::vector<std::string> *asked;
	uint64_t bytes = 0;
	int code = 0;
	bool due = false, held = false, all = true;

	void say(const char *what)
	{
		asked->push_back(name + " " + what);
	}
};

Fake &fake(void *self)
{
	return *static_cast<Fake *>(self);
}

const Fake &fake(const void *self)
{
	return *static_cast<const Fake *>(self);
}

struct ring_source_ops small_ops()
{
	struct ring_source_ops ops = {};

	ops.name = "small";
	ops.open = [](void *self, struct error *err) {
		fake(self).say("open");
		return fake(self).code ? error_set(err, fake(self).code, "fake") : 0;
	};
	ops.head = [](void *self) {
		fake(self).say("head");
	};
	ops.move = [](void *self) {
		fake(self).say("move");
		return fake(self).bytes;
	};
	ops.stop = [](void *self) {
		fake(self).say("stop");
	};
	ops.lost = [](void *self) {
		fake(self).say("lost");
	};
	ops.close = [](void *self) {
		fake(self).say("close");
	};
	return ops;
}

struct ring_source_ops full_ops()
{
	struct ring_source_ops ops = small_ops();

	ops.name = "full";
	ops.is_due = [](const void *self) {
		return fake(self).due;
	};
	ops.is_held = [](const void *self) {
		return fake(self).held;
	};
	ops.has_all = [](const void *self) {
		return fake(self).all;
	};
	ops.put_rest = [](void *self) {
		fake(self).say("rest");
	};
	return ops;
}

using Asked = std::vector<std::string>;

class RingSources : public testing::Test
{
      protected:
	Asked asked;
	Fake first{"first", &asked}, second{"second", &asked};
	const struct ring_source_ops small = small_ops(), full = full_ops();
	struct ring_sources sources;
	struct error err = {};

	void SetUp() override
	{
		ring_sources_init(&sources);
		ring_sources_add(&sources, &small, &first);
		ring_sources_add(&sources, &full, &second);
	}

	void TearDown() override
	{
		ring_sources_close(&sources);
	}

	Asked take()
	{
		return std::move(asked);
	}
};

} // namespace

TEST_F(RingSources, AllHeadsAreTakenBeforeAnythingIsMoved)
{
	first.bytes = 3;
	second.bytes = 4;
	ring_sources_head(&sources);
	EXPECT_EQ(ring_sources_move(&sources), 7u);
	EXPECT_EQ(take(), (Asked{"first head", "second head", "first move", "second move"}));
}

TEST_F(RingSources, TheLastIsStoppedAndClosedFirst)
{
	ASSERT_EQ(ring_sources_open(&sources, &err), 0);
	ring_sources_stop(&sources);
	ring_sources_put_rest(&sources);
	ring_sources_lost(&sources);
	ring_sources_close(&sources);
	EXPECT_EQ(take(),
		  (Asked{"first open", "second open", "second stop", "first stop", "second rest",
			 "first lost", "second lost", "second close", "first close"}));
	ring_sources_close(&sources);
	EXPECT_EQ(take(), Asked{}) << "closed once";
}

TEST_F(RingSources, AfterOneThatCannotBeOpenedNoneIs)
{
	first.code = EPERM;
	EXPECT_EQ(ring_sources_open(&sources, &err), -EPERM);
	EXPECT_EQ(take(), Asked{"first open"});
	EXPECT_NE(std::string(err.text).find("fake"), std::string::npos);
}

TEST_F(RingSources, OneThatWaitsForARecordHoldsTheRound)
{
	EXPECT_FALSE(ring_sources_are_held(&sources));
	EXPECT_TRUE(ring_sources_have_all(&sources));
	second.held = true;
	EXPECT_TRUE(ring_sources_are_held(&sources));
	EXPECT_FALSE(ring_sources_have_all(&sources));
	second.held = second.all = false;
	EXPECT_FALSE(ring_sources_are_held(&sources));
	EXPECT_FALSE(ring_sources_have_all(&sources));
}

TEST_F(RingSources, ARoundIsDueWhenARingIsFullOrWakesUs)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	ASSERT_EQ(ring_sources_open(&sources, &err), 0);
	EXPECT_EQ(ring_sources_watch(&sources, -1, &err), 0) << "it has none";
	ASSERT_EQ(ring_sources_watch(&sources, fd, &err), 0);
	ring_sources_take_wakes(&sources);
	EXPECT_FALSE(ring_sources_are_due(&sources));
	second.due = true;
	EXPECT_TRUE(ring_sources_are_due(&sources));
	second.due = false;
	ASSERT_EQ(eventfd_write(fd, 1), 0);
	ring_sources_take_wakes(&sources);
	EXPECT_TRUE(ring_sources_are_due(&sources));
	ring_sources_head(&sources);
	EXPECT_FALSE(ring_sources_are_due(&sources)) << "the round has begun";
	ring_sources_take_wakes(&sources);
	EXPECT_FALSE(ring_sources_are_due(&sources)) << "the same wake-up counts once";
	close(fd);
}

TEST_F(RingSources, WhatCannotBeWatchedIsSaid)
{
	ASSERT_EQ(ring_sources_open(&sources, &err), 0);
	EXPECT_EQ(ring_sources_watch(&sources, 1 << 20, &err), -EBADF);
	EXPECT_NE(std::string(err.text).find("epoll_ctl"), std::string::npos) << err.text;
}
