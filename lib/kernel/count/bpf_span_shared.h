/*
 * bpf_span_shared: what the programs that count spans share with their loader and reader.
 *
 * Plain C for the BPF target as well. The description of the span is a constant for the programs, so the kernel's verifier
 * removes what this span does not need.
 */
#pragma once

#include "bpf_span_open.h"
#include "bpf_span_owner.h"

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

enum {
	BPF_SPAN_TESTS = 8,
	BPF_SPAN_DEVICES = 16,
};

/* Numbers of the fields of one side: see BPF_SPAN_MARK. */
enum {
	BPF_SPAN_KEY = 0,
	BPF_SPAN_TEST = BPF_SPAN_KEY + BPF_SPAN_KEYS,
	BPF_SPAN_GROUP = BPF_SPAN_TEST + BPF_SPAN_TESTS,
	BPF_SPAN_SIZE,
	BPF_SPAN_WHAT,    /* of a begin: says which data it moves */
	BPF_SPAN_OUTCOME, /* of an end: negative if the span failed */
	BPF_SPAN_FIELDS,
};

/*
 * A program may read its tracepoint's data only at offsets that are in its instructions. So it is compiled with this offset for
 * field 0, 8 more for field 1, and so on. bpf_span_patch() changes the instructions before the program is loaded.
 */
enum { BPF_SPAN_MARK = 0x4000 };

enum bpf_span_compare {
	BPF_SPAN_EQUAL,
	BPF_SPAN_UNEQUAL,
	BPF_SPAN_LESS,
	BPF_SPAN_LESS_EQUAL,
	BPF_SPAN_GREATER,
	BPF_SPAN_GREATER_EQUAL,
};

enum bpf_span_at {
	BPF_SPAN_NOTHING,
	BPF_SPAN_NUMBER, /* in the tracepoint's data */
	BPF_SPAN_PID,
	BPF_SPAN_TID,
	BPF_SPAN_CPU,
	BPF_SPAN_ARGUMENT, /* argument of a system call */
	BPF_SPAN_RESULT,
	BPF_SPAN_CALL, /* the number of the system call */
	BPF_SPAN_UID,
	BPF_SPAN_CGROUP,
	BPF_SPAN_OF_PROBE, /* in registers or memory: bpf_span_probe.h */
	BPF_SPAN_OF_ENTRY, /* kept since the function was entered */
};

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

/* More bits for block requests. */
enum { BPF_SPAN_ISSUED = 8, BPF_SPAN_FAILED = 16 };

struct bpf_span_field {
	uint8_t at; /* enum bpf_span_at */
	/* BPF_SPAN_NUMBER: shift left and back by this number of bits, to extend the sign; 0: unsigned. */
	uint8_t shift;
	uint8_t is_signed;
	uint8_t argument; /* BPF_SPAN_ARGUMENT, BPF_SPAN_OF_ENTRY: its number */
};

/* The kind of event that a side is. */
enum { BPF_SPAN_AT_TRACEPOINT, BPF_SPAN_AT_CALL, BPF_SPAN_AT_RETURN };
enum { BPF_SPAN_ANY_CALL = -2 };

struct bpf_span_test {
	uint64_t number;
	uint8_t compare;        /* enum bpf_span_compare */
	uint8_t is_signed;      /* both numbers are signed */
	uint8_t is_alternative; /* it follows "||" */
};

struct bpf_span_side {
	struct bpf_span_field field[BPF_SPAN_FIELDS];
	struct bpf_span_test test[BPF_SPAN_TESTS];
	uint64_t mask[BPF_SPAN_KEYS]; /* the bits of each key that count */
	uint32_t tests;
	uint32_t call;  /* BPF_SPAN_AT_... */
	int32_t number; /* number of the system call, or BPF_SPAN_ANY_CALL */
};

/* Other processes of iotrace that are not counted. */
enum { BPF_SPAN_OPENER, BPF_SPAN_WATCH, BPF_SPAN_DISPLAY, BPF_SPAN_HELPERS };
enum { BPF_SPAN_BEGIN, BPF_SPAN_END, BPF_SPAN_CANCEL, BPF_SPAN_SIDES };

struct bpf_span_spec {
	struct bpf_span_side side[BPF_SPAN_SIDES];
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
	uint8_t has_sets;   /* there are two sets of cells */
	uint8_t has_probes; /* some sides are probes, whose programs may be preempted */
	/* What is in flight: */
	uint8_t has_about, has_outcome, has_async, is_read_of_end, is_written_of_end;
	uint32_t read_header, written_header;
	uint32_t flights; /* room for so many; 0: it is not counted */
	/* The spans are block requests: there are no sides. */
	uint8_t is_of_requests;
	uint8_t owner; /* enum bpf_span_owner */
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
