/*
 * summary_json: the summary for programs: one object on one line, in bytes, nanoseconds, and shares from 0 to 1.
 * iotrace-summary(5) and share/summary.schema.json describe the fields; SUMMARY_SCHEMA is their version.
 */
#include "books/json_text.h"
#include "collect/collect_rank.h"
#include "collect/collect_resource.h"
#include "summary.h"

#include <iotrace/books.h>
#include <iotrace/errname.h>
#include <iotrace/pause.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { TOP_PROCESSES_OF_FILE = 5 };

static void add_row(json_object *to, const struct collect_row *row)
{
	json_set_number(to, "calls", row->calls);
	json_set_number(to, "bytes_read", row->read);
	json_set_number(to, "bytes_written", row->written);
	json_set_number(to, "time_ns", row->time);
	json_set_number(to, "async_operations", row->asyncs);
	json_set_number(to, "async_time_ns", row->async_time);
}

static void add_rates(json_object *to, const struct collect *collect, const struct collect_row *row)
{
	json_set_real(to, "read_bytes_per_second", collect_rate(collect, row->read));
	json_set_real(to, "written_bytes_per_second", collect_rate(collect, row->written));
}

static json_object *json_row(const struct collect_row *row)
{
	json_object *object = json_object_new_object();

	add_row(object, row);
	return object;
}

static json_object *json_run(const struct summary *summary)
{
	const struct trace *trace = summary->collect->trace;
	const struct trace_host *host = trace_host(trace);
	json_object *run = json_object_new_object();
	int failed = summary_end_error(summary);
	const char *error = failed ? errname(failed) : NULL;
	int status = host->status;

	json_set(run, "argv", json_words(trace, host->argv));
	json_set(run, "job", json_job(trace));
	json_set_number(run, "commands_joined", host->is_joined ? host->commands : 0);
	json_set_bool(run, "whole_machine", host->is_system);
	json_set_number(run, "duration_ns", collect_wall(summary->collect));
	json_set_number(run, "paused_ns", trace_paused(trace, host->first_time, host->last_time));
	json_set_number(run, "processes", host->processes_seen);
	json_set_number(run, "processes_with_io", collect_processes(summary->collect));
	json_set_number(run, "processes_left", host->processes_left);
	json_set_number(run, "threads", host->threads_seen);
	json_set_number(run, "threads_with_io", collect_threads(summary->collect));
	json_set_known(run, "exit_status", status >= 0 && WIFEXITED(status), WEXITSTATUS(status));
	json_set_known(run, "signal", status >= 0 && WIFSIGNALED(status), WTERMSIG(status));
	json_set_word(run, "end_error", error);
	return run;
}

static json_object *json_verdict(const struct collect *collect)
{
	struct collect_verdict v = collect_verdict(collect);
	json_object *verdict = json_object_new_object();

	json_set_number(verdict, "thread_time_ns", v.lived);
	json_set_number(verdict, "file_time_ns", v.file_time);
	json_set_real(verdict, "file_share", v.file_share);
	json_set_number(verdict, "wait_time_ns", v.wait_time);
	json_set_real(verdict, "wait_share", v.wait_share);
	json_set_number(verdict, "bytes_read", v.read);
	json_set_real(verdict, "read_bytes_per_second", v.read_rate);
	json_set_number(verdict, "bytes_written", v.written);
	json_set_real(verdict, "written_bytes_per_second", v.write_rate);
	return verdict;
}

static json_object *json_completeness(const struct summary *summary)
{
	static const char *const word[] = {
		[BOOKS_BALANCED] = "complete",
		[BOOKS_LOSS] = "incomplete",
		[BOOKS_WRONG] = "inconsistent",
		[BOOKS_UNKNOWN] = "unknown",
	};
	const struct tally *tally = summary->options->tally;
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	char sentence[1024];
	enum books_state state = books_check(summary->collect->trace, tally, sentence,
					     sizeof(sentence));

	for (int i = 0; i < TALLY_COUNT; i++)
		json_set_number(counters, tally_name((enum tally_counter)i), tally->n[i]);
	json_set_word(object, "state", word[state]);
	json_set_word(object, "sentence", sentence);
	json_set_number(object, "events_recorded", tally_get(tally, samples));
	json_set_number(object, "events_missing",
			tally_get(tally, lost) + tally_get(tally, unseen) +
				tally_get(tally, malformed));
	json_set(object, "counters", counters);
	return object;
}

