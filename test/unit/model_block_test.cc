/*
 * Block requests, trap by trap: what the steps that kernels tell become on the location of the device.
 */
#include "model_driver.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

namespace
{

const uint32_t sda = makedev(8, 0), loop = makedev(7, 0), zram = makedev(252, 0);

/* A line for each io_event of devices: "8:0 BEGIN #0 READ 4096 @0 app(10) R". */
class Block : public ::testing::Test
{
      protected:
	ModelDriver d;

	void insert(const char *rwbs, uint64_t sector, uint32_t sectors, uint32_t dev = sda)
	{
		d.request(REQUEST_INSERT, dev, rwbs, sector, sectors);
	}
	void issue(const char *rwbs, uint64_t sector, uint32_t sectors, uint32_t dev = sda)
	{
		d.request(REQUEST_ISSUE, dev, rwbs, sector, sectors);
	}
	void requeue(const char *rwbs, uint64_t sector, uint32_t sectors, uint32_t dev = sda)
	{
		d.request(REQUEST_REQUEUE, dev, rwbs, sector, sectors);
	}
	void complete(const char *rwbs, uint64_t sector, uint32_t sectors, int error = 0,
		      uint32_t dev = sda)
	{
		d.request(REQUEST_COMPLETE, dev, rwbs, sector, sectors, error);
	}
	void bio(const char *rwbs, uint64_t sector, uint32_t sectors, uint32_t dev = sda)
	{
		d.request(REQUEST_BIO_QUEUE, dev, rwbs, sector, sectors);
	}
	void bio_end(const char *rwbs, uint64_t sector, uint32_t sectors, uint32_t dev = sda,
		     int error = 0)
	{
		d.request(REQUEST_BIO_COMPLETE, dev, rwbs, sector, sectors, error);
	}
	void front_merge(const char *rwbs, uint64_t sector, uint32_t sectors)
	{
		struct event e = d.step(REQUEST_BIO_MERGE, sda, rwbs, sector, sectors);

		e.request.old_sector = sector + sectors;
		model_event(d.model, &e);
	}
	void split(const char *rwbs, uint64_t sector, uint32_t first, uint32_t dev = sda)
	{
		struct event e = d.step(REQUEST_SPLIT, dev, rwbs, sector, first);

		e.request.old_sector = sector + first;
		model_event(d.model, &e);
	}
	void remap(uint32_t dev, uint64_t sector, uint32_t old_dev, uint64_t old_sector)
	{
		struct event e = d.step(REQUEST_BIO_REMAP, dev, "W", sector, 8);

		e.request.old_dev = old_dev;
		e.request.old_sector = old_sector;
		model_event(d.model, &e);
	}

	std::string number(uint64_t n) const
	{
		return n == UINT64_MAX ? "-" : std::to_string(n);
	}

	std::string line(const io_event &e) const
	{
		static const char *const mode[] = {"READ", "WRITE", "FLUSH"};
		static const char *const end[] = {"EXIT", "LOST", "RECORDING", "DEATH", "MERGED"};
		const struct trace_thread *t = trace_thread(d.trace, e.thread);
		std::string s = std::string(trace_text(d.trace, t->name)) + " ";

		s += std::string(io_event_name(e.kind) + 3) + " #" + std::to_string(e.op.id);
		if (e.kind == IO_OP_BEGIN) {
			s += std::string(" ") + mode[e.op.mode] + " " + number(e.op.bytes) + " @" +
			     number(e.op.offset) + " " + trace_text(d.trace, e.op.name) + "(" +
			     std::to_string(e.op.pid) + ") " + trace_text(d.trace, e.op.rwbs);
			if (e.op.file != ID_NONE)
				s += std::string(" ") +
				     trace_text(d.trace, trace_file(d.trace, e.op.file)->path);
		} else if (e.kind == IO_OP_COMPLETE) {
			s += " " + number(e.op.bytes);
			if (e.op.error)
				s += " errno " + std::to_string(e.op.error);
		} else if (e.kind == IO_OP_CANCELLED) {
			s += std::string(" ") + end[e.op.end];
		}
		return s;
	}

	/* Ends the stream; the books must balance. */
	std::string text()
	{
		std::string all;

		d.end();
		for (const io_event &e : d.events)
			if (e.kind >= IO_OP_BEGIN && e.kind <= IO_OP_CANCELLED)
				all += line(e) + "\n";
		EXPECT_EQ(d.unbalanced(), "");
		return all;
	}

	uint64_t count(tally_counter counter) const
	{
		return d.tally.n[counter];
	}

	const struct trace_device *device(uint32_t dev) const
	{
		for (uint32_t i = 0; i < trace_devices(d.trace); i++)
			if (trace_device(d.trace, i)->dev == dev)
				return trace_device(d.trace, i);
		return nullptr;
	}

