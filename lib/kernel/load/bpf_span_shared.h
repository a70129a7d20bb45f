/*
 * bpf_span_shared: what the programs that count spans, and those who load and read them, agree on.
 *
 * Plain C for the BPF target as well. A span is known to the programs as a constant, so the kernel's verifier throws away what it
 * does not need.
 */
#pragma once

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

enum {
	BPF_SPAN_KEYS = 4,
	BPF_SPAN_TESTS = 8,
};

/* Fields of one side: their numbers, see BPF_SPAN_MARK. */
enum {
	BPF_SPAN_KEY = 0,
	BPF_SPAN_TEST = BPF_SPAN_KEY + BPF_SPAN_KEYS,
	BPF_SPAN_GROUP = BPF_SPAN_TEST + BPF_SPAN_TESTS,
	BPF_SPAN_SIZE,
	BPF_SPAN_FIELDS,
};

/*
 * A program may read its tracepoint's data only at places that stand in its instructions. So it is compiled with this place for field
 * 0, 8 more for field 1, and so on, and the instructions are changed before it is loaded.
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
	BPF_SPAN_ARGUMENT, /* of a system call */
	BPF_SPAN_RESULT,
};

struct bpf_span_field {
	uint8_t at; /* enum bpf_span_at */
	uint8_t shift; /* NUMBER: by so many bits to the left and back, which extends its sign; 0: it has none */
	uint8_t is_signed;
	uint8_t argument; /* ARGUMENT: its number */
};

/* What a side is at. */
enum { BPF_SPAN_AT_TRACEPOINT, BPF_SPAN_AT_CALL, BPF_SPAN_AT_RETURN };

struct bpf_span_test {
	uint64_t number;
	uint8_t compare;        /* enum bpf_span_compare */
	uint8_t is_signed;      /* both are */
	uint8_t is_alternative; /* "||" is before it */
};

struct bpf_span_side {
	struct bpf_span_field field[BPF_SPAN_FIELDS];
	struct bpf_span_test test[BPF_SPAN_TESTS];
	uint32_t tests;
	uint32_t call;  /* BPF_SPAN_AT_... */
	int32_t number; /* of the system call */
};

enum { BPF_SPAN_BEGIN, BPF_SPAN_END, BPF_SPAN_CANCEL, BPF_SPAN_SIDES };

struct bpf_span_spec {
	struct bpf_span_side side[BPF_SPAN_SIDES];
	uint64_t above; /* only what took longer is in the cells */
	uint32_t keys;
	uint32_t cells; /* as many as there are */
	uint32_t first; /* of those for groups; before them are those of each CPU */
	int32_t own_tgid;
	uint8_t is_system; /* all tasks but iotrace's own */
	uint8_t is_of_thread; /* the key is the thread, so an open span stays where it is for the next one */
	uint8_t is_owner_in_key; /* a span is of the thread that its key names */
	uint8_t is_everywhere;   /* ends may come in other tasks than begins */
	uint8_t has_group;
};

/* Has begun. begin 0: it has ended, and waits for the next one of the same thread. */
struct bpf_span_open {
	uint64_t begin, group, bytes;
	uint64_t left; /* when its thread ended; 0: it has not */
	uint32_t pid, tid;
};

struct bpf_span_cell_key {
	uint64_t group;
	uint32_t number, cpu;
};

/* Of one CPU. One cache line and a bit. */
struct bpf_span_books {
	uint64_t begun, ended, cancelled, begun_again, left;
	uint64_t ends_without_begin, excluded;
	uint64_t below;     /* ended, but took no longer than `above` */
	uint64_t full;      /* begins that found no room */
	uint64_t ungrouped; /* ended, but their group found no room */
	uint64_t pad[6];
};
