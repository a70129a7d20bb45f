/*
 * iotrace reads archives by itself. Whatever an archive has, it is what the OTF2 library reads: the same ids, through mapping tables of
 * either kind, the same times, through clock offsets, the same values and attributes.
 */
#include "scratch_dir.h"

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <array>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace
{

enum { LOCATIONS = 3, REGIONS = 40, HANDLES = 40, OFFSET = 17 };

/* Of a record: its kind, its time, what it is of, two numbers. */
using record = std::array<uint64_t, 5>;
using records = std::vector<record>;

/* Ids that are not dense, and not in order. */
OTF2_RegionRef region_ref(uint64_t id)
{
	return static_cast<OTF2_RegionRef>((id * 7 + 3) % 97 + 1000 * (id % 2));
}
OTF2_IoHandleRef handle_ref(uint64_t id)
{
	return static_cast<OTF2_IoHandleRef>((id * 11 + 5) % 89 + 70000 * (id % 3));
}
OTF2_LocationRef location_ref(uint64_t id)
{
	return (UINT64_C(1) << 33) - 10 * id;
}

struct Writer {
	std::mt19937_64 random;
	OTF2_Archive *archive = nullptr;
	OTF2_EvtWriter *w = nullptr;
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	explicit Writer(uint64_t seed) : random(seed)
	{
	}
	~Writer()
	{
		OTF2_AttributeList_Delete(list);
	}
	uint64_t below(uint64_t n)
	{
		return random() % n;
	}
	/* Around every power of two, and the special ones. */
	uint64_t number()
	{
		uint64_t power = UINT64_C(1) << below(64);

		return below(4) ? power + below(3) - 1 : below(2) ? 0 : UINT64_MAX;
	}

	static OTF2_FlushType flush(void *, OTF2_FileType, OTF2_LocationRef, void *, bool)
	{
		return OTF2_FLUSH;
	}

	void open(const std::string &path)
	{
		static const OTF2_FlushCallbacks callbacks = {flush, nullptr};

		archive = OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, 256 * 1024,
					    256 * 1024, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);
		OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
		OTF2_Archive_SetSerialCollectiveCallbacks(archive);
		OTF2_Archive_SetCreator(archive, "a test");
		OTF2_Archive_OpenEvtFiles(archive);
	}

	void event(uint64_t time)
	{
		const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
		OTF2_MetricValue values[2];
		auto region = static_cast<OTF2_RegionRef>(below(REGIONS));
		auto handle = static_cast<OTF2_IoHandleRef>(below(HANDLES));

		switch (below(5)) {
		case 0:
			OTF2_EvtWriter_Enter(w, nullptr, time, region);
			break;
		case 1:
			OTF2_EvtWriter_Leave(w, nullptr, time, region);
			break;
		case 2:
			OTF2_AttributeList_AddUint64(list, OFFSET, number());
			OTF2_EvtWriter_IoOperationBegin(w, list, time, handle,
							OTF2_IO_OPERATION_MODE_WRITE, 0, number(),
							number());
			break;
		case 3:
			values[0].unsigned_int = number();
			values[1].floating_point = static_cast<double>(below(1000)) / 7;
			OTF2_EvtWriter_Metric(w, nullptr, time, 1, 2, types, values);
			break;
		default: /* is no I/O */
			OTF2_EvtWriter_MpiSend(w, nullptr, time, 1, 2, 3, number());
		}
	}

	OTF2_IdMap *table(const std::function<uint64_t(uint64_t)> &ref, uint64_t count,
			  bool is_sparse)
	{
		OTF2_IdMap *map = OTF2_IdMap_Create(is_sparse ? OTF2_ID_MAP_SPARSE
							      : OTF2_ID_MAP_DENSE,
						    count);
		for (uint64_t i = 0; i < count; i++)
			OTF2_IdMap_AddIdPair(map, i, ref(i));
		return map;
	}

	/* Of the last locations, each has tables of another kind. */
	void local(uint64_t location)
	{
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(archive, location_ref(location));
		OTF2_IdMap *map[] = {table(region_ref, REGIONS, location % 2),
				     table(handle_ref, HANDLES, location % 2)};
		uint64_t at = 0;

		OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, map[0]);
		OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_IO_HANDLE, map[1]);
		for (OTF2_IdMap *one : map)
			OTF2_IdMap_Free(one);
		for (uint64_t i = 0; i < location * 2; i++) {
			OTF2_DefWriter_WriteClockOffset(d, at += 1 + below(200000),
							1000000 + static_cast<int64_t>(below(9999)),
							0);
		}
		OTF2_Archive_CloseDefWriter(archive, d);
	}

	void define(const std::array<uint64_t, LOCATIONS> &events)
	{
		const OTF2_MetricMemberRef members[] = {0, 1};
		OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);

		OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 0, 1 << 30, 0);
		OTF2_GlobalDefWriter_WriteString(d, 0, "x");
		OTF2_GlobalDefWriter_WriteString(d, 1, "Offset");
		OTF2_GlobalDefWriter_WriteAttribute(d, OFFSET, 1, 0, OTF2_TYPE_UINT64);
		for (uint64_t i = 0; i < LOCATIONS; i++)
			OTF2_GlobalDefWriter_WriteLocation(d, location_ref(i), 0,
							   OTF2_LOCATION_TYPE_CPU_THREAD, events[i],
							   0);
		OTF2_GlobalDefWriter_WriteLocationGroup(d, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS,
							OTF2_UNDEFINED_SYSTEM_TREE_NODE,
							OTF2_UNDEFINED_LOCATION_GROUP);
		for (uint64_t i = 0; i < REGIONS; i++)
			OTF2_GlobalDefWriter_WriteRegion(d, region_ref(i), 0, 0, 0, 0, 0, 0, 0, 0,
							 0);
		for (uint64_t i = 0; i < HANDLES; i++)
			OTF2_GlobalDefWriter_WriteIoHandle(d, handle_ref(i), 0,
							   OTF2_UNDEFINED_IO_FILE, 0, 0,
							   OTF2_UNDEFINED_COMM,
							   OTF2_UNDEFINED_IO_HANDLE);
		for (OTF2_MetricMemberRef m : members)
			OTF2_GlobalDefWriter_WriteMetricMember(d, m, 0, 0, OTF2_METRIC_TYPE_OTHER,
							       OTF2_METRIC_ABSOLUTE_POINT,
							       m ? OTF2_TYPE_DOUBLE
								 : OTF2_TYPE_UINT64,
							       OTF2_BASE_DECIMAL, 0, 0);
		OTF2_GlobalDefWriter_WriteMetricClass(d, 1, 2, members, OTF2_METRIC_SYNCHRONOUS,
						      OTF2_RECORDER_KIND_CPU);
		OTF2_Archive_CloseGlobalDefWriter(archive, d);
	}

	void write(const std::string &path)
	{
		std::array<uint64_t, LOCATIONS> events;

		open(path);
		for (uint64_t i = 0; i < LOCATIONS; i++) {
			uint64_t now = 0;

			w = OTF2_Archive_GetEvtWriter(archive, location_ref(i));
			for (uint64_t n = 2000 + below(30000); n--;)
				event(now += below(3) ? 0 : below(100));
			OTF2_EvtWriter_GetNumberOfEvents(w, &events[i]);
			OTF2_Archive_CloseEvtWriter(archive, w);
		}
		OTF2_Archive_CloseEvtFiles(archive);
		OTF2_Archive_OpenDefFiles(archive);
		for (uint64_t i = 0; i < LOCATIONS; i++)
			local(i);
		OTF2_Archive_CloseDefFiles(archive);
		define(events);
		OTF2_Archive_Close(archive);
	}
};