	/* Reads, writes, discards, flushes: numbers and sectors, as /sys/block/DEV/stat counts. */
	std::vector<uint64_t> seen(uint32_t dev) const
	{
		const uint64_t *s = device(dev)->seen;

		return {s[0], s[2], s[4], s[6], s[11], s[13], s[15]};
	}
};

using Seen = std::vector<uint64_t>;

TEST_F(Block, WithoutASchedulerAnIssueBegins)
{
	issue("R", 16, 8);
	complete("R", 16, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 READ 4096 @8192 app(10) R\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 4096\n");
	EXPECT_EQ(seen(sda), (Seen{1, 8, 0, 0, 0, 0, 0}));
	EXPECT_EQ(d.events[0].time, 1000u);
	EXPECT_EQ(d.events[2].op.begun, 1000u);
	EXPECT_EQ(d.events[2].op.issued, 1000u);
	EXPECT_TRUE(d.events[0].op.is_non_blocking);
}

TEST_F(Block, IsOfTheThreadThatQueuedIt)
{
	struct event e = d.step(REQUEST_BIO_QUEUE, sda, "R", 16, 8);

	e.tid = 11;
	model_event(d.model, &e);
	issue("R", 16, 8);
	d.end();
	ASSERT_EQ(d.events[0].kind, IO_OP_BEGIN);
	EXPECT_EQ(std::pair(d.events[0].op.pid, d.events[0].op.tid), std::pair(10U, 11U));
}

TEST_F(Block, WithASchedulerAnInsertBegins)
{
	d.at(50);
	insert("WS", 0, 8);
	d.at(90);
	issue("WS", 0, 8);
	d.at(100);
	complete("WS", 0, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @0 app(10) WS\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 4096\n");
	EXPECT_EQ(d.events[0].time, 50u);
	EXPECT_EQ(d.events[1].time, 90u);
	EXPECT_EQ(d.events[2].op.begun, 50u);
	EXPECT_EQ(d.events[2].op.issued, 90u);
}

TEST_F(Block, ARequeuedRequestIsOneOperationIssuedOnce)
{
	d.at(10);
	issue("W", 0, 8);
	requeue("W", 0, 8);
	d.at(30);
	issue("W", 0, 8);
	complete("W", 0, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @0 app(10) W\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 4096\n");
	EXPECT_EQ(d.events[1].time, 10u) << "told at the first issue";
	EXPECT_EQ(d.events[2].op.issued, 30u) << "served since the last";
	EXPECT_EQ(count(TALLY_requests_requeued), 1u);
}

TEST_F(Block, ARequeuedDiscardIsInsertedAgain)
{
	insert("DS", 0, 1024);
	issue("DS", 0, 1024);
	requeue("DS", 0, 1024);
	insert("DS", 0, 1024);
	issue("DS", 0, 1024);
	complete("DS", 0, 1024);
	EXPECT_EQ(text(), "8:0 BEGIN #0 FLUSH 524288 @0 app(10) DS\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 524288\n");
	EXPECT_EQ(seen(sda), (Seen{0, 0, 0, 0, 1, 1024, 0}));
}

TEST_F(Block, ZeroesAreWrites)
{
	issue("NS", 8, 64);
	complete("NS", 8, 64);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 32768 @4096 app(10) NS\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 32768\n");
	EXPECT_EQ(seen(sda), (Seen{0, 0, 1, 64, 0, 0, 0}));
}

TEST_F(Block, ManyRequestsForOneSectorEndInTheOrderOfTheirIssues)
{
	for (int i = 0; i < 32; i++)
		issue("R", 64, 8);
	for (int i = 0; i < 32; i++)
		complete("R", 64, 8);
	d.end();
	uint64_t next = 0;

	for (const io_event &e : d.events)
		if (e.kind == IO_OP_COMPLETE)
			EXPECT_EQ(e.op.id, next++);
	EXPECT_EQ(next, 32u);
	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(count(TALLY_requests_orphan), 0u);
}

TEST_F(Block, ARequeuedRequestTakesItsTurnBehindTheOthers)
{
	issue("R", 64, 8); /* 0 */
	issue("R", 64, 8); /* 1: given back at once */
	requeue("R", 64, 8);
	issue("R", 64, 8); /* 1 again, no third operation */
	complete("R", 64, 8);
	complete("R", 64, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 READ 4096 @32768 app(10) R\n"
			  "8:0 ISSUED #0\n"
			  "8:0 BEGIN #1 READ 4096 @32768 app(10) R\n"
			  "8:0 ISSUED #1\n"
			  "8:0 COMPLETE #0 4096\n"
			  "8:0 COMPLETE #1 4096\n");
}

TEST_F(Block, OfSeveralAtOneSectorTheOneOfThatSizeAndKindEnds)
{
	issue("R", 64, 8);
	issue("R", 64, 16);
	issue("W", 64, 16);
	complete("W", 64, 16);
	complete("R", 64, 16);
	complete("R", 64, 8);
	std::string t = text();

	EXPECT_NE(t.find("#2 8192\n8:0 COMPLETE #1 8192\n8:0 COMPLETE #0 4096\n"),
		  std::string::npos)
		<< t;
}

TEST_F(Block, TheBeginWaitsForTheSizeThatMergesMakeIt)
{
	insert("W", 0, 8);
	size_t before = d.events.size();

	issue("R", 512, 8); /* held back, too: time must not fall on the location */
	EXPECT_EQ(d.events.size(), before);
	issue("W", 0, 128);
	complete("W", 0, 128);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 65536 @0 app(10) W\n"
			  "8:0 BEGIN #1 READ 4096 @262144 app(10) R\n"
			  "8:0 ISSUED #1\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 65536\n"
			  "8:0 CANCELLED #1 RECORDING\n");
	EXPECT_EQ(count(TALLY_in_flight), 1u);
}

TEST_F(Block, AFrontMergeMovesTheBegin)
{
	insert("W", 64, 8);
	front_merge("W", 56, 8);
	issue("W", 56, 16);
	complete("W", 56, 16);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 8192 @28672 app(10) W\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 8192\n");
	EXPECT_EQ(device(sda)->seen[5], 1u) << "a merge";
}

TEST_F(Block, ARequestThatWasMergedAwayNeverBegan)
{
	insert("W", 0, 8);
	insert("W", 8, 8);
	d.request(REQUEST_MERGE, sda, "W", 8, 8);
	issue("W", 0, 16);
	complete("W", 0, 16);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 8192 @0 app(10) W\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 8192\n");
	EXPECT_EQ(count(TALLY_requests_merged), 1u);
	EXPECT_EQ(count(TALLY_begun), 1u);
}

TEST_F(Block, ARequestMergedBeforeItsInsertIsOnlyCounted)
{
	d.request(REQUEST_MERGE, sda, "W", 8, 8);
	EXPECT_EQ(text(), "");
	EXPECT_EQ(count(TALLY_requests_merged), 1u);
}

TEST_F(Block, ABeginThatWaitedTooLongIsToldAndItsMergeCancelsIt)
{
	insert("W", 8, 8);
	d.now += 31000000000;
	insert("R", 512, 8);
	d.request(REQUEST_MERGE, sda, "W", 8, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @4096 app(10) W\n"
			  "8:0 BEGIN #1 READ 4096 @262144 app(10) R\n"
			  "8:0 ISSUED #0\n"
			  "8:0 CANCELLED #0 MERGED\n"
			  "8:0 ISSUED #1\n"
			  "8:0 CANCELLED #1 RECORDING\n");
	EXPECT_EQ(count(TALLY_cancelled), 1u);
	EXPECT_EQ(count(TALLY_in_flight), 1u);
}

TEST_F(Block, AFlushHasNoSizeAndIsCountedWithItsEmptyRequest)
{
	bio("FWS", 0, 0);
	d.pid = 54;
	d.name = "kworker/1:1H";
	issue("FF", 0, 0);
	complete("FF", UINT64_MAX, 0);
	complete("WS", 0, 0);
	EXPECT_EQ(text(), "8:0 BEGIN #0 FLUSH - @- app(10) FF\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 -\n");
	EXPECT_EQ(count(TALLY_requests_flushed), 1u);
	EXPECT_EQ(count(TALLY_requests_orphan), 0u);
	EXPECT_EQ(seen(sda), (Seen{0, 0, 1, 0, 0, 0, 1})) << "the kernel counts a write, too";
}

TEST_F(Block, AnODsyncWriteEndsTwiceAndCountsOnce)
{
	for (uint64_t sector : {16, 0}) {
		bio("WFS", sector, 8);
		issue("WS", sector, 8);
		complete("WS", sector, 8);
		issue("FF", 0, 0);
		complete("FF", UINT64_MAX, 0);
		complete("WS", sector, 0);
	}
	std::string t = text();

	EXPECT_NE(t.find("#2 WRITE 4096 @0"), std::string::npos) << t;
	EXPECT_EQ(count(TALLY_completed), 4u);
	EXPECT_EQ(count(TALLY_requests_flushed), 2u);
	EXPECT_EQ(count(TALLY_requests_orphan), 0u);
	EXPECT_EQ(seen(sda), (Seen{0, 0, 2, 16, 0, 0, 2}));
}

TEST_F(Block, ASecondEndIsNotTheEndOfAnotherWriteOfThatSector)
{
	issue("WS", 16, 8);
	complete("WS", 16, 8);
	issue("WS", 16, 8);
	complete("WS", 16, 0);
	complete("WS", 16, 8);
	text();
	EXPECT_EQ(count(TALLY_completed), 2u);
	EXPECT_EQ(count(TALLY_requests_partial), 0u);
}

TEST_F(Block, APartThenTheRestWithAnError)
{
	issue("R", 100, 128);
	complete("R", 100, 64);
	requeue("R", 164, 64);
	insert("R", 164, 64);
	issue("R", 164, 64);
	complete("R", 164, 64, EIO);
	d.request(REQUEST_ERROR, sda, "R", 164, 64, EIO);
	EXPECT_EQ(text(), "8:0 BEGIN #0 READ 65536 @51200 app(10) R\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 32768 errno 5\n");
	EXPECT_EQ(count(TALLY_requests_partial), 1u);
	EXPECT_EQ(seen(sda), (Seen{1, 128, 0, 0, 0, 0, 0})) << "sectors that failed count";
}

TEST_F(Block, ARequestThatFailedMovedNothing)
{
	issue("W", 0, 8);
	complete("W", 0, 8, EIO);
	EXPECT_NE(text().find("COMPLETE #0 - errno 5\n"), std::string::npos);
}

TEST_F(Block, AnEndWithoutBeginIsCounted)
{
	complete("R", 8, 8);
	EXPECT_EQ(text(), "");
	EXPECT_EQ(count(TALLY_requests_orphan), 1u);
	EXPECT_EQ(seen(sda), (Seen{1, 8, 0, 0, 0, 0, 0})) << "but the device did it";
}

TEST_F(Block, ARequestInFlightAtTheEndIsCancelled)
{
	insert("W", 0, 8);
	issue("R", 8, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @0 app(10) W\n"
			  "8:0 BEGIN #1 READ 4096 @4096 app(10) R\n"
			  "8:0 ISSUED #1\n"
			  "8:0 CANCELLED #1 RECORDING\n"
			  "8:0 ISSUED #0\n"
			  "8:0 CANCELLED #0 RECORDING\n");
	EXPECT_EQ(count(TALLY_in_flight), 2u);
}

TEST_F(Block, WhatTheDeviceHadNotInFlightAtTheEndLostItsEnd)
{
	std::vector<uint64_t> stat(19);

	stat[0] = sda;
	d.fact(FACT_DISKSTAT, stat);
	issue("R", 0, 8);
	issue("R", 8, 8);
	issue("R", 16, 8);
	stat[1] = 1;
	stat[2 + 8] = 1;
	d.fact(FACT_DISKSTAT, stat);
	std::string t = text();

	EXPECT_NE(t.find("#2 RECORDING\n"), std::string::npos) << t;
	EXPECT_NE(t.find("#1 LOST\n"), std::string::npos) << t;
	EXPECT_NE(t.find("#0 LOST\n"), std::string::npos) << t;
	EXPECT_EQ(count(TALLY_cancelled), 2u);
	EXPECT_EQ(count(TALLY_in_flight), 1u);
	EXPECT_TRUE(device(sda)->has_stat);
	EXPECT_EQ(device(sda)->stat[1][8], 1u);
}

/* The counter is read before the events are stopped. */
TEST_F(Block, WhatBeganAfterTheLastReadingOfTheCountersIsOpen)
{
	std::vector<uint64_t> stat(19);

	stat[0] = sda;
	d.fact(FACT_DISKSTAT, stat);
	issue("R", 0, 8);
	stat[1] = 1;
	d.fact(FACT_DISKSTAT, stat);
	issue("R", 8, 8);
	issue("R", 16, 8);
	std::string t = text();

	EXPECT_NE(t.find("#2 RECORDING\n"), std::string::npos) << t;
	EXPECT_NE(t.find("#1 RECORDING\n"), std::string::npos) << t;
	EXPECT_NE(t.find("#0 LOST\n"), std::string::npos) << t;
}

/* Some kernels count only what the driver has. */
TEST_F(Block, WhatWaitsInASchedulerIsOpen)
{
	std::vector<uint64_t> stat(19);

	stat[0] = sda;
	d.fact(FACT_DISKSTAT, stat);
	insert("R", 0, 8);
	stat[1] = 1;
	d.fact(FACT_DISKSTAT, stat);
	EXPECT_NE(text().find("#0 RECORDING\n"), std::string::npos);
}

TEST_F(Block, AnEndThatOnlyTheDeviceCountedIsUnseen)
{
	std::vector<uint64_t> stat(19);

	stat[0] = sda;
	d.fact(FACT_DISKSTAT, stat);
	for (d.key = 1; d.key < 4; d.key++)
		issue("R", d.key * 8, 8);
	d.key = 0;
	stat[1] = 1;
	stat[2] = 1; /* one read ended, and of the others none is in flight */
	d.fact(FACT_DISKSTAT, stat);
	text();
	EXPECT_EQ(count(TALLY_cancelled), 3u);
	EXPECT_EQ(trace_unseen_ends(d.trace), 1u);
}

TEST_F(Block, WhatADeviceDidIsCountedBetweenTheTwoReadingsOfItsCounters)
{
	std::vector<uint64_t> stat(19);

	stat[0] = sda;
	issue("R", 0, 8);
	complete("R", 0, 8);
	issue("R", 8, 8);
	d.fact(FACT_DISKSTAT, stat);
	complete("R", 8, 8);
	stat[1] = 1;
	d.fact(FACT_DISKSTAT, stat);
	issue("W", 16, 8);
	complete("W", 16, 8);
	text();
	EXPECT_EQ(seen(sda), (Seen{1, 8, 0, 0, 0, 0, 0}));
	EXPECT_EQ(count(TALLY_completed), 3u) << "but all of them are in the archive";
}

TEST_F(Block, AfterALossTheYoungerEndsFirst)
{
	issue("R", 0, 8);
	d.lost(1);
	issue("R", 0, 8);
	complete("R", 0, 8);
	std::string t = text();

	EXPECT_NE(t.find("COMPLETE #1"), std::string::npos) << t;
	EXPECT_NE(t.find("CANCELLED #0"), std::string::npos) << t;
}

TEST_F(Block, WhatTheKernelWouldHaveGivenUpByNowDoesNotEndFirst)
{
	issue("R", 0, 8);
	d.now += 31000000000;
	issue("R", 0, 8);
	complete("R", 0, 8);
	EXPECT_NE(text().find("COMPLETE #1"), std::string::npos);
}

TEST_F(Block, AKeyTellsRequestsApartThatAPlaceDoesNot)
{
	d.key = 1;
	issue("R", 0, 8);
	d.key = 2;
	issue("R", 0, 8);
	complete("R", 0, 8);
	d.key = 1;
	complete("R", 0, 8);
	std::string t = text();

	EXPECT_NE(t.find("COMPLETE #1 4096\n8:0 COMPLETE #0 4096\n"), std::string::npos) << t;
}

TEST_F(Block, AKeyThatIsUsedAgainEndsWhatHadIt)
{
	d.key = 7;
	insert("W", 0, 8);
	issue("W", 0, 8);
	issue("W", 64, 8); /* its end was not seen */
	complete("W", 64, 8);
	complete("W", 64, 0); /* a second end */
	std::string t = text();

	EXPECT_NE(t.find("CANCELLED #0 LOST\n"), std::string::npos) << t;
	EXPECT_NE(t.find("COMPLETE #1 4096\n"), std::string::npos) << t;
	uint64_t begun = 0;
	for (const io_event &e : d.events) {
		begun = e.kind == IO_OP_BEGIN && e.op.id == 0 ? e.time : begun;
		if (e.kind == IO_OP_CANCELLED)
			EXPECT_EQ(e.op.begun, begun);
	}
	EXPECT_GT(begun, 0u);
	EXPECT_EQ(count(TALLY_requests_flushed), 1u);
	EXPECT_EQ(trace_unseen_ends(d.trace), 1u);
}

TEST_F(Block, AnEndThatMayHaveBeenLostIsNotUnseen)
{
	d.key = 7;
	issue("W", 0, 8);
	d.lost(1);
	issue("W", 64, 8);
	complete("W", 64, 8);
	EXPECT_NE(text().find("CANCELLED #0 LOST\n"), std::string::npos);
	EXPECT_EQ(trace_unseen_ends(d.trace), 0u);
}

TEST_F(Block, AKeyIssuedTwiceAtOnePlaceIsOneRequest)
{
	d.key = 7;
	issue("W", 0, 8);
	issue("W", 0, 8);
	complete("W", 0, 8);
	text();
	EXPECT_EQ(count(TALLY_begun), 1u);
	EXPECT_EQ(count(TALLY_completed), 1u);
}

TEST_F(Block, ACommandWithoutADiskIsLeftOut)
{
	issue("N", 0, 0, 0);
	complete("N", UINT64_MAX, 0, 0, 0);
	EXPECT_EQ(text(), "");
	EXPECT_EQ(count(TALLY_requests_excluded), 1u);
}

/* Who. */

TEST_F(Block, WhoQueuedTheBioIsWhoItIsFor)
{
	bio("R", 16, 8);
	d.pid = 99;
	d.name = "kworker/0:1H";
	insert("R", 16, 8);
	d.name = "other";
	issue("R", 16, 8);
	EXPECT_NE(text().find("READ 4096 @8192 app(10) R\n"), std::string::npos);
}

TEST_F(Block, TheRestOfABioThatWasCutIsForTheSame)
{
	bio("R", 0, 8192);
	split("R", 0, 2560);
	d.name = "kworker/0:1H";
	issue("R", 0, 2560);
	issue("R", 2560, 5632);
	EXPECT_NE(text().find("@1310720 app(10) R\n"), std::string::npos);
}

TEST_F(Block, WhatAKworkerWritesIsWriteback)
{
	d.pid = 77;
	d.name = "kworker/u8:2";
	bio("W", 16, 8);
	issue("W", 16, 8);
	issue("R", 512, 8);
	std::string t = text();

	EXPECT_NE(t.find("WRITE 4096 @8192 writeback(0) W\n"), std::string::npos) << t;
	EXPECT_NE(t.find("READ 4096 @262144 kworker/u8:2(77) R\n"), std::string::npos) << t;
}

TEST_F(Block, WritebackOfAFileIsForWhoWroteToIt)
{
	d.fact(FACT_TASK, {30, 30, 1, 0, 0}, {"writer", "/bin/writer"});
	d.start_fd(30, 3, "/data/a"); /* dev 1, inode 2 */
	d.call(30, 30, "write", {3, 0, 100}, 100);
	d.name = "kworker/u8:2";
	d.pid = 77;
	struct event e = d.step(REQUEST_ISSUE, sda, "W", 16, 8);

	e.request.inode_dev = 1;
	e.request.inode = 2;
	model_event(d.model, &e);
	EXPECT_NE(text().find("WRITE 4096 @8192 writer(30) W /data/a\n"), std::string::npos);
}

TEST_F(Block, TheFileOfAnInodeIsTheOneThatHasItNow)
{
	d.fact(FACT_TASK, {30, 30, 1, 0, 0}, {"writer", "/bin/writer"});
	d.start_fd(30, 3, "/data/old");
	d.start_fd(30, 4, "/data/new");
	for (uint64_t inode : {2, 5}) {
		struct event e = d.step(REQUEST_ISSUE, sda, "R", 16 * inode, 8);

		e.request.inode_dev = 1;
		e.request.inode = inode;
		model_event(d.model, &e);
	}
	std::string t = text();

	EXPECT_NE(t.find("app(10) R /data/new\n"), std::string::npos) << t;
	EXPECT_NE(t.find("app(10) R\n"), std::string::npos) << t;
}

class Charged : public Block
{
      protected:
	/* The name of the group that each BEGIN and COMPLETE is charged to. */
	std::string groups()
	{
		std::string all;

		d.end();
		for (const io_event &e : d.events)
			if (e.kind == IO_OP_BEGIN || e.kind == IO_OP_COMPLETE)
				all += std::string(io_event_name(e.kind) + 3) + " " +
				       (e.op.cgroup == ID_NONE
						? "-"
						: trace_text(d.trace,
							     trace_cgroup(d.trace, e.op.cgroup)
								     ->name)) +
				       "\n";
		return all;
	}

	void bio_of(uint64_t cgroup, uint64_t sector)
	{
		struct event e = d.step(REQUEST_BIO_QUEUE, sda, "W", sector, 8);

		e.request.cgroup = cgroup;
		model_event(d.model, &e);
	}
};

TEST_F(Charged, ARequestToTheGroupOfItsFirstBio)
{
	d.fact(FACT_CGROUP, {4711}, {"/user.slice/x"});
	d.fact(FACT_CGROUP, {4712}, {"/unused"});
	bio_of(4711, 16);
	issue("W", 16, 8);
	complete("W", 16, 8);
	issue("R", 80, 8); /* whose bio nobody told of */
	complete("R", 80, 8);
	EXPECT_EQ(groups(), "BEGIN /user.slice/x\nCOMPLETE /user.slice/x\nBEGIN -\nCOMPLETE -\n");
	ASSERT_EQ(trace_cgroups(d.trace), 1u);
	EXPECT_EQ(trace_cgroup(d.trace, 0)->id, 4711u);
	EXPECT_TRUE(trace_cgroup(d.trace, 0)->is_known);
}

TEST_F(Charged, ANameMayComeLaterOrNever)
{
	bio_of(5, 16);
	issue("W", 16, 8);
	bio_of(6, 32);
	issue("W", 32, 8);
	bio_of(5, 48);
	issue("W", 48, 8);
	ASSERT_EQ(trace_cgroups(d.trace), 2u);
	EXPECT_FALSE(trace_cgroup(d.trace, 0)->is_known);
	EXPECT_STREQ(trace_text(d.trace, trace_cgroup(d.trace, 0)->name), "cgroup:[5]");
	d.fact(FACT_CGROUP, {5}, {"/late"});
	d.fact(FACT_CGROUP, {6}, {""}); /* says nothing */
	EXPECT_TRUE(trace_cgroup(d.trace, 0)->is_known);
	EXPECT_EQ(groups(), "BEGIN /late\nBEGIN cgroup:[6]\nBEGIN /late\n");
}

TEST_F(Charged, OfWhatIsLeftOutNothingIsListed)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 0, BLOCK_OWN, 3, 0}, {"host", "6", "x86_64"});
	bio_of(5, 16);
	issue("W", 16, 8);
	complete("W", 16, 8);
	EXPECT_EQ(groups(), "");
	EXPECT_EQ(trace_cgroups(d.trace), 0u);
}

