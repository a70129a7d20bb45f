/*
 * bpf_missed: how often the kernel did not run a program of an object, because the same program was running on that CPU when an
 * interrupt or another task came.
 */
#pragma once

#include <stdint.h>

struct bpf_object;

enum { BPF_MISSED_PROGRAMS = 32 };

/* The fdinfo of each program, opened early, because bpf() may not be allowed later. */
struct bpf_missed {
	int fd[BPF_MISSED_PROGRAMS];
	int count;
};

/* Opens the fdinfo of all loaded programs. A program whose fdinfo cannot be opened counts as never missed. */
void bpf_missed_open(struct bpf_missed *missed, const struct bpf_object *object);
void bpf_missed_close(struct bpf_missed *missed);
/* Returns the sum over all programs. */
uint64_t bpf_missed_read(const struct bpf_missed *missed);
