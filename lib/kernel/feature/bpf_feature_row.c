#include "bpf_feature.h"

static const struct bpf_feature_row rows[BPF_FEATURES] = {
	[BPF_FEATURE_URING] = {"io_uring requests", "BPF io_uring requests",
			       "requests of io_uring are operations", GROUP_AIO, NULL},
	[BPF_FEATURE_FAULT] = {"reads of mapped files", "BPF mapped reads",
			       "page faults that read mapped files: --syscalls=+mmap", GROUP_FAULT,
			       NULL},
	[BPF_FEATURE_WRITEBACK] = {"writeback of mapped files", "BPF mapped writes",
				   "writeback of mapped files: --syscalls=+mmap", GROUP_WRITEBACK,
				   NULL},
	[BPF_FEATURE_CLONE] = {"flags of new tasks", "BPF new tasks",
			       "what new tasks share with the tasks that made them", GROUP_TASK,
			       "perf"},
	[BPF_FEATURE_ARGUMENTS] = {"arguments of programs", "BPF programs",
				   "arguments of programs; set-uid programs are followed",
				   GROUP_TASK, NULL},
	[BPF_FEATURE_STATUS] = {"exit status of processes", "BPF exit status",
				"how each process ended", GROUP_TASK, NULL},
	[BPF_FEATURE_LOCK] = {"record locks", "BPF record locks", "whether fcntl locks or unlocks",
			      GROUP_LOCK, "perf"},
};

const struct bpf_feature_row *bpf_feature_row(enum bpf_feature feature)
{
	return &rows[feature];
}
