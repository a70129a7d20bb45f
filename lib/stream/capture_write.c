/*
 * capture_write: writes a perf.data file.
 *
 * header | front: magic, flags, table | ids | attrs | feature sections | records | table again
 *
 * The feature sections are before the records, and the table after the records points back to them. So only a small table must be
 * written when the recording ends, perf finds the table where it expects it, and a reader of an unfinished file uses the copy in
 * front. Invariant: the file ends with a complete capture_write(), even if the disk is full.
 */
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture_build.h"
#include "capture_private.h"

struct capture_writer {
	char *path;
	int fd;
	struct capture_header header;
	struct capture_section table[CAPTURE_FEATURES];
	uint64_t written;
};

static uint32_t count_features(const struct capture_writer *writer)
{
	return (uint32_t)__builtin_popcountll(writer->header.flags[0]);
}

static void build_attrs(struct build *build, const struct capture_info *info)
{
	uint64_t ids = build->size;

	/* The ids are right before the attrs. */
	for (uint32_t i = 0; i < info->events; i++)
		ids -= info->event[i].ids * sizeof(uint64_t);
	for (uint32_t i = 0; i < info->events; i++) {
		const struct capture_event *event = &info->event[i];
		struct capture_attr attr = {event->attr, {ids, event->ids * sizeof(uint64_t)}};

		attr.attr.size = sizeof(attr.attr);
		build_put(build, &attr, sizeof(attr));
		ids += attr.ids.size;
	}
}

/* Builds everything that comes before the records. */
static void build_front(struct capture_writer *writer, struct build *build,
			const struct capture_info *info)
{
	struct capture_header *header = &writer->header;
	struct capture_front front = {.flags = build_feature_flags(info)};
	uint32_t features = (uint32_t)__builtin_popcountll(front.flags);

	memcpy(front.magic, CAPTURE_FRONT_MAGIC, sizeof(front.magic));
	memcpy(header->magic, CAPTURE_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = sizeof(struct capture_attr);
	header->flags[0] = front.flags;
	build_put(build, header, sizeof(*header));
	build_put(build, &front, sizeof(front));
	build_zeros(build, features * sizeof(struct capture_section));
	for (uint32_t i = 0; i < info->events; i++)
		build_put(build, info->event[i].id, info->event[i].ids * sizeof(uint64_t));
	header->attrs.offset = build->size;
	build_attrs(build, info);
	header->attrs.size = build->size - header->attrs.offset;
	build_features(build, info, writer->table);
	header->data.offset = build->size;
	memcpy(build->bytes, header, sizeof(*header));
	memcpy(build->bytes + sizeof(*header) + sizeof(front), writer->table,
	       features * sizeof(struct capture_section));
}

static int explain_write(const struct capture_writer *writer, int code, struct error *err)
{
	if (error_is_full(code))
		return error_say(err, code, "cannot write %s: %s after %llu bytes of records",
				 writer->path, error_full_text(code),
				 (unsigned long long)writer->written);
	return error_set(err, code, "cannot write %s", writer->path);
}

static void writer_free(struct capture_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->path);
	free(writer);
}

struct capture_writer *capture_create_in(int fd, const char *path, const struct capture_info *info,
					 struct error *err)
{
	struct capture_writer *writer = mem_zero(sizeof(*writer));
	struct build build = {0};
	int code;

	writer->path = mem_strdup(path);
	writer->fd = fd;
	build_front(writer, &build, info);
	code = -place_write_at(writer->fd, build.bytes, build.size, 0);
	build_release(&build);
	if (code) {
		explain_write(writer, code, err);
		writer_free(writer);
		return NULL;
	}
	return writer;
}

struct capture_writer *capture_create(const char *path, const struct capture_info *info,
				      struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct capture_writer *writer;

	if (fd < 0) {
		error_set(err, errno, "cannot create %s", path);
		return NULL;
	}
	writer = capture_create_in(fd, path, info, err);
	if (!writer)
		unlink(path);
	return writer;
}

int capture_write(struct capture_writer *writer, const void *records, size_t size,
		  struct error *err)
{
	uint64_t end = writer->header.data.offset + writer->written;
	int code = -place_write_at(writer->fd, records, size, end);

	if (!code) {
		writer->written += size;
		return 0;
	}
	/* The earlier records stay readable. If this also fails, a reader finds an incomplete record at the end. */
	(void)!ftruncate(writer->fd, (off_t)end);
	return explain_write(writer, code, err);
}

int capture_writer_dup(const struct capture_writer *writer, uint64_t *data)
{
	*data = writer->header.data.offset;
	return fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
}

uint64_t capture_written(const struct capture_writer *writer)
{
	return writer->written;
}

/* Returns 0 or a positive errno. If there is no space for the table, the header still gets the size of the records. */
static int write_end(struct capture_writer *writer)
{
	uint64_t end = writer->header.data.offset + writer->written;
	int table, header;

	writer->header.data.size = writer->written;
	table = -place_write_at(writer->fd, writer->table,
				count_features(writer) * sizeof(writer->table[0]), end);
	if (table)
		writer->header.flags[0] = 0;
	header = -place_write_at(writer->fd, &writer->header, sizeof(writer->header), 0);
	return table ? table : header;
}

int capture_finish(struct capture_writer *writer, struct error *err)
{
	int code, rc = 0;

	if (!writer)
		return 0;
	code = write_end(writer);
	if (code)
		rc = explain_write(writer, code, err);
	if (close(writer->fd) && !rc)
		rc = error_set(err, errno, "cannot close %s", writer->path);
	writer->fd = -1;
	writer_free(writer);
	return rc;
}
