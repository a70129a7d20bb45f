/* bio: bios of devices that have no requests, as spans. They begin when they are queued. */
#pragma once

#include "bpf/block/origin.h"
#include "bpf/block/pair.h"

uint64_t bios_open;

/* It is issued at once. Without data, it is queued for its flush. */
static __always_inline void begin_bio(struct bio *bio, uint32_t device, uint64_t task)
{
	uint32_t kind = kind_of(bio->bi_opf), bytes = bio->bi_iter.bi_size;
	struct bpf_span_open new = {.bytes = size_of(kind, bytes), .moves = moves_of(kind)};

	if (kind == REQUEST_WRITE && !bytes)
		kind = REQUEST_FLUSH;
	new.group = group_of_block(device, kind, new.moves);
	if (begin_one(bio, &new, task, true))
		__sync_fetch_and_add(&bios_open, 1);
}

/* A bio that was split, or that the driver moves to another device, is queued only once. */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(bio_comes, struct bio *bio)
{
	struct gendisk *disk = disk_of_bio(bio);
	uint32_t device = device_of_disk(disk);
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open;
	struct origin origin;

	if (!books)
		return 0;
	origin = bio_origin(bio, device);
	if (!origin.counts || FOLLOW(FOLLOW(disk, queue), mq_ops) || !is_of_chosen(device))
		return 0;
	open = find_one(bio);
	if (open) {
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(bio, open);
		__sync_fetch_and_add(&bios_open, -1);
	}
	begin_bio(bio, device, origin.task);
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
