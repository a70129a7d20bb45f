/*
 * overlap: events of a capture that tell the same.
 *
 * A user of perf record can name an event twice, or both the tracepoint of all calls (raw_syscalls) and those of single calls (syscalls).
 * Then each call would count twice. Of two equal events the first is read; of a call the tracepoint of its own, which has more fields.
 * Captures of iotrace have no such events.
 */
#include "state.h"

#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_same(const struct tracepoint *a, const struct tracepoint *b)
{
	return a->row && a->row == b->row && a->call == b->call;
}

static bool is_repeated(const struct decode *d, uint32_t reader)
{
	for (uint32_t i = 0; i < reader; i++)
		if (is_same(&d->reader[i].tp, &d->reader[reader].tp))
			return true;
	return false;
}

static uint32_t drop_repeated(struct decode *d)
{
	uint32_t dropped = 0;

	for (uint32_t i = 1; i < d->readers; i++) {
		if (!is_repeated(d, i))
			continue;
		d->reader[i].decode = reader_ignore;
		d->reader[i].tp = (struct tracepoint){0};
		dropped++;
	}
	return dropped;
}

static bool has(const struct decode *d, tracepoint_decoder decode)
{
	for (uint32_t i = 0; i < d->readers; i++)
		if (d->reader[i].decode == decode)
			return true;
	return false;
}

/* Marks the calls that have a tracepoint of their own, beside the one of all calls. Returns their number. */
static uint32_t mark_own(struct decode *d, tracepoint_decoder all, tracepoint_decoder own,
			 uint8_t side)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; has(d, all) && i < d->readers; i++) {
		if (d->reader[i].decode != own)
			continue;
		if (!d->has_own)
			d->has_own = (uint8_t *)mem_array(call_count(), 1);
		d->has_own[d->reader[i].tp.call] |= side;
		marked++;
	}
	return marked;
}

void overlap_find(struct decode *d)
{
	uint32_t repeated = drop_repeated(d);
	uint32_t own = mark_own(d, decode_raw_enter, decode_call_enter, OWN_ENTER) +
		       mark_own(d, decode_raw_exit, decode_call_exit, OWN_EXIT);

	if (repeated)
		warning_add(d, mem_format("The capture has %u of its events twice. The second one "
					  "of each is not read.",
					  repeated));
	if (own)
		warning_add(d, mem_format("The capture has system calls twice, by raw_syscalls and "
					  "by syscalls. Each of them is read once."));
}

bool overlap_has(const struct decode *d, const struct reader *reader, const struct event *event)
{
	return (reader->decode == decode_raw_enter && d->has_own[event->enter.call] & OWN_ENTER) ||
	       (reader->decode == decode_raw_exit && d->has_own[event->exit.call] & OWN_EXIT);
}

void overlap_release(struct decode *d)
{
	free(d->has_own);
	d->has_own = NULL;
}
