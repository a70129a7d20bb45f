/*
 * spool: chunks of memory that circulate between two threads.
 *
 * The control thread fills one chunk, and full chunks wait in a queue. The writer takes them from the head of the queue. It also
 * takes the chunk that is being filled if a round is complete and nothing else waits. `busy` means that the control thread is
 * between room and commit. One mutex protects everything except the bytes of a chunk that a thread has taken.
 */
#include "spool_private.h"

#include "rights/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/trim.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	RESERVE = 256 << 10,
	SLICE = 64 << 10,
	CHUNK_LEAST = 128 << 10,
	CHUNKS_WANTED = 8,
	PATIENCE_MS = 100
};

static bool is_full(const struct spool *spool)
{
	return spool->memory && !spool->is_ending &&
	       spool->written - spool->forgotten >= spool->most &&
	       spool->round_written > spool->read;
}

static struct chunk *take(struct spool *spool)
{
	struct chunk *chunk = spool->first;

	if (is_full(spool))
		return NULL;
	if (chunk) {
		spool->first = chunk->next;
		if (!spool->first)
			spool->last = &spool->first;
		return chunk;
	}
	if (spool->is_busy || !spool->is_ready)
		return NULL;
	chunk = spool->filling;
	spool->filling = NULL;
	spool->is_ready = false;
	return chunk;
}

/* Returns the length of whole records at `at` that are about SLICE bytes together. */
static size_t slice(const uint8_t *at, size_t left)
{
	size_t size = 0, record;

	do {
		record = sample_record_size(at + size, left - size);
		size += record;
	} while (record && size < SLICE);
	return record ? size : left;
}

/*
 * Writes the whole chunk at once, or, if that fails, slice by slice as far as there is space. Returns 0 or -errno; *done is the
 * number of bytes in the file.
 */
static int write_out(struct spool *spool, const struct chunk *chunk, size_t *done,
		     struct error *err)
{
	int code = capture_write(spool->writer, chunk->bytes, chunk->used, err);

	*done = code ? 0 : chunk->used;
	if (!code)
		return 0;
	for (;;) {
		size_t size = slice(chunk->bytes + *done, chunk->used - *done);

		if (!size)
			return 0; /* all is written now */
		code = capture_write(spool->writer, chunk->bytes + *done, size, err);
		if (code)
			return code;
		*done += size;
	}
}

/* Needs the mutex. */
static void wake_follower(struct spool *spool)
{
	if (spool->is_awaited)
		sem_post(&spool->news);
	spool->is_awaited = false;
}

/* Called without the mutex: only this thread writes to the capture. */
static void write_chunk(struct spool *spool, struct chunk *chunk)
{
	struct error err = {0};
	size_t done = 0;
	int code = spool->has_failed ? -EIO : write_out(spool, chunk, &done, &err);
	uint64_t records = spool->trim ? trim_count(chunk->bytes, done) : 0;

	pthread_mutex_lock(&spool->mutex);
	if (code) {
		spool->dropped += chunk->used - done;
		if (!spool->has_failed)
			spool->error = err;
		spool->has_failed = true;
	}
	spool->written = capture_written(spool->writer);
	if (spool->round <= spool->written)
		spool->round_written = spool->round;
	if (spool->trim)
		trim_note(spool->trim, spool->written, records);
	chunk->next = spool->unused;
	spool->unused = chunk;
	pthread_cond_broadcast(&spool->changed);
	wake_follower(spool);
	pthread_mutex_unlock(&spool->mutex);
}

static void *writer_main(void *context)
{
	struct spool *spool = context;

	priority_raise();
	for (;;) {
		struct chunk *chunk;

		pthread_mutex_lock(&spool->mutex);
		while (!(chunk = take(spool)) && !spool->is_ending)
			pthread_cond_wait(&spool->changed, &spool->mutex);
		pthread_mutex_unlock(&spool->mutex);
		if (!chunk)
			return NULL;
		write_chunk(spool, chunk);
	}
}

