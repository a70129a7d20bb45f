/*
 * read_trace: what was defined, in the terms of struct trace: references become ids, and names of our own archives are taken
 * apart again ("1234 cat" is process 1234).
 */
#include "reader.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { SECTOR_SIZE = 512 };

static const char *text_of(const struct reader *r, str_id id)
{
	return trace_text(r->trace, id);
}

static bool is_named(const struct reader *r, OTF2_StringRef ref, const char *name)
{
	return !strcmp(text_of(r, read_string(r, ref)), name);
}

static str_id add_text(struct reader *r, const char *text)
{
	return trace_string(r->trace, text, strlen(text));
}

/* Returns an id of the kind, or ID_NONE. */
static uint32_t resolve(const struct reader *r, enum read_kind kind, uint32_t ref)
{
	uint32_t id = read_id(r, kind, ref);

	return id == MAP_NONE ? ID_NONE : id;
}

static void resolve_attributes(struct reader *r)
{
	static const char *const name[READ_ATTRIBUTES] = {
#define OTF2_ATTRIBUTE(id, type, name, ...) name,
#include <iotrace/otf2.def>
	};

	for (uint32_t i = 0; i < r->attributes; i++)
		for (uint32_t id = 0; id < READ_ATTRIBUTES; id++)
			if (is_named(r, r->attribute[i].name, name[id]))
				r->attribute[i].id = (enum read_attribute)id;
}

/* "8:16" */
static uint32_t device_number(const char *text)
{
	char *end;
	unsigned long high = strtoul(text, &end, 10);

	return *end == ':' ? (uint32_t)makedev(high, strtoul(end + 1, NULL, 10)) : 0;
}

uint32_t read_add_device(struct reader *r, str_id name, const char *number)
{
	struct trace *trace = r->trace;

	MEM_GROW(trace->device, trace->devices_cap, trace->devices + 1);
	trace->device[trace->devices] = (struct trace_device){.name = name,
							      .dev = device_number(number),
							      .disk = ID_NONE,
							      .group = ID_NONE,
							      .location = ID_NONE,
							      .samples = ID_NONE,
							      .handle = ID_NONE};
	return trace->devices++;
}

static void resolve_nodes(struct reader *r)
{
	struct trace_host *host = &r->trace->host;

	for (uint32_t i = 0; i < r->nodes; i++) {
		struct read_node *node = &r->node[i];

		if (is_named(r, node->class, "block device"))
			node->device = read_add_device(r, read_string(r, node->name), "");
		else if (!host->hostname && is_named(r, node->class, "node"))
			host->hostname = read_string(r, node->name);
	}
}

/* "1234 cat": takes the number away, and returns it; 0 if there is none. */
static uint32_t take_number(struct reader *r, const char *before, str_id *name)
{
	const char *text = text_of(r, *name);
	size_t length = strlen(before);
	char *end;
	unsigned long number;

	if (strncmp(text, before, length) != 0 || text[length] < '0' || text[length] > '9')
		return 0;
	number = strtoul(text + length, &end, 10);
	if (*end != ' ' || number > UINT32_MAX)
		return 0;
	end = mem_strdup(end + 1); /* the table of strings may move it */
	*name = add_text(r, end);
	free(end);
	return (uint32_t)number;
}

/* "rank 3: ": takes it away, and returns whether it was there. */
static bool take_rank(struct reader *r, str_id *name, struct trace_rank *rank)
{
	const char *text = text_of(r, *name);
	char *end, *rest;

	if (strncmp(text, "rank ", 5) != 0 || text[5] < '0' || text[5] > '9')
		return false;
	rank->number = (uint32_t)strtoul(text + 5, &end, 10);
	if (strncmp(end, ": ", 2) != 0)
		return false;
	rank->is_known = true;
	rest = mem_strdup(end + 2); /* the table of strings may move it */
	*name = add_text(r, rest);
	free(rest);
	return true;
}

