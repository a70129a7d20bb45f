/*
 * file: reads a file of an archive from begin to end, record by record.
 *
 * A file consists of chunks of one size; only the last may be shorter. Each begins with a header mark and the number of its first
 * event. The last ends with end marks; a truncated file lacks them.
 */
#pragma once

#include "record.h"

enum { FILE_NAME_SIZE = 48 };

/* Marks in files. */
enum {
	MARK_END_OF_CHUNK = 0,
	MARK_END_OF_BUFFER = 1,
	MARK_END_OF_FILE = 2,
	MARK_CHUNK_HEADER = 3,
	MARK_TIME = 5, /* in event files: comes before a record */
	MARK_BIG_ENDIAN = 0x23,
	MARK_LITTLE_ENDIAN = 0x42,
};

struct file {
	const char *dir; /* directory of the archive; lent */
	char name[FILE_NAME_SIZE];
	enum content content;
	uint64_t chunk; /* size of a chunk */

	uint64_t size;   /* since file_begin(), like all fields below */
	uint64_t at;     /* position of the next record */
	uint64_t limit;  /* end of its chunk */
	uint8_t *window; /* the bytes that were read last: `held` bytes from position `start` */
	uint64_t start;
	size_t held;
	uint32_t capacity;
	bool has_ended;
	struct taking taking;

	uint64_t time;                    /* time of the record */
	struct record record, attributes; /* attributes come before their record */
};

/* Returns a descriptor of a regular file in the directory, and its size; or -1 and an error text. */
int file_descriptor(const char *dir, const char *name, uint64_t *size, const char **wrong);
/* Begins to read. Returns false if the file is incomplete; then file->taking.wrong has the reason. */
bool file_begin(struct file *file);
/* Reads the next record. Returns false at the end, or on an error: then file->taking.wrong is not empty. */
bool file_next(struct file *file);
void file_release(struct file *file);
