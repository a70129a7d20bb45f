/*
 * Whatever calls a run consists of, on whatever threads: the archive holds them, and nothing is
 * found wrong.
 */
#include "scratch_dir.h"
#include "sinks.h"
#include "trace_builder.h"

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>

namespace
{

/* A program of random calls that keeps what OTF2 asks for; it counts what the archive must hold. */
struct AnyRun {
	std::mt19937_64 random;
	TraceBuilder b;
	std::vector<thread_id> threads;
	std::vector<handle_id> handles;
	std::vector<bool> is_open, has_ended;
	uint64_t now = 1, id = 0, events = 0, operations = 0;
	struct sink *sink;

	explicit AnyRun(uint64_t seed) : random(seed)
	{
		process_id p = b.process(10, "p");

		for (uint32_t i = 0; i < 1 + below(6); i++)
			threads.push_back(b.thread(p, 10 + i, "t"));
		for (uint32_t i = 0; i < 1 + below(6); i++)
			handles.push_back(b.handle(p, b.file("/" + std::to_string(random()))));
		is_open.resize(handles.size());
		has_ended.resize(threads.size());
	}

	uint32_t below(uint32_t n)
	{
		return (uint32_t)(random() % n);
	}
	void send(const io_event &e)
	{
		sink_otf2_ops.event(sink, &e);
		events++;
	}
	/* Mostly small steps, at times none, and some that need all bytes of a time stamp. */
	void step()
	{
		now += below(3) ? below(1000) : below(50) ? 0 : random() >> 20;
	}

	void toggle(thread_id t, uint32_t i)
	{
		send(io::enter(now, t, is_open[i] ? "close" : "openat"));
		step();
		send(is_open[i] ? io::destroy(now, t, handles[i])
				: io::create(now, t, handles[i], (uint32_t)random()));
		is_open[i] = !is_open[i];
		send(io::leave(now, t, is_open[i] ? "openat" : "close"));
	}

	void operate(thread_id t, uint32_t i)
	{
		uint64_t from = now, bytes = below(2) ? random() : below(100000);

		step();
		for (io_event e :
		     io::operation(from, now, t, handles[i], id, (io_mode)below(3), bytes)) {
			e.time -= below(20) ? 0 : below(500); /* some are late */
			send(e);
		}
		id++;
		operations++;
	}

	void call()
	{
		uint32_t which = below((uint32_t)threads.size());
		uint32_t i = below((uint32_t)handles.size());

		if (has_ended[which])
			return;
		step();
		if (below(2000) == 0 && which) {
			send(io::at(now, IO_THREAD_END, threads[which]));
			has_ended[which] = true;
		} else if (!is_open[i] || below(50) == 0) {
			toggle(threads[which], i);
		} else {
			operate(threads[which], i);
		}
		now += 500; /* so that nothing late falls before what made its handle */
	}
};

TEST(Otf2Property, AnyRunIsAnArchiveWithoutFaults)
{
	for (uint64_t seed = 0; seed < 12; seed++) {
		ScratchDir scratch;
		std::string path = scratch.path("trace");
		AnyRun run(seed);
		struct error err = {};
		struct sink_options options = run.b.options(path.c_str());
		archive_report report;

		run.sink = sink_otf2_ops.open(&options, &err);
		ASSERT_NE(run.sink, nullptr) << err.text;
		for (uint64_t i = 0, calls = seed % 3 == 0 ? 60000 : 300; i < calls; i++)
			run.call();
		ASSERT_EQ(sink_otf2_ops.close(run.sink, &err), 0) << err.text;
		ASSERT_EQ(archive_verify(path.c_str(), &report, &err), 0) << err.text;
		EXPECT_EQ(report.findings, 0u) << "seed " << seed << ": " << report.finding[0];
		EXPECT_EQ(report.events, run.events);
		EXPECT_EQ(report.begun, run.operations);
		EXPECT_EQ(report.completed, run.operations);
		EXPECT_EQ(report.locations, run.threads.size());
	}
}

} // namespace
