/*
 * read_note: reads what only archives of iotrace have: the counters, as properties of the trace, and iotrace.json.
 *
 * Either may be missing or damaged.
 */
#include "reader.h"
#include "verify/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/device_stat.h>
#include <iotrace/pause.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR_SIZE = 512 };

static uint64_t number_of(const struct reader *r, const char *name)
{
	const char *value;
	char key[128];

	snprintf(key, sizeof(key), "IOTRACE::%s", name);
	for (char *c = key; *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	value = anchor_property(&r->walk.anchor, key);
	return value ? strtoull(value, NULL, 10) : 0;
}

static void read_counters(struct reader *r)
{
	struct tally *tally = r->source->tally;

	for (uint32_t i = 0; i < TALLY_COUNT; i++)
		tally->n[i] += number_of(r, tally_name(i));
	r->trace->host.processes_seen = (uint32_t)number_of(r, "processes_seen");
	r->trace->host.threads_seen = (uint32_t)number_of(r, "threads_seen");
}

static struct json_object *member(struct json_object *object, const char *name, enum json_type type)
{
	struct json_object *value;

	return object && json_object_is_type(object, json_type_object) &&
			       json_object_object_get_ex(object, name, &value) &&
			       json_object_is_type(value, type)
		       ? value
		       : NULL;
}

static str_id text_of(struct reader *r, struct json_object *value)
{
	return value ? read_text(r, json_object_get_string(value),
				 (size_t)json_object_get_string_len(value))
		     : 0;
}

/* Returns the words of the command, separated by NUL. */
static str_id read_words(struct reader *r, struct json_object *words)
{
	size_t count = words ? json_object_array_length(words) : 0, size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	str_id argv = 0;

	if (!out)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct json_object *word = json_object_array_get_idx(words, i);

		if (!json_object_is_type(word, json_type_string))
			continue;
		if (i)
			fputc('\0', out);
		str_id id = text_of(r, word);

		fwrite(trace_text(r->trace, id), 1, strtab_length(r->trace->strings, id), out);
	}
	if (fclose(out) == 0)
		argv = trace_string(r->trace, text, size);
	free(text);
	return argv;
}

static void read_command(struct reader *r, struct json_object *command)
{
	struct trace_host *host = &r->trace->host;
	struct json_object *status = member(command, "exit_status", json_type_int);
	struct json_object *signal = member(command, "signal", json_type_int);
	struct json_object *joined = member(command, "joined", json_type_int);

	host->argv = read_words(r, member(command, "argv", json_type_array));
	host->cwd = text_of(r, member(command, "cwd", json_type_string));
	if (joined)
		host->commands = (uint32_t)json_object_get_int64(joined);
	host->is_joined = host->commands > 0;
	if (status)
		host->status = (json_object_get_int(status) & 0xff) << 8;
	else if (signal)
		host->status = json_object_get_int(signal) & 0x7f;
}

static uint64_t number(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name, json_type_int);

	return value ? json_object_get_uint64(value) : 0;
}

static void read_job(struct reader *r, struct json_object *job)
{
	r->trace->host.job = (struct trace_job){
		.system = text_of(r, member(job, "system", json_type_string)),
		.id = text_of(r, member(job, "id", json_type_string)),
		.name = text_of(r, member(job, "name", json_type_string)),
		.user = text_of(r, member(job, "user", json_type_string)),
		.nodes = (uint32_t)number(job, "nodes"),
		.ranks = (uint32_t)number(job, "ranks"),
	};
}

static void read_reason(struct reader *r, struct json_object *top)
{
	static const char *const end[] = {"ended", "interrupted", "error", "detached", "limit"};
	struct json_object *value = member(top, "end", json_type_string);

	for (int i = 0; value && i <= TRACE_END_LIMIT; i++)
		if (!strcmp(json_object_get_string(value), end[i]))
			r->trace->host.end_reason = i;
}

static void read_conversion(struct reader *r, struct json_object *top)
{
	struct json_object *value = member(top, "conversion_end", json_type_string);

	if (value)
		r->trace->host.conversion = !strcmp(json_object_get_string(value), "stopped")
						    ? TRACE_CONVERSION_STOPPED
						    : TRACE_CONVERSION_UNWRITTEN;
}

