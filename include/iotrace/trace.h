/*
 * trace: the definitions of a trace, which its io_events refer to by id.
 *
 * The model fills a trace while it reads a capture, and lib/archive while it reads an OTF2 archive. Sinks read it
 * and know neither of the two. An id is an index. Arrays only grow, so ids stay valid; pointers into arrays are
 * valid until the next event.
 */
#pragma once

#include <iotrace/cold.h>
#include <iotrace/definition.h>
#include <iotrace/device.h>
#include <iotrace/metric.h>
#include <iotrace/recorded.h>

/* NAME[id], id < NAMEs; owned by the trace. The code that fills an array grows it with its capacity, NAMEs_cap. */
struct trace {
	struct strtab *strings;
	struct cold *cold; /* store of large arrays, also for sinks; NULL: memory */
	struct cold_area file_area, handle_area;
	struct trace_thread *thread;
	struct trace_process *process;
	struct trace_file *file;
	struct trace_handle *handle;
	struct trace_mount *mount;
	struct trace_region *region;
	struct trace_device *device;
	struct trace_cgroup *cgroup;
	struct trace_series *series;
	struct trace_metric *metric;
	str_id *parameter;
	struct trace_count *count;
	struct trace_refused *refused;
	struct trace_option *option;
	struct trace_span *span;
	struct trace_pause *pause;     /* in the order of time */
	struct trace_command *command; /* in the order in which they joined */
	uint32_t threads, threads_cap, processes, processes_cap, files, files_cap, handles,
		handles_cap;
	uint32_t regions, regions_cap, mounts, mounts_cap, devices, devices_cap, cgroups,
		cgroups_cap;
	uint32_t series_count, series_cap, metrics, metrics_cap, parameters, parameters_cap;
	uint32_t counts, counts_cap, refusals, refused_cap, options, options_cap, pauses,
		pauses_cap, commands, commands_cap, spans, spans_cap;
	struct trace_filters filters;
	struct trace_host host;
	uint64_t unseen_ends; /* block requests that have ended without an event */
};

uint32_t trace_filters(const struct trace *trace);
uint32_t trace_parameters(const struct trace *trace);
/* trace_threads() returns how many there are, trace_thread() one of them, lent until the next event. */
#define ACCESSOR(type, plural, singular, number)                                                   \
	static inline uint32_t trace_##plural(const struct trace *trace)                           \
	{                                                                                          \
		return trace->number;                                                              \
	}                                                                                          \
	static inline const struct type *trace_##singular(const struct trace *trace, uint32_t id)  \
	{                                                                                          \
		return &trace->singular[id];                                                       \
	}

ACCESSOR(trace_thread, threads, thread, threads)
ACCESSOR(trace_process, processes, process, processes)
ACCESSOR(trace_file, files, file, files)
ACCESSOR(trace_handle, handles, handle, handles)
ACCESSOR(trace_mount, mounts, mount, mounts)
ACCESSOR(trace_region, regions, region, regions)
ACCESSOR(trace_device, devices, device, devices)
ACCESSOR(trace_cgroup, cgroups, cgroup, cgroups)
ACCESSOR(trace_series, series_count, series, series_count)
ACCESSOR(trace_metric, metrics, metric, metrics)
ACCESSOR(trace_count, counts, count, counts)
ACCESSOR(trace_refused, refusals, refused, refusals)
ACCESSOR(trace_option, options, option, options)
ACCESSOR(trace_pause, pauses, pause, pauses)
ACCESSOR(trace_span, spans, span, spans)
ACCESSOR(trace_command, commands, command, commands)
#undef ACCESSOR
const struct trace_filter *trace_filter(const struct trace *trace, uint32_t id);
str_id trace_parameter(const struct trace *trace, uint32_t id);
const struct trace_host *trace_host(const struct trace *trace);
struct cold *trace_cold(const struct trace *trace);
const struct strtab *trace_strings(const struct trace *trace);
/* Returns about how many bytes the definitions of processes, threads and files take. */
uint64_t trace_bytes(const struct trace *trace);
/* Lent for the life of the trace. */
const char *trace_text(const struct trace *trace, str_id id);
/* Returns the number of command names of excluded tasks. */
uint32_t trace_others(const struct trace *trace, str_id name[TRACE_OTHERS]);
/* Returns whether a file name matched --path, or there was no such filter. */
bool trace_met_path(const struct trace *trace);
uint64_t trace_calls_elsewhere(const struct trace *trace);
uint64_t trace_unseen_ends(const struct trace *trace);

/* Initializes an empty trace. The struct must not move, because its large arrays may be in files. */
void trace_init(struct trace *trace);
/* Frees all that it owns. */
void trace_release(struct trace *trace);
/* Large tables may be in unlinked files in this directory. Call it before the first definition. */
void trace_use_directory(struct trace *trace, int directory);
/* Returns the id of the bytes, which are copied if they are new; 0 if size is 0. */
str_id trace_string(struct trace *trace, const char *bytes, size_t length);

/* Defines a region for each system call; its id is the call_id. Call it before all other regions are defined. */
void trace_add_calls(struct trace *trace);

/* The texts of a metric, for trace_add_series(). */
struct trace_metric_text {
	const char *name, *unit, *description;
	bool is_accumulated, is_signed;
};
/* Returns a new series. Copies the texts. Call it before the first event of the series. */
uint32_t trace_add_series(struct trace *trace, const char *name, bool is_of_calls,
			  const struct trace_metric_text *metric, uint32_t metrics);
/* Returns a new kind of span, and a region for it if its spans nest. Copies the texts. */
uint32_t trace_add_span(struct trace *trace, const char *name, const char *definition,
			bool is_nested);
/* Returns a new parameter, a string field of an event of -e. Copies the name. */
uint32_t trace_add_parameter(struct trace *trace, const char *name);
