// lookup: which records are worth a look, which of them are asked for, and what is said of the answers. The
// processes are those of a saved /proc.
#include "proc/lookup.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iotrace/syscall.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "scratch_dir.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace
{

constexpr uint64_t OPENER = 5, OTHER = 6, PATH = 7;

class Lookup : public testing::Test
{
      protected:
	ScratchDir scratch;
	struct procfs proc = {-1};
	struct sample_layout layout = {};
	struct facts facts = {};
	struct lookup_base base = {};
	struct lookup lookup = {};

	void SetUp() override
	{
		make("42/fd/3", "/etc/passwd");
		make("42/fd/4", "pipe:[77]");
		make("42/fd/5", (scratch.path("gone") + " (deleted)").c_str());
		make("42/root", "/");
		make("42/exe", "/bin/program");
		layout.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				     PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
		ASSERT_EQ(procfs_open(&proc, scratch.path("").c_str(), nullptr), 0);
		facts_init(&facts, &layout, 1);
		lookup_base_init(&base, &proc);
		base.layout = &layout;
		base.exit = base.enter = {8, 16};
		lookup_add_event(&base, OPENER, ROLE_OPENER);
		lookup_add_event(&base, PATH, ROLE_PATH);
		lookup_init(&lookup, &base, &facts);
	}

	void TearDown() override
	{
		lookup_release(&lookup);
		lookup_base_release(&base);
		facts_release(&facts);
		procfs_close(&proc);
	}

	void make(const char *path, const char *target)
	{
		std::filesystem::create_directories(
			std::filesystem::path(scratch.path(path)).parent_path());
		ASSERT_EQ(symlink(target, scratch.path(path).c_str()), 0);
	}

	void see_exit(const char *call, int64_t result, uint64_t id = OPENER, uint32_t cut = 0)
	{
		uint64_t record[32];
		int64_t raw[3] = {0, call_row(call_by_name(call, strlen(call)))->number, result};
		struct sample sample = {};

		sample.type = PERF_RECORD_SAMPLE;
		sample.id = id;
		sample.pid = 42;
		sample.tid = 42;
		sample.raw = (const uint8_t *)raw;
		sample.raw_size = uint32_t(sizeof(raw)) - cut;
		ASSERT_NE(sample_write(&sample, &layout, record, sizeof(record)), 0u);
		lookup_see(&lookup, (const perf_event_header *)record);
	}

	void see_enter(const char *call, std::vector<uint64_t> args)
	{
		uint64_t record[32];
		uint64_t raw[8] = {0, (uint64_t)call_row(call_by_name(call, strlen(call)))->number};
		struct sample sample = {};

		for (size_t i = 0; i < args.size(); i++)
			raw[2 + i] = args[i];
		sample.type = PERF_RECORD_SAMPLE;
		sample.id = PATH;
		sample.pid = sample.tid = (uint32_t)getpid();
		sample.raw = (const uint8_t *)raw;
		sample.raw_size = sizeof(raw);
		ASSERT_NE(sample_write(&sample, &layout, record, sizeof(record)), 0u);
		lookup_see(&lookup, (const perf_event_header *)record);
	}

	void see_task(uint32_t type, uint16_t misc, std::vector<uint32_t> words)
	{
		uint64_t record[8] = {};
		auto header = (perf_event_header *)record;

		header->type = type;
		header->misc = misc;
		header->size = uint16_t(8 + 4 * words.size());
		memcpy(header + 1, words.data(), 4 * words.size());
		lookup_see(&lookup, header);
	}

	std::string said()
	{
		std::string out;

		for (uint32_t at = 0; at < facts.size;) {
			uint32_t size = sample_record_size(facts.bytes + at, facts.size - at);
			struct sample sample;
			struct fact fact;

			EXPECT_EQ(sample_parse(&sample, &layout, facts.bytes + at), 0);
			EXPECT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
			out += std::string(fact_name(fact.kind)) + " " +
			       std::to_string(fact.number[0]);
			if (fact.kind == FACT_FD)
				out += " " + std::to_string(fact.number[1]) + " error " +
				       std::to_string(fact.number[3]) + " reason " +
				       std::to_string(fact.number[11]);
			out += " " + std::string(fact.string[0].at, fact.string[0].length) + "\n";
			at += size;
		}
		facts_clear(&facts);
		return out;
	}
};

TEST_F(Lookup, AnOpenIsLookedUp)
{
	see_exit("openat", 3);
	EXPECT_EQ(said(), "");
	EXPECT_TRUE(lookup_run(&lookup));
	EXPECT_EQ(said(), "FD 42 3 error 0 reason 1 /etc/passwd\n");
	EXPECT_FALSE(lookup_run(&lookup));
	EXPECT_EQ(lookup.done, 1u);
	EXPECT_EQ(lookup.gone, 0u);
}

TEST_F(Lookup, StatusOfTheFile)
{
	struct stat want;
	struct sample sample;
	struct fact fact;

	see_exit("openat", 3);
	lookup_run(&lookup);
	ASSERT_EQ(stat("/etc/passwd", &want), 0);
	ASSERT_EQ(sample_parse(&sample, &layout, facts.bytes), 0);
	ASSERT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
	EXPECT_EQ(fact.number[6], want.st_dev);
	EXPECT_EQ(fact.number[7], want.st_ino);
	EXPECT_EQ(fact.number[8], want.st_mode);
	EXPECT_EQ(fact.number[9], want.st_nlink);
	EXPECT_EQ(fact.number[4], UINT64_MAX) << "flags: the stream knows";
	EXPECT_LE(fact.number[2], sample.time);
	EXPECT_NE(fact.number[2], 0u);
}

TEST_F(Lookup, AFileOfAServerIsNotAskedForItsStatus)
{
	struct sample sample;
	struct fact fact;

	links_add_mount(&base.links, "/et", "nfs4");
	links_add_mount(&base.links, "/mnt", "ext4");
	EXPECT_EQ(base.links.remotes, 1u);
	links_add_mount(&base.links, "/etc", "nfs");
	see_exit("openat", 3);
	lookup_run(&lookup);
	ASSERT_EQ(sample_parse(&sample, &layout, facts.bytes), 0);
	ASSERT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
	EXPECT_EQ(fact.number[8], 0u);
	EXPECT_EQ(fact.string[0].length, strlen("/etc/passwd"));
}

TEST_F(Lookup, ANeighbourOfAMountIsNoPartOfIt)
{
	links_add_mount(&base.links, "/et", "nfs4");
	struct sample sample;
	struct fact fact;

	see_exit("openat", 3);
	lookup_run(&lookup);
	ASSERT_EQ(sample_parse(&sample, &layout, facts.bytes), 0);
	ASSERT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
	EXPECT_NE(fact.number[8], 0u);
}

TEST_F(Lookup, GoneIsSaid)
{
	see_exit("openat", 9);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 9 error 2 reason 1 \n");
	EXPECT_EQ(lookup.done, 1u);
	EXPECT_EQ(lookup.gone, 1u);
}

TEST_F(Lookup, DeletedIsStrippedFromWhatHasNoName)
{
	std::string name = scratch.path("short-lived");
	struct procfs own = {-1};
	int fd = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(unlink(name.c_str()), 0);
	ASSERT_EQ(procfs_open(&own, "/proc", nullptr), 0);
	base.links.proc = &own;
	lookup_process(&lookup, (uint32_t)getpid(), LOOKUP_LOST, true);
	EXPECT_NE(said().find(" reason 3 " + name + "\n"), std::string::npos);
	base.links.proc = &proc;
	procfs_close(&own);
	close(fd);
}

TEST_F(Lookup, AFileMayBeNamedDeleted)
{
	FILE *file = fopen((scratch.path("gone") + " (deleted)").c_str(), "w");

	ASSERT_NE(file, nullptr);
	fclose(file);
	see_exit("openat", 5);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 5 error 0 reason 1 " + scratch.path("gone") + " (deleted)\n");
}

TEST_F(Lookup, ASuffixThatNobodyCanJudgeMakesNoName)
{
	see_exit("openat", 5);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 5 error 0 reason 1 \n");
}

/* A hard link was removed through which it is open; it has another name. */
TEST_F(Lookup, ALinkThatIsGoneIsNotTheFileThatIsCalledSo)
{
	std::string name = scratch.path("link"), other = scratch.path("other");
	std::string decoy = name + " (deleted)";
	struct procfs own = {-1};
	int fd = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	int second = open(decoy.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	ASSERT_GE(fd, 0);
	ASSERT_GE(second, 0);
	ASSERT_EQ(link(name.c_str(), other.c_str()), 0);
	ASSERT_EQ(unlink(name.c_str()), 0);
	ASSERT_EQ(procfs_open(&own, "/proc", nullptr), 0);
	base.links.proc = &own;
	lookup_process(&lookup, (uint32_t)getpid(), LOOKUP_LOST, true);
	std::string text = said();

	EXPECT_NE(text.find(" reason 3 " + name + "\n"), std::string::npos) << text;
	EXPECT_NE(text.find(" reason 3 " + decoy + "\n"), std::string::npos) << text;
	base.links.proc = &proc;
	procfs_close(&own);
	close(fd);
	close(second);
}

TEST_F(Lookup, ARelativePathSaysWhereItStarts)
{
	struct procfs own = {-1};
	struct sample sample;
	struct fact fact;
	char cwd[4096];

	ASSERT_NE(getcwd(cwd, sizeof(cwd)), nullptr);
	ASSERT_EQ(procfs_open(&own, "/proc", nullptr), 0);
	base.links.proc = &own;
	see_enter("unlink", {(uint64_t) "from"});
	EXPECT_TRUE(lookup_run(&lookup));
	ASSERT_EQ(sample_parse(&sample, &layout, facts.bytes), 0);
	ASSERT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
	EXPECT_EQ(std::string(fact.string[1].at, fact.string[1].length), cwd);
	base.links.proc = &proc;
	procfs_close(&own);
}

TEST_F(Lookup, LaterOneOfTheSameNumberReplaces)
{
	for (int i = 0; i < 5; i++)
		see_exit("openat", 3);
	see_exit("openat", 9);
	see_exit("openat", 3);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 3 error 0 reason 1 /etc/passwd\nFD 42 9 error 2 reason 1 \n");
	EXPECT_EQ(lookup.done, 2u);
	EXPECT_EQ(lookup.gone, 6u);
}

TEST_F(Lookup, OnlyTheNewestOfABatch)
{
	for (int64_t fd = 0; fd < LOOKUP_BATCH_MAX + 10; fd++)
		see_exit("openat", fd);
	lookup_run(&lookup);
	EXPECT_EQ(lookup.done, uint64_t(LOOKUP_BATCH_MAX));
	EXPECT_EQ(lookup.gone, uint64_t(LOOKUP_BATCH_MAX + 10)) << "3, 4 and 5 were too old";
}

TEST_F(Lookup, WhatIsOfNoInterest)
{
	see_exit("openat", -2);
	see_exit("openat", int64_t(1) << 31);
	see_exit("openat", 3, OTHER);
	see_exit("openat", 3, OPENER, 8);
	see_exit("close", 3);
	see_exit("execve", 0);
	EXPECT_FALSE(lookup_run(&lookup));
	EXPECT_EQ(said(), "");
}

/* Reads from this process, at the end of a page with nothing behind it. */
TEST_F(Lookup, PathsAreReadFromTheMemoryOfTheProcess)
{
	char *pages = (char *)mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(pages, MAP_FAILED);
	munmap(pages + 4096, 4096);
	strcpy(pages + 4096 - 5, "name");
	see_enter("renameat2", {0, (uint64_t) "from", 0, (uint64_t)(pages + 4096 - 5)});
	EXPECT_TRUE(lookup_run(&lookup));
	std::string pid = std::to_string(getpid());

	EXPECT_EQ(said(), "PATH " + pid + " from\nPATH " + pid + " name\n");
	facts_clear(&facts);
	memset(pages, 'x', 4096);
	see_enter("unlink", {(uint64_t)pages});
	EXPECT_TRUE(lookup_run(&lookup));
	EXPECT_EQ(said(), "PATH " + pid + " \n") << "not terminated: an error, and no name";
	munmap(pages, 4096);
}

TEST_F(Lookup, PairsAreSearchedFor)
{
	see_exit("pipe2", 0);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 4 error 0 reason 2 pipe:[77]\n");
}

TEST_F(Lookup, ProcessWithManyDescriptorsIsNotSearched)
{
	for (int fd = 100; fd < 100 + LOOKUP_PAIR_FDS; fd++)
		make(("42/fd/" + std::to_string(fd)).c_str(), "socket:[1]");
	see_exit("pipe2", 0);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "");
}

TEST_F(Lookup, RootAndProgram)
{
	std::filesystem::remove(scratch.path("42/root"));
	make("42/root", "/chroot");
	see_exit("chroot", 0);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "ROOT 42 /chroot\n");
	make("42/ns/mnt", "mnt:[4711]");
	see_exit("unshare", 0);
	lookup_run(&lookup);
	struct sample sample;
	struct fact fact;
	ASSERT_EQ(sample_parse(&sample, &layout, facts.bytes), 0);
	ASSERT_EQ(fact_decode(&fact, sample.raw, sample.raw_size), 0);
	EXPECT_EQ(fact.kind, FACT_ROOT);
	EXPECT_EQ(fact.number[3], 4711u);
	facts.size = 0;
	see_task(PERF_RECORD_COMM, 0, {42, 42, 0, 0});
	EXPECT_FALSE(lookup_run(&lookup)) << "a new name of the same program";
	see_task(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, {42, 42, 0, 0});
	lookup_run(&lookup);
	EXPECT_EQ(said(), "ROOT 42 /chroot\nEXE 42 /bin/program\n");
}

