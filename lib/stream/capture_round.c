/*
 * capture_round: cuts the file into rounds.
 *
 * The file is read in steps into a chunk of memory. Rounds are lent parts of the chunk and hold it, so small rounds need no copy.
 * If a round does not fit, its beginning is moved to a larger chunk, or the chunk grows if nobody else holds it. The end of a
 * round depends only on the bytes of the file, never on how they were read: a live run must cut like a replay.
 *
 * Invariant: round <= kept <= scan <= filled. [round, kept) belongs to the current round, [scan, filled) has not been scanned;
 * between them are dropped bytes.
 */
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture_format.h"
#include "capture_private.h"

enum {
	READ_STEP = 1 << 20,
	CHUNK_LEAST = 2 * READ_STEP,
	CHUNK_KEPT_MAX = 64 * READ_STEP,
	HUGE_PAGE = 2 << 20,
	/* The next record begins where this one ends, so without this the processor waits for each. */
	PREFETCH_BYTES = 2048,
};

struct chunk {
	uint32_t holders; /* the capture, and each of its rounds that was not freed */
	size_t size;
	size_t filled;
	uint8_t bytes[];
};

enum scan { SCAN_AGAIN, SCAN_MORE, SCAN_ROUND, SCAN_TORN, SCAN_COMPRESSED };

/* A chunk is used completely, so huge pages save a page fault for each 4 KiB. A kernel without them refuses, which is fine. */
static void want_huge_pages(struct chunk *chunk)
{
	uintptr_t from = ((uintptr_t)chunk + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)chunk->bytes + chunk->size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (from < to)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static struct chunk *chunk_new(size_t size)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk) + size);

	*chunk = (struct chunk){.holders = 1, .size = size};
	want_huge_pages(chunk);
	return chunk;
}

static void chunk_put(struct chunk *chunk)
{
	if (chunk && --chunk->holders == 0)
		free(chunk);
}

void capture_round_free(struct capture_round *round)
{
	if (round->chunk)
		chunk_put(round->chunk);
	else
		free(round->bytes);
	*round = (struct capture_round){0};
}

void capture_chunks_release(struct capture *capture)
{
	chunk_put(capture->chunk);
	for (size_t i = 0; i < CAPTURE_CHUNKS_KEPT; i++)
		chunk_put(capture->old[i]);
}

/* Keeps a few free chunks, because new memory costs a page fault for each 4 KiB. */
static struct chunk *chunk_take(struct capture *capture, size_t size)
{
	for (size_t i = 0; i < CAPTURE_CHUNKS_KEPT; i++) {
		struct chunk *chunk = capture->old[i];

		if (!chunk || chunk->holders != 1 || chunk->size < size)
			continue;
		capture->old[i] = NULL;
		chunk->filled = 0;
		return chunk;
	}
	return chunk_new(size);
}

/* If all places are taken, the smallest chunk is freed. */
static void chunk_keep(struct capture *capture, struct chunk *chunk)
{
	size_t slot = 0;

	if (!chunk || chunk->size > CHUNK_KEPT_MAX) {
		chunk_put(chunk);
		return;
	}
	for (size_t i = 0; i < CAPTURE_CHUNKS_KEPT && capture->old[slot]; i++) {
		if (!capture->old[i] || capture->old[i]->size < capture->old[slot]->size)
			slot = i;
	}
	chunk_put(capture->old[slot]);
	capture->old[slot] = chunk;
}

/* Returns the size of a chunk for these bytes and one more step, or for the rest of the file, if it is smaller and does not grow. */
static size_t chunk_size(const struct capture *capture, size_t bytes)
{
	size_t size = 2 * bytes + READ_STEP;
	uint64_t all = bytes + (capture->end - capture->at);

	if (size < CHUNK_LEAST)
		size = CHUNK_LEAST;
	return capture->available || all > size ? size : (size_t)all;
}

