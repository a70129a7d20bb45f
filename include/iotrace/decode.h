/*
 * decode: converts samples to events.
 *
 * It knows tracepoint formats (through libtraceevent), the table of system calls and the facts, but keeps no state
 * of tasks. The offset and size of each field are looked up once. If a field is missing, an error names kernel,
 * tracepoint and field.
 */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/event.h>

struct decode;
struct error;
struct tally;

/*
 * `info` is lent for the life of the decoder. Formats in the file are parsed now, formats in facts when they arrive.
 * Counts samples, events, ignored and malformed in tally.
 */
struct decode *decode_new(const struct capture_info *info, struct tally *tally, struct error *err);
void decode_free(struct decode *decode);
/*
 * Returns 1 and an event, or 0 if the sample is skipped or malformed (both are counted). Begin and end of a call are separate
 * events; the model matches them.
 */
int decode_sample(struct decode *decode, const struct sample *sample, bool is_late,
		  struct event *event);
/*
 * Returns whether the sample changes neither processes, descriptors nor names: data that was moved, and block requests. Counts
 * nothing.
 */
bool decode_is_passing(const struct decode *decode, const struct sample *sample);
/* Names and number of the counters in the ends of calls (-E), lent. */
uint32_t decode_counters(const struct decode *decode);
const char *decode_counter_name(const struct decode *decode, uint32_t counter);
/* An executable mapping of a file. Lent. */
struct decode_mapping {
	uint32_t pid;
	uint64_t begin, length, offset; /* offset: in the file */
	struct event_string file;       /* path as the process sees it; "[vdso]", "//anon" */
};

/* Returns whether the record is such a mapping. Counts nothing. */
bool decode_mapping(const struct sample *sample, struct decode_mapping *mapping);
/* An event of -e, and the fields of its EVENT_TRACEPOINTs. Lent. */
struct decode_event {
	const char *name; /* "SYSTEM:EVENT"; several may have the same name and different fields */
	uint32_t numbers, strings;
	const char *number[EVENT_COUNTERS];
	bool is_signed[EVENT_COUNTERS]; /* the number is an int64_t */
	const char *string[EVENT_COUNTERS];
	struct symbols *symbols; /* for decode_symbol() */
};

/* Returns the name that the event's format gives to this value of a number ("FUSE_OPEN"), or NULL. Lent like the event. */
const char *decode_symbol(const struct decode_event *event, uint32_t number, uint64_t value);
/*
 * Some formats have two lists of names for a number, and the value of another field chooses one: `isa` of kvm_exit chooses between the
 * reasons of Intel and AMD. Samples choose by themselves. decode_chooser() returns the name of that field, which the caller frees, or
 * NULL: there is one list, or none. decode_choose() chooses the list for this value of that field.
 */
char *decode_chooser(const char *format, const char *number);
void decode_choose(const struct decode_event *event, uint32_t number, uint64_t value);
/*
 * Requests samples of these tracepoints, "SYSTEM:EVENT[=FIELD,...]", in addition to all other uses. The list is lent and must not
 * change. Call it before the first sample.
 */
struct text_list;
void decode_want(struct decode *decode, const struct text_list *events);
/*
 * Returns whether the sample is of a wanted event: then `event` is an EVENT_TRACEPOINT with its index in the list. Counts
 * nothing.
 */
bool decode_wanted(const struct decode *decode, const struct sample *sample, struct event *event);
/* Returns the fields of a wanted event; NULL if the capture lacks the event, or its format has not come yet. */
const struct decode_event *decode_wanted_event(const struct decode *decode, uint32_t index);

/* Returns NULL if the number is out of range, or the format of the event has not arrived yet. */
const struct decode_event *decode_event(const struct decode *decode, uint32_t event);
/* Returns whether the capture has no event about I/O. */
bool decode_is_without_io(const struct decode *decode);
/* Returns whether iotrace made the capture. If not, it does not say when the recording began and ended. */
bool decode_has_facts(const struct decode *decode);
/* Returns a sentence about information that a capture of perf lacks, or NULL after the last. */
const char *decode_warning(const struct decode *decode, uint32_t index);