/* Nobody has seen its chroot(): another CPU's ring buffer may still hold it. */
TEST_F(Lookup, AProcessInAnotherRootSeesItsFilesFromThere)
{
	make((std::to_string(getpid()) + "/root").c_str(), "/");
	for (const char *name : {"jail/f", "outside"}) {
		std::filesystem::create_directories(scratch.path("jail"));
		FILE *file = fopen(scratch.path(name).c_str(), "w");

		ASSERT_NE(file, nullptr);
		fclose(file);
	}
	make("42/fd/6", scratch.path("jail/f").c_str());
	make("42/fd/7", scratch.path("outside").c_str());
	see_exit("openat", 6);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 6 error 0 reason 1 " + scratch.path("jail/f") + "\n");
	std::filesystem::remove(scratch.path("42/root"));
	make("42/root", scratch.path("jail").c_str());
	see_exit("openat", 6);
	see_exit("openat", 7);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 7 error 0 reason 1 \nFD 42 6 error 0 reason 1 /f\n");
	std::filesystem::remove(scratch.path("42/root"));
	see_exit("openat", 6);
	lookup_run(&lookup);
	EXPECT_EQ(said(), "FD 42 6 error 0 reason 1 \n") << "nobody knows from where it sees it";
}

TEST_F(Lookup, AfterLossEverythingIsToldAgainButNotTooOften)
{
	see_task(PERF_RECORD_FORK, 0, {42, 1, 42, 1});
	see_task(PERF_RECORD_FORK, 0, {42, 42, 43, 42});
	lookup_search(&lookup);
	EXPECT_EQ(said(), "");
	see_task(PERF_RECORD_LOST, 0, {0, 0, 1, 0});
	lookup_search(&lookup);
	std::string all = said();
	EXPECT_NE(all.find("FD 42 3 error 0 reason 3 /etc/passwd\n"), std::string::npos);
	EXPECT_NE(all.find("FD 42 4 error 0 reason 3 pipe:[77]\n"), std::string::npos);
	see_task(PERF_RECORD_LOST, 0, {0, 0, 1, 0});
	lookup_search(&lookup);
	EXPECT_EQ(said(), "");
	base.searched_at = 0;
	lookup_search(&lookup);
	EXPECT_NE(said(), "");
}

