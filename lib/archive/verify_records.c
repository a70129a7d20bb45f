/*
 * verify_records: whether the records of a file have the bytes that they speak of, before the library reads them.
 *
 * The library believes a record. It allocates as many elements as the record counts, and follows the fields wherever they
 * lead: beyond the record, the chunk and the file. So the records are walked over before, chunk by chunk, by a table of
 * their fields. A record whose type is not in the table is skipped by its length, as the library does.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/bytes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	MARK_END_OF_CHUNK = 0,
	MARK_TIME = 5,       /* of events: stands before a record */
	MARK_ATTRIBUTES = 6, /* likewise */
	TIME_SIZE = 9,
	LARGE = 0xff,          /* a length that stands in the eight bytes behind it */
	UNDEFINED = 0xff,      /* a number, of all bits, that has no bytes */
	DISORDER_MOST = 1000,  /* for each such id the library moves all that are higher */
	ATTRIBUTES_MOST = 256, /* of an event: the library compares each with all before it */
};

/*
 * Fields, a letter for each:
 *	b, w, f, q   one, two, four or eight bytes
 *	n, N         the size of a number in a byte, and its bytes: up to four, up to eight
 *	s            a text and its end
 *	v            the type of a value in a byte, and the value
 *	m            a map of ids
 *	i            an id, like n, that is higher than those before, but for a few
 *	(...)        all this as often as the number before it says
 *	?            older writers end here
 *	=            first: this record has no length
 */
struct record {
	const char *name, *fields;
};

static const struct record events[UINT8_MAX + 1] = {
	[MARK_ATTRIBUTES] = {"AttributeList", "n(nv)"},
	[10] = {"BufferFlush", "q"},
	[11] = {"MeasurementOnOff", "b"},
	[12] = {"Enter", "=n"},
	[13] = {"Leave", "=n"},
	[14] = {"MpiSend", "nnnN"},
	[15] = {"MpiIsend", "nnnNN"},
	[16] = {"MpiIsendComplete", "=N"},
	[17] = {"MpiIrecvRequest", "=N"},
	[18] = {"MpiRecv", "nnnN"},
	[19] = {"MpiIrecv", "nnnNN"},
	[20] = {"MpiRequestTest", "=N"},
	[21] = {"MpiRequestCancelled", "=N"},
	[22] = {"MpiCollectiveBegin", ""},
	[23] = {"MpiCollectiveEnd", "bnnNN"},
	[24] = {"OmpFork", "=n"},
	[25] = {"OmpJoin", ""},
	[26] = {"OmpAcquireLock", "nn"},
	[27] = {"OmpReleaseLock", "nn"},
	[28] = {"OmpTaskCreate", "=N"},
	[29] = {"OmpTaskSwitch", "=N"},
	[30] = {"OmpTaskComplete", "=N"},
	[31] = {"Metric", "nb(bN)"},
	[32] = {"ParameterString", "nn"},
	[33] = {"ParameterInt", "nN"},
	[34] = {"ParameterUnsignedInt", "nN"},
	[35] = {"RmaWinCreate", "n"},
	[36] = {"RmaWinDestroy", "n"},
	[37] = {"RmaCollectiveBegin", ""},
	[38] = {"RmaCollectiveEnd", "bnnnNN"},
	[39] = {"RmaGroupSync", "nnn"},
	[40] = {"RmaRequestLock", "nnNb"},
	[41] = {"RmaAcquireLock", "nnNb"},
	[42] = {"RmaTryLock", "nnNb"},
	[43] = {"RmaReleaseLock", "nnN"},
	[44] = {"RmaSync", "nnb"},
	[45] = {"RmaWaitChange", "n"},
	[46] = {"RmaPut", "nnNN"},
	[47] = {"RmaGet", "nnNN"},
	[48] = {"RmaAtomic", "nnbNNN"},
	[49] = {"RmaOpCompleteBlocking", "nN"},
	[50] = {"RmaOpCompleteNonBlocking", "nN"},
	[51] = {"RmaOpTest", "nN"},
	[52] = {"RmaOpCompleteRemote", "nN"},
	[53] = {"ThreadFork", "bn"},
	[54] = {"ThreadJoin", "b"},
	[55] = {"ThreadTeamBegin", "n"},
	[56] = {"ThreadTeamEnd", "n"},
	[57] = {"ThreadAcquireLock", "bnn"},
	[58] = {"ThreadReleaseLock", "bnn"},
	[59] = {"ThreadTaskCreate", "nnn"},
	[60] = {"ThreadTaskSwitch", "nnn"},
	[61] = {"ThreadTaskComplete", "nnn"},
	[62] = {"ThreadCreate", "nN"},
	[63] = {"ThreadBegin", "nN"},
	[64] = {"ThreadWait", "nN"},
	[65] = {"ThreadEnd", "nN"},
	[66] = {"CallingContextEnter", "nn"},
	[67] = {"CallingContextLeave", "n"},
	[68] = {"CallingContextSample", "nnn"},
	[69] = {"IoCreateHandle", "nbnn"},
	[70] = {"IoDestroyHandle", "n"},
	[71] = {"IoDuplicateHandle", "nnn"},
	[72] = {"IoSeek", "nNbN"},
	[73] = {"IoChangeStatusFlags", "nn"},
	[74] = {"IoDeleteFile", "bn"},
	[75] = {"IoOperationBegin", "nbnNN"},
	[76] = {"IoOperationTest", "nN"},
	[77] = {"IoOperationIssued", "nN"},
	[78] = {"IoOperationComplete", "nNN"},
	[79] = {"IoOperationCancelled", "nN"},
	[80] = {"IoAcquireLock", "nb"},
	[81] = {"IoReleaseLock", "nb"},
	[82] = {"IoTryLock", "nb"},
	[83] = {"ProgramBegin", "nn(n)"},
	[84] = {"ProgramEnd", "N"},
	[85] = {"NonBlockingCollectiveRequest", "N"},
	[86] = {"NonBlockingCollectiveComplete", "bnnNNN"},
	[87] = {"CommCreate", "n"},
	[88] = {"CommDestroy", "n"},
};

