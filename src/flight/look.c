#include "look.h"

#include "busy.h"
#include "requests.h"

#include <errno.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/tally.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_CENT = 100 };
#define LOOK_OVER UINT64_MAX

/* A device of a trigger util. */
struct look_device {
	const struct trigger *trigger;
	struct busy busy;
};

struct look {
	const struct capture *capture;
	const struct triggers *triggers;
	struct tally unused;
	struct decode *decode;
	uint64_t slow, hang;       /* ns; 0: no such trigger */
	uint64_t latest, complete; /* times in all rounds, and in those before the last */
	uint64_t
		suspected; /* time of the first call that may be a trigger, since somebody asked; 0: none */
	struct map begun; /* perf: begin of the call of each thread, an index in call[] */
	struct look_call {
		uint64_t begin;
		uint64_t age; /* when it was suspicious last; LOOK_OVER: it has ended */
		uint32_t tid;
	} * call;
	uint32_t calls, calls_cap;
	struct requests requests; /* in flight, if they may be slow or hang */
	struct look_device device[TRIGGERS_MOST];
	uint32_t devices;
	struct look_found found;
};

static void add_device(struct look *look, const struct trigger *trigger)
{
	struct look_device *device = &look->device[look->devices++];

	device->trigger = trigger;
	busy_init(&device->busy, trigger->ns, trigger->share);
}

struct look *look_new(const struct capture *capture, const struct triggers *triggers,
		      struct error *err)
{
	struct look *look = mem_zero(sizeof(*look));

	look->capture = capture;
	look->triggers = triggers;
	look->slow = triggers_least(triggers, TRIGGER_SLOW);
	look->hang = triggers_least(triggers, TRIGGER_HANG);
	for (uint32_t i = 0; i < triggers->count; i++)
		if (triggers->item[i].kind == TRIGGER_UTIL)
			add_device(look, &triggers->item[i]);
	look->decode = decode_new(capture_info(capture), &look->unused, err);
	if (look->decode)
		return look;
	look_free(look);
	return NULL;
}

void look_free(struct look *look)
{
	if (!look)
		return;
	decode_free(look->decode);
	map_release(&look->begun);
	requests_release(&look->requests);
	free(look->call);
	free(look);
}

/* Calls that wait for other processes, or for nobody knows what, are no files. */
static bool is_of_files(call_id id)
{
	const uint32_t groups = 1U << GROUP_DATA | 1U << GROUP_SYNC | 1U << GROUP_OPEN |
				1U << GROUP_META | 1U << GROUP_DIR | 1U << GROUP_LOCK |
				1U << GROUP_MAP;
	const struct call_row *row = call_row(id);

	return row && groups >> row->group & 1;
}

static bool is_wanted_error(const struct look *look, int64_t result)
{
	for (uint32_t i = 0; result < 0 && i < look->triggers->count; i++)
		if (look->triggers->item[i].kind == TRIGGER_ERROR &&
		    look->triggers->item[i].error == -result)
			return true;
	return false;
}

static struct look_call *call_of(struct look *look, uint32_t tid)
{
	uint32_t id = map_get(&look->begun, tid);

	if (id == MAP_NONE) {
		MEM_GROW(look->call, look->calls_cap, look->calls + 1);
		id = look->calls++;
		map_set(&look->begun, tid, id);
	}
	look->call[id].tid = tid;
	return &look->call[id];
}

static void suspect(struct look *look, uint64_t time)
{
	if (!look->suspected)
		look->suspected = time;
}

static void see_age(struct look *look, struct look_call *call, uint64_t now)
{
	if (!triggers_hang(look->triggers, call->age, now - call->begin))
		return;
	call->age = now - call->begin;
	suspect(look, now);
}

/* A call is in flight. It is suspicious once for the time of each trigger. */
static void see_old(struct look *look, uint32_t tid, uint64_t begin, uint64_t now)
{
	struct look_call *call = call_of(look, tid);

	if (call->begin != begin)
		*call = (struct look_call){.begin = begin, .tid = tid};
	see_age(look, call, now);
}

static void see_call(struct look *look, call_id id, uint64_t begin, uint64_t end, int64_t result)
{
	if ((look->slow && is_of_files(id) && begin && end - begin >= look->slow) ||
	    is_wanted_error(look, result))
		suspect(look, end);
}

static void see_pair(struct look *look, const struct event *event)
{
	if (!event->pair.is_in_flight)
		see_call(look, event->pair.call, event->pair.begin, event->time,
			 event->pair.result);
	else if (look->hang && is_of_files(event->pair.call) && event->time > event->pair.begin)
		see_old(look, event->tid, event->pair.begin, event->time);
}

