/*
 * Bytes become a stream of events. Whatever they say, the model must end with balanced books.
 *
 * An event is one byte that chooses the kind and some bytes of small numbers, so that descriptors, threads and
 * processes collide.
 */
#include "model_driver.h"

#include <cstdlib>

namespace
{

class Input
{
      public:
	Input(const uint8_t *data, size_t size) : at(data), left(size)
	{
	}

	bool empty() const
	{
		return !left;
	}

	uint8_t byte()
	{
		if (!left)
			return 0;
		left--;
		return *at++;
	}

      private:
	const uint8_t *at;
	size_t left;
};

/* Few places and keys, so that they collide; all steps and kinds. */
void block_step(ModelDriver &d, Input &in)
{
	uint8_t step = in.byte(), type = in.byte(), place = in.byte(), size = in.byte();
	struct event e = d.step((enum request_step)(step % REQUEST_STEPS), 8U + place % 3, "WFS",
				type % 8 ? place / 3 % 8 : UINT64_MAX, size % 4);

	e.request.type = (enum request_kind)(type % REQUEST_KINDS);
	e.request.old_dev = 8U + place % 2;
	e.request.old_sector = size % 8;
	e.request.key = step / REQUEST_STEPS % 4;
	e.request.error = size > 250;
	e.request.inode = e.request.inode_dev = type / 16;
	if (type > 250)
		e.request.name = {"kworker/0:1", 11};
	d.now += size > 240 ? (uint64_t)size << 28 : 0;
	model_event(d.model, &e);
}

void step(ModelDriver &d, Input &in)
{
	static const char *const targets[] = {"/a", "/b/c", "pipe:[4]", "/memfd:x", ""};
	uint8_t kind = in.byte();

	if (kind >= 0xc0)
		return block_step(d, in);
	uint32_t pid = 10 + in.byte() % 4, tid = pid + 20 * (in.byte() % 2);
	uint64_t a = in.byte(), b = in.byte(), c = in.byte();
	const char *name = call_row((call_id)(a % call_count()))->name;

	switch (kind % 13) {
	case 0:
	case 1:
		return d.enter(pid, tid, name, {b % 8, c, b, c % 8, a, c},
			       {b % 3 ? "x/y" : "/z", "../q"});
	case 2:
	case 3:
		return d.leave(pid, tid, name, (int64_t)b % 16 - 4,
			       std::vector<uint64_t>(c % 3, b));
	case 4:
		return d.fork(pid, tid, 10 + (uint32_t)a % 4, 10 + (uint32_t)b % 44);
	case 5:
		return d.exit(pid, tid);
	case 6:
		return d.comm(pid, tid, "name", a % 2);
	case 7:
		return d.clone_flags(pid, tid, a << 3);
	case 8:
		return d.lost(a);
	case 9:
		return d.fd(pid, a % 8, targets[b % 5], c % 5, d.now - b, c / 5 % 3, a << 8);
	case 10:
		return d.fact((enum fact_kind)(1 + a % (FACT_KINDS - 1)), {pid, tid, b, c, a},
			      {"/p", "/q", "r"});
	case 12:
		return d.pair(pid, tid, name, d.now - (b & c), {b % 8, c % 8, b, c, a, b},
			      (int64_t)(c % 16) - 4,
			      {{{(int)(c % 16) - 4, targets[b % 5]}, {(int)b % 8, targets[c % 5]}},
			       a % 2 ? c : EVENT_POSITION_UNKNOWN,
			       {b % 3 ? "x/y" : "/z", "../q"},
			       kind >= 240});
	default:
		d.now += a << (b % 24);
		return d.lock(pid, tid, (uint32_t)c % 4);
	}
}

} /* namespace */

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ModelDriver d;
	Input in(data, size);

	while (!in.empty())
		step(d, in);
	d.end();
	if (!d.unbalanced().empty())
		abort();
	return 0;
}
