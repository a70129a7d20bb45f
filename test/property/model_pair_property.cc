/*
 * A history of calls says the same whether each call is told as enter and exit, with look-ups of what it opened, or
 * when it ends, by the kernel that paired it. In these histories no thread pulls a descriptor from under another.
 */
#include <gtest/gtest.h>

#include "model_driver.h"

#include <map>
#include <random>
#include <set>

namespace
{

constexpr uint64_t CWD = (uint64_t)AT_FDCWD;
constexpr uint64_t STEP = 10; /* ns between two steps: a look-up fits in between */

struct Call {
	uint32_t pid, tid;
	const char *name;
	uint64_t begin, end;
	std::vector<uint64_t> args;
	int64_t result;
	Paired more;
	bool is_apart; /* closes descriptors: begin and end come apart even from the kernel that pairs */
};

enum class What { BEGIN, END, FORK };

struct Step {
	What what;
	uint64_t time;
	size_t call;
	uint32_t child;
};

struct History {
	std::vector<Call> calls;
	std::vector<Step> steps;
};

/* What a kernel would do with random programs. */
class Kernel
{
      public:
	explicit Kernel(unsigned seed) : random(seed)
	{
		table[10] = {};
		thread[10] = thread[11] = thread[12] = 10;
	}

	History run(int steps)
	{
		for (int i = 0; i < steps; i++)
			step();
		for (const auto &[tid, pid] : thread)
			if (flight.count(tid))
				end(tid);
		return history;
	}

      private:
	struct File {
		std::string name;
		uint64_t position;
		bool is_stream;
		bool is_used;
	};
	struct Flight {
		size_t call;
		int file; /* index in files, used by it; -1 */
		int fd;   /* and its number */
		bool has_path;
	};
	static constexpr Flight PLAIN = {0, -1, -1, false};

	std::mt19937 random;
	History history;
	uint64_t now = 5000;
	std::vector<File> files;
	std::map<uint32_t, std::map<int, int>> table; /* pid: fd: index in files */
	std::map<uint32_t, uint32_t> thread;          /* tid: pid */
	std::map<uint32_t, Flight> flight;            /* tid */
	std::map<uint32_t, std::set<int>> kept;       /* pid: numbers that a call in flight uses */
	std::map<uint32_t, int> paths; /* pid: calls in flight with a path; -1: chdir */

	uint64_t any(uint64_t n)
	{
		return random() % n;
	}

	void step()
	{
		auto it = thread.begin();

		std::advance(it, any(thread.size()));
		now += STEP;
		if (flight.count(it->first))
			end(it->first);
		else if (any(40) == 0 && thread.size() < 6)
			fork(it->first);
		else
			begin(it->first);
	}

	void fork(uint32_t tid)
	{
		uint32_t pid = thread[tid], child = 20 + (uint32_t)thread.size();

		/* What is half done would be half inherited. */
		for (const auto &f : flight)
			if (thread[f.first] == pid)
				return;
		history.steps.push_back({What::FORK, now, tid, child});
		table[child] = table[pid];
		thread[child] = child;
	}

	/* Returns a number that is open and that nothing in flight uses, or -1. */
	int some_fd(uint32_t pid)
	{
		for (const auto &[fd, file] : table[pid])
			if (!files[(size_t)file].is_used && !kept[pid].count(fd) && any(3) == 0)
				return fd;
		return -1;
	}

	int free_fd(uint32_t pid)
	{
		int fd = 3;

		while (table[pid].count(fd) || kept[pid].count(fd))
			fd++;
		return fd;
	}

	Call &start(uint32_t tid, const char *name, std::vector<uint64_t> args, Flight f = PLAIN)
	{
		f.call = history.calls.size();
		history.calls.push_back({thread[tid], tid, name, now, 0, args, 0, {}, false});
		history.steps.push_back({What::BEGIN, now, f.call, 0});
		if (f.file >= 0)
			files[(size_t)f.file].is_used = true;
		if (f.fd >= 0)
			kept[thread[tid]].insert(f.fd);
		if (f.has_path)
			paths[thread[tid]]++;
		flight[tid] = f;
		return history.calls.back();
	}