TEST_F(Block, WhatIsQueuedToAStackedDeviceIsForTheSameBelow)
{
	const uint32_t dm = makedev(253, 0);

	bio("W", 0, 8, dm);
	remap(sda, 2048, dm, 0);
	d.name = "kworker/u8:2";
	bio("W", 2048, 8);
	issue("W", 2048, 8);
	std::string t = text();

	EXPECT_NE(t.find("8:0 BEGIN #0 WRITE 4096 @1048576 app(10) W\n"), std::string::npos) << t;
	EXPECT_STREQ(trace_text(d.trace, device(dm)->under), "8:0");
	EXPECT_EQ(device(dm)->disk, ID_NONE);
}

TEST_F(Block, ARemapFromWhatHasNoBiosIsAPartition)
{
	const uint32_t sda1 = makedev(8, 1);

	remap(sda, 2048, sda1, 0);
	bio("W", 2048, 8);
	issue("W", 2048, 8);
	text();
	EXPECT_EQ(trace_device(d.trace, device(sda1)->disk)->dev, sda);
	EXPECT_EQ(device(sda1)->group, ID_NONE);
}

/* Which are kept. */

TEST_F(Block, OwnKeepsWhatRecordedTasksCausedAndCountsTheRest)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 0, BLOCK_OWN});
	d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	bio("W", 16, 8);
	d.pid = 99;
	d.name = "other";
	issue("W", 16, 8);
	issue("R", 64, 8);
	complete("R", 64, 8);
	complete("W", 16, 8);
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @8192 app(10) W\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 4096\n");
	EXPECT_EQ(count(TALLY_requests_excluded), 1u);
	EXPECT_EQ(count(TALLY_requests_orphan), 0u);
	EXPECT_EQ(seen(sda), (Seen{1, 8, 1, 8, 0, 0, 0})) << "the device did both";
}

