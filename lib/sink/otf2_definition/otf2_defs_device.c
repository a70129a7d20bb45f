/*
 * otf2_defs_device: block devices: nodes below the host, with properties.
 *
 * Only devices with a request or a sample are listed. Each has a location group; the nodes are in the order of the groups.
 */
#include "otf2_define.h"

#include <iotrace/trace.h>
#include <sys/sysmacros.h>

enum { SECTOR_SIZE = 512 };

static bool write_properties(struct sink *sink, OTF2_SystemTreeNodeRef node,
			     const struct trace_device *device)
{
	const struct trace *trace = sink->trace;
	str_id disk = device->disk < trace_devices(trace) ? trace_device(trace, device->disk)->name
							  : 0;
	const struct property property[] = {
		{"Device number",
		 true,
		 OTF2_TYPE_STRING,
		 {.stringRef = define_format(sink, "%u:%u", major(device->dev),
					     minor(device->dev))}},
		property_text(sink, "Model", device->model),
		property_text(sink, "Scheduler", device->scheduler),
		property_text(sink, "Backing file", device->backing),
		property_text(sink, "Devices below", device->under),
		property_text(sink, "Whole disk", disk),
		property_number("Size", device->sectors * SECTOR_SIZE),
		{"Rotational",
		 device->is_known,
		 OTF2_TYPE_UINT64,
		 {.uint64 = device->is_rotational}},
	};

	return define_properties(sink, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty, node,
				 property, sizeof(property) / sizeof(*property));
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

	return define_format(sink, "block I/O %s", trace_text(sink->trace, device->name));
}

OTF2_StringRef define_device_location(struct sink *sink, const struct trace_thread *location)
{
	const struct trace_process *group = trace_process(sink->trace, location->process);

	if (location->kind == LOCATION_METRIC || group->kind != TRACE_DEVICE)
		return define_text(sink, "samples");
	return define_str(sink, trace_device(sink->trace, group->device)->name);
}
