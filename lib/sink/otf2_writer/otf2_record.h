/*
 * otf2_record: one record of an event file.
 *
 * Written here and not by the library: an operation has four records, and a third of a conversion's time went into them.
 * They are the bytes that the library writes for the same events; a property test compares them.
 *
 * A record is its type, the length of its data, the data; ENTER and LEAVE have no length. Before it may stand a time,
 * where it differs from that of the record before, and a list of attributes.
 */
#pragma once

#include "otf2.h"
#include "otf2_attribute.h"
#include "otf2_bytes.h"

/*
 * Returns where the data of a record may be written, or NULL: a write failed, and nothing more goes to the location.
 * most: what the data takes at most; a record that may be long has a length of 9 bytes.
 */
__attribute__((always_inline)) static inline uint8_t *record_begin(
	struct sink *sink, struct location *location, uint64_t time, const struct attributes *list,
	enum record_type type, uint32_t most)
{
	bool has_length = type != RECORD_ENTER && type != RECORD_LEAVE;
	uint32_t length = !has_length ? 0 : most < LENGTH_LONG ? 1 : 9;
	uint32_t size = MOST_TIME + attributes_most(list) + 1 + length + most;

	if (size >= (size_t)(location->soon - location->at) &&
	    !otf2_make_room(sink, location, size, time))
		return NULL;
	if (time > location->last_time || !time) {
		location->at = put_fixed(put_u8(location->at, MARK_TIME), time);
		location->last_time = time;
	}
	return put_u8(put_attributes(location->at, list), (uint8_t)type) + length;
}

/* The data of a record with a length, that is not long, ends before `end`. */
static inline bool record_end(struct location *location, uint8_t *data, uint8_t *end)
{
	data[-1] = (uint8_t)(end - data);
	location->at = end;
	return true;
}
