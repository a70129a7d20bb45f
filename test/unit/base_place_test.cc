/*
 * The place where output is made: one name is made by one, nothing of others is replaced, followed or removed.
 */
#include "error_lines.h"
#include "place/place_private.h"
#include "scratch_dir.h"

#include <iotrace/error.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

using std::filesystem::create_directory;
using std::filesystem::create_symlink;

std::string content(const std::string &path)
{
	std::ifstream file(path);

	return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string &path, const std::string &text)
{
	std::ofstream(path) << text;
}

unsigned mode_of(const std::string &path)
{
	struct stat status = {};

	return lstat(path.c_str(), &status) ? 0 : status.st_mode & 07777;
}

class Place : public testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("trace"), work = scratch.path(".trace.iotrace");
	struct error err = {};

	struct place *open()
	{
		return place_open("-o", path.c_str(), &err);
	}

	std::set<std::string> names() const
	{
		std::set<std::string> all;

		for (const auto &entry : std::filesystem::directory_iterator(scratch.path("")))
			all.insert(entry.path().filename());
		return all;
	}

	static void make(struct place *place, const char *name, const std::string &text)
	{
		int fd = place_create(place, name);

		ASSERT_GE(fd, 0);
		ASSERT_EQ(place_write_all(fd, text.data(), text.size()), 0);
		close(fd);
	}

	/* A recorder that is killed in the middle. */
	void kill_one()
	{
		pid_t child = fork();
		int status;

		if (child == 0) {
			struct place *place = open();

			if (!place)
				_exit(1);
			make(place, PLACE_SPOOL, "spooled");
			raise(SIGKILL);
		}
		waitpid(child, &status, 0);
		ASSERT_TRUE(WIFSIGNALED(status));
	}
};

TEST_F(Place, AFileGetsItsNameWhenItIsWhole)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	EXPECT_EQ(place_work(place), work);
	EXPECT_EQ(place_target(place), path);
	EXPECT_EQ(mode_of(work), 0700u);
	make(place, PLACE_TEXT, "whole");
	EXPECT_EQ(mode_of(work + "/text"), 0600u);
	EXPECT_EQ(place_create(place, PLACE_TEXT), -EEXIST);
	EXPECT_EQ(names(), (std::set<std::string>{".trace.iotrace"}));
	EXPECT_FALSE(place_is_published(place));
	ASSERT_EQ(place_publish(place, PLACE_TEXT, 0640, &err), 0) << err.text;
	EXPECT_TRUE(place_is_published(place));
	place_close(place);
	EXPECT_EQ(content(path), "whole");
	EXPECT_EQ(mode_of(path), 0640u);
	EXPECT_EQ(names(), (std::set<std::string>{"trace"}));
}

TEST_F(Place, ADirectoryIsEnteredByWhoMayReadIt)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	ASSERT_EQ(mkdirat(place_dir(place), PLACE_ARCHIVE, 0700), 0);
	create_directory(work + "/archive/traces");
	put(work + "/archive/traces/0.evt", "x");
	ASSERT_EQ(place_publish(place, PLACE_ARCHIVE, 0640, &err), 0) << err.text;
	place_close(place);
	EXPECT_EQ(mode_of(path), 0750u);
	EXPECT_EQ(mode_of(path + "/traces"), 0750u);
	EXPECT_EQ(mode_of(path + "/traces/0.evt"), 0640u);
}

TEST_F(Place, WhatIsThereIsRefused)
{
	put(path, "precious");
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, EEXIST);
	EXPECT_EQ(err.text, "-o: " + path + " already exists; choose another name or remove it");
	remove(path.c_str());
	/* A link to nothing is in the way, too. */
	create_symlink("nowhere", path);
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, EEXIST);
	EXPECT_EQ(names(), (std::set<std::string>{"trace"}));
	/* The advice to remove a directory is good for an archive only. */
	path = scratch.path("folder");
	create_directory(path);
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.text, "-o: " + path + " already exists; choose another name, for example " +
				    path + "/trace");
	put(path + "/traces.otf2", "x");
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.text, "-o: " + path + " already exists; choose another name or remove it");
	path = "/";
	EXPECT_EQ(open(), nullptr);
	EXPECT_STREQ(err.text, "-o: / already exists; choose another name, for example /trace");
	path = "";
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(error_lines(err), "-o: the name is empty\nGive a name, for example trace.");
	path = scratch.path("none/below");
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(error_lines(err), "-o " + path + ": cannot create files in " +
					    scratch.path("none") +
					    ": No such file or directory\n"
					    "Create that directory first, or choose another one.");
	path = scratch.path(std::string(256, 'n'));
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, ENAMETOOLONG);
	path = "/proc/iotrace-test";
	EXPECT_EQ(open(), nullptr);
	EXPECT_NE(err.code, 0);
	EXPECT_NE(error_lines(err).find("\nWith -o, choose a directory where "), std::string::npos)
		<< err.text;
}

