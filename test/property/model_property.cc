/*
 * Any stream of events gives records that a reader can believe: time does not fall on a location, ENTER and LEAVE
 * nest, operations are paired and their ids unique, handles are used only while they are active in their
 * process, and the books balance.
 */
#include <gtest/gtest.h>

#include "aio_steps.h"

#include <algorithm>
#include <map>
#include <random>
#include <sched.h>
#include <set>

namespace
{

class Checker
{
      public:
	explicit Checker(const ModelDriver &driver) : d(driver)
	{
	}

	/* A reader has the events of all locations in order of time. */
	void check()
	{
		std::vector<io_event> merged = d.events;

		for (const io_event &e : d.events)
			in_order(e);
		std::stable_sort(merged.begin(), merged.end(),
				 [](const io_event &a, const io_event &b) {
					 return a.time < b.time;
				 });
		for (const io_event &e : merged)
			one(e);
		for (const auto &open : depth)
			EXPECT_EQ(open.second, 0) << "regions left open on location " << open.first;
		EXPECT_TRUE(begun.empty());
	}

	size_t requests() const
	{
		return asynchronous.size();
	}

	size_t operations() const
	{
		return ids.size();
	}

      private:
	const ModelDriver &d;
	std::map<uint32_t, uint64_t> last;
	std::map<uint32_t, int> depth;
	std::map<uint64_t, uint32_t> begun;
	std::map<uint64_t, uint32_t> asynchronous; /* where it began */
	std::set<uint64_t> issued;
	std::set<uint64_t> ids;
	std::set<std::pair<uint32_t, uint32_t>> active; /* process, handle */
	std::set<uint32_t> ever;                        /* handles created anywhere */

	uint32_t process(const io_event &e) const
	{
		return trace_thread(d.trace, e.thread)->process;
	}

	bool usable(const io_event &e, uint32_t handle) const
	{
		if (active.count({process(e), handle}) ||
		    trace_handle(d.trace, handle)->is_pre_created)
			return true;
		return process(e) != trace_handle(d.trace, handle)->process && ever.count(handle);
	}

	void create(const io_event &e, uint32_t handle)
	{
		EXPECT_FALSE(active.count({process(e), handle}))
			<< "created while active: " << d.line(e);
		active.insert({process(e), handle});
		ever.insert(handle);
	}

	void in_order(const io_event &e)
	{
		EXPECT_GE(e.time, last[e.thread]) << d.line(e);
		last[e.thread] = e.time;
	}

	void one(const io_event &e)
	{
		if (e.thread == ID_NONE)
			return;
		ASSERT_LT(e.thread, trace_threads(d.trace));
		if (e.handle != ID_NONE) {
			ASSERT_LT(e.handle, trace_handles(d.trace));
		}
		switch (e.kind) {
		case IO_ENTER:
			depth[e.thread]++;
			break;
		case IO_LEAVE:
			EXPECT_GE(--depth[e.thread], 0);
			break;
		case IO_CREATE_HANDLE:
			create(e, e.handle);
			break;
		case IO_DUPLICATE_HANDLE:
			EXPECT_TRUE(usable(e, e.handle)) << d.line(e);
			create(e, e.duplicate.new_handle);
			break;
		case IO_DESTROY_HANDLE:
			EXPECT_TRUE(usable(e, e.handle)) << d.line(e);
			active.erase({process(e), e.handle});
			break;
		case IO_OP_BEGIN:
			if (!e.op.is_non_blocking)
				EXPECT_EQ(depth[e.thread], 1);
			EXPECT_TRUE(ids.insert(e.op.id).second)
				<< "matching id " << e.op.id << " twice";
			begun[e.op.id] = e.handle;
			if (e.op.is_non_blocking)
				asynchronous[e.op.id] = e.thread;
			break;
		case IO_OP_ISSUED:
			ASSERT_TRUE(asynchronous.count(e.op.id));
			EXPECT_EQ(asynchronous[e.op.id], e.thread);
			EXPECT_EQ(begun[e.op.id], e.handle);
			EXPECT_TRUE(issued.insert(e.op.id).second) << "issued twice";
			break;
		case IO_OP_COMPLETE:
		case IO_OP_CANCELLED:
			ASSERT_TRUE(begun.count(e.op.id));
			EXPECT_EQ(begun[e.op.id], e.handle);
			EXPECT_EQ(asynchronous.count(e.op.id), issued.count(e.op.id));
			if (asynchronous.count(e.op.id))
				EXPECT_EQ(asynchronous[e.op.id], e.thread);
			begun.erase(e.op.id);
			break;
		default:
			break;
		}
	}
};

class Storm
{
      public:
	explicit Storm(unsigned seed, bool has_requests = true)
		: random(seed), kinds(has_requests ? 26 : 20)
	{
	}

