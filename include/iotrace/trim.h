/*
 * trim: gives the middle of a capture back to the disk while it grows, as far as its reader has come.
 *
 * The first bytes stay, with all that a capture says at its begin: from them, and from what was not read yet, a capture can
 * be converted whose writer was killed. In place of the middle stands a record that says how much is gone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer;
struct trim;

enum {
	TRIM_KEPT = 256 << 20, /* bytes of records that stay */
	TRIM_STEP = 16 << 20,  /* what goes at a time */
};

/* Where a record ends, and how many records of the kernel are before it. */
struct trim_mark {
	uint64_t end, records;
};

/* Returns one for the writer's file, which may be finished meanwhile; NULL if the file system cannot do it. */
struct trim *trim_new(const struct capture_writer *writer, uint64_t kept);
void trim_free(struct trim *trim);
/* Returns how many records of the kernel these are. */
uint64_t trim_count(const uint8_t *records, size_t size);
/* The next records, so many, were written up to this offset behind the begin of all records. */
void trim_note(struct trim *trim, uint64_t end, uint64_t records);
/* Returns whether there is something to cut now that the reader is at this offset, and fills in up to where. */
bool trim_is_due(struct trim *trim, uint64_t reader, struct trim_mark *mark);
/* Cuts. trim_note() may run meanwhile in another thread, but not trim_is_due(). */
void trim_cut(struct trim *trim, const struct trim_mark *mark);
