/*
 * trim: removes the middle of a capture from the disk while it grows, up to where its reader is.
 *
 * The first bytes stay, with everything that a capture describes at its begin. If the writer is killed, these and
 * the unread part can be converted. A record in place of the middle says how much is missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer;
struct trim;

enum {
	TRIM_KEPT = 256 << 20, /* bytes of records that stay */
	TRIM_STEP = 16 << 20,  /* bytes that are removed at a time */
};

/* What is removed: everything after the first `kept` bytes, at least `step` bytes at a time. */
struct trim_sizes {
	uint64_t kept, step;
};

/* The end of a record, and the number of the kernel's records before it. */
struct trim_mark {
	uint64_t end, records;
};

/* Returns a trim for the file of the writer; NULL if the file system cannot punch holes. */
struct trim *trim_new(const struct capture_writer *writer, struct trim_sizes sizes);
void trim_free(struct trim *trim);
/* Returns the number of records of the kernel in these bytes. */
uint64_t trim_count(const uint8_t *records, size_t size);
/* Notes that `records` more were written, up to this offset from the begin of all records. */
void trim_note(struct trim *trim, uint64_t end, uint64_t records);
/* Returns whether something can be removed if the reader is at this offset, and up to where. */
bool trim_is_due(struct trim *trim, uint64_t reader, struct trim_mark *mark);
/*
 * Removes everything before this offset, which only increases. The file does not say so: its readers begin later (see
 * capture_begin_at()).
 */
void trim_until(struct trim *trim, uint64_t end);
/* Removes it. trim_note() may run at the same time in another thread, but trim_is_due() may not. */
void trim_cut(struct trim *trim, const struct trim_mark *mark);