TEST_F(Block, OwnIsNotWhatALeftOutUserOrAnUnwantedCommandCaused)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_OWN, BLOCK_EVENTS});
	d.fact(FACT_FILTER, {FILTER_COMM}, {"d[a-d]"});
	d.fact(FACT_FILTER, {FILTER_COMM}, {"cp"});
	d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"dd", "/bin/dd"});
	d.fact(FACT_TASK, {11, 11, 1, 0, 0, 1}, {"dd", "/bin/dd"}); /* of another user */
	d.fact(FACT_TASK, {12, 12, 1, 0, 0}, {"tar", "/bin/tar"});
	d.fact(FACT_TASK, {13, 13, 1, 0, 0}, {"cp", "/bin/cp"});
	for (uint32_t task : {10, 11, 12, 13}) {
		d.pid = task;
		d.name = task == 12 ? "tar" : task == 13 ? "cp" : "dd";
		issue("R", 8 * task, 8);
		complete("R", 8 * task, 8);
	}
	EXPECT_EQ(text(), "8:0 BEGIN #0 READ 4096 @40960 dd(10) R\n"
			  "8:0 ISSUED #0\n"
			  "8:0 COMPLETE #0 4096\n"
			  "8:0 BEGIN #1 READ 4096 @53248 cp(13) R\n"
			  "8:0 ISSUED #1\n"
			  "8:0 COMPLETE #1 4096\n");
	EXPECT_EQ(count(TALLY_requests_excluded), 2u);
	EXPECT_EQ(seen(sda), (Seen{4, 32, 0, 0, 0, 0, 0})) << "the device did them all";
}

