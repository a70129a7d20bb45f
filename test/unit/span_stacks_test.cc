/*
 * From where spans began: call chains and mappings as the kernel says them, and the leaks of one stack as one group.
 */
#include "span_driver.h"

#include <iotrace/leaks.h>

namespace
{

const uint64_t in_kernel = static_cast<uint64_t>(-128), in_user = static_cast<uint64_t>(-512);

class Stacks : public ::testing::Test
{
      protected:
	SpanDriver d{{"s: a:begin -> a:end by id"}};

	Stacks()
	{
		span_engine_use_stacks(d.engine);
		d.define("a:begin", {"id"});
		d.define("a:end", {"id"});
		maps(1, 0x1000, 0x1000, 0x400, "/bin/app");
		maps(1, 0x7000, 0x1000, 0, "/lib/libc");
	}
	void maps(uint32_t pid, uint64_t begin, uint64_t length, uint64_t offset, const char *file)
	{
		const struct decode_mapping mapping = {
			pid, begin, length, offset, {file, static_cast<uint32_t>(strlen(file))}};

		span_engine_mapping(d.engine, &mapping);
	}
	void begin(uint64_t id, const std::vector<uint64_t> &chain, uint32_t pid = 1)
	{
		struct event event = {};

		event.kind = EVENT_TRACEPOINT;
		event.time = ++time;
		event.pid = event.tid = pid;
		event.tracepoint.event = d.index("a:begin");
		event.tracepoint.numbers = 1;
		event.tracepoint.number[0] = id;
		event.tracepoint.callers = static_cast<uint32_t>(chain.size());
		event.tracepoint.caller = reinterpret_cast<const uint8_t *>(chain.data());
		span_engine_tracepoint(d.engine, &event);
	}
	void happens(enum event_kind kind, uint32_t pid, uint32_t child = 0)
	{
		struct event event = {};

		event.kind = kind;
		event.time = ++time;
		event.pid = event.tid = pid;
		if (kind == EVENT_FORK)
			event.fork.child_pid = event.fork.child_tid = child;
		if (kind == EVENT_COMM)
			event.comm.is_exec = true;
		span_engine_event(d.engine, &event);
	}
	/* "FILE+OFFSET" of each frame, the innermost first; '<' is behind a call. */
	std::string stack(const struct span_seen &seen)
	{
		const struct span_frame *frame;
		std::string text;

		for (uint32_t i = 0; (frame = span_engine_frame(d.engine, seen.stack, i)); i++) {
			char one[128];

			snprintf(one, sizeof(one), "%s%s+%llx%s", i ? " " : "",
				 frame->is_kernel ? "kernel" : span_engine_file(d.engine, frame),
				 static_cast<unsigned long long>(frame->offset),
				 frame->is_return ? "<" : "");
			text += one;
		}
		return text;
	}
	std::map<uint64_t, std::string> all()
	{
		std::map<uint64_t, std::string> found;

		span_engine_end(d.engine);
		for (const struct span_seen &seen : d.seen)
			found[seen.key[0]] = stack(seen);
		return found;
	}

