/*
 * verify_anchor: whether the anchor's numbers are possible, before the library believes them.
 *
 * The library allocates what the anchor says: a buffer of the size of a chunk for each file, and an array for the properties.
 * The anchor has, behind its marks: magic, version, the two sizes of chunks, the numbers of locations and of global
 * definitions, three strings, and the number of properties.
 */
#include "verify.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	VERSION_SIZE = 6, /* behind the magic */
	STRINGS = 3,
	CHUNK_LEAST = 256 << 10,
	CHUNK_MOST = 16 << 20,
	ANCHOR_MOST = 16 << 20,
	PROPERTIES_MOST = 10000, /* the library compares each with all before it */
	DEFINITION_LEAST = 2,    /* bytes: no record is smaller */
};

struct anchor {
	uint64_t event_chunk, definition_chunk, locations, definitions;
	uint32_t properties;
	OTF2_FileSubstrate substrate;
	OTF2_Compression compression;
	size_t left; /* bytes behind all these */
	bool is_whole;
};

static void skip_string(struct bytes *in)
{
	const uint8_t *end = in->left ? memchr(in->at, '\0', in->left) : NULL;

	bytes_take(in, end ? (size_t)(end - in->at) + 1 : in->left + 1);
}

static struct anchor parse(const uint8_t *bytes, size_t size)
{
	struct bytes in = bytes_of(bytes, size);
	struct anchor anchor = {0};
	bool has_mark = verify_number(&in, 1, false) == VERIFY_CHUNK_HEADER;
	bool is_big = verify_number(&in, 1, false) == VERIFY_BIG_ENDIAN;
	const char *magic = bytes_take(&in, 4);

	if (!has_mark || !magic || memcmp(magic, "OTF2", 4) != 0)
		return anchor;
	bytes_take(&in, VERSION_SIZE);
	anchor.event_chunk = verify_number(&in, 8, is_big);
	anchor.definition_chunk = verify_number(&in, 8, is_big);
	anchor.substrate = bytes_u8(&in);
	anchor.compression = bytes_u8(&in);
	anchor.locations = verify_number(&in, 8, is_big);
	anchor.definitions = verify_number(&in, 8, is_big);
	for (int i = 0; i < STRINGS; i++)
		skip_string(&in);
	anchor.properties = (uint32_t)verify_number(&in, 4, is_big);
	anchor.left = in.left;
	anchor.is_whole = !in.bad;
	return anchor;
}

/* Returns NULL, or what is wrong. */
static const char *fault(const struct anchor *anchor, uint64_t definition_bytes)
{
	if (!anchor->is_whole)
		return "is truncated, or is not an anchor";
	if (anchor->substrate != OTF2_SUBSTRATE_POSIX ||
	    anchor->compression != OTF2_COMPRESSION_NONE)
		return "has compressed files, or is a single container file";
	if (anchor->event_chunk < CHUNK_LEAST || anchor->event_chunk > CHUNK_MOST ||
	    anchor->definition_chunk < CHUNK_LEAST || anchor->definition_chunk > CHUNK_MOST)
		return "has an impossible size of chunks";
	if (anchor->definitions > definition_bytes / DEFINITION_LEAST)
		return "has more definitions than traces.def";
	if (anchor->locations > anchor->definitions)
		return "has more locations than definitions";
	if (anchor->properties > anchor->left / 2)
		return "has more properties than bytes";
	if (anchor->properties > PROPERTIES_MOST)
		return "has more than 10000 properties";
	return NULL;
}

static uint64_t size_of(const char *dir, const char *name)
{
	char *path = mem_format("%s/%s", dir, name);
	struct stat status;
	uint64_t size = stat(path, &status) ? 0 : (uint64_t)status.st_size;

	free(path);
	return size;
}

const char *verify_anchor(const struct verify *v)
{
	uint64_t size = 0;
	const char *wrong = NULL;
	int fd = verify_open(v, "traces.otf2", &size, &wrong);
	struct anchor anchor;
	uint8_t *bytes;
	ssize_t length;

	if (fd < 0)
		return "cannot be read";
	if (!size || size > ANCHOR_MOST) {
		close(fd);
		return size ? "is too large" : "is empty";
	}
	bytes = mem_alloc((size_t)size);
	length = pread(fd, bytes, (size_t)size, 0);
	close(fd);
	anchor = parse(bytes, length < 0 ? 0 : (size_t)length);
	free(bytes);
	return fault(&anchor, size_of(v->dir, "traces.def"));
}
