/* latency_json: all numbers as JSON. Times are in ns; the names of their keys end in _ns. */
#include "books/json_text.h"
#include "latency.h"

#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096 };

static void add_real(json_object *to, const char *key, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", value);
	json_set(to, key, json_object_new_double_s(value, text));
}

static json_object *bucket(uint64_t from, uint64_t to, uint64_t count)
{
	json_object *object = json_object_new_object();

	json_set_number(object, "from_ns", from);
	json_set_number(object, "to_ns", to);
	json_set_number(object, "count", count);
	return object;
}

static json_object *json_histogram(const struct histogram *h)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram_bucket(h, i))
			json_object_array_add(all, bucket(histogram_from(i), histogram_to(i),
							  histogram_bucket(h, i)));
	return all;
}

static json_object *json_heat(const struct latency_heat *heat)
{
	json_object *object = json_object_new_object(), *columns = json_object_new_array();

	for (uint32_t column = 0; column < heat->columns; column++) {
		json_object *rows = json_object_new_array();

		for (uint32_t row = heat->first; row < heat->first + heat->rows; row++)
			if (heat_cell(heat, column, row))
				json_object_array_add(rows, bucket(heat_from(row), heat_to(row),
								   heat_cell(heat, column, row)));
		json_object_array_add(columns, rows);
	}
	json_set_number(object, "start_ns", heat->start);
	json_set_number(object, "step_ns", heat->step);
	json_set(object, "columns", columns);
	return object;
}

static json_object *json_name(const struct span_report *report, uint32_t span, uint64_t group)
{
	char *text = mem_alloc(NAME_MOST);
	size_t length = span_engine_group(report->engine, span, group, text, NAME_MOST);
	json_object *name = json_bytes(text, length);

	free(text);
	return name;
}

static json_object *json_group(const struct span_report *report, const struct latency_group *group)
{
	static const struct {
		const char *key;
		uint32_t permille;
	} quantile[] = {{"p50_ns", 500}, {"p90_ns", 900}, {"p99_ns", 990}, {"p999_ns", 999}};
	const struct histogram *h = &group->histogram;
	json_object *object = json_object_new_object();

	json_set_word(object, "span", report->span[group->span]->name);
	json_set(object, "group",
		 group->is_rest ? NULL : json_name(report, group->span, group->group));
	json_set_number(object, "count", h->count);
	add_real(object, "avg_ns", latency_average(group));
	json_set_number(object, "min_ns", h->count ? h->min : 0);
	json_set_number(object, "max_ns", h->max);
	add_real(object, "stddev_ns", latency_deviation(group));
	for (size_t i = 0; i < sizeof(quantile) / sizeof(*quantile); i++)
		json_set_number(object, quantile[i].key,
				histogram_quantile(h, quantile[i].permille));
	json_set_number(object, "sum_ns", h->sum);
	json_set_number(object, "bytes", group->bytes);
	json_set(object, "histogram", json_histogram(h));
	if (report->has_heat)
		json_set(object, "heat", json_heat(&group->heat));
	return object;
}

static json_object *json_context(const struct latency_slow *slow)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < slow->contexts; i++) {
		json_object *object = json_object_new_object();

		json_set_number(object, "time_ns", slow->context[i].time);
		json_set_word(object, "event", slow->context[i].text);
		json_object_array_add(all, object);
	}
	return all;
}

json_object *span_seen_json(const struct span_report *report, const struct span_seen *seen)
{
	const char *comm = span_engine_comm(report->engine, seen);
	const char *about = span_engine_about(report->engine, seen);
	json_object *object = json_object_new_object();
	char *key = mem_alloc(NAME_MOST);
	size_t length = span_engine_key(report->engine, seen, key, NAME_MOST);

	json_set_word(object, "span", report->span[seen->span]->name);
	json_set(object, "group", json_name(report, seen->span, seen->group));
	json_set_number(object, "pid", seen->pid);
	json_set_number(object, "tid", seen->tid);
	json_set(object, "comm", json_bytes(comm, strlen(comm)));
	json_set(object, "file", *about ? json_bytes(about, strlen(about)) : NULL);
	json_set(object, "key", length ? json_bytes(key, length) : NULL);
	json_set_number(object, "begun_ns", seen->begin);
	free(key);
	return object;
}

static json_object *json_slow(const struct span_report *report, const struct latency_slow *slow)
{
	json_object *object = span_seen_json(report, &slow->seen);

	json_set_number(object, "latency_ns", slow->seen.end - slow->seen.begin);
	json_set_number(object, "bytes", slow->seen.bytes);
	json_set(object, "context", json_context(slow));
	return object;
}

void latency_json(const struct span_report *report, FILE *out)
{
	json_object *top = json_object_new_object(), *spans = json_object_new_array();
	json_object *slowest = json_object_new_array();
	const struct latency_group *const *group;
	const struct latency_slow *slow;
	uint32_t groups = latency_groups(report->latency, &group);
	uint32_t slows = latency_slowest(report->latency, &slow);

	for (uint32_t i = 0; i < groups; i++)
		json_object_array_add(spans, json_group(report, group[i]));
	for (uint32_t i = 0; i < slows; i++)
		json_object_array_add(slowest, json_slow(report, &slow[i]));
	json_set_number(top, "start_ns", report->from);
	json_set_number(top, "duration_ns", span_report_duration(report));
	json_set(top, "spans", spans);
	json_set(top, "slowest", slowest);
	json_set_number(top, "not_above", latency_below(report->latency));
	json_set(top, "books", span_books_json(report));
	json_print(out, top);
}
