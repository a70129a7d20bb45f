/* read: reads an archive from its definitions to its last event, in order of time. */
#include "reader.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_AT_ONCE = 1 << 13 }; /* events between two calls of should_stop() */

struct stop {
	struct reader *reader;
	bool is_wanted;
};

static bool on_event(void *context, const struct walk_event *event)
{
	struct stop *stop = context;
	const struct archive_source *source = stop->reader->source;

	read_event(stop->reader, event);
	if (stop->reader->read % EVENTS_AT_ONCE == 0 && source->should_stop)
		stop->is_wanted = source->should_stop(source->context);
	return !stop->is_wanted;
}

static void note_missing(struct reader *r)
{
	const struct archive_report *report = &r->report;

	for (uint32_t i = 0; i < TRACE_MISSING && i < report->findings; i++)
		r->trace->host.missing[i] = (struct trace_missing){
			report->location[i],
			trace_string(r->trace, report->finding[i], strlen(report->finding[i]))};
}

static int read_events(struct reader *r, struct error *err)
{
	struct tally *tally = r->source->tally;
	struct stop stop = {r, false};

	r->call = mem_array(r->trace->threads + 1, sizeof(*r->call));
	walk_events(&r->walk, on_event, &stop);
	if (!r->is_ours) {
		tally_add(tally, events, r->read);
		tally_add(tally, samples, r->read + tally_get(tally, ignored));
		tally_add(tally, records_unread, r->read - r->emitted);
	}
	read_end(r);
	tally_add(tally, parts_missing, r->report.findings);
	note_missing(r);
	if (r->report.findings)
		return error_say(err, EBADMSG, "a part of %s is missing: %s", r->source->dir,
				 r->report.finding[0]);
	return stop.is_wanted;
}

static int read_all(struct reader *r, struct error *err)
{
	int code = walk_open(&r->walk, err);
	const char *creator = r->walk.anchor.creator;

	if (code)
		return code;
	r->is_ours = r->walk.is_of_iotrace;
	r->trace->host.creator = trace_string(r->trace, creator, strlen(creator));
	r->trace->host.is_of_others = !r->is_ours;
	read_definitions(r);
	read_notes(r);
	read_marks(r);
	return read_events(r, err);
}

int archive_read(const struct archive_source *source, struct error *err)
{
	struct reader r = {
		.walk = {.dir = source->dir, .report = &r.report},
		.source = source,
		.trace = source->trace,
		.unknown = ID_NONE,
		.mounted = ID_NONE,
	};
	int code = read_all(&r, err);

	map_release(&r.cgroup_of);
	free(r.string);
	free(r.attribute);
	free(r.parameter);
	free(r.device_of_node);
	free(r.is_block);
	free(r.is_span);
	free(r.member);
	free(r.series);
	free(r.call);
	walk_release(&r.walk);
	return code;
}
