// live: recordings of real commands and processes. They need the right to use perf events and tracefs.
#include <iotrace/live.h>
#include <iotrace/stop.h>

#include <iotrace/bpf_record.h>
#include <iotrace/capture.h>
#include <iotrace/counted_owner.h>
#include <iotrace/counted_read.h>
#include <iotrace/error.h>
#include <iotrace/fact.h>
#include <iotrace/probe.h>
#include <iotrace/syscall.h>

extern "C" {
#include "feature/bpf_preempt.h"
}
#include "load/bpf_block.h"
#include "load/bpf_source.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <map>
#include <sched.h>
#include <set>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "scratch_dir.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t GROUPS = 1u << GROUP_DATA | 1u << GROUP_OPEN | 1u << GROUP_TASK |
			    1u << GROUP_DIR;

struct Fact {
	uint64_t time;
	struct fact fact;
	std::vector<std::string> text;
};

struct File {
	struct bpf_part_file part;
	std::string path; /* from the names, or what was there instead of them */
};

/* A record of a BPF program. */
struct Call {
	struct bpf_record_call record;
	uint32_t pid, tid;
	uint64_t time;
	std::map<int, std::string> path; /* by index; "(torn)" */
	std::vector<File> files, bases;
};

/* Everything that a spool says. */
struct Spool {
	std::vector<std::string> event;
	std::map<uint32_t, uint64_t> samples; /* by event */
	std::map<int, uint64_t> records;      /* of BPF programs, by kind */
	uint64_t lost_records = 0, rounds = 0, torn = 0;
	std::vector<Fact> facts;
	std::map<std::pair<long, long>, uint64_t> exits; /* number and result */
	std::vector<Call> calls;
	std::vector<struct bpf_record_request> requests; /* steps */

	std::vector<const Call *> of(enum bpf_record_kind kind, const char *name) const
	{
		std::vector<const Call *> found;

		for (auto &call : calls)
			if (call.record.head.kind == kind &&
			    call_by_number(call.record.number) == call_by_name(name, strlen(name)))
				found.push_back(&call);
		return found;
	}

	std::vector<const Fact *> of(enum fact_kind kind) const
	{
		std::vector<const Fact *> found;

		for (auto &fact : facts)
			if (fact.fact.kind == kind)
				found.push_back(&fact);
		return found;
	}
};

std::string path_of(const char *names, size_t size)
{
	std::string path;

	for (size_t at = 0; at < size; at += strlen(names + at) + 1)
		path = "/" + std::string(names + at) + path;
	return path.empty() ? "/" : path;
}

void read_call(Spool &spool, const struct sample &sample)
{
	Call call = {};
	size_t at = sizeof(call.record);

	ASSERT_GE(sample.raw_size, sizeof(call.record.head));
	memcpy(&call.record.head, sample.raw, sizeof(call.record.head));
	if (call.record.head.kind > BPF_RECORD_IN_FLIGHT)
		return;
	ASSERT_GE(sample.raw_size, at);
	memcpy(&call.record, sample.raw, at);
	call.pid = sample.pid;
	call.tid = sample.tid;
	call.time = sample.time;
	ASSERT_EQ(call.record.head.size, at);
	for (int i = 0; i < call.record.head.parts; i++) {
		struct bpf_part part;

		ASSERT_LE(at + sizeof(part), sample.raw_size);
		memcpy(&part, sample.raw + at, sizeof(part));
		ASSERT_LE(at + part.size, sample.raw_size);
		const char *bytes = reinterpret_cast<const char *>(sample.raw) + at;
		if (part.kind == BPF_PART_PATH) {
			call.path[part.index] = std::string(bytes + 8, part.size - 8u) +
						(part.flags & BPF_PART_TORN ? "(torn)" : "");
		} else {
			File file = {};

			ASSERT_GE(part.size, sizeof(file.part));
			memcpy(&file.part, bytes, sizeof(file.part));
			file.path = path_of(bytes + sizeof(file.part),
					    part.size - sizeof(file.part));
			(part.kind == BPF_PART_BASE ? call.bases : call.files).push_back(file);
		}
		at += (part.size + 7u) / 8 * 8;
	}
	spool.calls.push_back(call);
}

void read_bpf(Spool &spool, const struct sample &sample)
{
	struct bpf_record_request request;

	ASSERT_GE(sample.raw_size, sizeof(request.head));
	memcpy(&request.head, sample.raw, sizeof(request.head));
	spool.records[request.head.kind]++;
	if (request.head.kind != BPF_RECORD_REQUEST) {
		read_call(spool, sample);
		return;
	}
	ASSERT_EQ(request.head.size, sizeof(request));
	ASSERT_GE(sample.raw_size, sizeof(request));
	memcpy(&request, sample.raw, sizeof(request));
	spool.requests.push_back(request);
}

void read_sample(Spool &spool, const struct sample &sample)
{
	spool.samples[sample.event]++;
	if (spool.event[sample.event] == FACT_EVENT_NAME) {
		Fact fact = {};

		ASSERT_EQ(fact_decode(&fact.fact, sample.raw, sample.raw_size), 0);
		fact.time = sample.time;
		for (auto &string : fact.fact.string)
			fact.text.emplace_back(string.at ? string.at : "", string.length);
		spool.facts.push_back(fact);
	} else if (spool.event[sample.event] == "raw_syscalls:sys_exit") {
		long words[2];

		ASSERT_GE(sample.raw_size, 24u);
		memcpy(words, sample.raw + 8, sizeof(words));
		spool.exits[{words[0], words[1]}]++;
	} else if (spool.event[sample.event] == BPF_RECORD_EVENT_NAME) {
		read_bpf(spool, sample);
	}
}

Spool read_spool(const std::string &path)
{
	struct error err = {};
	struct capture *capture = capture_open(path.c_str(), nullptr, nullptr, &err);
	struct capture_round round;
	Spool spool;

	EXPECT_NE(capture, nullptr) << err.text;
	if (!capture)
		return spool;
	for (uint32_t i = 0; i < capture_info(capture)->events; i++)
		spool.event.push_back(capture_info(capture)->event[i].name);
	while (capture_next_round(capture, &round, &err) == 1) {
		spool.rounds++;
		for (size_t at = 0; at < round.size;) {
			uint32_t size = sample_record_size(round.bytes + at, round.size - at);
			struct sample sample;

			EXPECT_EQ(capture_parse(capture, round.bytes + at, &sample), 0);
			spool.lost_records += sample.type == PERF_RECORD_LOST;
			if (sample.type == PERF_RECORD_SAMPLE)
				read_sample(spool, sample);
			at += size;
		}
		capture_round_free(&round);
	}
	EXPECT_STREQ(err.text, "");
	spool.torn = capture_torn(capture);
	capture_close(capture);
	return spool;
}

class Live : public testing::Test
{
      protected:
	ScratchDir scratch;
	std::string path = scratch.path("spool");
	struct recording recording = {};
	struct live_options options = {};
	struct live *live = nullptr;
	struct error err = {};
	int status = 0, exec_errno = 0;
	enum live_end end = LIVE_RUNNING;
	std::vector<char *> argv;

	void SetUp() override
	{
		recording.source = SOURCE_PERF;
		recording.selection.groups = GROUPS;
		options.recording = &recording;
		options.spool_path = path.c_str();
		options.cmdline = "test";
	}

