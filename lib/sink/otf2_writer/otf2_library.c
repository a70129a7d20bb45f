/*
 * otf2_library: event files of an OTF2 library whose format is unknown (cmake/Otf2Form.cmake).
 *
 * The sink collects records as always. Instead of writing them to the file, this code parses them again and passes them to the
 * library's writer, which writes them in its own format. The library requests memory chunk by chunk, as for definitions
 * (otf2_chunk.c), and never writes by itself. After a failed write, its file cannot be ended: such a location has no events.
 */
#include "otf2_attribute.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>

static uint64_t take_fixed(const uint8_t **at)
{
	uint64_t value;

	memcpy(&value, *at, sizeof(value));
	*at += sizeof(value);
	return value;
}

static uint8_t take_u8(const uint8_t **at)
{
	return *(*at)++;
}

static uint64_t take_u64(const uint8_t **at)
{
	uint8_t size = take_u8(at);
	uint64_t value = 0;

	if (size == UINT8_MAX)
		return UINT64_MAX;
	memcpy(&value, *at, size);
	*at += size;
	return __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && size ? value >> (64 - 8 * size) : value;
}

static uint32_t take_u32(const uint8_t **at)
{
	return (uint32_t)take_u64(at);
}

static void take_attributes(const uint8_t **at, OTF2_AttributeList *list)
{
	uint32_t count;

	(*at)++; /* skips the length */
	count = take_u32(at);
	for (uint32_t i = 0; i < count; i++) {
		OTF2_AttributeRef id = take_u32(at);
		OTF2_Type type = take_u8(at);
		OTF2_AttributeValue value;

		if (type == OTF2_TYPE_UINT64)
			value.uint64 = take_u64(at);
		else
			value.uint32 = take_u32(at); /* all other types have this size */
		OTF2_AttributeList_AddAttribute(list, id, type, value);
	}
}

/* A record, and the writer that gets it. */
struct transfer {
	const uint8_t *at;
	OTF2_EvtWriter *to;
	OTF2_AttributeList *list;
	uint64_t time;
};

static OTF2_ErrorCode write_program(struct transfer *t)
{
	OTF2_StringRef name = take_u32(&t->at);
	uint32_t count = take_u32(&t->at);
	OTF2_StringRef *word = mem_array(count + 1, sizeof(*word));
	OTF2_ErrorCode code;

	for (uint32_t i = 0; i < count; i++)
		word[i] = take_u32(&t->at);
	code = OTF2_EvtWriter_ProgramBegin(t->to, t->list, t->time, name, count, word);
	free(word);
	return code;
}

static OTF2_ErrorCode write_metric(struct transfer *t)
{
	OTF2_MetricRef metric = take_u32(&t->at);
	uint8_t count = take_u8(&t->at);
	OTF2_Type type[UINT8_MAX];
	OTF2_MetricValue value[UINT8_MAX];

	for (uint8_t i = 0; i < count; i++) {
		type[i] = take_u8(&t->at);
		value[i].unsigned_int = take_u64(&t->at);
	}
	return OTF2_EvtWriter_Metric(t->to, t->list, t->time, metric, count, type, value);
}

/* Writes records that begin with two numbers. */
static OTF2_ErrorCode write_pair(struct transfer *t, enum record_type type)
{
	uint32_t first = take_u32(&t->at);
	uint64_t second = take_u64(&t->at);

	switch (type) {
	case RECORD_PARAMETER_STRING:
		return OTF2_EvtWriter_ParameterString(t->to, t->list, t->time, first,
						      (OTF2_StringRef)second);
	case RECORD_THREAD_BEGIN:
		return OTF2_EvtWriter_ThreadBegin(t->to, t->list, t->time, first, second);
	case RECORD_THREAD_END:
		return OTF2_EvtWriter_ThreadEnd(t->to, t->list, t->time, first, second);
	case RECORD_CHANGE_STATUS_FLAGS:
		return OTF2_EvtWriter_IoChangeStatusFlags(t->to, t->list, t->time, first,
							  (OTF2_IoStatusFlag)second);
	case RECORD_OP_ISSUED:
		return OTF2_EvtWriter_IoOperationIssued(t->to, t->list, t->time, first, second);
	case RECORD_OP_COMPLETE:
		return OTF2_EvtWriter_IoOperationComplete(t->to, t->list, t->time, first, second,
							  take_u64(&t->at));
	case RECORD_OP_CANCELLED:
		return OTF2_EvtWriter_IoOperationCancelled(t->to, t->list, t->time, first, second);
	default: /* RECORD_DUPLICATE_HANDLE */
		return OTF2_EvtWriter_IoDuplicateHandle(t->to, t->list, t->time, first,
							(OTF2_IoHandleRef)second, take_u32(&t->at));
	}
}

static OTF2_ErrorCode write_lock(struct transfer *t, enum record_type type)
{
	OTF2_IoHandleRef handle = take_u32(&t->at);
	OTF2_LockType lock = take_u8(&t->at);

	if (type == RECORD_ACQUIRE_LOCK)
		return OTF2_EvtWriter_IoAcquireLock(t->to, t->list, t->time, handle, lock);
	if (type == RECORD_RELEASE_LOCK)
		return OTF2_EvtWriter_IoReleaseLock(t->to, t->list, t->time, handle, lock);
	return OTF2_EvtWriter_IoTryLock(t->to, t->list, t->time, handle, lock);
}

