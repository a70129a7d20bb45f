/*
 * collect_fault: calls that failed: how often which call failed with which error, and at what.
 *
 * What a call failed at is the path that it named, or the name of its handle. Memory grows with such names.
 */
#pragma once

#include "top.h"

#include <iotrace/cold.h>
#include <iotrace/map.h>
#include <iotrace/trace.h>

/* What an error means to somebody who looks for a fault. */
enum collect_fault_kind {
	FAULT_FAILED,
	FAULT_LOOKUP,      /* a look-up of a name that does not exist */
	FAULT_USUAL,       /* an error that programs expect: not a symbolic link, no data yet ... */
	FAULT_PROBE,       /* only of names: an ordinary look-up, such as those of the loader */
	FAULT_INTERRUPTED, /* a signal came: the call comes again, or the program got EINTR */
	FAULT_KINDS
};
enum { FAULT_ALL = (1 << FAULT_KINDS) - 1 };

struct collect_fault {
	int error;
	region_id region;
	uint64_t count;
	enum collect_fault_kind kind; /* never FAULT_PROBE */
};

/* The same, of one name. */
struct collect_named_fault {
	struct collect_fault fault;
	str_id name;
	uint64_t last;                /* when it was met last, ns */
	enum collect_fault_kind kind; /* since collect_faults_judge() */
	bool is_in_command; /* a look-up of what the words of the command name; since then */
};

struct collect_faults {
	const struct trace *trace; /* lent */
	struct collect_fault *fault;
	uint32_t faults, faults_cap;
	struct map fault_of; /* error and region to index in fault */
	struct cold_area area;
	struct collect_named_fault *named;
	uint32_t nameds, nameds_cap;
	struct map named_of; /* index in fault and name to index in named */
};

void collect_faults_init(struct collect_faults *faults, const struct trace *trace);
/* Counts one; its name may be 0: not known. `last` is its time. */
void collect_faults_add(struct collect_faults *faults, const struct collect_named_fault *one);
void collect_faults_release(struct collect_faults *faults);
/* Judges the names when all are counted. The look-up of a file that was found elsewhere is a probe. */
void collect_faults_judge(struct collect_faults *faults);

/* Returns "failure", "lookup", "probe", "interruption". */
const char *collect_fault_name(enum collect_fault_kind kind);

/* Indices in fault[] of these kinds (bits): by their kind, and the most frequent of each first. The caller releases it. */
struct top collect_top_faults(const struct collect_faults *faults, uint32_t kinds, uint32_t size);
/*
 * Indices in named[] of these kinds: by their kind; of the look-ups first those that the words of the command name; then the
 * most frequent, and the latest.
 */
struct top collect_top_named_faults(const struct collect_faults *faults, uint32_t kinds,
				    uint32_t size);