TEST_F(Place, ALongNameHasAWorkDirectory)
{
	path = scratch.path(std::string(255, 'n'));
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	make(place, PLACE_TEXT, "x");
	EXPECT_EQ(place_publish(place, PLACE_TEXT, 0600, &err), 0) << err.text;
	place_close(place);
	EXPECT_EQ(content(path), "x");
}

TEST_F(Place, OneOfTwoWins)
{
	struct place *first = open();

	ASSERT_NE(first, nullptr) << err.text;
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, EBUSY);
	EXPECT_EQ(std::string(err.text).find("-o: another iotrace (process " +
					     std::to_string(getpid()) + " on "),
		  0u)
		<< err.text;
	EXPECT_TRUE(place_is_same(first, path.c_str()));
	EXPECT_TRUE(place_is_same(first, scratch.path("./trace").c_str()));
	EXPECT_FALSE(place_is_same(first, scratch.path("trace2").c_str()));
	place_close(first);
	EXPECT_EQ(names(), std::set<std::string>{});
	place_close(open());
}

/* Whoever comes at the same moment: of each round's 8 processes one makes the name. */
TEST_F(Place, OneOfManyWins)
{
	for (int round = 0; round < 20; round++) {
		int go[2], winners = 0;

		ASSERT_EQ(pipe(go), 0);
		for (int i = 0; i < 8; i++) {
			if (fork())
				continue;
			char byte;
			close(go[1]);
			(void)!read(go[0], &byte, 1); /* returns when the other end is closed */
			struct place *place = open();
			if (!place)
				_exit(err.code == EBUSY || err.code == EEXIST ? 0 : 2);
			make(place, PLACE_TEXT, std::to_string(getpid()));
			int code = place_publish(place, PLACE_TEXT, 0600, &err);
			place_close(place);
			_exit(code ? 2 : 1);
		}
		close(go[0]);
		close(go[1]);
		for (int status; wait(&status) > 0;) {
			ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
			winners += WEXITSTATUS(status);
		}
		EXPECT_EQ(winners, 1) << "round " << round;
		EXPECT_EQ(names(), (std::set<std::string>{"trace"}));
		remove(path.c_str());
	}
}

TEST_F(Place, WhatAppearsMeanwhileStays)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	ASSERT_EQ(mkdirat(place_dir(place), PLACE_ARCHIVE, 0700), 0);
	put(work + "/archive/file", "mine");
	create_directory(path); /* empty: a plain rename would replace it */
	EXPECT_EQ(place_publish(place, PLACE_ARCHIVE, 0600, &err), -EEXIST);
	EXPECT_NE(error_lines(err).find("It is complete, and stays in " + work + "/archive."),
		  std::string::npos)
		<< err.text;
	place_close(place);
	EXPECT_EQ(content(work + "/archive/file"), "mine");
	EXPECT_TRUE(std::filesystem::is_empty(path));
}

/* Somebody who may write the directory renames ours, and puts another under its name. */
TEST_F(Place, NothingIsMadeOrRemovedInAnotherDirectory)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	std::filesystem::rename(work, scratch.path("stolen"));
	create_directory(work);
	create_directory(work + "/archive");
	put(work + "/archive/precious", "x");
	create_directory(scratch.path("elsewhere"));
	make(place, PLACE_TEXT, "mine");
	make(place, PLACE_SPOOL, "mine");
	EXPECT_EQ(place_publish(place, PLACE_TEXT, 0600, &err), 0) << err.text;
	place_close(place);
	EXPECT_EQ(content(path), "mine");
	EXPECT_EQ(content(work + "/archive/precious"), "x");
	EXPECT_TRUE(std::filesystem::is_empty(scratch.path("stolen")));
}

/* Even an empty one is somebody's. */
TEST_F(Place, ADirectoryOfOthersIsNotRemoved)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	std::filesystem::rename(work, scratch.path("stolen"));
	create_directory(work);
	place_close(place);
	EXPECT_TRUE(std::filesystem::exists(work));
}