static json_object *json_remarks(const struct summary *summary)
{
	json_object *all = json_object_new_array();
	char text[1024], *end = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&end, &size);
	bool is_early = out && summary_end(summary, out);

	if (out && !fclose(out) && is_early)
		json_object_array_add(all, json_object_new_string(end));
	free(end);
	for (uint32_t i = 0; i < summary_remarks(); i++)
		if (summary_remark(summary, i, text, sizeof(text)))
			json_object_array_add(all, json_object_new_string(text));
	return all;
}

static json_object *json_class(const struct collect_call_class *class)
{
	static const struct {
		const char *key;
		uint32_t permille;
	} quantile[] = {{"p50_ns", 500}, {"p90_ns", 900}, {"p99_ns", 990}, {"p999_ns", 999}};
	json_object *row = json_row(&class->row);

	json_set_number(row, "failed", class->failed);
	for (size_t i = 0; i < sizeof(quantile) / sizeof(*quantile); i++)
		json_set_number(row, quantile[i].key,
				histogram_quantile(&class->latency, quantile[i].permille));
	json_set_number(row, "max_ns", class->latency.max);
	return row;
}

static json_object *json_classes(const struct collect *collect)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < CLASSES; i++)
		if (collect->classes[i].latency.count)
			json_set(all, collect_class_name((enum collect_class)i),
				 json_class(&collect->classes[i]));
	return all;
}

static json_object *json_resources(const struct collect *collect)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < RESOURCES; i++)
		json_set(all, collect_resource_name((enum collect_resource)i),
			 json_row(&collect->resource[i]));
	return all;
}

/* Returns { total, rows }: the number of all rows, and as many rows as the user wants. Releases the list. */
static json_object *json_list(struct top *top, const struct collect *collect,
			      json_object *(*row)(const struct collect *collect, uint32_t id))
{
	json_object *list = json_object_new_object(), *rows = json_object_new_array();

	for (uint32_t i = 0; i < top->count; i++)
		json_object_array_add(rows, row(collect, top->id[i]));
	json_set_number(list, "total", top->seen);
	json_set(list, "rows", rows);
	top_release(top);
	return list;
}

static json_object *json_process_name(const struct trace *trace, process_id id)
{
	const struct trace_process *process = trace_process(trace, id);
	json_object *row = json_object_new_object();

	json_set_known(row, "pid", process->pid, process->pid);
	json_set_text(row, "name", trace, process->name);
	return row;
}

static json_object *json_process(const struct collect *collect, uint32_t id)
{
	const struct collect_process *process = &collect->process[id];
	json_object *row = json_process_name(collect->trace, id);
	json_object *files = json_row(&process->files);

	add_rates(files, collect, &process->files);
	json_set(row, "argv", json_words(collect->trace, trace_process(collect->trace, id)->argv));
	json_set(row, "files", files);
	json_set_number(row, "wait_time_ns", process->wait);
	json_set(row, "all", json_row(&process->total));
	return row;
}

static json_object *json_processes(const struct summary *summary, uint32_t rows)
{
	struct top top = collect_top_processes(summary->collect, summary->options->sort, rows);

	return json_list(&top, summary->collect, json_process);
}

static json_object *json_share(const struct collect *collect, uint32_t id)
{
	const struct collect_share *share = &collect->share[id];
	json_object *row = json_process_name(collect->trace, share->process);

	json_set_number(row, "bytes", share->bytes);
	json_set_number(row, "time_ns", share->time);
	return row;
}

static json_object *json_file_processes(const struct collect *collect, file_id id)
{
	struct top top = collect_top_shares(collect, id, TOP_PROCESSES_OF_FILE);

	return json_list(&top, collect, json_share);
}

static json_object *json_file(const struct collect *collect, file_id id)
{
	const struct trace *trace = collect->trace;
	const struct trace_file *file = trace_file(trace, id);
	const struct collect_row *row = &collect->file[id].row;
	bool has_mount = file->mount < trace_mounts(trace);
	uint32_t device = collect_device_of_file(trace, id);
	json_object *object = json_object_new_object();

	json_set_text(object, "path", trace, file->path);
	add_row(object, row);
	add_rates(object, collect, row);
	json_set(object, "file_system",
		 has_mount ? json_text(trace, trace_mount(trace, file->mount)->type) : NULL);
	json_set(object, "device",
		 device == ID_NONE ? NULL : json_text(trace, trace_device(trace, device)->name));
	json_set(object, "processes", json_file_processes(collect, id));
	return object;
}

