/* bpf_rings: the ring buffers of all CPUs, in the map that the programs use. */
#pragma once

#include "bpf_ring.h"

struct bpf_options;
struct error;

struct bpf_rings {
	uint32_t *cpu; /* numbers of the online CPUs, then of those that may come online */
	uint32_t cpus, online;
	struct bpf_ring *ring;
	int *fd;
};

void bpf_rings_init(struct bpf_rings *rings, const struct bpf_options *options);
void bpf_rings_release(struct bpf_rings *rings);
/*
 * Creates and maps the rings and puts them into the map, with the size in the options or the largest possible one. If the ring of
 * an offline CPU cannot be created, that CPU and all after it have none, and rings->cpus is less.
 */
int bpf_rings_make(struct bpf_rings *rings, int map, const struct bpf_options *options,
		   struct error *err);
