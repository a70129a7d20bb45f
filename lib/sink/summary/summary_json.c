/*
 * summary_json: the summary for programs: one object on one line, in bytes, nanoseconds and shares of 1. The fields are
 * described in iotrace-summary(5) and share/summary.schema.json; SUMMARY_SCHEMA is their version.
 */
#include "books/json_text.h"
#include "collect/collect_place.h"
#include "collect/collect_rank.h"
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

static void add_number(json_object *to, const char *key, uint64_t number)
{
	json_object_object_add(to, key, json_object_new_uint64(number));
}

static void add_real(json_object *to, const char *key, double number)
{
	json_object_object_add(to, key, json_object_new_double(number));
}

static void add_row(json_object *to, const struct collect_row *row)
{
	add_number(to, "calls", row->calls);
	add_number(to, "bytes_read", row->read);
	add_number(to, "bytes_written", row->written);
	add_number(to, "time_ns", row->time);
	add_number(to, "async_operations", row->asyncs);
	add_number(to, "async_time_ns", row->async_time);
}

static void add_rates(json_object *to, const struct collect *collect, const struct collect_row *row)
{
	add_real(to, "read_bytes_per_second", collect_rate(collect, row->read));
	add_real(to, "written_bytes_per_second", collect_rate(collect, row->written));
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

	json_object_object_add(run, "argv", json_words(trace, host->argv));
	json_object_object_add(run, "job", json_job(trace));
	add_number(run, "commands_joined", host->is_joined ? host->commands : 0);
	json_object_object_add(run, "whole_machine", json_object_new_boolean(host->is_system));
	add_number(run, "duration_ns", collect_wall(summary->collect));
	add_number(run, "paused_ns", trace_paused(trace, host->first_time, host->last_time));
	add_number(run, "processes", host->processes_seen);
	add_number(run, "processes_with_io", collect_processes(summary->collect));
	add_number(run, "processes_left", host->processes_left);
	add_number(run, "threads", host->threads_seen);
	add_number(run, "threads_with_io", collect_threads(summary->collect));
	json_object_object_add(run, "exit_status",
			       status >= 0 && WIFEXITED(status)
				       ? json_object_new_int(WEXITSTATUS(status))
				       : NULL);
	json_object_object_add(run, "signal",
			       status >= 0 && WIFSIGNALED(status)
				       ? json_object_new_int(WTERMSIG(status))
				       : NULL);
	json_object_object_add(run, "end_error", error ? json_object_new_string(error) : NULL);
	return run;
}

static json_object *json_verdict(const struct collect *collect)
{
	struct collect_verdict v = collect_verdict(collect);
	json_object *verdict = json_object_new_object();

	add_number(verdict, "thread_time_ns", v.lived);
	add_number(verdict, "file_time_ns", v.file_time);
	add_real(verdict, "file_share", v.file_share);
	add_number(verdict, "wait_time_ns", v.wait_time);
	add_real(verdict, "wait_share", v.wait_share);
	add_number(verdict, "bytes_read", v.read);
	add_real(verdict, "read_bytes_per_second", v.read_rate);
	add_number(verdict, "bytes_written", v.written);
	add_real(verdict, "written_bytes_per_second", v.write_rate);
	return verdict;
}

static json_object *json_completeness(const struct summary *summary)
{
	static const char *const word[] = {
		[BOOKS_BALANCED] = "complete",
		[BOOKS_LOSS] = "incomplete",
		[BOOKS_WRONG] = "inconsistent",
	};
	const struct tally *tally = summary->options->tally;
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	char sentence[1024];
	enum books_state state = books_check(summary->collect->trace, tally, sentence,
					     sizeof(sentence));

	for (int i = 0; i < TALLY_COUNT; i++)
		add_number(counters, tally_name((enum tally_counter)i), tally->n[i]);
	json_object_object_add(object, "state", json_object_new_string(word[state]));
	json_object_object_add(object, "sentence", json_object_new_string(sentence));
	add_number(object, "events_recorded", tally_get(tally, samples));
	add_number(object, "events_missing",
		   tally_get(tally, lost) + tally_get(tally, unseen) + tally_get(tally, malformed));
	json_object_object_add(object, "counters", counters);
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

	add_number(row, "failed", class->failed);
	for (size_t i = 0; i < sizeof(quantile) / sizeof(*quantile); i++)
		add_number(row, quantile[i].key,
			   histogram_quantile(&class->latency, quantile[i].permille));
	add_number(row, "max_ns", class->latency.max);
	return row;
}

