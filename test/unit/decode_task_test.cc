/*
 * Records that are no samples, and the tracepoints that stand in for them.
 */
#include "decode_capture.h"

#include <gtest/gtest.h>
#include <memory>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

class TaskRecords : public ::testing::Test
{
      protected:
	int read(const Raw &raw, uint32_t type, uint16_t misc = 0)
	{
		last = raw; /* what the event lends */
		sample s = last.record(type, misc);

		memset(static_cast<void *>(&e), 0xaa, sizeof(e));
		return decode_sample(d.get(), &s, false, &e);
	}

	Capture c;
	Decoder d{c.open(), decode_free};
	Raw last;
	event e;
};

TEST_F(TaskRecords, Fork)
{
	ASSERT_EQ(read(Raw().add(4, 20).add(4, 10).add(4, 21).add(4, 11).add(8, 5000),
		       PERF_RECORD_FORK),
		  1);
	EXPECT_EQ(e.kind, EVENT_FORK);
	EXPECT_EQ(e.pid, 10U);
	EXPECT_EQ(e.tid, 11U);
	EXPECT_EQ(e.fork.child_pid, 20U);
	EXPECT_EQ(e.fork.child_tid, 21U);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(c.count(TALLY_samples), 0U) << "a record is no sample";
}

TEST_F(TaskRecords, Exit)
{
	ASSERT_EQ(read(Raw().add(4, 20).add(4, 10).add(4, 21).add(4, 11).add(8, 5000),
		       PERF_RECORD_EXIT),
		  1);
	EXPECT_EQ(e.kind, EVENT_EXIT);
	EXPECT_EQ(e.pid, 20U);
	EXPECT_EQ(e.tid, 21U);
}

TEST_F(TaskRecords, Comm)
{
	ASSERT_EQ(read(Raw().add(4, 20).add(4, 21).add(std::string("cat\0\0\0\0\0", 8)),
		       PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC),
		  1);
	EXPECT_EQ(e.kind, EVENT_COMM);
	EXPECT_EQ(e.pid, 20U);
	EXPECT_EQ(e.tid, 21U);
	EXPECT_TRUE(e.comm.is_exec);
	EXPECT_EQ(text_of(e.comm.name), "cat");
	ASSERT_EQ(read(Raw().add(4, 20).add(4, 21).add("unterminated"), PERF_RECORD_COMM), 1);
	EXPECT_FALSE(e.comm.is_exec);
	EXPECT_EQ(text_of(e.comm.name), "unterminated");
	ASSERT_EQ(read(Raw().add(4, 20).add(4, 21), PERF_RECORD_COMM), 1);
	EXPECT_EQ(text_of(e.comm.name), "");
}

Raw mapping(uint64_t address, size_t more, const std::string &name)
{
	Raw raw;

	raw.add(4, 20).add(4, 21).add(8, address).add(8, 0x2000).add(8, 0);
	for (size_t i = 0; i < more; i++)
		raw.add(1, 0x55);
	return raw.add(name).add(1, 0);
}

TEST_F(TaskRecords, TheVdsoTellsAProgramOf32Bits)
{
	const struct {
		uint32_t type;
		size_t more;
	} types[] = {{PERF_RECORD_MMAP, 0}, {PERF_RECORD_MMAP2, 32}};

	for (const auto &t : types) {
		ASSERT_EQ(read(mapping(0xf7fb7000, t.more, "[vdso]"), t.type), 1);
		EXPECT_EQ(e.kind, EVENT_PROGRAM);
		EXPECT_EQ(e.pid, 20U);
		EXPECT_EQ(e.tid, 21U);
		EXPECT_TRUE(e.program.is_foreign);
		ASSERT_EQ(read(mapping(0x7fb2bd26d000, t.more, "[vdso]"), t.type), 1);
		EXPECT_FALSE(e.program.is_foreign);
		ASSERT_EQ(read(mapping(0x100000000, t.more, "[vdso]"), t.type), 1);
		EXPECT_FALSE(e.program.is_foreign);
		EXPECT_EQ(read(mapping(0x8048000, t.more, "/tmp/[vdso]"), t.type), 0);
		EXPECT_EQ(read(mapping(0x8048000, t.more, "[vdso]2"), t.type), 0);
		Raw torn = mapping(0x8048000, t.more, "[vdso]");

		torn.bytes.pop_back();
		EXPECT_EQ(read(torn, t.type), 0) << "nothing is read beyond the record";
	}
	EXPECT_EQ(c.count(TALLY_malformed), 0U);
}

