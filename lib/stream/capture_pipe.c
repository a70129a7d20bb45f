/*
 * capture_pipe: the preamble of the output of `perf record -o -`.
 *
 * Attributes, names, features and format files are records of perf itself, before all records of the kernel. They are read when
 * the file is opened; later the round reader skips them.
 */
#include <iotrace/bytes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdlib.h>

#include "capture_format.h"
#include "capture_private.h"

/* perf writes a few for each event, so more is no valid preamble. */
enum { PREAMBLE_RECORDS_MAX = 1 << 16 };

struct preamble {
	struct capture *capture;
	uint64_t at; /* file offset after the record */
};

/* The attr contains its own size; the rest of the record has the ids of the event. */
static int take_attr(struct preamble *p, struct bytes *b, struct error *err)
{
	struct perf_event_attr attr = {0};
	struct bytes head = *b;
	const void *at;
	uint64_t *ids;
	uint32_t size;
	int rc = 0;

	bytes_u32(&head);
	size = bytes_u32(&head);
	size = size ? size : PERF_ATTR_SIZE_VER0;
	at = bytes_take(b, size);
	if (!at || size < PERF_ATTR_SIZE_VER0)
		return error_say(err, EBADMSG, "has an event attribute that is truncated");
	memcpy(&attr, at, size < sizeof(attr) ? size : sizeof(attr));
	ids = mem_dup(b->at, b->left);
	if (!capture_info_add_event(&p->capture->info, &attr, "", ids,
				    (uint32_t)(b->left / sizeof(*ids)), err))
		rc = -err->code;
	free(ids);
	return rc;
}

static int take_update(struct preamble *p, struct bytes *b, struct error *err)
{
	uint64_t what = bytes_u64(b);
	uint64_t id = bytes_u64(b);
	struct capture_info *info = &p->capture->info;

	(void)err;
	if (what != CAPTURE_UPDATE_NAME)
		return 0;
	/* perf identifies an event by its first id. */
	for (uint32_t i = 0; i < info->events; i++) {
		struct capture_event *event = &info->event[i];

		if (!event->ids || event->id[0] != id)
			continue;
		free(event->name);
		event->name = mem_format("%.*s", (int)b->left, (const char *)b->at);
		break;
	}
	return 0;
}

static int take_feature(struct preamble *p, struct bytes *b, struct error *err)
{
	uint64_t id = bytes_u64(b);

	if (b->bad || id >= CAPTURE_FEATURES)
		return 0;
	if (id == CAPTURE_COMPRESSED)
		return error_say(err, ENOTSUP,
				 "was written by `perf record -z`, whose records are compressed; "
				 "record without -z");
	return capture_parse_feature(&p->capture->info, (uint32_t)id, b->at, b->left, err);
}

static int take_tracing(struct preamble *p, struct bytes *b, struct error *err)
{
	uint32_t size = bytes_u32(b);
	uint8_t *bytes;
	int rc;

	if (size > CAPTURE_FEATURE_MAX)
		return error_say(err, EFBIG, "claims %u bytes of tracing data", size);
	bytes = mem_alloc(size);
	rc = capture_read_exactly(p->capture, p->at, bytes, size, err);
	if (!rc)
		rc = capture_parse_tracing(&p->capture->info, bytes, size, err);
	free(bytes);
	return rc;
}

static const struct {
	uint32_t type;
	int (*take)(struct preamble *p, struct bytes *b, struct error *err);
} takers[] = {
	{CAPTURE_RECORD_ATTR, take_attr},
	{CAPTURE_RECORD_TRACING_DATA, take_tracing},
	{CAPTURE_RECORD_EVENT_UPDATE, take_update},
	{CAPTURE_RECORD_FEATURE, take_feature},
};

static int take_record(struct preamble *p, const uint8_t *record, uint32_t type, uint32_t size,
		       struct error *err)
{
	struct bytes b = bytes_of(record, size);

	bytes_take(&b, sizeof(struct perf_event_header));
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		if (takers[i].type == type)
			return takers[i].take(p, &b, err);
	}
	return 0;
}

int capture_read_pipe(struct capture *capture, struct error *err)
{
	struct preamble p = {.capture = capture, .at = capture->data};
	uint8_t *record = mem_alloc(UINT16_MAX);
	struct perf_event_header header;
	int rc = 0;

	for (uint32_t i = 0; i < PREAMBLE_RECORDS_MAX && !rc; i++) {
		if (p.at > capture->end || capture->end - p.at < sizeof(header))
			break;
		rc = capture_read_exactly(capture, p.at, &header, sizeof(header), err);
		if (rc || header.type < SAMPLE_USER_TYPES || header.size < sizeof(header))
			break;
		rc = capture_read_exactly(capture, p.at, record, header.size, err);
		if (rc)
			break;
		p.at += header.size;
		rc = take_record(&p, record, header.type, header.size, err);
		if (__builtin_add_overflow(p.at, capture_trailing(header.type, record, header.size),
					   &p.at))
			break;
	}
	free(record);
	return rc;
}