/* "cat (1234)": the same as take_number() of "1234 cat". */
static uint32_t take_number_behind(struct reader *r, str_id *name)
{
	char *text = mem_strdup(text_of(r, *name)), *open = strrchr(text, '('), *end = NULL;
	unsigned long number = open ? strtoul(open + 1, &end, 10) : 0;
	bool is_there = open > text && end > open + 1 && !strcmp(end, ")") && number <= UINT32_MAX;

	if (is_there) {
		open[-1] = '\0';
		*name = add_text(r, text);
	}
	free(text);
	return is_there ? (uint32_t)number : 0;
}

static void resolve_process(struct reader *r, process_id id)
{
	struct trace_process *process = &r->trace->process[id];
	uint32_t node = read_id(r, READ_OF_NODE, r->node_of_group[id]);

	process->name = read_string(r, process->name);
	process->parent = resolve(r, READ_OF_GROUP, process->parent);
	if (node != MAP_NONE && r->node[node].device != NONE) {
		process->kind = TRACE_DEVICE;
		process->device = r->node[node].device;
		process->parent = ID_NONE;
		r->trace->device[process->device].group = id;
	} else if (r->is_ours && !strcmp(text_of(r, process->name), "machine")) {
		process->kind = TRACE_MACHINE;
	} else if (r->is_ours && take_rank(r, &process->name, &process->rank)) {
		process->pid = take_number_behind(r, &process->name);
	} else if (r->is_ours) {
		process->pid = take_number(r, "", &process->name);
	}
}

/* Every location has a group, also where its archive defines none. */
static process_id group_of(struct reader *r, OTF2_LocationGroupRef ref, process_id *unknown)
{
	struct trace *trace = r->trace;
	uint32_t id = read_id(r, READ_OF_GROUP, ref);

	if (id != MAP_NONE)
		return id;
	if (*unknown == ID_NONE) {
		MEM_GROW(trace->process, trace->processes_cap, trace->processes + 1);
		trace->process[trace->processes] =
			(struct trace_process){.kind = TRACE_PROCESS,
					       .name = add_text(r, "(no location group)"),
					       .parent = ID_NONE,
					       .status = -1};
		*unknown = trace->processes++;
	}
	return *unknown;
}

static void resolve_thread(struct reader *r, thread_id id, process_id group)
{
	struct trace_thread *thread = &r->trace->thread[id];
	const struct trace_process *process = &r->trace->process[group];

	thread->process = group;
	thread->name = read_string(r, thread->name);
	if (process->kind == TRACE_DEVICE) {
		struct trace_device *device = &r->trace->device[process->device];

		if (thread->kind == LOCATION_THREAD)
			thread->kind = LOCATION_DEVICE;
		*(thread->kind == LOCATION_DEVICE ? &device->location : &device->samples) = id;
	} else if (r->is_ours && thread->kind == LOCATION_THREAD) {
		struct trace_rank rank;

		take_rank(r, &thread->name, &rank);
		thread->tid = take_number(r, "thread ", &thread->name);
	}
}

/* A region of a system call is as the table of calls says; of all others the role is known. */
static void resolve_regions(struct reader *r)
{
	for (region_id id = 0; id < r->trace->regions; id++) {
		struct trace_region *region = &r->trace->region[id];
		const char *name;
		call_id call;

		region->name = read_string(r, region->name);
		name = text_of(r, region->name);
		call = call_by_name(name, strlen(name));
		if (call == CALL_ID_NONE)
			continue;
		const struct call_row *row = call_row(call);

		region->source = r->is_ours ? REGION_CALL : REGION_OTHER;
		region->kind = row->kind;
		region->group = row->group;
		region->traits = row->traits;
		region->has_path = row->path != CALL_NO_ARG;
		region->has_two_paths = row->path2 != CALL_NO_ARG;
	}
}