/* The types below FIRST_SHARED differ between global and local definitions. */
enum { FIRST_SHARED = 10 };

static const struct record global_definitions[FIRST_SHARED] = {
	[5] = {"ClockProperties", "NNN?N"},
	[6] = {"Paradigm", "bnb"},
	[7] = {"ParadigmProperty", "bbv"},
	[8] = {"IoParadigm", "bnnbnb(bv)"},
};

static const struct record local_definitions[FIRST_SHARED] = {
	[5] = {"MappingTable", "bm"},
	[6] = {"ClockOffset", "qNq"},
};

static const struct record definitions[UINT8_MAX + 1] = {
	[10] = {"String", "ns"},
	[11] = {"Attribute", "nnb?n"},
	[12] = {"SystemTreeNode", "nnnn"},
	[13] = {"LocationGroup", "nnbn?n"},
	[14] = {"Location", "NnbNn"},
	[15] = {"Region", "nnnbnnn?nbbn"},
	[16] = {"Callsite", "nnnnn"},
	[17] = {"Callpath", "nnn"},
	[18] = {"Group", "nnbn(N)?bbn"},
	[19] = {"MetricMember", "nnnbbbbNn"},
	[20] = {"MetricClass", "nb(n)b?b"},
	[21] = {"MetricInstance", "nnNbN"},
	[22] = {"Comm", "nnnn?n"},
	[23] = {"Parameter", "nnb"},
	[24] = {"RmaWin", "nnn?n"},
	[25] = {"MetricClassRecorder", "nN"},
	[26] = {"SystemTreeNodeProperty", "nnn?v"},
	[27] = {"SystemTreeNodeDomain", "nb"},
	[28] = {"LocationGroupProperty", "nnn?v"},
	[29] = {"LocationProperty", "Nnn?v"},
	[30] = {"CartDimension", "nnnb"},
	[31] = {"CartTopology", "nnnb(n)"},
	[32] = {"CartCoordinate", "nnb(n)"},
	[33] = {"SourceCodeLocation", "nnn"},
	[34] = {"CallingContext", "innn"},
	[35] = {"CallingContextProperty", "nnv"},
	[36] = {"InterruptGenerator", "nnbbNN"},
	[37] = {"IoFileProperty", "nnv"},
	[38] = {"IoRegularFile", "nnn"},
	[39] = {"IoDirectory", "nnn"},
	[40] = {"IoHandle", "nnnbnnn"},
	[41] = {"IoPreCreatedHandleState", "nbn"},
	[42] = {"CallpathParameter", "nnv"},
	[43] = {"InterComm", "nnnnnn"},
};