TEST_F(TaskRecords, AMappingOfCodeHasAFileAndAnOffset)
{
	const struct {
		uint32_t type;
		size_t more;
	} row[] = {{PERF_RECORD_MMAP, 0}, {PERF_RECORD_MMAP2, 32}};

	for (const auto &t : row) {
		Raw raw = mapping(0x7000, t.more, "/bin/app");
		sample s = raw.record(t.type, 0);
		struct decode_mapping m = {};

		ASSERT_TRUE(decode_mapping(&s, &m));
		EXPECT_EQ(m.pid, 20U);
		EXPECT_EQ(m.begin, 0x7000U);
		EXPECT_EQ(std::string(m.file.at, m.file.length), "/bin/app");
		s.misc = PERF_RECORD_MISC_MMAP_DATA;
		EXPECT_FALSE(decode_mapping(&s, &m)) << "data";
		s = raw.record(PERF_RECORD_EXIT, 0);
		EXPECT_FALSE(decode_mapping(&s, &m)) << "another record";
		raw = mapping(0x7000, t.more, "/bin/app");
		raw.bytes.resize(30);
		s = raw.record(t.type, 0);
		EXPECT_FALSE(decode_mapping(&s, &m)) << "torn";
	}
}

/* 32-bit ARM, where the kernel has no [vdso] for such programs. */
TEST_F(TaskRecords, ThePageOfSignalsTellsAProgramOf32BitArm)
{
	ASSERT_EQ(read(mapping(0xf7c1e000, 0, "[sigpage]"), PERF_RECORD_MMAP), 1);
	EXPECT_EQ(e.kind, EVENT_PROGRAM);
	EXPECT_TRUE(e.program.is_foreign);
	EXPECT_EQ(read(mapping(0xffff0000, 0, "[vectors]"), PERF_RECORD_MMAP), 0);
	Raw torn = mapping(0xf7c1e000, 0, "[sigpage]");

	torn.bytes.pop_back();
	EXPECT_EQ(read(torn, PERF_RECORD_MMAP), 0);
}

TEST_F(TaskRecords, Losses)
{
	ASSERT_EQ(read(Raw().add(8, 3).add(8, 77), PERF_RECORD_LOST), 1);
	EXPECT_EQ(e.kind, EVENT_LOST);
	EXPECT_EQ(e.lost.count, 77U);
	ASSERT_EQ(read(Raw().add(8, 78), PERF_RECORD_LOST_SAMPLES), 1);
	EXPECT_EQ(e.kind, EVENT_LOST);
	EXPECT_EQ(e.lost.count, 78U);
}

TEST_F(TaskRecords, OneByteLessIsMalformed)
{
	const struct Least {
		uint32_t type;
		size_t size; /* least that is read */
	} types[] = {{PERF_RECORD_FORK, 16},
		     {PERF_RECORD_EXIT, 12},
		     {PERF_RECORD_COMM, 8},
		     {PERF_RECORD_LOST, 16},
		     {PERF_RECORD_LOST_SAMPLES, 8}};
	/* Mappings are looked at, but only one is of interest. */
	const Least maps[] = {{PERF_RECORD_MMAP, 32}, {PERF_RECORD_MMAP2, 64}};
	uint64_t bad = 0;

	for (const auto &t : types) {
		EXPECT_EQ(read(Raw(t.size), t.type), 1);
		EXPECT_EQ(read(Raw(t.size - 1), t.type), 0);
		EXPECT_EQ(c.count(TALLY_malformed), ++bad);
		EXPECT_EQ(c.count(TALLY_samples), bad) << "the books balance";
	}
	for (const auto &t : maps) {
		EXPECT_EQ(read(Raw(t.size), t.type), 0);
		EXPECT_EQ(c.count(TALLY_malformed), bad);
		EXPECT_EQ(read(Raw(t.size - 1), t.type), 0);
		EXPECT_EQ(c.count(TALLY_malformed), ++bad);
	}
}

TEST_F(TaskRecords, OtherRecordsAreOfNoInterest)
{
	for (uint32_t type : {5U, 6U, 8U, 14U, 68U, 4711U})
		EXPECT_EQ(read(Raw(40), type), 0) << type;
	EXPECT_EQ(c.count(TALLY_samples), 0U);
}