	uint64_t time = 0;
};

TEST_F(Stacks, HaveFilesAndOffsets)
{
	begin(1, {in_kernel, 0xffff1, 0xffff2, in_user, 0x7010, 0x1020});
	begin(2, {in_user, 0x1030});
	begin(3, {});
	auto found = all();
	EXPECT_EQ(found[1], "kernel+ffff1 kernel+ffff2< /lib/libc+10 /bin/app+420<");
	EXPECT_EQ(found[2], "/bin/app+430");
	EXPECT_EQ(found[3], "");
}

TEST_F(Stacks, EndWhereThereIsNoCode)
{
	begin(1, {in_user, 0x1020, 0x6374652f00647773, 0x1030});
	begin(2, {in_user, 0x1020}, 9); /* nothing is known of process 9 */
	begin(3, {static_cast<uint64_t>(-2048), 0x1020, in_user, 0x1020}); /* of a guest */
	auto found = all();
	EXPECT_EQ(found[1], "/bin/app+420");
	EXPECT_EQ(found[2], "+1020");
	EXPECT_EQ(found[3], "/bin/app+420");
}

TEST_F(Stacks, AreTheSameInProcessesOfTheSameProgram)
{
	maps(2, 0x51000, 0x1000, 0x400, "/bin/app");
	begin(1, {in_user, 0x1020});
	begin(2, {in_user, 0x51020}, 2);
	begin(3, {in_user, 0x1020});
	begin(4, {in_user, 0x1021});
	span_engine_end(d.engine);
	ASSERT_EQ(d.seen.size(), 4U);
	std::map<uint64_t, uint32_t> id;
	for (const struct span_seen &seen : d.seen)
		id[seen.key[0]] = seen.stack;
	EXPECT_EQ(id[1], id[2]);
	EXPECT_EQ(id[1], id[3]);
	EXPECT_NE(id[1], id[4]);
}

TEST_F(Stacks, FollowForkExecAndNewMappings)
{
	happens(EVENT_FORK, 1, 2);
	begin(1, {in_user, 0x1020}, 2);
	happens(EVENT_COMM, 2); /* exec */
	maps(2, 0x1000, 0x1000, 0, "/bin/other");
	begin(2, {in_user, 0x1020}, 2);
	begin(3, {in_user, 0x1020}, 1);
	maps(1, 0x1000, 0x800, 0, "/lib/plugin"); /* over it */
	begin(4, {in_user, 0x1020}, 1);
	happens(EVENT_EXIT, 1);
	maps(1, 0x1000, 0x1000, 0, "/bin/again");
	begin(5, {in_user, 0x1020}, 1);
	auto found = all();
	EXPECT_EQ(found[1], "/bin/app+420");
	EXPECT_EQ(found[2], "/bin/other+20");
	EXPECT_EQ(found[3], "/bin/app+420");
	EXPECT_EQ(found[4], "/lib/plugin+20");
	EXPECT_EQ(found[5], "/bin/again+20");
}

TEST_F(Stacks, OfAFactAreAsThoseOfARecord)
{
	struct event event = {};

	event.kind = EVENT_FACT;
	event.fact.kind = FACT_CODE;
	event.fact.number[FACT_CODE_pid] = 5;
	event.fact.number[FACT_CODE_begin] = 0x2000;
	event.fact.number[FACT_CODE_length] = 0x1000;
	event.fact.number[FACT_CODE_offset] = 0x100;
	event.fact.string[FACT_CODE_file] = {"/bin/old", 8};
	span_engine_event(d.engine, &event);
	begin(1, {in_user, 0x2004}, 5);
	EXPECT_EQ(all()[1], "/bin/old+104");
}

TEST_F(Stacks, GroupLeaks)
{
	struct leaks leaks = {};

	begin(1, {in_user, 0x1020});
	begin(2, {in_user, 0x1030});
	begin(3, {in_user, 0x1020});
	span_engine_end(d.engine);
	for (const struct span_seen &seen : d.seen)
		leaks_seen(&leaks, &seen);
	leaks_sort(&leaks);
	ASSERT_EQ(leaks.groups, 2U);
	EXPECT_EQ(leaks.group[0].count, 2U);
	EXPECT_EQ(leaks.group[1].count, 1U);
	leaks_merge_stacks(
		&leaks, [](void *, uint32_t) { return 1U; }, nullptr);
	leaks_sort(&leaks);
	ASSERT_EQ(leaks.groups, 1U);
	EXPECT_EQ(leaks.group[0].count, 3U);
	leaks_release(&leaks);
}

TEST(StacksOfReturns, AreBehindTheCall)
{
	SpanDriver d{{"s: a:begin -> a:end by id"}, [](struct span *span) {
			     span->side[SPAN_BEGIN].is_return = true;
		     }};
	const uint64_t chain[] = {in_user, 0x1020};
	struct event event = {};

	span_engine_use_stacks(d.engine);
	d.define("a:begin", {"id"});
	event.kind = EVENT_TRACEPOINT;
	event.time = event.pid = event.tid = 1;
	event.tracepoint.event = d.index("a:begin");
	event.tracepoint.callers = 2;
	event.tracepoint.caller = reinterpret_cast<const uint8_t *>(chain);
	span_engine_tracepoint(d.engine, &event);
	span_engine_end(d.engine);
	ASSERT_EQ(d.seen.size(), 1U);
	const struct span_frame *frame = span_engine_frame(d.engine, d.seen[0].stack, 0);
	ASSERT_NE(frame, nullptr);
	EXPECT_TRUE(frame->is_return);
}

} // namespace
