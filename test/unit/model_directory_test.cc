/*
 * Which files are directories, as far as any call showed it.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <sys/stat.h>

namespace
{

class Directory : public ::testing::Test
{
      protected:
	ModelDriver d;

	void SetUp() override
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/bin/app"});
		d.fact(FACT_CWD, {10, 0, 0}, {"/home"});
	}

	/* A call that names the path with its first path argument, which is told as the kernel read it. */
	void call(const char *name, std::vector<uint64_t> args, const char *path,
		  int64_t result = 0, const char *base = nullptr)
	{
		struct event e = d.base(EVENT_CALL, 10, 10);

		e.pair.call = call_by_name(name, strlen(name));
		e.pair.begin = e.time;
		for (size_t i = 0; i < args.size(); i++)
			e.pair.arg[i] = args[i];
		e.pair.result = result;
		e.pair.position = EVENT_POSITION_UNKNOWN;
		e.pair.file[0].fd = e.pair.file[1].fd = -1;
		if (path)
			e.pair.path[0] = {path, (uint32_t)strlen(path)};
		if (base)
			e.pair.base[0] = {base, (uint32_t)strlen(base)};
		model_event(d.model, &e);
	}

	/* The paths of all directories, and of all other files. */
	std::string list(bool directories)
	{
		std::string all;

		d.end();
		for (file_id f = 0; f < trace_files(d.trace); f++) {
			const struct trace_file *file = trace_file(d.trace, f);

			if ((file->kind == FILE_DIRECTORY) == directories)
				all += std::string(trace_text(d.trace, file->path)) + " ";
		}
		return all;
	}
};

TEST_F(Directory, TheOneThatIsListed)
{
	call("openat", {(uint64_t)AT_FDCWD, 0, O_RDONLY}, "/data", 3);
	call("openat", {(uint64_t)AT_FDCWD, 0, O_RDONLY}, "/other", 4);
	call("getdents64", {3, 0, 32768}, nullptr, 480);
	call("getdents64", {4, 0, 32768}, nullptr, -ENOTDIR);
	EXPECT_EQ(list(true), "/data ");
}

TEST_F(Directory, TheOneThatIsOpenedAsSuch)
{
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/data");
	call("openat", {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_DIRECTORY}, "/data", 3);
	EXPECT_EQ(list(true), "/data ");
}

TEST_F(Directory, WhatAnotherFileStandsIn)
{
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/usr/share");
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/usr/share/doc/x");
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/");
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/usr");
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/us");
	EXPECT_EQ(list(true), "/usr/share / /usr ");
}

TEST_F(Directory, WhatIsMadeRemovedAndEntered)
{
	call("mkdir", {0, 0777}, "/made");
	call("rmdir", {0}, "/gone");
	call("unlinkat", {(uint64_t)AT_FDCWD, 0, AT_REMOVEDIR}, "/gone2");
	call("unlinkat", {(uint64_t)AT_FDCWD, 0, 0}, "/file");
	call("chdir", {0}, "/here");
	call("openat", {(uint64_t)AT_FDCWD, 0, O_RDONLY}, "/there", 3);
	call("fchdir", {3}, nullptr);
	EXPECT_EQ(list(true), "/made /gone /gone2 /here /there ");
}

TEST_F(Directory, TheCurrentOne)
{
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, ".", 0, "/home");
	EXPECT_EQ(list(true), "/home ");
}

/* Its status is surer than what stands below: a file may have taken the place of a directory. */
TEST_F(Directory, NotWhatTheStatusSaysIsAFile)
{
	call("openat", {(uint64_t)AT_FDCWD, 0, O_RDONLY}, "/data", 3);
	d.fd(10, 3, "/data", 1, d.now);
	call("newfstatat", {(uint64_t)AT_FDCWD, 0, 0, 0}, "/data/x");
	EXPECT_EQ(list(true), "");
}

/* The path of such an open is that of the directory; the file has no name. */
TEST_F(Directory, OfATemporaryFileIsNotItsName)
{
	call("openat", {(uint64_t)AT_FDCWD, 0, O_TMPFILE | O_RDWR}, "/tmp", 3);
	d.end();
	EXPECT_EQ(trace_handle(d.trace, 0)->file, ID_NONE);
	EXPECT_EQ(trace_handle(d.trace, 0)->name, 0u);
}

} // namespace
