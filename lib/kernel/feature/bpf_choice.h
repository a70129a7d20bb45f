/* bpf_choice: which programs of each feature are loaded and attached. See bpf_feature.h. */
#pragma once

#include "bpf_feature.h"

struct bpf_link;
struct bpf_object;
struct bpf_types;

enum { BPF_TASKS = 13 };

struct bpf_choice {
	struct bpf_feature_state state[BPF_FEATURES];
	/* The program that fits this kernel; NULL: none is wanted, or none fits. */
	const char *program[BPF_TASKS];
	struct bpf_link *link[BPF_TASKS];
};

/*
 * Chooses the features of these groups (1 << GROUP_*), and refuses those whose tracepoints are missing or have an unknown
 * layout.
 */
void bpf_choice_init(struct bpf_choice *choice, uint32_t groups, const struct bpf_types *kernel);
/* Return the name of the program for begins or ends of io_uring's requests, whether it is wanted or not; NULL: none fits the kernel. */
const char *bpf_choice_uring_begin(const struct bpf_choice *choice);
const char *bpf_choice_uring_end(const struct bpf_choice *choice);
/* Returns whether the kernel has the tracepoints of page faults as expected. */
bool bpf_choice_has_faults(const struct bpf_choice *choice);
/* Call it before the object is loaded: of the features' programs, only the chosen ones are loaded. */
void bpf_choice_apply(const struct bpf_choice *choice, struct bpf_object *object);
/*
 * Refuses the feature of a program that the kernel has refused. Returns false, and changes nothing, if the program belongs to no
 * feature.
 */
bool bpf_choice_refuse(struct bpf_choice *choice, const char *program, const char *why);
/* Attaches the programs. A feature whose program cannot be attached is refused and does not run. */
void bpf_choice_attach(struct bpf_choice *choice, struct bpf_object *object);
void bpf_choice_detach(struct bpf_choice *choice);