	void TearDown() override
	{
		live_close(live, nullptr);
		for (char *word : argv)
			free(word);
		number_list_release(&recording.pids);
		for (struct text_list *list :
		     {&recording.selection.comms, &recording.selection.paths,
		      &recording.selection.excluded, &recording.tracepoints, &recording.counters,
		      &recording.blocks.devices})
			text_list_release(list);
	}

	template <size_t N> void choose(struct text_list &list, const char *const (&texts)[N])
	{
		for (const char *text : texts)
			text_list_add(&list, text);
	}

	void command(std::vector<std::string> words)
	{
		for (auto &word : words)
			argv.push_back(strdup(word.c_str()));
		argv.push_back(nullptr);
		recording.argv = argv.data();
	}

	bool open()
	{
		live = live_open(&options, &err);
		EXPECT_NE(live, nullptr) << err.text;
		return live != nullptr;
	}

	/* To the end, as a converter does. */
	int follow()
	{
		uint64_t have = 0, more;

		while ((more = live_available(live, have)) > have)
			have = more;
		status = live_wait(live, &exec_errno);
		end = live_ended(live);
		int code = live_close(live, &err);

		live = nullptr;
		return code;
	}

	Spool record(std::vector<std::string> words)
	{
		command(words);
		if (!open())
			return {};
		EXPECT_EQ(live_start(live, &err), 0) << err.text;
		EXPECT_EQ(follow(), 0) << err.text;
		return read_spool(path);
	}

	std::string file(const char *name)
	{
		std::string full = scratch.path(name);
		FILE *out = fopen(full.c_str(), "w");

		fputs("some bytes\n", out);
		fclose(out);
		return full;
	}
};

void expect_balance(const Spool &spool, bool may_lose)
{
	auto counts = spool.of(FACT_COUNT);

	EXPECT_GE(counts.size(), 1u);
	for (auto count : counts) {
		uint32_t event = uint32_t(count->fact.number[0]);
		uint64_t counted = count->fact.number[1], lost = count->fact.number[2];

		ASSERT_LT(event, spool.event.size());
		EXPECT_EQ(spool.event[event], count->text[0]);
		auto found = spool.samples.find(event);
		EXPECT_EQ(counted, (found == spool.samples.end() ? 0 : found->second) + lost)
			<< count->text[0];
		if (!may_lose)
			EXPECT_EQ(lost, 0u);
	}
}

void expect_loss(const Spool &spool)
{
	uint64_t lost = 0;

	expect_balance(spool, true);
	for (auto count : spool.of(FACT_COUNT))
		lost += count->fact.number[2];
	EXPECT_GT(lost, 0u);
	EXPECT_GT(spool.lost_records, 0u);
}

/* A BPF program at a tracepoint that lets everything pass, as long as it lives. */
class Passer
{
      public:
	explicit Passer(const char *tracepoint)
	{
		bpf_insn code[2] = {};
		union bpf_attr attr = {};
		perf_event_attr event = {};

		code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
		code[0].imm = 1;
		code[1].code = BPF_JMP | BPF_EXIT;
		attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
		attr.insns = reinterpret_cast<uintptr_t>(code);
		attr.insn_cnt = 2;
		attr.license = reinterpret_cast<uintptr_t>("GPL");
		program = static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
		EXPECT_GE(program, 0) << strerror(errno);
		event.size = sizeof(event);
		event.type = PERF_TYPE_TRACEPOINT;
		std::ifstream(std::string("/sys/kernel/tracing/events/") + tracepoint + "/id") >>
			event.config;
		fd = static_cast<int>(syscall(SYS_perf_event_open, &event, getpid(), -1, -1, 0));
		EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, program), 0) << strerror(errno);
	}

	~Passer()
	{
		close(fd);
		close(program);
	}

      private:
	int program, fd;
};

/* One test: others that run at the same time would be foreign to this one. */
TEST_F(Live, ForeignBpfProgramsAreRemarkedOnce)
{
	auto remarks = [&] {
		std::string all;

		for (uint32_t i = 0; live_remark(live, i); i++)
			all += std::string(live_remark(live, i)) + "\n";
		return all;
	};
	auto finish = [&] {
		EXPECT_EQ(live_start(live, &err), 0) << err.text;
		EXPECT_EQ(follow(), 0) << err.text;
	};

	command({"true"});
	ASSERT_TRUE(open());
	EXPECT_EQ(remarks().find("BPF program"), std::string::npos) << remarks();
	finish();

	Passer passer("raw_syscalls/sys_exit");
	std::string again = scratch.path("again");

	options.spool_path = again.c_str();
	ASSERT_TRUE(open());
	std::string all = remarks();
	size_t at = all.find("raw_syscalls:sys_exit: 1 other BPF program runs");

	EXPECT_NE(at, std::string::npos) << all;
	EXPECT_EQ(all.find("BPF program", at + 40), std::string::npos) << all;
	finish();
}

