/*
 * model_driver: events in, io_events out as lines of text, for the tests of the model.
 */
#ifndef MODEL_DRIVER_H
#define MODEL_DRIVER_H

#include <iotrace/device.h>
#include <iotrace/metric.h>
#include <iotrace/model.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <vector>

/* What the kernel reports about a new descriptor. */
struct Made {
	int fd;
	std::string name; /* "": unknown */
	uint32_t flags = O_RDWR;
	uint64_t position = 0;
	uint32_t mode = 0100644;
	uint64_t ino = 2;
	bool is_deleted = false;
};

/* What a paired call has besides its arguments. */
struct Paired {
	std::vector<Made> made = {};
	uint64_t position = EVENT_POSITION_UNKNOWN;
	std::vector<std::string> paths = {};
	bool is_in_flight = false;
};

class ModelDriver
{
      public:
	struct tally tally = {};
	struct model *model;
	const struct trace *trace;
	std::vector<io_event> events;
	std::vector<std::vector<uint64_t>> metrics;
	uint64_t now = 1000;
	uint32_t pid = 10; /* of request() */
	const char *name = "app";
	uint64_t key = 0;
	std::string start; /* start directory of relative paths; "": unknown */

	ModelDriver()
	{
		model = model_new(&tally, output, this);
		trace = model_trace(model);
	}
	~ModelDriver()
	{
		model_free(model);
	}
	ModelDriver(const ModelDriver &) = delete;
	ModelDriver &operator=(const ModelDriver &) = delete;

	void at(uint64_t time)
	{
		now = time;
	}

	struct event base(enum event_kind kind, uint32_t pid, uint32_t tid)
	{
		struct event e = {};

		e.kind = kind;
		e.time = now++;
		e.pid = pid;
		e.tid = tid;
		return e;
	}

	void enter(uint32_t pid, uint32_t tid, const char *name, std::vector<uint64_t> args = {},
		   std::vector<std::string> paths = {})
	{
		struct event e = base(EVENT_SYSCALL_ENTER, pid, tid);

		e.enter.call = call_by_name(name, strlen(name));
		for (size_t i = 0; i < args.size(); i++)
			e.enter.arg[i] = args[i];
		for (size_t i = 0; i < paths.size(); i++)
			e.enter.path[i] = {paths[i].data(), (uint32_t)paths[i].size()};
		for (event_string &base : e.enter.base)
			base = {start.data(), (uint32_t)start.size()};
		model_event(model, &e);
	}

	void leave(uint32_t pid, uint32_t tid, const char *name, int64_t result,
		   std::vector<uint64_t> counters = {}, uint32_t cpu = 0)
	{
		struct event e = base(EVENT_SYSCALL_EXIT, pid, tid);

		e.exit.call = call_by_name(name, strlen(name));
		e.exit.result = result;
		e.cpu = cpu;
		e.exit.counters = (uint32_t)counters.size();
		for (size_t i = 0; i < counters.size(); i++)
			e.exit.counter[i] = counters[i];
		model_event(model, &e);
	}

	/* Enter and exit of a call. */
	void call(uint32_t pid, uint32_t tid, const char *name, std::vector<uint64_t> args,
		  int64_t result, std::vector<std::string> paths = {})
	{
		enter(pid, tid, name, args, paths);
		leave(pid, tid, name, result);
	}

	/* A paired call that began at `begin` and ends now. */
	void pair(uint32_t pid, uint32_t tid, const char *name, uint64_t begin,
		  std::vector<uint64_t> args, int64_t result, const Paired &more = {})
	{
		struct event e = base(EVENT_CALL, pid, tid);

		e.pair.call = call_by_name(name, strlen(name));
		e.pair.begin = begin;
		e.pair.result = result;
		e.pair.position = more.position;
		e.pair.is_in_flight = more.is_in_flight;
		for (size_t i = 0; i < args.size(); i++)
			e.pair.arg[i] = args[i];
		for (size_t i = 0; i < more.paths.size(); i++)
			e.pair.path[i] = {more.paths[i].data(), (uint32_t)more.paths[i].size()};
		for (event_string &base : e.pair.base)
			base = {start.data(), (uint32_t)start.size()};
		for (event_file &file : e.pair.file)
			file.fd = -1;
		for (size_t i = 0; i < more.made.size(); i++)
			e.pair.file[i] = file_of(more.made[i]);
		model_event(model, &e);
	}

