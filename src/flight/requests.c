#include "requests.h"

#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum { REQUESTS_MOST = 1 << 16 };

void requests_release(struct requests *requests)
{
	map_release(&requests->of);
	free(requests->one);
	*requests = (struct requests){0};
}

/* Too many at once means that ends are missing. */
static void forget_all(struct requests *requests)
{
	map_clear(&requests->of);
	requests->count = requests->free = 0;
}

static struct requests_one *find(struct requests *requests, uint64_t key)
{
	uint32_t index = map_get(&requests->of, key);

	return index == MAP_NONE ? NULL : &requests->one[index];
}

static struct requests_one *begin(struct requests *requests, uint64_t key, uint64_t time)
{
	struct requests_one *one = find(requests, key);
	uint32_t index = requests->free;

	if (one) {
		*one = (struct requests_one){.begin = time};
		return one;
	}
	if (!index && requests->count == REQUESTS_MOST)
		forget_all(requests);
	if (index && requests->one) {
		requests->free = (uint32_t)requests->one[--index].begin;
	} else {
		MEM_GROW(requests->one, requests->cap, requests->count + 1);
		index = requests->count++;
	}
	map_set(&requests->of, key, index);
	requests->one[index] = (struct requests_one){.begin = time};
	return &requests->one[index];
}

static uint64_t end(struct requests *requests, uint64_t key, uint64_t time)
{
	uint32_t index = map_get(&requests->of, key);
	uint64_t began;

	if (index == MAP_NONE)
		return 0;
	began = requests->one[index].begin;
	map_remove(&requests->of, key);
	requests->one[index].begin = requests->free;
	requests->free = index + 1;
	return time > began ? time - began : 0;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	const uint64_t both[] = {a, b};

	return hash_bytes(hash_key_of_process(), both, sizeof(both));
}

/* Without the address of the request, the place on the device has to do. */
static uint64_t key_of(const struct request *request, bool is_bio)
{
	return request->key && !is_bio ? request->key
				       : mix((uint64_t)request->dev << 1 | is_bio, request->sector);
}

/* A request is the same one from its insertion to its first issue; a requeued one begins again, which only makes it shorter. */
static void issue(struct requests *requests, uint64_t key, uint64_t time)
{
	struct requests_one *one = find(requests, key);

	if (!one || one->is_issued)
		one = begin(requests, key, time);
	one->is_issued = true;
}

uint64_t requests_block(struct requests *requests, const struct event *event)
{
	const struct request *request = &event->request;
	bool is_bio = request->step == REQUEST_BIO_QUEUE || request->step == REQUEST_BIO_COMPLETE;
	uint64_t key = key_of(request, is_bio);

	switch (request->step) {
	case REQUEST_BIO_QUEUE:
	case REQUEST_INSERT:
		begin(requests, key, event->time);
		return 0;
	case REQUEST_ISSUE:
		issue(requests, key, event->time);
		return 0;
	case REQUEST_BIO_COMPLETE:
	case REQUEST_COMPLETE:
	case REQUEST_MERGE:
		return end(requests, key, event->time);
	case REQUEST_BIO_REMAP:
	case REQUEST_BIO_MERGE:
	case REQUEST_SPLIT:
	case REQUEST_REQUEUE:
	case REQUEST_ERROR:
	case REQUEST_STEPS:
		break;
	}
	return 0;
}

/* Requests that wait for events or other programs are no I/O. */
uint64_t requests_aio(struct requests *requests, const struct event *event)
{
	const struct aio *step = &event->aio.step;
	uint64_t key = mix(step->queue, step->key ? step->key : step->user_data);

	if (step->step == AIO_SUBMIT && step->action != AIO_MANAGE)
		begin(requests, key, event->time);
	if ((step->step == AIO_COMPLETE && !(step->flags & AIO_MORE)) || step->step == AIO_REFUSE)
		return end(requests, key, event->time);
	return 0;
}

bool requests_hang(struct requests *requests, uint64_t now, const struct triggers *triggers)
{
	bool is = false;

	for (uint32_t i = 0; i < requests->of.capacity; i++) {
		const struct map_entry *entry = &requests->of.entry[i];
		struct requests_one *one;

		if (entry->state != MAP_USED)
			continue;
		one = &requests->one[entry->value];
		if (now <= one->begin || !triggers_hang(triggers, one->age, now - one->begin))
			continue;
		one->age = now - one->begin;
		is = true;
	}
	return is;
}
