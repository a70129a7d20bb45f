/*
 * The window of a flight recorder, its triggers, and which archives it removes.
 */
#include <gtest/gtest.h>

extern "C" {
#include "flight/archives.h"
#include "flight/busy.h"
#include "flight/look.h"
#include "flight/requests.h"
#include "flight/window.h"
#include "record/trigger.h"
}
#include "scratch_dir.h"
#include "stream_build.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iotrace/error.h>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

constexpr uint64_t SECOND = 1000000000;

/* A round has records from other CPUs that are earlier than those of the round before. */
TEST(Look, KnowsUntilWhenItHasSeenAll)
{
	StreamFile file;
	struct triggers none = {};
	error err{};
	capture_round round;
	std::vector<uint64_t> complete;

	file.add_event("dummy", {1, 2});
	file.info.event[0].attr.type = PERF_TYPE_SOFTWARE;
	for (uint64_t later : {300, 700, 900}) {
		file.put_other(PERF_RECORD_COMM, 0, later);
		file.put_other(PERF_RECORD_COMM, 1, later - 60);
		file.put_round();
	}
	capture *c = opened(file.write());
	struct look *look = look_new(c, &none, &err);
	ASSERT_NE(look, nullptr) << err.text;
	EXPECT_EQ(look_complete(look), 0U);
	while (capture_next_round(c, &round, &err) == 1) {
		look_round(look, &round);
		complete.push_back(look_complete(look));
		capture_round_free(&round);
	}
	EXPECT_EQ(complete, (std::vector<uint64_t>{0, 300, 700}));
	look_free(look);
	capture_close(c);
}

TEST(Window, KeepsWhatWasReadInItsTime)
{
	struct window w;

	window_init(&w, 10 * SECOND, 1 << 30);
	for (uint64_t second = 1; second <= 100; second++) {
		window_add(&w, second * 100, second * SECOND);
		/* What had been read at second n happened before. */
		EXPECT_EQ(window_release(&w, second * SECOND, w.released),
			  second > 10 ? (second - 10) * 100 : 0);
		EXPECT_FALSE(w.is_short);
	}
}

TEST(Window, IsBoundedAndDropsTheOldestFirst)
{
	struct window w;
	uint64_t released = 0;

	window_init(&w, 1000 * SECOND, 1000);
	for (uint64_t second = 1; second <= 100; second++) {
		window_add(&w, second * 100, second * SECOND);
		released = window_release(&w, second * SECOND, released);
		EXPECT_LE(w.end - released, 1000u);
		EXPECT_GE(w.end - released, second < 9 ? second * 100 : 900u);
	}
	EXPECT_TRUE(w.is_short);
}

/* A reader that is behind has not seen all that had happened. */
TEST(Window, WaitsUntilTheReaderHasSeenWhatIsWanted)
{
	struct window w;
	struct window_wait wait = {};

	window_init(&w, 10 * SECOND, 1 << 30);
	window_add(&w, 100, SECOND);
	EXPECT_FALSE(window_has_read(&w, &wait, 500, SECOND));
	window_add(&w, 499, 2 * SECOND);
	EXPECT_FALSE(window_has_read(&w, &wait, 900,
				     2 * SECOND)); /* what has come since is not waited for */
	window_add(&w, 500, 3 * SECOND);
	EXPECT_TRUE(window_has_read(&w, &wait, 900, 3 * SECOND));

	wait = {};
	EXPECT_TRUE(window_has_read(&w, &wait, 500, 4 * SECOND));
	wait = {};
	EXPECT_FALSE(window_has_read(&w, &wait, 501, 4 * SECOND));
	EXPECT_FALSE(window_has_read(&w, &wait, 501, 13 * SECOND));
	EXPECT_TRUE(window_has_read(&w, &wait, 501, 14 * SECOND)) << "not for ever";
}

