/*
 * otf2_event: writes each io_event as one record.
 *
 * A table has a function for each kind. Attributes cost time, so there are few: a known offset, the errno and the path of a
 * failed call, and the file or handle of a call without an I/O record.
 */
#include "otf2_definition/otf2_defs.h"
#include "otf2_definition/otf2_flags.h"
#include "otf2_definition/otf2_text.h"
#include "otf2_definition/otf2_use.h"
#include "otf2_record.h"

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <unistd.h>

static const struct attributes no_attributes;

/* Returns the "thread contingent" of a process. It is defined with the first thread of the process that begins or ends. */
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

static bool write_thread(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time, const struct attributes *list, enum record_type type)
{
	process_id process = trace_thread(sink->trace, event->thread)->process;
	uint8_t *data = record_begin(sink, location, time, list, type, MOST_U32 + MOST_U64);

	if (!data)
		return false;
	return record_end(location, data,
			  put_u64(put_u32(data, comm_of(sink, process)), OTF2_UNDEFINED_UINT64));
}

static bool write_thread_begin(struct sink *sink, struct location *location,
			       const struct io_event *event, uint64_t time)
{
	struct attributes list = {0};

	attribute_u64(&list, ATTRIBUTE_THREAD_ID, trace_thread(sink->trace, event->thread)->tid);
	return write_thread(sink, location, event, time, &list, RECORD_THREAD_BEGIN);
}

static bool write_thread_end(struct sink *sink, struct location *location,
			     const struct io_event *event, uint64_t time)
{
	return write_thread(sink, location, event, time, &no_attributes, RECORD_THREAD_END);
}

/* Returns whether no I/O record of such a call contains its handle. */
static bool is_bare(const struct sink *sink, region_id region)
{
	enum call_kind kind = trace_region(sink->trace, region)->kind;

	return kind == CALL_META || kind == CALL_MAP || kind == CALL_UNMAP || kind == CALL_CHDIR ||
	       kind == CALL_CHROOT || kind == CALL_FCNTL;
}

static bool write_region(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time, const struct attributes *list, enum record_type type)
{
	uint8_t *at = record_begin(sink, location, time, list, type, MOST_U32);

	if (!at)
		return false;
	location->at = put_u32(at, otf2_region(sink, event->region.id));
	return true;
}

/* What is known of a span when it begins, or when it ends. */
static void add_span(struct sink *sink, struct attributes *list, const struct io_span *span)
{
	if (!span)
		return;
	for (uint32_t i = 0; i < span->keys; i++)
		attribute_u64(list, (uint8_t)(ATTRIBUTE_SPAN_KEY + i), span->key[i]);
	if (span->text)
		attribute_ref(list, ATTRIBUTE_SPAN_TEXT, OTF2_TYPE_STRING,
			      otf2_known_string(sink, span->text));
	if (span->group)
		attribute_ref(list, ATTRIBUTE_SPAN_GROUP, OTF2_TYPE_STRING,
			      otf2_known_string(sink, span->group));
}

static bool is_region_of_span(const struct sink *sink, const struct io_event *event)
{
	return trace_region(sink->trace, event->region.id)->source == REGION_SPAN;
}

static bool is_of_span(const struct sink *sink, const struct io_event *event)
{
	return event->handle < trace_handles(sink->trace) &&
	       trace_handle(sink->trace, event->handle)->is_span;
}

static void add_reason(struct sink *sink, struct attributes *list, enum io_end end)
{
	static const char *const reason[] = {
#define OTF2_CANCEL(end, text) [IO_END_##end] = text,
#include <iotrace/otf2.def>
	};

	if (end < sizeof(reason) / sizeof(reason[0]))
		attribute_ref(list, ATTRIBUTE_CANCEL_REASON, OTF2_TYPE_STRING,
			      otf2_text(sink, reason[end]));
}