TEST_F(Place, RemovalFollowsNoLink)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	create_directory(scratch.path("kept"));
	put(scratch.path("kept/file"), "x");
	create_directory(work + "/archive");
	create_directory(work + "/archive/sub");
	put(work + "/archive/sub/file", "x");
	create_symlink(scratch.path("kept"), work + "/archive/link");
	create_symlink(scratch.path("kept/file"), work + "/spool");
	place_close(place);
	EXPECT_EQ(names(), (std::set<std::string>{"kept"}));
	EXPECT_EQ(content(scratch.path("kept/file")), "x");
}

TEST_F(Place, WhatIsKeptStays)
{
	struct place *place = open();

	ASSERT_NE(place, nullptr) << err.text;
	make(place, PLACE_SPOOL, "spooled");
	make(place, PLACE_TEXT, "half");
	place_keep(place, PLACE_SPOOL);
	place_close(place);
	EXPECT_EQ(content(work + "/spool"), "spooled");
	EXPECT_FALSE(std::filesystem::exists(work + "/text"));
	/* What is to be kept and was never made keeps no directory. */
	path = scratch.path("other");
	place = open();
	place_keep(place, PLACE_SPOOL);
	place_close(place);
	EXPECT_EQ(names(), (std::set<std::string>{".trace.iotrace"}));
}

TEST_F(Place, WhatAKilledOneLeftIsFound)
{
	struct place_left left[4];

	kill_one();
	put(scratch.path(".plain.iotrace"), "a file");
	create_directory(scratch.path(".empty.iotrace"));
	ASSERT_EQ(place_find_left(scratch.path("").c_str(), left, 4), 1u);
	EXPECT_EQ(left[0].path, work);
	EXPECT_EQ(left[0].spool, work + "/spool");
	EXPECT_EQ(left[0].bytes, 7u);
	place_left_release(left, 1);
	/* The name is free all the same; the next one has a directory of its own. */
	struct place *place = open();
	ASSERT_NE(place, nullptr) << err.text;
	EXPECT_EQ(place_work(place), work + "-2");
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, EBUSY);
	ASSERT_EQ(place_find_left(scratch.path("").c_str(), left, 4), 1u) << "that one runs";
	place_left_release(left, 1);
	place_close(place);
	EXPECT_EQ(content(work + "/spool"), "spooled");
}

bool is_trace(const void *context, const char *name)
{
	return *static_cast<const std::string *>(context) == name;
}

/* Only what has the name, is of a recorder that has ended, and is no recording. */
TEST_F(Place, WhatAKilledOneLeftIsRemoved)
{
	const std::string trace = "trace", directory = scratch.path("");

	kill_one(); /* with a spool */
	struct place *running = open();
	ASSERT_NE(running, nullptr) << err.text;
	make(running, PLACE_TEXT, "half");
	for (const char *name : {".trace.iotrace-3", ".other.iotrace", ".trace.iotrace-abcdef"}) {
		std::filesystem::create_directories(scratch.path(name) + "/archive/traces");
		put(scratch.path(name) + "/archive/traces/1.evt", "x");
		std::filesystem::copy(work + "/owner", scratch.path(name) + "/owner");
	}
	put(scratch.path(".trace.iotrace-abcdef/mine"), "x");
	EXPECT_EQ(place_remove_left(directory.c_str(), is_trace, &trace), 2u);
	EXPECT_EQ(names(), (std::set<std::string>{".trace.iotrace", ".trace.iotrace-2",
						  ".trace.iotrace-abcdef", ".other.iotrace"}));
	EXPECT_EQ(content(work + "/spool"), "spooled");
	EXPECT_EQ(content(work + "-2/text"), "half");
	EXPECT_EQ(content(scratch.path(".trace.iotrace-abcdef/mine")), "x");
	EXPECT_FALSE(std::filesystem::exists(scratch.path(".trace.iotrace-abcdef/archive")));
	place_close(running);
}

/* On another host that shares the file system it may still run. */
TEST_F(Place, AnOwnerElsewhereIsTakenToRun)
{
	struct place_left left[1];

	create_directory(work);
	put(work + "/owner", "process 1 on another-host.invalid\n");
	EXPECT_EQ(place_find_left(scratch.path("").c_str(), left, 1), 0u);
	EXPECT_EQ(open(), nullptr);
	EXPECT_EQ(err.code, EBUSY);
	EXPECT_NE(std::string(err.text).find("(process 1 on another-host.invalid)"),
		  std::string::npos)
		<< err.text;
}

