/* capture_build: the front of a capture, built in memory before it is written. */
#pragma once

#include <iotrace/capture.h>

#include "capture_format.h"

/* A growing buffer. */
struct build {
	uint8_t *bytes;
	size_t size;
	size_t capacity;
};

void build_release(struct build *build);
void build_put(struct build *build, const void *bytes, size_t size);
void build_u32(struct build *build, uint32_t value);
void build_u64(struct build *build, uint64_t value);
void build_zeros(struct build *build, size_t size);

/* Returns the features that the info has data for, as flags of the header. */
uint64_t build_feature_flags(const struct capture_info *info);
/* Appends the sections and fills one element of `table` for each flag. */
void build_features(struct build *build, const struct capture_info *info,
		    struct capture_section *table);
