/*
 * trace_builder: a trace with definitions for a test, filled by hand, and matching io_events.
 *
 * Tests of sinks need file names, flags and ids that no short sequence of system calls gives.
 */
#ifndef TRACE_BUILDER_H
#define TRACE_BUILDER_H

#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/strtab.h>
#include <iotrace/syscall.h>
#include <iotrace/trace.h>

#include <cstring>
#include <fcntl.h>
#include <string>
#include <vector>

class TraceBuilder
{
      public:
	struct tally tally = {};
	struct trace definitions = {};
	struct trace *const trace = &definitions;

	TraceBuilder()
	{
		trace_init(trace);
		trace_add_calls(trace);
		trace->host.hostname = text("node7");
		trace->host.release = text("6.1.0");
		trace->host.machine = text("x86_64");
		trace->host.cpus = 8;
		trace->host.status = -1;
		trace->host.end_reason = -1;
		trace->host.realtime_offset = 1700000000000000000;
	}
	~TraceBuilder()
	{
		trace_release(trace);
	}
	TraceBuilder(const TraceBuilder &) = delete;
	TraceBuilder &operator=(const TraceBuilder &) = delete;

	str_id text(const std::string &bytes)
	{
		return strtab_add(trace->strings, bytes.data(), bytes.size());
	}

	process_id process(uint32_t pid, const std::string &name, process_id parent = ID_NONE,
			   const std::string &argv = "")
	{
		trace->process = grow(trace->process, trace->processes, &trace->processes_cap);
		trace->process[trace->processes] = {};
		trace->process[trace->processes].pid = pid;
		trace->process[trace->processes].parent = parent;
		trace->process[trace->processes].name = text(name);
		trace->process[trace->processes].argv = argv.empty() ? 0 : text(argv);
		trace->process[trace->processes].status = -1;
		return trace->processes++;
	}

	thread_id thread(process_id process, uint32_t tid, const std::string &name)
	{
		trace->thread = grow(trace->thread, trace->threads, &trace->threads_cap);
		trace->thread[trace->threads] = {};
		trace->thread[trace->threads].tid = tid;
		trace->thread[trace->threads].process = process;
		trace->thread[trace->threads].name = text(name);
		return trace->threads++;
	}

	file_id file(const std::string &path, enum trace_file_kind kind = FILE_REGULAR,
		     uint32_t mount = ID_NONE)
	{
		trace->file = grow(trace->file, trace->files, &trace->files_cap);
		trace->file[trace->files] = {};
		trace->file[trace->files].path = text(path);
		trace->file[trace->files].kind = kind;
		trace->file[trace->files].mount = mount;
		return trace->files++;
	}

	handle_id handle(process_id process, file_id file, const std::string &name = "")
	{
		trace->handle = grow(trace->handle, trace->handles, &trace->handles_cap);
		struct trace_handle *h = &trace->handle[trace->handles];

		*h = {};
		h->process = process;
		h->file = file;
		h->name = !name.empty() ? text(name) : file != ID_NONE ? trace->file[file].path : 0;
		return trace->handles++;
	}

	handle_id pre_created(process_id process, const std::string &name, uint32_t flags)
	{
		handle_id id = handle(process, ID_NONE, name);

		trace->handle[id].is_pre_created = true;
		trace->handle[id].pre_flags = flags;
		return id;
	}

	uint32_t mount(const std::string &point, const std::string &source, const std::string &type)
	{
		trace->mount = grow(trace->mount, trace->mounts, &trace->mounts_cap);
		trace->mount[trace->mounts] = {};
		trace->mount[trace->mounts].mount_point = text(point);
		trace->mount[trace->mounts].source = text(source);
		trace->mount[trace->mounts].type = text(type);
		return trace->mounts++;
	}

