/*
 * summary_json: the summary for programs: the same numbers, in bytes and nanoseconds, one object on one line.
 * Files are those with the most data and those that took the most time.
 */
#include "json_text.h"
#include "summary.h"

#include <iotrace/books.h>
#include <iotrace/errname.h>
#include <iotrace/model.h>
#include <iotrace/strtab.h>
#include <json.h>
#include <string.h>

enum { TOP_FILES = 100 };

static void add_row(json_object *to, const struct summary_row *row)
{
	json_object_object_add(to, "calls", json_object_new_uint64(row->ops));
	json_object_object_add(to, "bytes_read", json_object_new_uint64(row->read));
	json_object_object_add(to, "bytes_written", json_object_new_uint64(row->written));
	json_object_object_add(to, "time_ns", json_object_new_uint64(row->time));
}

static json_object *json_run(const struct summary *summary)
{
	const struct model *model = summary->options->model;
	const struct model_host *host = model_host(model);
	json_object *run = json_object_new_object();

	json_object_object_add(run, "argv", json_words(model, host->argv));
	json_object_object_add(run, "duration_ns", json_object_new_uint64(summary_wall(summary)));
	json_object_object_add(run, "processes", json_object_new_uint64(host->processes_seen));
	json_object_object_add(run, "threads", json_object_new_uint64(host->threads_seen));
	json_object_object_add(run, "threads_with_io",
			       json_object_new_uint64(summary_threads(summary)));
	json_object_object_add(run, "threads_lived_ns",
			       json_object_new_uint64(summary_lifetimes(summary)));
	json_object_object_add(run, "wait_status",
			       host->status < 0 ? NULL : json_object_new_int(host->status));
	return run;
}

static json_object *json_class(const struct summary_call_class *class)
{
	const struct histogram *latency = &class->latency;
	json_object *row = json_object_new_object();

	add_row(row, &class->row);
	json_object_object_add(row, "failed", json_object_new_uint64(class->failed));
	json_object_object_add(row, "p50_ns",
			       json_object_new_uint64(histogram_quantile(latency, 500)));
	json_object_object_add(row, "p90_ns",
			       json_object_new_uint64(histogram_quantile(latency, 900)));
	json_object_object_add(row, "p99_ns",
			       json_object_new_uint64(histogram_quantile(latency, 990)));
	json_object_object_add(row, "p999_ns",
			       json_object_new_uint64(histogram_quantile(latency, 999)));
	json_object_object_add(row, "max_ns", json_object_new_uint64(latency->max));
	return row;
}

static json_object *json_classes(const struct summary *summary)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < SUMMARY_CLASSES; i++) {
		if (summary->classes[i].latency.count)
			json_object_object_add(all, summary_class_name((enum summary_class)i),
					       json_class(&summary->classes[i]));
	}
	return all;
}

static json_object *json_places(const struct summary *summary)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < SUMMARY_PLACES; i++) {
		json_object *row = json_object_new_object();

		add_row(row, &summary->place[i]);
		json_object_object_add(all, summary_place_name((enum summary_place)i), row);
	}
	return all;
}

static json_object *json_files(const struct summary *summary, bool by_time)
{
	const struct model *model = summary->options->model;
	json_object *all = json_object_new_array();
	file_id top[TOP_FILES];
	uint32_t count = summary_top(summary, by_time, top, TOP_FILES);

	for (uint32_t i = 0; i < count; i++) {
		json_object *row = json_object_new_object();

		json_object_object_add(row, "path",
				       json_text(model, model_file(model, top[i])->path));
		add_row(row, &summary->file[top[i]]);
		json_object_array_add(all, row);
	}
	return all;
}

static json_object *json_faults(const struct summary *summary)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < summary->faults; i++) {
		const struct summary_fault *fault = &summary->fault[i];
		const char *name = errname(fault->error);
		json_object *row = json_object_new_object();

		json_object_object_add(row, "error", name ? json_object_new_string(name) : NULL);
		json_object_object_add(row, "errno", json_object_new_int(fault->error));
		json_object_object_add(row, "call",
				       json_object_new_string(call_row(fault->call)->name));
		json_object_object_add(row, "count", json_object_new_uint64(fault->count));
		json_object_array_add(all, row);
	}
	return all;
}

void summary_json(const struct summary *summary, FILE *out)
{
	const char *archive = summary->options->archive;
	json_object *top = json_object_new_object();
	json_object *total = json_object_new_object();

	add_row(total, &summary->total);
	json_object_object_add(total, "failed", json_object_new_uint64(summary->failed));
	json_object_object_add(top, "schema", json_object_new_int(BOOKS_SCHEMA));
	json_object_object_add(top, "run", json_run(summary));
	json_object_object_add(top, "total", total);
	json_object_object_add(top, "classes", json_classes(summary));
	json_object_object_add(top, "places", json_places(summary));
	json_object_object_add(top, "files_by_bytes", json_files(summary, false));
	json_object_object_add(top, "files_by_time", json_files(summary, true));
	json_object_object_add(top, "devices", summary_device_json(summary));
	json_object_object_add(top, "cgroups", summary_group_json(summary));
	json_object_object_add(top, "errors", json_faults(summary));
	json_object_object_add(top, "books", json_books(summary->options->tally));
	json_object_object_add(top, "archive",
			       archive ? json_bytes(archive, strlen(archive)) : NULL);
	json_print(out,
		   json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	fputc('\n', out);
	json_object_put(top);
}
