/*
 * An exec after which the kernel takes perf's events off the process, as of a set-uid program: perf then says EXIT while the
 * call is in flight, and the process goes on.
 */

#include <gtest/gtest.h>

#include "model_driver.h"

namespace
{

class Exec : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"sh", "/bin/sh"});
		d.start_fd(10, 3, "/data/a");
		d.fork(10, 10, 11, 11);
		d.call(11, 11, "write", {3, 0, 10}, 10);
	}

	uint32_t processes() const
	{
		return trace_processes(d.trace);
	}

	/* How many handles were destroyed by now. */
	size_t destroyed() const
	{
		size_t count = 0;

		for (const io_event &e : d.events)
			count += e.kind == IO_DESTROY_HANDLE;
		return count;
	}
};

TEST_F(Exec, AProcessThatLosesItsEventsIsTheSame)
{
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	d.leave(11, 11, "execve", 0);
	d.call(11, 11, "write", {3, 0, 7}, 7);
	EXPECT_EQ(processes(), 2u);
	EXPECT_EQ(destroyed(), 0u);
	ASSERT_EQ(d.events[d.events.size() - 2].kind, IO_OP_COMPLETE);
	EXPECT_EQ(d.path(d.events[d.events.size() - 2].handle), "/data/a");
	d.exit(11, 11);
	EXPECT_EQ(destroyed(), 1u) << "now it has ended";
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u);
}

/* The same in a recording of some processes by perf: nothing more is heard of it. */
TEST_F(Exec, AProcessThatPerfLosesIsCounted)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	EXPECT_EQ(tally_get(&d.tally, detached), 1u);
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u);
	EXPECT_EQ(d.line(d.events.back()), "11 LEAVE execve");
	EXPECT_EQ(processes(), 2u);
	EXPECT_EQ(destroyed(), 0u);
}

/* Nobody sees its end, so it does not count as running. */
TEST_F(Exec, AProcessThatPerfLosesIsNotLeft)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	d.end();
	EXPECT_EQ(trace_host(d.trace)->processes_left, 1u) << "process 10";
}

/* One that is found again is followed to its end. */
TEST_F(Exec, AProcessThatPerfFindsAgainMayBeLeft)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	d.fact(FACT_GAP, {GAP_RESUMED, 1, 0, 11, 1000, 4500});
	d.end();
	EXPECT_EQ(trace_host(d.trace)->processes_left, 2u);
}

/* Perf has no end of the exec of a 32-bit program. EXIT is the end of the process then. */
TEST_F(Exec, A32BitProgramThatEndsWasNotLost)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	d.enter(11, 11, "execve");
	d.comm(11, 11, "old", true);
	d.fact(FACT_EXE, {11, d.now, 0, 1}, {"/bin/old", "old"});
	d.exit(11, 11);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 1u);
	EXPECT_EQ(tally_get(&d.tally, detached), 0u);
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u);
	EXPECT_EQ(destroyed(), 1u) << "it has ended";
	d.end();
	EXPECT_EQ(trace_host(d.trace)->processes_left, 1u) << "process 10";
}

/* Its events are opened again: what it did meanwhile is not known, and what it has open only when it is looked up. */
TEST_F(Exec, AProcessThatPerfFindsAgainGoesOn)
{
	d.fact(FACT_SOURCE, {TRACE_SOURCE_PERF, 0}, {"", ""});
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	d.fact(FACT_GAP, {GAP_RESUMED, 1, 0, 11, 1000, 4500});
	EXPECT_EQ(tally_get(&d.tally, detached), 0u);
	EXPECT_EQ(tally_get(&d.tally, resumed), 1u);
	EXPECT_EQ(tally_get(&d.tally, resumed_us), 4u);
	d.call(11, 11, "write", {3, 0, 7}, 7);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u) << "it may have been closed meanwhile";
	d.call(10, 10, "write", {3, 0, 7}, 7);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u) << "of others nothing is missing";
	EXPECT_EQ(processes(), 2u);
	d.exit(11, 11);
	EXPECT_EQ(tally_get(&d.tally, detached), 0u) << "now it has ended";
	d.fact(FACT_GAP, {GAP_RESUMED, 1, 0, 4711, 1000, 4500});
	EXPECT_EQ(tally_get(&d.tally, resumed), 1u) << "nobody knows it";
}

TEST_F(Exec, WhatIsMissedIsCounted)
{
	d.fact(FACT_GAP, {0, 2});
	d.fact(FACT_GAP, {1, 3});
	d.fact(FACT_GAP, {2, 5});
	d.fact(FACT_GAP, {3, 6});
	d.fact(FACT_GAP, {99, 4});
	EXPECT_EQ(tally_get(&d.tally, cpus_unseen), 2u);
	EXPECT_EQ(tally_get(&d.tally, untraced), 3u);
	EXPECT_EQ(tally_get(&d.tally, unstored), 5u);
	EXPECT_EQ(tally_get(&d.tally, missed), 6u);
	d.call(10, 10, "write", {3, 0, 10}, 10);
	EXPECT_EQ(tally_get(&d.tally, doubtful_fds), 1u) << "it may have been closed meanwhile";
}

