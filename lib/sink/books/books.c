/*
 * books: iotrace.json, and the comparison of the kernel's counts with the events.
 *
 * The file is written before the archive gets its name, so that a reader finds a complete file or none.
 */
#include <iotrace/books.h>

#include "device_json.h"
#include "filters_json.h"
#include "json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/syscall.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t samples_of(const uint64_t *samples, uint32_t events, uint32_t event)
{
	return event < events ? samples[event] : 0;
}

static bool is_of_chosen(const struct trace *trace, const struct trace_count *count)
{
	return capture_chosen(trace_text(trace, count->name));
}

/*
 * An event that the kernel counted, but that was neither delivered nor lost, is unseen. This is computed for each kind of event,
 * so that too many of one cannot hide missing ones of another: then the equation fails.
 */
void books_settle(struct tally *tally, const struct trace *trace, const uint64_t *samples,
		  uint32_t events, const struct books_missing *missing)
{
	uint64_t counted = 0, lost = 0, unseen = 0, chosen = 0, placed = 0, strays, cut;
	bool has_lost = true;

	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		uint64_t came = samples_of(samples, events, count->event) + count->lost;
		uint64_t all = count->is_inexact ? came : count->counted;

		counted += all;
		lost += count->lost;
		unseen += all > came ? all - came : 0;
		chosen += all > came && is_of_chosen(trace, count) ? all - came : 0;
		has_lost = has_lost && count->has_lost;
	}
	if (!has_lost || !trace_counts(trace)) {
		lost = missing->records;
		unseen -= unseen < lost ? unseen : lost;
	} else {
		cut = unseen < missing->cut ? unseen : missing->cut;
		lost += cut;
		unseen -= cut;
	}
	/* Damaged samples that do not name their event. */
	for (uint32_t i = 0; i < events; i++)
		placed += samples[i];
	strays = tally_get(tally, samples) > placed ? tally_get(tally, samples) - placed : 0;
	unseen -= unseen < strays ? unseen : strays;
	if (counted) {
		counted += trace_unseen_ends(trace);
		unseen += trace_unseen_ends(trace);
	}
	tally_add(tally, kernel_counted, counted);
	tally_add(tally, lost, lost);
	tally_add(tally, unseen, counted ? unseen : 0);
	tally_add(tally, unseen_chosen, counted && chosen < unseen ? chosen : counted ? unseen : 0);
}

/* At least one of the two is null; both are if the end is unknown. */
static void add_status(json_object *object, int status)
{
	bool is_exit = status >= 0 && WIFEXITED(status);
	bool is_signal = status >= 0 && WIFSIGNALED(status);

	json_set_known(object, "exit_status", is_exit, WEXITSTATUS(status));
	json_set_known(object, "signal", is_signal, WTERMSIG(status));
}

/* An array with an entry for each id below count. */
static json_object *json_each(const struct trace *trace, uint32_t count,
			      json_object *(*entry)(const struct trace *trace, uint32_t id))
{
	json_object *array = json_object_new_array();

	for (uint32_t id = 0; id < count; id++)
		json_object_array_add(array, entry(trace, id));
	return array;
}

static json_object *json_joined(const struct books *books, uint32_t id)
{
	const struct trace *trace = books->trace;
	const struct trace_command *command = trace_command(trace, id);
	json_object *row = json_object_new_object();

	json_set_number(row, "pid", command->pid);
	json_set_known(row, "rank", command->rank.is_known, command->rank.number);
	json_set(row, "argv", json_words(trace, command->argv));
	add_status(row, command->status);
	json_set(row, "filters", filters_json(trace, command->selection, books->groups));
	return row;
}

static json_object *json_commands(const struct books *books)
{
	json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < trace_commands(books->trace); i++)
		json_object_array_add(array, json_joined(books, i));
	return array;
}

static json_object *json_command(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *command = json_object_new_object();

	json_set(command, "argv", json_words(trace, host->argv));
	json_set_text(command, "cwd", trace, host->cwd);
	json_set_number(command, "joined", host->is_joined ? host->commands : 0);
	add_status(command, host->status);
	return command;
}