	static event_file file_of(const Made &made)
	{
		event_file file = {};

		file.fd = made.fd;
		file.flags = made.flags;
		file.mode = made.mode;
		file.position = made.position;
		file.dev = 1;
		file.ino = made.ino;
		file.mnt_id = 9;
		file.is_deleted = made.is_deleted;
		if (!made.name.empty())
			file.name = {made.name.data(), (uint32_t)made.name.size()};
		return file;
	}

	void fork(uint32_t pid, uint32_t tid, uint32_t child_pid, uint32_t child_tid)
	{
		struct event e = base(EVENT_FORK, pid, tid);

		e.fork.child_pid = child_pid;
		e.fork.child_tid = child_tid;
		model_event(model, &e);
	}

	void clone_flags(uint32_t pid, uint32_t tid, uint64_t flags)
	{
		struct event e = base(EVENT_CLONE_FLAGS, pid, tid);

		e.clone_flags.flags = flags;
		model_event(model, &e);
	}

	void comm(uint32_t pid, uint32_t tid, const char *name, bool is_exec)
	{
		struct event e = base(EVENT_COMM, pid, tid);

		e.comm.is_exec = is_exec;
		e.comm.name = {name, (uint32_t)strlen(name)};
		model_event(model, &e);
	}

	void exit(uint32_t pid, uint32_t tid)
	{
		struct event e = base(EVENT_EXIT, pid, tid);

		model_event(model, &e);
	}

	void program(uint32_t pid, bool is_foreign)
	{
		struct event e = base(EVENT_PROGRAM, pid, pid);

		e.program.is_foreign = is_foreign;
		model_event(model, &e);
	}

	void lock(uint32_t pid, uint32_t tid, uint32_t type)
	{
		struct event e = base(EVENT_LOCK, pid, tid);

		e.lock_type = type;
		model_event(model, &e);
	}

	/* until: 0: the loss ends at once */
	void lost(uint64_t count, uint64_t until = 0)
	{
		struct event e = base(EVENT_LOST, 0, 0);

		e.lost.count = count;
		e.lost.until = until;
		model_event(model, &e);
	}

	void fact(enum fact_kind kind, std::vector<uint64_t> numbers,
		  std::vector<std::string> strings = {})
	{
		struct event e = base(EVENT_FACT, 0, 0);

		e.fact.kind = kind;
		for (size_t i = 0; i < numbers.size(); i++)
			e.fact.number[i] = numbers[i];
		for (size_t i = 0; i < strings.size(); i++)
			e.fact.string[i] = {strings[i].data(), (uint32_t)strings[i].size()};
		model_event(model, &e);
	}

	/* A look-up that began at t0 and ends now; reason as in fact.def. */
	void fd(uint32_t pid, uint64_t number, const char *target, uint64_t reason, uint64_t t0,
		uint64_t error = 0, uint64_t mode = 0100644, uint64_t flags = UINT64_MAX,
		uint64_t pos = UINT64_MAX)
	{
		fact(FACT_FD, {pid, number, t0, error, flags, pos, 1, 2, mode, 1, 9, reason},
		     {target});
	}

	void start_fd(uint32_t pid, uint64_t number, const char *target, uint64_t flags = O_RDWR,
		      uint64_t pos = 0, uint64_t mode = 0100644)
	{
		fd(pid, number, target, 0, now, 0, mode, flags, pos);
	}

