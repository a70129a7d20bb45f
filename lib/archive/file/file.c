/*
 * file: reads chunks, and their records one by one. Only a part of the file is in memory, and no descriptor stays open, because
 * an archive may have thousands of files.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_SIZE = 18,
	END_SIZE = 2,
	TIME_SIZE = 9,
	SHORT_MOST = 9, /* maximum size of a record without a length */
	LARGE = 0xff,   /* the length is in the next eight bytes */
	/* Number of bytes that are read at once; a larger record is read as a whole. */
	WINDOW_SIZE = 1 << 15,
};

int file_descriptor(const char *dir, const char *name, uint64_t *size, const char **wrong)
{
	char *path = mem_format("%s/%s", dir, name);
	/* With O_NONBLOCK, the open of a pipe does not wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	free(path);
	if (fd < 0 || fstat(fd, &status) != 0)
		*wrong = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		*wrong = "is not a regular file";
	else {
		*size = (uint64_t)status.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Sets the error. Returns false, so that callers can return it. */
static bool is_wrong(struct file *file, const char *what)
{
	if (!*file->taking.wrong)
		snprintf(file->taking.wrong, sizeof(file->taking.wrong), "%s", what);
	return false;
}

static bool is_wrong_here(struct file *file, const char *what)
{
	snprintf(file->taking.wrong, sizeof(file->taking.wrong), "byte %" PRIu64 ": %s",
		 file->taking.offset, what);
	return false;
}

/* Fills the window from the current position. Returns the bytes, or NULL. */
static const uint8_t *refill(struct file *file, size_t size)
{
	uint64_t left = file->limit - file->at, now;
	size_t want = size > WINDOW_SIZE ? size : WINDOW_SIZE;
	const char *wrong = "changes while it is read";
	ssize_t length;
	int fd;

	want = want < left ? want : (size_t)left;
	MEM_GROW(file->window, file->capacity, (uint32_t)want);
	fd = file_descriptor(file->dir, file->name, &now, &wrong);
	length = fd < 0 ? -1 : pread(fd, file->window, want, (off_t)file->at);
	if (fd >= 0)
		close(fd);
	file->start = file->at;
	file->held = length < 0 ? 0 : (size_t)length;
	if (file->held < size)
		is_wrong(file, wrong);
	return file->held < size ? NULL : file->window;
}

/* Returns the next bytes, or NULL. The chunk must have that many left. */
static inline const uint8_t *look(struct file *file, size_t size)
{
	if (file->at >= file->start && file->at - file->start + size <= file->held)
		return file->window + (file->at - file->start);
	return refill(file, size);
}

/* Continues with the chunk that begins at `at`. */
static bool begin_chunk(struct file *file, uint64_t at)
{
	const uint8_t *header;

	/* A full last chunk may have a mark beyond its size. */
	if (at + 1 >= file->size)
		return is_wrong_here(file, "a chunk ends, but no other follows");
	file->at = at;
	file->limit = file->size - at < file->chunk ? file->size : at + file->chunk;
	header = file->limit - at < HEADER_SIZE ? NULL : look(file, HEADER_SIZE);
	if (!header || header[0] != MARK_CHUNK_HEADER ||
	    (header[1] != MARK_BIG_ENDIAN && header[1] != MARK_LITTLE_ENDIAN))
		return is_wrong(file, "has a damaged chunk");
	file->taking.is_big = header[1] == MARK_BIG_ENDIAN;
	file->at += HEADER_SIZE;
	return true;
}

static bool has_end(int fd, uint64_t size)
{
	uint8_t end[END_SIZE];

	return pread(fd, end, END_SIZE, (off_t)(size - END_SIZE)) == END_SIZE &&
	       end[0] == MARK_END_OF_FILE && end[1] == MARK_END_OF_BUFFER;
}

bool file_begin(struct file *file)
{
	const char *wrong = NULL;
	int fd = file_descriptor(file->dir, file->name, &file->size, &wrong);

	file->held = 0;
	file->time = 0;
	file->has_ended = false;
	file->taking = (struct taking){0};
	if (fd < 0)
		return is_wrong(file, wrong);
	if (file->size < HEADER_SIZE + END_SIZE)
		wrong = "is too short";
	else if (!has_end(fd, file->size))
		wrong = "is truncated: it has no end";
	close(fd);
	return wrong ? is_wrong(file, wrong) : begin_chunk(file, 0);
}

/* Reads the length of a record. Returns its fields, or NULL. */
static const uint8_t *take_length(struct file *file)
{
	struct taking *t = &file->taking;
	uint64_t left = file->limit - file->at, size, before = 1;
	const uint8_t *at = left ? look(file, 1) : NULL;

	if (!at) {
		record_wrong(t, "is truncated");
		return NULL;
	}
	size = *at;
	if (size == LARGE) {
		before = 1 + sizeof(size);
		at = left < before ? NULL : look(file, before);
		if (!at) {
			record_wrong(t, "is truncated");
			return NULL;
		}
		size = record_number(at + 1, sizeof(size), t->is_big);
	}
	if (size > left - before) {
		record_wrong(t, "has %" PRIu64 " bytes, of which %" PRIu64 " are there", size,
			     left - before);
		return NULL;
	}
	file->at += before;
	at = t->record->row ? look(file, (size_t)size) : file->window;
	file->at += size;
	t->end = at && t->record->row ? at + size : at;
	return at;
}

static bool take_record(struct file *file)
{
	struct taking *t = &file->taking;
	const uint8_t *at, *end;
	size_t most = SHORT_MOST;

	t->record->values = t->record->texts = 0;
	if (!record_is_short(t->record->row)) {
		at = take_length(file);
		return at && (!t->record->row || record_take(t, at));
	}
	if (most > file->limit - file->at)
		most = (size_t)(file->limit - file->at);
	at = look(file, most);
	t->end = at ? at + most : NULL;
	end = at ? record_take(t, at) : NULL;
	file->at += end ? (size_t)(end - at) : 0;
	return end;
}

/* A record may have a time before it. */
static bool take_time(struct file *file)
{
	const uint8_t *at = look(file, 1);

	if (!at || *at != MARK_TIME || file->content != CONTENT_EVENTS)
		return at;
	if (file->limit - file->at <= TIME_SIZE)
		return is_wrong_here(file, "a record is truncated");
	at = look(file, TIME_SIZE);
	if (at)
		file->time = record_number(at + 1, TIME_SIZE - 1, file->taking.is_big);
	file->at += TIME_SIZE;
	return at;
}

/* Reads the type of the next record. Returns false at the end of the file or on an error. */
static bool take_type(struct file *file, uint8_t *type)
{
	const uint8_t *at;

	for (;;) {
		file->taking.offset = file->at;
		if (file->at == file->limit)
			return is_wrong_here(file, "a record is truncated");
		at = take_time(file) ? look(file, 1) : NULL;
		if (!at)
			return false;
		*type = *at;
		if (*type == MARK_END_OF_FILE)
			file->has_ended = true;
		if (*type == MARK_END_OF_FILE)
			return false;
		if (*type != MARK_END_OF_CHUNK) {
			file->at++;
			return true;
		}
		if (!begin_chunk(file, file->at - file->at % file->chunk + file->chunk))
			return false;
	}
}

bool file_next(struct file *file)
{
	uint8_t type;

	file->attributes.values = 0;
	file->attributes.row = NULL;
	while (!file->has_ended && !*file->taking.wrong && take_type(file, &type)) {
		bool is_list = file->content == CONTENT_EVENTS && type == EVENT_ATTRIBUTES;

		file->taking.record = is_list ? &file->attributes : &file->record;
		if (is_list && file->attributes.row) {
			record_wrong(&file->taking, "is the second of one event");
			return false;
		}
		file->taking.record->type = type;
		file->taking.record->row = record_row(file->content, type);
		if (!take_record(file))
			return false;
		if (!is_list)
			return true;
	}
	return false;
}

void file_release(struct file *file)
{
	free(file->window);
	free(file->record.value);
	free(file->attributes.value);
	file->window = NULL;
	file->record = file->attributes = (struct record){0};
	file->capacity = 0;
	file->held = 0;
}
