/*
 * otf2_chunk: the callbacks of the OTF2 library, which writes definitions, markers, and sometimes events: memory, flushes,
 * messages.
 *
 * The library frees a buffer twice after a failed write. So it never writes anything but the small anchor: when a chunk is full,
 * the library's buffer requests memory, and this file writes the chunk and returns the same memory. The rest is written when the
 * library would flush, at close.
 *
 * The used size of a chunk is found by its end: it ends with a mark that is not 0, and the memory behind it is 0, from the
 * mapping or cleared.
 */
#include "otf2.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	POOL_MOST = 4, /* chunks kept for the next writer */
	SLACK = 4096,  /* when a chunk is full, the library writes a mark beyond its end */
};

struct chunk {
	struct chunk *next; /* next chunk in the pool */
	uint8_t *bytes;
	uint64_t written; /* bytes of the file that are on disk */
	int fd;           /* -1: not open */
};

static struct chunk *chunk_get(struct sink *sink)
{
	struct chunk *chunk = sink->pool;

	if (chunk) {
		sink->pool = chunk->next;
		sink->pooled--;
	} else {
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->bytes = mmap(NULL, CHUNK_SIZE + SLACK, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (chunk->bytes == MAP_FAILED) {
			free(chunk);
			return NULL;
		}
		madvise(chunk->bytes, CHUNK_SIZE + SLACK, MADV_NOHUGEPAGE);
	}
	chunk->fd = -1;
	chunk->written = 0;
	return chunk;
}

static void chunk_free(struct chunk *chunk)
{
	munmap(chunk->bytes, CHUNK_SIZE + SLACK);
	free(chunk);
}

/* Takes over the chunk. Its memory is cleared before it is used again. */
static void chunk_put(struct sink *sink, struct chunk *chunk)
{
	if (chunk->fd >= 0)
		close(chunk->fd);
	if (sink->pooled == POOL_MOST) {
		chunk_free(chunk);
		return;
	}
	memset(chunk->bytes, 0, CHUNK_SIZE + SLACK);
	chunk->next = sink->pool;
	sink->pool = chunk;
	sink->pooled++;
}

static char *file_name(OTF2_FileType type, OTF2_LocationRef ref)
{
	switch (type) {
	case OTF2_FILETYPE_LOCAL_DEFS:
		return mem_format("traces/%" PRIu64 ".def", (uint64_t)ref);
	case OTF2_FILETYPE_EVENTS:
		return mem_format("traces/%" PRIu64 ".evt", (uint64_t)ref);
	case OTF2_FILETYPE_MARKER:
		return mem_strdup("traces.marker");
	default:
		return mem_strdup("traces.def");
	}
}

/* Appends the chunk's first `size` bytes to the file. Returns 0 or -errno. */
static int chunk_write(const struct sink *sink, struct chunk *chunk, OTF2_FileType type,
		       OTF2_LocationRef ref, size_t size)
{
	int code = 0;

	if (chunk->fd < 0) {
		char *name = file_name(type, ref);

		chunk->fd = openat(sink->directory, name,
				   O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		code = chunk->fd < 0 ? -errno : 0;
		free(name);
		if (code)
			return code;
	}
	code = place_write_at(chunk->fd, chunk->bytes, size, chunk->written);
	if (size < CHUNK_SIZE) {
		/* Network file systems report a full disk only here. */
		if (close(chunk->fd) != 0 && !code)
			code = -errno;
		chunk->fd = -1;
	}
	if (!code)
		chunk->written += size;
	return code;
}

/* The chunk is full: writes it. Returns whether its memory may be used again. */
static bool chunk_turn(struct sink *sink, struct chunk *chunk, OTF2_FileType type,
		       OTF2_LocationRef ref)
{
	int code = chunk_write(sink, chunk, type, ref, CHUNK_SIZE);

	if (code) {
		sink->write_code = -code;
		return false;
	}
	memset(chunk->bytes, 0, CHUNK_SIZE + SLACK);
	return true;
}

static void *otf2_allocate(void *data, OTF2_FileType type, OTF2_LocationRef ref, void **buffer,
			   uint64_t size)
{
	struct sink *sink = data;
	struct chunk *chunk = *buffer;

	if (size > CHUNK_SIZE)
		return NULL;
	if (!chunk)
		*buffer = chunk = chunk_get(sink);
	else if (!chunk_turn(sink, chunk, type, ref))
		return NULL;
	return chunk ? chunk->bytes : NULL;
}

/* The end mark of the buffer is the last byte that is not 0. */
static size_t chunk_used(const struct chunk *chunk)
{
	const uint64_t *words = (const uint64_t *)(const void *)chunk->bytes;
	size_t used = (CHUNK_SIZE + SLACK) / sizeof(*words);

	while (used && !words[used - 1])
		used--;
	used *= sizeof(*words);
	while (used && !chunk->bytes[used - 1])
		used--;
	return used;
}

/*
 * The buffer is deleted, so it contains the end of its file. The library would write the number of the last event into the header
 * of the chunk. All versions of OTF2 3 have it there; otherwise their readers could not read each other's files.
 */
static void chunk_end(struct sink *sink, struct chunk *chunk, OTF2_FileType type,
		      OTF2_LocationRef ref)
{
	int code;

	if (type == OTF2_FILETYPE_EVENTS)
		memcpy(chunk->bytes + LAST_EVENT_AT, &sink->location[ref].events,
		       sizeof(sink->location[ref].events));
	code = chunk_write(sink, chunk, type, ref, chunk_used(chunk));

	if (code)
		sink->write_code = -code;
}

static void otf2_free_all(void *data, OTF2_FileType type, OTF2_LocationRef ref, void **buffer,
			  bool final)
{
	struct sink *sink = data;
	struct chunk *chunk = *buffer;

	if (chunk && final && type != OTF2_FILETYPE_ANCHOR)
		chunk_end(sink, chunk, type, ref);
	if (chunk)
		chunk_put(sink, chunk);
	*buffer = NULL;
}

static OTF2_FlushType otf2_pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef ref,
				     void *writer, bool final)
{
	(void)data;
	(void)ref;
	(void)writer;
	(void) final;
	return type == OTF2_FILETYPE_ANCHOR ? OTF2_FLUSH : OTF2_NO_FLUSH;
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode otf2_message(
	void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
	const char *format, va_list arguments)
{
	struct sink *sink = data;
	int number = errno;

	(void)file;
	(void)line;
	(void)function;
	if (sink->library_code != OTF2_SUCCESS)
		return code;
	sink->library_code = code;
	sink->library_errno = number ? number : EIO;
	int length = snprintf(sink->library_text, sizeof(sink->library_text),
			      "%s: ", OTF2_Error_GetDescription(code));

	if (length > 0 && (size_t)length < sizeof(sink->library_text))
		vsnprintf(sink->library_text + length, sizeof(sink->library_text) - (size_t)length,
			  format, arguments);
	return code;
}

void otf2_chunk_install(struct sink *sink)
{
	static const OTF2_MemoryCallbacks memory = {otf2_allocate, otf2_free_all};
	static const OTF2_FlushCallbacks flush = {otf2_pre_flush, NULL};

	OTF2_Archive_SetMemoryCallbacks(sink->archive, &memory, sink);
	OTF2_Archive_SetFlushCallbacks(sink->archive, &flush, sink);
}

void otf2_messages_begin(struct sink *sink)
{
	sink->old_callback = OTF2_Error_RegisterCallback(otf2_message, sink);
}

void otf2_messages_end(struct sink *sink)
{
	OTF2_Error_RegisterCallback(sink->old_callback, NULL);
}

void otf2_chunk_release(struct sink *sink)
{
	for (struct chunk *next; sink->pool; sink->pool = next) {
		next = sink->pool->next;
		chunk_free(sink->pool);
	}
	sink->pooled = 0;
}
