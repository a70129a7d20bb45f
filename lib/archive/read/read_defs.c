/*
 * read_defs: converts definitions to struct trace.
 *
 * A definition may come before definitions that it refers to. So definitions are read in several passes, and each pass needs only
 * the results of earlier passes.
 */
#include "reader.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static str_id add_text(struct reader *r, const char *text)
{
	return trace_string(r->trace, text, strlen(text));
}

/* Returns the id that a field refers to, or ID_NONE. */
static uint32_t id_of(const struct reader *r, const struct value *field)
{
	return walk_id_of(&r->walk, field);
}

static void clock(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;

	(void)id;
	r->resolution = is[0].is;
	r->first = is[1].is;
	r->length = is[2].is;
	r->realtime = is[3].is;
}

static void string(struct reader *r, const struct record *record, uint32_t id)
{
	r->string[id] = read_text(r, record->text[0], strlen(record->text[0]));
}

static void attribute(struct reader *r, const struct record *record, uint32_t id)
{
	static const char *const name[READ_ATTRIBUTES] = {
#define OTF2_ATTRIBUTE(id, type, name, ...) name,
#include <iotrace/otf2.def>
	};
	str_id is = read_string(r, &record->value[1]);
	struct trace *trace = r->trace;
	int known = 0;

	while (known < READ_ATTRIBUTES && !read_is(r, is, name[known]))
		known++;
	r->attribute[id] = (enum read_attribute)known;
	r->parameter[id] = NONE;
	if (known < READ_ATTRIBUTES || record->value[2].is < OTF2_TYPE_STRING)
		return;
	/* The values of this attribute are strings, or definitions with names. */
	MEM_GROW(trace->parameter, trace->parameters_cap, trace->parameters + 1);
	trace->parameter[trace->parameters] = is;
	r->parameter[id] = trace->parameters++;
}

uint32_t read_add_device(struct reader *r, str_id name, const char *number)
{
	struct trace *trace = r->trace;

	MEM_GROW(trace->device, trace->devices_cap, trace->devices + 1);
	trace->device[trace->devices] = (struct trace_device){.name = name,
							      .dev = read_device_number(number),
							      .disk = ID_NONE,
							      .group = ID_NONE,
							      .location = ID_NONE,
							      .samples = ID_NONE,
							      .handle = ID_NONE};
	return trace->devices++;
}

static void node(struct reader *r, const struct record *record, uint32_t id)
{
	struct trace_host *host = &r->trace->host;
	str_id name = read_string(r, &record->value[1]);
	str_id class = read_string(r, &record->value[2]);

	r->device_of_node[id] = NONE;
	if (read_is(r, class, "block device"))
		r->device_of_node[id] = read_add_device(r, name, "");
	else if (!host->hostname && read_is(r, class, "node"))
		host->hostname = name;
}

static void paradigm(struct reader *r, const struct record *record, uint32_t id)
{
	r->is_block[id] = read_is(r, read_string(r, &record->value[1]), "block_io");
	r->is_span[id] = r->is_ours && read_is(r, read_string(r, &record->value[1]), "span");
}

/* Its fields: itself, name, description, type, mode, type of its values, base, exponent, unit. */
static void member(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;

	r->member[id] = (struct read_member){
		.name = read_string(r, &is[1]),
		.unit = read_string(r, &is[8]),
		.description = read_string(r, &is[2]),
		.is_accumulated = is[4].is == OTF2_METRIC_ACCUMULATED_START,
		.is_signed = is[5].is == OTF2_TYPE_INT64,
		.is_real = is[5].is == OTF2_TYPE_DOUBLE,
	};
}

static void file(struct reader *r, const struct record *record, uint32_t id)
{
	cold_pass(r->trace->cold, id);
	r->trace->file[id].path = read_string(r, &record->value[1]);
	r->trace->file[id].kind = record->type == DEFINE_DIRECTORY ? FILE_DIRECTORY : FILE_REGULAR;
}

