/*
 * spool: moves bytes from the control thread to the capture file.
 *
 * It is a bounded queue in memory and a thread that writes it to the file. So a slow disk does not delay the rings until the
 * queue is full. Then the control thread waits, the rings fill, and at last the kernel loses records and counts them. Pieces are
 * whole records, and go into the file in the order of spool_commit().
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
 * Returns a spool that writes to `writer`, which it takes over, with a running thread; NULL with a message. It reserves space in
 * the directory `dir` (-1: none) for the last records. `bound`: maximum number of bytes in memory.
 */
struct spool *spool_new(struct capture_writer *writer, int dir, uint64_t bound, struct error *err);
/* Removes from the disk what followers have read, except the begin. Call it before the functions below. */
void spool_trim(struct spool *spool, struct trim_sizes sizes);
/*
 * For a file in memory: keeps at most this many bytes, and the round at its end. Then the writer waits for spool_forget(), the queue
 * becomes full, and at last the kernel loses records. Call it before the functions below.
 */
void spool_limit(struct spool *spool, uint64_t most);
/*
 * The records before `end` are not needed any more, and the reader has read the rounds until `read`. For a spool with a limit. The writer
 * waits only if the reader can go on: until a round is complete, it cannot.
 */
void spool_forget(struct spool *spool, uint64_t end, uint64_t read);
/* From now on, nothing is removed from the file. */
void spool_keep(struct spool *spool);
/* Returns the maximum size of a piece. */
size_t spool_piece(const struct spool *spool);
/*
 * Returns space for `size` bytes (at most spool_piece()). The same thread must fill it and call spool_commit(). While the queue
 * is full, it waits for some time. Returns NULL if the queue is still full, or the file cannot be written.
 */
void *spool_room(struct spool *spool, size_t size);
void spool_commit(struct spool *spool, size_t size);
/* The space will not be filled. */
void spool_drop(struct spool *spool, uint64_t size);
/* A round is complete. */
void spool_end_round(struct spool *spool);
/* The last, partly filled chunk may be written. */
void spool_flush(struct spool *spool);
/* Returns the errno of the write that failed, or 0; spool_close() says more. */
int spool_error(struct spool *spool);
/* Writes a few more records after a failure, into the reserved space. */
void spool_put_last(struct spool *spool, const void *records, size_t size);
/* Writes everything that waits, and completes the file. Followers see the end. */
void spool_finish(struct spool *spool);
/* For capture_available: waits until the file has more than `have` bytes, or its end. */
uint64_t spool_available(struct spool *spool, uint64_t have);
/* Returns the end of the last complete round that is in the file. */
uint64_t spool_round(struct spool *spool);
/* Waits for the same, but only until this time of the monotonic clock. Returns whether there are more bytes, or the end. */
bool spool_await(struct spool *spool, uint64_t have, uint64_t until);
/* Returns how many bytes were dropped because the queue was full. */
uint64_t spool_dropped(struct spool *spool);
/* Returns 0, or -errno with the message of the first failure. */
int spool_close(struct spool *spool, struct error *err);