static void see_enter(struct look *look, const struct event *event)
{
	struct look_call *call = call_of(look, event->tid);

	if (event->time > call->begin)
		*call = (struct look_call){.begin = is_of_files(event->enter.call) ? event->time
										   : 0,
					   .tid = event->tid};
}

/* Records of a round are not in order: the begin of a short call may come after its end. */
static void see_exit(struct look *look, const struct event *event)
{
	struct look_call *call = call_of(look, event->tid);
	uint64_t begin = call->begin <= event->time ? call->begin : 0;

	see_call(look, event->exit.call, begin, event->time, event->exit.result);
	call->begin = event->time;
	call->age = LOOK_OVER;
}

static void find(struct look *look, const struct trigger *trigger, uint64_t time, const char *text)
{
	if (look->found.time)
		return;
	look->found.time = time;
	look->found.trigger = trigger;
	snprintf(look->found.text, sizeof(look->found.text), "%s", text);
}

static bool is_slow(const struct look *look, uint64_t took)
{
	return look->slow && took && took >= look->slow;
}

static void see_request(struct look *look, const struct event *event)
{
	bool is_followed = look->slow || look->hang;
	uint64_t took = is_followed ? requests_block(&look->requests, event) : 0;

	if (is_slow(look, took) || is_wanted_error(look, -(int64_t)event->request.error))
		suspect(look, event->time);
}

static void see_aio(struct look *look, const struct event *event)
{
	const struct aio *step = &event->aio.step;
	bool is_followed = look->slow || look->hang;
	uint64_t took = is_followed ? requests_aio(&look->requests, event) : 0;

	if (is_slow(look, took) ||
	    (step->step == AIO_COMPLETE && is_wanted_error(look, step->result)))
		suspect(look, event->time);
}

static bool is_text(const struct fact_string *text, const char *other)
{
	return text->length == strlen(other) && !memcmp(text->at, other, text->length);
}

static void find_busy(struct look *look, const struct look_device *device, uint64_t time)
{
	const struct trigger *trigger = device->trigger;
	char text[128];

	snprintf(text, sizeof(text), "%.64s was busy for more than %g %% of %g s", trigger->device,
		 trigger->share * PER_CENT, (double)trigger->ns / 1e9);
	find(look, trigger, time, text);
}

static void see_fact(struct look *look, const struct event *event)
{
	const struct fact *fact = &event->fact;

	for (uint32_t i = 0; fact->kind == FACT_BUSY && i < look->devices; i++) {
		struct look_device *device = &look->device[i];

		if (is_text(&fact->string[FACT_BUSY_name], device->trigger->device) &&
		    busy_add(&device->busy, event->time, fact->number[FACT_BUSY_busy_ms]))
			find_busy(look, device, event->time);
	}
}

static void see(struct look *look, const struct event *event)
{
	switch (event->kind) {
	case EVENT_CALL:
		see_pair(look, event);
		break;
	case EVENT_SYSCALL_ENTER:
		see_enter(look, event);
		break;
	case EVENT_SYSCALL_EXIT:
		see_exit(look, event);
		break;
	case EVENT_AIO:
		see_aio(look, event);
		break;
	case EVENT_REQUEST:
		see_request(look, event);
		break;
	case EVENT_FACT:
		see_fact(look, event);
		break;
	default:
		break;
	}
}

void look_round(struct look *look, const struct capture_round *round)
{
	struct sample sample;
	struct event event;
	uint32_t size;

	look->complete = look->latest;
	for (size_t at = 0; (size = sample_record_size(round->bytes + at, round->size - at));
	     at += size)
		if (!capture_parse(look->capture, round->bytes + at, &sample) &&
		    decode_sample(look->decode, &sample, false, &event) == 1) {
			look->latest = event.time > look->latest ? event.time : look->latest;
			see(look, &event);
		}
}

/* A record is never earlier than all those of the round before the last one: see <iotrace/order.h>. */
uint64_t look_complete(const struct look *look)
{
	return look->complete;
}

uint64_t look_latest(const struct look *look)
{
	return look->latest;
}

void look_for_hangs(struct look *look, uint64_t now)
{
	for (uint32_t i = 0; look->hang && i < look->calls; i++) {
		struct look_call *call = &look->call[i];

		if (call->begin && call->begin < now)
			see_age(look, call, now);
	}
	if (look->hang && requests_hang(&look->requests, now, look->triggers))
		suspect(look, now);
}

uint64_t look_suspected(struct look *look)
{
	uint64_t time = look->suspected;

	look->suspected = 0;
	return time;
}

struct look_found look_take(struct look *look)
{
	struct look_found found = look->found;

	look->found = (struct look_found){0};
	return found;
}
