/*
 * capture_private: what the files of the capture reader share.
 *
 * capture_read.c opens, capture_feature.c and capture_tracing.c fill the info, capture_round.c cuts
 * rounds out of the file, capture_find.c knows which event a record is of.
 */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/map.h>

#include "sample_place.h"

struct bytes;
struct chunk;

/* How a kernel id becomes an event: ids are dense (the kernel counts them up), so mostly by index. */
struct capture_find {
	uint16_t *dense; /* event + 1 of id base + i, 0: none; NULL: in the map */
	uint64_t base;
	uint64_t span;
	struct map map;
	struct sample_place *place; /* of each event */
	bool is_uniform;            /* all events have the layout of the first */
};

enum { CAPTURE_CHUNKS_KEPT = 4 };

struct capture {
	char *path;
	int fd;
	struct capture_info info;
	struct capture_find find;
	capture_available available;
	void *context;
	uint64_t flags; /* of the header: which feature sections follow the data */
	uint64_t data;  /* file offset of the first record */
	uint64_t end;   /* file offset where records end; while it grows, as far as it is known */
	uint64_t promised; /* as the header has it: a file may be shorter */
	uint64_t at;       /* file offset of what is read next */
	uint64_t whole;    /* file offset behind the last whole record */
	uint64_t torn;
	uint64_t gone, gone_records; /* what was cut out of it */
	size_t round_max;            /* CAPTURE_ROUND_MAX; not less than the largest record */
	bool is_over;
	struct chunk *chunk;                    /* has the bytes of the round that is being read */
	size_t round;                           /* in the chunk: where it begins, */
	size_t kept;                            /* where what belongs to it ends, */
	size_t scan;                            /* and what was not looked at yet */
	struct chunk *old[CAPTURE_CHUNKS_KEPT]; /* to be used again when no round needs them */
};

/* Returns 0, or -errno with a sentence. */
int capture_read_exactly(const struct capture *capture, uint64_t offset, void *out, size_t size,
			 struct error *err);
int capture_read_features(struct capture *capture, struct error *err);
int capture_read_pipe(struct capture *capture, struct error *err);
/* Returns the text of the info that a feature is, or NULL. */
char **capture_text(struct capture_info *info, uint32_t feature);
/* Reads one feature section into the info. Unknown ids are ignored. */
int capture_parse_feature(struct capture_info *info, uint32_t id, const void *at, size_t size,
			  struct error *err);
int capture_parse_tracing(struct capture_info *info, const void *at, size_t size,
			  struct error *err);
/* Gives tracepoint events without a name that of the format with their number. */
void capture_info_name_events(struct capture_info *info);

int capture_find_init(struct capture_find *find, const struct capture_info *info,
		      struct error *err);
void capture_find_release(struct capture_find *find);
/* Returns the event whose layout the record has, or UINT32_MAX. For captures that are not uniform. */
uint32_t capture_find_layout(const struct capture *capture, const uint8_t *record, uint32_t size,
			     bool is_sample);

/* Returns where the fields of a record are, or NULL if it is too short or of an unknown event. */
static inline const struct sample_place *capture_place(const struct capture *capture,
						       const uint8_t *record, uint32_t size,
						       bool is_sample)
{
	const struct sample_place *place = capture->find.place;

	if (!capture->find.is_uniform) {
		uint32_t layout = capture_find_layout(capture, record, size, is_sample);

		if (layout == UINT32_MAX)
			return NULL;
		place += layout;
	}
	return size < (is_sample ? place->sample.least : place->trailer.least) ? NULL : place;
}

/* Returns a descriptor of the writer's file, which the caller closes, or -1; data: where its records begin. */
int capture_writer_dup(const struct capture_writer *writer, uint64_t *data);

void capture_chunks_release(struct capture *capture);

/* Returns how many bytes follow a record without being counted in its size. */
uint64_t capture_trailing(uint32_t type, const uint8_t *record, uint32_t size);