TEST_F(Block, BeforeTheCommandNothingIsRecorded)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 0, BLOCK_ALL});
	d.fact(FACT_COMMAND, {10}, {std::string("app\0", 4), "/"});
	issue("R", 0, 8);
	d.comm(10, 10, "app", true);
	issue("R", 8, 8);
	complete("R", 0, 8);
	complete("R", 8, 8);
	text();
	EXPECT_EQ(count(TALLY_begun), 1u);
	EXPECT_EQ(count(TALLY_completed), 1u);
	EXPECT_EQ(count(TALLY_requests_excluded), 1u);
}

/* Devices. */

TEST_F(Block, AFactNamesTheDevice)
{
	d.fact(FACT_DEVICE, {sda, 0, 1000, 1}, {"cciss!c0d0", "DISK 9000", "mq-deadline", "", ""});
	issue("R", 0, 8);
	std::string t = text();

	EXPECT_NE(t.find("cciss!c0d0 BEGIN"), std::string::npos) << t;
	const struct trace_device *dev = device(sda);

	EXPECT_TRUE(dev->is_known);
	EXPECT_TRUE(dev->is_rotational);
	EXPECT_EQ(dev->sectors, 1000u);
	EXPECT_EQ(d.path(dev->handle), "/dev/cciss/c0d0");
	EXPECT_TRUE(trace_handle(d.trace, dev->handle)->is_block);
	EXPECT_TRUE(trace_handle(d.trace, dev->handle)->is_pre_created);
	EXPECT_EQ(trace_process(d.trace, dev->group)->kind, TRACE_DEVICE);
	EXPECT_EQ(trace_thread(d.trace, dev->location)->kind, LOCATION_DEVICE);
	EXPECT_EQ(trace_thread(d.trace, dev->location)->process, dev->group);
}

