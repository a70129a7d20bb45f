/*
 * capture_read: opens a perf.data file and reads its description.
 *
 * A file has a header with the offsets of its sections. The output of `perf record -o -` has none; its description is in records
 * before the first record of the kernel (capture_pipe.c). Nothing in a file is trusted: a section must be inside the file.
 */
#include <iotrace/bytes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_format.h"
#include "capture_private.h"

static int open_file(struct capture *capture, uint64_t *size, struct error *err)
{
	struct stat st;

	if (fstat(capture->fd, &st) < 0)
		return error_set(err, errno, "open");
	if (S_ISDIR(st.st_mode))
		return error_say(
			err, EISDIR,
			"is a directory, but a capture is a file (use perf record without --threads)");
	if (!S_ISREG(st.st_mode))
		return error_say(err, ESPIPE,
				 "is not a regular file; write the stream to a file first");
	*size = (uint64_t)st.st_size;
	return 0;
}

static int check_magic(const char *magic, struct error *err)
{
	const uint16_t one = 1;
	bool is_little = *(const uint8_t *)&one;

	if (memcmp(magic, CAPTURE_MAGIC, 8) == 0)
		return 0;
	if (memcmp(magic, CAPTURE_MAGIC_SWAPPED, 8) == 0)
		return error_say(
			err, ENOTSUP,
			"was recorded on a %s-endian machine, but this machine is %s-endian; "
			"convert it on a machine of the same kind",
			is_little ? "big" : "little", is_little ? "little" : "big");
	if (memcmp(magic, "PERFFILE", 8) == 0)
		return error_say(
			err, ENOTSUP,
			"has the perf.data format from before 2009, which iotrace does not read");
	return error_say(err, EBADMSG,
			 "is neither a capture of iotrace nor a file that perf record wrote");
}

/* Copies `size` bytes of an attr, which an older or newer perf may have written. */
static void copy_attr(struct perf_event_attr *attr, const void *bytes, size_t size)
{
	*attr = (struct perf_event_attr){0};
	memcpy(attr, bytes, size < sizeof(*attr) ? size : sizeof(*attr));
}

static int read_event(struct capture *capture, const uint8_t *bytes, size_t attr_size,
		      uint64_t *ids_left, struct error *err)
{
	struct capture_section section;
	struct perf_event_attr attr;
	uint64_t *ids;
	int rc;

	copy_attr(&attr, bytes, attr_size);
	memcpy(&section, bytes + attr_size, sizeof(section));
	if (section.size / sizeof(uint64_t) > *ids_left)
		return error_say(err, E2BIG, "has more than %d ids of events", CAPTURE_IDS_MAX);
	*ids_left -= section.size / sizeof(uint64_t);
	ids = mem_alloc(section.size);
	rc = capture_read_exactly(capture, section.offset, ids, section.size, err);
	if (!rc && !capture_info_add_event(&capture->info, &attr, "", ids,
					   (uint32_t)(section.size / sizeof(uint64_t)), err))
		rc = -err->code;
	free(ids);
	return rc;
}

static int read_events(struct capture *capture, const struct capture_header *header,
		       struct error *err)
{
	uint64_t count, ids_left = CAPTURE_IDS_MAX;
	uint8_t *bytes;
	int rc = 0;

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct capture_section) ||
	    header->attr_size > UINT16_MAX)
		return error_say(err, EBADMSG, "has event attributes of %llu bytes",
				 (unsigned long long)header->attr_size);
	count = header->attrs.size / header->attr_size;
	if (count > CAPTURE_EVENTS_MAX)
		return error_say(err, E2BIG, "has more than %d events", CAPTURE_EVENTS_MAX);
	bytes = mem_alloc(header->attr_size);
	for (uint64_t i = 0; i < count && !rc; i++) {
		rc = capture_read_exactly(capture, header->attrs.offset + i * header->attr_size,
					  bytes, header->attr_size, err);
		if (!rc)
			rc = read_event(capture, bytes,
					header->attr_size - sizeof(struct capture_section),
					&ids_left, err);
	}
	free(bytes);
	return rc;
}

/*
 * Finds where the records begin and end. Their size is 0 while the file is being written, and stays 0 if the writer is killed;
 * then there is no table after them.
 */
static int find_data(struct capture *capture, const struct capture_header *header,
		     uint64_t file_size, struct error *err)
{
	capture->data = header->data.offset;
	if (capture->data < sizeof(*header) || capture->data > file_size)
		return error_say(err, EBADMSG,
				 "is truncated: its records should begin at offset %llu",
				 (unsigned long long)capture->data);
	if (__builtin_add_overflow(capture->data, header->data.size, &capture->promised))
		capture->promised = UINT64_MAX;
	capture->flags = header->data.size ? header->flags[0] : 0;
	capture->end = file_size;
	if (header->data.size && capture->promised < file_size)
		capture->end = capture->promised;
	return 0;
}

