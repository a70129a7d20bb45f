/*
 * spool: moves bytes from the control thread to the capture file.
 *
 * It is a bounded queue in memory and a thread that writes it to the file, so a slow disk does not delay the rings until the
 * queue is full. Then the control thread waits, the rings fill, and at last the kernel loses and counts records. Pieces are
 * whole records and go into the file in the order of spool_commit().
 */
#pragma once

#include <iotrace/trim.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer;
struct error;
struct spool;

enum { SPOOL_PIECE_MAX = 4 << 20 };

/*
 * Returns a spool that writes to `writer` (taken), with a running thread; NULL with a sentence. In the
 * directory `dir` some room is set aside for the last records. `bound`: bytes in memory.
 */
struct spool *spool_new(struct capture_writer *writer, int dir, uint64_t bound, struct error *err);
/*
 * Removes from the disk what followers have read, except for the begin. Call it before the functions below.
 */
void spool_trim(struct spool *spool, struct trim_sizes sizes);
/* From now on, nothing is removed from the file. */
void spool_keep(struct spool *spool);
/* Returns how large a piece may be. */
size_t spool_piece(const struct spool *spool);
/*
 * Returns room for `size` bytes (at most spool_piece()), to be filled and given to spool_commit() by the same
 * thread. Waits some time while the queue is full: NULL if it still is, or if the file cannot be written any more.
 */
void *spool_room(struct spool *spool, size_t size);
void spool_commit(struct spool *spool, size_t size);
/* These bytes will not come. */
void spool_drop(struct spool *spool, uint64_t size);
/* The last, partly filled chunk may be written now. */
void spool_flush(struct spool *spool);
/* Returns the errno of the write that failed, or 0; spool_close() says more. */
int spool_error(struct spool *spool);
/* Writes a few more records after a failure, into the reserved room. */
void spool_put_last(struct spool *spool, const void *records, size_t size);
/* Writes all that waits, and finishes the file. Followers see the end. */
void spool_finish(struct spool *spool);
/* capture_available: blocks until more than `have` bytes are in the file, or the end. */
uint64_t spool_available(struct spool *spool, uint64_t have);
/*
 * Waits for the same, but not beyond this moment of the monotonic clock. Returns whether more bytes, or the end, are there.
 */
bool spool_await(struct spool *spool, uint64_t have, uint64_t until);
/* Returns how many bytes found no room. */
uint64_t spool_dropped(struct spool *spool);
/* Returns 0, or -errno with the sentence of what failed first. */
int spool_close(struct spool *spool, struct error *err);
