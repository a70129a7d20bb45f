/*
 * A model that continues another one knows the files of all descriptors, and has only operations that began after that.
 */
#include "model_driver.h"

#include <gtest/gtest.h>

namespace
{

class Carry : public ::testing::Test
{
      protected:
	ModelDriver before, after;

	/* Everything from now on goes to `after`. */
	void carry(bool has_positions = true)
	{
		after.at(before.now);
		model_begin_at(after.model, before.now);
		model_continue(after.model, before.model, has_positions);
	}

	static void open(ModelDriver &d, uint32_t pid, int fd, const char *path)
	{
		d.pair(pid, pid, "openat", d.now - 1, {(uint64_t)AT_FDCWD, 0, O_RDWR}, fd,
		       {.made = {{.fd = fd, .name = path}}, .paths = {path}});
	}

	static void read(ModelDriver &d, uint32_t pid, uint64_t fd, uint64_t bytes)
	{
		d.enter(pid, pid, "read", {fd, 0, bytes});
		d.leave(pid, pid, "read", (int64_t)bytes);
	}

	/* The model must not count anything twice, and must not leak. */
	void expect_balance()
	{
		before.end();
		after.end();
		EXPECT_EQ(before.unbalanced(), "");
		EXPECT_EQ(after.unbalanced(), "");
	}
};

TEST_F(Carry, FilesThatWereOpenedBeforeHaveTheirNames)
{
	open(before, 7, 3, "/data/a");
	open(before, 7, 4, "/data/b");
	before.call(7, 7, "close", {4}, 0);
	carry();
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n");
	EXPECT_EQ(after.path(0), "/data/a");
	EXPECT_TRUE(trace_handle(after.trace, 0)->is_pre_created);
	expect_balance();
}

TEST_F(Carry, PositionsAreKnownOnlyIfEveryCallWasSeen)
{
	open(before, 7, 3, "/data/a");
	read(before, 7, 3, 100);
	carry(false);
	read(after, 7, 3, 10);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @-\n7 OP_COMPLETE h0 10\n");
	expect_balance();
}

TEST_F(Carry, AChildThatWasForkedBeforeSharesTheDescription)
{
	open(before, 7, 3, "/data/a");
	before.fork(7, 7, 8, 8);
	carry();
	read(after, 7, 3, 10);
	read(after, 8, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n"
				"8 OP_BEGIN h0 20 @10\n8 OP_COMPLETE h0 20\n");
	expect_balance();
}

TEST_F(Carry, DescriptorsOfADuplicateShareThePosition)
{
	open(before, 7, 3, "/data/a");
	before.call(7, 7, "dup", {3}, 5);
	carry();
	read(after, 7, 5, 10);
	read(after, 7, 3, 20);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n"
				"7 OP_BEGIN h1 20 @10\n7 OP_COMPLETE h1 20\n");
	EXPECT_EQ(after.path(1), "/data/a");
	expect_balance();
}

TEST_F(Carry, ThreadsThatShareATableStillDo)
{
	before.fork(7, 7, 8, 8);
	before.clone_flags(7, 7, 0x400); /* CLONE_FILES */
	open(before, 7, 3, "/data/a");
	carry();
	open(after, 7, 4, "/data/b");
	read(after, 8, 3, 10);
	read(after, 8, 4, 20);
	EXPECT_EQ(after.text(),
		  "7 CREATE_HANDLE h0 /data/b\n8 OP_BEGIN h1 10 @0\n8 OP_COMPLETE h1 10\n"
		  "8 OP_BEGIN h2 20 @0\n8 OP_COMPLETE h2 20\n");
	EXPECT_EQ(after.path(1), "/data/a");
	EXPECT_EQ(after.path(2), "/data/b");
	expect_balance();
}

TEST_F(Carry, ACallInFlightIsLeftOutButTakesEffect)
{
	before.enter(7, 7, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, {"/data/a"});
	carry();
	after.leave(7, 7, "openat", 3);
	after.fd(7, 3, "/data/a", 1, after.now);
	read(after, 7, 3, 10);
	after.end();
	EXPECT_EQ(after.text(false),
		  "7 CREATE_HANDLE h0 /data/a\n7 ENTER read\n7 OP_BEGIN h0 10 @0\n"
		  "7 OP_COMPLETE h0 10\n7 LEAVE read\n");
	before.end();
	EXPECT_EQ(after.unbalanced(), "");
}

