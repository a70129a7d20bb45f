/*
 * archive: reads and verifies OTF2 archives.
 *
 * archive_read() produces definitions and io_events, as the model does. archive_verify() checks the meaning of the
 * records; OTF2's own tools check the syntax. OTF2 demands of every archive: references are defined, handles are
 * used only between their creation and their end, operations begin and end once, regions are properly nested,
 * timestamps do not decrease and are inside the clock properties, and the definitions have the right numbers of
 * events.
 *
 * iotrace promises more for its own archives, which are checked for it as well: dense ids in the order of
 * definition, unique matching ids, operations that end on the location where they began and are issued if they are
 * non-blocking, regions that are left, I/O on threads only, and counters in iotrace.json that agree with the
 * events.
 */
#pragma once

#include <iotrace/io_event.h>
#include <iotrace/tally.h>
#include <iotrace/trace.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { ARCHIVE_FINDINGS = 20, ARCHIVE_FINDING_SIZE = 256 };

struct archive_report {
	uint64_t locations, processes, regions, files, handles, definitions;
	uint64_t events;
	uint64_t begun, completed, cancelled;
	uint64_t created, duplicated, destroyed; /* handles, by events */
	uint64_t markers;
	uint64_t first_time,
		last_time;   /* of the clock properties; in ns if the resolution is 10^9 */
	int has_books;       /* it has an iotrace.json */
	int ends_early;      /* a marker says that events are missing at its end */
	bool is_of_others;   /* not written by iotrace */
	uint64_t findings;   /* number of all findings; the first of them are in the texts below */
	uint64_t deviations; /* those findings that OTF2 allows, but iotrace promises to avoid */
	bool is_deviation[ARCHIVE_FINDINGS];
	thread_id location
		[ARCHIVE_FINDINGS]; /* the location in whose files each finding is, ID_NONE: in other files */
	char finding[ARCHIVE_FINDINGS][ARCHIVE_FINDING_SIZE];
};

/*
 * Verifies the archive in the directory `dir`. Returns 0 if it could be read, even if errors were found; otherwise
 * -errno and a message. Fills the report in both cases. It terminates for every input, also for a truncated one.
 */
int archive_verify(const char *dir, struct archive_report *report, struct error *err);

/* The archive to read, and the receivers of its contents. Lent during archive_read(). */
struct archive_source {
	const char *dir;
	struct trace *trace; /* empty; its definitions are complete before the first event */
	struct tally *tally; /* all zero; gets the counters of the archive, or counts its events */
	void (*on_event)(void *context, const struct io_event *event);
	bool (*should_stop)(void *context); /* or NULL */
	void *context;
};

/*
 * Reads an OTF2 archive, of iotrace or of another program: its definitions, then its events in order of time. Memory grows
 * with the definitions, not with the events. Applies clock offsets; times are in ns. Makes matching ids unique. Skips records that
 * refer to something undefined and counts them (`ignored`). `records_unread` counts these and all events that are not about I/O or
 * regions. An attribute that iotrace does not know becomes an IO_PARAMETER if it is a string or refers to a definition that has a name;
 * `attributes_unread` counts the others. Returns 0; 1 if should_stop() returned true; or -errno and a message, after on_event() got all
 * events that could be read.
 */
int archive_read(const struct archive_source *source, struct error *err);
