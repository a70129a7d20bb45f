#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_OF_STRING = 32 }; /* about the size of what refers to a string by its id */

uint32_t trace_parameters(const struct trace *trace)
{
	return trace->parameters;
}

str_id trace_parameter(const struct trace *trace, uint32_t id)
{
	return trace->parameter[id];
}

uint32_t trace_filters(const struct trace *trace)
{
	return trace->filters.count;
}

const struct trace_filter *trace_filter(const struct trace *trace, uint32_t id)
{
	return &trace->filters.filter[id];
}

uint32_t trace_others(const struct trace *trace, str_id name[TRACE_OTHERS])
{
	memcpy(name, trace->filters.other, sizeof(trace->filters.other));
	return trace->filters.others;
}

bool trace_met_path(const struct trace *trace)
{
	bool has_any = false;

	for (uint32_t i = 0; i < trace->filters.count; i++)
		has_any |= trace->filters.filter[i].kind <= FILTER_PATH_EXCLUDED;
	return !has_any || trace->filters.has_met_path;
}

uint64_t trace_calls_elsewhere(const struct trace *trace)
{
	return trace->filters.calls_elsewhere;
}

uint64_t trace_unseen_ends(const struct trace *trace)
{
	return trace->unseen_ends;
}

const struct trace_host *trace_host(const struct trace *trace)
{
	return &trace->host;
}

struct cold *trace_cold(const struct trace *trace)
{
	return trace->cold;
}

const struct strtab *trace_strings(const struct trace *trace)
{
	return trace->strings;
}

uint64_t trace_bytes(const struct trace *trace)
{
	return strtab_bytes(trace->strings) +
	       strtab_count(trace->strings) * (uint64_t)BYTES_OF_STRING +
	       trace->threads * sizeof(*trace->thread) +
	       trace->processes * sizeof(*trace->process) + trace->files * sizeof(*trace->file) +
	       trace->handles * sizeof(*trace->handle);
}

const char *trace_text(const struct trace *trace, str_id id)
{
	return strtab_text(trace->strings, id);
}

void trace_init(struct trace *trace)
{
	*trace = (struct trace){.strings = strtab_new()};
}

void trace_release(struct trace *trace)
{
	void *const array[] = {trace->thread,  trace->process,   trace->mount,
			       trace->device,  trace->cgroup,    trace->series,
			       trace->metric,  trace->parameter, trace->count,
			       trace->refused, trace->option,    trace->region,
			       trace->pause,   trace->command,   trace->filters.filter,
			       trace->span};

	for (size_t i = 0; i < sizeof(array) / sizeof(*array); i++)
		free(array[i]);
	cold_area_release(&trace->file_area, trace->file);
	cold_area_release(&trace->handle_area, trace->handle);
	strtab_free(trace->strings);
	cold_free(trace->cold);
}

void trace_use_directory(struct trace *trace, int directory)
{
	if (trace->cold || directory < 0)
		return;
	trace->cold = cold_new(directory);
	trace->file_area.cold = trace->handle_area.cold = trace->cold;
	strtab_use(trace->strings, trace->cold);
}

str_id trace_string(struct trace *trace, const char *bytes, size_t length)
{
	return length ? strtab_add(trace->strings, bytes, length) : 0;
}

static str_id text(struct trace *trace, const char *words)
{
	return trace_string(trace, words, strlen(words));
}

void trace_add_calls(struct trace *trace)
{
	MEM_GROW(trace->region, trace->regions_cap, call_count());
	for (uint32_t id = 0; id < call_count(); id++) {
		const struct call_row *row = call_row((call_id)id);

		trace->region[id] = (struct trace_region){
			.name = text(trace, row->name),
			.source = REGION_CALL,
			.kind = row->kind,
			.group = row->group,
			.traits = row->traits,
			.has_path = row->path != CALL_NO_ARG,
			.has_two_paths = row->path2 != CALL_NO_ARG,
		};
	}
	trace->regions = call_count();
}

uint32_t trace_add_series(struct trace *trace, const char *name, bool is_of_calls,
			  const struct trace_metric_text *metric, uint32_t metrics)
{
	MEM_GROW(trace->series, trace->series_cap, trace->series_count + 1);
	trace->series[trace->series_count] = (struct trace_series){.name = text(trace, name),
								   .metric = trace->metrics,
								   .metrics = metrics,
								   .is_of_calls = is_of_calls};
	for (uint32_t i = 0; i < metrics; i++) {
		MEM_GROW(trace->metric, trace->metrics_cap, trace->metrics + 1);
		trace->metric[trace->metrics++] = (struct trace_metric){
			.name = text(trace, metric[i].name),
			.unit = text(trace, metric[i].unit),
			.description = text(trace, metric[i].description),
			.is_accumulated = metric[i].is_accumulated,
			.is_signed = metric[i].is_signed,
		};
	}
	return trace->series_count++;
}

static region_id add_region(struct trace *trace, str_id name)
{
	MEM_GROW(trace->region, trace->regions_cap, trace->regions + 1);
	trace->region[trace->regions] = (struct trace_region){.name = name,
							      .source = REGION_SPAN,
							      .kind = CALL_META,
							      .group = GROUP_TASK};
	return trace->regions++;
}

uint32_t trace_add_span(struct trace *trace, const char *name, const char *definition,
			bool is_nested)
{
	str_id id = text(trace, name);

	MEM_GROW(trace->span, trace->spans_cap, trace->spans + 1);
	trace->span[trace->spans] = (struct trace_span){.name = id,
							.definition = text(trace, definition),
							.region = is_nested ? add_region(trace, id)
									    : ID_NONE};
	return trace->spans++;
}

uint32_t trace_add_parameter(struct trace *trace, const char *name)
{
	MEM_GROW(trace->parameter, trace->parameters_cap, trace->parameters + 1);
	trace->parameter[trace->parameters] = text(trace, name);
	return trace->parameters++;
}