TEST_F(Block, ADeviceThatNobodyNamedHasItsNumber)
{
	issue("R", 0, 8);
	text();
	EXPECT_EQ(d.path(device(sda)->handle), "/dev/block/8:0");
}

TEST_F(Block, ADeviceWithoutRequestsHasNoLocation)
{
	d.fact(FACT_DEVICE, {sda, 0, 1000, 1}, {"sda", "", "none", "", ""});
	text();
	EXPECT_EQ(device(sda)->group, ID_NONE);
	EXPECT_EQ(trace_processes(d.trace), 0u);
}

/* Bio-based devices. */

TEST_F(Block, TheBiosOfADeviceWithoutRequestsAreItsOperations)
{
	d.at(10);
	bio("W", 0, 8, zram);
	d.at(20);
	bio("R", 8, 8, zram);
	d.at(30);
	bio_end("R", 8, 8, zram);
	d.at(40);
	bio_end("W", 0, 8, zram, ENOSPC);
	EXPECT_EQ(text(), "252:0 BEGIN #0 WRITE 4096 @0 app(10) W\n"
			  "252:0 ISSUED #0\n"
			  "252:0 BEGIN #1 READ 4096 @4096 app(10) R\n"
			  "252:0 ISSUED #1\n"
			  "252:0 COMPLETE #1 4096\n"
			  "252:0 COMPLETE #0 - errno 28\n");
	EXPECT_EQ(d.events[0].time, 10u);
	EXPECT_EQ(d.events[1].time, 10u);
	EXPECT_EQ(d.events[2].time, 20u);
	EXPECT_EQ(d.events[4].time, 30u);
	EXPECT_EQ(seen(zram), (Seen{1, 8, 1, 8, 0, 0, 0}));
}