static void resolve_files(struct reader *r)
{
	struct trace *trace = r->trace;

	for (file_id id = 0; id < trace->files; id++) {
		cold_pass(trace->cold, id);
		trace->file[id].path = read_string(r, trace->file[id].path);
	}
	for (handle_id id = 0; id < trace->handles; id++) {
		struct trace_handle *handle = &trace->handle[id];
		uint32_t paradigm = read_id(r, READ_OF_PARADIGM, r->paradigm_of_handle[id]);

		cold_pass(trace->cold, id);
		handle->file = resolve(r, READ_OF_FILE, handle->file);
		handle->name = read_string(r, handle->name);
		handle->is_block = paradigm != MAP_NONE && is_named(r, paradigm, "block_io");
	}
}

static void resolve_metrics(struct reader *r)
{
	struct trace *trace = r->trace;

	for (uint32_t i = 0; i < trace->metrics; i++) {
		struct trace_metric *metric = &trace->metric[i];

		metric->name = read_string(r, metric->name);
		metric->unit = read_string(r, metric->unit);
		metric->description = read_string(r, metric->description);
	}
	for (uint32_t i = 0; i < trace->parameters; i++)
		trace->parameter[i] = read_string(r, trace->parameter[i]);
}

/* Returns the text of a property, or 0. */
static str_id string_of(const struct reader *r, const struct read_property *p)
{
	return p->type == OTF2_TYPE_STRING ? read_string(r, p->value.stringRef) : 0;
}

static void device_property(struct reader *r, struct trace_device *device,
			    const struct read_property *p)
{
	if (is_named(r, p->name, "Device number"))
		device->dev = device_number(text_of(r, string_of(r, p)));
	else if (is_named(r, p->name, "Model"))
		device->model = string_of(r, p);
	else if (is_named(r, p->name, "Scheduler"))
		device->scheduler = string_of(r, p);
	else if (is_named(r, p->name, "Backing file"))
		device->backing = string_of(r, p);
	else if (is_named(r, p->name, "Devices below"))
		device->under = string_of(r, p);
	else if (is_named(r, p->name, "Size") && p->type == OTF2_TYPE_UINT64)
		device->sectors = p->value.uint64 / SECTOR_SIZE;
	else if (is_named(r, p->name, "Rotational") && p->type == OTF2_TYPE_UINT64)
		device->is_known = true, device->is_rotational = p->value.uint64;
}

static void node_property(struct reader *r, uint32_t id, const struct read_property *p)
{
	struct trace_host *host = &r->trace->host;

	if (r->node[id].device != NONE)
		device_property(r, &r->trace->device[r->node[id].device], p);
	else if (!host->release && is_named(r, p->name, "Kernel release"))
		host->release = string_of(r, p);
	else if (!host->machine && is_named(r, p->name, "Machine"))
		host->machine = string_of(r, p);
	else if (!host->cpus && is_named(r, p->name, "CPUs") && p->type == OTF2_TYPE_UINT32)
		host->cpus = p->value.uint32;
}

static void group_property(struct reader *r, process_id id, const struct read_property *p)
{
	struct trace_process *process = &r->trace->process[id];

	if (is_named(r, p->name, "Sharing processes") && p->type == OTF2_TYPE_UINT64) {
		process->kind = TRACE_SHARED_GROUP;
		process->sharing = (uint32_t)p->value.uint64;
	} else if (is_named(r, p->name, "Command line")) {
		process->argv = string_of(r, p);
	} else if (is_named(r, p->name, "Ranks") && p->type == OTF2_TYPE_UINT64) {
		process->rank.of = (uint32_t)p->value.uint64;
	} else if (is_named(r, p->name, "Root directory")) {
		process->root = string_of(r, p);
	} else if (is_named(r, p->name, "Mount namespace") && p->type == OTF2_TYPE_UINT64) {
		process->mount_namespace = p->value.uint64;
	}
}

/* The three properties of a file that name its mount stand together. */
static struct trace_mount *mount_of(struct reader *r, struct trace_file *file)
{
	struct trace *trace = r->trace;

