/* bpf_rings: the rings of all online CPUs have the same size. */
#include "bpf_rings.h"

#include "bpf_source.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <unistd.h>

enum { RING_MAX = 1 << 30 };

void bpf_rings_init(struct bpf_rings *rings, const struct bpf_options *options)
{
	rings->cpus = options->cpus;
	rings->online = options->cpus - options->spares;
	rings->cpu = mem_array(options->cpus, sizeof(*rings->cpu));
	rings->ring = mem_array(options->cpus, sizeof(*rings->ring));
	rings->fd = mem_array(options->cpus, sizeof(*rings->fd));
	for (uint32_t i = 0; i < options->cpus; i++) {
		rings->cpu[i] = options->cpu[i];
		rings->fd[i] = -1;
	}
}

/* Returns 0 or -errno. drop() frees what was created. */
static int make(struct bpf_rings *rings, uint32_t index, uint64_t size)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "iotrace_ring", 0, 0, (uint32_t)size, NULL);

	if (fd < 0)
		return -errno;
	rings->fd[index] = fd;
	return bpf_ring_map(&rings->ring[index], fd, size);
}

static void drop(struct bpf_rings *rings, uint32_t index)
{
	bpf_ring_unmap(&rings->ring[index]);
	if (rings->fd[index] >= 0)
		close(rings->fd[index]);
	rings->fd[index] = -1;
}

static void drop_all(struct bpf_rings *rings)
{
	for (uint32_t i = 0; i < rings->cpus; i++)
		drop(rings, i);
}

void bpf_rings_release(struct bpf_rings *rings)
{
	drop_all(rings);
	free(rings->cpu);
	free(rings->ring);
	free(rings->fd);
}

/* Programs run on a CPU as soon as it is online. If it has no ring, they count the records that they drop. */
static void make_spares(struct bpf_rings *rings, uint64_t size)
{
	for (uint32_t i = rings->online; i < rings->cpus; i++)
		if (make(rings, i, size)) {
			drop(rings, i);
			rings->cpus = i;
		}
}

/*
 * Updates the map once for all rings, because after each change of this map the kernel waits for all running programs, 10 ms or
 * more.
 */
static int give_to_programs(const struct bpf_rings *rings, int map, struct error *err)
{
	uint32_t count = rings->cpus;
	bool is_given = !bpf_map_update_batch(map, rings->cpu, rings->fd, &count, NULL);

	for (uint32_t i = 0; i < rings->cpus && !is_given; i++)
		if (bpf_map_update_elem(map, &rings->cpu[i], &rings->fd[i], BPF_ANY))
			return error_set(err, errno, "cannot set the BPF ring of CPU %u",
					 rings->cpu[i]);
	return 0;
}

int bpf_rings_make(struct bpf_rings *rings, int map, const struct bpf_options *options,
		   struct error *err)
{
	uint64_t size = options->ring_bytes < RING_MAX ? options->ring_bytes : RING_MAX;

	for (;;) {
		int code = 0;

		for (uint32_t i = 0; i < rings->online && !code; i++)
			code = make(rings, i, size);
		if (!code) {
			make_spares(rings, options->spare_bytes);
			return give_to_programs(rings, map, err);
		}
		drop_all(rings);
		if ((code != -ENOMEM && code != -EPERM) || size / 2 < options->ring_least)
			return error_set(err, -code,
					 "cannot create BPF rings of %llu KiB for each of %u CPUs",
					 (unsigned long long)(size >> 10), rings->online);
		size /= 2;
	}
}