/* If the archive ends early, later events are not in it. */
static void read_early_end(struct reader *r, struct json_object *top)
{
	struct trace_host *host = &r->trace->host;
	struct json_object *error = member(top, "end_errno", json_type_int);
	struct json_object *end = member(top, "archive_end", json_type_object);
	struct json_object *duration = member(end, "duration_ns", json_type_int);

	if (error)
		host->end_errno = json_object_get_int(error);
	if (!duration)
		return;
	error = member(end, "errno", json_type_int);
	host->last_time = host->first_time + (uint64_t)json_object_get_int64(duration);
	host->end_reason = TRACE_END_ERROR;
	host->end_errno = error ? json_object_get_int(error) : 0;
	/* Such a thread was still running when the archive ended. */
	for (thread_id t = 0; t < r->trace->threads; t++)
		if (r->trace->thread[t].end > host->last_time)
			r->trace->thread[t].end = 0;
}

/* Reads the processes that were already running. */
static void read_attached(struct reader *r, struct json_object *attached)
{
	struct trace_host *host = &r->trace->host;
	struct json_object *rows = member(attached, "first", json_type_array);
	size_t count = rows ? json_object_array_length(rows) : 0;

	for (size_t i = 0; i < count && i < TRACE_ATTACHED; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		host->attached_pid[i] = (uint32_t)number(row, "pid");
		host->attached_name[i] = text_of(r, member(row, "name", json_type_string));
		host->attached = (uint32_t)i + 1;
	}
	if (number(attached, "processes") > host->attached && count >= TRACE_ATTACHED)
		host->attached = (uint32_t)number(attached, "processes");
}

static void read_source(struct reader *r, struct json_object *top)
{
	struct trace_host *host = &r->trace->host;
	struct json_object *source = member(top, "source", json_type_string);
	struct json_object *block = member(top, "block_source", json_type_string);

	if (source)
		host->source = !strcmp(json_object_get_string(source), "bpf") ? TRACE_SOURCE_BPF
									      : TRACE_SOURCE_PERF;
	if (block)
		host->block_source = !strcmp(json_object_get_string(block), "bpf")
					     ? TRACE_SOURCE_BPF
					     : TRACE_SOURCE_PERF;
	host->source_why = text_of(r, member(top, "source_why", json_type_string));
	host->block_why = text_of(r, member(top, "block_source_why", json_type_string));
	host->block = host->block_source ? BLOCK_ALL : BLOCK_NONE;
	/* A capture of `perf record` has no END fact; a capture of iotrace has one unless iotrace was killed. */
	if (host->end_reason < 0 && host->source == TRACE_SOURCE_PERF)
		host->source = TRACE_SOURCE_UNKNOWN;
}

static void read_pauses(struct reader *r, struct json_object *pauses)
{
	size_t count = pauses ? json_object_array_length(pauses) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = json_object_array_get_idx(pauses, i);
		uint64_t from = r->trace->host.first_time + number(row, "start_ns");

		trace_set_paused(r->trace, from, true);
		trace_set_paused(r->trace, from + number(row, "duration_ns"), false);
	}
}

static void read_times(struct reader *r, struct json_object *top)
{
	struct trace_host *host = &r->trace->host;
	struct json_object *start = member(top, "start_ns", json_type_int);
	struct json_object *duration = member(top, "duration_ns", json_type_int);
	struct json_object *trace = member(top, "trace", json_type_object);
	struct json_object *left = member(trace, "processes_left", json_type_int);

	if (start && host->realtime_offset)
		host->first_time = (uint64_t)(json_object_get_int64(start) - host->realtime_offset);
	if (duration)
		host->last_time = host->first_time + (uint64_t)json_object_get_int64(duration);
	read_pauses(r, member(top, "pauses", json_type_array));
	host->cpu_wait = number(top, "cpu_wait_ns");
	if (left)
		host->processes_left = (uint32_t)json_object_get_int(left);
}

static void read_names(struct reader *r, struct json_object *top)
{
	struct json_object *series = member(top, "series", json_type_array);
	size_t count = series ? json_object_array_length(series) : 0;

	for (size_t i = 0; i < count && i < r->trace->series_count; i++)
		r->trace->series[i].name = text_of(r, member(json_object_array_get_idx(series, i),
							     "name", json_type_string));
}

static void read_spans(struct reader *r, struct json_object *spans)
{
	size_t count = spans ? json_object_array_length(spans) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = json_object_array_get_idx(spans, i);
		struct json_object *name = member(row, "name", json_type_string);
		struct json_object *definition = member(row, "definition", json_type_string);

		if (name)
			trace_add_span(r->trace, json_object_get_string(name),
				       definition ? json_object_get_string(definition) : "", false);
	}
}

