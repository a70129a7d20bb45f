/*
 * capture, writing: what the file holds at each moment, and what happens when there is no room.
 */
#include "stream_build.h"

#include <gtest/gtest.h>

#include <iotrace/mem.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "capture_format.h"
}

namespace
{

/* No file may become longer than this while the object lives. */
class FileSizeLimit
{
      public:
	explicit FileSizeLimit(uint64_t size)
	{
		getrlimit(RLIMIT_FSIZE, &before);
		rlimit limit = before;

		limit.rlim_cur = size;
		handler = signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	~FileSizeLimit()
	{
		setrlimit(RLIMIT_FSIZE, &before);
		signal(SIGXFSZ, handler);
	}

      private:
	rlimit before{};
	sighandler_t handler;
};

class Writer : public testing::Test
{
      protected:
	Writer() : path(file.scratch.path("x.data"))
	{
		file.add_event("a:b", {1, 2});
		for (uint32_t i = 0; i < 100; i++)
			file.put_sample(0, i);
	}
	void create()
	{
		writer = capture_create(path.c_str(), &file.info, &err);
		ASSERT_NE(writer, nullptr) << err.text;
		front = read_file(path).size();
	}
	int write()
	{
		return capture_write(writer, file.records.data(), file.records.size(), &err);
	}
	/* Returns the records of the file. */
	std::string records()
	{
		capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);
		capture_round round;
		std::string all;

		EXPECT_NE(c, nullptr) << err.text;
		while (capture_next_round(c, &round, nullptr) > 0) {
			all.append(reinterpret_cast<char *>(round.bytes), round.size);
			capture_round_free(&round);
		}
		EXPECT_EQ(capture_torn(c), 0u);
		capture_close(c);
		return all;
	}

	StreamFile file;
	std::string path;
	capture_writer *writer = nullptr;
	size_t front = 0;
	error err{};
};

} // namespace

TEST_F(Writer, TheFileIsNewAndForItsOwnerOnly)
{
	struct stat st;
	bool is_inherited = true;
	mode_t mask = umask(0);

	create();
	umask(mask);
	ASSERT_EQ(stat(path.c_str(), &st), 0);
	EXPECT_EQ(st.st_mode & 07777, 0600u);
	for (int fd = 0; fd < 1024; fd++) {
		struct stat other;

		if (fstat(fd, &other) == 0 && other.st_ino == st.st_ino &&
		    other.st_dev == st.st_dev)
			is_inherited = !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	EXPECT_FALSE(is_inherited);
	EXPECT_EQ(capture_create(path.c_str(), &file.info, &err), nullptr);
	EXPECT_EQ(err.code, EEXIST);
	EXPECT_EQ(std::string(err.text), "cannot create " + path + ": File exists");
	EXPECT_EQ(capture_finish(writer, &err), 0);
	EXPECT_EQ(capture_finish(nullptr, &err), 0);
}

TEST_F(Writer, WhatWasWrittenIsInTheFileAtOnce)
{
	create();
	EXPECT_EQ(capture_written(writer), 0u);
	ASSERT_EQ(write(), 0);
	ASSERT_EQ(write(), 0);
	EXPECT_EQ(capture_written(writer), 2 * file.records.size());
	EXPECT_EQ(read_file(path).substr(front), file.records + file.records);
	EXPECT_EQ(capture_finish(writer, &err), 0);
	EXPECT_EQ(records(), file.records + file.records);
}

TEST_F(Writer, AFinishedFileHasWhatPerfLooksFor)
{
	create();
	ASSERT_EQ(write(), 0);
	ASSERT_EQ(capture_finish(writer, &err), 0);
	std::string bytes = read_file(path);
	capture_header header;
	capture_section section;

	memcpy(&header, bytes.data(), sizeof(header));
	EXPECT_EQ(header.data.offset, front);
	EXPECT_EQ(header.data.size, file.records.size());
	EXPECT_EQ(header.flags[0], UINT64_C(1) << CAPTURE_EVENT_DESC);
	ASSERT_EQ(bytes.size(), front + file.records.size() + sizeof(section));
	memcpy(&section, bytes.data() + front + file.records.size(), sizeof(section));
	uint32_t events;
	memcpy(&events, bytes.data() + section.offset, sizeof(events));
	EXPECT_EQ(events, 1u);
}

TEST_F(Writer, NoRoomForAPieceTakesThePieceBack)
{
	create();
	ASSERT_EQ(write(), 0);
	{
		FileSizeLimit limit(front + file.records.size() + 1000);

		EXPECT_EQ(write(), -EFBIG);
		EXPECT_EQ(std::string(err.text),
			  "cannot write " + path + ": the limit of file sizes is reached after " +
				  std::to_string(file.records.size()) + " bytes of records");
		EXPECT_EQ(capture_written(writer), file.records.size());
		EXPECT_EQ(read_file(path).size(), front + file.records.size());
		EXPECT_EQ(capture_finish(writer, &err), 0);
	}
	EXPECT_EQ(records(), file.records);
}

TEST_F(Writer, NoRoomForTheTableIsAnErrorButTheRecordsAreThere)
{
	create();
	ASSERT_EQ(write(), 0);
	{
		FileSizeLimit limit(front + file.records.size() + 3);

		EXPECT_EQ(capture_finish(writer, &err), -EFBIG);
	}
	EXPECT_EQ(records(), file.records);
	capture_header header;
	memcpy(&header, read_file(path).data(), sizeof(header));
	EXPECT_EQ(header.flags[0], 0u);
	EXPECT_EQ(header.data.size, file.records.size());
}

TEST_F(Writer, NoRoomForTheFrontLeavesNoFile)
{
	FileSizeLimit limit(50);

	EXPECT_EQ(capture_create(path.c_str(), &file.info, &err), nullptr);
	EXPECT_EQ(err.code, EFBIG);
	EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST_F(Writer, AFolderThatIsNotThereIsNamed)
{
	EXPECT_EQ(capture_create("/none/x.data", &file.info, &err), nullptr);
	EXPECT_STREQ(err.text, "cannot create /none/x.data: No such file or directory");
}

TEST_F(Writer, TheInfoNeedsNotOutliveTheCreation)
{
	file.info.hostname = mem_strdup("node");
	create();
	capture_info_release(&file.info);
	ASSERT_EQ(write(), 0);
	ASSERT_EQ(capture_finish(writer, &err), 0);
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);
	ASSERT_NE(c, nullptr);
	EXPECT_STREQ(capture_info(c)->hostname, "node");
	capture_close(c);
}

/* perf takes an attr for as long as it says. */
TEST_F(Writer, AttrsSayTheSizeThatTheyHaveInTheFile)
{
	file.info.event[0].attr.size = 0;
	create();
	ASSERT_EQ(capture_finish(writer, &err), 0);
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);
	ASSERT_NE(c, nullptr);
	EXPECT_EQ(capture_info(c)->event[0].attr.size, sizeof(perf_event_attr));
	capture_close(c);
}
