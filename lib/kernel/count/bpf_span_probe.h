/*
 * bpf_span_probe: where the programs that count spans find the fields of probes of programs.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#include "bpf_span_shared.h"

enum {
	BPF_SPAN_DEPTH = 5, /* accesses to memory: those of the user, and one of a static probe */
	BPF_SPAN_SITES = 8,
	BPF_SPAN_SITE = 4096, /* a site is known by its address in a page */
	BPF_SPAN_KEPT = 8,    /* fields that are kept from the entry of a function to its return */
};

/* A register and the memory behind it, as "+4(+16(%si)):u32" in uprobe_events. */
struct bpf_span_fetch {
	int32_t offset
		[BPF_SPAN_DEPTH]; /* in the order of the accesses; a constant has its value here */
	uint16_t at;              /* of the register among those that the kernel has saved */
	uint8_t depth;            /* number of accesses */
	uint8_t size;             /* 0: a text, to which the last access leads */
	uint8_t is_signed;
	uint8_t is_constant;
	/* Of an entry: the value is whether the text fulfils the condition with this number, from 1. 0: there is none. */
	uint8_t match;
	uint8_t none[1]; /* so that two can be compared as bytes */
};

struct bpf_span_site {
	struct bpf_span_fetch field[BPF_SPAN_FIELDS];
};

/* A static probe may be in several places of a program, each with other registers. */
struct bpf_span_probe {
	uint32_t sites; /* 0: it is no probe */
	uint32_t low[BPF_SPAN_SITES];
	struct bpf_span_site site[BPF_SPAN_SITES];
};

/* The fields of an entry have other numbers: see BPF_SPAN_KEPT_FIELD. */
struct bpf_span_entry {
	struct bpf_span_fetch field[BPF_SPAN_KEPT];
	uint32_t fields; /* 0: it is not needed */
};

struct bpf_span_probes {
	struct bpf_span_probe of[BPF_SPAN_POINTS];
	struct bpf_span_entry entry[BPF_SPAN_POINTS];
};
