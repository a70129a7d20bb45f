/* daemon_name: see daemon_name.h. */
#include "daemon_name.h"

#include "stat/stat_before.h"
#include "stat/stat_names.h"

#include <iotrace/call_class.h>
#include <iotrace/mount_names.h>
#include <iotrace/span_ways.h>
#include <stdio.h>
#include <string.h>

enum { DEVICE_READ = 1, DEVICE_WRITE = 2 };

static void name_owner(const struct mount_names *names, struct publication_row *row)
{
	if (row->owner == PUBLICATION_REST)
		snprintf(row->name, sizeof(row->name), "(others)");
	else if (row->view == PUBLICATION_DEVICE)
		mount_names_device(names, row->owner, row->name, sizeof(row->name));
	else
		stat_name_file_system(names, row->owner, row->name, sizeof(row->name));
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
		name = row->kind == STAT_BEFORE ? "begun before" : span_fuse_opcode(row->kind);
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