TEST_F(Live, ACommandFromBeginToEnd)
{
	std::string name = file("in");
	Spool spool = record({"wc", name});

	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_EQ(spool.torn, 0u);
	EXPECT_GE(spool.rounds, 2u);
	expect_balance(spool, false);
	ASSERT_FALSE(spool.facts.empty());
	EXPECT_EQ(spool.facts.front().fact.kind, FACT_HOST);
	EXPECT_EQ(spool.facts.back().fact.kind, FACT_END);
	EXPECT_EQ(spool.facts.back().fact.number[0], uint64_t(LIVE_ENDED));
	ASSERT_EQ(spool.of(FACT_COMMAND).size(), 1u);
	EXPECT_EQ(spool.of(FACT_COMMAND)[0]->text[0], std::string("wc\0", 3) + name);
	ASSERT_EQ(spool.of(FACT_EXIT).size(), 1u);
	EXPECT_EQ(spool.of(FACT_EXIT)[0]->fact.number[1], 0u);
	EXPECT_FALSE(spool.of(FACT_MOUNT).empty());
	EXPECT_FALSE(spool.of(FACT_FORMAT).empty());
	EXPECT_GE((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
}

TEST_F(Live, NamesOfFilesThatStayOpen)
{
	std::string name = file("in");
	Spool spool = record({"sh", "-c", "exec 7<" + name + "; sleep 0.1; read line <&7"});
	bool is_named = false;

	for (auto fact : spool.of(FACT_FD))
		is_named |= fact->text[0] == name && fact->fact.number[11] == 1 &&
			    !fact->fact.number[3];
	EXPECT_TRUE(is_named);
	ASSERT_EQ(spool.of(FACT_LOOKUPS).size(), 1u);
	EXPECT_GT(spool.of(FACT_LOOKUPS)[0]->fact.number[0], 0u);
}

TEST_F(Live, OwnDescriptorsDoNotReachTheCommand)
{
	std::string out = scratch.path("fds");
	Spool spool = record({"sh", "-c", "ls -l /proc/self/fd > " + out});
	std::set<uint64_t> at_start;
	char line[512];
	int others = 0;
	FILE *list = fopen(out.c_str(), "r");

	ASSERT_NE(list, nullptr);
	while (fgets(line, sizeof(line), list)) {
		const char *arrow = strstr(line, " -> ");
		const char *number = arrow;

		while (number && number[-1] != ' ')
			number--;
		/* ls has the directory itself open. */
		if (number && !strstr(arrow, "/fd"))
			others += fcntl(atoi(number), F_GETFD) & FD_CLOEXEC ? 1 : 0;
	}
	fclose(list);
	EXPECT_EQ(others, 0);
	for (auto fact : spool.of(FACT_FD))
		if (fact->fact.number[11] == 0)
			at_start.insert(fact->fact.number[1]);
	EXPECT_TRUE(at_start.count(2));
	for (uint64_t fd : at_start)
		EXPECT_EQ(fcntl(int(fd), F_GETFD) & FD_CLOEXEC, 0) << fd;
}

TEST_F(Live, TheCommandHasOurLimitsAndSignals)
{
	struct rlimit before, now;

	getrlimit(RLIMIT_NOFILE, &before);
	now = before;
	now.rlim_cur = 512;
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
	record({"sh", "-c",
		"ulimit -n > " + scratch.path("limit") + "; grep Sig /proc/self/status > " +
			scratch.path("signals")});
	setrlimit(RLIMIT_NOFILE, &before);
	char line[128] = "";
	FILE *in = fopen(scratch.path("limit").c_str(), "r");
	ASSERT_NE(in, nullptr);
	EXPECT_NE(fgets(line, sizeof(line), in), nullptr);
	EXPECT_STREQ(line, "512\n");
	fclose(in);
	in = fopen(scratch.path("signals").c_str(), "r");
	ASSERT_NE(in, nullptr);
	while (fgets(line, sizeof(line), in))
		if (!strncmp(line, "SigBlk:", 7))
			EXPECT_STREQ(line, "SigBlk:\t0000000000000000\n");
	fclose(in);
	sigset_t mask;
	pthread_sigmask(SIG_SETMASK, nullptr, &mask);
	EXPECT_FALSE(sigismember(&mask, SIGINT)) << "given back";
}

TEST_F(Live, ExecThatFails)
{
	record({"/nowhere/command"});
	EXPECT_EQ(exec_errno, ENOENT);
	EXPECT_EQ(WEXITSTATUS(status), 127);
}

TEST_F(Live, ExecOfAFileThatIsNoProgram)
{
	record({file("data")});
	EXPECT_EQ(exec_errno, EACCES);
}

TEST_F(Live, StatusOfASignal)
{
	record({"sh", "-c", "kill -9 $$"});
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), SIGKILL);
	EXPECT_EQ(exec_errno, 0);
}

