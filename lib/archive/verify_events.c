/*
 * verify_events: what holds for every event, and regions, programs and threads.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				    OTF2_AttributeList *attributes)
{
	verify_event(data, location, time, attributes);
	verify_deviates(data, "there is an event of an unknown kind on location %" PRIu64,
			location);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct verify_location *state = verify_event(data, location, time, attributes);

	verify_ref(data, KIND_REGION, region, "Enter", location);
	if (!state)
		return OTF2_CALLBACK_SUCCESS;
	MEM_GROW(state->region, state->region_capacity, state->depth + 1);
	state->region[state->depth++] = region;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct verify *v = data;
	struct verify_location *state = verify_event(v, location, time, attributes);

	verify_ref(v, KIND_REGION, region, "Leave", location);
	if (!state)
		return OTF2_CALLBACK_SUCCESS;
	if (state->depth == 0)
		verify_found(v,
			     "region %u is left on location %" PRIu64 " at %" PRIu64
			     ", but none was entered",
			     region, location, time);
	else if (state->region[--state->depth] != region)
		verify_found(v,
			     "region %u is left on location %" PRIu64 " at %" PRIu64
			     " where %u was entered",
			     region, location, time, state->region[state->depth]);
	return OTF2_CALLBACK_SUCCESS;
}

/* Returns what is kept of the location's process, or NULL. */
static struct verify_group *process_of(const struct verify *v, const struct verify_location *state)
{
	return state ? verify_group(v, state->group) : NULL;
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
					  void *data, OTF2_AttributeList *attributes,
					  OTF2_StringRef name, uint32_t count,
					  const OTF2_StringRef *arguments)
{
	struct verify *v = data;
	struct verify_group *process = process_of(v, verify_event(v, location, time, attributes));

	verify_ref(v, KIND_STRING, name, "ProgramBegin", location);
	for (uint32_t i = 0; i < count; i++)
		verify_ref(v, KIND_STRING, arguments[i], "ProgramBegin", location);
	if (process && process->has_begun)
		verify_found(v, "the program on location %" PRIu64 " begins twice", location);
	if (process)
		process->has_begun = true;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
					OTF2_AttributeList *attributes, int64_t status)
{
	struct verify *v = data;
	struct verify_group *process = process_of(v, verify_event(v, location, time, attributes));

	(void)status;
	if (process && (!process->has_begun || process->has_ended))
		verify_found(v, "the program on location %" PRIu64 " ends %s", location,
			     process->has_ended ? "twice" : "but did not begin");
	if (process)
		process->has_ended = true;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_CommRef comm,
				   uint64_t sequence)
{
	(void)sequence;
	verify_event(data, location, time, attributes);
	verify_ref(data, KIND_COMM, comm, "a thread's begin or end", location);
	return OTF2_CALLBACK_SUCCESS;
}

void verify_register_events(struct verify *v, OTF2_GlobalEvtReader *events)
{
	OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();

	OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
	OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_GlobalEvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
	OTF2_GlobalEvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
	OTF2_GlobalEvtReaderCallbacks_SetThreadBeginCallback(c, on_thread);
	OTF2_GlobalEvtReaderCallbacks_SetThreadEndCallback(c, on_thread);
	verify_register_metrics(c);
	verify_register_io(c);
	OTF2_Reader_RegisterGlobalEvtCallbacks(v->reader, events, c, v);
	OTF2_GlobalEvtReaderCallbacks_Delete(c);
}

void verify_events_end(struct verify *v)
{
	for (uint32_t p = 0; p < v->locations; p++) {
		const struct verify_location *state = &v->location[p];

		if (!state->has_file)
			continue;
		if (state->file_events != state->defined_events)
			verify_found(v,
				     "location %" PRIu64 " has %" PRIu64
				     " events, its definition says %" PRIu64,
				     state->ref, state->file_events, state->defined_events);
		if (state->depth)
			verify_deviates(v, "location %" PRIu64 " ends inside region %u", state->ref,
					state->region[state->depth - 1]);
	}
	for (uint64_t g = 0; g < v->defined[KIND_GROUP].count; g++)
		if (v->group[g].has_begun && !v->group[g].has_ended)
			verify_found(v, "the program of LocationGroup %u does not end",
				     v->group[g].ref);
}
