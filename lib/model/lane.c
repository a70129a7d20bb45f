/*
 * lane: io_events that happen beside the system calls of their location. See lane.h.
 */
#include "lane.h"

#include "aio_op.h"
#include "fdtable.h"
#include "settle.h"

#include <stdlib.h>

struct lane {
	struct waiting *at; /* a ring of a power of two */
	uint32_t head, count, capacity;
	uint64_t floor; /* time of the last that left without a record of a call after it */
	bool is_straight;
};

static struct lane *lane_of(struct model *m, thread_id location)
{
	MEM_GROW(m->lane, m->lane_cap, location + 1);
	return &m->lane[location];
}

static void lane_grow(struct lane *lane)
{
	uint32_t capacity = lane->capacity ? 2 * lane->capacity : 16;
	struct waiting *at = mem_array(capacity, sizeof(*at));

	for (uint32_t i = 0; i < lane->count; i++)
		at[i] = lane->at[(lane->head + i) & (lane->capacity - 1)];
	free(lane->at);
	lane->at = at;
	lane->head = 0;
	lane->capacity = capacity;
}

static void lane_take(struct model *m, struct lane *lane)
{
	struct waiting w = lane->at[lane->head];

	lane->head = (lane->head + 1) & (lane->capacity - 1);
	lane->count--;
	m->in_lanes--;
	settle_put(m, &w);
	open_drop(m, w.open);
	aio_drop(m, w.aio);
}

/* Lets the first leave though no record came after it. */
static void lane_hurry(struct model *m, struct lane *lane)
{
	lane->floor = lane->at[lane->head].event.time;
	lane_take(m, lane);
}

static struct waiting *lane_at(struct lane *lane, uint32_t index)
{
	return &lane->at[(lane->head + index) & (lane->capacity - 1)];
}

/* Nearly always it is the last. */
static void lane_insert(struct lane *lane, const struct waiting *w)
{
	uint32_t index = lane->count++;

	for (; index && lane_at(lane, index - 1)->event.time > w->event.time; index--)
		*lane_at(lane, index) = *lane_at(lane, index - 1);
	*lane_at(lane, index) = *w;
}

uint64_t lane_earliest(const struct model *m, thread_id location, uint64_t time)
{
	uint64_t floor = location < m->lane_cap ? m->lane[location].floor : 0;
	uint64_t reached = location < m->reached_cap ? m->reached[location] : 0;

	floor = floor > reached ? floor : reached;
	return time > floor ? time : floor;
}

void lane_put(struct model *m, const struct io_event *event, uint32_t open, uint32_t aio)
{
	struct lane *lane = lane_of(m, event->thread);
	struct waiting w = {*event, open, ID_NONE, aio};

	if (lane->is_straight) {
		lane->floor = event->time;
		settle_put(m, &w);
		return;
	}
	if (lane->count == LANE_LIMIT)
		lane_hurry(m, lane);
	if (w.event.time < lane->floor) /* of what has left just now */
		w.event.time = lane->floor;
	if (lane->count == lane->capacity)
		lane_grow(lane);
	lane_insert(lane, &w);
	m->in_lanes++;
	open_hold(m, open);
	aio_hold(m, aio);
}

void lane_pass(struct model *m, struct io_event *event)
{
	if (event->thread >= m->lane_cap)
		return;
	struct lane *lane = &m->lane[event->thread];

	while (lane->count && lane->at[lane->head].event.time <= event->time)
		lane_take(m, lane);
	if (event->time < lane->floor) {
		event->time = lane->floor;
		tally_add(m->tally, late, 1);
	}
}

static void lane_empty(struct model *m, struct lane *lane)
{
	while (lane->count)
		lane_hurry(m, lane);
	free(lane->at);
	lane->at = NULL;
	lane->capacity = lane->head = 0;
}

void lane_set_straight(struct model *m, thread_id location, bool is_straight)
{
	struct lane *lane = lane_of(m, location);

	if (is_straight)
		lane_empty(m, lane);
	lane->is_straight = is_straight;
}

void lane_end_all(struct model *m)
{
	for (uint32_t i = 0; i < m->lane_cap; i++)
		lane_empty(m, &m->lane[i]);
}

void lane_release(struct model *m)
{
	for (uint32_t i = 0; i < m->lane_cap; i++)
		free(m->lane[i].at);
	free(m->lane);
}
