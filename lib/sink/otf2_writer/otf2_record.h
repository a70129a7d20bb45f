/*
 * otf2_record: writes one record of an event file.
 *
 * iotrace writes records itself, because an operation has four, and a third of a conversion's time went into the library. The
 * bytes are those that the library writes for the same events; a property test compares them.
 *
 * A record is its type, the length of its data, and the data; ENTER and LEAVE have no length. Before it may come a time, if it
 * differs from that of the previous record, and a list of attributes.
 */
#pragma once

#include "otf2.h"
#include "otf2_attribute.h"
#include "otf2_bytes.h"

/*
 * Returns the position for the data of a record, or NULL after a failed write, when nothing more goes to the location. most:
 * maximum size of the data; if that needs it, the length has 9 bytes.
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

/* Ends a record that has a short length. Its data ends at `end`. */
static inline bool record_end(struct location *location, uint8_t *data, uint8_t *end)
{
	data[-1] = (uint8_t)(end - data);
	location->at = end;
	return true;
}
