/* bpf_name: the name of a file, from the names of its dentries that the BPF programs write. */
#pragma once

#include <iotrace/bpf_record.h>
#include <stdbool.h>
#include <stddef.h>

struct event_string;

enum { BPF_NAME_ROOM = 4096 + 16 }; /* PATH_MAX, and the characters around special names */

/*
 * Converts the names that follow a FILE part into a path, or for files without a path into the text of /proc/PID/fd/N. Returns whether
 * they follow their format. name->at is in `room`; NULL if the name is unknown.
 */
bool bpf_file_name(char room[BPF_NAME_ROOM], const struct bpf_part_file *part, const char *names,
		   size_t size, struct event_string *name);
