// spool: what is put in arrives whole and in order; a full queue waits; a disk that is full is said.
#include "ring/spool.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <random>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "error_lines.h"
#include "scratch_dir.h"

#include <gtest/gtest.h>

namespace
{

class Spool : public testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("spool");
	struct capture_info info;
	struct spool *spool = nullptr;
	struct error err = {};
	std::vector<uint8_t> sent;

	void SetUp() override
	{
		struct perf_event_attr attr = {};
		uint64_t id = 1;

		attr.type = PERF_TYPE_SOFTWARE;
		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
		capture_info_init(&info);
		ASSERT_NE(capture_info_add_event(&info, &attr, "x", &id, 1, &err), nullptr)
			<< err.text;
	}

	void open(uint64_t bound)
	{
		struct capture_writer *writer = capture_create(path.c_str(), &info, &err);

		ASSERT_NE(writer, nullptr) << err.text;
		spool = spool_new(writer, AT_FDCWD, bound, &err);
		ASSERT_NE(spool, nullptr) << err.text;
	}

	void TearDown() override
	{
		capture_info_release(&info);
	}

	/* A record of a type that every reader steps over. */
	static std::vector<uint8_t> record(size_t size, uint8_t fill)
	{
		std::vector<uint8_t> bytes(size, fill);
		struct perf_event_header header = {};

		header.type = 300;
		header.size = uint16_t(size);
		memcpy(bytes.data(), &header, sizeof(header));
		return bytes;
	}

	bool put(const std::vector<uint8_t> &bytes)
	{
		void *room;

		while (!(room = spool_room(spool, bytes.size())))
			if (spool_error(spool))
				return false;
		memcpy(room, bytes.data(), bytes.size());
		spool_commit(spool, bytes.size());
		sent.insert(sent.end(), bytes.begin(), bytes.end());
		return true;
	}

	/*
	 * Waits until the writer has done all that it can: the counters then say what it left alone. It sleeps in its
	 * wait for more; whoever is woken runs from that moment on.
	 */
	static void let_writer_rest()
	{
		const std::string own = std::to_string(gettid());
		bool is_awake = true;

		while (is_awake) {
			is_awake = false;
			for (auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
				std::ifstream file(task.path() / "stat");
				std::string line;

				std::getline(file, line);
				is_awake |= task.path().filename() != own &&
					    line.find(") S ") == std::string::npos;
			}
		}
	}

	/* The data section of the file: its place and size stand in the header. */
	std::vector<uint8_t> read_back()
	{
		std::ifstream file(path, std::ios::binary);
		std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
		uint64_t data[2] = {};

		if (bytes.size() > 56)
			memcpy(data, &bytes[40], sizeof(data));
		if (data[0] + data[1] > bytes.size())
			return {};
		return {bytes.begin() + long(data[0]), bytes.begin() + long(data[0] + data[1])};
	}
};

TEST_F(Spool, EverythingInOrderThroughASmallQueue)
{
	std::mt19937 random(1);

	open(1);
	ASSERT_GE(spool_piece(spool), 65536u);
	for (int i = 0; i < 3000; i++) {
		ASSERT_TRUE(put(record(8 + 8 * (random() % 500), uint8_t(i))));
		if (random() % 10 == 0)
			spool_flush(spool);
	}
	spool_finish(spool);
	EXPECT_EQ(spool_available(spool, 0), sent.size());
	EXPECT_EQ(spool_available(spool, sent.size()), sent.size()) << "the end";
	EXPECT_EQ(spool_dropped(spool), 0u);
	EXPECT_EQ(spool_close(spool, &err), 0) << err.text;
	EXPECT_TRUE(read_back() == sent);
}

TEST_F(Spool, AFlushIsWrittenWithoutMore)
{
	open(1 << 20);
	ASSERT_TRUE(put(record(64, 1)));
	spool_flush(spool);
	EXPECT_EQ(spool_available(spool, 0), 64u);
	EXPECT_EQ(spool_close(spool, &err), 0);
}

TEST_F(Spool, AWaitHasAnEndWithoutNews)
{
	open(1 << 20);
	EXPECT_FALSE(spool_await(spool, 0, 1)) << "a moment of long ago";
	ASSERT_TRUE(put(record(64, 1)));
	spool_flush(spool);
	EXPECT_TRUE(spool_await(spool, 0, UINT64_MAX));
	EXPECT_FALSE(spool_await(spool, 64, 1));
	spool_finish(spool);
	EXPECT_TRUE(spool_await(spool, 64, 1)) << "the end";
	EXPECT_EQ(spool_close(spool, &err), 0);
}