TEST_F(Live, TheWholeMachine)
{
	std::string name = file("in");
	int held = ::open(name.c_str(), O_RDONLY);
	pid_t other = fork();

	if (!other) {
		alarm(30);
		pause();
		_exit(0);
	}
	recording.is_system = true;
	recording.blocks.choice = BLOCK_ALL;
	recording.sample_interval = 10000000;
	Spool spool = record({"sh", "-c", "sleep 0.2; wc " + name});
	kill(other, SIGKILL);
	waitpid(other, nullptr, 0);
	close(held);
	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(spool.torn, 0u);
	ASSERT_EQ(spool.of(FACT_HOST).size(), 1u);
	EXPECT_EQ(spool.of(FACT_HOST)[0]->fact.number[5], 1u);
	EXPECT_EQ(spool.of(FACT_HOST)[0]->fact.number[6], uint64_t(BLOCK_ALL));
	ASSERT_EQ(spool.of(FACT_BEGIN).size(), 1u);
	bool is_reported = false, is_held = false;
	for (auto fact : spool.of(FACT_TASK)) {
		if (fact->fact.number[FACT_TASK_pid] == uint64_t(getpid()))
			EXPECT_EQ(fact->fact.number[FACT_TASK_is_excluded], 1u)
				<< "never ourselves";
		is_reported |= fact->fact.number[1] == uint64_t(other);
	}
	for (auto fact : spool.of(FACT_FD)) {
		EXPECT_NE(fact->fact.number[0], uint64_t(getpid()));
		is_held |= fact->fact.number[0] == uint64_t(other) && fact->text[0] == name;
	}
	EXPECT_TRUE(is_reported);
	EXPECT_TRUE(is_held);
	EXPECT_FALSE(spool.of(FACT_DEVICE).empty());
	std::map<uint64_t, unsigned> phases;
	for (auto fact : spool.of(FACT_DISKSTAT))
		phases[fact->fact.number[0]] |= 1u << fact->fact.number[1];
	EXPECT_FALSE(phases.empty());
	for (auto &[dev, seen] : phases)
		EXPECT_EQ(seen, 3u) << dev;
	EXPECT_GE(spool.of(FACT_MEMORY).size(), 10u);
	uint64_t lasted = spool.of(FACT_END)[0]->time - spool.of(FACT_BEGIN)[0]->time;
	EXPECT_LE(spool.of(FACT_MEMORY).size(), lasted / recording.sample_interval + 2);
	EXPECT_GE((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
}

TEST_F(Live, ADurationEndsIt)
{
	recording.is_system = true;
	recording.duration = 200000000;
	if (!open())
		return;
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(status, -1);
	Spool spool = read_spool(path);
	uint64_t begin = spool.of(FACT_BEGIN)[0]->time, last = spool.of(FACT_END)[0]->time;
	EXPECT_GE(last - begin, recording.duration);
	EXPECT_LE(last - begin, 50 * recording.duration);
}

TEST_F(Live, OnlyCommandsThatMatch)
{
	std::string name = file("in");
	const char *comm[] = {"wc*", "nothing"};

	choose(recording.selection.comms, comm);
	Spool spool = record({"sh", "-c", "cat " + name + " >/dev/null; wc " + name});
	EXPECT_GE((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
}

TEST_F(Live, FiltersAreToldToTheReader)
{
	const char *path_kept[] = {"/data/*"}, *excluded[] = {"*.o", "*.so"};

	choose(recording.selection.paths, path_kept);
	choose(recording.selection.excluded, excluded);
	Spool spool = record({"true"});
	ASSERT_EQ(spool.of(FACT_FILTER).size(), 3u);
	EXPECT_EQ(spool.of(FACT_FILTER)[0]->fact.number[0], uint64_t(FILTER_PATH_INCLUDED));
	EXPECT_EQ(spool.of(FACT_FILTER)[0]->text[0], "/data/*");
	EXPECT_EQ(spool.of(FACT_FILTER)[2]->fact.number[0], uint64_t(FILTER_PATH_EXCLUDED));
	EXPECT_EQ(spool.of(FACT_FILTER)[2]->text[0], "*.so");
}

TEST_F(Live, AnEventOfTheUsersChoice)
{
	const char *event[] = {"sched:sched_process_exec=filename,pid"};

	choose(recording.tracepoints, event);
	Spool spool = record({"true"});
	auto at = std::find(spool.event.begin(), spool.event.end(),
			    std::string("iotrace:event:") + event[0]);
	ASSERT_NE(at, spool.event.end());
	EXPECT_EQ(spool.samples[uint32_t(at - spool.event.begin())], 1u);
	expect_balance(spool, false);
}

TEST_F(Live, AFieldThatAnEventDoesNotHave)
{
	const char *event[] = {"sched:sched_process_exec=filename,nothing"};

	choose(recording.tracepoints, event);
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_STREQ(err.text, "-e sched:sched_process_exec: no field 'nothing'; 'iotrace list -e "
			       "sched:sched_process_exec' shows the fields");
}

TEST_F(Live, ADeviceThatIsNotThere)
{
	const char *device[] = {"nothing0"};

	recording.blocks.choice = BLOCK_OWN;
	choose(recording.blocks.devices, device);
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_STREQ(err.text, "no block device nothing0; /sys/block lists the devices");
}

TEST_F(Live, ARingOfOnePageLosesButTheBooksBalance)
{
	recording.ring_bytes = 4096;
	expect_loss(record({"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"}));
}

TEST_F(Live, ManyEventsThroughASmallQueue)
{
	recording.buffer_bytes = 1;
	Spool spool = record({"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"});

	expect_balance(spool, true);
	EXPECT_EQ(spool.torn, 0u);
}

TEST_F(Live, ChildrenAreRecorded)
{
	Spool spool = record(
		{"sh", "-c", "for i in 1 2 3; do cat " + file("in") + " >/dev/null; done"});

	EXPECT_EQ((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 3u);
	expect_balance(spool, false);
}

TEST_F(Live, ExecIsToldAsAFact)
{
	Spool spool = record({"sh", "-c", "cd " + scratch.path("") + " && sleep 0.05"});
	bool has_exe = false;

	for (auto fact : spool.of(FACT_EXE))
		has_exe |= !fact->fact.number[2] && fact->text[0][0] == '/' &&
			   !fact->fact.number[3];
	EXPECT_TRUE(has_exe);
}

TEST_F(Live, SignalReachesTheCommandWhoseEndIsTheRecordings)
{
	command({"sh", "-c",
		 "trap 'exit 7' TERM; touch " + scratch.path("ready") +
			 "; while :; do sleep 0.02; done"});
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	while (access(scratch.path("ready").c_str(), F_OK))
		usleep(1000);
	kill(getpid(), SIGTERM);
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(WEXITSTATUS(status), 7);
	EXPECT_EQ(read_spool(path).of(FACT_END).at(0)->fact.number[0], uint64_t(LIVE_ENDED));
}

/* A command that cannot be ended, and what is sent to us after it has begun, at these times in ms. */
class LiveStubborn : public Live
{
      protected:
	void run(int number, std::vector<int> at)
	{
		command({"sh", "-c",
			 "trap '' TERM HUP; touch " + scratch.path("ready") + "; sleep 3; exit 9"});
		ASSERT_TRUE(open());
		ASSERT_EQ(live_start(live, &err), 0) << err.text;
		while (access(scratch.path("ready").c_str(), F_OK))
			usleep(1000);
		std::thread sender([number, at] {
			int now = 0;

			for (int ms : at) {
				usleep((ms - now) * 1000);
				now = ms;
				kill(getpid(), number);
			}
		});
		EXPECT_EQ(follow(), 0) << err.text;
		sender.join();
		EXPECT_EQ(WEXITSTATUS(status), 9) << "it is waited for";
	}
};

TEST_F(LiveStubborn, TheSameSignalWithinASecondCountsOnce)
{
	run(SIGTERM, {0, 50, 600});
	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(read_spool(path).of(FACT_EXIT).size(), 1u);
}

TEST_F(LiveStubborn, ASecondRequestToEndEndsTheRecordingOnly)
{
	run(SIGTERM, {0, 1500});
	EXPECT_EQ(end, LIVE_DETACHED);
	EXPECT_EQ(read_spool(path).of(FACT_EXIT).size(), 0u);
}

TEST_F(LiveStubborn, TheSignalToStopEndsTheRecordingOnly)
{
	run(STOP_SIGNAL, {50});
	EXPECT_EQ(end, LIVE_DETACHED);
}

TEST_F(LiveStubborn, ADurationEndsTheRecordingOnly)
{
	recording.duration = 200000000;
	run(SIGTERM, {});
	EXPECT_EQ(end, LIVE_DETACHED);
}

/* A process that reads a file again and again, with another thread that reads a pipe. It counts what it has done. */
class Reader
{
      public:
	int pipe_fd[2] = {-1, -1};
	pid_t pid = -1;

	explicit Reader(const std::string &name)
	{
		void *memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED || pipe(pipe_fd))
			abort();
		counts = new (memory) Counts();
		pid = fork();
		if (!pid)
			read_for_ever(name);
		wait_until([this] { return counts->other && counts->files && is_asleep(); });
	}

	~Reader()
	{
		kill(pid, SIGKILL);
		waitpid(pid, nullptr, 0);
		close(pipe_fd[0]);
		close(pipe_fd[1]);
		munmap(counts, sizeof(Counts));
	}

	void wait_for_reads(uint32_t more)
	{
		uint32_t wanted = counts->files + more;

		wait_until([&] { return counts->files >= wanted; });
	}

	/* Until the other thread has got a byte and waits for the next one. */
	void wait_for_byte()
	{
		wait_until([this] { return counts->bytes && is_asleep(); });
	}

      private:
	struct Counts {
		std::atomic<uint32_t> files, bytes;
		std::atomic<pid_t> other;
	};
	Counts *counts;

	[[noreturn]] void read_for_ever(const std::string &name)
	{
		int fd = ::open(name.c_str(), O_RDONLY);
		char bytes[4];

		std::thread other([this] {
			char byte;

			counts->other = pid_t(syscall(SYS_gettid));
			while (read(pipe_fd[0], &byte, 1) == 1)
				counts->bytes++;
		});
		while (pread(fd, bytes, 4, 0) == 4) {
			counts->files++;
			usleep(1000);
		}
		_exit(1);
	}

	/* The other thread sleeps nowhere but in its read. */
	bool is_asleep()
	{
		std::ifstream file("/proc/" + std::to_string(pid) + "/task/" +
				   std::to_string(counts->other) + "/stat");
		std::string line;

		std::getline(file, line);
		return line.find(") S ") != std::string::npos;
	}

	template <typename Condition> static void wait_until(Condition is_true)
	{
		while (!is_true())
			usleep(500);
	}
};

TEST_F(Live, AttachAndDetach)
{
	std::string name = file("in");
	Reader reader(name);
	pid_t child = reader.pid;

	number_list_add(&recording.pids, uint32_t(child));
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	reader.wait_for_reads(50);
	kill(getpid(), SIGINT);
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(status, -1);
	EXPECT_EQ(end, LIVE_DETACHED);
	EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it runs on";
	Spool spool = read_spool(path);
	bool is_named = false;

	for (auto fact : spool.of(FACT_FD))
		is_named |= fact->text[0] == name && fact->fact.number[11] == 0 &&
			    fact->fact.number[4] != UINT64_MAX;
	EXPECT_TRUE(is_named);
	EXPECT_EQ(spool.of(FACT_TASK).size(), 2u) << "both threads";
	EXPECT_GE((spool.exits[{call_row(call_by_name("pread64", 7))->number, 4}]), 49u);
	expect_balance(spool, false);
}

TEST_F(Live, WhoeverWaitsIsToldThatItRecords)
{
	int end_of[2];
	char said[16] = {};

	ASSERT_EQ(pipe(end_of), 0);
	recording.ready_fd = end_of[1];
	ASSERT_EQ(live_keep_ready_fd(end_of[1], &err), 0) << err.text;
	command({"sh", "-c", "[ ! -e /proc/self/fd/" + std::to_string(end_of[1]) + " ]"});
	ASSERT_TRUE(open());
	EXPECT_EQ(fcntl(end_of[0], F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(read(end_of[0], said, sizeof(said)), -1) << "nothing is recorded yet";
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	EXPECT_EQ(read(end_of[0], said, sizeof(said)), 6);
	EXPECT_STREQ(said, "ready\n");
	/* The command has it until its exec. */
	EXPECT_EQ(fcntl(end_of[0], F_SETFL, 0), 0);
	EXPECT_EQ(read(end_of[0], said, sizeof(said)), 0) << "it is closed";
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(WEXITSTATUS(status), 0) << "the command has the descriptor, too";
	close(end_of[0]);
}

TEST_F(Live, WhoeverWaitedMayBeGone)
{
	int end_of[2];

	ASSERT_EQ(pipe(end_of), 0);
	close(end_of[0]);
	recording.ready_fd = end_of[1];
	Spool spool = record({"true"});

	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Live, NobodyCanBeToldByADescriptorThatIsClosed)
{
	EXPECT_EQ(live_keep_ready_fd(1000, &err), -EBADF);
	EXPECT_STREQ(err.text,
		     "--ready-fd: descriptor 1000 is not open: a shell opens it with 1000>FILE");
}

TEST_F(Live, AttachedProcessThatEnds)
{
	int go[2];
	char none;

	ASSERT_EQ(pipe(go), 0);
	pid_t child = fork();

	if (!child) {
		close(go[1]);
		_exit(read(go[0], &none, 1) != 0);
	}
	number_list_add(&recording.pids, uint32_t(child));
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	close(go[0]);
	close(go[1]); /* it ends now, while it is recorded */
	EXPECT_EQ(follow(), 0);
	EXPECT_EQ(end, LIVE_ENDED);
	waitpid(child, nullptr, 0);
}

TEST_F(Live, ProcessThatIsNone)
{
	pid_t none = fork();

	if (!none)
		_exit(0);
	waitpid(none, nullptr, 0);
	number_list_add(&recording.pids, uint32_t(none));
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_EQ(std::string(err.text), "no process " + std::to_string(none) + "");
}

TEST_F(Live, SpoolThatIsThere)
{
	file("spool");
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_EQ(err.code, EEXIST);
	EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the child is gone";
}

TEST_F(Live, OpenedButNeverStarted)
{
	command({"touch", scratch.path("ran")});
	ASSERT_TRUE(open());
	EXPECT_EQ(live_close(live, &err), 0);
	live = nullptr;
	EXPECT_NE(access(scratch.path("ran").c_str(), F_OK), 0);
}

TEST_F(Live, ClosedWhileItRuns)
{
	command({"sleep", "0.5"});
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0);
	EXPECT_EQ(live_close(live, &err), 0) << err.text;
	live = nullptr;
	EXPECT_EQ(read_spool(path).of(FACT_END).size(), 1u);
	while (waitpid(-1, nullptr, 0) > 0)
		;
}

TEST_F(Live, CountersComeAlong)
{
	static const char *const names[] = {"page-faults"};
	choose(recording.counters, names);
	Spool spool = record({"cat", file("in")});

	expect_balance(spool, false);
	EXPECT_EQ(std::count(spool.event.begin(), spool.event.end(), "iotrace:counter:page-faults"),
		  2);
}

#ifdef IOTRACE_HAS_BPF

class LiveOfBpf : public Live
{
      protected:
	void SetUp() override
	{
		Live::SetUp();
		recording.source = SOURCE_BPF;
		recording.selection.groups = ~0U;
	}

	/* What the test left behind it is told of in full. */
	std::string real(const std::string &name)
	{
		char *full = realpath(name.c_str(), nullptr);
		std::string text = full ? full : "?";

		free(full);
		return text;
	}
};

/* With programs as they are used on this kernel, and on one that can preempt them. */
class LiveBpf : public LiveOfBpf, public testing::WithParamInterface<bool>
{
      protected:
	void SetUp() override
	{
		LiveOfBpf::SetUp();
		bpf_preempt_pretend(GetParam());
	}

	void TearDown() override
	{
		bpf_preempt_pretend(false);
		LiveOfBpf::TearDown();
	}
};

INSTANTIATE_TEST_SUITE_P(On, LiveBpf, testing::Bool(),
			 [](const auto &info) { return info.param ? "Preemptible" : "This"; });

TEST_P(LiveBpf, ACommandFromBeginToEnd)
{
	std::string name = file("in");
	Spool spool = record({"wc", name});
	std::vector<const Call *> opened, read;

	EXPECT_EQ(end, LIVE_ENDED);
	expect_balance(spool, false);
	EXPECT_EQ(spool.facts.front().fact.kind, FACT_HOST);
	EXPECT_EQ(spool.facts.back().fact.kind, FACT_END);
	ASSERT_EQ(spool.of(FACT_SOURCE).size(), 1u);
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[0], uint64_t(SOURCE_BPF));
	for (auto call : spool.of(BPF_RECORD_CALL, "openat"))
		if (call->path.at(0) == name)
			opened.push_back(call);
	ASSERT_EQ(opened.size(), 1u);
	ASSERT_EQ(opened[0]->files.size(), 1u);
	EXPECT_EQ(opened[0]->files[0].path, real(name));
	EXPECT_EQ(opened[0]->files[0].part.fd, opened[0]->record.result);
	EXPECT_EQ(opened[0]->files[0].part.position, 0u);
	for (auto call : spool.of(BPF_RECORD_CALL, "read"))
		if (call->record.arg[0] == uint64_t(opened[0]->record.result) &&
		    call->record.begin > opened[0]->time)
			read.push_back(call);
	ASSERT_EQ(read.size(), 2u);
	EXPECT_EQ(read[0]->record.result, 11);
	EXPECT_EQ(read[0]->record.position, 11u);
	EXPECT_EQ(read[0]->pid, read[0]->tid);
	EXPECT_LT(read[0]->record.begin, read[0]->time);
	EXPECT_EQ(read[1]->record.result, 0);
	EXPECT_EQ(read[1]->record.position, 11u);
}

TEST_P(LiveBpf, WhatADescriptorLeadsTo)
{
	std::string name = file("in"), dir = scratch.path("a");
	struct stat status;

	for (const char *step : {"a", "a/b", "a/b/c"})
		ASSERT_EQ(mkdir(scratch.path(step).c_str(), 0755), 0);
	ASSERT_EQ(symlink("b/../../in", (dir + "/link").c_str()), 0);
	ASSERT_EQ(stat(name.c_str(), &status), 0);
	Spool spool = record(
		{"sh", "-c",
		 "cd " + dir +
			 "; read x <link; exec 7>b/c/gone; rm b/c/gone; exec 8<&7 9</; "
			 "read y </proc/self/status; : | :; read z <no/such"});
	std::map<std::string, const File *> by_argument;
	std::set<std::string> bases;
	const Call *failed = nullptr;

	for (auto &call : spool.calls) {
		if (call.path.count(0) && !call.files.empty())
			by_argument[call.path[0]] = &call.files[0];
		if (call.path.count(0) && call.path[0] == "no/such")
			failed = &call;
	}
	ASSERT_TRUE(by_argument["link"]);
	EXPECT_EQ(by_argument["link"]->path, real(name));
	/* Relative paths of calls that open nothing start at the directory of the shell. */
	for (auto &call : spool.calls)
		if (call.path.count(0) && call.path[0] == "b/c/gone" && !call.bases.empty())
			bases.insert(call.bases[0].path);
	EXPECT_EQ(bases, std::set<std::string>{real(dir)});
	EXPECT_EQ(by_argument["link"]->part.ino, status.st_ino);
	EXPECT_EQ(by_argument["link"]->part.mode, status.st_mode);
	EXPECT_EQ(by_argument["link"]->part.major, major(status.st_dev));
	EXPECT_EQ(by_argument["link"]->part.minor, minor(status.st_dev));
	EXPECT_EQ(by_argument["link"]->part.part.flags, 0);
	ASSERT_TRUE(by_argument["b/c/gone"]);
	EXPECT_EQ(by_argument["b/c/gone"]->path, real(dir) + "/b/c/gone");
	ASSERT_TRUE(by_argument["/"]);
	EXPECT_EQ(by_argument["/"]->path, "/");
	EXPECT_EQ(by_argument["/"]->part.part.size, sizeof(struct bpf_part_file));
	/* Over a mount, and not the same as what a symbolic link there is called. */
	ASSERT_TRUE(by_argument["/proc/self/status"]);
	EXPECT_EQ(by_argument["/proc/self/status"]->path.substr(0, 6), "/proc/");
	EXPECT_EQ(by_argument["/proc/self/status"]->path.find("self"), std::string::npos);
	ASSERT_TRUE(failed);
	EXPECT_LT(failed->record.result, 0);
	/* The directory that cd went to. */
	auto moved = spool.of(BPF_RECORD_CALL, "chdir");
	ASSERT_EQ(moved.size(), 1u);
	ASSERT_EQ(moved[0]->files.size(), 1u);
	EXPECT_EQ(moved[0]->files[0].part.part.kind, BPF_PART_DIRECTORY);
	EXPECT_EQ(moved[0]->files[0].path, real(dir));
	/* The copy of a descriptor whose file was removed. */
	auto copied = spool.of(BPF_RECORD_CALL, "dup2");
	bool is_deleted = false;
	for (auto call : copied)
		for (auto &f : call->files)
			is_deleted |= f.part.fd == 8 && f.part.part.flags & BPF_PART_DELETED &&
				      f.path == real(dir) + "/b/c/gone";
	EXPECT_TRUE(is_deleted);
	expect_balance(spool, false);
}

TEST_P(LiveBpf, BothEndsOfAPipe)
{
	Spool spool = record({"sh", "-c", "echo x | read y"});
	uint32_t pairs = 0;

	for (const char *name : {"pipe", "pipe2"}) {
		for (auto call : spool.of(BPF_RECORD_CALL, name)) {
			ASSERT_EQ(call->files.size(), 2u);
			EXPECT_EQ(call->files[0].part.ino, call->files[1].part.ino);
			EXPECT_EQ(call->files[0].part.magic, 0x50495045u);
			EXPECT_TRUE(call->files[0].part.part.flags & BPF_PART_SPECIAL);
			EXPECT_EQ(call->files[1].part.flags & O_ACCMODE, uint32_t(O_WRONLY));
			EXPECT_EQ(call->files[1].part.part.index, 1);
			EXPECT_EQ(call->files[0].part.position, UINT64_MAX);
			pairs++;
		}
	}
	EXPECT_EQ(pairs, 1u);
}

TEST_P(LiveBpf, CallsThatCountAtOnceHaveTwoRecords)
{
	Spool spool = record({"sh", "-c", "cat " + file("in") + " & wait; exec true"});

	for (const char *name : {"clone", "execve", "vfork", "clone3"}) {
		auto begun = spool.of(BPF_RECORD_ENTER, name),
		     ended = spool.of(BPF_RECORD_EXIT, name);

		EXPECT_TRUE(spool.of(BPF_RECORD_CALL, name).empty()) << name;
		EXPECT_EQ(begun.size(), ended.size()) << name;
		for (auto call : begun)
			EXPECT_LE(call->record.begin, call->time) << name;
	}
	auto exec = spool.of(BPF_RECORD_ENTER, "execve");
	ASSERT_GE(exec.size(), 3u);
	for (auto call : exec)
		EXPECT_EQ(call->path.at(0)[0], '/');
	std::set<uint32_t> pids;
	for (auto &call : spool.calls)
		pids.insert(call.pid);
	EXPECT_EQ(pids.size(), 2u) << "the shell and its child";
	expect_balance(spool, false);
}

TEST_P(LiveBpf, CallsThatCloseHaveTwoRecordsWhereDescriptorsAreShared)
{
	static const char closes[] =
		"import os, threading\n"
		"def copy():\n  for i in range(9): os.dup2(0, 77); os.close(77)\n"
		"copy()\n"
		"t = threading.Thread(target=copy)\n"
		"t.start()\n"
		"t.join()\n";
	Spool spool = record({"python3", "-c", closes});
	auto count = [&](enum bpf_record_kind kind, const char *name, bool is_leader) {
		auto calls = spool.of(kind, name);
		uint64_t fd = strcmp(name, "close") ? 1 : 0;

		return std::count_if(calls.begin(), calls.end(), [&](const Call *call) {
			return call->record.arg[fd] == 77 && (call->pid == call->tid) == is_leader;
		});
	};

	for (const char *name : {"close", "dup2"}) {
		if (!count(BPF_RECORD_CALL, name, true))
			name = "dup3"; /* of a C library that has it so */
		EXPECT_EQ(count(BPF_RECORD_CALL, name, true), 9) << name;
		EXPECT_EQ(count(BPF_RECORD_ENTER, name, true), 0) << name;
		EXPECT_EQ(count(BPF_RECORD_CALL, name, false), 0) << name;
		EXPECT_EQ(count(BPF_RECORD_ENTER, name, false), 9) << name;
		EXPECT_EQ(count(BPF_RECORD_EXIT, name, false), 9) << name;
	}
	expect_balance(spool, false);
}

TEST_P(LiveBpf, ARingOfOnePageLosesButTheBooksBalance)
{
	recording.ring_bytes = 4096;
	expect_loss(record({"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"}));
}

TEST_P(LiveBpf, ManyEventsThroughASmallQueue)
{
	recording.buffer_bytes = 1;
	Spool spool = record({"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"});

	expect_balance(spool, false);
	EXPECT_EQ(spool.torn, 0u);
	EXPECT_GE(spool.of(BPF_RECORD_CALL, "read").size(), 200000u);
}

TEST_P(LiveBpf, AttachedThreadsAndWhatIsInFlightAtTheEnd)
{
	Reader reader(file("in"));
	pid_t child = reader.pid;

	number_list_add(&recording.pids, uint32_t(child));
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	EXPECT_EQ(write(reader.pipe_fd[1], "x", 1), 1);
	reader.wait_for_byte();
	reader.wait_for_reads(50);
	kill(getpid(), SIGINT);
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(end, LIVE_DETACHED);
	Spool spool = read_spool(path);
	auto waiting = spool.of(BPF_RECORD_IN_FLIGHT, "read");

	EXPECT_GE(spool.of(BPF_RECORD_CALL, "pread64").size(), 49u);
	ASSERT_EQ(waiting.size(), 1u);
	EXPECT_EQ(waiting[0]->pid, uint32_t(child));
	EXPECT_NE(waiting[0]->tid, uint32_t(child)) << "the other thread";
	EXPECT_EQ(waiting[0]->record.arg[0], uint64_t(reader.pipe_fd[0]));
	EXPECT_EQ(spool.of(FACT_TASK).size(), 2u);
	expect_balance(spool, false);
}

TEST_P(LiveBpf, NobodyElseIsRecorded)
{
	std::string name = file("in"), fifo = scratch.path("fifo");

	ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
	command({"sh", "-c",
		 "read line <" + fifo + "; cat " + name + " " + name + " >/dev/null; cat " + name +
			 " >/dev/null"});
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	/* The command goes on when it has done something: both while iotrace records. */
	std::thread bystander([&fifo] {
		char byte;
		int fd = ::open("/dev/zero", O_RDONLY), go = ::open(fifo.c_str(), O_WRONLY);

		for (int i = 0; i < 100; i++)
			EXPECT_EQ(read(fd, &byte, 1), 1);
		EXPECT_EQ(write(go, "\n", 1), 1);
		close(go);
		close(fd);
	});

	EXPECT_EQ(follow(), 0) << err.text;
	bystander.join();
	Spool spool = read_spool(path);
	std::set<uint32_t> pids;

	for (auto call : spool.of(BPF_RECORD_CALL, "read"))
		pids.insert(call->pid);
	EXPECT_GE(pids.size(), 3u) << "the shell, and each cat";
	for (auto &call : spool.calls)
		EXPECT_NE(call.pid, uint32_t(getpid()));
	expect_balance(spool, false);
}

TEST_P(LiveBpf, BlockRequestsComeFromProgramsToo)
{
	recording.is_system = true;
	recording.blocks.choice = BLOCK_ALL;
	Spool spool = record({"dd", "if=/dev/zero", "of=" + file("synced"), "bs=4k", "count=16",
			      "conv=fsync", "status=none"});

	for (const auto &name : spool.event)
		EXPECT_NE(name.substr(0, 6), "block:");
	ASSERT_EQ(spool.of(FACT_SOURCE).size(), 1u);
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[1], uint64_t(SOURCE_BPF));
	for (const auto &request : spool.requests) {
		EXPECT_GT(request.key, 1ULL << 63) << "an address of the kernel";
		EXPECT_LT(request.step, REQUEST_STEPS);
		EXPECT_LT(request.type, REQUEST_KINDS);
	}
	expect_balance(spool, false);
}

TEST_P(LiveBpf, WithoutBlockRequestsNobodyTellsOfThem)
{
	Spool spool = record({"true"});

	EXPECT_TRUE(spool.requests.empty());
	ASSERT_EQ(spool.of(FACT_SOURCE).size(), 1u);
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[1], 0u);
}

TEST_P(LiveBpf, ProgramsForBlockRequestsThatCannotBeHad)
{
	const uint32_t cpu = 0;
	struct bpf_options wanted = {};
	wanted.recording = &recording;
	struct bpf_block_options too_many = {};

	wanted.cpu = &cpu;
	wanted.cpus = 1;
	wanted.ring_bytes = wanted.ring_least = 65536;
	struct bpf_source *source = bpf_source_open(&wanted, &err);

	ASSERT_NE(source, nullptr) << err.text;
	too_many.source = source;
	too_many.devices = UINT32_MAX;
	EXPECT_EQ(bpf_block_open(&too_many, &err), nullptr);
	EXPECT_EQ(std::string(err.text).substr(0, 44),
		  "cannot load BPF programs for block requests:")
		<< err.text;
	bpf_source_close(source);
}

TEST_P(LiveBpf, CountersArePerfsBusiness)
{
	static const char *const names[] = {"page-faults"};
	choose(recording.counters, names);
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_NE(std::string(err.text).find("-E"), std::string::npos) << err.text;
	recording.source = SOURCE_AUTO;
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	follow();
	Spool spool = read_spool(path);
	ASSERT_EQ(spool.of(FACT_SOURCE).size(), 1u);
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[0], uint64_t(SOURCE_PERF));
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->text[0].substr(0, 2), "-E");
}

