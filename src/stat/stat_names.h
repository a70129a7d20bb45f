/*
 * stat_names: names of what the kernel counts by number, for `iotrace stat` and the daemon: file systems, and FUSE connections with their
 * operations. A connection that does nothing is a row, too.
 */
#pragma once

#include <iotrace/frame_report.h>

struct error;
struct mount_names;
struct span_engine;

enum { STAT_CONNECTIONS = 128 };

struct stat_names {
	struct mount_names *mounts; /* NULL: the groups have other names */
	const struct span_engine *engine;
	bool has_connections;
	uint32_t connection[STAT_CONNECTIONS], connections;
	struct frame_row idle[STAT_CONNECTIONS];
	const struct frame_row **row;
	struct frame frame; /* the one that is reported, with idle connections */
};

/* Writes the mount point of a file system, with its middle cut if it is too long; its number if it has none. device: 0: unknown. */
void stat_name_file_system(const struct mount_names *mounts, uint32_t device, char *text,
			   size_t size);
/* by: what the groups are. Returns 0, or -errno with a message. */
int stat_names_open(struct stat_names *names, const char *by, struct error *err);
/* Returns whether the rows are file systems. */
bool stat_names_are_of_file_systems(const struct stat_names *names);
/* Looks at the mounts, and gives the report names and idle connections. The report is lent until the next call. */
void stat_names_use(struct stat_names *names, struct frame_report *report);
void stat_names_close(struct stat_names *names);