/* Reserves blocks on the same file system for the last records if the disk becomes full. */
static int reserve(int dir)
{
	int fd = dir == -1 ? -1 : openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 && fallocate(fd, 0, 0, RESERVE)) {
		close(fd);
		return -1;
	}
	return fd;
}

struct spool *spool_new(struct capture_writer *writer, int dir, uint64_t bound, struct error *err)
{
	struct spool *spool = mem_zero(sizeof(*spool));
	uint64_t size = bound / CHUNKS_WANTED;
	pthread_condattr_t monotonic;
	int code;

	priority_init_mutex(&spool->mutex);
	sem_init(&spool->news, 0, 0);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&spool->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	spool->writer = writer;
	spool->last = &spool->first;
	spool->chunk_size = size < CHUNK_LEAST       ? CHUNK_LEAST
			    : size > SPOOL_PIECE_MAX ? SPOOL_PIECE_MAX
						     : size;
	spool->chunks_max = (uint32_t)(bound / spool->chunk_size);
	if (spool->chunks_max < 2)
		spool->chunks_max = 2;
	spool->reserve_fd = reserve(dir);
	code = pthread_create(&spool->thread, NULL, writer_main, spool);
	spool->has_thread = !code;
	if (code) {
		error_set(err, code, "thread of the spool");
		spool_close(spool, NULL);
		return NULL;
	}
	return spool;
}

/* Waits for a chunk to fill; returns NULL if there is none in time. Needs the mutex. */
static struct chunk *free_chunk(struct spool *spool)
{
	struct timespec until;
	struct chunk *chunk;
	int code = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PATIENCE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!spool->unused && spool->chunks == spool->chunks_max && !spool->has_failed && !code)
		code = pthread_cond_timedwait(&spool->changed, &spool->mutex, &until);
	if (spool->has_failed || (!spool->unused && spool->chunks == spool->chunks_max))
		return NULL;
	chunk = spool->unused;
	if (chunk) {
		spool->unused = chunk->next;
	} else {
		chunk = mem_alloc(sizeof(*chunk) + spool->chunk_size);
		spool->chunks++;
	}
	chunk->next = NULL;
	chunk->used = 0;
	return chunk;
}

static void push(struct spool *spool)
{
	*spool->last = spool->filling;
	spool->last = &spool->filling->next;
	spool->filling = NULL;
	spool->is_ready = false;
	pthread_cond_broadcast(&spool->changed);
}

void spool_trim(struct spool *spool, struct trim_sizes sizes)
{
	struct trim *trim = trim_new(spool->writer, sizes);

	pthread_mutex_lock(&spool->mutex);
	spool->trim = trim;
	pthread_mutex_unlock(&spool->mutex);
}

void spool_limit(struct spool *spool, uint64_t most)
{
	struct trim *memory = trim_new(spool->writer, (struct trim_sizes){0});

	pthread_mutex_lock(&spool->mutex);
	spool->memory = memory;
	spool->most = most;
	pthread_mutex_unlock(&spool->mutex);
}

void spool_forget(struct spool *spool, uint64_t end, uint64_t read)
{
	trim_until(spool->memory, end);
	pthread_mutex_lock(&spool->mutex);
	spool->forgotten = end;
	spool->read = read;
	pthread_cond_broadcast(&spool->changed);
	pthread_mutex_unlock(&spool->mutex);
}

void spool_keep(struct spool *spool)
{
	pthread_mutex_lock(&spool->mutex);
	spool->is_kept = true;
	pthread_mutex_unlock(&spool->mutex);
}

size_t spool_piece(const struct spool *spool)
{
	return spool->chunk_size;
}

void *spool_room(struct spool *spool, size_t size)
{
	void *room = NULL;

	if (size > spool->chunk_size)
		return NULL;
	pthread_mutex_lock(&spool->mutex);
	if (spool->filling && spool->chunk_size - spool->filling->used < size)
		push(spool);
	if (!spool->filling)
		spool->filling = free_chunk(spool);
	if (spool->filling && !spool->has_failed)
		room = spool->filling->bytes + spool->filling->used;
	spool->is_busy = room != NULL;
	pthread_mutex_unlock(&spool->mutex);
	return room;
}