/* The table of calls describes the regions of system calls. For other regions, OTF2 has only the role. */
static void region(struct reader *r, const struct record *record, uint32_t id)
{
	struct trace_region *region = &r->trace->region[id];
	uint64_t role = record->value[8].is;
	const struct call_row *row;
	const char *name;
	call_id call;

	*region = (struct trace_region){.name = read_string(r, &record->value[1]),
					.source = REGION_OTHER,
					.kind = CALL_META,
					.group = role == OTF2_REGION_ROLE_FILE_IO ? GROUP_DATA
						 : role == OTF2_REGION_ROLE_FILE_IO_METADATA
							 ? GROUP_META
							 : GROUP_TASK};
	if (r->is_ours && read_is(r, read_string(r, &record->value[2]), "span")) {
		region->source = REGION_SPAN;
		return;
	}
	name = trace_text(r->trace, region->name);
	call = call_by_name(name, strlen(name));
	if (call == CALL_ID_NONE)
		return;
	row = call_row(call);
	region->source = r->is_ours ? REGION_CALL : REGION_OTHER;
	region->kind = row->kind;
	region->group = row->group;
	region->traits = row->traits;
	region->has_path = row->path != CALL_NO_ARG;
	region->has_two_paths = row->path2 != CALL_NO_ARG;
}

static void parameter(struct reader *r, const struct record *record, uint32_t id)
{
	r->trace->parameter[id] = read_string(r, &record->value[1]);
}

/* Its fields: itself, name, type, node, what created it. */
static void group(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;
	struct trace_process *process = &r->trace->process[id];
	uint32_t node = id_of(r, &is[3]);

	*process = (struct trace_process){.name = read_string(r, &is[1]), .status = -1};
	process->parent = id_of(r, &is[4]);
	if (node != NONE && r->device_of_node[node] != NONE) {
		process->kind = TRACE_DEVICE;
		process->device = r->device_of_node[node];
		process->parent = ID_NONE;
		r->trace->device[process->device].group = id;
	} else if (r->is_ours) {
		read_name_process(r, process);
	}
}

/* Its fields: itself, number of members, members, occurrence. */
static void class(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;
	struct trace *trace = r->trace;
	uint64_t count = is[1].is, occurrence = is[2 + count].is;
	struct trace_series series = {.metric = trace->metrics,
				      .is_of_calls = occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT ||
						     occurrence == OTF2_METRIC_SYNCHRONOUS};

	for (uint64_t i = 0; i < count && i < EVENT_COUNTERS; i++) {
		uint32_t member = id_of(r, &is[2 + i]);
		const struct read_member none = {0};
		const struct read_member *m = member == NONE ? &none : &r->member[member];

		MEM_GROW(trace->metric, trace->metrics_cap, trace->metrics + 1);
		trace->metric[trace->metrics++] =
			(struct trace_metric){m->name,           m->unit,      m->description,
					      m->is_accumulated, m->is_signed, m->is_real};
		series.metrics++;
	}
	MEM_GROW(trace->series, trace->series_cap, trace->series_count + 1);
	r->series[id] = trace->series_count;
	trace->series[trace->series_count++] = series;
}

/* Its fields: itself, name, file, paradigm, flags. */
static void handle(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;
	uint32_t paradigm = id_of(r, &is[3]);

	cold_pass(r->trace->cold, id);
	r->trace->handle[id] = (struct trace_handle){
		.process = ID_NONE,
		.file = id_of(r, &is[2]),
		.name = read_string(r, &is[1]),
		.is_block = paradigm != NONE && r->is_block[paradigm],
		.is_span = paradigm != NONE && r->is_span[paradigm],
		.is_pre_created = is[4].is & OTF2_IO_HANDLE_FLAG_PRE_CREATED,
		.is_all_proxy = is[4].is & OTF2_IO_HANDLE_FLAG_ALL_PROXY,
	};
}

static void handle_state(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;

	id = id_of(r, &is[0]);
	if (id != NONE)
		r->trace->handle[id].pre_flags = read_open_flags(is[1].is, 0, is[2].is);
}

