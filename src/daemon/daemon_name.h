/*
 * daemon_name: names of devices, file systems and FUSE connections, from /sys and from the mounts of the machine.
 *
 * A file system has the shortest of its mount points. What is mounted only in containers has its device number.
 */
#pragma once

#include <iotrace/publication.h>

struct daemon_names;

struct daemon_names *daemon_names_new(void);
void daemon_names_free(struct daemon_names *names);
/* Reads the mounts again. Returns whether they have changed. */
bool daemon_names_look(struct daemon_names *names);
/* For totals_new(); the context is the struct daemon_names. */
void daemon_names_name(void *names, struct publication_row *row);
