/*
 * model_builder: a model with the arrays that a test wants, filled by hand, and io_events to go
 * with them.
 *
 * Tests of sinks need file names, flags and ids that no sequence of system calls gives in a few
 * lines.
 */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include <iotrace/device.h>
#include <iotrace/metric.h>
#include <iotrace/model.h>
#include <iotrace/sink.h>
#include <iotrace/strtab.h>

extern "C" {
#include "../../lib/model/state/state.h"
}

#include <cstring>
#include <fcntl.h>
#include <string>
#include <vector>

class ModelBuilder
{
      public:
	struct tally tally = {};
	struct model *model;

	ModelBuilder()
	{
		model = model_new(
			&tally, [](void *, const struct io_event *) {}, nullptr);
		model->host.hostname = text("node7");
		model->host.release = text("6.1.0");
		model->host.machine = text("x86_64");
		model->host.cpus = 8;
		model->host.status = -1;
		model->host.end_reason = -1;
		model->host.realtime_offset = 1700000000000000000;
	}
	~ModelBuilder()
	{
		model_free(model);
	}
	ModelBuilder(const ModelBuilder &) = delete;
	ModelBuilder &operator=(const ModelBuilder &) = delete;

	str_id text(const std::string &bytes)
	{
		return strtab_add(model->strings, bytes.data(), bytes.size());
	}

	process_id process(uint32_t pid, const std::string &name, process_id parent = ID_NONE,
			   const std::string &argv = "")
	{
		model->group = grow(model->group, model->groups, &model->groups_cap);
		model->group[model->groups] = {};
		model->group[model->groups].pid = pid;
		model->group[model->groups].parent = parent;
		model->group[model->groups].name = text(name);
		model->group[model->groups].argv = argv.empty() ? 0 : text(argv);
		model->group[model->groups].status = -1;
		return model->groups++;
	}

	thread_id thread(process_id process, uint32_t tid, const std::string &name)
	{
		model->thread = grow(model->thread, model->threads, &model->threads_cap);
		model->thread[model->threads] = {};
		model->thread[model->threads].tid = tid;
		model->thread[model->threads].process = process;
		model->thread[model->threads].name = text(name);
		return model->threads++;
	}

	file_id file(const std::string &path, enum model_file_kind kind = FILE_REGULAR,
		     uint32_t mount = ID_NONE)
	{
		model->file = grow(model->file, model->files, &model->files_cap);
		model->file[model->files] = {};
		model->file[model->files].path = text(path);
		model->file[model->files].kind = kind;
		model->file[model->files].mount = mount;
		return model->files++;
	}

	handle_id handle(process_id process, file_id file, const std::string &name = "")
	{
		model->handle = grow(model->handle, model->handles, &model->handles_cap);
		struct model_handle *h = &model->handle[model->handles];

		*h = {};
		h->process = process;
		h->file = file;
		h->name = !name.empty() ? text(name) : file != ID_NONE ? model->file[file].path : 0;
		return model->handles++;
	}

	handle_id pre_created(process_id process, const std::string &name, uint32_t flags)
	{
		handle_id id = handle(process, ID_NONE, name);

		model->handle[id].is_pre_created = true;
		model->handle[id].pre_flags = flags;
		return id;
	}

	uint32_t mount(const std::string &point, const std::string &source, const std::string &type)
	{
		model->mount = grow(model->mount, model->mounts, &model->mounts_cap);
		model->mount[model->mounts] = {};
		model->mount[model->mounts].mount_point = text(point);
		model->mount[model->mounts].source = text(source);
		model->mount[model->mounts].type = text(type);
		return model->mounts++;
	}

	/* A device with its group, location and handle; returns its index in model_device(). */
	uint32_t device(uint32_t dev, const std::string &name)
	{
		uint32_t id = model->devices;

		model->device = grow(model->device, model->devices, &model->devices_cap);
		model->devices++;
		model->device[id] = {};
		model->device[id].dev = dev;
		model->device[id].name = text(name);
		model->device[id].disk = ID_NONE;
		model->device[id].is_known = true;
		model->device[id].group = process(0, name);
		model->group[model->device[id].group].kind = MODEL_DEVICE;
		model->group[model->device[id].group].device = id;
		model->device[id].location = location(model->device[id].group, LOCATION_DEVICE);
		model->device[id].samples = ID_NONE;
		model->device[id].handle = handle(model->device[id].group,
						  file("/dev/" + name, FILE_DEVICE));
		model->handle[model->device[id].handle].is_block = true;
		model->handle[model->device[id].handle].is_pre_created = true;
		model->handle[model->device[id].handle].pre_flags = O_RDWR;
		return id;
	}

	void filter(enum fact_filter kind, const std::string &name)
	{
		struct filters *f = &model->filters;

		f->filter = grow(f->filter, f->count, &f->cap);
		f->filter[f->count++] = {kind, text(name)};
	}

	void refuse(const std::string &name, const std::string &why, const std::string &instead)
	{
		model->refused = grow(model->refused, model->refusals, &model->refused_cap);
		model->refused[model->refusals++] = {text(name), text(why), text(instead)};
	}

	/* A control group; without a path: one that is gone. */
	uint32_t cgroup(uint64_t id, const std::string &path)
	{
		model->cgroup = grow(model->cgroup, model->cgroups, &model->cgroups_cap);
		model->cgroup[model->cgroups].id = id;
		model->cgroup[model->cgroups].is_known = !path.empty();
		model->cgroup[model->cgroups].name = text(
			path.empty() ? "cgroup:[" + std::to_string(id) + "]" : path);
		return model->cgroups++;
	}

	/* A location for samples of a device; with ID_NONE: of the machine. */
	thread_id samples(uint32_t device)
	{
		if (device != ID_NONE)
			return model->device[device].samples = location(model->device[device].group,
									LOCATION_METRIC);
		process_id machine = process(0, "");

		model->group[machine].kind = MODEL_MACHINE;
		return location(machine, LOCATION_METRIC);
	}

	thread_id location(process_id process, enum model_location kind)
	{
		thread_id id = thread(process, 0, "");

		model->thread[id].kind = kind;
		return id;
	}

	struct sink_options options(const char *path)
	{
		struct sink_options o = {};

		o.model = model;
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

/* io_events by kind; the time is the first argument everywhere. */
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

	e.region.call = call(name);
	e.region.file = file;
	return e;
}

inline io_event leave(uint64_t time, thread_id thread, const char *name, int error = 0,
		      str_id path = 0)
{
	io_event e = at(time, IO_LEAVE, thread);

	e.region.call = call(name);
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

/* A block request: begun, issued and completed at these times. */
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
