/* trim: writes the record of the gap before it punches the hole, so a reader never sees the hole. */
#include <iotrace/trim.h>

#include <iotrace/mem.h>
#include <iotrace/sample.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture_format.h"
#include "capture_private.h"

struct trim {
	int fd;
	uint64_t data; /* offset of the first record in the file */
	struct trim_sizes sizes;
	uint64_t records;       /* number of records so far */
	struct trim_mark first; /* begin of the gap; end 0: not known yet */
	uint64_t last;          /* end of the last mark */
	uint64_t cut;           /* begin of what is removed next */
	struct trim_mark *mark; /* in increasing order */
	uint32_t marks, cap;
};

static int punch(int fd, uint64_t from, uint64_t to)
{
	int rc;

	do {
		rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			       (off_t)(to - from));
	} while (rc && errno == EINTR);
	return rc;
}

struct trim *trim_new(const struct capture_writer *writer, struct trim_sizes sizes)
{
	struct trim *trim = mem_zero(sizeof(*trim));
	/* An offset without data: this call only tests whether the file system can punch holes. */
	const uint64_t beyond = UINT64_C(1) << 40;

	trim->fd = capture_writer_dup(writer, &trim->data);
	trim->sizes = sizes;
	if (trim->fd >= 0 && !punch(trim->fd, beyond, beyond + 1))
		return trim;
	trim_free(trim);
	return NULL;
}

void trim_free(struct trim *trim)
{
	if (!trim)
		return;
	if (trim->fd >= 0)
		close(trim->fd);
	free(trim->mark);
	free(trim);
}

uint64_t trim_count(const uint8_t *records, size_t size)
{
	struct perf_event_header header;
	uint64_t count = 0;
	uint32_t length;

	for (size_t at = 0; (length = sample_record_size(records + at, size - at)); at += length) {
		memcpy(&header, records + at, sizeof(header));
		count += header.type < SAMPLE_USER_TYPES;
	}
	return count;
}

void trim_note(struct trim *trim, uint64_t end, uint64_t records)
{
	const struct trim_mark mark = {end, trim->records += records};

	if (!trim->first.end && end >= trim->sizes.kept) {
		trim->first = mark;
		trim->last = end;
		trim->cut = end + CAPTURE_GAP_SIZE;
	} else if (trim->first.end && end >= trim->last + trim->sizes.step) {
		MEM_GROW(trim->mark, trim->cap, trim->marks + 1);
		trim->mark[trim->marks++] = mark;
		trim->last = end;
	}
}

bool trim_is_due(struct trim *trim, uint64_t reader, struct trim_mark *mark)
{
	uint32_t done = 0;

	while (done < trim->marks && trim->mark[done].end <= reader)
		done++;
	if (!done)
		return false;
	*mark = trim->mark[done - 1];
	trim->marks -= done;
	memmove(trim->mark, trim->mark + done, trim->marks * sizeof(*trim->mark));
	return true;
}

void trim_until(struct trim *trim, uint64_t end)
{
	if (end > trim->cut && !punch(trim->fd, trim->data + trim->cut, trim->data + end))
		trim->cut = end;
}

void trim_cut(struct trim *trim, const struct trim_mark *mark)
{
	const struct capture_gap gap = {
		.header = {.type = CAPTURE_RECORD_GAP, .size = sizeof(gap)},
		.bytes = mark->end - trim->first.end - sizeof(gap),
		.records = mark->records - trim->first.records,
	};

	if (pwrite(trim->fd, &gap, sizeof(gap), (off_t)(trim->data + trim->first.end)) !=
	    sizeof(gap))
		return;
	if (!punch(trim->fd, trim->data + trim->cut, trim->data + mark->end))
		trim->cut = mark->end;
}