TEST_F(Exec, WhatTheKernelRefusesIsMissing)
{
	d.call(10, 10, "io_uring_enter", {3, 1}, 1);
	EXPECT_EQ(tally_get(&d.tally, uring_unseen), 0u);
	d.fact(FACT_REFUSED, {REFUSED_NOTHING}, {"record locks", "why", "perf"});
	EXPECT_EQ(tally_get(&d.tally, refused), 0u);
	d.fact(FACT_REFUSED, {REFUSED_ALL}, {"reads of mapped files", "why", ""});
	EXPECT_EQ(tally_get(&d.tally, refused), 1u);
	d.fact(FACT_REFUSED, {REFUSED_URING}, {"io_uring requests", "why", ""});
	EXPECT_EQ(tally_get(&d.tally, refused), 1u) << "nobody has asked for any yet";
	d.call(10, 10, "write", {3, 0, 10}, 10);
	d.call(10, 10, "io_uring_enter", {3, 1}, uint64_t(-9));
	EXPECT_EQ(tally_get(&d.tally, uring_unseen), 0u);
	d.call(10, 10, "io_uring_enter", {3, 1}, 1);
	EXPECT_EQ(tally_get(&d.tally, uring_unseen), 1u);
	ASSERT_EQ(trace_refusals(d.trace), 3u);
	EXPECT_STREQ(trace_text(d.trace, trace_refused(d.trace, 0)->name), "record locks");
	EXPECT_STREQ(trace_text(d.trace, trace_refused(d.trace, 0)->instead), "perf");
	EXPECT_EQ(trace_refused(d.trace, 1)->instead, 0u);
	for (int i = 0; i < 100; i++)
		d.fact(FACT_REFUSED, {REFUSED_NOTHING}, {"more", "than a kernel can", ""});
	EXPECT_EQ(trace_refusals(d.trace), 32u);
}

/* The numbers of EXE up to has_rank, rank, ranks. */
TEST_F(Exec, ARankIsThatOfTheEnvironmentAndOfChildren)
{
	auto rank = [this](uint32_t pid) {
		std::string found = "none";

		for (process_id p = 0; p < trace_processes(d.trace); p++) {
			const struct trace_process *of = trace_process(d.trace, p);

			if (of->pid == pid)
				found = of->rank.is_known ? std::to_string(of->rank.number) + "/" +
								    std::to_string(of->rank.of)
							  : "-";
		}
		return found;
	};

	d.call(10, 10, "write", {3, 0, 10}, 10);
	EXPECT_EQ(rank(10), "-");
	d.comm(10, 10, "ior", true);
	d.fork(10, 10, 20, 20); /* before the look-up */
	d.call(20, 20, "write", {3, 0, 10}, 10);
	d.fork(20, 20, 30, 30);
	EXPECT_EQ(rank(20), "-");
	d.fact(FACT_EXE, {10, d.now, 0, 0, 0, 0, 1, 3, 4}, {"/ior", ""});
	EXPECT_EQ(rank(10), "3/4");
	EXPECT_EQ(rank(20), "3/4") << "it was forked before the look-up";
	d.call(30, 30, "write", {3, 0, 10}, 10);
	EXPECT_EQ(rank(30), "3/4");
	d.fork(10, 10, 40, 40);
	d.call(40, 40, "write", {3, 0, 10}, 10);
	EXPECT_EQ(rank(40), "3/4");
	d.comm(40, 40, "env", true);
	d.fact(FACT_EXE, {40, d.now, 0, 0, 0, 0, 0, 0, 0}, {"/env", ""});
	EXPECT_EQ(rank(40), "3/4") << "an empty environment says nothing";
	d.fact(FACT_EXE, {40, 1, 0, 0, 0, 0, 1, 9, 10}, {"/env", ""});
	EXPECT_EQ(rank(40), "3/4") << "it is of the program before";
	d.comm(40, 40, "sub", true);
	d.fact(FACT_EXE, {40, d.now, 0, 0, 0, 0, 1, 5, 0}, {"/sub", ""});
	EXPECT_EQ(rank(40), "5/0");
	EXPECT_EQ(rank(10), "3/4");
}

TEST_F(Exec, TheJobIsKnown)
{
	EXPECT_EQ(trace_host(d.trace)->job.system, 0u);
	d.fact(FACT_JOB, {2, 16}, {"Slurm", "77", "heat", "anna"});
	EXPECT_STREQ(trace_text(d.trace, trace_host(d.trace)->job.id), "77");
	EXPECT_STREQ(trace_text(d.trace, trace_host(d.trace)->job.user), "anna");
	EXPECT_EQ(trace_host(d.trace)->job.nodes, 2u);
	EXPECT_EQ(trace_host(d.trace)->job.ranks, 16u);
}

