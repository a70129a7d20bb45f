/*
 * bpf_span_shared: what the programs that count spans share with their loader and reader.
 *
 * Plain C for the BPF target as well. The description of the span is a constant for the programs, so the kernel's verifier
 * removes what this span does not need.
 */
#pragma once

#include "bpf_span_file.h"
#include "bpf_span_open.h"
#include "bpf_span_owner.h"
#include "bpf_span_point.h"

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

enum { BPF_SPAN_DEVICES = 16 };
/* More than there are opcodes of asynchronous requests; and a flag of those of which several ends may be reported. */
enum { BPF_SPAN_OPCODES = 64, BPF_SPAN_ASYNC_REPEATS = 16 };

/* Properties of the values of WHAT: see <iotrace/counted.h>. */
enum {
	BPF_SPAN_VALUES = 512,
	BPF_SPAN_READS = 1,
	BPF_SPAN_WRITES = 2,
	BPF_SPAN_UNWANTED = 4,
	BPF_SPAN_CLASS_SHIFT = 3,
	BPF_SPAN_CLASS = 15,
	BPF_SPAN_REAPS = 128,
};

/* The class of a call whose operations count: enum counted_operation. */
enum {
	BPF_SPAN_OP_READ,
	BPF_SPAN_OP_WRITE,
	BPF_SPAN_OP_FLUSH,
	BPF_SPAN_OP_COPY,
	BPF_SPAN_OP_FLUSH_ALL,
	BPF_SPAN_OP_SUBMIT,
	BPF_SPAN_OP_END_QUEUE,
};

/* More bits for block requests. BPF_SPAN_ISSUED: it is not given back since. */
enum { BPF_SPAN_ISSUED = 8, BPF_SPAN_WAS_ISSUED = 16, BPF_SPAN_FAILED = 32 };

/* The part of a request that is the span: all of it, until it was issued last, or from then on. */
enum bpf_span_part { BPF_SPAN_WHOLE, BPF_SPAN_QUEUE, BPF_SPAN_SERVICE };
/* What requests are grouped by: bits. With both, the device is in the upper half of a group. */
enum { BPF_SPAN_BY_DEVICE = 1, BPF_SPAN_BY_KIND = 2 };

/* Other processes of iotrace that are not counted. */
enum { BPF_SPAN_OPENER, BPF_SPAN_WATCH, BPF_SPAN_DISPLAY, BPF_SPAN_HELPERS };

struct bpf_span_spec {
	struct bpf_span_point point[BPF_SPAN_POINTS];
	uint64_t above; /* only longer spans are in the cells */
	uint32_t keys;
	uint32_t slots; /* number of slots, a power of two; 0: all open spans are in the hash */
	uint32_t cells; /* number of cells in a set */
	uint32_t first; /* index of the first cell for groups; before it are those of each CPU */
	int32_t own_tgid;
	uint8_t is_system;       /* all tasks except iotrace's own */
	uint8_t is_of_thread;    /* the key is the thread, so the next span reuses the entry */
	uint8_t is_owner_in_key; /* a span belongs to the thread in its key */
	uint8_t is_everywhere;   /* a span may end in another task than it began */
	uint8_t has_group;
	uint8_t has_sets; /* there are two sets of cells */
	uint8_t is_interleaved; /* some programs may be preempted: those of probes, and since Linux 7.0 others */
	uint8_t has_ends;      /* several events end it */
	uint8_t part;          /* number of keys that a cancel has; 0: it has all of them */
	uint8_t is_of_process; /* the first key is the process in which all events are */
	uint8_t hashed_keys; /* spans in the hash are counted by so many first keys; 0: they are not */
	uint8_t has_chooser; /* an event with the group has BPF_SPAN_CHOOSER */
	uint32_t texts;      /* room for so many; 0: no key and no group is a text */
	uint32_t text_size;  /* of each */
	uint8_t has_group_text;
	uint32_t chunks; /* of names of files; 0: groups are no files */
	/* What is in flight: */
	uint8_t has_about, has_outcome, has_async, is_read_of_end, is_written_of_end;
	uint32_t read_header, written_header;
	uint32_t flights;       /* room for so many; 0: it is not counted */
	uint8_t is_size_result; /* see <iotrace/counted.h> */
	/* Calls count as they are recorded: the same. Of the call `ioctl`, not all requests do. */
	uint8_t is_as_recorded;
	int32_t ioctl;
	/* Operations: their groups are what begin_of() gets. */
	uint8_t by_mode, has_async_operations, has_faults;
	int32_t mmap; /* the call that maps files, from which faults have the names of their files */
	/* The spans are block requests: there are no points. */
	uint8_t is_of_requests;
	uint8_t request_part, request_groups; /* enum bpf_span_part; BPF_SPAN_BY_... */
	uint8_t has_origin; /* only those that followed and chosen tasks have caused */
	uint8_t owner;      /* enum bpf_span_owner */
	/* Only spans of threads of `user`, or of chosen names, users and control groups. */
	uint8_t has_user, has_choice;
	uint32_t user, devices; /* devices: number of those in `device`; 0: all count */
	uint32_t device[BPF_SPAN_DEVICES];
};

/* The first flights are those of all spans, and of groups for which there was no space. Those of groups follow. */
enum { BPF_SPAN_FLIGHT_ALL, BPF_SPAN_FLIGHT_REST, BPF_SPAN_FLIGHT_FIRST };

/*
 * The spans of a group that are in flight, in one cache line. busy: the sum of the times at which the last one in flight ended, minus
 * the sum of the times at which the first one began; add the current time while any is in flight. comm: the name of the thread whose
 * span was the first.
 */
struct bpf_span_flight {
	uint64_t group;
	int64_t count, busy;
	uint64_t read, written, errors;
	char comm[16];
};