TEST_F(Block, TheBiosOfADeviceWithRequestsAreNone)
{
	bio("W", 0, 8);
	bio("W", 8, 8);
	issue("W", 0, 16);
	complete("W", 0, 16);
	bio("R", 64, 8);
	bio_end("R", 64, 8, sda, EIO); /* failed before it was a request */
	text();
	EXPECT_EQ(count(TALLY_begun), 1u);
	EXPECT_EQ(count(TALLY_bios_skipped), 1u);
}

TEST_F(Block, BiosThatWereTakenForOperationsAreCancelledByTheFirstRequest)
{
	bio("R", 64, 8);
	bio_end("R", 64, 8, sda, EIO);
	bio("W", 0, 8);
	issue("W", 0, 8);
	complete("W", 0, 8);
	std::string t = text();

	EXPECT_NE(t.find("CANCELLED #1 LOST\n"), std::string::npos) << t;
	EXPECT_NE(t.find("COMPLETE #2 4096\n"), std::string::npos) << t;
}

TEST_F(Block, ABioThatWasCutIsOneOperation)
{
	bio("R", 800, 8, zram);
	bio_end("R", 800, 8, zram);
	bio("W", 0, 64, zram);
	split("W", 0, 16, zram);
	split("W", 16, 16, zram);
	bio_end("W", 16, 16, zram);
	bio_end("W", 32, 32, zram, EIO);
	EXPECT_EQ(d.events.back().kind, IO_OP_ISSUED);
	bio_end("W", 0, 16, zram);
	std::string t = text();

	EXPECT_NE(t.find("BEGIN #1 WRITE 32768 @0"), std::string::npos) << t;
	EXPECT_NE(t.find("COMPLETE #1 16384 errno 5\n"), std::string::npos) << t;
	EXPECT_EQ(seen(zram), (Seen{1, 8, 1, 64, 0, 0, 0}));
	EXPECT_EQ(count(TALLY_in_flight), 0u);
}

TEST_F(Block, ABioWithoutDataIsAFlush)
{
	bio("FWS", 0, 0, zram);
	bio_end("WS", 0, 0, zram);
	EXPECT_EQ(text(), "252:0 BEGIN #0 FLUSH - @- app(10) FWS\n"
			  "252:0 ISSUED #0\n"
			  "252:0 COMPLETE #0 -\n");
}

TEST_F(Block, BiosWithoutAnEndAreLeftOutUnlessTheDeviceHasNoRequests)
{
	bio("W", 0, 8, sda);
	d.fact(FACT_DEVICE, {zram, 0, 1000, 0}, {"zram0", "", "", "", ""});
	bio("W", 0, 8, zram);
	EXPECT_EQ(text(), "zram0 BEGIN #0 WRITE 4096 @0 app(10) W\n"
			  "zram0 ISSUED #0\n"
			  "zram0 CANCELLED #0 RECORDING\n");
	EXPECT_EQ(count(TALLY_bios_skipped), 1u);
}

TEST_F(Block, SoManyBiosWithoutAnEndHaveNone)
{
	for (uint64_t i = 0; i < 20000; i++)
		bio("W", 8 * i, 8);
	EXPECT_EQ(text(), "");
	EXPECT_EQ(count(TALLY_bios_skipped), 16384u);
}

/* Samples. */