static json_object *json_files(const struct summary *summary, enum collect_resource resource,
			       uint32_t rows)
{
	struct top top = collect_top_files(summary->collect, resource, summary->options->sort,
					   rows);

	return json_list(&top, summary->collect, json_file);
}

static json_object *json_fault(const struct trace *trace, const struct collect_fault *fault,
			       enum collect_fault_kind kind)
{
	const char *name = errname(fault->error);
	json_object *row = json_object_new_object();

	json_set_word(row, "error", name);
	json_set_number(row, "errno", fault->error);
	json_set_text(row, "call", trace, trace_region(trace, fault->region)->name);
	json_set_number(row, "count", fault->count);
	json_set_word(row, "kind", collect_fault_name(kind));
	return row;
}

static json_object *json_any_fault(const struct collect *collect, uint32_t id)
{
	const struct collect_fault *fault = &collect->faults.fault[id];

	return json_fault(collect->trace, fault, fault->kind);
}

static json_object *json_faults(const struct collect *collect, uint32_t rows)
{
	struct top top = collect_top_faults(&collect->faults, FAULT_ALL, rows);

	return json_list(&top, collect, json_any_fault);
}

static json_object *json_named_fault(const struct collect *collect, uint32_t id)
{
	const struct collect_named_fault *named = &collect->faults.named[id];
	json_object *row = json_fault(collect->trace, &named->fault, named->kind);

	json_set_text(row, "name", collect->trace, named->name);
	return row;
}

static json_object *json_named_faults(const struct collect *collect, uint32_t rows)
{
	struct top top = collect_top_named_faults(&collect->faults, FAULT_ALL, rows);

	return json_list(&top, collect, json_named_fault);
}

static json_object *json_counters(const struct collect *collect)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < collect->counters.metrics; i++) {
		uint32_t metric = collect->counters.metric + i;
		json_object *row = json_object_new_object();

		json_set_text(row, "name", collect->trace,
			      trace_metric(collect->trace, metric)->name);
		json_set_number(row, "count", collect_counter(&collect->counters, i));
		json_object_array_add(all, row);
	}
	return all;
}

static json_object *json_source(const struct summary *summary)
{
	static const char *const word[] = {
		[TRACE_SOURCE_PERF] = "perf", [TRACE_SOURCE_BPF] = "bpf"};
	uint32_t source = trace_host(summary->collect->trace)->source;

	return source == TRACE_SOURCE_UNKNOWN || source > TRACE_SOURCE_BPF
		       ? NULL
		       : json_object_new_string(word[source]);
}

static json_object *json_path(const char *path)
{
	return path ? json_bytes(path, strlen(path)) : NULL;
}

void summary_json(const struct summary *summary, FILE *out)
{
	const struct sink_options *options = summary->options;
	const struct collect *collect = summary->collect;
	uint32_t rows = options->top == SINK_TOP_DEFAULT ? SUMMARY_TOP_JSON : options->top;
	json_object *top = json_object_new_object(), *total = json_row(&collect->total);

	json_set_number(total, "failed", collect->failed);
	json_set_number(top, "schema", SUMMARY_SCHEMA);
	json_set(top, "run", json_run(summary));
	json_set(top, "verdict", json_verdict(collect));
	json_set(top, "completeness", json_completeness(summary));
	json_set(top, "remarks", json_remarks(summary));
	json_set(top, "total", total);
	json_set(top, "places", json_resources(collect));
	json_set(top, "calls", json_classes(collect));
	json_set(top, "counters", json_counters(collect));
	json_set(top, "processes", json_processes(summary, rows));
	json_set(top, "devices", summary_device_json(summary));
	json_set(top, "files", json_files(summary, RESOURCE_FILES, rows));
	json_set(top, "kernel_files", json_files(summary, RESOURCE_KERNEL, rows));
	json_set(top, "cgroups", summary_group_json(summary));
	json_set(top, "errors", json_faults(collect, rows));
	json_set(top, "failed_names", json_named_faults(collect, rows));
	json_set(top, "source", json_source(summary));
	json_set(top, "archive", json_path(options->archive));
	json_set(top, "capture", json_path(options->capture));
	json_print(out, top);
}
