/* window: see window.h. The distance of two marks is a share of the window, so there are only a few of them. */
#include "window.h"

enum { SHARES = WINDOW_MARKS / 4 };

static const uint64_t wait_ns = 10000000000;

void window_init(struct window *window, uint64_t ns, uint64_t bytes)
{
	*window = (struct window){.ns = ns, .bytes = bytes};
}

static struct window_mark *mark_at(struct window *window, uint32_t index)
{
	return &window->mark[(window->first + index) % WINDOW_MARKS];
}

/* A mark that is near the one before it takes its place: then its part is released later, but never too early. */
static bool is_near(struct window *window, uint64_t end, uint64_t time)
{
	const struct window_mark *before;

	if (window->marks < 2)
		return false;
	before = mark_at(window, window->marks - 2);
	return time - before->time < window->ns / SHARES &&
	       end - before->end < window->bytes / SHARES;
}

static void drop_first(struct window *window)
{
	window->released = mark_at(window, 0)->end;
	window->first = (window->first + 1) % WINDOW_MARKS;
	window->marks--;
}

void window_add(struct window *window, uint64_t end, uint64_t time)
{
	window->end = end;
	if (is_near(window, end, time))
		window->marks--;
	if (window->marks == WINDOW_MARKS)
		drop_first(window);
	*mark_at(window, window->marks++) = (struct window_mark){end, time};
}

uint64_t window_release(struct window *window, uint64_t now, uint64_t kept)
{
	while (window->marks) {
		const struct window_mark *first = mark_at(window, 0);
		bool is_old = first->time + window->ns <= now;

		if (!is_old && window->end - kept <= window->bytes)
			break;
		window->is_short = !is_old;
		drop_first(window);
		if (!is_old)
			break;
	}
	return window->released;
}

bool window_has_read(const struct window *window, struct window_wait *wait, uint64_t end,
		     uint64_t now)
{
	if (!wait->last)
		*wait = (struct window_wait){end, now + wait_ns};
	return window->end >= wait->end || now >= wait->last;
}
