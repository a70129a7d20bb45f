/*
 * verify: opens an archive and reads all of it: definitions, events of all locations in the order
 * of time, markers, properties, books.
 *
 * The library trusts its input: an event file without an end makes it loop. So all files are
 * looked at first (verify_files.c), and it is asked for a bounded number of events, which no true
 * file exceeds.
 */
#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 1 << 20 };

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode on_message(
	void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
	const char *format, va_list arguments)
{
	struct verify *v = data;

	(void)file;
	(void)line;
	(void)function;
	v->is_bad = true;
	if (!*v->message)
		vsnprintf(v->message, sizeof(v->message), format, arguments);
	return code;
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration,
				   OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t ref,
				   const char *text)
{
	struct verify *v = data;

	(void)marker;
	(void)scope;
	(void)ref;
	(void)text;
	v->report->markers++;
	if (v->has_clock &&
	    (time < v->clock_first || time > v->clock_last || duration > v->clock_last - time))
		verify_found(v, "a marker at %" PRIu64 " is outside the clock properties", time);
	return OTF2_CALLBACK_SUCCESS;
}

void verify_markers(struct verify *v, OTF2_MarkerReaderCallback_DefMarker on_definition,
		    OTF2_MarkerReaderCallback_Marker on_one, void *context)
{
	char *path = mem_format("%s/traces.marker", v->dir);
	bool is_there = access(path, F_OK) == 0;

	free(path);
	if (!is_there || !verify_file(v, "traces.marker", CONTENT_MARKERS, NULL))
		return;
	OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(v->reader);
	OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
	uint64_t read = 0;

	OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_one);
	if (on_definition)
		OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_definition);
	if (!markers ||
	    OTF2_Reader_RegisterMarkerCallbacks(v->reader, markers, callbacks, context) !=
		    OTF2_SUCCESS ||
	    OTF2_Reader_ReadAllMarkers(v->reader, markers, &read) != OTF2_SUCCESS)
		verify_found(v, "the markers cannot be read: %s", v->message);
	OTF2_MarkerReaderCallbacks_Delete(callbacks);
	if (markers)
		OTF2_Reader_CloseMarkerReader(v->reader, markers);
}

static void read_properties(struct verify *v)
{
	char *value = NULL;

	if (OTF2_Reader_GetProperty(v->reader, "IOTRACE::ENDS_EARLY", &value) == OTF2_SUCCESS &&
	    value)
		v->report->ends_early = strcmp(value, "0") != 0;
	free(value);
	/* A property that is not there is a complaint of the library, but not of ours. */
	v->is_bad = false;
	v->message[0] = '\0';
}

/* The files of local definitions must be read, even if they are empty. */
static void read_local_definitions(struct verify *v)
{
	bool is_open = OTF2_Reader_OpenDefFiles(v->reader) == OTF2_SUCCESS;

	for (uint32_t p = 0; is_open && p < v->locations; p++) {
		uint64_t read = 0;
		OTF2_DefReader *definitions = v->location[p].has_file
						      ? OTF2_Reader_GetDefReader(v->reader,
										 v->location[p].ref)
						      : NULL;

		if (!definitions)
			continue;
		OTF2_Reader_ReadAllLocalDefinitions(v->reader, definitions, &read);
		OTF2_Reader_CloseDefReader(v->reader, definitions);
	}
	if (is_open)
		OTF2_Reader_CloseDefFiles(v->reader);
	v->is_bad = false;
}

/* Returns whether the location's files are complete; its local definitions may be missing. */
static bool has_files(struct verify *v, struct verify_location *state)
{
	char *events = mem_format("traces/%" PRIu64 ".evt", state->ref);
	char *definitions = mem_format("%s/traces/%" PRIu64 ".def", v->dir, state->ref);
	bool good = verify_file(v, events, CONTENT_EVENTS, &state->file_events);

	if (access(definitions, F_OK) == 0)
		good &= verify_file(v, definitions + strlen(v->dir) + 1, CONTENT_LOCAL_DEFINITIONS,
				    NULL);
	free(events);
	free(definitions);
	return good;
}

static bool select_locations(struct verify *v)
{
	bool any = false;

	for (uint32_t p = 0; p < v->locations; p++) {
		v->location[p].has_file = has_files(v, &v->location[p]);
		if (v->location[p].has_file)
			any |= OTF2_Reader_SelectLocation(v->reader, v->location[p].ref) ==
			       OTF2_SUCCESS;
	}
	return any;
}

OTF2_GlobalEvtReader *verify_open_events(struct verify *v)
{
	OTF2_GlobalEvtReader *events;

	if (!select_locations(v))
		return NULL;
	read_local_definitions(v);
	if (OTF2_Reader_OpenEvtFiles(v->reader) != OTF2_SUCCESS) {
		verify_found(v, "the event files cannot be opened: %s", v->message);
		return NULL;
	}
	for (uint32_t p = 0; p < v->locations; p++)
		if (v->location[p].has_file &&
		    !OTF2_Reader_GetEvtReader(v->reader, v->location[p].ref))
			verify_found(v, "the events of location %" PRIu64 " cannot be read: %s",
				     v->location[p].ref, v->message);
	events = OTF2_Reader_GetGlobalEvtReader(v->reader);
	if (!events)
		verify_found(v, "the events cannot be read: %s", v->message);
	v->is_bad = false;
	return events;
}