/* What the library reads, by location. */
struct Library {
	std::array<records, LOCATIONS> all;
	std::map<uint64_t, uint64_t> location, region, handle;

	void add(OTF2_LocationRef where, const record &one)
	{
		all[location[where]].push_back(one);
	}

	static OTF2_CallbackCode enter(OTF2_LocationRef where, OTF2_TimeStamp time, void *data,
				       OTF2_AttributeList *, OTF2_RegionRef region)
	{
		auto *self = static_cast<Library *>(data);

		self->add(where, {IO_ENTER, time, self->region[region], 0, 0});
		return OTF2_CALLBACK_SUCCESS;
	}
	static OTF2_CallbackCode leave(OTF2_LocationRef where, OTF2_TimeStamp time, void *data,
				       OTF2_AttributeList *, OTF2_RegionRef region)
	{
		auto *self = static_cast<Library *>(data);

		self->add(where, {IO_LEAVE, time, self->region[region], 0, 0});
		return OTF2_CALLBACK_SUCCESS;
	}
	static OTF2_CallbackCode begin(OTF2_LocationRef where, OTF2_TimeStamp time, void *data,
				       OTF2_AttributeList *list, OTF2_IoHandleRef handle,
				       OTF2_IoOperationMode, OTF2_IoOperationFlag, uint64_t bytes,
				       uint64_t)
	{
		auto *self = static_cast<Library *>(data);
		uint64_t offset = 0;

		OTF2_AttributeList_GetUint64(list, OFFSET, &offset);
		self->add(where, {IO_OP_BEGIN, time, self->handle[handle], bytes, offset});
		return OTF2_CALLBACK_SUCCESS;
	}
	static OTF2_CallbackCode metric(OTF2_LocationRef where, OTF2_TimeStamp time, void *data,
					OTF2_AttributeList *, OTF2_MetricRef, uint8_t,
					const OTF2_Type *, const OTF2_MetricValue *value)
	{
		static_cast<Library *>(data)->add(where, {IO_METRIC, time, 0, value[0].unsigned_int,
							  value[1].unsigned_int});
		return OTF2_CALLBACK_SUCCESS;
	}