	void run(ModelDriver &d, int steps)
	{
		begin(d);
		go_on(d, steps);
		d.end();
	}

	static void begin(ModelDriver &d)
	{
		d.fact(FACT_TASK, {10, 10, 1, 0, 0}, {"app", "/app"});
	}

	void go_on(ModelDriver &d, int steps)
	{
		for (int i = 0; i < steps; i++)
			step(d);
	}

      private:
	std::mt19937 random;
	uint64_t kinds;

	uint64_t any(uint64_t n)
	{
		return random() % n;
	}

	/* Few numbers, so that they collide. Process 10 + i has the threads 10 + i and 30 + i. */
	uint32_t pid()
	{
		return (uint32_t)(10 + any(4));
	}
	uint32_t tid(uint32_t pid)
	{
		return any(2) ? pid : pid + 20;
	}

	const char *some_name()
	{
		return call_row((call_id)any(call_count()))->name;
	}

	void some_enter(ModelDriver &d)
	{
		uint32_t p = pid(), t = tid(p);
		const char *name = some_name();

		d.enter(p, t, name, {any(6), any(6), any(6), any(6), any(6), any(6)});
	}

	void some_leave(ModelDriver &d)
	{
		uint32_t p = pid(), t = tid(p);
		const char *name = some_name();

		d.leave(p, t, name, (int64_t)any(8) - 2);
	}

	void some_call(ModelDriver &d)
	{
		static const char *const names[] = {"openat", "close",          "read",
						    "write",  "dup2",           "dup",
						    "execve", "lseek",          "close_range",
						    "fcntl",  "copy_file_range"};
		uint32_t p = pid(), t = tid(p);
		const char *name = names[any(sizeof(names) / sizeof(names[0]))];

		d.enter(p, t, name, {any(6), any(6), any(6), any(6), any(6), any(6)});
		if (any(4))
			d.leave(p, t, name, (int64_t)any(8) - 1);
	}

	void some_pair(ModelDriver &d)
	{
		uint32_t p = pid(), t = tid(p);
		const char *name = some_name();
		int64_t result = (int64_t)any(8) - 1;
		uint64_t begin = d.now - any(20);
		std::vector<uint64_t> args = {any(6), any(6), any(6), any(6), any(6), any(6)};
		Paired more = {{{(int)result, any(2) ? "/a" : "/b"}, {(int)any(6), "pipe:[4]"}},
			       any(2) ? any(20) : EVENT_POSITION_UNKNOWN,
			       {},
			       any(9) == 0};

		d.pair(p, t, name, begin, args, result, more);
	}

	void some_request(ModelDriver &d)
	{
		auto kind = (enum aio_step)any(AIO_STEPS);
		struct aio a = aio_step_of(kind, any(5));
		uint32_t p = pid();

		a.action = (enum aio_action)any(AIO_ACTIONS);
		a.api = (enum aio_api)(any(4) == 0);
		a.flags = (uint32_t)(any(2) ? 0 : any(128));
		a.queue = any(3);
		a.user_data = any(3);
		a.fd = (int32_t)any(8) - 2;
		a.index = (int32_t)any(4) - 1;
		a.offset = any(2) ? 4096 : AIO_UNKNOWN;
		a.result = any(3) ? (int64_t)any(6) : -(int64_t)(any(2) ? ECANCELED : EBADF);
		aio_do(d, p, tid(p), a);
	}

	void some_fork(ModelDriver &d, uint32_t p)
	{
		uint32_t t = tid(p), child = pid(), number = (uint32_t)any(4);

		d.fork(p, t, child, 10 + number + 20 * (uint32_t)any(2));
	}

