/*
 * origin: the tasks that cause block requests, by the rules of model/block/origin.c.
 *
 * A request is of the task that queued its first bio, no matter which task issues it. A worker that queues a bio continues one that was
 * moved to another device, or writes pages of the page cache, which are of the followed task that changed the file last.
 *
 * Without spec.has_origin, all requests count, and the kernel's verifier removes all of this.
 */
#pragma once

#include "bpf/block/cause.h"
#include "bpf/block/pair.h"

#define NO_SECTOR     (~0ULL)
#define ORIGIN_NS     30000000000ULL /* an older bio is not the one that is issued now */
#define FLUSHES_FIRST (1U << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH))

struct origin {
	uint64_t time, task;      /* task: as bpf_get_current_pid_tgid() gives it */
	uint32_t counts, is_copy; /* is_copy: another bio was moved here */
};

struct origin_key {
	uint64_t sector;
	uint64_t device;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct origin_key);
	__type(value, struct origin);
} origins SEC(".maps");

static __always_inline struct origin origin_here(void)
{
	return (struct origin){.time = bpf_ktime_get_ns(),
			       .task = bpf_get_current_pid_tgid(),
			       .counts = does_cause()};
}

static __always_inline struct origin *find_origin(uint32_t device, uint64_t sector)
{
	const struct origin_key key = {sector, device};
	struct origin *origin = bpf_map_lookup_elem(&origins, &key);

	return origin && bpf_ktime_get_ns() - origin->time < ORIGIN_NS ? origin : NULL;
}

static __always_inline void put_origin(uint32_t device, uint64_t sector,
				       const struct origin *origin)
{
	const struct origin_key key = {sector, device};

	bpf_map_update_elem(&origins, &key, origin, BPF_ANY);
}

static __always_inline void copy_origin(uint32_t from, uint64_t from_sector, uint32_t to,
					uint64_t to_sector, bool is_copy)
{
	const struct origin *origin = find_origin(from, from_sector);
	struct origin copy;

	if (!origin)
		return;
	copy = *origin;
	copy.is_copy = is_copy;
	put_origin(to, to_sector, &copy);
}

/* Gives the bio of a worker to the task whose bio or page it is. */
static __always_inline void find_cause(struct origin *origin, struct bio *bio, uint32_t device,
				       bool is_write)
{
	const struct origin *before = find_origin(device, bio->bi_iter.bi_sector);
	const uint64_t *writer;

	if (before && before->is_copy) {
		origin->task = before->task;
		origin->counts = before->counts;
	}
	writer = is_write ? writer_of(bio) : NULL;
	if (writer) {
		origin->task = *writer;
		origin->counts = true;
	}
}

/* A bio has been queued. */
static __always_inline struct origin bio_origin(struct bio *bio, uint32_t device)
{
	struct origin origin = {.task = bpf_get_current_pid_tgid(), .counts = true};

	if (!spec.has_origin)
		return origin;
	origin = origin_here();
	if (is_worker())
		find_cause(&origin, bio, device, kind_of(bio->bi_opf) == REQUEST_WRITE);
	put_origin(device, bio->bi_iter.bi_sector, &origin);
	if (bio->bi_opf & FLUSHES_FIRST)
		put_origin(device, NO_SECTOR, &origin);
	return origin;
}

/* Flushes and commands have no sector. */
static __always_inline struct origin request_origin(struct request *request, uint32_t device)
{
	uint32_t operation = request->cmd_flags & OPERATION;
	bool has_sector = operation != REQ_OP_FLUSH && operation < REQ_OP_COMMANDS;
	const struct origin *origin;

	if (!spec.has_origin)
		return (struct origin){.task = bpf_get_current_pid_tgid(), .counts = true};
	origin = find_origin(device, has_sector ? request->__sector : NO_SECTOR);
	return origin ? *origin : origin_here();
}

/* The bio has been moved to this device. */
SEC("tp_btf/block_bio_remap")
int BPF_PROG(bio_moves, struct bio *bio, uint32_t old, uint64_t from)
{
	if (is_on)
		copy_origin(old, from, device_of_bio(bio), bio->bi_iter.bi_sector, true);
	return 0;
}

/* The kernel gives only the lower 32 bits of the sector where the rest begins. */
SEC("tp_btf/block_split")
int BPF_PROG(bio_splits, struct bio *bio, unsigned int rest)
{
	uint32_t device = device_of_bio(bio);
	uint64_t sector = bio->bi_iter.bi_sector;

	if (is_on)
		copy_origin(device, sector, device, sector + (uint32_t)(rest - (uint32_t)sector),
			    false);
	return 0;
}
