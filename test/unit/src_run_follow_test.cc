/*
 * A run that follows a capture, and another one that continues it from any of its rounds: what the second says is what a conversion of
 * the whole says of the same time, with the same names.
 */
#include <gtest/gtest.h>

extern "C" {
#include "run/run.h"
}
#include "scratch_dir.h"
#include "test_source.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iotrace/error.h>
#include <iotrace/sink.h>
#include <map>
#include <regex>
#include <set>
#include <unistd.h>

namespace
{

/* What one operation was: time, thread, direction, bytes, file. */
using Operations = std::multiset<std::string>;

uint64_t everything(void *context, uint64_t have)
{
	auto size = *static_cast<uint64_t *>(context);

	return have < size ? size : have;
}

class Follow : public ::testing::TestWithParam<const char *>
{
      protected:
	ScratchDir dir;
	struct error err = {};
	int fd = -1;
	uint64_t size = 0;
	struct run_source source = {};

	void SetUp() override
	{
		const std::string path = test_source("golden/captures/") + GetParam();

		fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
		ASSERT_GE(fd, 0) << path;
		size = std::filesystem::file_size(path);
		source.path = "capture";
		source.fd = fd;
		source.available = everything;
		source.available_context = &records;
		records = bytes_of_records();
	}
	void TearDown() override
	{
		close(fd);
	}

	uint64_t records = 0;

	/* A capture that is complete says where its records end. */
	uint64_t bytes_of_records()
	{
		struct capture *capture = capture_open_in(dup(fd), "capture", nullptr, nullptr,
							  &err);
		uint64_t total = 0;

		capture_position(capture, &total);
		capture_close(capture);
		return total;
	}

	/* Converts to text. from: the run to continue, or NULL. Returns the operations that began at `since` or later. */
	Operations convert(struct run *from, uint64_t *since)
	{
		static int number;
		const std::string path = dir.path(std::to_string(number++));
		struct run *run = run_new();
		struct sink_options options = {};

		options.path = path.c_str();
		int sink = run_add_sink(run, sink_find("text"), &options, &err);

		EXPECT_GE(sink, 0) << err.text;
		if (from)
			*since = run_continue(run, from);
		EXPECT_EQ(run_convert(run, &source, &err), RUN_COMPLETE) << err.text;
		EXPECT_EQ(run_close_sink(run, sink, &err), 0) << err.text;
		run_free(run);
		return operations_of(path, *since);
	}

	static Operations operations_of(const std::string &path, uint64_t since)
	{
		static const std::regex handle(R"re(handle (h\d+) \S+ \S+ ("[^"]*").*)re");
		static const std::regex op(R"(^(\d+) (\S+) OP_BEGIN (h\d+) #\d+ (\S+) (\S+).*)");
		std::map<std::string, std::string> name;
		std::vector<std::smatch> found;
		std::vector<std::string> lines;
		Operations all;

		std::ifstream in(path);
		for (std::string line; std::getline(in, line);)
			lines.push_back(line);
		for (const std::string &line : lines) {
			std::smatch match;

			if (std::regex_match(line, match, handle))
				name[match[1]] = match[2];
		}
		for (const std::string &line : lines) {
			std::smatch match;

			if (std::regex_match(line, match, op) && std::stoull(match[1]) >= since)
				all.insert(match[1].str() + " " + match[2].str() + " " +
					   match[4].str() + " " + match[5].str() + " " +
					   name[match[3]]);
		}
		return all;
	}

	/* each: what is done to the run that follows, after each round. */
	void continue_from_each_round(void (*each)(struct run *));
};

void Follow::continue_from_each_round(void (*each)(struct run *))
{
	uint64_t none = 0, begun = 0, named = 0;
	int rounds = 1;

	for (int n = 1; n <= rounds; n++) {
		struct run *trail = run_new();
		uint64_t since = 0;

		SCOPED_TRACE("round " + std::to_string(n));
		run_follow(trail);
		ASSERT_EQ(run_open(trail, &source, &err), 0) << err.text;
		for (int i = 0; i < n; i++) {
			ASSERT_EQ(run_step(trail, &err), 1) << err.text;
			each(trail);
		}
		if (run_position(trail) < records && n < 40)
			rounds++;
		const Operations part = convert(trail, &since),
				 whole = convert(nullptr, since ? &since : &none);

		EXPECT_EQ(part, whole);
		if (since) {
			begun += part.size();
			for (const std::string &text : part)
				named += text.back() == '"';
		}
		run_free(trail);
		if (HasFailure())
			return;
	}
	EXPECT_GT(begun, 0u) << "it began too late to test anything";
	EXPECT_GT(named, 0u) << "it began too late to test anything";
	EXPECT_GT(rounds, 1) << "a single round";
}

TEST_P(Follow, AnotherRunContinuesItFromEachRound)
{
	continue_from_each_round([](struct run *) {});
}

/* It forgets what is gone, and nothing else. */
TEST_P(Follow, ARunThatIsRenewedKnowsTheSame)
{
	continue_from_each_round(run_renew);
}

INSTANTIATE_TEST_SUITE_P(Captures, Follow,
			 ::testing::Values("hello.data", "fork.data", "programs.data"),
			 [](const auto &info) {
				 return std::string(info.param, strcspn(info.param, "."));
			 });

} // namespace
