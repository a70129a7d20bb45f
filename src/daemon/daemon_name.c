/* daemon_name: see daemon_name.h. */
#include "daemon_name.h"

#include "span/call_class.h"

#include <iotrace/mount_names.h>
#include <iotrace/span_ways.h>
#include <stdio.h>
#include <string.h>

enum { MINOR_BITS = 20, DEVICE_READ = 1, DEVICE_WRITE = 2 };

/* Cuts the middle of a long mount point: its begin and its end say most. */
static void put_point(char *text, size_t size, const char *point)
{
	size_t length = strlen(point), half = size / 2 - 2;

	if (length < size)
		memcpy(text, point, length + 1);
	else
		snprintf(text, size, "%.*s...%s", (int)half, point, point + length - half);
}

static void name_mount(const struct mount_names *names, uint32_t device, char *text, size_t size)
{
	const char *point = mount_names_point(names, device);

	if (point)
		put_point(text, size, point);
	else
		snprintf(text, size, "%u:%u", device >> MINOR_BITS,
			 device & ((1U << MINOR_BITS) - 1));
}

static void name_owner(const struct mount_names *names, struct publication_row *row)
{
	if (row->owner == PUBLICATION_REST)
		snprintf(row->name, sizeof(row->name), "(others)");
	else if (row->view == PUBLICATION_DEVICE)
		mount_names_device(names, row->owner, row->name, sizeof(row->name));
	else if (row->view == PUBLICATION_FS && !row->owner)
		snprintf(row->name, sizeof(row->name), "(by path)");
	else
		name_mount(names, row->owner, row->name, sizeof(row->name));
}

static void name_operation(struct publication_row *row)
{
	const char *name = NULL;

	*row->operation = '\0';
	if (row->kind == PUBLICATION_ALL)
		return;
	if (row->view == PUBLICATION_DEVICE)
		name = row->kind == DEVICE_READ    ? "read"
		       : row->kind == DEVICE_WRITE ? "write"
						   : "other";
	else if (row->view == PUBLICATION_FS)
		name = call_class_name(row->kind);
	else
		name = span_fuse_opcode(row->kind);
	if (name)
		snprintf(row->operation, sizeof(row->operation), "%s", name);
	else
		snprintf(row->operation, sizeof(row->operation), "%u", row->kind);
}

void daemon_name_row(void *context, struct publication_row *row)
{
	name_owner(context, row);
	name_operation(row);
}
