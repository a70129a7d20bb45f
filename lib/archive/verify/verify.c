/* verify: checks an archive, and reports what is wrong. */
#include "verify.h"

#include <iotrace/error.h>
#include <stdlib.h>
#include <string.h>

/* Its fields: time, duration, definition, scope. */
static void on_marker(void *context, const struct record *record)
{
	struct verify *v = context;
	const struct value *is = record->value;
	uint64_t time = is[0].is;

	if (record->type != MARKER_MARKER)
		return;
	v->report->markers++;
	if (v->has_clock &&
	    (time < v->clock_first || time > v->clock_last || is[1].is > v->clock_last - time))
		walk_found(&v->walk, "a marker at %llu is outside the clock properties",
			   (unsigned long long)time);
}

static void verify_all(struct verify *v)
{
	struct walk *walk = &v->walk;
	const char *early = anchor_property(&walk->anchor, "IOTRACE::ENDS_EARLY");

	v->report->ends_early = early && strcmp(early, "0") != 0;
	verify_definitions(v);
	if (walk_events(walk, verify_event, v))
		verify_events_end(v);
	walk_markers(walk, on_marker, v);
	if (walk->is_of_iotrace)
		verify_books(v);
}

static void release(struct verify *v)
{
	for (uint32_t i = 0; v->location && i < v->walk.locations; i++)
		free(v->location[i].region);
	free(v->location);
	free(v->group);
	free(v->attribute_type);
	free(v->handle_flags);
	free(v->handle_state);
	free(v->member_type);
	free(v->class_member);
	free(v->series);
	free(v->activity);
	free(v->id_seen);
	for (int kind = 0; kind < KINDS; kind++)
		map_release(&v->missing[kind]);
	map_release(&v->activity_of);
	map_release(&v->recorder);
	walk_release(&v->walk);
}

int archive_verify(const char *dir, struct archive_report *report, struct error *err)
{
	struct verify v = {
		.walk = {.dir = dir, .report = report, .is_verified = true},
		.report = report,
	};
	int code;

	memset(report, 0, sizeof(*report));
	code = walk_open(&v.walk, err);
	if (!code)
		verify_all(&v);
	release(&v);
	return code;
}
