/* summary_device_json: the tables of block devices for programs: in bytes, nanoseconds, and shares from 0 to 1. */
#include "books/device_json.h"
#include "books/json_text.h"
#include "summary.h"

#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>

static void add_traffic(json_object *to, const char *name, const struct collect_traffic *traffic)
{
	json_object *row = json_object_new_object();

	json_set_number(row, "requests", traffic->requests);
	json_set_number(row, "bytes", traffic->bytes);
	json_set_number(row, "wait_ns", traffic->wait);
	json_set(to, name, row);
}

static void add_rates(json_object *to, const struct summary *summary, uint32_t id)
{
	struct collect_rates r = collect_device_rates(summary->collect, id);
	const struct {
		const char *name;
		double value;
	} row[] = {
		{"reads_per_second", r.reads},
		{"writes_per_second", r.writes},
		{"read_bytes_per_second", r.read_bytes},
		{"written_bytes_per_second", r.written_bytes},
		{"await_ns", r.wait},
		{"read_await_ns", r.read_wait},
		{"write_await_ns", r.write_wait},
		{"queue_size", r.queue},
		{"utilization", r.util},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		json_set_real(to, row[i].name, row[i].value);
}

static void add_spread(json_object *to, const char *prefix, const struct histogram *times)
{
	static const struct {
		const char *name;
		uint32_t permille;
	} row[] = {{"p50_ns", 500},
		   {"p90_ns", 900},
		   {"p99_ns", 990},
		   {"p999_ns", 999},
		   {"max_ns", 1000}};
	char key[32];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		snprintf(key, sizeof(key), "%s%s", prefix, row[i].name);
		json_set_number(to, key, histogram_quantile(times, row[i].permille));
	}
}

static void add_requests(json_object *to, const struct summary *summary, uint32_t id)
{
	static const char *const name[REQUEST_KINDS] = {
		[REQUEST_READ] = "reads",    [REQUEST_WRITE] = "writes",
		[REQUEST_FLUSH] = "flushes", [REQUEST_DISCARD] = "discards",
		[REQUEST_ZEROES] = "zeroes", [REQUEST_OTHER] = "commands",
	};
	const struct collect_device *d = collect_device(summary->collect, id);

	if (!d)
		return;
	for (int kind = 0; kind < REQUEST_KINDS; kind++)
		add_traffic(to, name[kind], &d->kind[kind]);
	json_set_number(to, "errors", d->errors);
	json_set_number(to, "cancelled", d->cancelled);
	json_set_number(to, "unseen_ends", d->unseen_ends);
	json_set_number(to, "busy_ns", d->busy);
	add_rates(to, summary, id);
	add_spread(to, "await_", &d->latency);
	add_spread(to, "", &d->service);
}

static void add_share(json_object *to, const char *name, uint64_t asked, uint64_t disk)
{
	double share = collect_cache_share(asked, disk);

	json_set(to, name, share < 0 ? NULL : json_object_new_double(share));
}

static void add_cache(json_object *to, const struct collect_cache *cache)
{
	json_object *row = json_object_new_object();

	json_set_number(row, "asked_read", cache->asked_read);
	json_set_number(row, "disk_read", cache->disk_read);
	add_share(row, "read_from_cache", cache->asked_read, cache->disk_read);
	json_set_number(row, "asked_written", cache->asked_written);
	json_set_number(row, "disk_written", cache->disk_written);
	add_share(row, "written_to_cache", cache->asked_written, cache->disk_written);
	json_set(to, "programs", row);
}

json_object *summary_device_json(const struct summary *summary)
{
	const struct trace *trace = summary->collect->trace;
	struct collect_cache *cache = collect_caches(summary->collect);
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < trace_devices(trace); id++) {
		if (!device_json_is_worth(trace, id))
			continue;
		json_object *row = json_object_new_object();

		json_set(row, "device", device_json(trace, id));
		add_requests(row, summary, id);
		add_cache(row, &cache[id]);
		json_object_array_add(all, row);
	}
	free(cache);
	return all;
}
