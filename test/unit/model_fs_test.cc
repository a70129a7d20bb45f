/*
 * The root directory and the mount namespace of each process: as they were last, or not known.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <sched.h>

namespace
{

/* Process 10 is in namespace 7. */
class Root : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1}, {"sh", "/bin/sh", ""});
		d.start_fd(10, 3, "/data/a");
		found(10, "/", 7);
	}

	void found(uint32_t pid, const std::string &path, uint64_t space)
	{
		d.fact(FACT_ROOT, {pid, d.now, 0, space}, {path});
	}

	void clone(uint32_t child, uint64_t flags)
	{
		d.enter(10, 10, "clone", {flags});
		d.fork(10, 10, child, child);
		d.leave(10, 10, "clone", child);
	}

	void chroot(uint32_t pid, const char *call, const std::string &path, uint64_t space)
	{
		Paired with;

		with.made = {Made{-1, "/"}, Made{-1, path}};
		with.made[1].position = space;
		d.pair(pid, pid, call, d.now, {}, 0, with);
	}

	void open()
	{
		d.call(10, 10, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR}, 5);
	}

	/* The name of descriptor 5, which is looked up for this process now. */
	std::string looked_up(uint32_t pid = 10)
	{
		d.fd(pid, 5, "/f", 1, d.now);
		d.end();
		const struct trace_handle *h = trace_handle(d.trace, trace_handles(d.trace) - 1);

		return h->name ? trace_text(d.trace, h->name) : "?";
	}

	/* "PATH NAMESPACE" of the process, which does its I/O now. */
	std::string root(uint32_t pid)
	{
		d.call(pid, pid, "read", {3, 0, 10}, 10);
		for (process_id p = 0; p < trace_processes(d.trace); p++) {
			const struct trace_process *process = trace_process(d.trace, p);

			if (process->pid == pid)
				return std::string(process->root
							   ? trace_text(d.trace, process->root)
							   : "?") +
				       " " + std::to_string(process->mount_namespace);
		}
		return "no process";
	}
};

TEST_F(Root, IsWhatWasLookedUp)
{
	EXPECT_EQ(root(10), "/ 7");
	found(10, "/jail", 8);
	EXPECT_EQ(root(10), "/jail 8") << "of a process that has a location";
	d.fact(FACT_ROOT, {10, d.now, 2, 0}, {""});
	EXPECT_EQ(root(10), "/jail 8") << "a look-up that failed";
	EXPECT_EQ(root(99), "? 0") << "nobody looked";
}

TEST_F(Root, ComesFromTheParent)
{
	clone(20, 0);
	EXPECT_EQ(root(20), "/ 7");
	clone(30, CLONE_NEWNS);
	EXPECT_EQ(root(30), "/ 0");
	EXPECT_EQ(root(10), "/ 7");
}

TEST_F(Root, ALookUpBesideACallThatChangesItIsNotBelieved)
{
	uint64_t before = d.now;

	d.enter(10, 10, "chroot", {0}, {"/jail"});
	found(10, "/", 7);
	d.leave(10, 10, "chroot", 0);
	EXPECT_EQ(root(10), "? 0");
	d.fact(FACT_ROOT, {10, before, 0, 7}, {"/"});
	EXPECT_EQ(root(10), "? 0");
	EXPECT_EQ(tally_get(&d.tally, lookups_refused), 2u);
	found(10, "/jail", 7);
	EXPECT_EQ(root(10), "/jail 7");
}

TEST_F(Root, IsSaidByThePairedCall)
{
	chroot(10, "chroot", "/jail", 7);
	EXPECT_EQ(root(10), "/jail 7");
	d.pair(10, 10, "chroot", d.now, {}, -ENOENT, {});
	EXPECT_EQ(root(10), "/jail 7") << "a call that failed";
	chroot(10, "setns", "/", 8);
	EXPECT_EQ(root(10), "/ 8");
	d.pair(10, 10, "chdir", d.now, {}, 0, {});
	EXPECT_EQ(root(10), "/ 8") << "a directory is no root";
}

TEST_F(Root, IsThatOfTheFirstThread)
{
	d.enter(10, 10, "clone", {CLONE_THREAD});
	d.fork(10, 10, 10, 11);
	d.leave(10, 10, "clone", 11);
	Paired with;

	with.made = {Made{-1, "/"}, Made{-1, "/jail"}};
	d.pair(10, 11, "chroot", d.now, {}, 0, with);
	EXPECT_EQ(root(10), "? 0") << "the thread may have one of its own";
}