/* Writes records with a handle, a byte and further numbers. */
static OTF2_ErrorCode write_handle(struct transfer *t, enum record_type type)
{
	OTF2_IoHandleRef handle = take_u32(&t->at);
	int64_t request = type == RECORD_SEEK ? (int64_t)take_u64(&t->at) : 0;
	uint8_t byte = take_u8(&t->at);
	uint64_t first = take_u64(&t->at), second = type == RECORD_SEEK ? 0 : take_u64(&t->at);

	if (type == RECORD_SEEK)
		return OTF2_EvtWriter_IoSeek(t->to, t->list, t->time, handle, request, byte, first);
	if (type == RECORD_CREATE_HANDLE)
		return OTF2_EvtWriter_IoCreateHandle(t->to, t->list, t->time, handle, byte,
						     (OTF2_IoCreationFlag)first,
						     (OTF2_IoStatusFlag)second);
	return OTF2_EvtWriter_IoOperationBegin(t->to, t->list, t->time, handle, byte,
					       (OTF2_IoOperationFlag)first, second,
					       take_u64(&t->at));
}

static OTF2_ErrorCode write_record(struct transfer *t, enum record_type type)
{
	uint8_t paradigm;

	switch (type) {
	case RECORD_ENTER:
		return OTF2_EvtWriter_Enter(t->to, t->list, t->time, take_u32(&t->at));
	case RECORD_LEAVE:
		return OTF2_EvtWriter_Leave(t->to, t->list, t->time, take_u32(&t->at));
	case RECORD_PROGRAM_BEGIN:
		return write_program(t);
	case RECORD_PROGRAM_END:
		return OTF2_EvtWriter_ProgramEnd(t->to, t->list, t->time,
						 (int64_t)take_u64(&t->at));
	case RECORD_METRIC:
		return write_metric(t);
	case RECORD_DESTROY_HANDLE:
		return OTF2_EvtWriter_IoDestroyHandle(t->to, t->list, t->time, take_u32(&t->at));
	case RECORD_DELETE_FILE:
		paradigm = take_u8(&t->at);
		return OTF2_EvtWriter_IoDeleteFile(t->to, t->list, t->time, paradigm,
						   take_u32(&t->at));
	case RECORD_ACQUIRE_LOCK:
	case RECORD_RELEASE_LOCK:
	case RECORD_TRY_LOCK:
		return write_lock(t, type);
	case RECORD_CREATE_HANDLE:
	case RECORD_SEEK:
	case RECORD_OP_BEGIN:
		return write_handle(t, type);
	default:
		return write_pair(t, type);
	}
}

/* Skips marks, which the library does not need. Returns whether a record follows. */
static bool skip_marks(struct transfer *t, const uint8_t *end)
{
	while (t->at < end && *t->at <= MARK_ATTRIBUTES) {
		uint8_t mark = take_u8(&t->at);

		if (mark == MARK_CHUNK_HEADER)
			t->at += HEAD_SIZE - 1;
		else if (mark == MARK_TIME)
			t->time = take_fixed(&t->at);
		else if (mark == MARK_ATTRIBUTES)
			take_attributes(&t->at, t->list);
	}
	return t->at < end;
}

static OTF2_EvtWriter *writer_of(struct sink *sink, struct location *location)
{
	if (!location->writer)
		location->writer = OTF2_Archive_GetEvtWriter(sink->archive,
							     (OTF2_LocationRef)(location -
										sink->location));
	return location->writer;
}

/* Returns -errno of the failure. */
static int trouble(const struct sink *sink)
{
	return sink->write_code ? -sink->write_code : -EIO;
}

int otf2_library_take(struct sink *sink, struct location *location, const uint8_t *bytes)
{
	struct transfer t = {bytes, writer_of(sink, location), OTF2_AttributeList_New(),
			     location->library_time};
	OTF2_ErrorCode code = t.to && t.list ? OTF2_SUCCESS : OTF2_ERROR_MEM_FAULT;

	while (code == OTF2_SUCCESS && skip_marks(&t, location->at)) {
		enum record_type type = take_u8(&t.at);
		bool has_length = type != RECORD_ENTER && type != RECORD_LEAVE;

		if (has_length && take_u8(&t.at) == LENGTH_LONG)
			t.at += sizeof(uint64_t);
		code = write_record(&t, type);
	}
	location->library_time = t.time;
	OTF2_AttributeList_Delete(t.list);
	return code == OTF2_SUCCESS ? 0 : trouble(sink);
}

int otf2_library_close(struct sink *sink, struct location *location)
{
	OTF2_EvtWriter *writer = writer_of(sink, location);
	int before = sink->write_code;
	OTF2_ErrorCode code;

	sink->write_code = 0;
	code = writer ? OTF2_Archive_CloseEvtWriter(sink->archive, writer) : OTF2_ERROR_MEM_FAULT;
	location->writer = NULL;
	if (code == OTF2_SUCCESS && !sink->write_code) {
		sink->write_code = before;
		return 0;
	}
	return trouble(sink);
}