TEST(TaskTracepoints, CloneFlags)
{
	Capture c;
	uint32_t newtask = c.add_saved("task", "task_newtask");
	Decoder d(c.open(), decode_free);
	Raw raw;
	event e;

	raw.put(8, 4, 7).put(32, 8, 0x3d0f00).put(40, 2, 0);
	sample s = raw.sample(newtask);
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.kind, EVENT_CLONE_FLAGS);
	EXPECT_EQ(e.tid, 101U);
	EXPECT_EQ(e.clone_flags.flags, 0x3d0f00U);
}

TEST(TaskTracepoints, KindOfLock)
{
	Capture c;
	uint32_t setlk = c.add_saved("filelock", "fcntl_setlk");
	Decoder d(c.open(), decode_free);
	Raw raw;
	event e;

	raw.put(56, 1, 1).put(80, 4, 0);
	sample s = raw.sample(setlk);
	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.kind, EVENT_LOCK);
	EXPECT_EQ(e.lock_type, 1U);
}

struct Scheduler {
	Scheduler(bool has_task, bool has_exec)
	{
		fork = c.add_saved("sched", "sched_process_fork");
		exec = c.add_saved("sched", "sched_process_exec");
		exit = c.add_saved("sched", "sched_process_exit");
		c.events[0].attr.task = has_task;
		c.events[0].attr.comm_exec = has_exec;
		d.reset(c.open());
	}

	int read(const Raw &raw, uint32_t index)
	{
		sample s = raw.sample(index);

		return decode_sample(d.get(), &s, false, &e);
	}

	Capture c;
	uint32_t fork, exec, exit;
	Decoder d{nullptr, decode_free};
	event e;
};

Raw exec_sample(const std::string &path)
{
	Raw raw;

	raw.put(8, 4, (path.size() + 1) << 16 | 20).put(12, 4, 101).put(16, 4, 101);
	return raw.add(path).add(1, 0);
}

TEST(TaskTracepoints, TheSchedulerStandsInForRecords)
{
	Scheduler k(false, false);
	Raw fork, exit;

	fork.put(12, 4, 55).put(20, 4, 56);
	ASSERT_EQ(k.read(fork, k.fork), 1);
	EXPECT_EQ(k.e.kind, EVENT_FORK);
	EXPECT_EQ(k.e.pid, 100U);
	EXPECT_EQ(k.e.tid, 55U);
	EXPECT_EQ(k.e.fork.child_pid, 0U);
	EXPECT_EQ(k.e.fork.child_tid, 56U);
	exit.put(24, 4, 58).put(32, 1, 1);
	ASSERT_EQ(k.read(exit, k.exit), 1);
	EXPECT_EQ(k.e.kind, EVENT_EXIT);
	EXPECT_EQ(k.e.pid, 100U);
	EXPECT_EQ(k.e.tid, 58U);
}

TEST(TaskTracepoints, AnExecedProgramGivesItsLastNameCut)
{
	Scheduler k(false, false);
	const struct {
		const char *path, *name;
	} cases[] = {{"/usr/bin/cat", "cat"},
		     {"cat", "cat"},
		     {"./", ""},
		     {"/x/a-name-of-more-than-15", "a-name-of-more-"}};

	for (const auto &p : cases) {
		Raw raw = exec_sample(p.path);

		ASSERT_EQ(k.read(raw, k.exec), 1) << p.path;
		EXPECT_EQ(k.e.kind, EVENT_COMM);
		EXPECT_TRUE(k.e.comm.is_exec);
		EXPECT_EQ(text_of(k.e.comm.name), p.name);
	}
	Raw torn = exec_sample("/usr/bin/cat");

	torn.bytes.pop_back();
	EXPECT_EQ(k.read(torn, k.exec), 0);
	EXPECT_EQ(k.c.count(TALLY_malformed), 1U);
}

TEST(TaskTracepoints, RecordsGoBeforeTheScheduler)
{
	Scheduler task(true, false), exec(false, true);
	Raw raw = exec_sample("/usr/bin/cat");

	raw.bytes.resize(64);
	EXPECT_EQ(task.read(raw, task.fork), 0);
	EXPECT_EQ(task.read(raw, task.exit), 0);
	EXPECT_EQ(task.read(raw, task.exec), 1);
	EXPECT_EQ(exec.read(raw, exec.fork), 1);
	EXPECT_EQ(exec.read(raw, exec.exit), 1);
	EXPECT_EQ(exec.read(raw, exec.exec), 0);
	EXPECT_EQ(exec.read(Raw(1), exec.exec), 0) << "what is not looked at need not be whole";
	EXPECT_EQ(task.c.count(TALLY_ignored), 2U);
	EXPECT_EQ(exec.c.count(TALLY_ignored), 2U);
}

} // namespace