/* Every location gets a group, even if the archive defines none for it. */
static process_id group_of(struct reader *r, process_id group)
{
	struct trace *trace = r->trace;

	if (group != ID_NONE)
		return group;
	if (r->unknown == ID_NONE) {
		MEM_GROW(trace->process, trace->processes_cap, trace->processes + 1);
		trace->process[trace->processes] =
			(struct trace_process){.kind = TRACE_PROCESS,
					       .name = add_text(r, "(no location group)"),
					       .parent = ID_NONE,
					       .status = -1};
		r->unknown = trace->processes++;
	}
	return r->unknown;
}

/* Its fields: itself, name, type, number of events, group. */
static void location(struct reader *r, const struct record *record, uint32_t id)
{
	const struct value *is = record->value;
	process_id group = group_of(r, id_of(r, &is[4]));
	const struct trace_process *process = &r->trace->process[group];
	struct trace_thread *thread = &r->trace->thread[id];
	struct trace_device *device;

	*thread = (struct trace_thread){.process = group, .name = read_string(r, &is[1])};
	thread->kind = is[2].is == OTF2_LOCATION_TYPE_METRIC ? LOCATION_METRIC : LOCATION_THREAD;
	if (process->kind == TRACE_DEVICE) {
		device = &r->trace->device[process->device];
		if (thread->kind == LOCATION_THREAD)
			thread->kind = LOCATION_DEVICE;
		*(thread->kind == LOCATION_DEVICE ? &device->location : &device->samples) = id;
	} else if (r->is_ours && thread->kind == LOCATION_THREAD) {
		read_name_thread(r, thread);
	}
}

/* An instance has the values of its class, and the location that records them. */
static void instance(struct reader *r, const struct record *record, uint32_t id)
{
	uint32_t class = id_of(r, &record->value[1]);

	if (class != NONE)
		r->series[id] = r->series[class];
}

static void property(struct reader *r, const struct record *record, uint32_t id)
{
	(void)id;
	read_property(r, record);
}

enum { PASSES = 5 };

static const struct {
	int pass; /* 0: is not read */
	void (*take)(struct reader *r, const struct record *record, uint32_t id);
} row[UINT8_MAX + 1] = {
	[DEFINE_CLOCK] = {1, clock},
	[DEFINE_STRING] = {1, string},
	[DEFINE_ATTRIBUTE] = {2, attribute},
	[DEFINE_NODE] = {2, node},
	[DEFINE_IO_PARADIGM] = {2, paradigm},
	[DEFINE_METRIC_MEMBER] = {2, member},
	[DEFINE_FILE] = {2, file},
	[DEFINE_DIRECTORY] = {2, file},
	[DEFINE_REGION] = {2, region},
	[DEFINE_PARAMETER] = {2, parameter},
	[DEFINE_GROUP] = {3, group},
	[DEFINE_METRIC_CLASS] = {3, class},
	[DEFINE_HANDLE] = {3, handle},
	[DEFINE_LOCATION] = {4, location},
	[DEFINE_METRIC_INSTANCE] = {4, instance},
	[DEFINE_HANDLE_STATE] = {4, handle_state},
	[DEFINE_NODE_PROPERTY] = {5, property},
	[DEFINE_GROUP_PROPERTY] = {5, property},
	[DEFINE_LOCATION_PROPERTY] = {5, property},
	[DEFINE_FILE_PROPERTY] = {5, property},
};

struct pass {
	struct reader *reader;
	int now;
};

static void on_definition(void *context, const struct record *record, uint32_t id)
{
	const struct pass *pass = context;

	/* The file may have changed since. */
	if (row[record->type].pass == pass->now && (id != NONE || !record_defines(record->row)))
		row[record->type].take(pass->reader, record, id);
}

/* Only devices are files in file systems of devices. */
static void find_device_nodes(struct trace *trace)
{
	for (file_id id = 0; trace->mounts && id < trace->files; id++) {
		struct trace_file *file = &trace->file[id];
		const char *type;

		cold_pass(trace->cold, id);
		if (file->kind != FILE_REGULAR || file->mount == ID_NONE)
			continue;
		type = trace_text(trace, trace->mount[file->mount].type);
		if (!strcmp(type, "devtmpfs") || !strcmp(type, "devpts"))
			file->kind = FILE_DEVICE;
	}
}