/* The processes that were already running, if neither a command nor the whole machine was recorded. */
static json_object *json_attached(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *attached = json_object_new_object(), *first = json_object_new_array();

	for (uint32_t i = 0; i < host->attached && i < TRACE_ATTACHED; i++) {
		json_object *row = json_object_new_object();

		json_set_number(row, "pid", host->attached_pid[i]);
		json_set_text(row, "name", trace, host->attached_name[i]);
		json_object_array_add(first, row);
	}
	json_set_number(attached, "processes", host->attached);
	json_set(attached, "first", first);
	return attached;
}

static json_object *json_host(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *object = json_object_new_object();

	json_set_text(object, "name", trace, host->hostname);
	json_set_text(object, "kernel", trace, host->release);
	json_set_text(object, "machine", trace, host->machine);
	json_set_known(object, "cpus", host->cpus, host->cpus);
	return object;
}

static uint64_t since_start(const struct trace *trace, uint64_t time)
{
	uint64_t start = trace_host(trace)->first_time;

	return time > start ? time - start : 0;
}

/* Returns the end of an archive that is cut short, or null. */
static json_object *json_end(const struct books *books)
{
	json_object *end;

	if (!books->end || !books->end->is_cut)
		return NULL;
	end = json_object_new_object();
	json_set_number(end, "duration_ns", since_start(books->trace, books->end->time));
	json_set_number(end, "errno", -books->end->code);
	return end;
}

/* Times are relative to the start; a pause that lasts to the end ends there. */
static json_object *json_pauses(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < trace_pauses(trace); i++) {
		const struct trace_pause *pause = trace_pause(trace, i);
		uint64_t from = pause->from > host->first_time ? pause->from : host->first_time;
		uint64_t to = pause->to < host->last_time ? pause->to : host->last_time;
		json_object *row;

		if (from >= to)
			continue;
		row = json_object_new_object();
		json_set_number(row, "start_ns", from - host->first_time);
		json_set_number(row, "duration_ns", to - from);
		json_object_array_add(array, row);
	}
	return array;
}

/* Start, duration, pauses, end. The start is null if the stream does not say what its clock means. */
static void add_times(json_object *top, const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	static const char *const conversion[] = {NULL, "stopped", "error"};
	static const char *const end[] = {"ended", "interrupted", "error", "detached", "limit"};
	/* A damaged capture may contain any time: a time beyond the calendar counts as unknown. */
	int64_t start = (int64_t)(host->first_time + (uint64_t)host->realtime_offset);
	time_t seconds = (time_t)(start / 1000000000);
	bool is_known = host->realtime_offset && start > 0;
	char text[64] = "", stamp[80];
	struct tm tm;

	if (is_known && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp, sizeof(stamp), "%s.%09dZ", text, (int)(start % 1000000000));
	json_set_word(top, "start", *text ? stamp : NULL);
	json_set_known(top, "start_ns", is_known, start);
	json_set_number(top, "duration_ns", since_start(trace, host->last_time));
	json_set_known(top, "cpu_wait_ns", host->cpu_wait, host->cpu_wait);
	json_set(top, "pauses", json_pauses(trace));
	json_set_word(top, "end",
		      (unsigned)host->end_reason <= TRACE_END_LIMIT ? end[host->end_reason] : NULL);
	json_set_known(top, "end_errno", host->end_errno, host->end_errno);
	json_set_word(top, "conversion_end", conversion[host->conversion]);
}

bool books_ends_early(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);

	if (host->is_joined)
		return host->end_reason > 0;
	return host->argv && host->status < 0 && host->end_reason >= 0;
}