/* A record of BPF programs comes at the end of a call. */
TEST_F(Carry, APairedCallThatBeganBeforeIsLeftOut)
{
	open(before, 7, 3, "/data/a");
	uint64_t begin = before.now - 1;

	carry();
	after.pair(7, 7, "read", begin, {3, 0, 10}, 10, {.position = 10});
	after.pair(7, 7, "read", after.now - 1, {3, 0, 20}, 20, {.position = 30});
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @10\n7 OP_COMPLETE h0 20\n");
	expect_balance();
}

TEST_F(Carry, ADeletedFileIsNotTheNewOneOfItsName)
{
	before.pair(7, 7, "openat", before.now - 1, {(uint64_t)AT_FDCWD, 0, O_RDWR}, 3,
		    {.made = {{.fd = 3, .name = "/data/a", .ino = 5, .is_deleted = true}}});
	carry();
	open(after, 7, 4, "/data/a");
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	ASSERT_EQ(trace_handles(after.trace), 2u);
	EXPECT_NE(trace_handle(after.trace, 0)->file, trace_handle(after.trace, 1)->file);
	expect_balance();
}

TEST_F(Carry, NamesOfProcessesAndTheirArgumentsAreThere)
{
	before.fact(FACT_TASK, {7, 7, 1}, {"app", "/bin/app", std::string("app\0-x\0", 7)});
	open(before, 7, 3, "/data/a");
	carry();
	read(after, 7, 3, 10);
	const struct trace_process *process = trace_process(after.trace, 0);

	EXPECT_STREQ(trace_text(after.trace, process->name), "app");
	EXPECT_EQ(process->pid, 7u);
	EXPECT_EQ(strtab_length(trace_strings(after.trace), process->argv), 6u);
	expect_balance();
}

/* The fact about the command would have its process begin again. */
TEST_F(Carry, TheCommandHasBegunAlready)
{
	for (ModelDriver *d : {&before, &after})
		d->fact(FACT_COMMAND, {7}, {std::string("app\0", 4), "/"});
	before.comm(7, 7, "app", true);
	open(before, 7, 3, "/data/a");
	carry();
	read(after, 7, 3, 10);
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 10 @0\n7 OP_COMPLETE h0 10\n");
	expect_balance();
}

/* OTF2 wants both or none. */
TEST_F(Carry, AProgramWithoutABeginHasNoEnd)
{
	before.fork(7, 7, 8, 8);
	before.comm(8, 8, "app", true);
	open(before, 8, 3, "/data/a");
	carry();
	read(after, 8, 3, 10);
	after.exit(8, 8);
	EXPECT_EQ(after.text(),
		  "8 OP_BEGIN h0 10 @0\n8 OP_COMPLETE h0 10\n8 DESTROY_HANDLE h0 /data/a\n");
	expect_balance();
}

TEST_F(Carry, NamesThatAreExcludedStayExcluded)
{
	for (ModelDriver *d : {&before, &after})
		d->fact(FACT_FILTER, {FILTER_PATH_INCLUDED}, {"/data/*"});
	open(before, 7, 3, "/etc/secret");
	open(before, 7, 4, "/data/a");
	carry();
	read(after, 7, 3, 10);
	read(after, 7, 4, 20);
	after.end();
	EXPECT_EQ(after.text(), "7 OP_BEGIN h0 20 @0\n7 OP_COMPLETE h0 20\n");
	before.end();
}

TEST_F(Carry, MappedFilesAreKnown)
{
	open(before, 7, 3, "/data/a");
	before.call(7, 7, "mmap", {0, 4096, 3, 1, 3, 0}, 0x10000);
	before.call(7, 7, "close", {3}, 0);
	carry();
	after.call(7, 7, "msync", {0x10000, 4096, 4}, 0);
	ASSERT_EQ(trace_handles(after.trace), 1u) << after.text();
	EXPECT_EQ(after.path(0), "/data/a");
	expect_balance();
}

} // namespace
