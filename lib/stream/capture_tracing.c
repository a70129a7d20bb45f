/*
 * capture_tracing: the TRACING_DATA section, which contains the kernel's format files.
 *
 * Its layout is that of trace-cmd's files of version 0.5 and 0.6 without the records: two header files, the formats of ftrace's
 * own events, the formats by system, kernel symbols, printk formats, names of tasks. Only the first three are kept.
 */
#include <iotrace/bytes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdlib.h>

#include "capture_format.h"
#include "capture_private.h"

/* Returns a terminated string, lent, or NULL. */
static const char *take_text(struct bytes *b)
{
	return bytes_take(b, strnlen((const char *)b->at, b->left) + 1);
}

/* Returns a copy of a file with u64 size, or NULL. */
static char *take_file(struct bytes *b)
{
	uint64_t size = bytes_u64(b);
	const char *at = bytes_take(b, size);

	return at ? mem_format("%.*s", (int)size, at) : NULL;
}

static void take_header_file(struct bytes *b, const char *name, char **to)
{
	const char *found = take_text(b);
	char *text;

	if (!found || strcmp(found, name) != 0) {
		b->bad = true;
		return;
	}
	text = take_file(b);
	if (text) {
		free(*to);
		*to = text;
	}
}

/* `budget`: how many more formats may be added. It is limited, because each is compared with all others. */
static void take_formats(struct capture_info *info, struct bytes *b, const char *system,
			 uint32_t *budget)
{
	uint32_t count = bytes_u32(b);

	for (uint32_t i = 0; i < count && !b->bad; i++) {
		char *text = take_file(b);

		if (text && *budget) {
			capture_info_add_format(info, system, text);
			--*budget;
		}
		free(text);
	}
}

static void take_systems(struct capture_info *info, struct bytes *b, uint32_t *budget)
{
	uint32_t count = bytes_u32(b);

	for (uint32_t i = 0; i < count && !b->bad; i++) {
		const char *system = take_text(b);

		if (system)
			take_formats(info, b, system, budget);
	}
}

/* Returns whether the formats are readable: same byte order, and a known version. */
static int check_version(const char *version, uint8_t is_big_endian, struct error *err)
{
	const uint16_t one = 1;
	bool host_is_big_endian = !*(const uint8_t *)&one;

	if (strcmp(version, "0.5") != 0 && strcmp(version, "0.6") != 0)
		return error_say(err, ENOTSUP,
				 "its tracing data has version %.8s; iotrace reads 0.5 and 0.6",
				 version);
	if (is_big_endian != host_is_big_endian)
		return error_say(err, ENOTSUP,
				 "its tracing data has the byte order of another machine");
	return 0;
}

int capture_parse_tracing(struct capture_info *info, const void *at, size_t size, struct error *err)
{
	struct bytes b = bytes_of(at, size);
	const void *magic = bytes_take(&b, CAPTURE_TRACING_MAGIC_SIZE);
	const char *version = take_text(&b);
	uint8_t is_big_endian = bytes_u8(&b);
	uint32_t budget = CAPTURE_FORMATS_MAX;
	int rc;

	bytes_u8(&b); /* size of a long; unused, because formats contain the size of each field */
	if (!magic || !version ||
	    memcmp(magic, CAPTURE_TRACING_MAGIC, CAPTURE_TRACING_MAGIC_SIZE) != 0)
		return error_say(err, EBADMSG, "its section TRACING_DATA is damaged");
	rc = check_version(version, is_big_endian, err);
	if (rc)
		return rc;
	info->page_size = bytes_u32(&b);
	take_header_file(&b, "header_page", &info->header_page);
	take_header_file(&b, "header_event", &info->header_event);
	take_formats(info, &b, "ftrace", &budget);
	take_systems(info, &b, &budget);
	if (b.bad)
		return error_say(err, EBADMSG, "its section TRACING_DATA is damaged");
	return 0;
}