/* A capture of iotrace names its source, and has an end unless iotrace was killed. A capture of perf has neither. */
static bool is_whole(const struct trace *trace, const struct tally *tally)
{
	const struct trace_host *host = trace_host(trace);

	if (tally_get(tally, refused) || tally_get(tally, uring_unseen) || host->conversion)
		return false;
	if (host->source != TRACE_SOURCE_UNKNOWN && host->end_reason < 0)
		return false;
	return host->end_reason != TRACE_END_ERROR && host->end_reason != TRACE_END_LIMIT &&
	       !books_ends_early(trace);
}

static json_object *json_metrics(const struct trace *trace)
{
	json_object *names = json_object_new_array();

	for (uint32_t s = 0; s < trace_series_count(trace); s++) {
		const struct trace_series *series = trace_series(trace, s);

		for (uint32_t i = 0; series->is_of_calls && i < series->metrics; i++)
			json_object_array_add(
				names,
				json_text(trace, trace_metric(trace, series->metric + i)->name));
	}
	return names;
}

static json_object *json_metric(const struct trace *trace, uint32_t id)
{
	const struct trace_metric *metric = trace_metric(trace, id);
	json_object *row = json_object_new_object();

	json_set_text(row, "name", trace, metric->name);
	json_set_text(row, "unit", trace, metric->unit);
	return row;
}

static json_object *json_series(const struct trace *trace, uint32_t id)
{
	const struct trace_series *series = trace_series(trace, id);
	json_object *row = json_object_new_object(), *metrics = json_object_new_array();

	for (uint32_t i = 0; i < series->metrics; i++)
		json_object_array_add(metrics, json_metric(trace, series->metric + i));
	json_set_text(row, "name", trace, series->name);
	json_set(row, "metrics", metrics);
	return row;
}

static json_object *json_parameter(const struct trace *trace, uint32_t id)
{
	return json_text(trace, trace_parameter(trace, id));
}

static json_object *json_devices(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < trace_devices(trace); id++)
		if (device_json_is_worth(trace, id))
			json_object_array_add(all, device_json(trace, id));
	return all;
}

static uint32_t count_groups(const struct trace *trace, enum trace_group kind)
{
	uint32_t count = 0;

	for (process_id p = 0; p < trace_processes(trace); p++)
		count += trace_process(trace, p)->kind == kind &&
			 !trace_process(trace, p)->is_excluded;
	return count;
}

static uint32_t count_sharing(const struct trace *trace)
{
	uint32_t count = 0;

	for (process_id p = 0; p < trace_processes(trace); p++)
		count += trace_process(trace, p)->sharing;
	return count;
}

static uint32_t count_threads(const struct trace *trace)
{
	uint32_t count = 0;

	for (thread_id t = 0; t < trace_threads(trace); t++)
		count += trace_thread(trace, t)->kind == LOCATION_THREAD &&
			 !trace_thread(trace, t)->is_excluded;
	return count;
}

static json_object *json_trace(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	const struct {
		const char *name;
		uint32_t count;
	} row[] = {
		{"processes", count_groups(trace, TRACE_PROCESS)},
		{"sharing_processes", count_sharing(trace)},
		{"threads", count_threads(trace)},
		{"devices", count_groups(trace, TRACE_DEVICE)},
		{"files", trace_files(trace)},
		{"handles", trace_handles(trace)},
		{"processes_seen", host->processes_seen},
		{"threads_seen", host->threads_seen},
		{"processes_left", host->processes_left},
	};
	json_object *object = json_object_new_object();

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		json_set_number(object, row[i].name, row[i].count);
	return object;
}

/* The kernel's count of each event. "counted" is null if it is meaningless, "lost" if the kernel does not count losses. */
static json_object *json_events(const struct books *books)
{
	const struct trace *trace = books->trace;
	json_object *events = json_object_new_array();

	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		json_object *row = json_object_new_object();

		json_set_text(row, "name", trace, count->name);
		json_set_known(row, "counted", !count->is_inexact, count->counted);
		json_set_known(row, "lost", count->has_lost, count->lost);
		json_set_number(row, "samples",
				samples_of(books->samples, books->events, count->event));
		json_object_array_add(events, row);
	}
	return events;
}

