/*
 * archive: reads an OTF2 archive back, and says what is wrong with it.
 *
 * archive_read() gives what the model gives: definitions and io_events. archive_verify() checks. OTF2's own tools check the syntax.
 * This checks what the records mean: that every reference is to something defined, handles are active when they are used,
 * operations begin once and end once, regions nest, time rises on each location and stays inside the clock properties, and the
 * numbers of events are those of the definitions. OTF2 demands that of every archive. iotrace promises more: dense ids in order of
 * definition, matching ids that are unique in the archive, operations that end on the location where they began and are issued if
 * they do not block, regions that are left, I/O on threads only, and counters in iotrace.json that are those of the events. Only
 * archives whose creator is iotrace are checked for that.
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
	uint64_t first_time, last_time; /* of the clock properties, ns if the resolution is 10^9 */
	int has_books;                  /* iotrace.json was there */
	int ends_early;                 /* it says of itself that events are missing at its end */
	bool is_of_others;              /* not written by iotrace */
	uint64_t findings;              /* all; the first of them as sentences: */
	uint64_t deviations; /* of them: what OTF2 allows, but iotrace promises to avoid */
	bool is_deviation[ARCHIVE_FINDINGS];
	char finding[ARCHIVE_FINDINGS][ARCHIVE_FINDING_SIZE];
};

/*
 * Returns 0 if the archive could be read, whatever was found; otherwise -errno and a sentence. dir
 * is the archive's directory. Fills report in both cases. Ends for every input, also for one that
 * broke off.
 */
int archive_verify(const char *dir, struct archive_report *report, struct error *err);

/* An archive to read, and where it goes. Lent during archive_read(). */
struct archive_source {
	const char *dir;
	struct trace *trace; /* empty; its definitions are complete before the first event */
	struct tally
		*tally; /* all zero; gets the counters of the archive, or those of its events */
	void (*on_event)(void *context, const struct io_event *event);
	bool (*should_stop)(void *context); /* or NULL */
	void *context;
};

/*
 * Reads an OTF2 archive, of iotrace or of another program: its definitions, then its events in order of time. Memory grows
 * with the definitions, not with the events. Clock offsets are applied, times are ns. Matching ids become unique. What names
 * something undefined is left out and counted (`ignored`). `records_unread` counts that as well and the kinds of events that are not
 * about I/O or regions; `attributes_unread` counts the attributes that iotrace does not know.
 * Returns 0; 1 if should_stop() said so; or -errno and a sentence: then on_event() has seen what could be read.
 */
int archive_read(const struct archive_source *source, struct error *err);