/* Moves the unfinished round, and what follows it, to a chunk with space for one more step. */
static void move_round(struct capture *capture)
{
	struct chunk *old = capture->chunk;
	size_t kept = capture->kept - capture->round;
	size_t ahead = old ? old->filled - capture->scan : 0;
	struct chunk *chunk = chunk_take(capture, chunk_size(capture, kept + ahead));

	if (old) {
		memcpy(chunk->bytes, old->bytes + capture->round, kept);
		memcpy(chunk->bytes + kept, old->bytes + capture->scan, ahead);
	}
	chunk->filled = kept + ahead;
	capture->chunk = chunk;
	capture->round = 0;
	capture->kept = kept;
	capture->scan = kept;
	chunk_keep(capture, old);
}

/* Only the capture holds a chunk in which the first round begins, so it may grow in place. */
static void make_room(struct capture *capture)
{
	struct chunk *chunk = capture->chunk;

	if (chunk && chunk->filled < chunk->size)
		return;
	/* Dropped bytes are not copied. */
	if (!chunk || capture->round != 0 || capture->kept != capture->scan) {
		move_round(capture);
		return;
	}
	assert(chunk->holders == 1);
	chunk = mem_resize(chunk, sizeof(*chunk) + 2 * chunk->size);
	chunk->size *= 2;
	want_huge_pages(chunk);
	capture->chunk = chunk;
}

/* Returns how many more bytes of records can be read. Waits for them if the file grows. */
static uint64_t bytes_ahead(struct capture *capture)
{
	if (capture->available && capture->at >= capture->end) {
		uint64_t have = capture->at - capture->data;

		capture->end = capture->data + capture->available(capture->context, have);
	}
	return capture->at < capture->end ? capture->end - capture->at : 0;
}