TEST_F(Spool, WhatIsNotFlushedWaits)
{
	open(1);
	for (uint8_t i = 0; i < 3;
	     i++) /* two fill a chunk, which goes out; the third begins another */
		ASSERT_TRUE(put(record(60000, i)));
	EXPECT_EQ(spool_available(spool, 0), 120000u);
	let_writer_rest();
	EXPECT_EQ(spool_available(spool, 119999), 120000u);
	spool_flush(spool);
	EXPECT_EQ(spool_available(spool, 120000), 180000u);
	EXPECT_EQ(spool_close(spool, &err), 0);
}

TEST_F(Spool, MoreThanAPieceIsRefused)
{
	open(1 << 20);
	EXPECT_EQ(spool_room(spool, spool_piece(spool) + 1), nullptr);
	EXPECT_FALSE(spool_error(spool));
	EXPECT_EQ(spool_close(spool, &err), 0);
}

TEST_F(Spool, AChunkThatIsBeingFilledIsNotTaken)
{
	auto late = record(64, 4);

	open(1 << 20);
	ASSERT_TRUE(put(record(64, 3)));
	void *room = spool_room(spool, 64);

	ASSERT_NE(room, nullptr);
	spool_flush(spool);
	let_writer_rest();
	memcpy(room, late.data(), 64);
	spool_commit(spool, 64);
	spool_flush(spool);
	EXPECT_EQ(spool_available(spool, 0), 128u);
	EXPECT_EQ(spool_close(spool, &err), 0);
	sent.insert(sent.end(), late.begin(), late.end());
	EXPECT_TRUE(read_back() == sent);
}

TEST_F(Spool, NobodyStarvesWhileTheFillerIsBusy)
{
	open(1 << 20);
	void *room = spool_room(spool, 64);

	ASSERT_NE(room, nullptr);
	spool_flush(spool); /* nothing is complete */
	memcpy(room, record(64, 3).data(), 64);
	spool_commit(spool, 64);
	spool_flush(spool);
	EXPECT_EQ(spool_available(spool, 0), 64u);
	EXPECT_EQ(spool_close(spool, &err), 0);
}

/* A limit on the size of files stands for a disk that is full. */
class SpoolFull : public Spool
{
      protected:
	struct rlimit before;
	void (*handler)(int);

	void SetUp() override
	{
		Spool::SetUp();
		handler = signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &before);
		limit(300000);
	}

	void limit(rlim_t bytes)
	{
		struct rlimit now = {bytes, before.rlim_max};

		ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
	}

	void TearDown() override
	{
		setrlimit(RLIMIT_FSIZE, &before);
		signal(SIGXFSZ, handler);
		Spool::TearDown();
	}
};

TEST_F(SpoolFull, ItIsSaidAndWhatWasWrittenStays)
{
	open(1 << 20);
	while (put(record(4096, 7)))
		spool_flush(spool);
	EXPECT_TRUE(spool_error(spool));
	EXPECT_EQ(spool_room(spool, 8), nullptr);
	uint64_t written = spool_available(spool, 0);
	auto last = record(16, 9);

	EXPECT_GT(written, 200000u);
	limit(before.rlim_max);
	spool_put_last(spool, last.data(), last.size());
	spool_finish(spool);
	EXPECT_EQ(spool_available(spool, 0), written + 16);
	EXPECT_EQ(spool_dropped(spool) + written, sent.size());
	EXPECT_EQ(spool_close(spool, &err), -EFBIG);
	EXPECT_EQ(error_lines(err),
		  "spool: cannot write " + path + ": the limit of file sizes is reached after " +
			  std::to_string(written) +
			  " bytes of records\nthe recording ends there, and the command continued");
	auto got = read_back();

	ASSERT_EQ(got.size(), written + 16);
	EXPECT_TRUE(std::equal(got.begin(), got.end() - 16, sent.begin()));
	EXPECT_TRUE(std::equal(got.end() - 16, got.end(), last.begin()));
}

TEST_F(SpoolFull, RoomIsSetAsideAndGoneAfterwards)
{
	open(1 << 20);
	EXPECT_EQ(spool_close(spool, &err), 0);
	int files = 0;

	for (auto &entry : std::filesystem::directory_iterator(scratch.path(""))) {
		EXPECT_EQ(entry.path().filename(), "spool");
		files++;
	}
	EXPECT_EQ(files, 1);
}

TEST(SpoolClose, NoneIsFine)
{
	EXPECT_EQ(spool_close(nullptr, nullptr), 0);
}

} // namespace