void verify_close_events(struct verify *v, OTF2_GlobalEvtReader *events)
{
	OTF2_Reader_CloseGlobalEvtReader(v->reader, events);
	OTF2_Reader_CloseEvtFiles(v->reader);
}

static void read_events(struct verify *v)
{
	OTF2_GlobalEvtReader *events = verify_open_events(v);
	uint64_t read = EVENTS_AT_ONCE, total = 0;
	OTF2_ErrorCode code = OTF2_SUCCESS;

	if (!events)
		return;
	verify_register_events(v, events);
	while (code == OTF2_SUCCESS && read == EVENTS_AT_ONCE && total <= v->event_limit) {
		code = OTF2_Reader_ReadGlobalEvents(v->reader, events, EVENTS_AT_ONCE, &read);
		total += read;
	}
	if (code != OTF2_SUCCESS || v->is_bad)
		verify_found(v, "the events cannot be read to their end: %s", v->message);
	else if (total > v->event_limit)
		verify_found(v, "the event files have no end");
	v->report->events = total;
	verify_close_events(v, events);
	verify_events_end(v);
	verify_io_end(v);
}

void verify_release(struct verify *v)
{
	for (uint32_t p = 0; p < v->locations; p++)
		free(v->location[p].region);
	free(v->location);
	free(v->group);
	free(v->attribute_type);
	free(v->handle_flags);
	free(v->handle_state);
	free(v->member_type);
	free(v->class_member);
	free(v->series);
	free(v->activity);
	free(v->operation);
	free(v->free_operation);
	free(v->id_seen);
	for (int k = 0; k < KINDS; k++) {
		map_release(&v->defined[k].index_of);
		map_release(&v->defined[k].missing);
	}
	map_release(&v->activity_of);
	map_release(&v->recorder);
	map_release(&v->operation_of);
	if (v->reader)
		OTF2_Reader_Close(v->reader);
}

char *verify_creator(const struct verify *v)
{
	char *creator = NULL;

	return OTF2_Reader_GetCreator(v->reader, &creator) == OTF2_SUCCESS ? creator : NULL;
}

static bool is_of_iotrace(const struct verify *v)
{
	char *creator = verify_creator(v);
	bool is_ours = creator && !strncmp(creator, "iotrace ", 8);

	free(creator);
	return is_ours;
}

int verify_open_archive(struct verify *v, struct error *err)
{
	char *anchor = mem_format("%s/traces.otf2", v->dir);
	const char *wrong;
	struct stat status;

	if (stat(anchor, &status) != 0) {
		int code = error_set(err, errno, "open archive %s", anchor);

		free(anchor);
		return code;
	}
	wrong = verify_anchor(v);
	v->reader = wrong ? NULL : OTF2_Reader_Open(anchor);
	free(anchor);
	if (wrong)
		return error_say(err, EBADMSG,
				 "%s/traces.otf2 is not the anchor of an OTF2 archive: it %s",
				 v->dir, wrong);
	if (!v->reader || OTF2_Reader_SetSerialCollectiveCallbacks(v->reader) != OTF2_SUCCESS)
		return error_say(err, EBADMSG,
				 "%s/traces.otf2 is not the anchor of an OTF2 archive: %s", v->dir,
				 v->message);
	v->is_of_iotrace = is_of_iotrace(v);
	v->report->is_of_others = !v->is_of_iotrace;
	if (OTF2_Reader_GetChunkSize(v->reader, &v->event_chunk, &v->definition_chunk) !=
		    OTF2_SUCCESS ||
	    !verify_file(v, "traces.def", CONTENT_DEFINITIONS, NULL))
		return error_say(err, EBADMSG, "the definitions in %s are damaged: %s", v->dir,
				 v->report->finding[0]);
	return 0;
}

static int verify_all(struct verify *v, struct error *err)
{
	int rc = verify_open_archive(v, err);

	if (rc)
		return rc;
	if (!verify_definitions(v))
		return error_say(err, EBADMSG,
				 "the definitions in %s/traces.def cannot be read: %s", v->dir,
				 v->message);
	read_properties(v);
	read_events(v);
	v->is_bad = false;
	verify_markers(v, NULL, on_marker, v);
	if (v->is_of_iotrace)
		verify_books(v);
	return 0;
}

OTF2_ErrorCallback verify_take_messages(struct verify *v)
{
	return OTF2_Error_RegisterCallback(on_message, v);
}

int archive_verify(const char *dir, struct archive_report *report, struct error *err)
{
	struct verify v = {.dir = dir, .report = report};

	memset(report, 0, sizeof(*report));
	OTF2_ErrorCallback before = verify_take_messages(&v);
	int code = verify_all(&v, err);

	verify_release(&v);
	OTF2_Error_RegisterCallback(before, NULL);
	return code;
}