static bool write_enter(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time)
{
	struct attributes list;

	list.count = 0;
	if (event->region.id >= trace_regions(sink->trace))
		return false;
	if (is_region_of_span(sink, event))
		add_span(sink, &list, event->region.span);
	else if (event->region.file < trace_files(sink->trace))
		attribute_ref(&list, ATTRIBUTE_FILE, OTF2_TYPE_IO_FILE,
			      otf2_file(sink, event->region.file));
	else if (event->handle != ID_NONE && is_bare(sink, event->region.id))
		attribute_ref(&list, ATTRIBUTE_HANDLE, OTF2_TYPE_IO_HANDLE, event->handle);
	return write_region(sink, location, event, time, &list, RECORD_ENTER);
}

static bool write_leave(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time)
{
	struct attributes list;

	list.count = 0;
	if (event->region.id >= trace_regions(sink->trace))
		return false;
	if (event->region.error)
		attribute_i32(&list, ATTRIBUTE_ERRNO, event->region.error);
	if (event->region.path)
		attribute_ref(&list, ATTRIBUTE_PATH, OTF2_TYPE_STRING,
			      otf2_known_string(sink, event->region.path));
	if (is_region_of_span(sink, event)) {
		add_span(sink, &list, event->region.span);
		if (event->region.is_cut)
			add_reason(sink, &list, event->region.end);
	}
	return write_region(sink, location, event, time, &list, RECORD_LEAVE);
}

static bool write_create(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time)
{
	uint32_t flags = event->create.flags;
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_CREATE_HANDLE,
				     MOST_U32 + MOST_U8 + 2 * MOST_U32);
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->handle);
	at = put_u8(at, otf2_access_mode(flags));
	at = put_u32(at, otf2_creation_flags(flags));
	return record_end(location, data, put_u32(at, otf2_status_flags(flags)));
}

static bool write_destroy(struct sink *sink, struct location *location,
			  const struct io_event *event, uint64_t time)
{
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_DESTROY_HANDLE,
				     MOST_U32);

	return data && record_end(location, data, put_u32(data, event->handle));
}

static bool write_duplicate(struct sink *sink, struct location *location,
			    const struct io_event *event, uint64_t time)
{
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_DUPLICATE_HANDLE,
				     3 * MOST_U32);
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->handle);
	at = put_u32(at, event->duplicate.new_handle);
	return record_end(location, data, put_u32(at, otf2_status_flags(event->duplicate.flags)));
}

static bool write_seek(struct sink *sink, struct location *location, const struct io_event *event,
		       uint64_t time)
{
	static const OTF2_IoSeekOption option[] = {
		[SEEK_SET] = OTF2_IO_SEEK_FROM_START, [SEEK_CUR] = OTF2_IO_SEEK_FROM_CURRENT,
		[SEEK_END] = OTF2_IO_SEEK_FROM_END,   [SEEK_DATA] = OTF2_IO_SEEK_DATA,
		[SEEK_HOLE] = OTF2_IO_SEEK_HOLE,
	};

	if (event->seek.whence >= sizeof(option) / sizeof(option[0]))
		return false;
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_SEEK,
				     MOST_U32 + MOST_U64 + MOST_U8 + MOST_U64);
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->handle);
	at = put_i64(at, event->seek.request);
	at = put_u8(at, option[event->seek.whence]);
	return record_end(location, data, put_u64(at, event->seek.result));
}

static bool write_status_flags(struct sink *sink, struct location *location,
			       const struct io_event *event, uint64_t time)
{
	uint8_t *data = record_begin(sink, location, time, &no_attributes,
				     RECORD_CHANGE_STATUS_FLAGS, 2 * MOST_U32);

	if (!data)
		return false;
	return record_end(location, data,
			  put_u32(put_u32(data, event->handle),
				  otf2_status_flags(event->create.flags)));
}

static bool write_delete(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time)
{
	if (event->delete_file.file >= trace_files(sink->trace))
		return false;
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_DELETE_FILE,
				     MOST_U8 + MOST_U32);

	if (!data)
		return false;
	return record_end(location, data,
			  put_u32(put_u8(data, PARADIGM_POSIX),
				  otf2_file(sink, event->delete_file.file)));
}

