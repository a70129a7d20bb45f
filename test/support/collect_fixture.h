/* collect_fixture: a collection with a process and its thread, and events for its tests. */
#ifndef COLLECT_FIXTURE_H
#define COLLECT_FIXTURE_H

#include "collect/collect.h"
#include "trace_builder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

using Events = std::vector<io_event>;

inline void operator+=(Events &all, const Events &more)
{
	all.insert(all.end(), more.begin(), more.end());
}

/* A run of one millisecond. */
class CollectFixture : public ::testing::Test
{
      protected:
	TraceBuilder b;
	struct collect s = {};
	process_id p = b.process(100, "app");
	thread_id t = b.thread(p, 101, "app");

	CollectFixture()
	{
		b.trace->host.first_time = 1000;
		b.trace->host.last_time = 1001000;
		b.trace->host.processes_seen = 1;
		b.trace->host.threads_seen = 1;
		collect_init(&s, b.trace);
	}
	~CollectFixture() override
	{
		collect_release(&s);
	}

	void feed(const Events &events)
	{
		for (const io_event &event : events)
			collect_event(&s, &event);
	}

	/* A call with an operation that moved bytes. */
	Events transfer(uint64_t from, uint64_t to, const char *name, handle_id handle,
			enum io_mode mode, uint64_t bytes, int error = 0)
	{
		return transfer_of(t, from, to, name, handle, mode, bytes, error);
	}

	static Events transfer_of(thread_id thread, uint64_t from, uint64_t to, const char *name,
				  handle_id handle, enum io_mode mode, uint64_t bytes,
				  int error = 0)
	{
		io_event end = io::complete(to, thread, handle, 1,
					    error ? IO_BYTES_UNDEFINED : bytes);

		end.op.mode = mode;
		return {io::enter(from, thread, name, handle),
			io::begin(from, thread, handle, 1, mode, bytes), end,
			io::leave(to, thread, name, error)};
	}
};

/* A request that has ended, with the times as the model reports them. */
inline Events request(uint64_t begun, uint64_t issued, uint64_t end,
		      const struct trace_device *device, uint64_t id, enum request_kind type,
		      uint64_t bytes, int error = 0)
{
	Events all = io::request(begun, issued, end, device->location, device->handle, id, type,
				 bytes, error);

	all[2].op.begun = begun;
	all[2].op.issued = issued;
	return all;
}

class DevicesFixture : public CollectFixture
{
      protected:
	uint32_t sda = b.device(makedev(8, 0), "sda");

	struct trace_device *device(uint32_t id)
	{
		return &b.trace->device[id];
	}
};

#endif