/* Rounds come ten times a second, and more often if there is much to read. */
TEST(Window, NeedsFewMarksForManyRounds)
{
	struct window w;
	uint64_t now = 0, released = 0;

	window_init(&w, 30 * SECOND, 1 << 30);
	for (int round = 0; round < 100000; round++) {
		now += SECOND / 1000;
		window_add(&w, (uint64_t)round * 10, now);
		released = window_release(&w, now, released);
		/* Released late by at most two marks, never early: round n ends at n * 10 and at n ms. */
		if (now > 30 * SECOND) {
			EXPECT_LE(released, (now - 30 * SECOND) / 100000);
			EXPECT_GE(released + 10000, (now - 30 * SECOND) / 100000);
		}
	}
	EXPECT_LE(w.marks, (uint32_t)WINDOW_MARKS);
}

class Busy : public ::testing::Test
{
      protected:
	struct busy busy;
	uint64_t now = 0, busy_ms = 1000;

	Busy()
	{
		busy_init(&busy, 10 * SECOND, 0.95);
	}

	/* Some seconds in which the device is busy for this share. Returns how often that was more than what is allowed. */
	int pass(int seconds, double share)
	{
		int met = 0;

		for (int i = 0; i < seconds * 4; i++) {
			met += busy_add(&busy, now, busy_ms);
			now += SECOND / 4;
			busy_ms += uint64_t(250 * share);
		}
		return met;
	}
};

TEST_F(Busy, MoreThanTheShareForTheTime)
{
	EXPECT_EQ(pass(100, 0.94), 0);
	EXPECT_EQ(pass(20, 0), 0);
	EXPECT_EQ(pass(9, 1), 0);
	EXPECT_EQ(pass(2, 1), 1);
	EXPECT_EQ(pass(9, 1), 0) << "a new time has begun";
	EXPECT_EQ(pass(2, 1), 1);
}

TEST_F(Busy, APauseIsPartOfTheTime)
{
	EXPECT_EQ(pass(9, 1), 0);
	EXPECT_EQ(pass(1, 0), 0);
	EXPECT_EQ(pass(9, 1), 0);
	EXPECT_EQ(pass(2, 1), 1);
}

TEST_F(Busy, SamplesMayBeFarApart)
{
	EXPECT_FALSE(busy_add(&busy, SECOND, 0));
	EXPECT_FALSE(busy_add(&busy, 8 * SECOND, 7000));
	EXPECT_TRUE(busy_add(&busy, 61 * SECOND, 60000));
	EXPECT_FALSE(busy_add(&busy, 161 * SECOND, 60000));
}

TEST_F(Busy, ADeviceThatIsReplacedBeginsAgain)
{
	EXPECT_EQ(pass(8, 1), 0);
	busy_ms = 0;
	EXPECT_EQ(pass(9, 1), 0);
	EXPECT_EQ(pass(2, 1), 1);
}

class Triggers : public ::testing::Test
{
      protected:
	struct triggers triggers = {};
	struct error err = {};

	~Triggers() override
	{
		triggers_release(&triggers);
	}

	const struct trigger &parse(const char *text)
	{
		EXPECT_EQ(trigger_parse(&triggers, text, &err), 0) << text << ": " << err.text;
		return triggers.item[triggers.count - 1];
	}
};

TEST_F(Triggers, AreParsed)
{
	EXPECT_EQ(parse("signal").kind, TRIGGER_SIGNAL);
	EXPECT_EQ(parse("hang").ns, 10 * SECOND);
	EXPECT_EQ(parse("hang=2s").ns, 2 * SECOND);
	EXPECT_EQ(parse("slow=100ms").ns, SECOND / 10);
	EXPECT_EQ(parse("error=EIO").error, EIO);
	const struct trigger &util = parse("util=/dev/sda>95%:10s");

	EXPECT_STREQ(util.device, "sda");
	EXPECT_DOUBLE_EQ(util.share, 0.95);
	EXPECT_EQ(util.ns, 10 * SECOND);
	EXPECT_EQ(triggers_least(&triggers, TRIGGER_HANG), 2 * SECOND);
	EXPECT_TRUE(triggers_have(&triggers, TRIGGER_ERROR));
}

