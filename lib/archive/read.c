/*
 * read: an archive, from its definitions to its last event, in order of time.
 *
 * The files are checked first, as for archive_verify(): what the library must not see it never sees.
 */
#include "reader.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_AT_ONCE = 1 << 13 };

static void read_creator(struct reader *r)
{
	char *creator = verify_creator(&r->verify);

	if (creator)
		r->trace->host.creator = trace_string(r->trace, creator, strlen(creator));
	free(creator);
}

static int read_events(struct reader *r, struct error *err)
{
	const struct archive_source *source = r->source;
	struct verify *v = &r->verify;
	OTF2_GlobalEvtReader *events = verify_open_events(v);
	uint64_t read = EVENTS_AT_ONCE, total = 0;
	OTF2_ErrorCode code = OTF2_SUCCESS;
	int rc = 0;

	if (!events)
		return v->report->findings ? error_say(err, EBADMSG, "%s: %s", source->dir,
						       v->report->finding[0])
					   : 0;
	r->call = mem_array(r->trace->threads, sizeof(*r->call));
	read_register(r, events);
	while (!rc && code == OTF2_SUCCESS && read == EVENTS_AT_ONCE && total <= v->event_limit) {
		code = OTF2_Reader_ReadGlobalEvents(v->reader, events, EVENTS_AT_ONCE, &read);
		total += read;
		rc = source->should_stop && source->should_stop(source->context);
	}
	if (!r->is_ours) {
		tally_add(source->tally, events, total);
		tally_add(source->tally, samples, total + tally_get(source->tally, ignored));
		tally_add(source->tally, records_unread, total - r->emitted);
	}
	if (code != OTF2_SUCCESS || v->is_bad)
		rc = error_say(err, EBADMSG, "the events of %s cannot be read to their end: %s",
			       source->dir, v->message);
	else if (total > v->event_limit)
		rc = error_say(err, EBADMSG, "the event files of %s have no end", source->dir);
	else if (!rc && v->report->findings)
		rc = error_say(err, EBADMSG, "a part of %s is missing: %s", source->dir,
			       v->report->finding[0]);
	read_end(r);
	verify_close_events(v, events);
	return rc;
}

static int read_all(struct reader *r, struct error *err)
{
	int rc = verify_open_archive(&r->verify, err);

	if (rc)
		return rc;
	read_creator(r);
	r->is_ours = r->verify.is_of_iotrace;
	r->trace->host.is_of_others = !r->is_ours;
	if (!read_definitions(r))
		return error_say(err, EBADMSG,
				 "the definitions in %s/traces.def cannot be read: %s",
				 r->source->dir, r->verify.message);
	read_resolve(r);
	read_notes(r);
	read_marks(r);
	return read_events(r, err);
}

int archive_read(const struct archive_source *source, struct error *err)
{
	struct reader r = {
		.verify = {.dir = source->dir, .report = &r.report},
		.source = source,
		.trace = source->trace,
		.free_op = ID_NONE,
	};
	OTF2_ErrorCallback before = verify_take_messages(&r.verify);
	int rc = read_all(&r, err);

	for (int i = 0; i < READ_KINDS; i++)
		map_release(&r.of[i]);
	map_release(&r.op_of);
	map_release(&r.cgroup_of);
	free(r.attribute);
	free(r.node);
	free(r.node_of_group);
	free(r.paradigm_of_handle);
	free(r.property);
	free(r.member);
	free(r.op);
	free(r.call);
	verify_release(&r.verify);
	OTF2_Error_RegisterCallback(before, NULL);
	return rc;
}
