/* collect_rank: builds each list in one pass, so a run with a million files needs no sort. */
#include "collect_rank.h"

#include "collect_resource.h"

#include <iotrace/pause.h>

uint32_t collect_threads(const struct collect *collect)
{
	const struct trace *trace = collect->trace;
	uint32_t threads = 0;

	for (thread_id id = 0; id < trace_threads(trace); id++) {
		const struct trace_thread *thread = trace_thread(trace, id);

		if (thread->kind == LOCATION_THREAD && !thread->is_excluded)
			threads += thread->sharing ? thread->sharing : 1;
	}
	return threads;
}

uint32_t collect_processes(const struct collect *collect)
{
	uint32_t processes = 0;

	for (uint32_t id = 0; id < collect->processes; id++) {
		const struct collect_row *row = &collect->process[id].total;
		uint32_t sharing = trace_process(collect->trace, id)->sharing;

		if (row->calls || row->asyncs)
			processes += sharing ? sharing : 1;
	}
	return processes;
}

/* Returns the sum of the lifetimes of all threads that did I/O, ns. */
static uint64_t lifetimes(const struct collect *collect)
{
	const struct trace *trace = collect->trace;
	const struct trace_host *host = trace_host(trace);
	uint64_t sum = 0;

	for (thread_id id = 0; id < trace_threads(trace); id++) {
		const struct trace_thread *thread = trace_thread(trace, id);

		if (thread->kind != LOCATION_THREAD || thread->is_excluded)
			continue;
		if (thread->sharing) {
			sum += thread->lived;
			continue;
		}
		uint64_t begin = thread->begin ? thread->begin : host->first_time;
		uint64_t end = thread->end ? thread->end : host->last_time;

		sum += end > begin ? end - begin - trace_paused(trace, begin, end) : 0;
	}
	return sum;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double collect_rate(const struct collect *collect, uint64_t bytes)
{
	return ratio((double)bytes, (double)collect_wall(collect) / 1e9);
}

struct collect_verdict collect_verdict(const struct collect *collect)
{
	const struct collect_row *files = &collect->resource[RESOURCE_FILES];
	struct collect_verdict verdict = {
		.wall = collect_wall(collect),
		.lived = lifetimes(collect),
		.file_time = files->time,
		.read = files->read,
		.written = files->written,
		.read_rate = collect_rate(collect, files->read),
		.write_rate = collect_rate(collect, files->written),
	};

	for (int i = 0; i < RESOURCES; i++)
		if (collect_is_wait((enum collect_resource)i))
			verdict.wait_time += collect->resource[i].time;
	verdict.file_share = ratio((double)verdict.file_time, (double)verdict.lived);
	verdict.wait_share = ratio((double)verdict.wait_time, (double)verdict.lived);
	return verdict;
}

/* The numbers of a list, and its order. */
struct order {
	const struct collect *collect;
	enum sink_sort sort;
	struct collect_row (*row)(const struct collect *collect, uint32_t id);
};

static uint64_t weight_of(const struct collect_row *row, enum sink_sort sort)
{
	switch (sort) {
	case SORT_READ:
		return row->read;
	case SORT_WRITTEN:
		return row->written;
	case SORT_TIME:
		return row->time + row->async_time;
	case SORT_CALLS:
		return row->calls + row->asyncs;
	case SORT_DATA:
	case SORTS:
		break;
	}
	return row->read + row->written;
}

/* If the chosen number is equal, time decides, then data, then calls, then the id. */
static bool row_is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct order *order = context;
	const enum sink_sort key[] = {order->sort, SORT_TIME, SORT_DATA, SORT_CALLS};
	struct collect_row x = order->row(order->collect, a), y = order->row(order->collect, b);

	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++) {
		uint64_t of_x = weight_of(&x, key[i]), of_y = weight_of(&y, key[i]);

		if (of_x != of_y)
			return of_x > of_y;
	}
	return a < b;
}

