/*
 * read_event: regions, programs, threads and metrics.
 */
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_RegionRef ref)
{
	struct reader *r = data;
	uint32_t region = read_id(r, READ_OF_REGION, ref);
	struct io_event event = {
		.kind = IO_ENTER,
		.handle = ID_NONE,
		.region = {.id = region, .file = read_file(r, attributes)},
	};
	OTF2_AttributeValue value;

	if (region == MAP_NONE) {
		tally_add(r->source->tally, ignored, 1);
		return OTF2_CALLBACK_SUCCESS;
	}
	if (read_attribute(r, attributes, READ_HANDLE, OTF2_TYPE_IO_HANDLE, &value))
		event.handle = read_handle(r, location, value.ioHandleRef);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				  OTF2_AttributeList *attributes, OTF2_RegionRef ref)
{
	struct reader *r = data;
	uint32_t region = read_id(r, READ_OF_REGION, ref);
	struct io_event event = {.kind = IO_LEAVE,
				 .handle = ID_NONE,
				 .region = {.id = region, .file = ID_NONE}};
	OTF2_AttributeValue value;

	if (region == MAP_NONE) {
		tally_add(r->source->tally, ignored, 1);
		return OTF2_CALLBACK_SUCCESS;
	}
	if (read_attribute(r, attributes, READ_ERRNO, OTF2_TYPE_INT32, &value))
		event.region.error = value.int32;
	if (read_attribute(r, attributes, READ_PATH, OTF2_TYPE_STRING, &value))
		event.region.path = read_string(r, value.stringRef);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

/* The words of the program, separated by NUL: better than the "Command line" of its definition, which is one text. */
static str_id words_of(struct reader *r, OTF2_StringRef name, uint32_t count,
		       const OTF2_StringRef *arguments)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	str_id argv = 0;

	if (!out)
		return 0;
	fputs(trace_text(r->trace, read_string(r, name)), out);
	for (uint32_t i = 0; i < count; i++) {
		fputc('\0', out);
		fputs(trace_text(r->trace, read_string(r, arguments[i])), out);
	}
	if (fclose(out) == 0)
		argv = trace_string(r->trace, text, size);
	free(text);
	return argv;
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
					  void *data, OTF2_AttributeList *attributes,
					  OTF2_StringRef name, uint32_t count,
					  const OTF2_StringRef *arguments)
{
	struct io_event event = {.kind = IO_PROGRAM_BEGIN, .handle = ID_NONE};
	struct reader *r = data;
	uint32_t thread = read_id(r, READ_OF_LOCATION, location);

	if (thread != MAP_NONE && (count || !r->is_ours))
		r->trace->process[r->trace->thread[thread].process].argv = words_of(r, name, count,
										    arguments);
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
					OTF2_AttributeList *attributes, int64_t status)
{
	struct reader *r = data;
	uint32_t thread = read_id(r, READ_OF_LOCATION, location);
	struct io_event event = {.kind = IO_PROGRAM_END,
				 .handle = ID_NONE,
				 .program.exit_status = status < 0 || status > INT32_MAX
								? -1
								: (int32_t)status};

	if (thread != MAP_NONE)
		r->trace->process[r->trace->thread[thread].process].status =
			event.program.exit_status;
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode thread(struct reader *r, OTF2_LocationRef location, OTF2_TimeStamp time,
				OTF2_AttributeList *attributes, enum io_event_kind kind)
{
	struct io_event event = {.kind = kind, .handle = ID_NONE};

	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
					 OTF2_AttributeList *attributes, OTF2_CommRef comm,
					 uint64_t sequence)
{
	(void)comm;
	(void)sequence;
	return thread(data, location, time, attributes, IO_THREAD_BEGIN);
}

static OTF2_CallbackCode on_thread_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				       OTF2_AttributeList *attributes, OTF2_CommRef comm,
				       uint64_t sequence)
{
	(void)comm;
	(void)sequence;
	return thread(data, location, time, attributes, IO_THREAD_END);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				   OTF2_AttributeList *attributes, OTF2_MetricRef metric,
				   uint8_t count, const OTF2_Type *types,
				   const OTF2_MetricValue *values)
{
	struct reader *r = data;
	uint32_t series = read_id(r, READ_OF_SERIES, metric);
	uint64_t counter[EVENT_COUNTERS] = {0};
	struct io_event event = {.kind = IO_METRIC,
				 .handle = ID_NONE,
				 .metric = {.series = series, .counter = counter}};

	(void)types;
	if (series == MAP_NONE) {
		tally_add(r->source->tally, ignored, 1);
		return OTF2_CALLBACK_SUCCESS;
	}
	for (uint8_t i = 0; i < count && i < r->trace->series[series].metrics; i++)
		counter[i] = values[i].unsigned_int; /* a union: the bits of a double, too */
	event.metric.counters = r->trace->series[series].metrics;
	read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
				      OTF2_AttributeList *attributes, OTF2_ParameterRef ref,
				      OTF2_StringRef string)
{
	struct reader *r = data;
	uint32_t parameter = read_id(r, READ_OF_PARAMETER, ref);
	struct io_event event = {.kind = IO_PARAMETER,
				 .handle = ID_NONE,
				 .parameter = {parameter, read_string(r, string)}};

	if (parameter == MAP_NONE)
		tally_add(r->source->tally, ignored, 1);
	else
		read_emit(r, location, time, attributes, &event);
	return OTF2_CALLBACK_SUCCESS;
}

void read_register(struct reader *r, OTF2_GlobalEvtReader *events)
{
	OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();

	OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_GlobalEvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
	OTF2_GlobalEvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
	OTF2_GlobalEvtReaderCallbacks_SetThreadBeginCallback(c, on_thread_begin);
	OTF2_GlobalEvtReaderCallbacks_SetThreadEndCallback(c, on_thread_end);
	OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(c, on_metric);
	OTF2_GlobalEvtReaderCallbacks_SetParameterStringCallback(c, on_parameter);
	read_register_io(c);
	OTF2_Reader_RegisterGlobalEvtCallbacks(r->verify.reader, events, c, r);
	OTF2_GlobalEvtReaderCallbacks_Delete(c);
}
