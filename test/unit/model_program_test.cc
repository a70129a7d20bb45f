/*
 * The words that processes were called with, and how they ended.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

namespace
{

/* A shell, process 10, forks 11. */
class Program : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0, 0, 0},
		       {"sh", "/bin/sh", std::string("sh\0-c\0a b\0", 10)});
		d.start_fd(10, 3, "/data/a");
		d.fork(10, 10, 11, 11);
	}

	/* Both have a location. */
	void use()
	{
		for (uint32_t pid : {10u, 11u})
			d.call(pid, pid, "read", {3, 0, 10}, 10);
	}

	void execute(uint32_t pid)
	{
		d.enter(pid, pid, "execve");
		d.comm(pid, pid, "true", true);
		d.leave(pid, pid, "execve", 0);
	}

	void arguments(uint32_t pid, const std::string &words, bool is_cut = false)
	{
		struct event e = d.base(EVENT_ARGUMENTS, pid, pid);

		e.arguments.words = {words.data(), (uint32_t)words.size()};
		e.arguments.is_cut = is_cut;
		model_event(d.model, &e);
	}

	void found(uint32_t pid, uint64_t t0, const std::string &words)
	{
		d.fact(FACT_EXE, {pid, t0, 0, 0, 0, 0}, {"/bin/true", words});
	}

	void status(uint32_t pid, int32_t wait)
	{
		struct event e = d.base(EVENT_STATUS, pid, pid);

		e.status = wait;
		model_event(d.model, &e);
	}

	/* With a bar between, and three dots where they are not all. */
	std::string words(process_id id)
	{
		const struct trace_process *p = trace_process(d.trace, id);
		const struct strtab *strings = trace_strings(d.trace);
		std::string all(strtab_text(strings, p->argv), strtab_length(strings, p->argv));

		for (char &c : all)
			c = c ? c : '|';
		return all + (p->is_argv_cut ? "..." : "");
	}

	/* The statuses of all programs that ended. */
	std::string ends()
	{
		std::string all;

		d.end();
		for (const io_event &e : d.events)
			if (e.kind == IO_PROGRAM_END)
				all += std::to_string(e.program.exit_status) + "@" +
				       std::to_string(e.time) + " ";
		return all;
	}
};

TEST_F(Program, AChildHasTheWordsOfItsParentUntilItExecutes)
{
	use();
	EXPECT_EQ(words(0), "sh|-c|a b");
	EXPECT_EQ(words(1), "sh|-c|a b");
	execute(11);
	EXPECT_EQ(words(0), "sh|-c|a b");
	EXPECT_EQ(words(1), "") << "nobody said them yet";
}

TEST_F(Program, TheKernelSaysThemAtAnExec)
{
	use();
	d.enter(11, 11, "execve");
	d.comm(11, 11, "true", true);
	arguments(11, std::string("true\0\0x\0\0", 9));
	d.leave(11, 11, "execve", 0);
	EXPECT_EQ(words(0), "sh|-c|a b");
	EXPECT_EQ(words(1), "true||x|") << "the second and the last are empty";
	arguments(11, std::string("true\0lon", 8), true);
	EXPECT_EQ(words(1), "true|lon...");
	arguments(4711, "nobody");
}

TEST_F(Program, WhatIsFoundIsBelieved)
{
	use();
	execute(11);
	found(11, d.now++, std::string("true\0x\0", 7));
	EXPECT_EQ(words(1), "true|x");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 0u);
}

TEST_F(Program, WhatWasReadBeforeAnExecIsNot)
{
	use();
	uint64_t before = d.now++;

	execute(11);
	found(11, before, std::string("sh\0", 3));
	EXPECT_EQ(words(1), "");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 1u);
}

TEST_F(Program, WhatIsReadDuringTheNextExecIsNot)
{
	use();
	execute(11);
	d.enter(11, 11, "execve");
	found(11, d.now++, std::string("next\0", 5));
	EXPECT_EQ(words(1), "");
	d.comm(11, 11, "next", true);
	found(11, d.now++, std::string("next\0", 5));
	EXPECT_EQ(words(1), "next") << "it began before, and its call has not returned";
}

TEST_F(Program, TheCommandKeepsWhatItWasCalledWith)
{
	ModelDriver c;

	c.fact(FACT_COMMAND, {20, 0}, {std::string("./script\0x", 10), "/home"});
	c.fact(FACT_TASK, {20, 20, 1, 0, 0, 0, 0}, {"iotrace", "/bin/iotrace", "iotrace"});
	c.comm(20, 20, "script", true);
	struct event e = c.base(EVENT_ARGUMENTS, 20, 20);

	e.arguments.words = {"/bin/sh\0./script\0x", 18};
	model_event(c.model, &e);
	c.call(20, 20, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
	EXPECT_STREQ(trace_text(c.trace, trace_process(c.trace, 0)->argv), "./script");
	c.comm(20, 20, "other", true);
	e.time = c.now++;
	e.arguments.words = {"other", 5};
	model_event(c.model, &e);
	EXPECT_STREQ(trace_text(c.trace, trace_process(c.trace, 0)->argv), "other");
}

TEST_F(Program, EndsWithItsStatus)
{
	use();
	status(11, 3 << 8);
	d.at(5000);
	d.exit(11, 11);
	EXPECT_EQ(ends(), "768@5000 ");
	EXPECT_EQ(trace_process(d.trace, 1)->status, 768);
}

TEST_F(Program, EndsWithoutIt)
{
	use();
	d.at(5000);
	d.exit(11, 11);
	EXPECT_EQ(ends(), "-1@5000 ");
}

/* Who recorded it has waited for it: that is told last. */
TEST_F(Program, OfTheCommandComesLater)
{
	for (bool has_fact : {true, false}) {
		ModelDriver c;

		c.fact(FACT_COMMAND, {20, 0}, {"app", "/home"});
		c.comm(20, 20, "app", true);
		c.call(20, 20, "openat", {(uint64_t)AT_FDCWD, 0, 0}, 3);
		c.at(7000);
		c.exit(20, 20);
		c.at(9000);
		if (has_fact)
			c.fact(FACT_EXIT, {20, 15});
		c.end();
		ASSERT_EQ(c.events.back().kind, IO_PROGRAM_END);
		EXPECT_EQ(c.events.back().time, 7000u);
		EXPECT_EQ(c.events.back().program.exit_status, has_fact ? 15 : -1);
	}
}

} // namespace
