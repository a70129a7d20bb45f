/*
 * anchor: reads the anchor, and refuses impossible numbers.
 *
 * After its marks, it has these fields: magic, versions, two chunk sizes, the numbers of locations and of global definitions,
 * three strings, the properties, and numbers that iotrace does not need.
 */
#include "anchor.h"

#include "file.h"

#include <iotrace/bytes.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Versions of the records and of the library; they follow the version of the anchor. */
	VERSION_SIZE = 4,
	CHUNK_LEAST = 256 << 10,
	CHUNK_MOST = 16 << 20,
	ANCHOR_MOST = 16 << 20,
	/* Limit, because OTF2's library compares each with all before it. */
	PROPERTIES_MOST = 10000,
	PROPERTIES_SINCE = 2, /* version of the anchor since which there are properties */
	COUNTS_SINCE = 3,
	DEFINITION_LEAST = 2, /* minimum size of a record in bytes */
};

static uint64_t take(struct bytes *in, size_t size, bool is_big)
{
	const uint8_t *at = bytes_take(in, size);

	return at ? record_number(at, size, is_big) : 0;
}

static const char *take_text(struct bytes *in)
{
	const uint8_t *end = in->left ? memchr(in->at, '\0', in->left) : NULL;

	return bytes_take(in, end ? (size_t)(end - in->at) + 1 : in->left + 1);
}

/* Returns NULL, or an error text. */
static const char *parse_end(struct anchor *anchor, struct bytes in, uint64_t version, bool is_big)
{
	const char *broken = "is truncated, or is not an anchor";

	if (version >= PROPERTIES_SINCE)
		anchor->properties = (uint32_t)take(&in, 4, is_big);
	if (in.bad)
		return broken;
	if (anchor->properties > in.left / 2)
		return "has more properties than bytes";
	if (anchor->properties > PROPERTIES_MOST)
		return "has more than 10000 properties";
	anchor->property = (const char *)in.at;
	anchor->left = in.left;
	for (uint32_t i = 0; i < 2 * anchor->properties; i++)
		take_text(&in);
	if (version >= PROPERTIES_SINCE)
		bytes_take(&in, 8); /* id of the archive */
	/* Numbers of snapshots and thumbnails. */
	if (version >= COUNTS_SINCE)
		bytes_take(&in, 2 * 4);
	return in.bad ? broken : NULL;
}

static const char *parse(struct anchor *anchor, size_t size, uint64_t definition_bytes)
{
	struct bytes in = bytes_of(anchor->bytes, size);
	bool has_mark = bytes_u8(&in) == MARK_CHUNK_HEADER;
	bool is_big = bytes_u8(&in) == MARK_BIG_ENDIAN;
	const char *magic = bytes_take(&in, 5); /* including its NUL */
	uint64_t version = bytes_u8(&in);
	OTF2_FileSubstrate substrate;
	OTF2_Compression compression;

	if (!has_mark || !magic || memcmp(magic, "OTF2", 5) != 0)
		return "is truncated, or is not an anchor";
	bytes_take(&in, VERSION_SIZE);
	anchor->event_chunk = take(&in, 8, is_big);
	anchor->definition_chunk = take(&in, 8, is_big);
	substrate = bytes_u8(&in);
	compression = bytes_u8(&in);
	anchor->locations = take(&in, 8, is_big);
	anchor->definitions = take(&in, 8, is_big);
	take_text(&in); /* machine */
	anchor->creator = take_text(&in);
	take_text(&in); /* description */
	if (in.bad)
		return "is truncated, or is not an anchor";
	if (substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE)
		return "has compressed files, or is a single container file";
	if (anchor->event_chunk < CHUNK_LEAST || anchor->event_chunk > CHUNK_MOST ||
	    anchor->definition_chunk < CHUNK_LEAST || anchor->definition_chunk > CHUNK_MOST)
		return "has an impossible size of chunks";
	if (anchor->definitions > definition_bytes / DEFINITION_LEAST)
		return "has more definitions than traces.def";
	if (anchor->locations > anchor->definitions)
		return "has more locations than definitions";
	return parse_end(anchor, in, version, is_big);
}

static uint64_t size_of(const char *dir, const char *name)
{
	char *path = mem_format("%s/%s", dir, name);
	struct stat status;
	uint64_t size = stat(path, &status) ? 0 : (uint64_t)status.st_size;

	free(path);
	return size;
}

const char *anchor_read(struct anchor *anchor, const char *dir)
{
	uint64_t size = 0;
	const char *wrong = NULL;
	int fd = file_descriptor(dir, "traces.otf2", &size, &wrong);
	ssize_t length;

	*anchor = (struct anchor){0};
	if (fd < 0)
		return "cannot be read";
	if (!size || size > ANCHOR_MOST) {
		close(fd);
		return size ? "is too large" : "is empty";
	}
	anchor->bytes = mem_alloc((size_t)size);
	length = pread(fd, anchor->bytes, (size_t)size, 0);
	close(fd);
	return parse(anchor, length < 0 ? 0 : (size_t)length, size_of(dir, "traces.def"));
}

const char *anchor_property(const struct anchor *anchor, const char *name)
{
	struct bytes in = bytes_of(anchor->property, anchor->left);

	for (uint32_t i = 0; i < anchor->properties; i++) {
		const char *is = take_text(&in), *value = take_text(&in);

		if (!strcmp(is, name))
			return value;
	}
	return NULL;
}

void anchor_release(struct anchor *anchor)
{
	free(anchor->bytes);
	*anchor = (struct anchor){0};
}