	void begin(uint32_t tid)
	{
		uint32_t pid = thread[tid];
		int fd = some_fd(pid);

		if (fd < 0 || any(4) == 0)
			return any(2) ? begin_making(tid) : begin_path(tid);
		Flight f = {0, table[pid][fd], fd, false};
		uint64_t number = (uint64_t)fd;
		const char *name;

		switch (any(9)) {
		case 0:
			table[pid].erase(fd);
			start(tid, "close", {number}).is_apart = true;
			return;
		case 1: {
			Flight onto = f;

			onto.fd = free_fd(pid);
			start(tid, "dup2", {number, (uint64_t)onto.fd}, onto).is_apart = true;
			return;
		}
		case 2:
			start(tid, any(2) ? "dup" : "fcntl", {number, F_DUPFD, 0}, f);
			return;
		case 3:
			start(tid, "lseek", {number, any(1000), SEEK_SET}, f);
			return;
		case 4:
			start(tid, any(2) ? "fsync" : "newfstat", {number}, f);
			return;
		case 5:
			start(tid, "pread64", {number, 0, any(100), any(5000)}, f);
			return;
		case 6:
			start(tid, "fcntl", {number, F_SETFL, O_NONBLOCK}, f);
			return;
		default:
			name = any(2) ? "read" : "write";
			start(tid, name, {number, 0, any(100)}, f);
		}
	}

	void begin_making(uint32_t tid)
	{
		if (any(5) == 0)
			start(tid, "socket", {1, 2, 0});
		else
			start(tid, "openat",
			      {CWD, 0, any(2) ? (uint64_t)O_RDWR : (uint64_t)O_CLOEXEC});
	}

	void begin_path(uint32_t tid)
	{
		static const char *const names[] = {"newstat", "unlink", "access", "mkdir"};
		uint32_t pid = thread[tid];
		Flight f = PLAIN;

		if (paths[pid] < 0)
			return;
		if (!paths[pid] && any(4) == 0) {
			start(tid, "chdir", {0}).more.paths = {"/d" + std::to_string(any(3))};
			paths[pid] = -1;
			return;
		}
		f.has_path = true;
		const char *name = names[any(4)];
		std::string path = any(2) ? "/p" : "p";

		start(tid, name, {0}, f).more.paths = {path + std::to_string(any(3))};
	}

	/* Returns the number of the new descriptor. */
	int make(Call &call, const File &file, uint32_t mode)
	{
		int fd = free_fd(call.pid);

		table[call.pid][fd] = (int)files.size();
		files.push_back(file);
		call.more.made = {{fd, file.name, (uint32_t)O_RDWR,
				   file.is_stream ? EVENT_POSITION_UNKNOWN : 0, mode}};
		return fd;
	}

	void end(uint32_t tid)
	{
		Flight f = flight[tid];
		Call &call = history.calls[f.call];
		uint32_t pid = call.pid;

		now += STEP;
		call.end = now;
		flight.erase(tid);
		if (f.file >= 0)
			files[(size_t)f.file].is_used = false;
		kept[pid].erase(f.fd);
		if (f.has_path)
			paths[pid]--;
		finish(call, f);
		history.steps.push_back({What::END, now, f.call, 0});
	}

