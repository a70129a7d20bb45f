/*
 * bpf_span_point: an event of a span, as the programs that count spans see it.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#include "bpf_span_open.h"

#ifndef __bpf__
#include <stdint.h>
#endif

enum { BPF_SPAN_TESTS = 8 };

/* The points of a span: the first one of each side, and others that do the same. Each has programs of its own. */
enum {
	BPF_SPAN_BEGIN,
	BPF_SPAN_END,
	BPF_SPAN_CANCEL,
	BPF_SPAN_SIDES,
	BPF_SPAN_BEGIN_2 = BPF_SPAN_SIDES,
	BPF_SPAN_END_2,
	BPF_SPAN_END_3,
	BPF_SPAN_END_4,
	BPF_SPAN_CANCEL_2,
	BPF_SPAN_POINTS,
};

/* X(NAME, POINT, ACTION) for each point: the name of its programs, and the function that takes its events. */
#define BPF_SPAN_EACH_POINT(X)                                                                     \
	X(begins, BPF_SPAN_BEGIN, begin)                                                           \
	X(begins_2, BPF_SPAN_BEGIN_2, begin)                                                       \
	X(ends, BPF_SPAN_END, end)                                                                 \
	X(ends_2, BPF_SPAN_END_2, end)                                                             \
	X(ends_3, BPF_SPAN_END_3, end)                                                             \
	X(ends_4, BPF_SPAN_END_4, end)                                                             \
	X(cancels, BPF_SPAN_CANCEL, cancel)                                                        \
	X(cancels_2, BPF_SPAN_CANCEL_2, cancel)

/* Numbers of the fields of one point: see BPF_SPAN_MARK. */
enum {
	BPF_SPAN_KEY = 0,
	BPF_SPAN_TEST = BPF_SPAN_KEY + BPF_SPAN_KEYS,
	BPF_SPAN_GROUP = BPF_SPAN_TEST + BPF_SPAN_TESTS,
	BPF_SPAN_SIZE,
	BPF_SPAN_WHAT,    /* of a begin: says which data it moves */
	BPF_SPAN_OUTCOME, /* of an end: negative if the span failed */
	BPF_SPAN_CHOOSER, /* chooses between two lists of names for the group: decode_chooser() */
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
	BPF_SPAN_OF_TEXT,  /* the number of a text: see enum bpf_span_text_at */
};

/* Where a text is. */
enum bpf_span_text_at {
	BPF_SPAN_TEXT_COMM,     /* the name of the thread */
	BPF_SPAN_TEXT_ARRAY,    /* `size` bytes at `offset` in the tracepoint's data */
	BPF_SPAN_TEXT_DATA_LOC, /* 4 bytes at `offset` say where in the data: Linux, __data_loc */
	BPF_SPAN_TEXT_REL_LOC,  /* and how far behind them: Linux 5.17, __rel_loc */
	BPF_SPAN_TEXT_MEMORY, /* in the memory of the program: the last access of a probe's field */
};

/* Keys and groups are numbers of texts, from 1. Texts of arrays of no more than BPF_SPAN_SHORT_TEXT bytes take less room. */
enum { BPF_SPAN_SHORT_TEXT = 32, BPF_SPAN_LONG_TEXT = 256, BPF_SPAN_TEXTS = 8192 };

struct bpf_span_field {
	uint8_t at; /* enum bpf_span_at */
	/* BPF_SPAN_NUMBER: shift left and back by this number of bits, to extend the sign; 0: unsigned. */
	uint8_t shift;
	uint8_t is_signed;
	uint8_t argument; /* BPF_SPAN_ARGUMENT, BPF_SPAN_OF_ENTRY: its number */
	/* BPF_SPAN_OF_TEXT: */
	uint16_t offset, size;
	uint8_t text;    /* enum bpf_span_text_at */
	uint8_t is_text; /* the value is the number of a text; 0: there was no room for it */
	uint8_t none[2];
};

/* The kind of event that a point is. */
enum { BPF_SPAN_AT_TRACEPOINT, BPF_SPAN_AT_CALL, BPF_SPAN_AT_RETURN };
enum { BPF_SPAN_ANY_CALL = -2 };

struct bpf_span_test {
	uint64_t number;
	uint8_t compare;        /* enum bpf_span_compare */
	uint8_t is_signed;      /* both numbers are signed */
	uint8_t is_alternative; /* it follows "||" */
};

struct bpf_span_point {
	struct bpf_span_field field[BPF_SPAN_FIELDS];
	struct bpf_span_test test[BPF_SPAN_TESTS];
	uint64_t mask[BPF_SPAN_KEYS]; /* the bits of each key that count */
	uint32_t tests;
	uint32_t call;  /* BPF_SPAN_AT_... */
	int32_t number; /* number of the system call, or BPF_SPAN_ANY_CALL */
};

/* A condition of a text: the bytes that count must be these, or the text must match a pattern. */
enum { BPF_SPAN_PATTERNS = 4 };
struct bpf_span_match {
	char wanted[BPF_SPAN_SHORT_TEXT], mask[BPF_SPAN_SHORT_TEXT];
	uint32_t is_unequal;
	uint32_t pattern; /* from 1; 0: none */
};