TEST_F(Block, AMemoryFactSamplesTheMachineAndTheDevices)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_ALL}, {"node7"});
	d.at(1000000000);
	insert("W", 0, 8);
	d.at(1000000100);
	issue("W", 0, 8);
	d.at(1000000400);
	complete("W", 0, 8);
	issue("R", 8, 8);
	issue("R", 16, 8);
	insert("W", 64, 8);
	d.at(1500000000);
	d.fact(FACT_MEMORY, {4096, 8192});
	ASSERT_EQ(d.metrics.size(), 2u);
	EXPECT_EQ(d.metrics[0], (std::vector<uint64_t>{4096, 8192}));
	EXPECT_EQ(d.metrics[1], (std::vector<uint64_t>{2, 1, 0, 8192, 300, 100}));
	const struct trace_device *dev = device(sda);

	EXPECT_EQ(trace_thread(d.trace, dev->samples)->kind, LOCATION_METRIC);
	EXPECT_EQ(trace_thread(d.trace, dev->samples)->process, dev->group);
	d.at(2000000000);
	d.fact(FACT_MEMORY, {0, 0});
	EXPECT_EQ(d.metrics[3], (std::vector<uint64_t>{2, 1, 0, 0, 0, 0}));
	EXPECT_STREQ(trace_text(d.trace, trace_series(d.trace, 0)->name), "memory");
	EXPECT_EQ(trace_series(d.trace, 1)->metrics, 6u);
	bool has_machine = false;

	for (uint32_t i = 0; i < trace_processes(d.trace); i++) {
		const struct trace_process *p = trace_process(d.trace, i);

		has_machine |= p->kind == TRACE_MACHINE &&
			       !strcmp(trace_text(d.trace, p->name), "node7");
	}
	EXPECT_TRUE(has_machine);
	text();
}

TEST_F(Block, PressureIsAShareOfTheInterval)
{
	d.at(1000000000);
	d.fact(FACT_PRESSURE, {5000000, 700000});
	EXPECT_TRUE(d.metrics.empty());
	d.at(2000000000);
	d.fact(FACT_PRESSURE, {5250000, 701000});
	ASSERT_EQ(d.metrics.size(), 1u);
	EXPECT_EQ(d.metrics[0], (std::vector<uint64_t>{250, 1}));
}

TEST_F(Block, WithoutAClockEndsAreSampledButNotTooOften)
{
	for (uint64_t i = 0; i < 100; i++) {
		d.at(1000000000 + 1000000 * i);
		issue("R", 0, 8);
		complete("R", 0, 8);
	}
	EXPECT_EQ(d.metrics.size(), 9u);
	EXPECT_EQ(d.metrics[0], (std::vector<uint64_t>{0, 0, 4505599, 0, 1, 0}));
	text();
	EXPECT_EQ(d.metrics.size(), 10u) << "and what is left at the end";
}

TEST_F(Block, SamplesOnlyHasNoOperations)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_ALL, BLOCK_SAMPLES});
	issue("R", 0, 8);
	d.now += 20000000;
	complete("R", 0, 8);
	EXPECT_EQ(text(), "");
	EXPECT_EQ(d.metrics.size(), 1u);
	EXPECT_EQ(count(TALLY_begun), 0u);
	EXPECT_EQ(seen(sda), (Seen{1, 8, 0, 0, 0, 0, 0}));
	EXPECT_EQ(device(sda)->location, ID_NONE);
}

TEST_F(Block, OwnRequestsAreSampledWithThoseOfOthers)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 0, BLOCK_OWN});
	d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
	d.pid = 99;
	d.at(1000000000);
	issue("R", 800, 8);
	issue("R", 0, 8);
	complete("R", 800, 8);
	d.fact(FACT_MEMORY, {0, 0});
	EXPECT_EQ(d.metrics.size(), 1u)
		<< "nothing of it is recorded, and so it has no samples yet";
	d.pid = 10;
	issue("W", 64, 8);
	d.at(1500000000);
	complete("R", 0, 8);
	d.at(2000000000);
	d.fact(FACT_MEMORY, {0, 0});
	ASSERT_EQ(d.metrics.size(), 3u);
	EXPECT_EQ(d.metrics[2][0], 0u);
	EXPECT_EQ(d.metrics[2][1], 1u);
	EXPECT_EQ(d.metrics[2][2] / 2, 4096u / 2) << "bytes that somebody else read";
	EXPECT_EQ(text(), "8:0 BEGIN #0 WRITE 4096 @32768 app(10) W\n"
			  "8:0 ISSUED #0\n"
			  "8:0 CANCELLED #0 RECORDING\n");
}

TEST_F(Block, EventsOnlyHasNoSamples)
{
	d.fact(FACT_HOST, {1, 4096, 2, 0, 100, 1, BLOCK_ALL, BLOCK_EVENTS});
	issue("R", 0, 8);
	d.now += 20000000;
	complete("R", 0, 8);
	d.fact(FACT_MEMORY, {1, 2});
	d.fact(FACT_PRESSURE, {1, 2});
	text();
	EXPECT_TRUE(d.metrics.empty());
	EXPECT_EQ(count(TALLY_completed), 1u);
}

TEST_F(Block, LoopAndTheDeviceUnderItAreTwo)
{
	d.fact(FACT_DEVICE, {loop, 0, 1000, 0}, {"loop0", "", "none", "", "/tmp/img"});
	issue("W", 0, 8, loop);
	issue("W", 5000, 8);
	complete("W", 5000, 8);
	complete("W", 0, 8, 0, loop);
	EXPECT_EQ(text(), "loop0 BEGIN #0 WRITE 4096 @0 app(10) W\n"
			  "loop0 ISSUED #0\n"
			  "8:0 BEGIN #1 WRITE 4096 @2560000 app(10) W\n"
			  "8:0 ISSUED #1\n"
			  "8:0 COMPLETE #1 4096\n"
			  "loop0 COMPLETE #0 4096\n");
	EXPECT_STREQ(trace_text(d.trace, device(loop)->backing), "/tmp/img");
}

} // namespace