	/* A step of a request, in the task of the driver's pid and name. rwbs: "WS". */
	struct event step(enum request_step step, uint32_t dev, const char *rwbs, uint64_t sector,
			  uint32_t sectors)
	{
		struct event e = base(EVENT_REQUEST, pid, pid);
		size_t at = rwbs[0] == 'F' && rwbs[1] ? 1 : 0;

		e.request.step = step;
		e.request.type = rwbs[at] == 'R'   ? REQUEST_READ
				 : rwbs[at] == 'W' ? REQUEST_WRITE
				 : rwbs[at] == 'F' ? REQUEST_FLUSH
				 : rwbs[at] == 'D' ? REQUEST_DISCARD
						   : REQUEST_ZEROES;
		e.request.dev = dev;
		e.request.sector = sector;
		e.request.sectors = sectors;
		e.request.old_sector = UINT64_MAX;
		e.request.key = key;
		e.request.rwbs = {rwbs, (uint32_t)strlen(rwbs)};
		e.request.name = {name, (uint32_t)strlen(name)};
		return e;
	}

	void request(enum request_step s, uint32_t dev, const char *rwbs, uint64_t sector,
		     uint32_t sectors, int32_t error = 0)
	{
		struct event e = step(s, dev, rwbs, sector, sectors);

		e.request.error = error;
		model_event(model, &e);
	}

	void end()
	{
		model_end(model);
	}

	std::string path(handle_id handle) const
	{
		const struct trace_handle *h = trace_handle(trace, handle);

		return h->name ? trace_text(trace, h->name) : "?";
	}

	std::string bytes(uint64_t n) const
	{
		return n == IO_BYTES_UNDEFINED ? "-" : std::to_string(n);
	}

	/* "tid KIND details", without times; see the cases. */
	std::string line(const io_event &e) const
	{
		std::string s = e.thread == ID_NONE
					? "*"
					: std::to_string(trace_thread(trace, e.thread)->tid);

		s += std::string(" ") + io_event_name(e.kind);
		switch (e.kind) {
		case IO_ENTER:
		case IO_LEAVE:
			s += std::string(" ") +
			     trace_text(trace, trace_region(trace, e.region.id)->name);
			if (e.kind == IO_LEAVE && e.region.error)
				s += " errno " + std::to_string(e.region.error);
			if (e.kind == IO_LEAVE && e.region.path)
				s += std::string(" ") + trace_text(trace, e.region.path);
			break;
		case IO_CREATE_HANDLE:
		case IO_DESTROY_HANDLE:
		case IO_CHANGE_STATUS_FLAGS:
			s += " h" + std::to_string(e.handle) + " " + path(e.handle);
			break;
		case IO_DUPLICATE_HANDLE:
			s += " h" + std::to_string(e.handle) + " h" +
			     std::to_string(e.duplicate.new_handle);
			break;
		case IO_OP_BEGIN:
			s += " h" + std::to_string(e.handle) + " " + bytes(e.op.bytes) + " @" +
			     bytes(e.op.offset);
			break;
		case IO_OP_COMPLETE:
			s += " h" + std::to_string(e.handle) + " " + bytes(e.op.bytes);
			break;
		case IO_SEEK:
			s += " h" + std::to_string(e.handle) + " " + std::to_string(e.seek.result);
			break;
		case IO_DELETE_FILE:
			s += std::string(" ") +
			     trace_text(trace, trace_file(trace, e.delete_file.file)->path);
			break;
		default:
			if (e.handle != ID_NONE)
				s += " h" + std::to_string(e.handle);
		}
		return s;
	}

	/* All lines; if is_brief, without ENTER and LEAVE of successful calls, which are always the same. */
	std::string text(bool is_brief = true) const
	{
		std::string all;

		for (const io_event &e : events)
			if (!is_brief ||
			    (e.kind != IO_ENTER && (e.kind != IO_LEAVE || e.region.error)))
				all += line(e) + "\n";
		return all;
	}

	/* Returns the first equation of the counters that does not hold, or "". */
	std::string unbalanced() const
	{
		char why[200];

		return tally_balance(&tally, why, sizeof(why)) ? "" : why;
	}

      private:
	static void output(void *context, const struct io_event *event)
	{
		ModelDriver *d = (ModelDriver *)context;

		d->events.push_back(*event);
		if (event->kind == IO_METRIC)
			d->metrics.emplace_back(event->metric.counter,
						event->metric.counter + event->metric.counters);
	}
};

#endif
