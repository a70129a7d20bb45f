/*
 * span_request: block requests as spans. A request begins when it is inserted or issued, whichever comes first, as in model/block.
 * A device without requests works on bios, which begin when they are queued. Without spec.is_of_requests no program is loaded.
 *
 * The key is the address. `bytes` of an open request is what its parts have moved so far; of a bio, all that it will move. An interrupt
 * may end a request while the same CPU begins another one, so counters of begins are changed by one instruction.
 */
#pragma once

#include "bpf/block_device.h"
#include "bpf/span_flight.h"

const volatile uint32_t zone_append; /* number of this operation, which differs between kernels */
uint64_t bios_open;                  /* of devices without requests */

static __always_inline bool is_of_chosen(uint32_t device)
{
	bool is = !spec.devices;

	for (uint32_t i = 0; i < BPF_SPAN_DEVICES; i++)
		is = is || (i < spec.devices && spec.device[i] == device);
	return is;
}

static __always_inline uint32_t moves_of(uint32_t flags)
{
	uint32_t operation = flags & OPERATION;

	return operation == OP_READ                                ? BPF_SPAN_READS
	       : operation == OP_WRITE || operation == zone_append ? BPF_SPAN_WRITES
								   : 0;
}

/* Returns whether there was space. */
static __always_inline bool begin_one(const void *address, const struct bpf_span_open *like)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address}, task = bpf_get_current_pid_tgid();
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open new = *like;

	if (!books)
		return false;
	new.begin = bpf_ktime_get_ns();
	new.pid = task >> 32;
	new.tid = task;
	board(&new);
	if (bpf_map_update_elem(&open_spans, key, &new, BPF_NOEXIST)) {
		land(&new, new.begin);
		__sync_fetch_and_add(&books->full, 1);
		return false;
	}
	__sync_fetch_and_add(&books->begun, 1);
	return true;
}

static __always_inline struct bpf_span_open *find_one(const void *address)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	return bpf_map_lookup_elem(&open_spans, key);
}

static __always_inline void drop_one(const void *address, struct bpf_span_open *open)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	land(open, bpf_ktime_get_ns());
	bpf_map_delete_elem(&open_spans, key);
}

static __always_inline void end_one(const void *address, struct bpf_span_open *open)
{
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_flight *flight = flight_at(open->flight);
	uint64_t now = bpf_ktime_get_ns(), group = open->group, bytes = open->bytes;
	uint64_t taken = now > open->begin ? now - open->begin : 0;
	bool is_rest = is_of_rest(open);

	if (!books)
		return;
	if (flight && open->moves & BPF_SPAN_FAILED)
		__sync_fetch_and_add(&flight->errors, 1);
	if (flight && open->moves & BPF_SPAN_READS)
		__sync_fetch_and_add(&flight->read, bytes);
	if (flight && open->moves & BPF_SPAN_WRITES)
		__sync_fetch_and_add(&flight->written, bytes);
	drop_one(address, open);
	books->ended++;
	add_up(books, group, taken, bytes, is_rest);
}

/* A request that its driver gave back, and that is inserted or issued again, is the same one. */
static __always_inline int request_step(struct request *request, uint32_t issued)
{
	struct bpf_span_open *open, new = {.group = device_of_request(request)};
	struct bpf_span_books *books = books_of_cpu();

	if (!books || !is_of_chosen(new.group))
		return 0;
	open = find_one(request);
	if (open && !(open->moves & BPF_SPAN_ISSUED)) {
		open->moves |= issued;
		return 0;
	}
	if (open) { /* its end was missed */
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(request, open);
	}
	new.moves = moves_of(request->cmd_flags) | issued;
	begin_one(request, &new);
	return 0;
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(request_waits, struct request *request)
{
	return request_step(request, 0);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(request_goes, struct request *request)
{
	return request_step(request, BPF_SPAN_ISSUED);
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(request_returns, struct request *request)
{
	struct bpf_span_open *open = find_one(request);

	if (open)
		open->moves &= ~BPF_SPAN_ISSUED;
	return 0;
}

/* Another request has taken what this one moves. */
SEC("tp_btf/block_rq_merge")
int BPF_PROG(request_merges, struct request *request)
{
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open = find_one(request);

	if (!books || !open)
		return 0;
	__sync_fetch_and_add(&books->cancelled, 1);
	drop_one(request, open);
	return 0;
}

/* A request with a flush behind it ends a second time. Its data ended before. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(request_ends, struct request *request, int status, unsigned int bytes)
{
	struct bpf_span_open *open = find_one(request);

	if (!open)
		return 0;
	if (status)
		open->moves |= BPF_SPAN_FAILED;
	else
		open->bytes += bytes;
	if (bytes >= request->__data_len)
		end_one(request, open);
	return 0;
}

static __always_inline struct gendisk *disk_of_bio(struct bio *bio)
{
	if (bpf_core_field_exists(bio->bi_bdev))
		return FOLLOW(bio, bi_bdev)->bd_disk;
	return ((struct bio___old *)bio)->bi_disk;
}

/* A bio that was split, or that the driver moves to another device, is queued only once. */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(bio_comes, struct bio *bio)
{
	struct gendisk *disk = disk_of_bio(bio);
	struct bpf_span_open *open, new = {.group = device_of_disk(disk),
					   .bytes = bio->bi_iter.bi_size,
					   .moves = moves_of(bio->bi_opf)};
	struct bpf_span_books *books = books_of_cpu();

	if (!books || FOLLOW(disk, queue)->mq_ops || !is_of_chosen(new.group))
		return 0;
	open = find_one(bio);
	if (open) {
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(bio, open);
		__sync_fetch_and_add(&bios_open, -1);
	}
	if (begin_one(bio, &new))
		__sync_fetch_and_add(&bios_open, 1);
	return 0;
}

SEC("tp_btf/block_bio_complete")
int BPF_PROG(bio_ends, struct request_queue *queue, struct bio *bio)
{
	struct bpf_span_open *open = bios_open ? find_one(bio) : NULL;

	if (!open)
		return 0;
	__sync_fetch_and_add(&bios_open, -1);
	if (bio->bi_status)
		open->moves |= BPF_SPAN_FAILED;
	end_one(bio, open);
	return 0;
}