	void finish(Call &call, const Flight &f)
	{
		const std::string name = call.name;

		if (name == "openat" && any(5) == 0) {
			call.result = -ENOENT;
		} else if (name == "openat") {
			call.result = make(call, {"/f" + std::to_string(any(4)), 0, false, false},
					   0100644);
		} else if (name == "socket") {
			call.result = make(call,
					   {"socket:[" + std::to_string(any(9)) + "]", 0, true,
					    false},
					   0140777);
		} else if (name == "chdir") {
			paths[call.pid] = 0;
		} else if (name == "dup2") {
			call.result = f.fd;
			table[call.pid][f.fd] = f.file;
		} else if (name == "dup" || (name == "fcntl" && call.args[1] == F_DUPFD)) {
			int fd = free_fd(call.pid);

			call.result = fd;
			table[call.pid][fd] = f.file;
		} else if (f.file >= 0) {
			move(call, files[(size_t)f.file]);
		}
	}

	void move(Call &call, File &file)
	{
		const std::string name = call.name;

		if (name == "lseek") {
			call.result = file.is_stream ? -ESPIPE : (int64_t)call.args[1];
			if (!file.is_stream)
				file.position = call.args[1];
		} else if (name == "read" || name == "write" || name == "pread64") {
			call.result = any(8) ? (int64_t)any(call.args[2] + 1) : -EIO;
			if (name != "pread64" && call.result > 0)
				file.position += (uint64_t)call.result;
			call.more.position = file.is_stream ? EVENT_POSITION_UNKNOWN
							    : file.position;
		}
	}
};

/* What a look-up in /proc says of a new descriptor, just after the call that made it. */
void look_up(ModelDriver &d, const Call &call)
{
	for (const Made &made : call.more.made)
		d.fd(call.pid, (uint64_t)made.fd, made.name.c_str(), 1, d.now, 0, made.mode);
}

void play(ModelDriver &d, const History &history, bool is_paired)
{
	d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/app"});
	d.fact(FACT_CWD, {10, d.now, 0}, {"/home"});
	for (const Step &step : history.steps) {
		d.at(step.time);
		if (step.what == What::FORK) {
			uint32_t tid = (uint32_t)step.call;

			d.fork(tid < 20 ? 10 : tid, tid, step.child, step.child);
			continue;
		}
		const Call &call = history.calls[step.call];
		bool is_begin = step.what == What::BEGIN, is_apart = !is_paired || call.is_apart;

		if (is_begin && is_apart)
			d.enter(call.pid, call.tid, call.name, call.args, call.more.paths);
		else if (!is_begin && is_apart)
			d.leave(call.pid, call.tid, call.name, call.result);
		else if (!is_begin)
			d.pair(call.pid, call.tid, call.name, call.begin, call.args, call.result,
			       call.more);
		if (!is_begin && !is_paired)
			look_up(d, call);
	}
	d.end();
}

std::string text_of(const ModelDriver &d)
{
	std::string all;

	for (const io_event &e : d.events) {
		all += std::to_string(e.time) + " " + d.line(e);
		if (e.kind == IO_ENTER && e.region.file != ID_NONE)
			all += std::string(" ") +
			       trace_text(d.trace, trace_file(d.trace, e.region.file)->path);
		all += "\n";
	}
	return all;
}

TEST(PairProperty, PairedOrApartACallSaysTheSame)
{
	size_t operations = 0;

	for (unsigned seed = 0; seed < 200; seed++) {
		History history = Kernel(seed).run(400);
		ModelDriver apart, paired;

		SCOPED_TRACE("seed " + std::to_string(seed));
		play(apart, history, false);
		play(paired, history, true);
		ASSERT_EQ(text_of(apart), text_of(paired));
		EXPECT_EQ(paired.unbalanced(), "");
		for (int i = 0; i < TALLY_COUNT; i++) {
			if (i != TALLY_facts)
				EXPECT_EQ(apart.tally.n[i], paired.tally.n[i])
					<< tally_name((tally_counter)i);
		}
		EXPECT_EQ(tally_get(&paired.tally, names_unknown), 0U);
		operations += tally_get(&paired.tally, completed);
	}
	EXPECT_GT(operations, 5000U) << "the histories did too little to test anything";
}

} /* namespace */
