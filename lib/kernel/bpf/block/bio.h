/* bio: bios of devices that have no requests, as spans. They begin when they are queued. */
#pragma once

#include "bpf/block/origin.h"
#include "bpf/block/pair.h"

uint64_t bios_open;

/* A bio that was split, or that the driver moves to another device, is queued only once. */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(bio_comes, struct bio *bio)
{
	struct gendisk *disk = disk_of_bio(bio);
	struct bpf_span_open *open, new = {.group = device_of_disk(disk),
					   .bytes = bio->bi_iter.bi_size,
					   .moves = moves_of(bio->bi_opf)};
	struct bpf_span_books *books = books_of_cpu();
	struct origin origin;

	if (!books)
		return 0;
	origin = bio_origin(bio, new.group, new.moves);
	if (!origin.counts || FOLLOW(FOLLOW(disk, queue), mq_ops) || !is_of_chosen(new.group))
		return 0;
	open = find_one(bio);
	if (open) {
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(bio, open);
		__sync_fetch_and_add(&bios_open, -1);
	}
	if (begin_one(bio, &new, origin.task))
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