/* Adds the properties of a block request, and of the task that caused it. */
static void add_request(struct sink *sink, struct attributes *list, const struct io_event *event)
{
	if (event->op.pid)
		attribute_u64(list, ATTRIBUTE_BLOCK_PROCESS, event->op.pid);
	if (event->op.tid && event->op.tid != event->op.pid)
		attribute_u64(list, ATTRIBUTE_BLOCK_THREAD, event->op.tid);
	if (event->op.name)
		attribute_ref(list, ATTRIBUTE_BLOCK_COMMAND, OTF2_TYPE_STRING,
			      otf2_known_string(sink, event->op.name));
	if (event->op.rwbs)
		attribute_ref(list, ATTRIBUTE_BLOCK_RWBS, OTF2_TYPE_STRING,
			      otf2_known_string(sink, event->op.rwbs));
	if (event->op.cgroup < trace_cgroups(sink->trace))
		attribute_ref(list, ATTRIBUTE_BLOCK_CGROUP, OTF2_TYPE_STRING,
			      otf2_cgroup_string(sink, event->op.cgroup));
	if (event->op.file < trace_files(sink->trace))
		attribute_ref(list, ATTRIBUTE_FILE, OTF2_TYPE_IO_FILE,
			      otf2_file(sink, event->op.file));
}

/* A flush moves no data. Some readers add up byte counts, and would take "undefined" for 2^64 - 1 bytes. */
static uint64_t bytes_of(const struct io_event *event)
{
	bool has_none = event->op.mode == IO_MODE_FLUSH && event->op.bytes == IO_BYTES_UNDEFINED;

	return has_none ? 0 : event->op.bytes;
}

static bool write_begin(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time)
{
	static const OTF2_IoOperationMode mode[] = {
		[IO_MODE_READ] = OTF2_IO_OPERATION_MODE_READ,
		[IO_MODE_WRITE] = OTF2_IO_OPERATION_MODE_WRITE,
		[IO_MODE_FLUSH] = OTF2_IO_OPERATION_MODE_FLUSH,
	};
	struct attributes list;

	list.count = 0;
	if (otf2_is_block(sink, event->handle))
		add_request(sink, &list, event);
	else if (is_of_span(sink, event))
		add_span(sink, &list, event->op.span);
	else if (event->op.name)
		attribute_ref(&list, ATTRIBUTE_BY, OTF2_TYPE_STRING,
			      otf2_known_string(sink, event->op.name));
	if (event->op.offset != IO_OFFSET_UNKNOWN)
		attribute_u64(&list, ATTRIBUTE_OFFSET, event->op.offset);
	uint8_t *data = record_begin(sink, location, time, &list, RECORD_OP_BEGIN,
				     MOST_U32 + MOST_U8 + MOST_U32 + 2 * MOST_U64);
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->handle);
	at = put_u8(at, mode[event->op.mode]);
	at = put_u32(at, event->op.is_non_blocking ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING
						   : OTF2_IO_OPERATION_FLAG_NONE);
	at = put_u64(at, bytes_of(event));
	return record_end(location, data, put_u64(at, event->op.id));
}

static bool write_issued(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time)
{
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_OP_ISSUED,
				     MOST_U32 + MOST_U64);

	if (!data)
		return false;
	return record_end(location, data, put_u64(put_u32(data, event->handle), event->op.id));
}

static bool write_complete(struct sink *sink, struct location *location,
			   const struct io_event *event, uint64_t time)
{
	struct attributes list;

	list.count = 0;
	if (event->op.error)
		attribute_i32(&list, ATTRIBUTE_ERRNO, event->op.error);
	if (is_of_span(sink, event))
		add_span(sink, &list, event->op.span);
	uint8_t *data = record_begin(sink, location, time, &list, RECORD_OP_COMPLETE,
				     MOST_U32 + 2 * MOST_U64);
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->handle);
	at = put_u64(at, bytes_of(event));
	return record_end(location, data, put_u64(at, event->op.id));
}