/* Returns 1 if there is more to scan, 0 at the end, or -errno. */
static int fill(struct capture *capture, struct error *err)
{
	uint64_t ahead = bytes_ahead(capture);
	struct chunk *chunk;
	size_t step = READ_STEP;
	ssize_t n;

	if (!ahead)
		return 0;
	make_room(capture);
	chunk = capture->chunk;
	if (step > ahead)
		step = (size_t)ahead;
	if (step > chunk->size - chunk->filled)
		step = chunk->size - chunk->filled;
	do {
		n = pread(capture->fd, chunk->bytes + chunk->filled, step, (off_t)capture->at);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(err, errno, "cannot read %s at offset %llu", capture->path,
				 (unsigned long long)capture->at);
	chunk->filled += (size_t)n;
	capture->at += (uint64_t)n;
	return n > 0;
}

uint64_t capture_trailing(uint32_t type, const uint8_t *record, uint32_t size)
{
	const uint8_t *at = record + sizeof(struct perf_event_header);

	if (type == CAPTURE_RECORD_TRACING_DATA &&
	    size >= sizeof(struct perf_event_header) + sizeof(uint32_t))
		return sample_u32(at);
	if (type == CAPTURE_RECORD_AUXTRACE &&
	    size >= sizeof(struct perf_event_header) + sizeof(uint64_t))
		return sample_u64(at);
	return 0;
}

/* Skips a record and the bytes after it, which may not have been read yet. */
static bool drop(struct capture *capture, uint32_t size, uint64_t trailing)
{
	size_t ahead = capture->chunk->filled - capture->scan - size;
	uint64_t after = capture->at - ahead;

	if (trailing > INT64_MAX || (!capture->available && trailing > capture->end - after))
		return false;
	if (trailing <= ahead) {
		capture->scan += size + (size_t)trailing;
	} else {
		capture->at += trailing - ahead;
		capture->scan = capture->chunk->filled;
	}
	capture->whole = after + trailing;
	return true;
}

/* Adds bytes to the round. They are moved only if bytes before them were dropped. */
static void keep(struct capture *capture, size_t size)
{
	uint8_t *bytes = capture->chunk->bytes;

	if (capture->kept != capture->scan)
		memmove(bytes + capture->kept, bytes + capture->scan, size);
	capture->kept += size;
	capture->scan += size;
	capture->whole += size;
}

static enum scan scan_user(struct capture *capture, const uint8_t *record, uint32_t type,
			   uint32_t size)
{
	if (type == CAPTURE_RECORD_COMPRESSED || type == CAPTURE_RECORD_COMPRESSED2)
		return SCAN_COMPRESSED;
	if (type == CAPTURE_RECORD_GAP && size >= sizeof(struct capture_gap)) {
		struct capture_gap gap;

		memcpy(&gap, record, sizeof(gap));
		if (!drop(capture, size, gap.bytes))
			return SCAN_TORN;
		capture->gone += gap.bytes;
		capture->gone_records += gap.records;
		return SCAN_ROUND;
	}
	if (!drop(capture, size, capture_trailing(type, record, size)))
		return SCAN_TORN;
	return type == CAPTURE_RECORD_FINISHED_ROUND ? SCAN_ROUND : SCAN_AGAIN;
}

/* Returns whether the record is damaged, so that more bytes cannot complete it. */
static bool is_impossible(const struct perf_event_header *header)
{
	return !header->type || header->size < sizeof(*header);
}

/* Returns how many bytes of complete kernel records follow. Millions of records per second pass through here. */
static size_t plain_span(const uint8_t *at, size_t left)
{
	struct perf_event_header header;
	size_t span = 0;

	while (left - span >= sizeof(header)) {
		if (left - span > PREFETCH_BYTES)
			__builtin_prefetch(at + span + PREFETCH_BYTES);
		memcpy(&header, at + span, sizeof(header));
		if (header.type >= SAMPLE_USER_TYPES || is_impossible(&header) ||
		    header.size > left - span)
			break;
		span += header.size;
	}
	return span;
}

/* Handles a record of perf itself, or finds out why there is no further record. */
static enum scan scan_one(struct capture *capture)
{
	const uint8_t *record = capture->chunk->bytes + capture->scan;
	size_t left = capture->chunk->filled - capture->scan;
	struct perf_event_header header;

	if (left < sizeof(header))
		return SCAN_MORE;
	memcpy(&header, record, sizeof(header));
	if (is_impossible(&header))
		return SCAN_TORN;
	if (header.size > left)
		return SCAN_MORE;
	if (header.type >= SAMPLE_USER_TYPES)
		return scan_user(capture, record, header.type, header.size);
	/* The record is complete, so plain_span() stopped because the round is full. */
	return SCAN_ROUND;
}

static enum scan scan_records(struct capture *capture)
{
	enum scan found = SCAN_AGAIN;

	while (capture->chunk && found == SCAN_AGAIN) {
		size_t left = capture->chunk->filled - capture->scan;
		size_t room = capture->round_max - (capture->kept - capture->round);

		keep(capture,
		     plain_span(capture->chunk->bytes + capture->scan, left < room ? left : room));
		found = scan_one(capture);
	}
	return found == SCAN_AGAIN ? SCAN_MORE : found;
}

/* Ends the capture. The rest is an incomplete record, or is missing from the file. */
static void finish(struct capture *capture)
{
	uint64_t end = capture->promised > capture->end ? capture->promised : capture->end;

	capture->is_over = true;
	capture->torn = end - capture->whole;
}

static int lend_round(struct capture *capture, struct capture_round *round)
{
	struct chunk *chunk = capture->chunk;

	*round = (struct capture_round){
		.bytes = chunk->bytes + capture->round,
		.size = capture->kept - capture->round,
		.chunk = chunk,
	};
	chunk->holders++;
	capture->round = capture->scan;
	capture->kept = capture->scan;
	return 1;
}

static int refuse_compressed(const struct capture *capture, struct error *err)
{
	error_say(err, ENOTSUP, "%s: was written by `perf record -z`, whose records are compressed",
		  capture->path);
	error_hint(err, "record without -z");
	return -ENOTSUP;
}

int capture_next_round(struct capture *capture, struct capture_round *round, struct error *err)
{
	*round = (struct capture_round){0};
	while (!capture->is_over) {
		enum scan found = scan_records(capture);
		int rc;

		if (found == SCAN_ROUND)
			return lend_round(capture, round);
		if (found == SCAN_COMPRESSED)
			return refuse_compressed(capture, err);
		rc = found == SCAN_MORE ? fill(capture, err) : 0;
		if (rc < 0)
			return rc;
		if (rc == 0)
			finish(capture);
	}
	return capture->kept > capture->round ? lend_round(capture, round) : 0;
}
