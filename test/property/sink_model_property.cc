/*
 * Any stream of events, through the model, becomes an archive without faults, and the archive holds
 * what the books say.
 */
#include "model_driver.h"
#include "scratch_dir.h"
#include "sinks.h"

extern "C" {
#include "../../lib/model/state.h"
}

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>

namespace
{

/*
 * Random calls of a few processes and threads with few descriptors and files, so that much
 * collides.
 */
class AnyProgram
{
      public:
	AnyProgram(ModelDriver &driver, uint64_t seed) : d(driver), random(seed)
	{
		d.comm(100, 100, "app", true);
	}

	void act()
	{
		auto [pid, tid] = tasks[below((uint32_t)tasks.size())];
		uint64_t fd = below(8);

		d.now += below(50);
		switch (below(18)) {
		case 0:
			d.call(pid, tid, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR | O_CREAT},
			       below(4) ? (int64_t)fd : -ENOENT, {file()});
			break;
		case 1:
			d.call(pid, tid, "close", {fd}, 0);
			break;
		case 2: {
			uint64_t target = below(8);
			d.call(pid, tid, "dup2", {fd, target}, (int64_t)target);
			break;
		}
		case 3:
			start(pid, tid);
			break;
		case 4:
			stop();
			break;
		case 5:
			d.call(pid, tid, "unlink", {0}, below(2) ? 0 : -ENOENT, {file()});
			break;
		case 6:
			d.call(pid, tid, "lseek", {fd, 5, SEEK_SET}, 5);
			break;
		case 7:
			d.enter(pid, tid, "read", {fd, 0, 100}); /* its end may never come */
			break;
		case 8:
			d.call(pid, tid, "fsync", {fd}, 0);
			break;
		case 9:
			d.call(pid, tid, "sync", {}, 0);
			break;
		case 10:
			if (below(20) == 0)
				d.lost(3);
			break;
		case 11:
		case 12:
		case 13:
		case 14:
			pair(pid, tid, fd);
			break;
		default:
			d.call(pid, tid, below(2) ? "read" : "write", {fd, 0, 4096},
			       below(10) ? (int64_t)below(4096) : -EIO);
		}
	}

      private:
	ModelDriver &d;
	std::mt19937_64 random;
	std::vector<std::pair<uint32_t, uint32_t>> tasks = {{100, 100}};
	uint32_t next = 101;

	uint32_t below(uint32_t n)
	{
		return (uint32_t)(random() % n);
	}
	std::string file()
	{
		return "/tmp/f" + std::to_string(below(5));
	}

	/* A call that began in the past, when its descriptor may have been another. */
	void pair(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		static const char *const names[] = {"read",  "write", "lseek",     "dup",
						    "fsync", "flock", "openat",    "pipe2",
						    "fcntl", "close", "sendfile64"};
		const char *name = names[below(sizeof(names) / sizeof(names[0]))];
		uint64_t other = below(8), size = below(100);
		Paired more;

		more.position = below(200);
		more.is_in_flight = below(20) == 0;
		if (below(2))
			more.made = {{(int)other, file()}, {(int)fd, "pipe:[3]"}};
		d.pair(pid, tid, name, d.now - below(300), {fd, other, size % 3, size},
		       below(10) ? (int64_t)other : -EIO, more);
	}

	void start(uint32_t pid, uint32_t tid)
	{
		if (tasks.size() == 8)
			return;
		uint32_t child = next++, process = below(2) ? pid : child;

		d.fork(pid, tid, process, child);
		tasks.push_back({process, child});
	}

	void stop()
	{
		if (tasks.size() == 1 || below(3))
			return;
		size_t which = 1 + below((uint32_t)tasks.size() - 1);

		d.exit(tasks[which].first, tasks[which].second);
		tasks.erase(tasks.begin() + (long)which);
	}
};

/* With few locations, most are shared by threads that come one after the other. */
void expect_no_faults(uint32_t locations)
{
	uint64_t folded = 0;

	for (uint64_t seed = 0; seed < 10; seed++) {
		ScratchDir scratch;
		std::string path = scratch.path("trace");
		ModelDriver d;
		struct sink *sink = nullptr;
		struct sink_options options = {};
		struct error err = {};
		archive_report report;

		/* A model whose output is the sink. */
		model_free(d.model);
		d.tally = {};
		d.model = model_new(
			&d.tally,
			[](void *context, const struct io_event *event) {
				sink_otf2_ops.event(*(struct sink **)context, event);
			},
			&sink);
		if (locations)
			d.model->location_limit = locations;
		options.model = d.model;
		options.tally = &d.tally;
		options.path = path.c_str();
		sink = sink_otf2_ops.open(&options, &err);
		ASSERT_NE(sink, nullptr) << err.text;

		AnyProgram program(d, seed);
		for (int i = 0; i < 3000; i++)
			program.act();
		model_end(d.model);
		ASSERT_EQ(sink_otf2_ops.close(sink, &err), 0) << err.text;
		ASSERT_EQ(archive_verify(path.c_str(), &report, &err), 0) << err.text;
		EXPECT_EQ(report.findings, 0u) << "seed " << seed << ": " << report.finding[0];
		EXPECT_GT(report.begun, 300u);
		EXPECT_EQ(report.begun, tally_get(&d.tally, begun));
		EXPECT_EQ(report.completed, tally_get(&d.tally, completed));
		EXPECT_EQ(report.cancelled,
			  tally_get(&d.tally, cancelled) + tally_get(&d.tally, in_flight));
		folded += tally_get(&d.tally, folded);
		if (locations)
			EXPECT_LT(report.locations, locations + 64 + 8);
	}
	EXPECT_EQ(folded > 100, locations != 0) << folded;
}

TEST(Otf2Property, AnyStreamOfEventsIsAnArchiveWithoutFaults)
{
	expect_no_faults(0);
}

TEST(Otf2Property, LocationsMayBeFew)
{
	expect_no_faults(3);
}

} // namespace
