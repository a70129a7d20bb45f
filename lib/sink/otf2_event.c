/*
 * otf2_event: one io_event becomes one record.
 *
 * A function for each kind, in a table. Attributes are few, for they cost: an offset where it is
 * known, the errno of a call that failed, the file or handle of a call that has no I/O record to
 * name it.
 */
#include "otf2.h"

#include "otf2_flags.h"

#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <iotrace/metric.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 4096 }; /* of a program: a record must fit into a chunk */

OTF2_StringRef otf2_string(struct sink *sink, const char *bytes, size_t length)
{
	size_t escaped = escape_utf8(sink->scratch, SCRATCH_SIZE / 2, bytes, length);

	return strtab_add(sink->strings, sink->scratch, escaped);
}

OTF2_StringRef otf2_text(struct sink *sink, const char *text)
{
	return otf2_string(sink, text, strlen(text));
}

static OTF2_StringRef model_string(struct sink *sink, str_id id)
{
	const struct strtab *strings = model_strings(sink->model);

	return otf2_string(sink, strtab_text(strings, id), strtab_length(strings, id));
}

/* The same strings come with each block request: they are escaped once. */
static OTF2_StringRef known_string(struct sink *sink, str_id id)
{
	MEM_GROW(sink->ref_of_string, sink->ref_of_string_capacity, id + 1);
	if (!sink->ref_of_string[id])
		sink->ref_of_string[id] = model_string(sink, id) + 1;
	return sink->ref_of_string[id] - 1;
}

/* Returns the words' StringRefs (the caller frees them): argv[0] first. */
static OTF2_StringRef *words(struct sink *sink, str_id argv, uint32_t *count)
{
	const struct strtab *strings = model_strings(sink->model);
	const char *at = strtab_text(strings, argv);
	const char *end = at + strtab_length(strings, argv);
	OTF2_StringRef *word = NULL;
	uint32_t capacity = 0;

	*count = 0;
	while (at < end && *count < ARGUMENTS_MOST) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			stop = end;
		MEM_GROW(word, capacity, *count + 1);
		word[(*count)++] = otf2_string(sink, at, (size_t)(stop - at));
		at = stop + 1;
	}
	return word;
}

static OTF2_ErrorCode write_program_begin(struct sink *sink, struct location *location,
					  const struct io_event *event, uint64_t time)
{
	const struct model_thread *thread = model_thread(sink->model, event->thread);
	const struct model_process *process = model_process(sink->model, thread->process);
	uint32_t count;
	OTF2_StringRef *word = words(sink, process->argv, &count);
	OTF2_StringRef name = count ? word[0] : model_string(sink, process->name);

	OTF2_AttributeList_AddUint64(sink->attributes, ATTRIBUTE_PROCESS_ID, process->pid);
	OTF2_AttributeList_AddUint64(sink->attributes, ATTRIBUTE_THREAD_ID, thread->tid);
	OTF2_ErrorCode code = OTF2_EvtWriter_ProgramBegin(location->writer, sink->attributes, time,
							  name, count ? count - 1 : 0,
							  count ? word + 1 : NULL);

	location->in_program = location->had_program = code == OTF2_SUCCESS;
	free(word);
	return code;
}

OTF2_ErrorCode otf2_write_program_end(struct sink *sink, struct location *location, int64_t status,
				      uint64_t time)
{
	location->in_program = false;
	return OTF2_EvtWriter_ProgramEnd(location->writer, sink->attributes, time, status);
}

static OTF2_ErrorCode write_program_end(struct sink *sink, struct location *location,
					const struct io_event *event, uint64_t time)
{
	int status = event->program.exit_status;
	int64_t code = OTF2_UNDEFINED_INT64;

	if (status >= 0)
		code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return otf2_write_program_end(sink, location, code, time);
}

/* The "thread contingent" of a process, defined with its first thread that begins or ends. */
static OTF2_CommRef comm_of(struct sink *sink, process_id process)
{
	MEM_GROW(sink->comm_of_process, sink->comm_capacity, process + 1);
	if (!sink->comm_of_process[process]) {
		MEM_GROW(sink->process_of_comm, sink->process_of_comm_capacity, sink->comms + 1);
		sink->process_of_comm[sink->comms++] = process;
		sink->comm_of_process[process] = sink->comms;
	}
	return sink->comm_of_process[process] - 1;
}

