// live: recordings of real commands and processes. They need the right to use perf events and tracefs.
#include <iotrace/live.h>

#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/fact.h>
#include <iotrace/probe.h>
#include <iotrace/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <sys/resource.h>
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

/* Everything that a spool says. */
struct Spool {
	std::vector<std::string> event;
	std::map<uint32_t, uint64_t> samples; /* by event */
	uint64_t lost_records = 0, rounds = 0, torn = 0;
	std::vector<Fact> facts;
	std::map<std::pair<long, long>, uint64_t> exits; /* number and result */

	std::vector<const Fact *> of(enum fact_kind kind) const
	{
		std::vector<const Fact *> found;

		for (auto &fact : facts)
			if (fact.fact.kind == kind)
				found.push_back(&fact);
		return found;
	}
};

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
	struct live_options options = {};
	struct live *live = nullptr;
	struct error err = {};
	int status = 0, exec_errno = 0;
	enum live_end end = LIVE_RUNNING;
	std::vector<char *> argv;

	void SetUp() override
	{
		options.groups = GROUPS;
		options.spool_path = path.c_str();
		options.cmdline = "test";
	}

	void TearDown() override
	{
		live_close(live, nullptr);
		for (char *word : argv)
			free(word);
	}

	void command(std::vector<std::string> words)
	{
		for (auto &word : words)
			argv.push_back(strdup(word.c_str()));
		argv.push_back(nullptr);
		options.argv = argv.data();
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

	EXPECT_GE(counts.size(), 3u);
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
	EXPECT_EQ((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
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
	options.is_system = true;
	options.block = BLOCK_ALL;
	options.sample_interval = 10000000;
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
	bool is_told = false, is_held = false;
	for (auto fact : spool.of(FACT_TASK)) {
		EXPECT_NE(fact->fact.number[0], uint64_t(getpid())) << "never ourselves";
		is_told |= fact->fact.number[1] == uint64_t(other);
	}
	for (auto fact : spool.of(FACT_FD)) {
		EXPECT_NE(fact->fact.number[0], uint64_t(getpid()));
		is_held |= fact->fact.number[0] == uint64_t(other) && fact->text[0] == name;
	}
	EXPECT_TRUE(is_told);
	EXPECT_TRUE(is_held);
	EXPECT_FALSE(spool.of(FACT_DEVICE).empty());
	std::map<uint64_t, unsigned> phases;
	for (auto fact : spool.of(FACT_DISKSTAT))
		phases[fact->fact.number[0]] |= 1u << fact->fact.number[1];
	EXPECT_FALSE(phases.empty());
	for (auto &[dev, seen] : phases)
		EXPECT_EQ(seen, 3u) << dev;
	EXPECT_GE(spool.of(FACT_MEMORY).size(), 10u);
	EXPECT_LE(spool.of(FACT_MEMORY).size(), 60u);
	EXPECT_EQ((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
}

TEST_F(Live, ADurationEndsIt)
{
	options.is_system = true;
	options.duration = 200000000;
	if (!open())
		return;
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(end, LIVE_ENDED);
	EXPECT_EQ(status, -1);
	Spool spool = read_spool(path);
	uint64_t begin = spool.of(FACT_BEGIN)[0]->time, last = spool.of(FACT_END)[0]->time;
	EXPECT_GE(last - begin, options.duration);
	EXPECT_LE(last - begin, 50 * options.duration);
}

TEST_F(Live, OnlyCommandsThatMatch)
{
	std::string name = file("in");
	const char *comm[] = {"wc*", "nothing"};

	options.comm = comm;
	options.comms = 2;
	Spool spool = record({"sh", "-c", "cat " + name + " >/dev/null; wc " + name});
	EXPECT_EQ((spool.exits[{call_row(call_by_name("read", 4))->number, 11}]), 1u);
}

TEST_F(Live, FiltersAreToldToTheReader)
{
	const char *path_kept[] = {"/data/*"}, *left_out[] = {"*.o", "*.so"};

	options.path = path_kept;
	options.paths = 1;
	options.left_out = left_out;
	options.left_outs = 2;
	Spool spool = record({"true"});
	ASSERT_EQ(spool.of(FACT_FILTER).size(), 3u);
	EXPECT_EQ(spool.of(FACT_FILTER)[0]->fact.number[0], uint64_t(FILTER_PATH_KEPT));
	EXPECT_EQ(spool.of(FACT_FILTER)[0]->text[0], "/data/*");
	EXPECT_EQ(spool.of(FACT_FILTER)[2]->fact.number[0], uint64_t(FILTER_PATH_LEFT_OUT));
	EXPECT_EQ(spool.of(FACT_FILTER)[2]->text[0], "*.so");
}

TEST_F(Live, AnEventOfTheUsersChoice)
{
	const char *event[] = {"sched:sched_process_exec=filename,pid"};

	options.event = event;
	options.events = 1;
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

	options.event = event;
	options.events = 1;
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_STREQ(err.text, "-e sched:sched_process_exec: it has no field 'nothing'; iotrace "
			       "list -e sched:sched_process_exec shows them");
}

TEST_F(Live, ADeviceThatIsNotThere)
{
	const char *device[] = {"nothing0"};

	options.block = BLOCK_OWN;
	options.device = device;
	options.devices = 1;
	command({"true"});
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_STREQ(err.text,
		     "device nothing0: there is no block device of that name in /sys/block");
}

TEST_F(Live, ARingOfOnePageLosesButTheBooksBalance)
{
	options.ring_bytes = 4096;
	Spool spool = record({"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"});
	uint64_t lost = 0;

	expect_balance(spool, true);
	for (auto count : spool.of(FACT_COUNT))
		lost += count->fact.number[2];
	EXPECT_GT(lost, 0u);
	EXPECT_GT(spool.lost_records, 0u);
}

TEST_F(Live, ManyEventsThroughASmallQueue)
{
	options.buffer_bytes = 1;
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

TEST_F(Live, ChdirAndExecAreToldAsFacts)
{
	Spool spool = record({"sh", "-c", "cd " + scratch.path("") + " && sleep 0.05"});
	bool has_cwd = false, has_exe = false;

	for (auto fact : spool.of(FACT_CWD))
		has_cwd |= fact->text[0] + "/" == scratch.path("");
	for (auto fact : spool.of(FACT_EXE))
		has_exe |= !fact->fact.number[2] && fact->text[0][0] == '/' &&
			   !fact->fact.number[3];
	EXPECT_TRUE(has_cwd);
	EXPECT_TRUE(has_exe);
}

TEST_F(Live, SignalEndsTheRecordingAndReachesTheCommand)
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
	EXPECT_EQ(end, LIVE_INTERRUPTED);
	EXPECT_EQ(WEXITSTATUS(status), 7);
	EXPECT_EQ(read_spool(path).of(FACT_END).at(0)->fact.number[0], uint64_t(LIVE_INTERRUPTED));
}

TEST_F(Live, SecondSignalLeavesTheCommandAlone)
{
	command({"sh", "-c", "trap '' TERM; echo $$ > " + scratch.path("pid") + "; exec sleep 5"});
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	while (access(scratch.path("pid").c_str(), F_OK))
		usleep(1000);
	usleep(50000);
	kill(getpid(), SIGTERM);
	std::thread second([] {
		usleep(200000);
		kill(getpid(), SIGTERM);
	});
	follow();
	second.join();
	EXPECT_TRUE(WIFSIGNALED(status));
	FILE *in = fopen(scratch.path("pid").c_str(), "r");
	int pid = 0;
	ASSERT_EQ(fscanf(in, "%d", &pid), 1);
	fclose(in);
	EXPECT_EQ(kill(pid, 0), 0) << "it runs on";
	kill(pid, SIGKILL);
	waitpid(pid, nullptr, 0);
}

TEST_F(Live, AttachAndDetach)
{
	std::string name = file("in");
	pid_t child = fork();

	if (!child) {
		int fd = ::open(name.c_str(), O_RDONLY);
		char bytes[4];

		std::thread other([] {
			for (;;)
				usleep(1000);
		});
		for (;;) {
			if (pread(fd, bytes, 4, 0) != 4)
				_exit(1);
			usleep(1000);
		}
	}
	usleep(100000);
	options.pid = &child;
	options.pids = 1;
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
	usleep(150000);
	kill(getpid(), SIGINT);
	EXPECT_EQ(follow(), 0) << err.text;
	EXPECT_EQ(status, -1);
	EXPECT_EQ(end, LIVE_DETACHED);
	EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it runs on";
	kill(child, SIGKILL);
	waitpid(child, nullptr, 0);
	Spool spool = read_spool(path);
	bool is_named = false;

	for (auto fact : spool.of(FACT_FD))
		is_named |= fact->text[0] == name && fact->fact.number[11] == 0 &&
			    fact->fact.number[4] != UINT64_MAX;
	EXPECT_TRUE(is_named);
	EXPECT_EQ(spool.of(FACT_TASK).size(), 2u) << "both threads";
	EXPECT_GT((spool.exits[{call_row(call_by_name("pread64", 7))->number, 4}]), 20u);
	expect_balance(spool, false);
}

TEST_F(Live, AttachedProcessThatEnds)
{
	pid_t child = fork();

	if (!child) {
		usleep(300000);
		_exit(0);
	}
	options.pid = &child;
	options.pids = 1;
	ASSERT_TRUE(open());
	ASSERT_EQ(live_start(live, &err), 0) << err.text;
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
	options.pid = &none;
	options.pids = 1;
	EXPECT_EQ(live_open(&options, &err), nullptr);
	EXPECT_EQ(std::string(err.text), "process " + std::to_string(none) + ": there is none");
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
	options.counter = names;
	options.counters = 1;
	Spool spool = record({"cat", file("in")});

	expect_balance(spool, false);
	EXPECT_EQ(std::count(spool.event.begin(), spool.event.end(), "iotrace:counter:page-faults"),
		  2);
}

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
