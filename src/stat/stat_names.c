/* stat_names: see stat_names.h. */
#include "stat_names.h"

#include "stat_before.h"

#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/mount_names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINOR_BITS = 20 };

/* In place of an operation. */
static const uint32_t idle_operation = UINT32_MAX;

/* Cuts the middle of a long mount point: its begin and its end say most. */
static void put_point(char *text, size_t size, const char *point)
{
	size_t length = strlen(point), half = size / 2 - 2;

	if (length < size)
		memcpy(text, point, length + 1);
	else
		snprintf(text, size, "%.*s...%s", (int)half, point, point + length - half);
}

void stat_name_file_system(const struct mount_names *mounts, uint32_t device, char *text,
			   size_t size)
{
	const char *point = device ? mount_names_point(mounts, device) : "(by path)";

	if (point)
		put_point(text, size, point);
	else
		snprintf(text, size, "%u:%u", device >> MINOR_BITS,
			 device & ((1U << MINOR_BITS) - 1));
}

static size_t name_file_system(const void *context, const struct frame_row *row, char *text,
			       size_t size)
{
	const struct stat_names *names = context;

	stat_name_file_system(names->mounts, (uint32_t)row->group, text, size);
	return strlen(text);
}

/* "FUSE_READ(15) /mnt". The only connection of a machine is not named. */
static size_t name_request(const void *context, const struct frame_row *row, char *text,
			   size_t size)
{
	const struct stat_names *names = context;
	bool is_idle = (uint32_t)row->group == idle_operation;
	bool has_point = is_idle || (uint32_t)row->group == STAT_BEFORE;
	size_t length;

	if (is_idle)
		snprintf(text, size, "(idle)");
	else if ((uint32_t)row->group == STAT_BEFORE)
		snprintf(text, size, "(begun before)");
	else
		span_engine_group(names->engine, 0, row->group, text, size);
	length = strlen(text);
	if ((!has_point && names->connections < 2) || length + 2 > size)
		return length;
	text[length++] = ' ';
	stat_name_file_system(names->mounts, (uint32_t)(row->group >> 32), text + length,
			      size - length);
	return strlen(text);
}

int stat_names_open(struct stat_names *names, const char *by, struct error *err)
{
	*names = (struct stat_names){.has_connections = by && !strcmp(by, "connection")};
	if (!by || (!names->has_connections && strcmp(by, "fs") != 0))
		return 0;
	names->mounts = mount_names_open("/proc", "/sys", err);
	return names->mounts ? 0 : -err->code;
}

bool stat_names_are_of_file_systems(const struct stat_names *names)
{
	return names->mounts && !names->has_connections;
}

static bool is_idle(const struct frame *frame, uint32_t connection)
{
	for (uint32_t i = 0; i < frame->rows; i++) {
		const struct frame_row *row = frame->row[i];

		if (!row->is_rest && row->group >> 32 == connection &&
		    (row->now.ops || row->in_flight || row->busy))
			return false;
	}
	return true;
}

/* Rows of connections that do nothing follow the others. */
static void add_idle(struct stat_names *names, struct frame_report *report)
{
	const struct frame *frame = report->frame;

	names->connections = mount_names_connections(names->mounts, names->connection,
						     STAT_CONNECTIONS);
	names->frame = *frame;
	free(names->row);
	names->row = mem_array(frame->rows + names->connections + 1, sizeof(*names->row));
	for (uint32_t i = 0; i < frame->rows; i++)
		names->row[i] = frame->row[i];
	for (uint32_t i = 0; i < names->connections; i++) {
		if (!is_idle(frame, names->connection[i]))
			continue;
		names->idle[i] = (struct frame_row){.group = (uint64_t)names->connection[i] << 32 |
							     idle_operation,
						    .is_kept = true};
		histogram_init(&names->idle[i].histogram);
		names->row[names->frame.rows++] = &names->idle[i];
	}
	names->frame.row = names->row;
	report->frame = &names->frame;
}

void stat_names_use(struct stat_names *names, struct frame_report *report)
{
	if (!names->mounts)
		return;
	mount_names_look(names->mounts);
	names->engine = report->engine;
	report->name = names->has_connections ? name_request : name_file_system;
	report->name_context = names;
	report->has_keys = names->has_connections;
	if (names->has_connections)
		add_idle(names, report);
}

void stat_names_close(struct stat_names *names)
{
	mount_names_close(names->mounts);
	free(names->row);
	*names = (struct stat_names){0};
}