TEST_F(Lookup, EndedProcessIsNotSearched)
{
	see_task(PERF_RECORD_FORK, 0, {42, 1, 42, 1});
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 43, 1});
	EXPECT_NE(map_get(&base.processes, 42), MAP_NONE) << "a thread of it";
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 42, 1});
	EXPECT_EQ(map_get(&base.processes, 42), MAP_NONE);
	see_task(PERF_RECORD_FORK, 0, {42});
	EXPECT_EQ(map_get(&base.processes, 42), MAP_NONE) << "a torn record";
}

TEST_F(Lookup, AtTheStartWhatTheExecWillCloseIsLeftOut)
{
	std::filesystem::create_directories(scratch.path("42/fdinfo"));
	FILE *file = fopen(scratch.path("42/fdinfo/3").c_str(), "w");

	fprintf(file, "pos:\t0\nflags:\t0%o\n", O_CLOEXEC | O_RDONLY);
	fclose(file);
	lookup_process(&lookup, 42, LOOKUP_START, false);
	std::string command = said();
	EXPECT_EQ(command.find("passwd"), std::string::npos);
	EXPECT_NE(command.find("FD 42 4 error 0 reason 0 pipe:[77]\n"), std::string::npos);
	EXPECT_EQ(command.find("EXE"), std::string::npos);
	lookup_process(&lookup, 42, LOOKUP_START, true);
	std::string attached = said();
	EXPECT_NE(attached.find("passwd"), std::string::npos);
	EXPECT_NE(attached.find("EXE 42 /bin/program\n"), std::string::npos);
}