/* In OTF2, a device is an ordinary file. Its path shows that it is a device. */
static void find_devices(struct reader *r)
{
	struct trace *trace = r->trace;
	struct map device_of = {0};

	for (uint32_t i = 0; i < trace->devices; i++) {
		char *path = mem_format("/dev/%s", trace_text(trace, trace->device[i].name));

		map_set(&device_of, add_text(r, path), i);
		free(path);
	}
	for (file_id id = 0; trace->devices && id < trace->files; id++) {
		uint32_t device = map_get(&device_of, trace->file[id].path);

		cold_pass(trace->cold, id);
		if (device == MAP_NONE)
			continue;
		trace->file[id].kind = FILE_DEVICE;
		trace->file[id].dev = trace->device[device].dev;
	}
	map_release(&device_of);
}

/* Allocates an array for each kind of definition. No element refers to another one yet. */
static void make_room(struct reader *r)
{
	const struct defined *defined = r->walk.defined;
	struct trace *trace = r->trace;

	r->string = mem_array(defined[KIND_STRING].count + 1, sizeof(*r->string));
	r->attribute = mem_array(defined[KIND_ATTRIBUTE].count + 1, sizeof(*r->attribute));
	r->parameter = mem_array(defined[KIND_ATTRIBUTE].count + 1, sizeof(*r->parameter));
	r->device_of_node = mem_array(defined[KIND_NODE].count + 1, sizeof(*r->device_of_node));
	r->is_block = mem_array(defined[KIND_PARADIGM].count + 1, sizeof(*r->is_block));
	r->is_span = mem_array(defined[KIND_PARADIGM].count + 1, sizeof(*r->is_span));
	r->member = mem_array(defined[KIND_METRIC_MEMBER].count + 1, sizeof(*r->member));
	r->series = mem_array(defined[KIND_METRIC].count + 1, sizeof(*r->series));
	memset(r->parameter, UINT8_MAX, defined[KIND_ATTRIBUTE].count * sizeof(*r->parameter));
	memset(r->series, UINT8_MAX, defined[KIND_METRIC].count * sizeof(*r->series));
	memset(r->device_of_node, UINT8_MAX, defined[KIND_NODE].count * sizeof(*r->device_of_node));
	MEM_GROW(trace->process, trace->processes_cap, defined[KIND_GROUP].count);
	MEM_GROW(trace->thread, trace->threads_cap, defined[KIND_LOCATION].count);
	MEM_GROW(trace->region, trace->regions_cap, defined[KIND_REGION].count);
	MEM_GROW(trace->parameter, trace->parameters_cap, defined[KIND_PARAMETER].count);
	COLD_GROW(&trace->file_area, trace->file, trace->files_cap, defined[KIND_FILE].count);
	COLD_GROW(&trace->handle_area, trace->handle, trace->handles_cap,
		  defined[KIND_HANDLE].count);
	trace->processes = defined[KIND_GROUP].count;
	trace->threads = defined[KIND_LOCATION].count;
	trace->regions = defined[KIND_REGION].count;
	trace->parameters = defined[KIND_PARAMETER].count;
	trace->files = defined[KIND_FILE].count;
	trace->handles = defined[KIND_HANDLE].count;
	for (process_id id = 0; id < trace->processes; id++)
		trace->process[id] = (struct trace_process){.parent = ID_NONE, .status = -1};
	for (file_id id = 0; id < trace->files; id++)
		trace->file[id].mount = ID_NONE;
	for (handle_id id = 0; id < trace->handles; id++)
		trace->handle[id].process = trace->handle[id].file = ID_NONE;
	for (thread_id id = 0; id < trace->threads; id++)
		trace->thread[id].process = ID_NONE;
}

void read_definitions(struct reader *r)
{
	struct pass pass = {r, 1};

	make_room(r);
	for (; pass.now <= PASSES; pass.now++)
		walk_definitions(&r->walk, on_definition, &pass);
	read_property_end(r);
	for (thread_id id = 0; id < r->trace->threads; id++)
		r->trace->thread[id].process = group_of(r, r->trace->thread[id].process);
	find_device_nodes(r->trace);
	find_devices(r);
}