static OTF2_ErrorCode write_thread_begin(struct sink *sink, struct location *location,
					 const struct io_event *event, uint64_t time)
{
	const struct model_thread *thread = model_thread(sink->model, event->thread);

	OTF2_AttributeList_AddUint64(sink->attributes, ATTRIBUTE_THREAD_ID, thread->tid);
	return OTF2_EvtWriter_ThreadBegin(location->writer, sink->attributes, time,
					  comm_of(sink, thread->process), OTF2_UNDEFINED_UINT64);
}

static OTF2_ErrorCode write_thread_end(struct sink *sink, struct location *location,
				       const struct io_event *event, uint64_t time)
{
	return OTF2_EvtWriter_ThreadEnd(location->writer, NULL, time,
					comm_of(sink,
						model_thread(sink->model, event->thread)->process),
					OTF2_UNDEFINED_UINT64);
}

static OTF2_RegionRef region_of(struct sink *sink, call_id call)
{
	uint32_t *region = &sink->region_of_call[call];

	if (*region == ID_NONE) {
		sink->call_of_region[sink->regions] = call;
		*region = sink->regions++;
	}
	return *region;
}

/* Returns whether no I/O record of such a call names its handle. */
static bool is_bare(call_id call)
{
	enum call_kind kind = call_row(call)->kind;

	return kind == CALL_META || kind == CALL_MAP || kind == CALL_UNMAP || kind == CALL_CHDIR ||
	       kind == CALL_FCNTL;
}

static OTF2_ErrorCode write_enter(struct sink *sink, struct location *location,
				  const struct io_event *event, uint64_t time)
{
	if (event->region.call >= call_count())
		return OTF2_ERROR_INVALID_ARGUMENT;
	if (event->region.file != ID_NONE)
		OTF2_AttributeList_AddIoFileRef(sink->attributes, ATTRIBUTE_FILE,
						event->region.file);
	else if (event->handle != ID_NONE && is_bare(event->region.call))
		OTF2_AttributeList_AddIoHandleRef(sink->attributes, ATTRIBUTE_HANDLE,
						  event->handle);
	return OTF2_EvtWriter_Enter(location->writer, sink->attributes, time,
				    region_of(sink, event->region.call));
}

static OTF2_ErrorCode write_leave(struct sink *sink, struct location *location,
				  const struct io_event *event, uint64_t time)
{
	if (event->region.call >= call_count())
		return OTF2_ERROR_INVALID_ARGUMENT;
	if (event->region.error)
		OTF2_AttributeList_AddInt32(sink->attributes, ATTRIBUTE_ERRNO, event->region.error);
	return OTF2_EvtWriter_Leave(location->writer, sink->attributes, time,
				    region_of(sink, event->region.call));
}

static OTF2_ErrorCode write_create(struct sink *sink, struct location *location,
				   const struct io_event *event, uint64_t time)
{
	uint32_t flags = event->create.flags;

	(void)sink;
	return OTF2_EvtWriter_IoCreateHandle(location->writer, NULL, time, event->handle,
					     otf2_access_mode(flags), otf2_creation_flags(flags),
					     otf2_status_flags(flags));
}

static OTF2_ErrorCode write_destroy(struct sink *sink, struct location *location,
				    const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoDestroyHandle(location->writer, NULL, time, event->handle);
}

static OTF2_ErrorCode write_duplicate(struct sink *sink, struct location *location,
				      const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoDuplicateHandle(location->writer, NULL, time, event->handle,
						event->duplicate.new_handle,
						otf2_status_flags(event->duplicate.flags));
}

static OTF2_ErrorCode write_seek(struct sink *sink, struct location *location,
				 const struct io_event *event, uint64_t time)
{
	static const OTF2_IoSeekOption option[] = {
		[SEEK_SET] = OTF2_IO_SEEK_FROM_START, [SEEK_CUR] = OTF2_IO_SEEK_FROM_CURRENT,
		[SEEK_END] = OTF2_IO_SEEK_FROM_END,   [SEEK_DATA] = OTF2_IO_SEEK_DATA,
		[SEEK_HOLE] = OTF2_IO_SEEK_HOLE,
	};

	(void)sink;
	if (event->seek.whence >= sizeof(option) / sizeof(option[0]))
		return OTF2_ERROR_INVALID_ARGUMENT;
	return OTF2_EvtWriter_IoSeek(location->writer, NULL, time, event->handle,
				     event->seek.request, option[event->seek.whence],
				     event->seek.result);
}

