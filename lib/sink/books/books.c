/*
 * books: iotrace.json, and what the kernel counted against what came.
 *
 * The file is written before the archive gets its name, so that a reader finds all of it or none.
 */
#include <iotrace/books.h>

#include "device_json.h"
#include "json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/syscall.h>
#include <iotrace/trace.h>
#include <json.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t samples_of(const uint64_t *samples, uint32_t events, uint32_t event)
{
	return event < events ? samples[event] : 0;
}

/*
 * What was counted and neither came nor was lost is unseen. That is worked out for each event, so that too much of
 * one cannot hide too little of another: then the equation fails.
 */
void books_settle(struct tally *tally, const struct trace *trace, const uint64_t *samples,
		  uint32_t events, const struct books_missing *missing)
{
	uint64_t counted = 0, lost = 0, unseen = 0, placed = 0, strays, cut;
	bool has_lost = true;

	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		uint64_t came = samples_of(samples, events, count->event) + count->lost;

		counted += count->counted;
		lost += count->lost;
		unseen += count->counted > came ? count->counted - came : 0;
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
	/* Samples too broken to say of which event they are. */
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
}

/* Either is null; both are if the end is not known. */
static void add_status(json_object *object, int status)
{
	bool is_exit = status >= 0 && WIFEXITED(status);
	bool is_signal = status >= 0 && WIFSIGNALED(status);

	json_object_object_add(object, "exit_status",
			       is_exit ? json_object_new_int(WEXITSTATUS(status)) : NULL);
	json_object_object_add(object, "signal",
			       is_signal ? json_object_new_int(WTERMSIG(status)) : NULL);
}

static json_object *json_commands(const struct trace *trace)
{
	json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < trace_commands(trace); i++) {
		const struct trace_command *command = trace_command(trace, i);
		json_object *row = json_object_new_object();

		json_object_object_add(row, "pid", json_object_new_int64(command->pid));
		json_object_object_add(row, "rank",
				       command->rank.is_known
					       ? json_object_new_int64(command->rank.number)
					       : NULL);
		json_object_object_add(row, "argv", json_words(trace, command->argv));
		add_status(row, command->status);
		json_object_array_add(array, row);
	}
	return array;
}

static json_object *json_command(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *command = json_object_new_object();

	json_object_object_add(command, "argv", json_words(trace, host->argv));
	json_object_object_add(command, "cwd", json_text(trace, host->cwd));
	json_object_object_add(command, "joined",
			       json_object_new_int64(host->is_joined ? host->commands : 0));
	add_status(command, host->status);
	return command;
}

static json_object *json_host(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	json_object *object = json_object_new_object();

	json_object_object_add(object, "name", json_text(trace, host->hostname));
	json_object_object_add(object, "kernel", json_text(trace, host->release));
	json_object_object_add(object, "machine", json_text(trace, host->machine));
	json_object_object_add(object, "cpus",
			       host->cpus ? json_object_new_int64(host->cpus) : NULL);
	return object;
}

/* The end of an archive that takes no events from there on. */
static json_object *json_end(const struct books *books)
{
	const struct trace_host *host = trace_host(books->trace);
	json_object *end;

	if (!books->end || !books->end->is_cut)
		return NULL;
	end = json_object_new_object();
	json_object_object_add(end, "duration_ns",
			       json_object_new_uint64(books->end->time > host->first_time
							      ? books->end->time - host->first_time
							      : 0));
	json_object_object_add(end, "errno", json_object_new_int(-books->end->code));
	return end;
}

/* Times from the start; a pause that lasts to the end ends there. */
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
		json_object_object_add(row, "start_ns",
				       json_object_new_uint64(from - host->first_time));
		json_object_object_add(row, "duration_ns", json_object_new_uint64(to - from));
		json_object_array_add(array, row);
	}
	return array;
}