static const struct record markers[UINT8_MAX + 1] = {
	[5] = {"MarkerDefinition", "nssb"},
	[6] = {"Marker", "NNnbNs"},
};

/* By what is in a file. */
static const struct {
	const struct record *records, *first; /* that of the types below FIRST_SHARED, or NULL */
	bool has_times;
} files[] = {
	[CONTENT_EVENTS] = {events, NULL, true},
	[CONTENT_DEFINITIONS] = {definitions, global_definitions, false},
	[CONTENT_LOCAL_DEFINITIONS] = {definitions, local_definitions, false},
	[CONTENT_MARKERS] = {markers, NULL, false},
};

/* The field of a value, by its type. */
static const char value_field[] = {
	[OTF2_TYPE_UINT8] = 'b',
	[OTF2_TYPE_UINT16] = 'w',
	[OTF2_TYPE_UINT32] = 'n',
	[OTF2_TYPE_UINT64] = 'N',
	[OTF2_TYPE_INT8] = 'b',
	[OTF2_TYPE_INT16] = 'w',
	[OTF2_TYPE_INT32] = 'n',
	[OTF2_TYPE_INT64] = 'N',
	[OTF2_TYPE_FLOAT] = 'f',
	[OTF2_TYPE_DOUBLE] = 'q',
	[OTF2_TYPE_STRING] = 'n',
	[OTF2_TYPE_ATTRIBUTE] = 'n',
	[OTF2_TYPE_LOCATION] = 'N',
	[OTF2_TYPE_REGION] = 'n',
	[OTF2_TYPE_GROUP] = 'n',
	[OTF2_TYPE_METRIC] = 'n',
	[OTF2_TYPE_COMM] = 'n',
	[OTF2_TYPE_PARAMETER] = 'n',
	[OTF2_TYPE_RMA_WIN] = 'n',
	[OTF2_TYPE_SOURCE_CODE_LOCATION] = 'n',
	[OTF2_TYPE_CALLING_CONTEXT] = 'n',
	[OTF2_TYPE_INTERRUPT_GENERATOR] = 'n',
	[OTF2_TYPE_IO_FILE] = 'n',
	[OTF2_TYPE_IO_HANDLE] = 'n',
	[OTF2_TYPE_LOCATION_GROUP] = 'n',
};

static const struct record *const attributes = &events[MARK_ATTRIBUTES];

/* A record that is walked over. */
struct walk {
	struct reading *reading;
	const struct record *record; /* NULL: its type is not known */
	uint8_t type;
	bool is_big;
	const uint8_t *end; /* of the record, or of the chunk where its length is not known */
};

/* Finds fault with the record, if none was found yet. Returns NULL, the place to go on at. */
__attribute__((format(printf, 2, 3))) static const uint8_t *wrong(struct walk *w,
								  const char *format, ...)
{
	struct reading *reading = w->reading;
	char name[32], what[80];
	va_list arguments;

	if (*reading->wrong)
		return NULL;
	snprintf(name, sizeof(name), "a record of type %u", w->type);
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	snprintf(reading->wrong, sizeof(reading->wrong), "byte %" PRIu64 ": %s %s", reading->offset,
		 w->record ? w->record->name : name, what);
	return NULL;
}

/*
 * All below step over something at a place. They return the place behind it, or NULL if it is wrong or leads beyond the end
 * of the record.
 */