static struct trace_device *device_named(struct reader *r, str_id name)
{
	for (uint32_t i = 0; name && i < r->trace->devices; i++)
		if (r->trace->device[i].name == name)
			return &r->trace->device[i];
	return NULL;
}

/* A device without requests has no location, so only this file has its properties. */
static struct trace_device *add_device(struct reader *r, struct json_object *row, str_id name)
{
	struct json_object *dev = member(row, "dev", json_type_string);
	struct json_object *turns = member(row, "rotational", json_type_boolean);
	struct trace_device *device;

	if (!name || !dev)
		return NULL;
	uint32_t id = read_add_device(r, name, json_object_get_string(dev));

	device = &r->trace->device[id]; /* the array may have moved */
	device->model = text_of(r, member(row, "model", json_type_string));
	device->scheduler = text_of(r, member(row, "scheduler", json_type_string));
	device->under = text_of(r, member(row, "under", json_type_string));
	device->backing = text_of(r, member(row, "backing", json_type_string));
	device->sectors = number(row, "size") / SECTOR_SIZE;
	device->is_known = turns;
	device->is_rotational = turns && json_object_get_boolean(turns);
	return device;
}

/* Reads what the kernel counted for a device, and how many of it was recorded. */
static void read_device(struct reader *r, struct json_object *row)
{
	str_id name = text_of(r, member(row, "name", json_type_string));
	struct trace_device *device = device_named(r, name);

	/* A device without requests: the page cache may have served all reads and writes. */
	if (!device)
		device = add_device(r, row, name);
	for (int i = 0; device && i < STAT_KINDS; i++) {
		enum device_stat_kind kind = (enum device_stat_kind)i;
		struct json_object *stat = member(row, device_stat_name(kind), json_type_object);
		const struct device_stat seen = {number(stat, "requests"), number(stat, "sectors")};
		const struct device_stat kernel = {number(stat, "kernel_requests"),
						   number(stat, "kernel_sectors")};
		bool has_kernel = member(stat, "kernel_requests", json_type_int);

		device_stat_set(device, kind, &seen, has_kernel ? &kernel : NULL);
	}
}

/* Reads the disk of a partition. */
static void read_disk(struct reader *r, struct json_object *row)
{
	struct trace_device *device =
		device_named(r, text_of(r, member(row, "name", json_type_string)));
	const struct trace_device *disk =
		device_named(r, text_of(r, member(row, "disk", json_type_string)));

	if (device && disk && device != disk)
		device->disk = (uint32_t)(disk - r->trace->device);
}

static void read_devices(struct reader *r, struct json_object *devices)
{
	size_t count = devices ? json_object_array_length(devices) : 0;

	for (size_t i = 0; i < count; i++)
		read_device(r, json_object_array_get_idx(devices, i));
	for (size_t i = 0; i < count; i++)
		read_disk(r, json_object_array_get_idx(devices, i));
}

void read_notes(struct reader *r)
{
	struct trace_host *host = &r->trace->host;
	const char *wrong = "is not JSON";
	struct json_object *top;
	int code = 0;

	host->status = host->end_reason = -1;
	host->first_time = read_time(r, r->first);
	host->last_time = read_time(r, r->first > UINT64_MAX - r->length ? UINT64_MAX
									 : r->first + r->length);
	if (r->realtime != OTF2_UNDEFINED_TIMESTAMP)
		host->realtime_offset = (int64_t)(r->realtime - host->first_time);
	if (!r->is_ours) {
		host->processes_seen = r->trace->processes;
		host->threads_seen = r->trace->threads;
		return;
	}
	read_counters(r);
	errno = 0;
	top = verify_read_books(r->walk.dir, &wrong);
	code = errno;
	if (!top && code != ENOENT)
		walk_found(&r->walk, "iotrace.json %s", wrong);
	if (!top)
		return;
	read_command(r, member(top, "command", json_type_object));
	read_attached(r, member(top, "attached", json_type_object));
	read_job(r, member(top, "job", json_type_object));
	read_reason(r, top);
	read_conversion(r, top);
	read_source(r, top);
	read_times(r, top);
	read_early_end(r, top);
	r->trace->host.is_system = json_object_get_boolean(
		member(top, "whole_machine", json_type_boolean));
	read_names(r, top);
	read_devices(r, member(top, "devices", json_type_array));
	read_spans(r, member(top, "spans", json_type_array));
	json_object_put(top);
}