	void read(const std::string &path)
	{
		OTF2_Reader *reader = OTF2_Reader_Open((path + "/traces.otf2").c_str());
		OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
		uint64_t count;

		for (uint64_t i = 0; i < REGIONS; i++)
			region[region_ref(i)] = i;
		for (uint64_t i = 0; i < HANDLES; i++)
			handle[handle_ref(i)] = i;
		OTF2_Reader_SetSerialCollectiveCallbacks(reader);
		OTF2_GlobalDefReader *d = OTF2_Reader_GetGlobalDefReader(reader);
		OTF2_Reader_ReadAllGlobalDefinitions(reader, d, &count);
		for (uint64_t i = 0; i < LOCATIONS; i++) {
			location[location_ref(i)] = i;
			OTF2_Reader_SelectLocation(reader, location_ref(i));
		}
		OTF2_Reader_OpenDefFiles(reader);
		for (uint64_t i = 0; i < LOCATIONS; i++) {
			OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location_ref(i));

			OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
			OTF2_Reader_CloseDefReader(reader, local);
		}
		OTF2_Reader_CloseDefFiles(reader);
		OTF2_Reader_OpenEvtFiles(reader);
		for (uint64_t i = 0; i < LOCATIONS; i++)
			OTF2_Reader_GetEvtReader(reader, location_ref(i));
		OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
		OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, enter);
		OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, leave);
		OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(c, begin);
		OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(c, metric);
		OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, c, this);
		OTF2_GlobalEvtReaderCallbacks_Delete(c);
		EXPECT_EQ(OTF2_Reader_ReadAllGlobalEvents(reader, events, &count), OTF2_SUCCESS);
		OTF2_Reader_CloseGlobalEvtReader(reader, events);
		OTF2_Reader_CloseEvtFiles(reader);
		OTF2_Reader_Close(reader);
	}
};

record of_event(const struct io_event &e)
{
	switch (e.kind) {
	case IO_OP_BEGIN:
		return {e.kind, e.time, e.handle, e.op.bytes, e.op.offset};
	case IO_METRIC:
		return {e.kind, e.time, 0, e.metric.counter[0], e.metric.counter[1]};
	default:
		return {e.kind, e.time, e.region.id, 0, 0};
	}
}

/* What archive_read() gives. */
void read(const std::string &path, std::array<records, LOCATIONS> &all)
{
	struct trace trace;
	struct tally tally = {};
	struct archive_source source = {};
	struct error err = {};

	trace_init(&trace);
	source.dir = path.c_str();
	source.trace = &trace;
	source.tally = &tally;
	source.context = &all;
	source.on_event = [](void *context, const struct io_event *event) {
		auto &to = *static_cast<std::array<records, LOCATIONS> *>(context);

		to[event->thread].push_back(of_event(*event));
	};
	EXPECT_EQ(archive_read(&source, &err), 0) << err.text;
	EXPECT_EQ(tally_get(&tally, ignored), 0u);
	trace_release(&trace);
}

TEST(ArchiveWalkProperty, EventsAreThoseThatTheLibraryReads)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		ScratchDir scratch;
		std::string path = scratch.path("trace");
		std::array<records, LOCATIONS> ours;
		Library library;

		Writer(seed).write(path);
		library.read(path);
		read(path, ours);
		for (int i = 0; i < LOCATIONS; i++) {
			ASSERT_GT(library.all[i].size(), 1000u);
			ASSERT_EQ(ours[i].size(), library.all[i].size());
			for (size_t n = 0; n < ours[i].size(); n++)
				ASSERT_EQ(ours[i][n], library.all[i][n])
					<< "seed " << seed << ", location " << i << ", record "
					<< n;
		}
	}
}

} // namespace
