/*
 * bpf_span_file: how the programs that count spans keep the names of files: see bpf/span/file.h.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

enum {
	BPF_SPAN_CHUNK = 128,
	BPF_SPAN_CHUNKS = 1 << 16, /* 8 MiB: two for each file, so names of 200 bytes */
	BPF_SPAN_NAMES = 1 << 15,
	BPF_SPAN_FILES = 1 << 15, /* those that are found by what leads to them */
	BPF_SPAN_RECENT_FILES = 256,
	BPF_SPAN_INODE =
		255, /* in place of enum bpf_part_kind: only the inode of the file is known */
	BPF_SPAN_RING = BPF_SPAN_CHUNKS + 1, /* in place of a file: an io_uring, no matter which */
};

/*
 * A struct bpf_part_file with its names begins in a chunk, and continues in the next ones. The number of a file is that of its first chunk,
 * from 1; 0: there was no room.
 */
struct bpf_span_chunk {
	uint64_t words[BPF_SPAN_CHUNK / 8];
};

/* The lower bits of an entry are the number of a file, the upper ones what it is found by. */
enum { BPF_SPAN_FILE_BITS = 17 };
struct bpf_span_recent_files {
	uint64_t entry[BPF_SPAN_RECENT_FILES];
	uint32_t is_writing; /* a name is being written on this CPU */
	uint32_t none;
};