/* Old captures and those of perf do not name the source, which is perf. */
static const char *source_name(uint32_t source)
{
	return source == TRACE_SOURCE_BPF ? "bpf" : "perf";
}

static void add_sources(json_object *top, const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);

	json_set_word(top, "source", source_name(host->source));
	json_set_text(top, "source_why", trace, host->source_why);
	json_set_word(top, "block_source",
		      host->block_source ? source_name(host->block_source) : NULL);
	json_set_text(top, "block_source_why", trace, host->block_why);
}

static json_object *json_refused(const struct trace *trace, uint32_t id)
{
	const struct trace_refused *refused = trace_refused(trace, id);
	json_object *row = json_object_new_object();

	json_set_text(row, "name", trace, refused->name);
	json_set_text(row, "why", trace, refused->why);
	json_set_text(row, "instead", trace, refused->instead);
	return row;
}

static json_object *json_option(const struct trace *trace, uint32_t id)
{
	const struct trace_option *option = trace_option(trace, id);
	json_object *row = json_object_new_object();

	json_set_text(row, "from", trace, option->from);
	json_set_known(row, "line", option->line, option->line);
	json_set(row, "words", json_words(trace, option->words));
	return row;
}

static json_object *json_span(const struct trace *trace, uint32_t id)
{
	const struct trace_span *span = trace_span(trace, id);
	json_object *row = json_object_new_object();

	json_set_text(row, "name", trace, span->name);
	json_set_text(row, "definition", trace, span->definition);
	json_set_word(row, "as", span->region == ID_NONE ? "operations" : "regions");
	return row;
}

char *books_json(const struct books *books)
{
	const struct trace *trace = books->trace;
	const struct trace_host *host = trace_host(trace);
	json_object *top = json_object_new_object();
	char *text;

	json_set_number(top, "schema", BOOKS_SCHEMA);
	json_set_word(top, "iotrace", books->version);
	add_sources(top, trace);
	json_set(top, "refused", json_each(trace, trace_refusals(trace), json_refused));
	json_set(top, "options", json_each(trace, trace_options(trace), json_option));
	json_set(top, "command", json_command(trace));
	json_set(top, "commands", json_commands(books));
	json_set(top, "attached", json_attached(trace));
	json_set(top, "host", json_host(trace));
	json_set(top, "job", json_job(trace));
	json_set_bool(top, "whole_machine", host->is_system);
	add_times(top, trace);
	json_set(top, "archive_end", json_end(books));
	json_set_bool(top, "is_complete",
		      books->is_complete && !tally_get(books->tally, torn) &&
			      is_whole(trace, books->tally));
	json_set(top, "syscalls", filters_json_groups(filters_all_groups(trace, books->groups)));
	json_set(top, "metrics", json_metrics(trace));
	json_set(top, "series", json_each(trace, trace_series_count(trace), json_series));
	json_set(top, "parameters", json_each(trace, trace_parameters(trace), json_parameter));
	if (trace_spans(trace))
		json_set(top, "spans", json_each(trace, trace_spans(trace), json_span));
	json_set(top, "devices", json_devices(trace));
	json_set(top, "cgroups", json_each(trace, trace_cgroups(trace), cgroup_json));
	json_set(top, "trace", json_trace(trace));
	json_set(top, "books", json_books(trace, books->tally));
	json_set(top, "events", json_events(books));
	text = mem_strdup(
		json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_SPACED |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return text;
}

static int write_file(int directory, const char *text)
{
	int fd = openat(directory, BOOKS_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int code = 0;

	if (!file)
		return errno;
	if (fputs(text, file) < 0 || fputc('\n', file) < 0)
		code = errno;
	if (fclose(file) && !code)
		code = errno;
	if (code)
		unlinkat(directory, BOOKS_FILE, 0);
	return code;
}

int books_write(const struct books *books, int directory, struct error *err)
{
	char *text = books_json(books);
	int code = write_file(directory, text);

	free(text);
	return code ? error_set(err, code, "cannot write " BOOKS_FILE) : 0;
}
