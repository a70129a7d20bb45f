/*
 * capture_private: what the files of the capture reader share.
 *
 * capture_read.c opens the file, capture_feature.c and capture_tracing.c fill the info, capture_round.c cuts the file into
 * rounds, capture_find.c finds the event of a record.
 */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/map.h>

#include "sample_offsets.h"

struct bytes;
struct chunk;

/* Finds an event by its kernel id. The kernel counts ids up, so they are dense and usually an index suffices. */
struct capture_find {
	uint16_t *dense; /* event + 1 of id base + i, 0: none; NULL: the map is used */
	uint64_t base;
	uint64_t span;
	struct map map;
	struct sample_offsets *offsets; /* for each event */
	bool is_uniform;                /* all events have the same layout */
};

enum { CAPTURE_CHUNKS_KEPT = 4 };

struct capture {
	char *path;
	int fd;
	struct capture_info info;
	struct capture_find find;
	capture_available available;
	void *context;
	uint64_t flags; /* from the header: the feature sections after the data */
	uint64_t data;  /* file offset of the first record */
	/* File offset where the records end; while the file grows, as far as it is known. */
	uint64_t end;
	uint64_t promised; /* the same according to the header: the file may be shorter */
	uint64_t at;       /* file offset of the next read */
	uint64_t whole;    /* file offset after the last complete record */
	uint64_t torn;
	uint64_t gone, gone_records; /* what was cut out of it */
	size_t round_max;            /* bytes and records that were removed from the file */
	bool is_over;
	struct chunk *chunk;                    /* the bytes of the current round */
	size_t round;                           /* position in the chunk: begin of the round, */
	size_t kept;                            /* end of the round, */
	size_t scan;                            /* and begin of what has not been scanned yet */
	struct chunk *old[CAPTURE_CHUNKS_KEPT]; /* free chunks for later rounds */
};

/* Returns 0, or -errno with a message. */
int capture_read_exactly(const struct capture *capture, uint64_t offset, void *out, size_t size,
			 struct error *err);
int capture_read_features(struct capture *capture, struct error *err);
int capture_read_pipe(struct capture *capture, struct error *err);
/* Returns the text of the info for a feature, or NULL. */
char **capture_text(struct capture_info *info, uint32_t feature);
/* Reads one feature section into the info. Unknown ids are ignored. */
int capture_parse_feature(struct capture_info *info, uint32_t id, const void *at, size_t size,
			  struct error *err);
int capture_parse_tracing(struct capture_info *info, const void *at, size_t size,
			  struct error *err);
/* Names tracepoint events without a name after the format with their id. */
void capture_info_name_events(struct capture_info *info);

int capture_find_init(struct capture_find *find, const struct capture_info *info,
		      struct error *err);
void capture_find_release(struct capture_find *find);
/* The same as capture_find_event(), inline because it is called for each record. */
static inline uint32_t capture_event_of(const struct capture *capture, uint64_t id)
{
	const struct capture_find *find = &capture->find;

	if (capture->info.events == 1)
		return 0;
	if (!find->dense)
		return map_get(&find->map, id);
	if (id - find->base >= find->span)
		return UINT32_MAX;
	return (uint32_t)find->dense[id - find->base] - 1;
}

/*
 * Returns an event with the record's layout, or UINT32_MAX. For captures with different layouts. Records that perf itself writes
 * have id 0 and the layout of the first event. A sample without an event cannot be parsed.
 */
static inline uint32_t capture_find_layout(const struct capture *capture, const uint8_t *record,
					   uint32_t size, bool is_sample)
{
	const struct sample_offsets *offsets = &capture->find.offsets[0];
	const struct field_offsets *fields = is_sample ? &offsets->sample : &offsets->trailer;
	uint32_t event;

	/* Then no event has a trailer, because find_offsets() checked that all agree. */
	if (!fields->id)
		return 0;
	/* In both cases 8 more bytes are needed: the id of a sample, or the header of another record. */
	if (size < fields->id + sizeof(uint64_t))
		return UINT32_MAX;
	event = capture_event_of(capture,
				 sample_u64(sample_field(record, size, is_sample, fields->id)));
	return event == UINT32_MAX && !is_sample ? 0 : event;
}

/* Returns where the fields of a record are, or NULL if it is too short or of an unknown event. */
static inline const struct sample_offsets *capture_offsets(const struct capture *capture,
							   const uint8_t *record, uint32_t size,
							   bool is_sample)
{
	const struct sample_offsets *offsets = capture->find.offsets;

	if (!capture->find.is_uniform) {
		uint32_t layout = capture_find_layout(capture, record, size, is_sample);

		if (layout == UINT32_MAX)
			return NULL;
		offsets += layout;
	}
	return size < (is_sample ? offsets->sample.min_size : offsets->trailer.min_size) ? NULL
											 : offsets;
}

/* Returns a descriptor of the writer's file, which the caller closes, or -1; data: offset of its records. */
int capture_writer_dup(const struct capture_writer *writer, uint64_t *data);

void capture_chunks_release(struct capture *capture);

/* Returns the number of bytes after a record that its size does not include. */
uint64_t capture_trailing(uint32_t type, const uint8_t *record, uint32_t size);
