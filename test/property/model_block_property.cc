/*
 * Random lives of block requests, all mixed, against a plain reference that knows which step belongs to which request.
 *
 * Where the stream tells requests apart (by their keys, or by places that are used once), each operation must say just
 * what happened to its request. Where it cannot (many requests for one place, without keys), numbers and sums must be
 * right. Whatever comes, the books balance and time does not fall.
 */
#include "model_driver.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/sysmacros.h>

namespace
{

const uint32_t sda = makedev(8, 0);

/* What really happened to a request. */
struct Life {
	enum { WAITS, ISSUED, GIVEN_BACK, ENDED, MERGED } state;
	uint64_t key, sector, offset, done;
	uint32_t sectors, size;
	const char *rwbs;
	uint64_t begun, first_issue, last_issue, end;
	int error;
};

struct Rules {
	bool has_keys;
	bool has_places; /* each place is used by one request only */
	bool has_parts;
	bool has_scheduler;
};

class Device
{
      public:
	Device(unsigned seed, Rules rules) : random(seed), rules(rules)
	{
	}

	ModelDriver d;
	std::vector<Life> life;

	void run(int steps, bool is_drained = false)
	{
		for (int i = 0; i < steps; i++)
			one();
		while (is_drained && !in_flight.empty())
			go_on();
		d.end();
	}

	uint64_t count(int state) const
	{
		uint64_t n = 0;

		for (const Life &l : life)
			n += l.state == state;
		return n;
	}

      private:
	std::mt19937 random;
	Rules rules;
	std::vector<size_t> in_flight;
	uint64_t next_place = 0;

	uint64_t any(uint64_t n)
	{
		return random() % n;
	}

	void tell(enum request_step step, const Life &l, uint32_t sectors, int error = 0)
	{
		d.key = l.key;
		d.request(step, sda, l.rwbs, l.sector, sectors, error);
	}

	void begin()
	{
		static const char *const letters[] = {"R", "W", "DS", "NS"};
		Life l = {};

		l.key = rules.has_keys ? 1 + life.size() % 40 : 0;
		for (size_t i : in_flight) /* a key in use belongs to one request */
			if (l.key && life[i].key == l.key)
				return;
		/* Room before and behind, for merges and parts. */
		l.sector = rules.has_places ? 1000 * ++next_place : 1000 * (1 + any(4));
		l.sectors = 8 * (uint32_t)(1 + any(4));
		l.rwbs = letters[any(4)];
		l.begun = d.now;
		in_flight.push_back(life.size());
		if (rules.has_scheduler && any(2))
			tell(REQUEST_INSERT, l, l.sectors);
		else
			issue(l);
		life.push_back(l);
	}

	void issue(Life &l)
	{
		l.state = Life::ISSUED;
		l.last_issue = d.now;
		if (!l.first_issue) {
			l.first_issue = d.now;
			l.offset = l.sector;
			l.size = l.sectors;
		}
		tell(REQUEST_ISSUE, l, l.sectors);
	}

	void grow(Life &l)
	{
		if (l.key || l.sector % 1000 > 500 || l.sector < 100)
			l.sectors += 8; /* behind: only the issue says so */
		else if (any(2))
			l.sectors += 8;
		else
			grow_in_front(l);
	}

	void grow_in_front(Life &l)
	{
		struct event e = d.step(REQUEST_BIO_MERGE, sda, l.rwbs, l.sector - 8, 8);

		e.request.old_sector = l.sector;
		model_event(d.model, &e);
		l.sector -= 8;
		l.sectors += 8;
	}

	void wait_on(Life &l)
	{
		switch (any(5)) {
		case 0:
			/* At one place it could be any that waits, also one that was given back. */
			if (!rules.has_places && !rules.has_keys)
				return;
			l.state = Life::MERGED;
			return tell(REQUEST_MERGE, l, l.sectors);
		case 1:
			if (rules.has_places || rules.has_keys)
				grow(l);
			return;
		default:
			return issue(l);
		}
	}

	void part(Life &l)
	{
		tell(REQUEST_COMPLETE, l, 4);
		l.done += 4 * 512;
		l.sector += 4;
		l.sectors -= 4;
	}

	void give_back(Life &l)
	{
		l.state = Life::GIVEN_BACK;
		tell(REQUEST_REQUEUE, l, l.sectors);
	}

	void serve(Life &l)
	{
		switch (any(6)) {
		case 0:
			return give_back(l);
		case 1:
			if (rules.has_parts && l.sectors > 4) {
				part(l);
				give_back(l);
			}
			return;
		default:
			l.state = Life::ENDED;
			l.end = d.now;
			l.error = any(8) ? 0 : EIO;
			l.done += l.error ? 0 : l.sectors * 512;
			tell(REQUEST_COMPLETE, l, l.sectors, l.error);
		}
	}

	void again(Life &l)
	{
		if (any(2))
			tell(REQUEST_INSERT, l, l.sectors);
		issue(l);
	}

	void go_on()
	{
		size_t at = any(in_flight.size());
		Life &l = life[in_flight[at]];

		if (l.state == Life::WAITS)
			wait_on(l);
		else if (l.state == Life::ISSUED)
			serve(l);
		else
			again(l);
		if (l.state == Life::ENDED || l.state == Life::MERGED)
			in_flight.erase(in_flight.begin() + (long)at);
	}