/* Start, duration, pauses, end. The start is null if the stream does not say what its clock means. */
static void add_times(json_object *top, const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	static const char *const end[] = {"ended", "interrupted", "error", "detached"};
	/* A capture may say anything: what is beyond all calendars is not known. */
	int64_t start = (int64_t)(host->first_time + (uint64_t)host->realtime_offset);
	time_t seconds = (time_t)(start / 1000000000);
	bool is_known = host->realtime_offset && start > 0;
	char text[64] = "", stamp[80];
	struct tm tm;

	if (is_known && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp, sizeof(stamp), "%s.%09dZ", text, (int)(start % 1000000000));
	json_object_object_add(top, "start", *text ? json_object_new_string(stamp) : NULL);
	json_object_object_add(top, "start_ns", is_known ? json_object_new_int64(start) : NULL);
	json_object_object_add(top, "duration_ns",
			       json_object_new_uint64(host->last_time > host->first_time
							      ? host->last_time - host->first_time
							      : 0));
	json_object_object_add(top, "pauses", json_pauses(trace));
	json_object_object_add(top, "end",
			       host->end_reason >= 0 && host->end_reason < 4
				       ? json_object_new_string(end[host->end_reason])
				       : NULL);
	json_object_object_add(top, "end_errno",
			       host->end_errno ? json_object_new_int(host->end_errno) : NULL);
}

bool books_ends_early(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);

	if (host->is_joined)
		return host->end_reason > 0;
	return host->argv && host->status < 0 && host->end_reason >= 0;
}

/* A capture of iotrace says who paired the calls, and has an end unless iotrace was killed; those of perf have neither. */
static bool is_whole(const struct trace *trace, const struct tally *tally)
{
	const struct trace_host *host = trace_host(trace);

	if (tally_get(tally, refused) || tally_get(tally, uring_unseen))
		return false;
	if (host->source != TRACE_SOURCE_UNKNOWN && host->end_reason < 0)
		return false;
	return host->end_reason != TRACE_END_ERROR && !books_ends_early(trace);
}

static json_object *json_groups(uint32_t groups)
{
	json_object *names = groups ? json_object_new_array() : NULL;

	for (int i = 0; groups && i < GROUP_COUNT; i++) {
		if (groups & 1U << i)
			json_object_array_add(names, json_object_new_string(
							     call_group_name((enum call_group)i)));
	}
	return names;
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

static json_object *json_series(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t s = 0; s < trace_series_count(trace); s++) {
		const struct trace_series *series = trace_series(trace, s);
		json_object *row = json_object_new_object(), *metrics = json_object_new_array();

		for (uint32_t i = 0; i < series->metrics; i++) {
			const struct trace_metric *metric = trace_metric(trace, series->metric + i);
			json_object *pair = json_object_new_object();

			json_object_object_add(pair, "name", json_text(trace, metric->name));
			json_object_object_add(pair, "unit", json_text(trace, metric->unit));
			json_object_array_add(metrics, pair);
		}
		json_object_object_add(row, "name", json_text(trace, series->name));
		json_object_object_add(row, "metrics", metrics);
		json_object_array_add(all, row);
	}
	return all;
}

static json_object *json_parameters(const struct trace *trace)
{
	json_object *names = json_object_new_array();

	for (uint32_t i = 0; i < trace_parameters(trace); i++)
		json_object_array_add(names, json_text(trace, trace_parameter(trace, i)));
	return names;
}

static json_object *json_devices(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < trace_devices(trace); id++)
		if (device_json_is_worth(trace, id))
			json_object_array_add(all, device_json(trace, id));
	return all;
}

static json_object *json_cgroups(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < trace_cgroups(trace); id++)
		json_object_array_add(all, cgroup_json(trace, id));
	return all;
}

static uint32_t count_groups(const struct trace *trace, enum trace_group kind)
{
	uint32_t count = 0;

	for (process_id p = 0; p < trace_processes(trace); p++)
		count += trace_process(trace, p)->kind == kind &&
			 !trace_process(trace, p)->is_left_out;
	return count;
}

static uint32_t count_folded(const struct trace *trace)
{
	uint32_t count = 0;

	for (process_id p = 0; p < trace_processes(trace); p++)
		count += trace_process(trace, p)->folded;
	return count;
}

static uint32_t count_threads(const struct trace *trace)
{
	uint32_t count = 0;

	for (thread_id t = 0; t < trace_threads(trace); t++)
		count += trace_thread(trace, t)->kind == LOCATION_THREAD &&
			 !trace_thread(trace, t)->is_left_out;
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
		{"folded_processes", count_folded(trace)},
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
		json_object_object_add(object, row[i].name, json_object_new_int64(row[i].count));
	return object;
}