/* On one CPU the threads of the recorder run first, and have closed the ring buffers when live_start() goes on. */
TEST_P(LiveBpf, ADurationMayBeOverAtOnce)
{
	cpu_set_t before, one;

	recording.is_system = true;
	recording.duration = 1;
	ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	if (open()) {
		EXPECT_EQ(live_start(live, &err), 0) << err.text;
		EXPECT_EQ(follow(), 0) << err.text;
		EXPECT_EQ(end, LIVE_ENDED);
	}
	EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* Which records are missing where the kernel refuses a program. -1: none that the test makes. */
struct Refusal {
	const char *program, *feature, *instead;
	int kind;
};

class LiveBpfRefused : public LiveOfBpf, public testing::WithParamInterface<Refusal>
{
};

TEST_P(LiveBpfRefused, OneFeatureAndNothingElse)
{
	const char *program = "import fcntl, os, sys\n"
			      "file = open(sys.argv[1], 'r+')\n"
			      "fcntl.lockf(file, fcntl.LOCK_EX)\n"
			      "for i in range(50): os.pread(file.fileno(), 1, 0)\n"
			      "os._exit(0 if os.fork() else 3)\n";
	std::vector<std::string> words = {"/usr/bin/python3", "-c", program, file("in")};
	auto reads = [](const Spool &spool) {
		auto all = spool.of(BPF_RECORD_CALL, "pread64");

		return std::count_if(all.begin(), all.end(), [](const Call *call) {
			return call->record.arg[2] == 1 && call->record.result == 1;
		});
	};
	Spool spool;

	recording.refused = GetParam().program;
	recording.waits_for_all = true;
	spool = record(words);
	expect_balance(spool, false);
	EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[0], uint64_t(SOURCE_BPF));
	ASSERT_EQ(spool.of(FACT_REFUSED).size(), 1u);
	EXPECT_EQ(spool.of(FACT_REFUSED)[0]->text[0], GetParam().feature);
	EXPECT_EQ(spool.of(FACT_REFUSED)[0]->text[2], GetParam().instead);
	/* Two of them read no argument, and are refused no sooner than when they are attached. */
	std::string why = spool.of(FACT_REFUSED)[0]->text[1];
	EXPECT_TRUE(why.find("invalid bpf_context access") == 0 ||
		    why == "its program cannot be attached: Invalid argument")
		<< why;
	EXPECT_EQ(reads(spool), 50);
	for (int kind :
	     {BPF_RECORD_CLONE, BPF_RECORD_LOCK, BPF_RECORD_PROGRAM, BPF_RECORD_STATUS}) {
		uint64_t most = kind == BPF_RECORD_STATUS ? 2 : 1;

		EXPECT_EQ(spool.records[kind], kind == GetParam().kind ? 0 : most) << kind;
	}
	for (auto &[name, kind] : {std::pair("task:task_newtask", BPF_RECORD_CLONE),
				   std::pair("filelock:fcntl_setlk", BPF_RECORD_LOCK)})
		EXPECT_EQ(std::count(spool.event.begin(), spool.event.end(), name),
			  kind == GetParam().kind)
			<< name;
}

