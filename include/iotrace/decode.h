/*
 * decode: from samples to events.
 *
 * Knows tracepoint formats (through libtraceevent), the table of system calls and the facts; keeps no state of
 * tasks. Fields are looked up once, to an offset and a size; a missing field is an error that names kernel,
 * tracepoint and field.
 */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/event.h>

struct decode;
struct error;
struct tally;

/*
 * `info` is lent for the life of the decoder. Formats that the file carries are parsed now, those that come as
 * facts when they come. Counts samples, events, ignored, malformed in tally.
 */
struct decode *decode_new(const struct capture_info *info, struct tally *tally, struct error *err);
void decode_free(struct decode *decode);
/*
 * Returns 1 and an event, or 0 if the sample is of no interest or malformed (both counted). Enter and
 * exit come as they are; pairing is the model's.
 */
int decode_sample(struct decode *decode, const struct sample *sample, bool is_late,
		  struct event *event);
/* Names and number of the counters that exits carry (-E), lent. */
uint32_t decode_counters(const struct decode *decode);
const char *decode_counter_name(const struct decode *decode, uint32_t counter);
/* An event of -e, and the fields that its EVENT_TRACEPOINTs carry. Lent. */
struct decode_event {
	const char *name; /* "SYSTEM:EVENT"; more than one may have the same, with other fields */
	uint32_t numbers, strings;
	const char *number[EVENT_COUNTERS];
	bool is_signed[EVENT_COUNTERS]; /* the number is an int64_t */
	const char *string[EVENT_COUNTERS];
};

uint32_t decode_events(const struct decode *decode);
/* Returns NULL if the number is out of range, or the event's format has not come (yet). */
const struct decode_event *decode_event(const struct decode *decode, uint32_t event);
/* Returns whether nothing that the capture may hold is about I/O. */
bool decode_is_without_io(const struct decode *decode);
/* Returns a sentence about what a foreign capture cannot tell, or NULL after the last. */
const char *decode_warning(const struct decode *decode, uint32_t index);