/* What the kernel counted, event by event. "lost" is null where it cannot say (before Linux 6.0). */
static json_object *json_events(const struct books *books)
{
	const struct trace *trace = books->trace;
	json_object *events = json_object_new_array();

	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		json_object *row = json_object_new_object();

		json_object_object_add(row, "name", json_text(trace, count->name));
		json_object_object_add(row, "counted", json_object_new_uint64(count->counted));
		json_object_object_add(row, "lost",
				       count->has_lost ? json_object_new_uint64(count->lost)
						       : NULL);
		json_object_object_add(row, "samples",
				       json_object_new_uint64(samples_of(books->samples,
									 books->events,
									 count->event)));
		json_object_array_add(events, row);
	}
	return events;
}

/* Captures of old, and those of perf, say nothing of it: they are perf's. */
static const char *source_name(uint32_t source)
{
	return source == TRACE_SOURCE_BPF ? "bpf" : "perf";
}

static void add_sources(json_object *top, const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);

	json_object_object_add(top, "source", json_object_new_string(source_name(host->source)));
	json_object_object_add(top, "source_why", json_text(trace, host->source_why));
	json_object_object_add(top, "block_source",
			       host->block_source
				       ? json_object_new_string(source_name(host->block_source))
				       : NULL);
	json_object_object_add(top, "block_source_why", json_text(trace, host->block_why));
}

static json_object *json_refused(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < trace_refusals(trace); i++) {
		const struct trace_refused *refused = trace_refused(trace, i);
		json_object *row = json_object_new_object();

		json_object_object_add(row, "name", json_text(trace, refused->name));
		json_object_object_add(row, "why", json_text(trace, refused->why));
		json_object_object_add(row, "instead", json_text(trace, refused->instead));
		json_object_array_add(all, row);
	}
	return all;
}

static json_object *json_options(const struct trace *trace)
{
	json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < trace_options(trace); i++) {
		const struct trace_option *option = trace_option(trace, i);
		json_object *row = json_object_new_object();

		json_object_object_add(row, "from", json_text(trace, option->from));
		json_object_object_add(row, "line",
				       option->line ? json_object_new_int64(option->line) : NULL);
		json_object_object_add(row, "words", json_words(trace, option->words));
		json_object_array_add(all, row);
	}
	return all;
}

char *books_json(const struct books *books)
{
	const struct trace_host *host = trace_host(books->trace);
	json_object *top = json_object_new_object();
	char *text;

	json_object_object_add(top, "schema", json_object_new_int(BOOKS_SCHEMA));
	json_object_object_add(top, "iotrace", json_object_new_string(books->version));
	add_sources(top, books->trace);
	json_object_object_add(top, "refused", json_refused(books->trace));
	json_object_object_add(top, "options", json_options(books->trace));
	json_object_object_add(top, "command", json_command(books->trace));
	json_object_object_add(top, "commands", json_commands(books->trace));
	json_object_object_add(top, "host", json_host(books->trace));
	json_object_object_add(top, "job", json_job(books->trace));
	json_object_object_add(top, "whole_machine", json_object_new_boolean(host->is_system));
	add_times(top, books->trace);
	json_object_object_add(top, "archive_end", json_end(books));
	json_object_object_add(top, "is_complete",
			       json_object_new_boolean(books->is_complete &&
						       !tally_get(books->tally, torn) &&
						       is_whole(books->trace, books->tally)));
	json_object_object_add(top, "syscalls", json_groups(books->groups));
	json_object_object_add(top, "metrics", json_metrics(books->trace));
	json_object_object_add(top, "series", json_series(books->trace));
	json_object_object_add(top, "parameters", json_parameters(books->trace));
	json_object_object_add(top, "devices", json_devices(books->trace));
	json_object_object_add(top, "cgroups", json_cgroups(books->trace));
	json_object_object_add(top, "trace", json_trace(books->trace));
	json_object_object_add(top, "books", json_books(books->trace, books->tally));
	json_object_object_add(top, "events", json_events(books));
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
	return code ? error_set(err, code, "write " BOOKS_FILE) : 0;
}
