/*
 * collect_fault: failed calls: how often each call failed with each error, and for which name.
 *
 * The name is the path in the call, or that of its handle. Memory grows with the number of names.
 */
#pragma once

#include "top.h"

#include <iotrace/cold.h>
#include <iotrace/map.h>
#include <iotrace/trace.h>

/* What an error means for a user who searches for a problem. */
enum collect_fault_kind {
	FAULT_FAILED,
	FAULT_LOOKUP, /* a look-up of a name that does not exist */
	/* An error that programs expect: not a symbolic link, no data yet, and so on. */
	FAULT_USUAL,
	FAULT_PROBE, /* for names only: an ordinary look-up, such as those of the loader */
	/* A signal interrupted the call, which is repeated, or fails with EINTR. */
	FAULT_INTERRUPTED,
	FAULT_KINDS
};
enum { FAULT_ALL = (1 << FAULT_KINDS) - 1 };

struct collect_fault {
	int error;
	region_id region;
	uint64_t count;
	enum collect_fault_kind kind; /* never FAULT_PROBE */
};

/* The same for one name. */
struct collect_named_fault {
	struct collect_fault fault;
	str_id name;
	uint64_t last;                /* time of the last failure, ns */
	enum collect_fault_kind kind; /* set by collect_faults_judge() */
	bool is_in_command; /* a look-up of a name that is in the command; set like kind */
};

struct collect_faults {
	const struct trace *trace; /* lent */
	struct collect_fault *fault;
	uint32_t faults, faults_cap;
	struct map fault_of; /* maps error and region to an index in fault */
	struct cold_area area;
	struct collect_named_fault *named;
	uint32_t nameds, nameds_cap;
	struct map named_of; /* maps an index in fault and a name to an index in named */
};

void collect_faults_init(struct collect_faults *faults, const struct trace *trace);
/* Counts a failure; its name may be 0: unknown. `last` is its time. */
void collect_faults_add(struct collect_faults *faults, const struct collect_named_fault *one);
void collect_faults_release(struct collect_faults *faults);
/* Decides what the failures mean, when all are counted. The look-up of a file that was found elsewhere is a probe. */
void collect_faults_judge(struct collect_faults *faults);

/* Returns "failure", "lookup", "probe", "interruption". */
const char *collect_fault_name(enum collect_fault_kind kind);

/* Returns indices in fault[] of these kinds (bits), sorted by kind, then by number. The caller releases the list. */
struct top collect_top_faults(const struct collect_faults *faults, uint32_t kinds, uint32_t size);
/*
 * Returns indices in named[] of these kinds, sorted by kind; look-ups of names in the command come first; then by number and
 * time.
 */
struct top collect_top_named_faults(const struct collect_faults *faults, uint32_t kinds,
				    uint32_t size);
