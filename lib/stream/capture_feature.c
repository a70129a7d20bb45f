/*
 * capture_feature: reads feature sections.
 *
 * perf writes about thirty of them; `parsers` has a row for each that iotrace needs. They come from the table after the
 * records, from the table before the records (files of iotrace), or as records of a pipe.
 */
#include <iotrace/bytes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdlib.h>

#include "capture_format.h"
#include "capture_private.h"

/* Returns a copy of a perf string (u32 size with padding, bytes), or NULL if it is truncated. */
static char *take_string(struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *at = bytes_take(b, size);

	return at ? mem_format("%.*s", (int)size, at) : NULL;
}

/* The last section counts. *to keeps its value if the section is truncated. */
static void replace(char **to, char *text)
{
	if (!text)
		return;
	free(*to);
	*to = text;
}

static void parse_cpus(struct capture_info *info, struct bytes *b)
{
	info->cpus = bytes_u32(b);
}

/* Joins the words of the command with spaces. */
static void parse_cmdline(struct capture_info *info, struct bytes *b)
{
	uint32_t words = bytes_u32(b);
	size_t length = 0;
	char *line = mem_alloc(b->left + 1);

	for (uint32_t i = 0; i < words; i++) {
		uint32_t size = bytes_u32(b);
		const char *at = bytes_take(b, size);

		if (!at)
			break;
		/* The line is long enough: a word and its blank need fewer bytes than the word and its size in the section. */
		if (i)
			line[length++] = ' ';
		size = (uint32_t)strnlen(at, size);
		memcpy(line + length, at, size);
		length += size;
	}
	line[length] = '\0';
	replace(&info->cmdline, line);
}

/* Names are in the order of the attrs, whose ids are already known. */
static void parse_events(struct capture_info *info, struct bytes *b)
{
	uint32_t events = bytes_u32(b);
	uint32_t attr_size = bytes_u32(b);

	for (uint32_t i = 0; i < events && i < info->events && !b->bad; i++) {
		uint32_t ids;

		bytes_take(b, attr_size);
		ids = bytes_u32(b);
		replace(&info->event[i].name, take_string(b));
		bytes_take(b, (size_t)ids * sizeof(uint64_t));
	}
}

char **capture_text(struct capture_info *info, uint32_t feature)
{
	switch (feature) {
	case CAPTURE_HOSTNAME:
		return &info->hostname;
	case CAPTURE_OSRELEASE:
		return &info->release;
	case CAPTURE_VERSION:
		return &info->version;
	case CAPTURE_ARCH:
		return &info->machine;
	default:
		return NULL;
	}
}

static const struct {
	uint32_t id;
	const char *name;
	void (*parse)(struct capture_info *info, struct bytes *b); /* NULL: the feature is a text */
} parsers[] = {
	{CAPTURE_HOSTNAME, "HOSTNAME", NULL},
	{CAPTURE_OSRELEASE, "OSRELEASE", NULL},
	{CAPTURE_VERSION, "VERSION", NULL},
	{CAPTURE_ARCH, "ARCH", NULL},
	{CAPTURE_NRCPUS, "NRCPUS", parse_cpus},
	{CAPTURE_CMDLINE, "CMDLINE", parse_cmdline},
	{CAPTURE_EVENT_DESC, "EVENT_DESC", parse_events},
};

enum { PARSERS = sizeof(parsers) / sizeof(parsers[0]) };

int capture_parse_feature(struct capture_info *info, uint32_t id, const void *at, size_t size,
			  struct error *err)
{
	struct bytes b = bytes_of(at, size);
	uint32_t i;

	if (id == CAPTURE_TRACING_DATA)
		return capture_parse_tracing(info, at, size, err);
	for (i = 0; i < PARSERS && parsers[i].id != id; i++)
		;
	if (i == PARSERS)
		return 0;
	if (parsers[i].parse)
		parsers[i].parse(info, &b);
	else
		replace(capture_text(info, id), take_string(&b));
	if (b.bad)
		return error_say(err, EBADMSG, "its section %s is damaged", parsers[i].name);
	return 0;
}

static bool is_wanted(uint32_t id)
{
	for (uint32_t i = 0; i < PARSERS; i++) {
		if (parsers[i].id == id)
			return true;
	}
	return id == CAPTURE_TRACING_DATA;
}

static int read_section(struct capture *capture, uint32_t id, const struct capture_section *section,
			struct error *err)
{
	uint8_t *bytes;
	int rc;

	if (section->size > CAPTURE_FEATURE_MAX)
		return error_say(err, EFBIG, "its feature section %u claims %llu bytes", id,
				 (unsigned long long)section->size);
	bytes = mem_alloc(section->size);
	rc = capture_read_exactly(capture, section->offset, bytes, section->size, err);
	if (!rc)
		rc = capture_parse_feature(&capture->info, id, bytes, section->size, err);
	free(bytes);
	return rc;
}

/* The table has one element for each flag that is set. */
static int read_table(struct capture *capture, uint64_t table, uint64_t flags, struct error *err)
{
	struct capture_section section;
	int rc = 0;

	for (uint32_t id = 0; id < CAPTURE_FEATURES && !rc; id++) {
		if (!(flags >> id & 1))
			continue;
		if (is_wanted(id)) {
			rc = capture_read_exactly(capture, table, &section, sizeof(section), err);
			if (!rc)
				rc = read_section(capture, id, &section, err);
		}
		table += sizeof(section);
	}
	return rc;
}

int capture_read_features(struct capture *capture, struct error *err)
{
	uint64_t offset = sizeof(struct capture_header);
	struct capture_front front;
	int rc = capture_read_exactly(capture, offset, &front, sizeof(front), err);

	if (rc)
		return rc;
	if (memcmp(front.magic, CAPTURE_FRONT_MAGIC, sizeof(front.magic)) == 0)
		return read_table(capture, offset + sizeof(front), front.flags, err);
	/* A truncated file has no table after the records. */
	if (capture->promised != capture->end)
		return 0;
	return read_table(capture, capture->end, capture->flags, err);
}
