/*
 * otf2_mark: markers of the archive: lost events, pauses, marks of users and programs, and an early end. They are global and
 * written at the end.
 */
#include "otf2_mark.h"
#include "otf2_define.h"
#include "otf2_text.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/pause.h>
#include <stdio.h>

enum {
	LOST_MOST = 10000, /* later losses are added to the last marker */
	MARKS_MOST = 1000000,
	TEXT_SIZE = 128,
};

enum marker { MARKER_LOST, MARKER_STOPPED, MARKER_PAUSED, MARKER_MARK, MARKERS };

static const struct {
	const char *category;
	OTF2_MarkerSeverity severity;
} definition[MARKERS] = {
	[MARKER_LOST] = {"Events lost", OTF2_SEVERITY_HIGH},
	[MARKER_STOPPED] = {"Archive ends early", OTF2_SEVERITY_HIGH},
	[MARKER_PAUSED] = {"Recording paused", OTF2_SEVERITY_MEDIUM},
	[MARKER_MARK] = {MARK_CATEGORY, OTF2_SEVERITY_NONE},
};

static void add_lost(struct sink *sink, const struct io_event *event)
{
	if (sink->lost_count == LOST_MOST) {
		struct lost_mark *mark = &sink->lost[LOST_MOST - 1];

		if (event->time > mark->last)
			mark->last = event->time;
		mark->count += event->lost.count;
		return;
	}
	MEM_GROW(sink->lost, sink->lost_capacity, sink->lost_count + 1);
	sink->lost[sink->lost_count++] = (struct lost_mark){event->time, event->time,
							    event->lost.count};
}

void otf2_mark(struct sink *sink, const struct io_event *event)
{
	if (event->kind == IO_LOST) {
		add_lost(sink, event);
	} else if (sink->marks == MARKS_MOST) {
		sink->refused++;
	} else {
		MEM_GROW(sink->mark, sink->marks_cap, sink->marks + 1);
		sink->mark[sink->marks++] = (struct set_mark){event->time, event->mark.pid,
							      event->mark.text};
	}
}

/* OTF2 allows no times outside the span of its clock. A pause may begin before it, or end after it. */
static bool write_marker(const struct sink *sink, OTF2_MarkerWriter *writer, enum marker marker,
			 uint64_t first, uint64_t last, const char *text)
{
	struct otf2_span span = otf2_span(sink);

	first = first < span.first ? span.first : first > span.last ? span.last : first;
	last = last < first ? first : last > span.last ? span.last : last;
	return is_good(OTF2_MarkerWriter_WriteMarker(writer, first, last - first, marker,
						     OTF2_MARKER_SCOPE_GLOBAL, 0, text));
}

static bool write_definitions(OTF2_MarkerWriter *writer)
{
	bool good = true;

	for (int i = 0; good && i < MARKERS; i++)
		good = is_good(OTF2_MarkerWriter_WriteDefMarker(writer, (OTF2_MarkerRef)i,
								"iotrace", definition[i].category,
								definition[i].severity));
	return good;
}

static bool write_lost(const struct sink *sink, OTF2_MarkerWriter *writer)
{
	char text[TEXT_SIZE];
	bool good = true;

	for (uint32_t i = 0; good && i < sink->lost_count; i++) {
		const struct lost_mark *mark = &sink->lost[i];

		snprintf(text, sizeof(text), "%" PRIu64 " events were lost", mark->count);
		good = write_marker(sink, writer, MARKER_LOST, mark->first, mark->last, text);
	}
	return good;
}

static bool write_pauses(const struct sink *sink, OTF2_MarkerWriter *writer)
{
	bool good = true;

	for (uint32_t i = 0; good && i < trace_pauses(sink->trace); i++) {
		const struct trace_pause *pause = trace_pause(sink->trace, i);

		good = write_marker(sink, writer, MARKER_PAUSED, pause->from, pause->to,
				    "The recording was paused");
	}
	return good;
}

static bool write_marks(struct sink *sink, OTF2_MarkerWriter *writer)
{
	bool good = true;

	for (uint32_t i = 0; good && i < sink->marks; i++) {
		const struct set_mark *mark = &sink->mark[i];
		OTF2_StringRef text = otf2_trace_string(sink, mark->text);

		good = write_marker(sink, writer, MARKER_MARK, mark->time, mark->time,
				    otf2_final_text(sink, text));
	}
	return good;
}

static bool write_stop(const struct sink *sink, OTF2_MarkerWriter *writer)
{
	char text[TEXT_SIZE];

	if (!sink->is_stopped)
		return true;
	snprintf(text, sizeof(text), "%s: %" PRIu64 " later events were not written",
		 sink->stop_code == ENOSPC ? "No space left" : "A write failed", sink->not_written);
	return write_marker(sink, writer, MARKER_STOPPED, sink->stop_time, sink->stop_time, text);
}

bool otf2_write_markers(struct sink *sink)
{
	OTF2_MarkerWriter *writer;
	bool good;

	if (!sink->lost_count && !sink->is_stopped && !sink->marks && !trace_pauses(sink->trace))
		return true;
	writer = OTF2_Archive_GetMarkerWriter(sink->archive);
	if (!writer)
		return false;
	good = write_definitions(writer) && write_lost(sink, writer) &&
	       write_pauses(sink, writer) && write_marks(sink, writer) && write_stop(sink, writer);
	return OTF2_Archive_CloseMarkerWriter(sink->archive, writer) == OTF2_SUCCESS && good;
}
