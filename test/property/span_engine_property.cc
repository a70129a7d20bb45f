/*
 * Random begins, ends, cancels and exits: the engine says the same as a model that keeps everything in a map, and its books
 * balance after each step.
 */
#include "span_driver.h"

#include <algorithm>
#include <csignal>
#include <iotrace/latency.h>
#include <random>
#include <tuple>

namespace
{

struct Naive {
	struct Open {
		uint64_t begin, left;
		uint32_t pid;
	};
	std::map<std::pair<uint64_t, uint64_t>, Open> open;
	std::vector<std::tuple<uint64_t, uint64_t, uint64_t, enum span_fate, uint64_t>> seen;
	uint64_t begun = 0, alone = 0;

	/* It will not end any more. */
	void give_up(std::pair<uint64_t, uint64_t> key, enum span_fate fate, uint64_t time)
	{
		uint64_t left = open.at(key).left;

		finish(key, left ? SPAN_LEFT : fate, left ? left : time);
	}

	void finish(std::pair<uint64_t, uint64_t> key, enum span_fate fate, uint64_t time)
	{
		const Open &o = open.at(key);

		seen.emplace_back(key.first, key.second, o.begin, fate, time);
		open.erase(key);
	}
};

class Random
{
      public:
	SpanDriver d{{"s: a:b -> a:e by dev,id cancel a:c by dev,id",
		      "r: a:b -> a:e by dev,id cancel a:r by dev"}};
	Naive naive;
	std::mt19937_64 random;

	explicit Random(uint64_t seed) : random(seed)
	{
		d.define("a:b", {"dev", "id"});
		d.define("a:e", {"dev", "id"});
		d.define("a:c", {"dev", "id"});
		d.define("a:r", {"dev"});
	}

	void step(uint64_t time)
	{
		std::pair<uint64_t, uint64_t> key{random() % 3, random() % 8};
		uint32_t pid = 1 + static_cast<uint32_t>(random() % 4);
		bool is_open = naive.open.count(key);

		switch (random() % 8) {
		case 0:
		case 1:
		case 2:
			d.happens(time, "a:b", {key.first, key.second}, pid, pid);
			if (is_open)
				naive.give_up(key, SPAN_BEGUN_AGAIN, time);
			naive.begun++;
			naive.open[key] = {time, 0, pid};
			break;
		case 3:
		case 4:
		case 5:
			d.happens(time, "a:e", {key.first, key.second}, pid, pid);
			if (is_open)
				naive.finish(key, SPAN_ENDED, time);
			else
				naive.alone++;
			break;
		case 6:
			d.happens(time, "a:c", {key.first, key.second}, pid, pid);
			if (is_open)
				naive.finish(key, SPAN_CANCELLED, time);
			break;
		default:
			if (random() % 4)
				break;
			d.exits(time, pid, 0);
			for (auto &[ignored, open] : naive.open)
				if (open.pid == pid && !open.left)
					open.left = time;
		}
	}

	void compare(uint64_t last)
	{
		std::vector<std::tuple<uint64_t, uint64_t, uint64_t, enum span_fate, uint64_t>> got;

		span_engine_end(d.engine);
		while (!naive.open.empty())
			naive.give_up(naive.open.begin()->first, SPAN_OPEN, last);
		for (const struct span_seen &s : d.seen)
			if (!s.span)
				got.emplace_back(s.key[0], s.key[1], s.begin, s.fate, s.end);
		std::sort(got.begin(), got.end());
		std::sort(naive.seen.begin(), naive.seen.end());
		EXPECT_EQ(got, naive.seen);
		EXPECT_EQ(d.books().begun, naive.begun);
		EXPECT_EQ(d.books().ends_without_begin, naive.alone);
		expect_balance(d.books(0));
		expect_balance(d.books(1));
	}
};

TEST(EngineProperty, SaysTheSameAsANaiveModel)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		Random r(seed);
		uint64_t time = 1;

		for (int i = 0; i < 300; i++)
			r.step(time += 1 + r.random() % 3);
		r.compare(span_engine_last(r.d.engine));
		if (::testing::Test::HasFailure()) {
			ADD_FAILURE() << "seed " << seed;
			return;
		}
	}
}

} // namespace