/* An exec that takes perf's events off a process says EXIT before it maps the program; any other maps it first. */
TEST_F(Lookup, AProcessThatGoesOnWithoutEvents)
{
	const auto exec = [this](uint32_t tid) {
		see_task(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, {42, tid, 0, 0});
	};
	struct lookup_detached found[2] = {};
	const uint64_t time = UINT64_C(4000) << 32 | 4000; /* the same in both byte orders */

	exec(42);
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 42, 1, 4000, 4000});
	EXPECT_FALSE(lookup_has_detached(&base)) << "nobody can open them again";
	base.may_reopen = true;
	exec(42);
	see_task(PERF_RECORD_MMAP, 0, {42, 42, 0, 0, 0, 0});
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 42, 1, 4000, 4000});
	EXPECT_FALSE(lookup_has_detached(&base));
	see_task(PERF_RECORD_COMM, 0, {42, 42, 0, 0});
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 42, 1, 4000, 4000});
	EXPECT_FALSE(lookup_has_detached(&base)) << "it was only renamed";
	exec(42);
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 43, 1, 4000, 4000});
	EXPECT_FALSE(lookup_has_detached(&base)) << "another thread";
	see_task(PERF_RECORD_EXIT, 0, {42, 1, 42, 1, 4000, 4000});
	EXPECT_TRUE(lookup_has_detached(&base));
	ASSERT_EQ(lookup_take_detached(&base, found, 2), 1u);
	EXPECT_EQ(found[0].pid, 42u);
	EXPECT_EQ(found[0].time, time);
	EXPECT_FALSE(lookup_has_detached(&base));
}

} // namespace