static OTF2_ErrorCode write_status_flags(struct sink *sink, struct location *location,
					 const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoChangeStatusFlags(location->writer, NULL, time, event->handle,
						  otf2_status_flags(event->create.flags));
}

static OTF2_ErrorCode write_delete(struct sink *sink, struct location *location,
				   const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoDeleteFile(location->writer, NULL, time, PARADIGM_POSIX,
					   event->delete_file.file);
}

bool otf2_is_block(const struct sink *sink, handle_id handle)
{
	return handle < model_handles(sink->model) && model_handle(sink->model, handle)->is_block;
}

/* What is known of a block request and who caused it. */
static void add_request(struct sink *sink, const struct io_event *event)
{
	OTF2_AttributeList *attributes = sink->attributes;

	if (event->op.pid)
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_BLOCK_PROCESS, event->op.pid);
	if (event->op.name)
		OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_BLOCK_COMMAND,
						known_string(sink, event->op.name));
	if (event->op.rwbs)
		OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_BLOCK_RWBS,
						known_string(sink, event->op.rwbs));
	if (event->op.file < model_files(sink->model))
		OTF2_AttributeList_AddIoFileRef(attributes, ATTRIBUTE_FILE, event->op.file);
}

static OTF2_ErrorCode write_begin(struct sink *sink, struct location *location,
				  const struct io_event *event, uint64_t time)
{
	static const OTF2_IoOperationMode mode[] = {
		[IO_MODE_READ] = OTF2_IO_OPERATION_MODE_READ,
		[IO_MODE_WRITE] = OTF2_IO_OPERATION_MODE_WRITE,
		[IO_MODE_FLUSH] = OTF2_IO_OPERATION_MODE_FLUSH,
	};

	if (otf2_is_block(sink, event->handle))
		add_request(sink, event);
	if (event->op.offset != IO_OFFSET_UNKNOWN)
		OTF2_AttributeList_AddUint64(sink->attributes, ATTRIBUTE_OFFSET, event->op.offset);
	return OTF2_EvtWriter_IoOperationBegin(location->writer, sink->attributes, time,
					       event->handle, mode[event->op.mode],
					       event->op.is_non_blocking
						       ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING
						       : OTF2_IO_OPERATION_FLAG_NONE,
					       event->op.bytes, event->op.id);
}

static OTF2_ErrorCode write_issued(struct sink *sink, struct location *location,
				   const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoOperationIssued(location->writer, NULL, time, event->handle,
						event->op.id);
}

static OTF2_ErrorCode write_complete(struct sink *sink, struct location *location,
				     const struct io_event *event, uint64_t time)
{
	if (event->op.error)
		OTF2_AttributeList_AddInt32(sink->attributes, ATTRIBUTE_ERRNO, event->op.error);
	return OTF2_EvtWriter_IoOperationComplete(location->writer, sink->attributes, time,
						  event->handle, event->op.bytes, event->op.id);
}

static OTF2_ErrorCode write_cancelled(struct sink *sink, struct location *location,
				      const struct io_event *event, uint64_t time)
{
	static const char *const reason[] = {
		[IO_END_EXIT] = "the thread ended",
		[IO_END_LOST] = "its end was lost",
		[IO_END_RECORDING] = "the recording ended",
		[IO_END_DEATH] = "the process was killed",
		[IO_END_MERGED] = "it became part of another request",
		[IO_END_ABORTED] = "the program or its end cancelled it",
	};

	if (event->op.end < sizeof(reason) / sizeof(reason[0]))
		OTF2_AttributeList_AddStringRef(sink->attributes, ATTRIBUTE_CANCEL_REASON,
						otf2_text(sink, reason[event->op.end]));
	return OTF2_EvtWriter_IoOperationCancelled(location->writer, sink->attributes, time,
						   event->handle, event->op.id);
}

static OTF2_LockType lock_type(const struct io_event *event)
{
	return event->lock.lock == IO_LOCK_SHARED ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE;
}

static OTF2_ErrorCode write_acquire(struct sink *sink, struct location *location,
				    const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoAcquireLock(location->writer, NULL, time, event->handle,
					    lock_type(event));
}

static OTF2_ErrorCode write_release(struct sink *sink, struct location *location,
				    const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoReleaseLock(location->writer, NULL, time, event->handle,
					    lock_type(event));
}

