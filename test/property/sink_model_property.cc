/*
 * Any stream of events, through the model, becomes an archive without faults, and the archive holds
 * what the books say.
 */
#include "aio_steps.h"
#include "model_driver.h"
#include "scratch_dir.h"
#include "sinks.h"

extern "C" {
#include "../../lib/model/state/state.h"
}

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sched.h>
#include <sys/mman.h>

namespace
{

/*
 * Random calls of a few processes and threads with few descriptors and files, so that much
 * collides. Each number is drawn in a statement of its own: compilers evaluate arguments in different
 * orders, and a seed must name the same program for all of them.
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
		switch (below(20)) {
		case 0:
			open(pid, tid, fd);
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
			unlink(pid, tid);
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
		case 15:
			act_on_tables(pid, tid, fd);
			break;
		case 16:
			act_on_request(pid, tid, fd);
			break;
		default:
			transfer(pid, tid, fd);
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

	void open(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		int64_t result = below(4) ? (int64_t)fd : -ENOENT;
		std::string path = file();

		d.call(pid, tid, "openat", {(uint64_t)AT_FDCWD, 0, O_RDWR | O_CREAT}, result,
		       {path});
	}

	void unlink(uint32_t pid, uint32_t tid)
	{
		int64_t result = below(2) ? 0 : -ENOENT;
		std::string path = file();

		d.call(pid, tid, "unlink", {0}, result, {path});
	}

	void transfer(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		const char *name = below(2) ? "read" : "write";
		int64_t result = below(10) ? (int64_t)below(4096) : -EIO;

		d.call(pid, tid, name, {fd, 0, 4096}, result);
	}

	/* A call that began in the past, when its descriptor may have been another. */
	void pair(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		static const char *const names[] = {"read",  "write", "lseek",     "dup",
						    "fsync", "flock", "openat",    "pipe2",
						    "fcntl", "close", "sendfile64"};
		const char *name = names[below(sizeof(names) / sizeof(names[0]))];
		uint64_t other = below(8);
		uint64_t size = below(100);
		Paired more;

		more.position = below(200);
		more.is_in_flight = below(20) == 0;
		if (below(2))
			more.made = {{(int)other, file()}, {(int)fd, "pipe:[3]"}};
		uint64_t begin = d.now - below(300);
		int64_t result = below(10) ? (int64_t)other : -EIO;

		d.pair(pid, tid, name, begin, {fd, other, size % 3, size}, result, more);
	}

	/* What changes whole tables, and what outlives a descriptor. */
	void act_on_tables(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		uint64_t other = below(8);

		switch (below(7)) {
		case 0:
			d.call(pid, tid, "unshare", {CLONE_FILES}, 0);
			break;
		case 1:
			d.call(pid, tid, "close_range", {fd, other, below(2) * 2}, 0);
			break;
		case 2:
			d.call(pid, tid, "execve", {}, 0);
			break;
		case 3:
			d.call(pid, tid, "mmap",
			       {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0},
			       (int64_t)(4096 * (1 + other)));
			break;
		case 4:
			d.call(pid, tid, "msync", {4096 * (1 + other), 4096, 0}, 0);
			break;
		case 5:
			d.enter(pid, tid, "close", {fd}); /* its end may never come */
			break;
		default:
			d.call(pid, tid, "dup3", {fd, other, O_CLOEXEC}, (int64_t)other);
		}
	}

	/* A step of one of a few requests, from BPF or tracepoints, as if the kernel made them at any time. */
	void act_on_request(uint32_t pid, uint32_t tid, uint64_t fd)
	{
		static const enum aio_action actions[] = {AIO_READ, AIO_WRITE, AIO_FLUSH, AIO_CLOSE,
							  AIO_OPEN};
		enum aio_action action = actions[below(5)];
		uint64_t key = 1 + below(6);

		switch (below(5)) {
		case 0:
			aio_do(d, pid, tid, aio_submit(key, action));
			break;
		case 1:
			aio_do(d, pid, tid, aio_submit_all(key, action, (int32_t)fd, 100, 0));
			break;
		case 2:
			aio_do(d, pid, tid, aio_start(key, (int32_t)fd));
			break;
		default:
			complete(pid, tid, key, (int64_t)fd);
		}
	}

	/* What opens a file makes fd. */
	void complete(uint32_t pid, uint32_t tid, uint64_t key, int64_t fd)
	{
		struct event e = d.base(EVENT_AIO, pid, tid);
		std::string path = file();
		Made made = {(int)fd, path};

		e.aio.step = aio_complete(key, below(4) ? fd : -EBADF);
		e.aio.file = ModelDriver::file_of(made);
		model_event(d.model, &e);
	}

	void start(uint32_t pid, uint32_t tid)
	{
		if (tasks.size() == 8)
			return;
		uint32_t child = next++;
		uint32_t process = below(2) ? pid : child;

		d.fork(pid, tid, process, child);
		d.clone_flags(pid, tid, below(2) ? CLONE_FILES : 0);
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

/* A random program, through the model, in an archive. */
struct Recording {
	ModelDriver d;
	archive_report report = {};

	/* locations: 0: as many as there are threads. */
	void program(uint64_t seed, uint32_t locations)
	{
		ScratchDir scratch;
		std::string path = scratch.path("trace");
		struct sink *sink = nullptr;
		struct sink_options options = {};
		struct error err = {};

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
		options.trace = model_trace(d.model);
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
	}
};

/* With few locations, most are shared by threads that come one after the other. */
void expect_no_faults(uint32_t locations)
{
	uint64_t sharing = 0;

	for (uint64_t seed = 0; seed < 10; seed++) {
		Recording run;
		const struct tally *tally = &run.d.tally;

		ASSERT_NO_FATAL_FAILURE(run.program(seed, locations));
		EXPECT_GT(run.report.begun, 300u);
		EXPECT_EQ(run.report.begun, tally_get(tally, begun));
		EXPECT_EQ(run.report.completed, tally_get(tally, completed));
		EXPECT_EQ(run.report.cancelled,
			  tally_get(tally, cancelled) + tally_get(tally, aborted) +
				  tally_get(tally, unreported) + tally_get(tally, in_flight));
		sharing += tally_get(tally, threads_sharing);
		if (locations)
			EXPECT_LT(run.report.locations, locations + 64 + 8);
	}
	EXPECT_EQ(sharing > 100, locations != 0) << sharing;
}

TEST(Otf2Property, AnyStreamOfEventsIsAnArchiveWithoutFaults)
{
	expect_no_faults(0);
}

TEST(Otf2Property, LocationsMayBeFew)
{
	expect_no_faults(3);
}

uint64_t number(const char *variable, uint64_t other)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, nullptr, 10) : other;
}

/*
 * Nothing uses a handle before it was created or after it was destroyed, in the order in which readers see the events
 * of all locations. IOTRACE_SEEDS sets how many programs are tried, and IOTRACE_SEED the first.
 */
TEST(Otf2Property, HandlesAreUsedWhereTheyAreActive)
{
	uint64_t from = number("IOTRACE_SEED", 0);
	uint64_t seeds = from + number("IOTRACE_SEEDS", 15);

	for (uint64_t seed = from; seed < seeds; seed++)
		for (uint32_t locations : {0u, 3u}) {
			Recording run;

			SCOPED_TRACE(locations);
			ASSERT_NO_FATAL_FAILURE(run.program(seed, locations));
		}
}

} // namespace