static int read_header(struct capture *capture, uint64_t file_size, struct error *err)
{
	struct capture_header header;
	int rc;

	rc = capture_read_exactly(capture, 0, &header, sizeof(header), err);
	if (!rc)
		rc = find_data(capture, &header, file_size, err);
	if (!rc && header.flags[0] >> CAPTURE_COMPRESSED & 1) {
		error_say(err, ENOTSUP,
			  "was written by `perf record -z`, whose records are compressed");
		error_hint(err, "record without -z");
		return -ENOTSUP;
	}
	if (!rc)
		rc = read_events(capture, &header, err);
	if (!rc)
		rc = capture_read_features(capture, err);
	return rc;
}

static int read_pipe_header(struct capture *capture, uint64_t file_size, struct error *err)
{
	capture->data = CAPTURE_PIPE_HEADER_SIZE;
	capture->end = file_size;
	return capture_read_pipe(capture, err);
}

static int read_file(struct capture *capture, struct error *err)
{
	struct {
		char magic[8];
		uint64_t size;
	} head = {0};
	uint64_t file_size = 0;
	int rc;

	rc = open_file(capture, &file_size, err);
	if (!rc && file_size == 0)
		return error_say(err, EBADMSG, "is empty");
	/* A short file of another kind is not reported as a truncated capture. */
	if (!rc)
		rc = capture_read_exactly(capture, 0, head.magic,
					  file_size < sizeof(head.magic) ? file_size
									 : sizeof(head.magic),
					  err);
	if (!rc)
		rc = check_magic(head.magic, err);
	if (!rc)
		rc = capture_read_exactly(capture, 0, &head, sizeof(head), err);
	if (!rc && head.size == CAPTURE_PIPE_HEADER_SIZE)
		rc = read_pipe_header(capture, file_size, err);
	else if (!rc && head.size == sizeof(struct capture_header))
		rc = read_header(capture, file_size, err);
	else if (!rc)
		rc = error_say(err, ENOTSUP, "has a header of %llu bytes, not of %zu",
			       (unsigned long long)head.size, sizeof(struct capture_header));
	if (!rc && !capture->info.events)
		rc = error_say(err, EBADMSG, "describes no events");
	return rc;
}

struct capture *capture_open_in(int fd, const char *path, capture_available available,
				void *context, struct error *err)
{
	struct capture *capture = mem_zero(sizeof(*capture));
	struct error local;
	int rc;

	err = err ? err : &local;
	capture->fd = fd;
	capture->path = mem_strdup(path);
	capture_info_init(&capture->info);
	capture->available = available;
	capture->context = context;
	capture->round_max = CAPTURE_ROUND_MAX;
	rc = read_file(capture, err);
	if (!rc) {
		capture_info_name_events(&capture->info);
		rc = capture_find_init(&capture->find, &capture->info, err);
	}
	if (rc) {
		error_wrap(err, "%s", path);
		capture_close(capture);
		return NULL;
	}
	/* A growing file is empty until available() says otherwise. */
	if (available) {
		capture->end = capture->data;
		capture->promised = 0;
	}
	capture->at = capture->data;
	capture->whole = capture->data;
	return capture;
}

/* With O_NONBLOCK, the open of a pipe does not wait for its writer. The type of the file is checked after the open. */
struct capture *capture_open(const char *path, capture_available available, void *context,
			     struct error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		error_set(err, errno, "cannot open %s", path);
		return NULL;
	}
	return capture_open_in(fd, path, available, context, err);
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	capture_chunks_release(capture);
	capture_find_release(&capture->find);
	capture_info_release(&capture->info);
	if (capture->fd >= 0)
		close(capture->fd);
	free(capture->path);
	free(capture);
}

const struct capture_info *capture_info(const struct capture *capture)
{
	return &capture->info;
}

void capture_begin_at(struct capture *capture, uint64_t offset)
{
	capture->at = capture->whole = capture->end = capture->data + offset;
}

uint64_t capture_position(const struct capture *capture, uint64_t *total)
{
	*total = capture->available ? 0 : capture->end - capture->data;
	return capture->whole - capture->data;
}

uint64_t capture_gone(const struct capture *capture, uint64_t *records)
{
	*records = capture->gone_records;
	return capture->gone;
}

uint64_t capture_torn(const struct capture *capture)
{
	return capture->torn;
}