static const uint8_t *skip_bytes(const struct walk *w, const uint8_t *at, size_t size)
{
	return size <= (size_t)(w->end - at) ? at + size : NULL;
}

static const uint8_t *skip_number(struct walk *w, const uint8_t *at, size_t most)
{
	size_t size;

	if (at == w->end)
		return NULL;
	size = *at == UNDEFINED ? 0 : *at;
	return size <= most ? skip_bytes(w, at + 1, size)
			    : wrong(w, "has a number of %zu bytes", size);
}

static const uint8_t *skip_text(struct walk *w, const uint8_t *at)
{
	const uint8_t *end = at < w->end ? memchr(at, '\0', (size_t)(w->end - at)) : NULL;

	return end ? end + 1 : wrong(w, "has a text without an end");
}

static const uint8_t *skip_field(struct walk *w, const uint8_t *at, char field)
{
	switch (field) {
	case 'n':
		return skip_number(w, at, 4);
	case 'N':
		return skip_number(w, at, 8);
	case 's':
		return skip_text(w, at);
	case 'b':
		return skip_bytes(w, at, 1);
	case 'w':
		return skip_bytes(w, at, 2);
	case 'f':
		return skip_bytes(w, at, 4);
	default:
		return skip_bytes(w, at, 8);
	}
}

static const uint8_t *skip_value(struct walk *w, const uint8_t *at)
{
	uint8_t type = at < w->end ? *at : OTF2_TYPE_NONE;

	if (at == w->end)
		return NULL;
	if (type >= sizeof(value_field) || !value_field[type])
		return wrong(w, "has a value of the unknown type %u", type);
	return skip_field(w, at + 1, value_field[type]);
}

uint64_t verify_number(struct bytes *in, size_t size, bool is_big)
{
	const uint8_t *at = bytes_take(in, size);
	uint64_t value = 0;

	for (size_t i = 0; at && i < size; i++)
		value |= (uint64_t)at[i] << 8 * (is_big ? size - 1 - i : i);
	return value;
}

/* Returns the number at a place that was stepped over. */
static uint64_t number_at(const struct walk *w, const uint8_t *at, char field)
{
	struct bytes in = bytes_of(at + 1, *at);

	if (field == 'b')
		return *at;
	if (*at == UNDEFINED)
		return field == 'n' ? UINT32_MAX : UINT64_MAX;
	return verify_number(&in, *at, w->is_big);
}

/* Returns whether as many elements, of that many bytes at least each, can be at a place. */
static bool can_count(struct walk *w, const uint8_t *at, uint64_t count, size_t least)
{
	size_t left = (size_t)(w->end - at);

	if (count > left / least)
		wrong(w, "counts %" PRIu64 " elements in %zu bytes", count, left);
	else if (w->record == attributes && count > ATTRIBUTES_MOST)
		wrong(w, "counts %" PRIu64 " elements, of which %d are allowed", count,
		      ATTRIBUTES_MOST);
	else
		return true;
	return false;
}

/* Either a global id for each local one, or pairs, which the library sorts, slowly, unless they are sorted. */
static const uint8_t *skip_map(struct walk *w, const uint8_t *start)
{
	const uint8_t *at = skip_field(w, start, 'N');
	uint64_t count, id, previous = 0;
	bool is_sparse;

	if (!at || at == w->end)
		return NULL;
	count = number_at(w, start, 'N');
	is_sparse = *at++ == OTF2_ID_MAP_SPARSE;
	if (!can_count(w, at, count, is_sparse ? 2 : 1))
		return NULL;
	for (uint64_t i = 0; at && i < count; i++) {
		const uint8_t *local = at;

		at = skip_field(w, at, 'N');
		if (!at || !is_sparse)
			continue;
		id = number_at(w, local, 'N');
		if (i && id <= previous)
			return wrong(w, "is not sorted");
		previous = id;
		at = skip_field(w, at, 'N');
	}
	return at;
}

