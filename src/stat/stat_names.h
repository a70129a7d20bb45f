/* stat_names: names of what the kernel counts by number, for `iotrace stat` and the daemon. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct frame_row;
struct mount_names;

/* Writes the mount point of a file system, with its middle cut if it is too long; its number if it has none. device: 0: unknown. */
void stat_name_file_system(const struct mount_names *names, uint32_t device, char *text,
			   size_t size);
/* For struct frame_report, if the groups are file systems; the context is a struct mount_names. */
size_t stat_name_row(const void *names, const struct frame_row *row, char *text, size_t size);