INSTANTIATE_TEST_SUITE_P(
	Of, LiveBpfRefused,
	testing::Values(Refusal{"request_taken", "io_uring requests", "", -1},
			Refusal{"request_ends", "io_uring requests", "", -1},
			Refusal{"ring_made", "io_uring requests", "", -1},
			Refusal{"files_fixed", "io_uring requests", "", -1},
			Refusal{"fault_begins", "reads of mapped files", "", -1},
			Refusal{"page_is_added", "reads of mapped files", "", -1},
			Refusal{"pages_are_mapped", "reads of mapped files", "", -1},
			Refusal{"writeback_begins", "writeback of mapped files", "", -1},
			Refusal{"writeback_ends", "writeback of mapped files", "", -1},
			Refusal{"task_is_made", "flags of new tasks", "perf", BPF_RECORD_CLONE},
			Refusal{"program_begins", "arguments of programs", "", BPF_RECORD_PROGRAM},
			Refusal{"program_ends", "exit status of processes", "", BPF_RECORD_STATUS},
			Refusal{"lock_is_asked", "record locks", "perf", BPF_RECORD_LOCK}),
	[](const auto &info) { return std::string(info.param.program); });

struct counted_span calls_by_file(const char *name, const char *group)
{
	struct counted_span span = {};

