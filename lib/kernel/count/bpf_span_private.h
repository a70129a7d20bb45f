/* bpf_span_private: what bpf_span.c opens, bpf_span_attach.c attaches and bpf_span_read.c reads. */
#pragma once

#include "bpf_span.h"
#include "bpf_span_cell.h"
#include "bpf_span_spec.h"
#include "feature/bpf_missed.h"
#include "load/bpf_shared.h"

#include <span.skel.h>

struct bpf_span {
	struct span_bpf *programs;
	struct bpf_span_plan plan;
	struct bpf_missed missed;
	int event[BPF_SPAN_POINTS]; /* events that the programs are attached to; -1: none */
	int entry[BPF_SPAN_POINTS]; /* the same for entries of functions */
	struct bpf_link *iterator;  /* fills the list of open spans */
	int left_fd;                /* an iterator; -1: it must be made */
	int followed_fd; /* an iterator that finds the threads that are followed; -1: it need not */
	uint32_t cpus;
	const struct bpf_span_books *books; /* mapped, of all possible CPUs; also the cells */
	struct bpf_span_cell *cells;        /* writable if there are two sets */
	const struct bpf_span_listed *open; /* the list of open spans, with space for `rooms` */
	uint32_t rooms;
	const struct bpf_span_slot *slots;     /* contain the other open spans */
	const char *texts;                     /* by their numbers */
	const struct bpf_span_chunk *names;    /* of files */
	struct bpf_span_name *name;            /* the last one that was asked for; NULL: none */
	const struct bpf_span_flight *flights; /* NULL: they are not wanted */
	size_t names_size, texts_size, books_size, cells_size, flights_size, open_size, slots_size;
};

static inline uint32_t bpf_span_sets(const struct bpf_span_spec *spec)
{
	return spec->has_sets ? 2 : 1;
}

/* The programs of a point: at its tracepoint, at its probe, and at the entry of its function. */
enum { BPF_SPAN_AT_EVENT, BPF_SPAN_AT_PROBE, BPF_SPAN_AT_ENTRY, BPF_SPAN_KINDS };

struct bpf_program *bpf_span_program(const struct span_bpf *programs, int point, int kind);
/* Returns whether the point needs the program. */
bool bpf_span_uses(const struct bpf_span *span, const struct counted_span *counted, int point,
		   int kind);
/* Attaches all programs. Returns 0, or -errno with a message. */
int bpf_span_attach(struct bpf_span *span, const struct bpf_span_options *options,
		    char *const format[BPF_SPAN_POINTS], struct error *err);