static void offer(struct top *top, uint32_t id)
{
	const struct order *order = top->context;
	struct collect_row row = order->row(order->collect, id);

	if (row.calls || row.asyncs || row.read || row.written)
		top_offer(top, id);
}

static struct top top_of_all(const struct order *order, uint32_t count, uint32_t size)
{
	struct top top;

	top_init(&top, size, row_is_before, order);
	for (uint32_t id = 0; id < count; id++)
		offer(&top, id);
	top_sort(&top);
	return top;
}

/* The numbers by which processes are sorted: data of files, and the time spent with files and waiting. */
static struct collect_row row_of_process(const struct collect *collect, uint32_t id)
{
	const struct collect_process *process = &collect->process[id];
	struct collect_row row = process->files;

	row.time += process->wait;
	row.calls = process->total.calls;
	row.asyncs = process->total.asyncs;
	return row;
}

struct top collect_top_processes(const struct collect *collect, enum sink_sort sort, uint32_t size)
{
	struct order order = {collect, sort, row_of_process};

	return top_of_all(&order, collect->processes, size);
}

static struct collect_row row_of_file(const struct collect *collect, uint32_t id)
{
	return collect->file[id].row;
}

struct top collect_top_files(const struct collect *collect, enum collect_resource resource,
			     enum sink_sort sort, uint32_t size)
{
	struct order order = {collect, sort, row_of_file};
	struct top top;

	top_init(&top, size, row_is_before, &order);
	for (file_id id = 0; id < collect->files; id++) {
		cold_pass(trace_cold(collect->trace), id);
		if (collect->file[id].resource == resource)
			offer(&top, id);
	}
	top_sort(&top);
	return top;
}

static struct collect_row row_of_class(const struct collect *collect, uint32_t id)
{
	return collect->classes[id].row;
}

struct top collect_top_classes(const struct collect *collect, enum sink_sort sort, uint32_t size)
{
	struct order order = {collect, sort, row_of_class};

	return top_of_all(&order, CLASSES, size);
}

static struct collect_row row_of_device(const struct collect *collect, uint32_t id)
{
	const struct collect_device *device = collect->device[id];
	struct collect_row row = {0};

	for (int i = 0; device && i < REQUEST_KINDS; i++)
		row.calls += device->kind[i].requests;
	if (!device)
		return row;
	row.calls += device->cancelled + device->unseen_ends;
	row.read = device->kind[REQUEST_READ].bytes;
	row.written = device->kind[REQUEST_WRITE].bytes + device->kind[REQUEST_ZEROES].bytes;
	row.time = device->busy;
	return row;
}

struct top collect_top_devices(const struct collect *collect, enum sink_sort sort, uint32_t size)
{
	struct order order = {collect, sort, row_of_device};

	return top_of_all(&order, collect->devices, size);
}

static struct collect_row row_of_group(const struct collect *collect, uint32_t id)
{
	const struct collect_group *group = &collect->group[id];

	return (struct collect_row){.calls = group->requests,
				    .read = group->read,
				    .written = group->written};
}

struct top collect_top_groups(const struct collect *collect, enum sink_sort sort, uint32_t size)
{
	struct order order = {collect, sort, row_of_group};

	return top_of_all(&order, collect->groups, size);
}

static bool share_is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct collect *collect = context;
	const struct collect_share *x = &collect->share[a], *y = &collect->share[b];

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes;
	if (x->time != y->time)
		return x->time > y->time;
	return a < b;
}

struct top collect_top_shares(const struct collect *collect, file_id file, uint32_t size)
{
	struct top top;
	uint32_t id = collect->file[file].processes ? collect->file[file].share : ID_NONE;

	top_init(&top, size, share_is_before, collect);
	for (; id != ID_NONE; id = collect->share[id].next)
		top_offer(&top, id);
	top_sort(&top);
	return top;
}
