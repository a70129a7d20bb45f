/*
 * bpf_feature: groups of BPF programs that record more than the calls themselves.
 *
 * The programs of a recording are one object, because loading an object takes 40 ms. The kernel may refuse a feature: its
 * tracepoints are different, or the verifier does not accept a program. Then the object is loaded again without that feature,
 * and the reason is kept.
 */
#pragma once

#include <iotrace/syscall.h>
#include <stdbool.h>
#include <stdint.h>

enum bpf_feature {
	BPF_FEATURE_URING,
	BPF_FEATURE_FAULT,
	BPF_FEATURE_WRITEBACK,
	BPF_FEATURE_CLONE,
	BPF_FEATURE_ARGUMENTS,
	BPF_FEATURE_STATUS,
	BPF_FEATURE_LOCK,
	BPF_FEATURES
};

struct bpf_feature_row {
	const char *name;  /* "io_uring requests" */
	const char *check; /* its name in `iotrace check` */
	const char *help;  /* what it provides */
	enum call_group group;
	const char *instead; /* what records the same information without it; NULL: nothing */
};

/* Defined in bpf_feature_row.c, which is in every build. */
const struct bpf_feature_row *bpf_feature_row(enum bpf_feature feature);

/* The state of a feature. */
struct bpf_feature_state {
	bool is_wanted;
	char why[200]; /* why it was refused; "": it was not refused */
};