static bool write_cancelled(struct sink *sink, struct location *location,
			    const struct io_event *event, uint64_t time)
{
	struct attributes list = {0};

	add_reason(sink, &list, event->op.end);
	uint8_t *data = record_begin(sink, location, time, &list, RECORD_OP_CANCELLED,
				     MOST_U32 + MOST_U64);

	if (!data)
		return false;
	return record_end(location, data, put_u64(put_u32(data, event->handle), event->op.id));
}

static bool write_lock(struct sink *sink, struct location *location, const struct io_event *event,
		       uint64_t time, enum record_type type)
{
	uint8_t *data = record_begin(sink, location, time, &no_attributes, type,
				     MOST_U32 + MOST_U8);

	if (!data)
		return false;
	return record_end(location, data,
			  put_u8(put_u32(data, event->handle), event->lock.lock == IO_LOCK_SHARED
								       ? OTF2_LOCK_SHARED
								       : OTF2_LOCK_EXCLUSIVE));
}

static bool write_acquire(struct sink *sink, struct location *location,
			  const struct io_event *event, uint64_t time)
{
	return write_lock(sink, location, event, time, RECORD_ACQUIRE_LOCK);
}

static bool write_release(struct sink *sink, struct location *location,
			  const struct io_event *event, uint64_t time)
{
	return write_lock(sink, location, event, time, RECORD_RELEASE_LOCK);
}

static bool write_try(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time)
{
	return write_lock(sink, location, event, time, RECORD_TRY_LOCK);
}

/* A series that does not belong to calls has a list of the locations that record it. */
static void note_recorder(struct sink *sink, uint32_t series, thread_id thread)
{
	uint64_t key = map_key(series, thread);

	if (map_get(&sink->recorder_of, key) != MAP_NONE)
		return;
	MEM_GROW(sink->recorder, sink->recorder_capacity, sink->recorders + 1);
	sink->recorder[sink->recorders] = (struct recorder){series, thread};
	map_set(&sink->recorder_of, key, sink->recorders++);
}

static bool write_metric(struct sink *sink, struct location *location, const struct io_event *event,
			 uint64_t time)
{
	if (event->metric.series >= trace_series_count(sink->trace))
		return false;
	const struct trace_series *series = trace_series(sink->trace, event->metric.series);

	/* Readers expect values for all metrics of the class. */
	if (series->metrics > EVENT_COUNTERS || event->metric.counters != series->metrics)
		return false;
	if (!series->is_of_calls)
		note_recorder(sink, event->metric.series, event->thread);
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_METRIC,
				     MOST_U32 + MOST_U8 + series->metrics * (MOST_U8 + MOST_U64));
	uint8_t *at = data;

	if (!data)
		return false;
	at = put_u32(at, event->metric.series);
	at = put_u8(at, (uint8_t)series->metrics);
	for (uint32_t i = 0; i < series->metrics; i++) {
		at = put_u8(at, otf2_metric_type(trace_metric(sink->trace, series->metric + i)));
		at = put_u64(at, event->metric.counter[i]); /* 64 bits, signed or not */
	}
	return record_end(location, data, at);
}

static bool write_parameter(struct sink *sink, struct location *location,
			    const struct io_event *event, uint64_t time)
{
	if (event->parameter.parameter >= trace_parameters(sink->trace))
		return false;
	OTF2_StringRef value = otf2_known_string(sink, event->parameter.value);
	uint8_t *data = record_begin(sink, location, time, &no_attributes, RECORD_PARAMETER_STRING,
				     2 * MOST_U32);

	if (!data)
		return false;
	return record_end(location, data,
			  put_u32(put_u32(data, event->parameter.parameter), value));
}

/* Returns whether the record was written. */
typedef bool (*record_writer)(struct sink *sink, struct location *location,
			      const struct io_event *event, uint64_t time);

static const record_writer writer_of[IO_EVENT_KINDS] = {
	[IO_PROGRAM_BEGIN] = otf2_program_begin,
	[IO_PROGRAM_END] = otf2_program_end,
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

bool otf2_write_event(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time)
{
	record_writer writer = event->kind < IO_EVENT_KINDS ? writer_of[event->kind] : NULL;

	return writer && writer(sink, location, event, time);
}
