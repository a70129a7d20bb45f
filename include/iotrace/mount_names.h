/*
 * mount_names: the mount points of the machine by device, and the names of block devices.
 *
 * The mounts of the machine are those of its first process. To these come file systems that only iotrace itself sees, as in a container;
 * a user may not see the first process at all. A file system that is mounted several times has the shortest of its mount points, and
 * one that is mounted only in other containers has none.
 * Devices are numbered as in the kernel: major << 20 | minor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct mount_names;

/* Reads the mounts. proc, sys: /proc and /sys, or saved trees. Returns NULL with a message if one of them cannot be opened. */
struct mount_names *mount_names_open(const char *proc, const char *sys, struct error *err);
void mount_names_close(struct mount_names *names);
/* Reads the mounts again. Returns whether they have changed. */
bool mount_names_look(struct mount_names *names);
/* Returns the mount point of the file system on this device, lent until the next look; NULL: none. */
const char *mount_names_point(const struct mount_names *names, uint32_t device);
/* Sets the devices of the FUSE connections of this machine, at most `most`, also of virtiofs. Returns how many there are. */
uint32_t mount_names_connections(const struct mount_names *names, uint32_t *device, uint32_t most);
/* Returns how many requests of a FUSE connection wait for an answer; 0: none, or it cannot be read. No file system is asked. */
uint32_t mount_names_waiting(const struct mount_names *names, uint32_t device);
/* Writes the name of a block device, such as "sda"; "8:0" if there is no such device. */
void mount_names_device(const struct mount_names *names, uint32_t device, char *text, size_t size);