TEST_F(Place, NamesOfSpools)
{
	for (auto [spool, made] : std::initializer_list<std::pair<const char *, const char *>>{
		     {".trace.iotrace/spool", "trace"},
		     {"./.trace.iotrace-2/spool", "./trace"},
		     {"/a/.b.c.iotrace/spool", "/a/b.c"},
		     {"a/.x.iotrace.iotrace/spool", "a/x.iotrace"},
		     {"spool", nullptr},
		     {"dir/spool", nullptr},
		     {".iotrace/spool", nullptr},
		     {"..iotrace/spool", nullptr},
		     {".trace.iotrace/text", nullptr},
		     {".trace.iotracex/spool", nullptr},
		     {"trace.iotrace/spool", nullptr}}) {
		char *got = place_of_spool(spool);

		EXPECT_STREQ(got, made) << spool;
		free(got);
	}
}

TEST_F(Place, AFileIsReplacedAsAWhole)
{
	ASSERT_EQ(place_write(path.c_str(), "first", 5, 0640, &err), 0) << err.text;
	EXPECT_EQ(content(path), "first");
	EXPECT_EQ(mode_of(path), 0640u);
	std::filesystem::create_hard_link(path, scratch.path("other"));
	ASSERT_EQ(place_may_write(path.c_str(), &err), 0) << err.text;
	ASSERT_EQ(place_write(path.c_str(), "2nd", 3, 0600, &err), 0) << err.text;
	EXPECT_EQ(content(path), "2nd");
	EXPECT_EQ(content(scratch.path("other")), "first");
	EXPECT_EQ(names(), (std::set<std::string>{"other", "trace"}));
}

TEST_F(Place, APipeOrALinkOfOnesOwnIsWrittenTo)
{
	int ends[2];
	char bytes[8] = {};

	ASSERT_EQ(pipe(ends), 0);
	std::string fd = "/dev/fd/" + std::to_string(ends[1]);
	ASSERT_EQ(place_may_write(fd.c_str(), &err), 0) << err.text;
	ASSERT_EQ(place_write(fd.c_str(), "piped", 5, 0600, &err), 0) << err.text;
	EXPECT_EQ(read(ends[0], bytes, sizeof(bytes)), 5);
	EXPECT_STREQ(bytes, "piped");
	close(ends[0]);
	close(ends[1]);
	EXPECT_EQ(place_write("/dev/null", "x", 1, 0600, &err), 0) << err.text;
	EXPECT_LT(place_write(scratch.path("").c_str(), "x", 1, 0600, &err), 0);
	put(path, "longer than that");
	create_symlink("trace", scratch.path("link"));
	ASSERT_EQ(place_write(scratch.path("link").c_str(), "led", 3, 0600, &err), 0) << err.text;
	EXPECT_EQ(content(path), "led");
	/* A link to nothing makes nothing. */
	create_symlink("nothing", scratch.path("dangling"));
	EXPECT_LT(place_write(scratch.path("dangling").c_str(), "x", 1, 0600, &err), 0);
	EXPECT_FALSE(std::filesystem::exists(scratch.path("nothing")));
}

/* As in /tmp: everybody makes names there, and follows only those of his own. */
TEST_F(Place, LinksOfOthersAreNotFollowedInAStickyDirectory)
{
	if (geteuid() != 0)
		return; /* nobody else can be had to make the link */
	std::string sticky = scratch.path("sticky"), link = sticky + "/link";

	create_directory(sticky);
	chmod(sticky.c_str(), 01777);
	put(path, "precious");
	create_symlink(path, link);
	ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
	EXPECT_EQ(place_may_write(link.c_str(), &err), -EPERM);
	EXPECT_EQ(place_write(link.c_str(), "x", 1, 0600, &err), -EPERM);
	EXPECT_NE(std::string(err.text).find("another user put into"), std::string::npos)
		<< err.text;
	EXPECT_EQ(content(path), "precious");
	/* One of the directory's owner, or in another directory, is as good as any other. */
	ASSERT_EQ(lchown(link.c_str(), 0, 0), 0);
	EXPECT_EQ(place_may_write(link.c_str(), &err), 0) << err.text;
}

TEST_F(Place, TheSameFileHasManyNames)
{
	struct stat status = {};

	put(path, "x");
	create_symlink("trace", scratch.path("link"));
	ASSERT_EQ(stat(path.c_str(), &status), 0);
	EXPECT_TRUE(place_is_file(path.c_str(), &status));
	EXPECT_TRUE(place_is_file(scratch.path("link").c_str(), &status));
	EXPECT_FALSE(place_is_file(scratch.path("none").c_str(), &status));
	EXPECT_FALSE(place_is_file("/dev/null", &status));
}

} // namespace