static json_object *json_classes(const struct collect *collect)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < CLASSES; i++)
		if (collect->classes[i].latency.count)
			json_object_object_add(all, collect_class_name((enum collect_class)i),
					       json_class(&collect->classes[i]));
	return all;
}

static json_object *json_places(const struct collect *collect)
{
	json_object *all = json_object_new_object();

	for (int i = 0; i < PLACES; i++)
		json_object_object_add(all, collect_place_name((enum collect_place)i),
				       json_row(&collect->place[i]));
	return all;
}

/* { total, rows }: how many there are, and as many of them as were asked for. */
static json_object *json_list(const struct top *top, json_object *rows)
{
	json_object *list = json_object_new_object();

	add_number(list, "total", top->seen);
	json_object_object_add(list, "rows", rows);
	return list;
}

static json_object *json_process_name(const struct trace *trace, process_id id)
{
	const struct trace_process *process = trace_process(trace, id);
	json_object *row = json_object_new_object();

	json_object_object_add(row, "pid",
			       process->pid ? json_object_new_int64(process->pid) : NULL);
	json_object_object_add(row, "name", json_text(trace, process->name));
	return row;
}

static json_object *json_processes(const struct summary *summary, uint32_t rows)
{
	const struct collect *collect = summary->collect;
	struct top top = collect_top_processes(collect, summary->options->sort, rows);
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < top.count; i++) {
		const struct collect_process *process = &collect->process[top.id[i]];
		json_object *row = json_process_name(collect->trace, top.id[i]);
		json_object *files = json_row(&process->files);

		add_rates(files, collect, &process->files);
		json_object_object_add(row, "argv",
				       json_words(collect->trace,
						  trace_process(collect->trace, top.id[i])->argv));
		json_object_object_add(row, "files", files);
		add_number(row, "wait_time_ns", process->wait);
		json_object_object_add(row, "all", json_row(&process->total));
		json_object_array_add(all, row);
	}
	all = json_list(&top, all);
	top_release(&top);
	return all;
}

static json_object *json_file_processes(const struct collect *collect, file_id id)
{
	struct top top = collect_top_shares(collect, id, TOP_PROCESSES_OF_FILE);
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < top.count; i++) {
		const struct collect_share *share = &collect->share[top.id[i]];
		json_object *row = json_process_name(collect->trace, share->process);

		add_number(row, "bytes", share->bytes);
		add_number(row, "time_ns", share->time);
		json_object_array_add(all, row);
	}
	all = json_list(&top, all);
	top_release(&top);
	return all;
}

static json_object *json_file(const struct collect *collect, file_id id)
{
	const struct trace *trace = collect->trace;
	const struct trace_file *file = trace_file(trace, id);
	const struct collect_row *row = &collect->file[id].row;
	bool has_mount = file->mount < trace_mounts(trace);
	uint32_t device = collect_device_of_file(trace, id);
	json_object *object = json_object_new_object();

	json_object_object_add(object, "path", json_text(trace, file->path));
	add_row(object, row);
	add_rates(object, collect, row);
	json_object_object_add(object, "file_system",
			       has_mount ? json_text(trace, trace_mount(trace, file->mount)->type)
					 : NULL);
	json_object_object_add(object, "device",
			       device == ID_NONE
				       ? NULL
				       : json_text(trace, trace_device(trace, device)->name));
	json_object_object_add(object, "processes", json_file_processes(collect, id));
	return object;
}