	/* A device with its group, location and handle; returns its index in trace_device(). */
	uint32_t device(uint32_t dev, const std::string &name)
	{
		uint32_t id = trace->devices;

		trace->device = grow(trace->device, trace->devices, &trace->devices_cap);
		trace->devices++;
		trace->device[id] = {};
		trace->device[id].dev = dev;
		trace->device[id].name = text(name);
		trace->device[id].disk = ID_NONE;
		trace->device[id].is_known = true;
		trace->device[id].group = process(0, name);
		trace->process[trace->device[id].group].kind = TRACE_DEVICE;
		trace->process[trace->device[id].group].device = id;
		trace->device[id].location = location(trace->device[id].group, LOCATION_DEVICE);
		trace->device[id].samples = ID_NONE;
		trace->device[id].handle = handle(trace->device[id].group,
						  file("/dev/" + name, FILE_DEVICE));
		trace->handle[trace->device[id].handle].is_block = true;
		trace->handle[trace->device[id].handle].is_pre_created = true;
		trace->handle[trace->device[id].handle].pre_flags = O_RDWR;
		return id;
	}

	void filter(enum fact_filter kind, const std::string &name)
	{
		struct trace_filters *f = &trace->filters;

		f->filter = grow(f->filter, f->count, &f->cap);
		f->filter[f->count++] = {kind, text(name), 0, 0};
	}

	void refuse(const std::string &name, const std::string &why, const std::string &instead)
	{
		trace->refused = grow(trace->refused, trace->refusals, &trace->refused_cap);
		trace->refused[trace->refusals++] = {text(name), text(why), text(instead)};
	}

	region_id region(const struct trace_region &region)
	{
		trace->region = grow(trace->region, trace->regions, &trace->regions_cap);
		trace->region[trace->regions] = region;
		return trace->regions++;
	}

	/* Counters of calls, as -E has them. */
	void counters(const std::vector<const char *> &names)
	{
		std::vector<struct trace_metric_text> row;

		for (const char *name : names)
			row.push_back({name, "#", "Counter of the thread since recording began",
				       true, false});
		trace_add_series(trace, "counters", true, row.data(),
				 static_cast<uint32_t>(row.size()));
	}

	/* A control group; without a path: one that no longer exists. */
	uint32_t cgroup(uint64_t id, const std::string &path)
	{
		trace->cgroup = grow(trace->cgroup, trace->cgroups, &trace->cgroups_cap);
		trace->cgroup[trace->cgroups].id = id;
		trace->cgroup[trace->cgroups].is_known = !path.empty();
		trace->cgroup[trace->cgroups].name = text(
			path.empty() ? "cgroup:[" + std::to_string(id) + "]" : path);
		return trace->cgroups++;
	}

	/* A location for samples of a device; with ID_NONE: of the machine. */
	thread_id samples(uint32_t device)
	{
		if (device != ID_NONE)
			return trace->device[device].samples = location(trace->device[device].group,
									LOCATION_METRIC);
		process_id machine = process(0, "");

		trace->process[machine].kind = TRACE_MACHINE;
		return location(machine, LOCATION_METRIC);
	}

	thread_id location(process_id process, enum trace_location kind)
	{
		thread_id id = thread(process, 0, "");

		trace->thread[id].kind = kind;
		return id;
	}

	struct sink_options options(const char *path)
	{
		struct sink_options o = {};

		o.trace = trace;
		o.tally = &tally;
		o.path = path;
		return o;
	}

      private:
	template <typename T> T *grow(T *array, uint32_t count, uint32_t *capacity)
	{
		return count < *capacity
			       ? array
			       : static_cast<T *>(mem_grow(array, capacity, count + 1, sizeof(T)));
	}
};