void spool_commit(struct spool *spool, size_t size)
{
	pthread_mutex_lock(&spool->mutex);
	spool->filling->used += size;
	spool->committed += size;
	spool->is_busy = false;
	pthread_mutex_unlock(&spool->mutex);
}

void spool_drop(struct spool *spool, uint64_t size)
{
	pthread_mutex_lock(&spool->mutex);
	spool->dropped += size;
	pthread_mutex_unlock(&spool->mutex);
}

void spool_end_round(struct spool *spool)
{
	pthread_mutex_lock(&spool->mutex);
	spool->round = spool->committed;
	pthread_mutex_unlock(&spool->mutex);
}

void spool_flush(struct spool *spool)
{
	pthread_mutex_lock(&spool->mutex);
	if (spool->filling && spool->filling->used) {
		spool->is_ready = true;
		pthread_cond_broadcast(&spool->changed);
	}
	pthread_mutex_unlock(&spool->mutex);
}

int spool_error(struct spool *spool)
{
	int code;

	pthread_mutex_lock(&spool->mutex);
	code = spool->has_failed ? spool->error.code : 0;
	pthread_mutex_unlock(&spool->mutex);
	return code;
}

/* The writer thread has stopped after the failure, so this thread may write to the capture. */
void spool_put_last(struct spool *spool, const void *records, size_t size)
{
	struct error ignored;

	pthread_mutex_lock(&spool->mutex);
	if (spool->reserve_fd >= 0)
		close(spool->reserve_fd);
	spool->reserve_fd = -1;
	if (capture_write(spool->writer, records, size, &ignored))
		spool->dropped += size;
	spool->written = capture_written(spool->writer);
	pthread_mutex_unlock(&spool->mutex);
}

void spool_finish(struct spool *spool)
{
	struct error err = {0};
	int code;

	spool_flush(spool);
	pthread_mutex_lock(&spool->mutex);
	spool->is_ending = true;
	pthread_cond_broadcast(&spool->changed);
	pthread_mutex_unlock(&spool->mutex);
	if (spool->has_thread)
		pthread_join(spool->thread, NULL);
	spool->has_thread = false;
	code = capture_finish(spool->writer, &err);
	pthread_mutex_lock(&spool->mutex);
	spool->writer = NULL;
	if (code && !spool->has_failed) {
		spool->has_failed = true;
		spool->error = err;
	}
	spool->has_ended = true;
	wake_follower(spool);
	pthread_mutex_unlock(&spool->mutex);
}

uint64_t spool_dropped(struct spool *spool)
{
	uint64_t dropped;

	pthread_mutex_lock(&spool->mutex);
	dropped = spool->dropped;
	pthread_mutex_unlock(&spool->mutex);
	return dropped;
}

static void free_chunks(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

int spool_close(struct spool *spool, struct error *err)
{
	int code = 0;

	if (!spool)
		return 0;
	if (spool->writer)
		spool_finish(spool);
	if (spool->has_failed) {
		if (err)
			*err = spool->error;
		error_wrap(err, "spool");
		code = -spool->error.code;
		if (error_is_full(spool->error.code))
			error_hint(err, "the recording ends there, and the command continued%s",
				   code == -EFBIG ? ""
						  : "; choose another directory with -o, or with "
						    "--capture if it is given");
	}
	free_chunks(spool->unused);
	free_chunks(spool->first);
	free(spool->filling);
	if (spool->reserve_fd >= 0)
		close(spool->reserve_fd);
	trim_free(spool->trim);
	trim_free(spool->memory);
	sem_destroy(&spool->news);
	pthread_cond_destroy(&spool->changed);
	pthread_mutex_destroy(&spool->mutex);
	free(spool);
	return code;
}