	/* What is no operation: a flush's second end, an error that its completion told already. */
	void noise()
	{
		d.key = 0;
		if (any(2))
			d.request(REQUEST_COMPLETE, sda, "WS", 1000 * any(5), 0);
		else
			d.request(REQUEST_ERROR, sda, "R", 1000, 8, EIO);
	}

	void one()
	{
		if (!any(20))
			noise();
		else if (in_flight.empty() || (in_flight.size() < 30 && !any(3)))
			begin();
		else
			go_on();
	}
};

/* Operations of the archive, by the time of their begin. */
struct Operation {
	uint64_t bytes, offset, issued, ended, done, begun, last_issue;
	int error;
	bool is_cancelled;
};

std::map<uint64_t, Operation> operations(const ModelDriver &d)
{
	std::map<uint64_t, uint64_t> begin_of; /* id */
	std::map<uint64_t, Operation> all;
	uint64_t reached = 0;

	for (const io_event &e : d.events) {
		EXPECT_NE(e.kind, IO_LOST);
		if (e.kind == IO_METRIC)
			continue;
		EXPECT_GE(e.time, reached);
		reached = e.time;
		if (e.kind == IO_OP_BEGIN) {
			EXPECT_TRUE(begin_of.emplace(e.op.id, e.time).second);
			all[e.time] = {e.op.bytes, e.op.offset, 0, 0, 0, 0, 0, 0, false};
			continue;
		}
		EXPECT_EQ(begin_of.count(e.op.id), 1u);
		Operation &o = all[begin_of[e.op.id]];

		EXPECT_EQ(o.ended, 0u);
		if (e.kind == IO_OP_ISSUED) {
			EXPECT_EQ(o.issued, 0u);
			o.issued = e.time;
			continue;
		}
		EXPECT_NE(o.issued, 0u);
		o.ended = e.time;
		o.is_cancelled = e.kind == IO_OP_CANCELLED;
		o.done = e.op.bytes;
		o.error = e.op.error;
		o.begun = e.op.begun;
		o.last_issue = e.op.issued;
	}
	return all;
}

void expect_same(const Life &l, const Operation &o)
{
	if (l.first_issue) {
		EXPECT_EQ(o.bytes, l.size * 512u);
		EXPECT_EQ(o.offset, l.offset * 512u);
		EXPECT_EQ(o.issued, l.first_issue);
	}
	EXPECT_EQ(o.is_cancelled, l.state != Life::ENDED);
	if (o.is_cancelled)
		return;
	EXPECT_EQ(o.ended, l.end);
	EXPECT_EQ(o.begun, l.begun);
	EXPECT_EQ(o.last_issue, l.last_issue);
	EXPECT_EQ(o.error, l.error);
	EXPECT_EQ(o.done, l.error && !l.done ? IO_BYTES_UNDEFINED : l.done);
}

void expect_counts(const Device &device)
{
	const ModelDriver &d = device.d;
	uint64_t begun = device.life.size() - device.count(Life::MERGED);

	EXPECT_EQ(d.unbalanced(), "");
	EXPECT_EQ(tally_get(&d.tally, begun), begun);
	EXPECT_EQ(tally_get(&d.tally, completed), device.count(Life::ENDED));
	EXPECT_EQ(tally_get(&d.tally, in_flight), begun - device.count(Life::ENDED));
	EXPECT_EQ(tally_get(&d.tally, cancelled), 0u);
	EXPECT_EQ(tally_get(&d.tally, requests_orphan), 0u);
	EXPECT_EQ(tally_get(&d.tally, requests_merged), device.count(Life::MERGED));
}

void expect_exact(Rules rules)
{
	uint64_t ended = 0;

	for (unsigned seed = 0; seed < 100; seed++) {
		Device device(seed, rules);

		SCOPED_TRACE("seed " + std::to_string(seed));
		device.run(600);
		expect_counts(device);
		std::map<uint64_t, Operation> all = operations(device.d);

		for (const Life &l : device.life) {
			if (l.state == Life::MERGED) {
				EXPECT_EQ(all.count(l.begun), 0u);
				continue;
			}
			ASSERT_EQ(all.count(l.begun), 1u);
			expect_same(l, all[l.begun]);
		}
		ended += device.count(Life::ENDED);
		if (::testing::Test::HasFailure())
			return;
	}
	EXPECT_GT(ended, 5000u) << "the streams did too little to test anything";
}

TEST(BlockProperty, ByKeyEachOperationIsItsRequest)
{
	expect_exact({true, false, true, true});
	expect_exact({true, false, true, false});
}

TEST(BlockProperty, ByPlaceEachOperationIsItsRequest)
{
	expect_exact({false, true, true, true});
	expect_exact({false, true, true, false});
}

TEST(BlockProperty, AtOnePlaceTheSumsAreRight)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		Device device(seed, {false, false, false, seed % 2 == 0});
		uint64_t bytes = 0, done = 0;

		SCOPED_TRACE("seed " + std::to_string(seed));
		device.run(600, true);
		expect_counts(device);
		for (const auto &o : operations(device.d))
			if (!o.second.is_cancelled && o.second.done != IO_BYTES_UNDEFINED)
				bytes += o.second.done;
		for (const Life &l : device.life)
			if (l.state == Life::ENDED)
				done += l.done;
		EXPECT_EQ(bytes, done);
		if (HasFailure())
			return;
	}
}

} // namespace
