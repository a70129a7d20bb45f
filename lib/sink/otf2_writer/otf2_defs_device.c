/*
 * otf2_defs_device: block devices, each a node below the host's, with what is known of it as properties.
 *
 * Listed are those that had a request or a sample: each has a location group. Its nodes stand in the order of the groups.
 */
#include "otf2_define.h"

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

enum { SECTOR_SIZE = 512 };

static bool add_text(struct sink *sink, OTF2_SystemTreeNodeRef node, const char *name,
		     OTF2_StringRef text)
{
	OTF2_AttributeValue value = {.stringRef = text};

	return is_good(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(sink->definitions, node,
									define_text(sink, name),
									OTF2_TYPE_STRING, value));
}

static bool add_number(struct sink *sink, OTF2_SystemTreeNodeRef node, const char *name,
		       uint64_t number)
{
	OTF2_AttributeValue value = {.uint64 = number};

	return is_good(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(sink->definitions, node,
									define_text(sink, name),
									OTF2_TYPE_UINT64, value));
}

/* "8:0", as the kernel writes it. */
static OTF2_StringRef define_dev(struct sink *sink, uint32_t dev)
{
	char *text = mem_format("%u:%u", major(dev), minor(dev));
	OTF2_StringRef ref = define_text(sink, text);

	free(text);
	return ref;
}

static bool write_properties(struct sink *sink, OTF2_SystemTreeNodeRef node,
			     const struct trace_device *device)
{
	const struct trace *trace = sink->trace;
	str_id disk = device->disk < trace_devices(trace) ? trace_device(trace, device->disk)->name
							  : 0;
	const struct {
		const char *name;
		str_id value;
	} row[] = {{"Model", device->model},
		   {"Scheduler", device->scheduler},
		   {"Backing file", device->backing},
		   {"Devices below", device->under},
		   {"Whole disk", disk}};
	bool good = add_text(sink, node, "Device number", define_dev(sink, device->dev));

	for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (row[i].value)
			good &= add_text(sink, node, row[i].name, define_str(sink, row[i].value));
	if (device->sectors)
		good &= add_number(sink, node, "Size", device->sectors * SECTOR_SIZE);
	if (device->is_known)
		good &= add_number(sink, node, "Rotational", device->is_rotational);
	return good;
}

bool otf2_write_devices(struct sink *sink)
{
	OTF2_SystemTreeNodeRef node = NODE_DEVICES;
	bool good = true;

	for (process_id p = 0; p < trace_processes(sink->trace); p++) {
		const struct trace_process *group = trace_process(sink->trace, p);

		if (group->kind != TRACE_DEVICE)
			continue;
		const struct trace_device *device = trace_device(sink->trace, group->device);

		good &= is_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(
				sink->definitions, node, define_str(sink, device->name),
				define_text(sink, "block device"), NODE_HOST)) &&
			write_properties(sink, node, device);
		node++;
	}
	return good;
}

OTF2_StringRef define_device_group(struct sink *sink, const struct trace_process *group)
{
	if (group->kind == TRACE_MACHINE)
		return define_text(sink, "machine");
	const struct trace_device *device = trace_device(sink->trace, group->device);
	char *text = mem_format("block I/O %s", trace_text(sink->trace, device->name));
	OTF2_StringRef ref = define_text(sink, text);

	free(text);
	return ref;
}

OTF2_StringRef define_device_location(struct sink *sink, const struct trace_thread *location)
{
	const struct trace_process *group = trace_process(sink->trace, location->process);

	if (location->kind == LOCATION_METRIC || group->kind != TRACE_DEVICE)
		return define_text(sink, "samples");
	return define_str(sink, trace_device(sink->trace, group->device)->name);
}
