/* stat_names: see stat_names.h. */
#include "stat_names.h"

#include <iotrace/frame.h>
#include <iotrace/mount_names.h>
#include <stdio.h>
#include <string.h>

enum { MINOR_BITS = 20 };

/* Cuts the middle of a long mount point: its begin and its end say most. */
static void put_point(char *text, size_t size, const char *point)
{
	size_t length = strlen(point), half = size / 2 - 2;

	if (length < size)
		memcpy(text, point, length + 1);
	else
		snprintf(text, size, "%.*s...%s", (int)half, point, point + length - half);
}

void stat_name_file_system(const struct mount_names *names, uint32_t device, char *text,
			   size_t size)
{
	const char *point = device ? mount_names_point(names, device) : "(by path)";

	if (point)
		put_point(text, size, point);
	else
		snprintf(text, size, "%u:%u", device >> MINOR_BITS,
			 device & ((1U << MINOR_BITS) - 1));
}

size_t stat_name_row(const void *names, const struct frame_row *row, char *text, size_t size)
{
	stat_name_file_system(names, (uint32_t)row->group, text, size);
	return strlen(text);
}
