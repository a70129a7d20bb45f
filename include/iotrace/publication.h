/*
 * publication: the numbers of `iotrace daemon` in a file that everybody may map: iotrace-stat(5) describes its layout.
 *
 * The file has a head and some slots of the same size. The writer fills the slots in turn, so a reader of the newest slot has the time
 * until it is used again. The sequence number of a slot is odd while it is written, and different afterwards. A file never changes its
 * size; another daemon makes another file. All numbers have the byte order of the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define PUBLICATION_MAGIC   "IOTRSTAT"
#define HISTORY_MAGIC       "IOTRHIST"
#define PUBLICATION_DEFAULT "/run/iotrace"

enum {
	PUBLICATION_VERSION = 1,
	PUBLICATION_NAME = 64,
	PUBLICATION_OPERATION = 24,
	PUBLICATION_BUCKETS = 218,
	PUBLICATION_ERRNOS = 256,
	PUBLICATION_ROWS = 512,
	PUBLICATION_SLOTS = 2,
	HISTORY_ROWS = 48,
	HISTORY_SLOTS = 360,
	HISTORY_STEP = 10, /* intervals of the daemon in one of the history */
};

enum publication_view { PUBLICATION_DEVICE, PUBLICATION_FS, PUBLICATION_FUSE, PUBLICATION_VIEWS };

#define PUBLICATION_ALL  UINT32_MAX /* kind: of all operations */
#define PUBLICATION_REST UINT32_MAX /* owner: those for which there was no space */

/* The head takes a page. */
struct publication_head {
	char magic[8];
	uint32_t version;
	uint32_t head_size, slot_size, slots, row_size, rows; /* rows: space in a slot */
	uint32_t pid;
	uint32_t is_stopped; /* the daemon has ended in good order */
	uint64_t start;      /* of the daemon, ns since 1970 */
	uint64_t interval;   /* between two slots, ns */
	char boot_id[40];    /* of /proc/sys/kernel/random/boot_id */
	char program[32];    /* "iotrace 0.1.0" */
	uint64_t generation; /* of the newest slot, which is this number modulo `slots`; 0: none */
	uint64_t
		uncounted_since; /* nobody counts since then, CLOCK_MONOTONIC, ns; 0: somebody does */
	uint64_t uncounted;      /* ns in which nobody counted, up to the newest slot */
};

/* Accounting of a view since the daemon began. */
struct publication_books {
	uint32_t is_counted; /* the kernel counts it */
	uint32_t restarts;   /* how often counting began again */
	uint64_t begun, ended, cancelled, left, begun_again;
	uint64_t full, ungrouped,
		missed; /* no space for an operation; for its group; events that were not seen */
};

struct publication_slot {
	uint64_t sequence;
	uint64_t generation;
	uint64_t realtime;        /* end of the interval, ns since 1970 */
	uint64_t monotonic, from; /* end and begin of the interval in CLOCK_MONOTONIC, ns */
	uint32_t rows, views;
	uint64_t failed[PUBLICATION_ERRNOS]; /* operations that failed, by errno; 0: another one */
	struct publication_books books[PUBLICATION_VIEWS];
};

/* Rows follow their slot. Counters grow from the start of the daemon. */
struct publication_row {
	uint32_t id; /* of this row; never used again */
	uint32_t view, owner, kind;
	char name[PUBLICATION_NAME]; /* of the owner; always terminated, any other bytes */
	char operation[PUBLICATION_OPERATION]; /* "": all */
	uint64_t ops, read, written,
		errors;  /* read, written: bytes. All but ops: 0 unless kind is PUBLICATION_ALL */
	uint64_t sum;    /* ns that all of them took */
	uint64_t busy;   /* ns in which any was in flight; as errors */
	uint64_t max;    /* of the last interval, ns */
	uint64_t oldest; /* begin of the oldest in flight, CLOCK_MONOTONIC; 0: none */
	uint32_t in_flight, is_hung;
	uint64_t bucket[PUBLICATION_BUCKETS]; /* publication_bucket() */
};

/* What one owner did in a part of the last hour. */
struct history_row {
	uint32_t view, owner;
	char name[PUBLICATION_NAME];
	uint64_t ops, read, written, errors, sum, busy, max, p50, p99;
	uint32_t in_flight, is_hung;
};

/* Returns the bucket of a duration in ns: below 1024 ns it is 0, then there are eight for each power of two. */
uint32_t publication_bucket(uint64_t ns);
/* Returns the smallest duration of a bucket. */
uint64_t publication_bucket_from(uint32_t bucket);
/* Returns the duration that `permille` of 1000 of `count` durations do not exceed: the middle of its bucket, at most max. */
uint64_t publication_quantile(const uint64_t bucket[PUBLICATION_BUCKETS], uint32_t permille,
			      uint64_t max);

/* A copy of one slot. */
struct publication {
	struct publication_head head;
	struct publication_slot slot;
	uint32_t row_size;
	uint8_t *row; /* slot.rows of row_size bytes */
	uint32_t capacity;
};

/* A mapped file. */
struct publication_file;

/* Maps a file of this magic. Returns NULL with a message: there is none, it is none of them, or its version is another one. */
struct publication_file *publication_open(const char *path, const char *magic, size_t row_size,
					  struct error *err);
void publication_close(struct publication_file *file);
/* Copies the slot of a generation; 0: the newest. Returns 0; -ENODATA: there is none (any more); -EAGAIN: it is being written. */
int publication_copy(const struct publication_file *file, uint64_t generation,
		     struct publication *to);
void publication_release(struct publication *publication);
static inline const void *publication_row(const struct publication *publication, uint32_t index)
{
	return publication->row + (size_t)index * publication->row_size;
}

enum publication_state {
	PUBLICATION_RUNS,
	PUBLICATION_STOPPED,
	PUBLICATION_UNCOUNTED, /* the daemon runs, but nobody counts */
	PUBLICATION_SILENT,    /* for some intervals; the daemon may have been killed */
	PUBLICATION_OF_ANOTHER_BOOT,
};

/* now: CLOCK_MONOTONIC, ns. boot_id: of this boot. */
enum publication_state publication_state(const struct publication *publication, uint64_t now,
					 const char *boot_id);