	span.name = name;
	span.keys = 1;
	span.by = COUNTED_BY_FILE;
	span.group = group;
	span.room = 1024;
	span.point[COUNTED_BEGIN].event = "raw_syscalls:sys_enter";
	span.point[COUNTED_END].event = "raw_syscalls:sys_exit";
	span.point[COUNTED_BEGIN].key[0] = span.point[COUNTED_END].key[0] = "tid";
	return span;
}

/* What the kernel cannot count is recorded, if the recording says so. */
TEST_P(LiveBpf, RecordsCallsThatTheKernelDoesNotCount)
{
	const char *program = "import os\n"
			      "file = os.open('/etc/passwd', os.O_RDONLY)\n"
			      "for i in range(50): os.pread(file, 1, 0)\n"
			      "os._exit(0)\n";
	struct counted_span span = calls_by_file("refused", "of no field");

	recording.counted = &span;
	recording.counted_count = 1;
	for (bool records : {false, true}) {
		recording.are_all_counted = recording.is_without_calls = true;
		recording.records_uncounted = records;
		unlink(file("spool").c_str());
		Spool spool = record({"/usr/bin/python3", "-S", "-c", program});
		auto all = spool.of(BPF_RECORD_CALL, "pread64");

		EXPECT_EQ(spool.of(FACT_SOURCE)[0]->fact.number[0], uint64_t(SOURCE_BPF));
		EXPECT_EQ(std::count_if(all.begin(), all.end(),
					[](const Call *call) { return call->record.arg[2] == 1; }),
			  records ? 50 : 0);
	}
}