TEST_F(Triggers, HaveAViewAndAPattern)
{
	const struct trigger &slow = parse("slow=1s:file=/mnt/a:b=c*");
	const char *name[TRIGGER_VIEWS] = {};

	EXPECT_EQ(slow.view, VIEW_FILE);
	EXPECT_FALSE(trigger_wants(&slow, name));
	name[VIEW_FILE] = "/mnt/a:b=cd";
	EXPECT_TRUE(trigger_wants(&slow, name));
	name[VIEW_FILE] = "/mnt/x";
	EXPECT_FALSE(trigger_wants(&slow, name));
	EXPECT_EQ(parse("error=ENOENT:op=open*").view, VIEW_OP);
	EXPECT_EQ(parse("hang=1s:fs=/mnt").view, VIEW_FS);
	EXPECT_EQ(parse("slow=1s:device=sd*").view, VIEW_DEVICE);
}

TEST_F(Triggers, ThatAreWrongAreRefused)
{
	for (const char *text : {"",
				 "noise",
				 "slow",
				 "slow=",
				 "slow=x",
				 "slow=1s:",
				 "slow=1s:size=4",
				 "slow=1s:file=",
				 "error",
				 "error=",
				 "error=ENONE",
				 "error=EI",
				 "util",
				 "util=sda",
				 "util=>5%:1s",
				 "util=sda>5:1s",
				 "util=sda>100%:1s",
				 "util=sda>-1%:1s",
				 "util=sda>5%:x",
				 "signal=1"}) {
		struct triggers wrong = {};

		EXPECT_EQ(trigger_parse(&wrong, text, &err), -EINVAL) << text;
		triggers_release(&wrong);
	}
	for (int i = 0; i < TRIGGERS_MOST; i++)
		parse("hang");
	EXPECT_EQ(trigger_parse(&triggers, "hang", &err), -EINVAL);
}

class Requests : public testing::Test
{
      protected:
	~Requests() override
	{
		requests_release(&requests);
	}

	uint64_t block(enum request_step step, uint64_t time, uint64_t key, uint64_t sector = 8)
	{
		struct event event = {};

		event.kind = EVENT_REQUEST;
		event.time = time;
		event.request.step = step;
		event.request.dev = 7;
		event.request.key = key;
		event.request.sector = sector;
		return requests_block(&requests, &event);
	}
	uint64_t aio(enum aio_step step, uint64_t time, uint64_t key, uint64_t data,
		     enum aio_action action = AIO_READ, uint32_t flags = 0)
	{
		struct event event = {};

		event.kind = EVENT_AIO;
		event.time = time;
		event.aio.step.step = step;
		event.aio.step.action = action;
		event.aio.step.flags = flags;
		event.aio.step.queue = 1;
		event.aio.step.key = key;
		event.aio.step.user_data = data;
		return requests_aio(&requests, &event);
	}

	struct requests requests = {};
};

TEST_F(Requests, TakeFromTheirInsertionToTheirEnd)
{
	EXPECT_EQ(block(REQUEST_INSERT, 100, 5), 0u);
	EXPECT_EQ(block(REQUEST_ISSUE, 120, 5), 0u);
	EXPECT_EQ(block(REQUEST_COMPLETE, 180, 5), 80u);
	EXPECT_EQ(block(REQUEST_COMPLETE, 190, 5), 0u) << "its begin is unknown";
	EXPECT_EQ(block(REQUEST_ISSUE, 200, 5), 0u) << "it was not inserted";
	EXPECT_EQ(block(REQUEST_ISSUE, 300, 5), 0u) << "its end was missed, and it is another one";
	EXPECT_EQ(block(REQUEST_COMPLETE, 310, 5), 10u);
}

