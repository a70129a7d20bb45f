/* bpf_rings: the ring buffers of all CPUs, in the map where the programs find them. */
#pragma once

#include "bpf_ring.h"

struct bpf_options;
struct error;

struct bpf_rings {
	uint32_t *cpu; /* numbers: of those that are online, then of those that may come */
	uint32_t cpus, online;
	struct bpf_ring *ring;
	int *fd;
};

void bpf_rings_init(struct bpf_rings *rings, const struct bpf_options *options);
void bpf_rings_release(struct bpf_rings *rings);
/*
 * Makes and maps the rings, and puts them into the map: as large as the options say, or the largest that can be had. A CPU that may
 * come does without if its ring cannot be had, and so do those behind it: rings->cpus is less then.
 */
int bpf_rings_make(struct bpf_rings *rings, int map, const struct bpf_options *options,
		   struct error *err);