static OTF2_ErrorCode write_try(struct sink *sink, struct location *location,
				const struct io_event *event, uint64_t time)
{
	(void)sink;
	return OTF2_EvtWriter_IoTryLock(location->writer, NULL, time, event->handle,
					lock_type(event));
}

/* A series that is not of calls has a list of the locations that record it. */
static void note_recorder(struct sink *sink, uint32_t series, thread_id thread)
{
	uint64_t key = map_key(series, thread);

	if (map_get(&sink->recorder_of, key) != MAP_NONE)
		return;
	MEM_GROW(sink->recorder, sink->recorder_capacity, sink->recorders + 1);
	sink->recorder[sink->recorders] = (struct recorder){series, thread};
	map_set(&sink->recorder_of, key, sink->recorders++);
}

static OTF2_ErrorCode write_metric(struct sink *sink, struct location *location,
				   const struct io_event *event, uint64_t time)
{
	OTF2_Type type[EVENT_COUNTERS];
	OTF2_MetricValue value[EVENT_COUNTERS];

	if (event->metric.series >= model_series_count(sink->model))
		return OTF2_ERROR_INVALID_ARGUMENT;
	const struct model_series *series = model_series(sink->model, event->metric.series);

	/* The class has all metrics; a reader takes no fewer. */
	if (series->metrics > EVENT_COUNTERS || event->metric.counters != series->metrics)
		return OTF2_ERROR_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < series->metrics; i++) {
		type[i] = otf2_metric_type(model_metric(sink->model, series->metric + i));
		value[i].unsigned_int = event->metric.counter[i]; /* of 64 bits, signed or not */
	}
	if (!series->is_of_calls)
		note_recorder(sink, event->metric.series, event->thread);
	return OTF2_EvtWriter_Metric(location->writer, NULL, time, event->metric.series,
				     (uint8_t)series->metrics, type, value);
}

static OTF2_ErrorCode write_parameter(struct sink *sink, struct location *location,
				      const struct io_event *event, uint64_t time)
{
	if (event->parameter.parameter >= model_parameters(sink->model))
		return OTF2_ERROR_INVALID_ARGUMENT;
	return OTF2_EvtWriter_ParameterString(location->writer, NULL, time,
					      event->parameter.parameter,
					      known_string(sink, event->parameter.value));
}

typedef OTF2_ErrorCode (*record_writer)(struct sink *sink, struct location *location,
					const struct io_event *event, uint64_t time);

static const record_writer writer_of[IO_EVENT_KINDS] = {
	[IO_PROGRAM_BEGIN] = write_program_begin,
	[IO_PROGRAM_END] = write_program_end,
	[IO_THREAD_BEGIN] = write_thread_begin,
	[IO_THREAD_END] = write_thread_end,
	[IO_ENTER] = write_enter,
	[IO_LEAVE] = write_leave,
	[IO_CREATE_HANDLE] = write_create,
	[IO_DESTROY_HANDLE] = write_destroy,
	[IO_DUPLICATE_HANDLE] = write_duplicate,
	[IO_SEEK] = write_seek,
	[IO_CHANGE_STATUS_FLAGS] = write_status_flags,
	[IO_DELETE_FILE] = write_delete,
	[IO_OP_BEGIN] = write_begin,
	[IO_OP_ISSUED] = write_issued,
	[IO_OP_COMPLETE] = write_complete,
	[IO_OP_CANCELLED] = write_cancelled,
	[IO_ACQUIRE_LOCK] = write_acquire,
	[IO_RELEASE_LOCK] = write_release,
	[IO_TRY_LOCK] = write_try,
	[IO_METRIC] = write_metric,
	[IO_PARAMETER] = write_parameter,
};

OTF2_ErrorCode otf2_write_event(struct sink *sink, struct location *location,
				const struct io_event *event, uint64_t time)
{
	record_writer writer = event->kind < IO_EVENT_KINDS ? writer_of[event->kind] : NULL;
	OTF2_ErrorCode code = writer ? writer(sink, location, event, time)
				     : OTF2_ERROR_INVALID_ARGUMENT;

	/* The library empties the list when it writes a record, but not when it refuses one. */
	if (code != OTF2_SUCCESS)
		OTF2_AttributeList_RemoveAllAttributes(sink->attributes);
	return code;
}