static const uint8_t *skip_id(struct walk *w, const uint8_t *at)
{
	const uint8_t *end = skip_field(w, at, 'n');
	struct reading *reading = w->reading;
	uint64_t id;

	if (!end)
		return NULL;
	id = number_at(w, at, 'n');
	if (id >= reading->highest)
		reading->highest = id;
	else if (reading->disorder++ == DISORDER_MOST)
		return wrong(w, "is out of order, as %d before it", DISORDER_MOST);
	return end;
}

static const uint8_t *skip_plain(struct walk *w, const uint8_t *at, char field)
{
	if (field == 'v')
		return skip_value(w, at);
	if (field == 'm')
		return skip_map(w, at);
	if (field == 'i')
		return skip_id(w, at);
	return skip_field(w, at, field);
}

static const uint8_t *skip_elements(struct walk *w, const uint8_t *at, uint64_t count,
				    const char *first, const char *end)
{
	if (!can_count(w, at, count, (size_t)(end - first)))
		return NULL;
	for (uint64_t i = 0; at && i < count; i++)
		for (const char *field = first; at && field < end; field++)
			at = skip_plain(w, at, *field);
	return at;
}

static const uint8_t *skip_fields(struct walk *w, const uint8_t *at, const char *field)
{
	const uint8_t *before = at;

	for (; at && *field; field++) {
		if (*field == '(') {
			const char *end = strchr(field, ')');

			at = skip_elements(w, at, number_at(w, before, field[-1]), field + 1, end);
			field = end;
		} else if (*field != '?') {
			before = at;
			at = skip_plain(w, at, *field);
		} else if (at == w->end) {
			return at;
		}
	}
	return at ? at : wrong(w, "is shorter than its fields");
}

/* Steps over a record behind its type, in a chunk that ends there. */
static const uint8_t *skip_record(struct walk *w, const uint8_t *at, const uint8_t *end)
{
	const char *fields = w->record ? w->record->fields : "";
	struct bytes in = bytes_of(at, (size_t)(end - at));
	uint64_t size;

	w->end = end;
	if (*fields == '=')
		return skip_fields(w, at, fields + 1);
	size = bytes_u8(&in);
	if (size == LARGE)
		size = verify_number(&in, sizeof(size), w->is_big);
	if (in.bad)
		return wrong(w, "is truncated");
	if (size > in.left)
		return wrong(w, "has %" PRIu64 " bytes, of which %zu are there", size, in.left);
	w->end = in.at + size;
	return skip_fields(w, in.at, fields) ? w->end : NULL;
}

static const struct record *record_of(enum content content, uint8_t type)
{
	const struct record *first = files[content].first;
	const struct record *record = first && type < FIRST_SHARED ? &first[type]
								   : &files[content].records[type];

	return record->name ? record : NULL;
}

bool verify_records(struct reading *reading, enum content content, const uint8_t *chunk,
		    size_t size)
{
	struct walk w = {.reading = reading, .is_big = chunk[1] == VERIFY_BIG_ENDIAN};
	const uint8_t *at = chunk + VERIFY_HEADER_SIZE, *end = chunk + size;
	uint64_t start = reading->offset;

	while (at) {
		reading->offset = start + (uint64_t)(at - chunk);
		if (files[content].has_times && at < end && *at == MARK_TIME)
			at += end - at > TIME_SIZE ? TIME_SIZE : end - at;
		if (at == end) {
			snprintf(reading->wrong, sizeof(reading->wrong),
				 "byte %" PRIu64 ": a record is truncated", reading->offset);
			break;
		}
		w.type = *at++;
		if (w.type == MARK_END_OF_CHUNK || w.type == VERIFY_END_OF_FILE)
			return w.type == MARK_END_OF_CHUNK;
		w.record = record_of(content, w.type);
		if (w.record == attributes && reading->has_attributes)
			at = wrong(&w, "is the second of one event");
		else
			at = skip_record(&w, at, end);
		reading->has_attributes = w.record == attributes;
		reading->events += content == CONTENT_EVENTS && w.record != attributes;
	}
	return false;
}