TEST_F(Root, IsSharedWithCloneFs)
{
	clone(20, CLONE_FS);
	EXPECT_EQ(root(20), "/ 7");
	chroot(20, "chroot", "/jail", 7);
	EXPECT_EQ(root(10), "/jail 7");
}

TEST_F(Root, APivotMovesAllThatHadTheSame)
{
	clone(20, 0);
	clone(30, 0);
	found(30, "/jail", 7);
	EXPECT_EQ(root(20) + root(30), "/ 7/jail 7");
	chroot(10, "pivot_root", "/", 7);
	EXPECT_EQ(root(10), "/ 7");
	EXPECT_EQ(root(20), "? 7");
	EXPECT_EQ(root(30), "/jail 7");
}

TEST_F(Root, AFileIsNamedFromTheOneThatItWasOpenedIn)
{
	d.call(10, 10, "chroot", {0}, 0);
	open();
	d.call(10, 10, "chdir", {0}, 0);
	clone(20, 0);
	d.call(20, 20, "chroot", {0}, 0);
	EXPECT_EQ(looked_up(), "/f") << "another process has another root";
}

TEST_F(Root, AFileThatWasOpenedBeforeHasNoNameFromAfterIt)
{
	open();
	d.call(10, 10, "chroot", {0}, 0);
	EXPECT_EQ(looked_up(), "?");
}

TEST_F(Root, AFileHasNoNameFromBesideTheCallThatChangesIt)
{
	open();
	d.enter(10, 11, "chroot", {0});
	EXPECT_EQ(looked_up(), "?");
}

TEST_F(Root, AFileHasNoNameFromAfterThatOfWhoSharesItChanged)
{
	clone(20, CLONE_FS);
	open();
	d.call(20, 20, "chroot", {0}, 0);
	EXPECT_EQ(looked_up(), "?");
}

TEST_F(Root, AFileHasNoNameFromAfterAPivotOfAnother)
{
	clone(20, 0);
	open();
	d.call(20, 20, "pivot_root", {0, 0}, 0);
	EXPECT_EQ(looked_up(), "?");
}

TEST_F(Root, AFileThatAChildHasIsNotNamedFromItsRoot)
{
	open();
	d.call(10, 10, "chroot", {0}, 0);
	clone(20, 0);
	EXPECT_EQ(looked_up(20), "?");
}

/* What the directory is called depends on the root, too. */
TEST_F(Root, APathBelowADirectoryHasNoNameBesideAChange)
{
	const auto files = [this] {
		std::string all;

		for (file_id f = 0; f < trace_files(d.trace); f++)
			all += std::string(trace_text(d.trace, trace_file(d.trace, f)->path)) + " ";
		return all;
	};

	d.start = "/data";
	d.call(10, 10, "unlinkat", {3, 0, 0}, 0, {"one"});
	EXPECT_EQ(files(), "/data/a /data/one ");
	d.enter(10, 10, "unlinkat", {3, 0, 0}, {"two"});
	d.call(10, 11, "chroot", {0}, 0);
	d.leave(10, 10, "unlinkat", 0);
	EXPECT_EQ(files(), "/data/a /data/one ");
}

TEST_F(Root, ANamespaceIsEnteredByOneProcessOnly)
{
	clone(20, 0);
	EXPECT_EQ(root(20), "/ 7");
	chroot(10, "setns", "/", 8);
	EXPECT_EQ(root(10), "/ 8");
	EXPECT_EQ(root(20), "/ 7");
}

TEST_F(Root, ANamespaceOfItsOwnHasANumberThatIsNotKnown)
{
	d.call(10, 10, "unshare", {CLONE_FS}, 0);
	EXPECT_EQ(root(10), "/ 7");
	d.call(10, 10, "unshare", {CLONE_NEWNS}, -EPERM);
	EXPECT_EQ(root(10), "/ 7");
	d.call(10, 10, "unshare", {CLONE_NEWNS}, 0);
	EXPECT_EQ(root(10), "/ 0");
}

TEST_F(Root, IsNotKnownAfterDataLoss)
{
	EXPECT_EQ(root(10), "/ 7");
	d.lost(1);
	EXPECT_EQ(root(10), "? 0");
	found(10, "/", 7);
	EXPECT_EQ(root(10), "/ 7");
}

} // namespace