TEST_F(Requests, WithoutAnAddressThePlaceSaysWhichOneItIs)
{
	block(REQUEST_ISSUE, 100, 0, 8);
	block(REQUEST_ISSUE, 110, 0, 16);
	block(REQUEST_BIO_QUEUE, 50, 9, 8);
	EXPECT_EQ(block(REQUEST_COMPLETE, 150, 0, 16), 40u);
	EXPECT_EQ(block(REQUEST_COMPLETE, 150, 0, 8), 50u);
	EXPECT_EQ(block(REQUEST_BIO_COMPLETE, 150, 10, 8), 100u) << "a bio is no request";
}

TEST_F(Requests, OfAsynchronousIo)
{
	aio(AIO_SUBMIT, 100, 0, 3);
	aio(AIO_SUBMIT, 100, 4, 3);
	aio(AIO_SUBMIT, 100, 0, 6, AIO_MANAGE);
	EXPECT_EQ(aio(AIO_COMPLETE, 120, 4, 3, AIO_READ, AIO_MORE), 0u) << "it goes on";
	EXPECT_EQ(aio(AIO_COMPLETE, 150, 4, 3), 50u);
	EXPECT_EQ(aio(AIO_COMPLETE, 170, 0, 3), 70u);
	EXPECT_EQ(aio(AIO_COMPLETE, 170, 0, 6, AIO_MANAGE), 0u) << "it waited, as it should";
}

TEST_F(Requests, HangOnceForEachTrigger)
{
	struct triggers hangs = {};

	hangs.count = 2;
	hangs.item[0].kind = hangs.item[1].kind = TRIGGER_HANG;
	hangs.item[0].ns = 50;
	hangs.item[1].ns = 500;
	block(REQUEST_ISSUE, 100, 5);
	block(REQUEST_ISSUE, 150, 6);
	aio(AIO_SUBMIT, 160, 7, 3);
	EXPECT_FALSE(requests_hang(&requests, 149, &hangs));
	EXPECT_TRUE(requests_hang(&requests, 150, &hangs));
	EXPECT_FALSE(requests_hang(&requests, 160, &hangs)) << "that one is known";
	block(REQUEST_COMPLETE, 180, 6);
	EXPECT_FALSE(requests_hang(&requests, 205, &hangs)) << "it has ended";
	EXPECT_TRUE(requests_hang(&requests, 210, &hangs));
	block(REQUEST_COMPLETE, 300, 5);
	block(REQUEST_ISSUE, 310, 5);
	EXPECT_FALSE(requests_hang(&requests, 359, &hangs));
	EXPECT_TRUE(requests_hang(&requests, 360, &hangs)) << "another one at its place";
	EXPECT_FALSE(requests_hang(&requests, 659, &hangs));
	EXPECT_TRUE(requests_hang(&requests, 660, &hangs)) << "the time of the other trigger";
}

TEST_F(Requests, AreBounded)
{
	for (uint64_t i = 1; i < 200000; i++)
		block(REQUEST_ISSUE, i, i);
	EXPECT_LE(requests.cap, 1u << 17);
	EXPECT_EQ(block(REQUEST_COMPLETE, 200100, 199999), 101u);
}

void put(const std::string &path)
{
	std::ofstream(path) << "x";
}

