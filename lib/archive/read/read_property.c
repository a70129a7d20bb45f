/* read_property: properties of system tree nodes, location groups, locations and files. */
#include "reader.h"

#include <iotrace/mem.h>
#include <string.h>

enum { SECTOR_SIZE = 512 };

struct property {
	str_id name;
	const struct value *is;
};

/* Returns the text of a property, or 0. */
static str_id string_of(const struct reader *r, const struct property *p)
{
	return p->is->type == OTF2_TYPE_STRING ? read_string(r, p->is) : 0;
}

static void device_property(struct reader *r, struct trace_device *device, const struct property *p)
{
	if (read_is(r, p->name, "Device number"))
		device->dev = read_device_number(trace_text(r->trace, string_of(r, p)));
	else if (read_is(r, p->name, "Model"))
		device->model = string_of(r, p);
	else if (read_is(r, p->name, "Scheduler"))
		device->scheduler = string_of(r, p);
	else if (read_is(r, p->name, "Backing file"))
		device->backing = string_of(r, p);
	else if (read_is(r, p->name, "Devices below"))
		device->under = string_of(r, p);
	else if (read_is(r, p->name, "Size") && p->is->type == OTF2_TYPE_UINT64)
		device->sectors = p->is->is / SECTOR_SIZE;
	else if (read_is(r, p->name, "Rotational") && p->is->type == OTF2_TYPE_UINT64)
		device->is_known = true, device->is_rotational = p->is->is;
}

static void node_property(struct reader *r, uint32_t id, const struct property *p)
{
	struct trace_host *host = &r->trace->host;

	if (r->device_of_node[id] != NONE)
		device_property(r, &r->trace->device[r->device_of_node[id]], p);
	else if (!host->release && read_is(r, p->name, "Kernel release"))
		host->release = string_of(r, p);
	else if (!host->machine && read_is(r, p->name, "Machine"))
		host->machine = string_of(r, p);
	else if (!host->cpus && read_is(r, p->name, "CPUs") && p->is->type == OTF2_TYPE_UINT32)
		host->cpus = (uint32_t)p->is->is;
}

static void group_property(struct reader *r, process_id id, const struct property *p)
{
	struct trace_process *process = &r->trace->process[id];

	if (read_is(r, p->name, "Sharing processes") && p->is->type == OTF2_TYPE_UINT64) {
		process->kind = TRACE_SHARED_GROUP;
		process->sharing = (uint32_t)p->is->is;
	} else if (read_is(r, p->name, "Command line")) {
		process->argv = string_of(r, p);
	} else if (read_is(r, p->name, "Ranks") && p->is->type == OTF2_TYPE_UINT64) {
		process->rank.of = (uint32_t)p->is->is;
	} else if (read_is(r, p->name, "Root directory")) {
		process->root = string_of(r, p);
	} else if (read_is(r, p->name, "Mount namespace") && p->is->type == OTF2_TYPE_UINT64) {
		process->mount_namespace = p->is->is;
	}
}

/* The three properties that describe the mount of a file are consecutive. */
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

/* The last mount is that of the file. If one of the last few mounts is equal, uses that instead. */
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

static void file_property(struct reader *r, file_id id, const struct property *p)
{
	struct trace_file *file = &r->trace->file[id];

	if (read_is(r, p->name, "Deleted"))
		file->is_deleted = true;
	else if (read_is(r, p->name, "File system"))
		mount_of(r, file)->type = string_of(r, p);
	else if (read_is(r, p->name, "Mount Point"))
		mount_of(r, file)->mount_point = string_of(r, p);
	else if (read_is(r, p->name, "Mount Source"))
		mount_of(r, file)->source = string_of(r, p);
}

static void location_property(struct reader *r, thread_id id, const struct property *p)
{
	struct trace_thread *thread = &r->trace->thread[id];

	if (p->is->type != OTF2_TYPE_UINT64)
		return;
	if (read_is(r, p->name, "Sharing threads"))
		thread->sharing = (uint32_t)p->is->is;
	else if (read_is(r, p->name, "End of thread") && r->is_ours)
		thread->end = read_time(r, p->is->is);
	else if (read_is(r, p->name, "Lifetime of sharing threads"))
		thread->lived = p->is->is;
}

/* Now the mount of the last file is complete. */
void read_property_end(struct reader *r)
{
	struct trace_file *file = r->mounted == ID_NONE ? NULL : &r->trace->file[r->mounted];

	if (file && file->mount != ID_NONE && file->mount + 1 == r->trace->mounts)
		share_mount(r, file);
	r->mounted = ID_NONE;
}

/* Its fields: definition, name, value in the format of older writers, value. */
void read_property(struct reader *r, const struct record *record)
{
	const struct value *of = record->value;
	const struct property p = {read_string(r, &of[1]), &of[record->values - 1]};
	uint32_t id = walk_id_of(&r->walk, of);

	if (id == NONE)
		return;
	if (record->type == DEFINE_NODE_PROPERTY)
		node_property(r, id, &p);
	else if (record->type == DEFINE_GROUP_PROPERTY)
		group_property(r, id, &p);
	else if (record->type == DEFINE_LOCATION_PROPERTY)
		location_property(r, id, &p);
	if (record->type != DEFINE_FILE_PROPERTY)
		return;
	if (r->mounted != id)
		read_property_end(r);
	r->mounted = id;
	file_property(r, id, &p);
}