	if (file->mount == ID_NONE) {
		MEM_GROW(trace->mount, trace->mounts_cap, trace->mounts + 1);
		trace->mount[trace->mounts] = (struct trace_mount){.id = trace->mounts};
		file->mount = trace->mounts++;
	}
	return &trace->mount[file->mount];
}

/* The last mount is that of the file: forgets it if the one before, or any of the last few, is the same. */
static void share_mount(struct reader *r, struct trace_file *file)
{
	enum { MOUNTS_NEAR = 64 };
	struct trace *trace = r->trace;
	const struct trace_mount *mount = &trace->mount[file->mount];
	uint32_t first = trace->mounts > MOUNTS_NEAR ? trace->mounts - MOUNTS_NEAR : 0;

	for (uint32_t i = first; i + 1 < trace->mounts; i++)
		if (trace->mount[i].mount_point == mount->mount_point &&
		    trace->mount[i].source == mount->source &&
		    trace->mount[i].type == mount->type) {
			file->mount = i;
			trace->mounts--;
			return;
		}
}

static void file_property(struct reader *r, file_id id, const struct read_property *p)
{
	struct trace_file *file = &r->trace->file[id];

	if (is_named(r, p->name, "Deleted"))
		file->is_deleted = true;
	else if (is_named(r, p->name, "File system"))
		mount_of(r, file)->type = string_of(r, p);
	else if (is_named(r, p->name, "Mount Point"))
		mount_of(r, file)->mount_point = string_of(r, p);
	else if (is_named(r, p->name, "Mount Source"))
		mount_of(r, file)->source = string_of(r, p);
}

static void location_property(struct reader *r, thread_id id, const struct read_property *p)
{
	struct trace_thread *thread = &r->trace->thread[id];

	if (p->type != OTF2_TYPE_UINT64)
		return;
	if (is_named(r, p->name, "Sharing threads"))
		thread->sharing = (uint32_t)p->value.uint64;
	else if (is_named(r, p->name, "Lifetime of sharing threads"))
		thread->lived = p->value.uint64;
}

static void apply_properties(struct reader *r)
{
	for (uint32_t i = 0; i < r->properties; i++) {
		const struct read_property *p = &r->property[i];
		const struct read_property *next = i + 1 < r->properties ? p + 1 : NULL;
		uint32_t id = read_id(r, p->kind, p->of);

		if (id == MAP_NONE)
			continue;
		if (p->kind == READ_OF_NODE)
			node_property(r, id, p);
		else if (p->kind == READ_OF_GROUP)
			group_property(r, id, p);
		else if (p->kind == READ_OF_LOCATION)
			location_property(r, id, p);
		else if (p->kind == READ_OF_FILE)
			file_property(r, id, p);
		if (p->kind == READ_OF_FILE && r->trace->file[id].mount != ID_NONE &&
		    r->trace->file[id].mount + 1 == r->trace->mounts &&
		    (!next || next->kind != READ_OF_FILE || next->of != p->of))
			share_mount(r, &r->trace->file[id]);
	}
}

/* A file that is a device is an ordinary one in OTF2; its path says which it is. */
static void find_devices(struct reader *r)
{
	struct trace *trace = r->trace;
	struct map device_of = {0};

	for (uint32_t i = 0; i < trace->devices; i++) {
		char *path = mem_format("/dev/%s", text_of(r, trace->device[i].name));

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

void read_resolve(struct reader *r)
{
	struct trace *trace = r->trace;
	process_id unknown = ID_NONE;
	uint32_t processes = trace->processes;

	resolve_attributes(r);
	resolve_nodes(r);
	for (process_id id = 0; id < processes; id++)
		resolve_process(r, id);
	for (thread_id id = 0; id < trace->threads; id++)
		resolve_thread(r, id, group_of(r, trace->thread[id].process, &unknown));
	resolve_regions(r);
	resolve_files(r);
	resolve_metrics(r);
	apply_properties(r);
	find_devices(r);
}
