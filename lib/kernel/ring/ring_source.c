/* ring_source: calls all sources one after the other. */
#include "ring_source.h"

#include <assert.h>
#include <errno.h>
#include <iotrace/error.h>
#include <sys/epoll.h>
#include <unistd.h>

void ring_sources_init(struct ring_sources *sources)
{
	*sources = (struct ring_sources){.wake_fd = -1};
}

void ring_sources_add(struct ring_sources *sources, const struct ring_source_ops *ops, void *self)
{
	assert(sources->count < RING_SOURCES_MAX);
	sources->source[sources->count++] = (struct ring_source){ops, self};
}

int ring_sources_open(struct ring_sources *sources, struct error *err)
{
	int code = 0;

	sources->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (sources->wake_fd < 0)
		return error_set(err, errno, "epoll_create1");
	for (uint32_t i = 0; i < sources->count && !code; i++)
		code = sources->source[i].ops->open(sources->source[i].self, err);
	return code;
}

/* One wake-up after each round is enough, so epoll is edge-triggered. */
int ring_sources_watch(struct ring_sources *sources, int fd, struct error *err)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	if (fd >= 0 && epoll_ctl(sources->wake_fd, EPOLL_CTL_ADD, fd, &event))
		return error_set(err, errno, "epoll_ctl");
	return 0;
}

/* The end of a thread also wakes, but is no reason for a round. */
void ring_sources_take_wakes(struct ring_sources *sources)
{
	struct epoll_event event[16];
	int count = epoll_wait(sources->wake_fd, event, 16, 0);

	for (int i = 0; i < count; i++)
		sources->is_woken |= event[i].events & EPOLLIN;
}

bool ring_sources_are_due(const struct ring_sources *sources)
{
	bool is_due = sources->is_woken;

	for (uint32_t i = 0; i < sources->count && !is_due; i++) {
		const struct ring_source *source = &sources->source[i];

		is_due = source->ops->is_due && source->ops->is_due(source->self);
	}
	return is_due;
}

void ring_sources_head(struct ring_sources *sources)
{
	sources->is_woken = false;
	for (uint32_t i = 0; i < sources->count; i++)
		sources->source[i].ops->head(sources->source[i].self);
}

uint64_t ring_sources_move(struct ring_sources *sources)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < sources->count; i++)
		moved += sources->source[i].ops->move(sources->source[i].self);
	return moved;
}

bool ring_sources_are_held(const struct ring_sources *sources)
{
	bool is_held = false;

	for (uint32_t i = 0; i < sources->count && !is_held; i++) {
		const struct ring_source *source = &sources->source[i];

		is_held = source->ops->is_held && source->ops->is_held(source->self);
	}
	return is_held;
}

void ring_sources_stop(struct ring_sources *sources)
{
	for (uint32_t i = sources->count; i-- > 0;)
		sources->source[i].ops->stop(sources->source[i].self);
}

bool ring_sources_have_all(const struct ring_sources *sources)
{
	bool has_all = !ring_sources_are_held(sources);

	for (uint32_t i = 0; i < sources->count && has_all; i++) {
		const struct ring_source *source = &sources->source[i];

		has_all = !source->ops->has_all || source->ops->has_all(source->self);
	}
	return has_all;
}

void ring_sources_put_rest(struct ring_sources *sources)
{
	for (uint32_t i = 0; i < sources->count; i++)
		if (sources->source[i].ops->put_rest)
			sources->source[i].ops->put_rest(sources->source[i].self);
}

void ring_sources_lost(struct ring_sources *sources)
{
	for (uint32_t i = 0; i < sources->count; i++)
		sources->source[i].ops->lost(sources->source[i].self);
}

void ring_sources_close(struct ring_sources *sources)
{
	while (sources->count) {
		struct ring_source *source = &sources->source[--sources->count];

		source->ops->close(source->self);
	}
	if (sources->wake_fd >= 0)
		close(sources->wake_fd);
	sources->wake_fd = -1;
}