	void some_file(ModelDriver &d, uint32_t p)
	{
		static const char *const targets[] = {"/a", "/b", "/c/d", "pipe:[4]"};
		uint64_t fd = any(6), target = any(4), flags = any(4), since = d.now - any(4);

		d.fd(p, fd, targets[target], flags, since, any(5) ? 0 : ENOENT);
	}

	void step(ModelDriver &d)
	{
		uint32_t p = pid(), t = tid(p);

		switch (any(kinds)) {
		case 0:
			return some_fork(d, p);
		case 1:
			return d.exit(p, t);
		case 2:
			return d.lost(any(9));
		case 3:
			return d.comm(p, p, "x", any(2));
		case 4:
			return d.clone_flags(p, t, any(2) ? CLONE_FILES : 0);
		case 5:
		case 6:
		case 7:
			return some_file(d, p);
		case 8:
			return some_enter(d);
		case 9:
			return some_leave(d);
		case 20:
		case 21:
		case 22:
		case 23:
		case 24:
		case 25:
			return some_request(d);
		case 10:
			d.now += any(2) ? any(400000000) : 0;
			return;
		case 11:
		case 12:
		case 13:
			return some_pair(d);
		default:
			return some_call(d);
		}
	}
};

TEST(ModelProperty, AnyStreamGivesRecordsThatHold)
{
	size_t operations = 0, requests = 0;

	for (unsigned seed = 0; seed < 300; seed++) {
		ModelDriver d;
		Checker checker(d);

		SCOPED_TRACE("seed " + std::to_string(seed));
		Storm(seed).run(d, 500);
		checker.check();
		EXPECT_EQ(d.unbalanced(), "");
		operations += checker.operations();
		requests += checker.requests();
		if (HasFailure())
			return;
	}
	EXPECT_GT(operations, 1000u) << "the streams did too little to test anything";
	EXPECT_GT(requests, 1000u) << "the streams did too little to test anything";
}

/* Each operation of a thread that began at `since` or later: thread, time, what it was. */
std::multiset<std::string> operations_since(const ModelDriver &d, uint64_t since)
{
	std::multiset<std::string> all;

	for (const io_event &e : d.events)
		if (e.kind == IO_OP_BEGIN && e.time >= since)
			all.insert(std::to_string(trace_thread(d.trace, e.thread)->tid) + " at " +
				   std::to_string(e.time) + ": " + d.path(e.handle) + " " +
				   d.bytes(e.op.bytes) + " @" + d.bytes(e.op.offset));
	return all;
}

/* A model that continues another one says the same as if there had been one only, and what it says holds. */
TEST(ModelProperty, AModelContinuesAnyOther)
{
	size_t operations = 0, names = 0;

	for (unsigned seed = 0; seed < 300; seed++) {
		ModelDriver whole, before, after;
		Checker checker(after);
		Storm storm(seed, false), again(seed, false);
		uint64_t since;

		SCOPED_TRACE("seed " + std::to_string(seed));
		Storm::begin(whole);
		storm.go_on(whole, 300);
		/* A call that began before may overlap a call of its thread, which is not in the second model. */
		since = whole.now += 20;
		storm.go_on(whole, 300);
		whole.end();
		Storm::begin(before);
		again.go_on(before, 300);
		after.at(since);
		model_begin_at(after.model, since);
		model_continue(after.model, before.model, true);
		again.go_on(after, 300);
		after.end();
		before.end();
		checker.check();
		EXPECT_EQ(after.unbalanced(), "");
		const auto have = operations_since(after, since),
			   want = operations_since(whole, since);
		std::vector<std::string> missing, extra;

		std::set_difference(want.begin(), want.end(), have.begin(), have.end(),
				    std::back_inserter(missing));
		std::set_difference(have.begin(), have.end(), want.begin(), want.end(),
				    std::back_inserter(extra));
		EXPECT_EQ(missing, extra); /* both are empty */
		operations += checker.operations();
		for (const std::string &text : have)
			names += text.find(": /") != std::string::npos;
		if (HasFailure())
			return;
	}
	EXPECT_GT(operations, 1000u) << "the streams did too little to test anything";
	EXPECT_GT(names, 500u) << "too few files had names";
}

} /* namespace */