TEST(Archives, OnlyWhatWasMadeIsRemoved)
{
	ScratchDir dir;
	struct archives archives = {};
	const std::string a = dir.path("a"), b = dir.path("b");

	for (const std::string &archive : {a, b}) {
		mkdir(archive.c_str(), 0755);
		mkdir((archive + "/traces").c_str(), 0755);
		put(archive + "/traces.otf2");
		put(archive + "/traces/1.evt");
		put(archive + "/traces/2.evt");
		EXPECT_GT(archives_add(&archives, archive.c_str()), 0u);
	}
	/* Another file in the place of one, and one more. */
	rename((a + "/traces/1.evt").c_str(), dir.path("moved").c_str());
	put(a + "/traces/1.evt");
	put(a + "/mine");
	char *removed = archives_remove(&archives);

	EXPECT_EQ(std::string(removed), a);
	free(removed);
	EXPECT_NE(access((a + "/traces.otf2").c_str(), F_OK), 0);
	EXPECT_NE(access((a + "/traces/2.evt").c_str(), F_OK), 0);
	EXPECT_EQ(access((a + "/traces/1.evt").c_str(), F_OK), 0);
	EXPECT_EQ(access((a + "/mine").c_str(), F_OK), 0);
	EXPECT_EQ(access(dir.path("moved").c_str(), F_OK), 0);
	removed = archives_remove(&archives);
	free(removed);
	EXPECT_NE(access(b.c_str(), F_OK), 0) << "all of it was ours";
	EXPECT_EQ(archives_remove(&archives), nullptr);
	archives_release(&archives);
}

TEST(Archives, WhatOthersPutThereAtOnceStays)
{
	ScratchDir dir;
	struct archives archives = {};
	const std::string a = dir.path("a");

	mkdir(a.c_str(), 0755);
	mkdir((a + "/traces").c_str(), 0755);
	for (const char *name :
	     {"/traces.otf2", "/traces.def", "/traces.marker", "/iotrace.json", "/traces/12.evt",
	      "/traces/12.def", "/mine", "/traces/mine.evt", "/traces/1"})
		put(a + name);
	archives_add(&archives, a.c_str());
	free(archives_remove(&archives));
	for (const char *name : {"/traces.otf2", "/traces.def", "/traces.marker", "/iotrace.json",
				 "/traces/12.evt", "/traces/12.def"})
		EXPECT_NE(access((a + name).c_str(), F_OK), 0) << name;
	for (const char *name : {"/mine", "/traces/mine.evt", "/traces/1"})
		EXPECT_EQ(access((a + name).c_str(), F_OK), 0) << name;
	archives_release(&archives);
}

TEST(Archives, AnotherDirectoryWithTheNameStays)
{
	ScratchDir dir;
	struct archives archives = {};
	const std::string a = dir.path("a");

	mkdir(a.c_str(), 0755);
	put(a + "/traces.otf2");
	archives_add(&archives, a.c_str());
	rename(a.c_str(), dir.path("elsewhere").c_str());
	symlink(dir.path("elsewhere").c_str(), a.c_str());
	free(archives_remove(&archives));
	EXPECT_EQ(access((a + "/traces.otf2").c_str(), F_OK), 0);
	archives_release(&archives);
}

/* A recorder that was killed while it wrote. */
TEST(Archives, WhatIsUnfinishedIsRemoved)
{
	ScratchDir dir;
	const std::string base = dir.path("flight");
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	for (const char *name :
	     {".flight-7.iotrace", ".flight-8.iotrace-2", ".flight-x.iotrace", ".flight.iotrace"}) {
		mkdir(dir.path(name).c_str(), 0700);
		mkdir((dir.path(name) + "/archive").c_str(), 0700);
		put(dir.path(name) + "/archive/traces.def");
		std::ofstream(dir.path(name) + "/owner") << "process 1 on " << host << "\n";
	}
	EXPECT_EQ(archives_remove_unfinished(base.c_str()), 2u);
	EXPECT_NE(access(dir.path(".flight-7.iotrace").c_str(), F_OK), 0);
	EXPECT_NE(access(dir.path(".flight-8.iotrace-2").c_str(), F_OK), 0);
	EXPECT_EQ(access(dir.path(".flight-x.iotrace").c_str(), F_OK), 0);
	EXPECT_EQ(access(dir.path(".flight.iotrace").c_str(), F_OK), 0);
	EXPECT_EQ(archives_remove_unfinished(dir.path("none/flight").c_str()), 0u);
}

} // namespace
