/*
 * bpf_part: the part of the kernel's types that BPF programs name.
 *
 * To adapt programs to the running kernel, libbpf compares the name of each type that they use with those of all types, and a
 * kernel has more than 100,000. That took a seventh of the time until a recording began. It searches only this part if it has the
 * path of its file (btf_custom_path of struct bpf_object_open_opts).
 *
 * The part has all types of the kernel whose names the programs' types have, with those members whose names members of the
 * programs' types have. So it may have more than they use.
 *
 * Open a part before an object, fill it before the object is loaded, and close it then. Meanwhile, programs are bound to the
 * kernel's types: see bpf_bind.h. There is at most one part at a time.
 */
#pragma once

#include "bpf_types.h"

struct btf;

struct bpf_part {
	struct bpf_types types; /* all of the kernel's */
	int fd;                 /* of a file without a name, or -1 */
	char path[32];
};

/* bpf_part_close() releases it. */
void bpf_part_open(struct bpf_part *part);
/* Returns the path for libbpf, lent until bpf_part_close(); NULL: there is no part, so that libbpf searches all types. */
const char *bpf_part_path(const struct bpf_part *part);
/* Fills the file with what these types need. Call it before the programs are loaded. Returns 0 or -errno. */
int bpf_part_fill(const struct bpf_part *part, const struct btf *programs);
void bpf_part_close(struct bpf_part *part);