/* A thread that ends after the recording, while its call is in flight, leaves the numbers alone until they are read. */
TEST_P(LiveBpf, WhoEndsAfterwardsWasInFlight)
{
	static uint8_t about[COUNTED_VALUES], fd[COUNTED_VALUES];
	struct counted_span span = calls_by_file("calls", "id");
	struct Seen {
		uint64_t most = 0, flights = 0;
		pid_t waits = 0;
	} seen;
	int pipe_fd[2];

	ASSERT_EQ(pipe(pipe_fd), 0);
	pid_t child = fork();
	if (!child) {
		char byte;

		while (read(pipe_fd[0], &byte, 1) == 1)
			;
		_exit(0);
	}
	std::fill(std::begin(fd), std::end(fd), uint8_t(COUNTED_FD_NONE));
	fd[SYS_read] = 0;
	span.flights.is_wanted = true;
	span.flights.result = "ret";
	span.about = about;
	span.fd = span.fd2 = fd;
	span.is_of_operations = true;
	recording.counted = &span;
	recording.counted_count = 1;
	recording.are_all_counted = recording.is_without_calls = true;
	number_list_add(&recording.pids, uint32_t(child));
	ASSERT_TRUE(open());
	ASSERT_EQ(live_counted_why(live, 0), nullptr) << live_counted_why(live, 0);
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	EXPECT_EQ(write(pipe_fd[1], "x", 1), 1);
	while (!live_counted_books(live, 0).begun)
		usleep(1000);
	kill(getpid(), SIGINT);
	while (live_ended(live) == LIVE_RUNNING)
		usleep(1000);
	const struct counted_books books = live_counted_books(live, 0);
	usleep(100000);
	kill(child, SIGKILL);
	EXPECT_EQ(waitpid(child, nullptr, 0), child);
	live_counted_flights(
		live, 0, books.last,
		[](void *context, const struct counted_flight *flight) {
			auto to = static_cast<Seen *>(context);
			to->flights++;
			to->most = std::max(to->most, flight->busy);
		},
		&seen);
	EXPECT_GE(seen.flights, 2U) << "that of the pipe, and of all";
	EXPECT_LE(seen.most, books.last - books.first);
	EXPECT_EQ(live_counted_open(
			  live, 0,
			  [](void *context, const struct counted_open *open) {
				  static_cast<Seen *>(context)->waits = pid_t(open->tid);
			  },
			  &seen),
		  0);
	EXPECT_EQ(seen.waits, child);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	EXPECT_EQ(follow(), 0) << err.text;
}

/* Those without which there is nothing to record. */
TEST_P(LiveBpf, WithoutCallsThereIsNothing)
{
	for (const char *program : {"call_begins", "call_ends", "task_forks", "mark_tasks"}) {
		struct error why = {};

		recording.refused = program;
		command({"true"});
		EXPECT_EQ(live_open(&options, &why), nullptr);
		std::string start = std::string("refuses BPF programs: ") + program + ": ";
		EXPECT_NE(std::string(why.text).find(start), std::string::npos) << why.text;
		EXPECT_EQ(std::string(why.text).back(), ')') << why.text << ": no errno";
	}
}

#endif

TEST(LiveProbe, EveryProbeHasAnAnswer)
{
	struct probe_result result[32];
	uint32_t count = probe_all(result, 32);

	ASSERT_GE(count, 8u);
	for (uint32_t i = 0; i < count; i++) {
		EXPECT_NE(result[i].detail[0], '\0') << result[i].name;
		if (result[i].is_needed)
			EXPECT_EQ(result[i].state, PROBE_OK)
				<< result[i].name << ": " << result[i].detail;
	}
	EXPECT_EQ(probe_all(result, 2), 2u);
}

TEST(LiveProbe, CallsOfTheKernel)
{
	struct call_row none = *::call_row(call_by_name("read", 4));

	EXPECT_EQ(probe_call(::call_row(call_by_name("openat", 6))), 1);
	none.name = "no_such_call";
	EXPECT_EQ(probe_call(&none), 0);
}

} // namespace