/* io_events by kind; the first argument is always the time. */
namespace io
{

inline io_event at(uint64_t time, enum io_event_kind kind, thread_id thread,
		   handle_id handle = ID_NONE)
{
	io_event e = {};

	e.kind = kind;
	e.thread = thread;
	e.time = time;
	e.handle = handle;
	return e;
}

inline call_id call(const char *name)
{
	return call_by_name(name, strlen(name));
}

inline io_event enter(uint64_t time, thread_id thread, const char *name, handle_id handle = ID_NONE,
		      file_id file = ID_NONE)
{
	io_event e = at(time, IO_ENTER, thread, handle);

	e.region.id = call(name);
	e.region.file = file;
	return e;
}

inline io_event leave(uint64_t time, thread_id thread, const char *name, int error = 0,
		      str_id path = 0)
{
	io_event e = at(time, IO_LEAVE, thread);

	e.region.id = call(name);
	e.region.error = error;
	e.region.file = ID_NONE;
	e.region.path = path;
	return e;
}

inline io_event create(uint64_t time, thread_id thread, handle_id handle, uint32_t flags)
{
	io_event e = at(time, IO_CREATE_HANDLE, thread, handle);

	e.create.flags = flags;
	return e;
}

inline io_event destroy(uint64_t time, thread_id thread, handle_id handle)
{
	return at(time, IO_DESTROY_HANDLE, thread, handle);
}

inline io_event begin(uint64_t time, thread_id thread, handle_id handle, uint64_t id,
		      enum io_mode mode, uint64_t bytes, uint64_t offset = IO_OFFSET_UNKNOWN)
{
	io_event e = at(time, IO_OP_BEGIN, thread, handle);

	e.op.id = id;
	e.op.mode = mode;
	e.op.bytes = bytes;
	e.op.offset = offset;
	return e;
}

inline io_event complete(uint64_t time, thread_id thread, handle_id handle, uint64_t id,
			 uint64_t bytes)
{
	io_event e = at(time, IO_OP_COMPLETE, thread, handle);

	e.op.id = id;
	e.op.bytes = bytes;
	e.op.offset = IO_OFFSET_UNKNOWN;
	return e;
}

inline io_event issued(uint64_t time, thread_id thread, handle_id handle, uint64_t id)
{
	io_event e = at(time, IO_OP_ISSUED, thread, handle);

	e.op.id = id;
	return e;
}

inline io_event metric(uint64_t time, thread_id thread, uint32_t series,
		       const std::vector<uint64_t> &values)
{
	io_event e = at(time, IO_METRIC, thread);

	e.metric.series = series;
	e.metric.counters = (uint32_t)values.size();
	e.metric.counter = values.data();
	return e;
}

/* A block request that was begun, issued and completed at these times. */
inline std::vector<io_event> request(uint64_t from, uint64_t issue, uint64_t to, thread_id location,
				     handle_id handle, uint64_t id, enum request_kind type,
				     uint64_t bytes, int error = 0)
{
	enum io_mode mode = type == REQUEST_READ    ? IO_MODE_READ
			    : type == REQUEST_FLUSH ? IO_MODE_FLUSH
						    : IO_MODE_WRITE;
	io_event first = begin(from, location, handle, id, mode, bytes, id * 4096);
	io_event last = complete(to, location, handle, id, bytes);

	first.op.is_non_blocking = true;
	first.op.type = last.op.type = type;
	first.op.file = ID_NONE;
	first.op.cgroup = last.op.cgroup = ID_NONE;
	last.op.mode = mode;
	last.op.error = error;
	return {first, io::issued(issue, location, handle, id), last};
}

/* A whole call that reads or writes. */
inline std::vector<io_event> operation(uint64_t from, uint64_t to, thread_id thread,
				       handle_id handle, uint64_t id, enum io_mode mode,
				       uint64_t bytes)
{
	const char *name = mode == IO_MODE_READ    ? "read"
			   : mode == IO_MODE_WRITE ? "write"
						   : "fsync";

	return {enter(from, thread, name, handle),
		begin(from, thread, handle, id, mode, bytes, id * 4096),
		complete(to, thread, handle, id, bytes), leave(to, thread, name)};
}

} // namespace io

#endif
