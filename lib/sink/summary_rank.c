/*
 * summary_rank: what stands out. A few of many are picked with one pass and a short sorted list, so that a run
 * with a million files costs no sort.
 */
#include "summary.h"

#include <iotrace/model.h>
#include <string.h>

uint64_t summary_wall(const struct summary *summary)
{
	const struct model_host *host = model_host(summary->options->model);

	return host->last_time > host->first_time ? host->last_time - host->first_time : 0;
}

uint32_t summary_threads(const struct summary *summary)
{
	const struct model *model = summary->options->model;
	uint32_t threads = 0;

	for (thread_id id = 0; id < model_threads(model); id++) {
		const struct model_thread *thread = model_thread(model, id);

		if (thread->kind == LOCATION_THREAD && !thread->is_left_out)
			threads += thread->folded ? thread->folded : 1;
	}
	return threads;
}

uint64_t summary_lifetimes(const struct summary *summary)
{
	const struct model *model = summary->options->model;
	const struct model_host *host = model_host(model);
	uint64_t sum = 0;

	for (thread_id id = 0; id < model_threads(model); id++) {
		const struct model_thread *thread = model_thread(model, id);

		if (thread->kind != LOCATION_THREAD || thread->is_left_out)
			continue;
		if (thread->folded) {
			sum += thread->lived;
			continue;
		}
		uint64_t begin = thread->begin ? thread->begin : host->first_time;
		uint64_t end = thread->end ? thread->end : host->last_time;

		sum += end > begin ? end - begin : 0;
	}
	return sum;
}

static uint64_t weight_of(const struct summary_row *row, bool by_time)
{
	return by_time ? row->time : row->read + row->written;
}

bool summary_make_room(void *top, size_t width, uint32_t at, uint32_t *count, uint32_t size)
{
	char *place = (char *)top + at * width;

	if (at == size)
		return false;
	if (*count < size)
		++*count;
	memmove(place + width, place, (*count - at - 1) * width);
	return true;
}

uint32_t summary_top(const struct summary *summary, bool by_time, file_id *top, uint32_t size)
{
	uint32_t count = 0, at;

	for (file_id id = 0; id < summary->files; id++) {
		uint64_t weight = weight_of(&summary->file[id], by_time);

		if (!weight)
			continue;
		for (at = count; at && weight_of(&summary->file[top[at - 1]], by_time) < weight;
		     at--)
			;
		if (summary_make_room(top, sizeof(*top), at, &count, size))
			top[at] = id;
	}
	return count;
}

/* Adds up the calls that met one error. */
static struct summary_error sum_error(const struct summary *summary, int error)
{
	struct summary_error sum = {error, CALL_ID_NONE, 0, 0};

	for (uint32_t i = 0; i < summary->faults; i++) {
		const struct summary_fault *fault = &summary->fault[i];

		if (fault->error != error)
			continue;
		sum.count += fault->count;
		if (fault->count > sum.by_call) {
			sum.by_call = fault->count;
			sum.call = fault->call;
		}
	}
	return sum;
}

static bool is_first_of_error(const struct summary *summary, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		if (summary->fault[i].error == summary->fault[index].error)
			return false;
	}
	return true;
}

uint32_t summary_errors(const struct summary *summary, struct summary_error *top, uint32_t size)
{
	uint32_t count = 0, at;

	for (uint32_t i = 0; i < summary->faults; i++) {
		struct summary_error sum;

		if (!is_first_of_error(summary, i))
			continue;
		sum = sum_error(summary, summary->fault[i].error);
		for (at = count; at && top[at - 1].count < sum.count; at--)
			;
		if (summary_make_room(top, sizeof(*top), at, &count, size))
			top[at] = sum;
	}
	return count;
}