TEST_F(Exec, OptionsAreKnownWithTheirPlace)
{
	d.fact(FACT_OPTION, {3, 0}, {"/etc/iotrace/options", "--top"});
	d.fact(FACT_OPTION, {0, 0}, {"command line", "-q"});
	ASSERT_EQ(trace_options(d.trace), 2u);
	EXPECT_STREQ(trace_text(d.trace, trace_option(d.trace, 0)->from), "/etc/iotrace/options");
	EXPECT_STREQ(trace_text(d.trace, trace_option(d.trace, 0)->words), "--top");
	EXPECT_EQ(trace_option(d.trace, 0)->line, 3u);
	EXPECT_EQ(trace_option(d.trace, 1)->line, 0u);
	for (int i = 0; i < 2000; i++)
		d.fact(FACT_OPTION, {0, 0}, {"a capture", "may say anything"});
	EXPECT_EQ(trace_options(d.trace), 1024u);
}

/* int $0x80 in a program of 64 bits: read() has the number of close() there. */
TEST_F(Exec, ACallOfTheOtherTableIsCounted)
{
	struct event call = d.base(EVENT_FOREIGN, 10, 10);

	model_event(d.model, &call);
	EXPECT_EQ(tally_get(&d.tally, foreign_apart), 1u);
	d.call(10, 10, "write", {3, 0, 10}, 10);
	EXPECT_EQ(tally_get(&d.tally, doubtful_foreign), 1u) << "it may have been closed";
	d.program(10, true);
	model_event(d.model, &call);
	EXPECT_EQ(tally_get(&d.tally, foreign_apart), 1u);
	EXPECT_EQ(tally_get(&d.tally, foreign_calls), 1u) << "all its calls are of 32 bits";
}

/* Perf delivers few calls of such a program, or none: the process itself is what is missing. */
TEST_F(Exec, AProcessWithAProgramOf32BitsIsCountedOnce)
{
	d.program(10, true);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 1u);
	d.fact(FACT_EXE, {10, d.now, 0, 1}, {"/bin/old"});
	d.call(10, 10, "write", {3, 0, 10}, 10);
	d.fact(FACT_TASK, {20, 20, 1, 0, 1}, {"old", "/bin/old"});
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 2u) << "one that runs already";
	d.call(20, 20, "write", {3, 0, 10}, 10);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 2u);
	d.program(11, false);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 2u);
}

TEST_F(Exec, AnIdleProcessWithAProgramOf32BitsMissesNothingThroughBpf)
{
	struct event call = d.base(EVENT_FOREIGN, 20, 20);

	d.fact(FACT_SOURCE, {TRACE_SOURCE_BPF}, {""});
	d.fact(FACT_TASK, {20, 20, 1, 0, 1}, {"old", "/bin/old"});
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 0u);
	model_event(d.model, &call);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 1u);
	EXPECT_EQ(tally_get(&d.tally, foreign_calls), 1u);
}

TEST_F(Exec, AProgramOf32BitsThatIsNotChosenIsNotMissing)
{
	d.fact(FACT_FILTER, {FILTER_COMM}, {"dd"});
	d.comm(10, 10, "old", true);
	d.program(10, true);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 0u);
	d.comm(11, 11, "dd", true);
	d.program(11, true);
	EXPECT_EQ(tally_get(&d.tally, foreign_processes), 1u);
}

TEST_F(Exec, AlsoIfAnotherThreadExecutes)
{
	d.fork(11, 11, 11, 12);
	d.enter(11, 12, "execve");
	d.exit(11, 11);
	d.comm(11, 11, "su", true);
	d.exit(11, 11);
	d.leave(11, 11, "execve", 0);
	d.call(11, 11, "write", {3, 0, 7}, 7);
	EXPECT_EQ(processes(), 2u);
	EXPECT_EQ(destroyed(), 0u);
}

TEST_F(Exec, AProcessThatDiesAfterItIsGone)
{
	d.enter(11, 11, "execve");
	d.comm(11, 11, "su", true);
	d.leave(11, 11, "execve", 0);
	d.exit(11, 11);
	EXPECT_EQ(destroyed(), 1u);
}

TEST_F(Exec, AProcessThatIsKilledBeforeItsProgramIsReplacedIsGone)
{
	d.enter(11, 11, "execve");
	d.exit(11, 11);
	EXPECT_EQ(destroyed(), 1u);
}

TEST_F(Exec, AFailureIsNoReason)
{
	d.call(11, 11, "execve", {}, -ENOENT);
	d.comm(11, 11, "renamed", true);
	d.exit(11, 11);
	EXPECT_EQ(destroyed(), 1u);
}

} // namespace