static json_object *json_files(const struct summary *summary, enum collect_place place,
			       uint32_t rows)
{
	const struct collect *collect = summary->collect;
	struct top top = collect_top_files(collect, place, summary->options->sort, rows);
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < top.count; i++)
		json_object_array_add(all, json_file(collect, top.id[i]));
	all = json_list(&top, all);
	top_release(&top);
	return all;
}

static json_object *json_fault(const struct trace *trace, const struct collect_fault *fault,
			       enum collect_fault_kind kind)
{
	const char *name = errname(fault->error);
	json_object *row = json_object_new_object();

	json_object_object_add(row, "error", name ? json_object_new_string(name) : NULL);
	json_object_object_add(row, "errno", json_object_new_int(fault->error));
	json_object_object_add(row, "call",
			       json_text(trace, trace_region(trace, fault->region)->name));
	add_number(row, "count", fault->count);
	json_object_object_add(row, "kind", json_object_new_string(collect_fault_name(kind)));
	return row;
}

static json_object *json_faults(const struct collect_faults *faults, uint32_t rows)
{
	struct top top = collect_top_faults(faults, FAULT_ALL, rows);
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < top.count; i++) {
		const struct collect_fault *fault = &faults->fault[top.id[i]];

		json_object_array_add(all, json_fault(faults->trace, fault, fault->kind));
	}
	all = json_list(&top, all);
	top_release(&top);
	return all;
}

static json_object *json_named_faults(const struct collect_faults *faults, uint32_t rows)
{
	struct top top = collect_top_named_faults(faults, FAULT_ALL, rows);
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < top.count; i++) {
		const struct collect_named_fault *named = &faults->named[top.id[i]];
		json_object *row = json_fault(faults->trace, &named->fault, named->kind);

		json_object_object_add(row, "name", json_text(faults->trace, named->name));
		json_object_array_add(all, row);
	}
	all = json_list(&top, all);
	top_release(&top);
	return all;
}

static json_object *json_counters(const struct collect *collect)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < collect->counters.metrics; i++) {
		uint32_t metric = collect->counters.metric + i;
		json_object *row = json_object_new_object();

		json_object_object_add(row, "name",
				       json_text(collect->trace,
						 trace_metric(collect->trace, metric)->name));
		add_number(row, "count", collect_counter(&collect->counters, i));
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

	add_number(total, "failed", collect->failed);
	json_object_object_add(top, "schema", json_object_new_int(SUMMARY_SCHEMA));
	json_object_object_add(top, "run", json_run(summary));
	json_object_object_add(top, "verdict", json_verdict(collect));
	json_object_object_add(top, "completeness", json_completeness(summary));
	json_object_object_add(top, "remarks", json_remarks(summary));
	json_object_object_add(top, "total", total);
	json_object_object_add(top, "places", json_places(collect));
	json_object_object_add(top, "calls", json_classes(collect));
	json_object_object_add(top, "counters", json_counters(collect));
	json_object_object_add(top, "processes", json_processes(summary, rows));
	json_object_object_add(top, "devices", summary_device_json(summary));
	json_object_object_add(top, "files", json_files(summary, PLACE_FILES, rows));
	json_object_object_add(top, "kernel_files", json_files(summary, PLACE_KERNEL, rows));
	json_object_object_add(top, "cgroups", summary_group_json(summary));
	json_object_object_add(top, "errors", json_faults(&collect->faults, rows));
	json_object_object_add(top, "failed_names", json_named_faults(&collect->faults, rows));
	json_object_object_add(top, "source", json_source(summary));
	json_object_object_add(top, "archive", json_path(options->archive));
	json_object_object_add(top, "capture", json_path(options->capture));
	json_print(out,
		   json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	fputc('\n', out);
	json_object_put(top);
}
