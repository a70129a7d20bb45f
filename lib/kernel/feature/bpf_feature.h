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
	const char *check; /* its name in `iotrace check`, */
	const char *help;  /* and what it gives */
	enum call_group group;
	const char *instead; /* what records the same without it; NULL: nothing */
};

/* In bpf_feature_row.c, which every build has. */
const struct bpf_feature_row *bpf_feature_row(enum bpf_feature feature);

/* What became of it. */
struct bpf_feature_state {
	bool is_wanted;
	char why[200]; /* it was refused; "": it was not */
};
