/*
 * Every record that OTF2's own writer can write is one that the verifier walks over, and the library reads.
 */
#include "scratch_dir.h"

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <otf2/OTF2_MarkerWriter.h>

#pragma GCC diagnostic ignored                                                                     \
	"-Wdeprecated-declarations" /* records of older writers are read, too */

namespace
{

/* An argument of a function: ids and counts are three or four, and the type four is that of the value. */
template <class T> T any()
{
	using plain = std::remove_cv_t<std::remove_pointer_t<T>>;

	if constexpr (std::is_same_v<T, const char *>) {
		return "text";
	} else if constexpr (std::is_same_v<plain, OTF2_IdMap>) {
		static const uint64_t ids[] = {7, UINT64_MAX, 0};
		static OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(3, ids, false);

		return map;
	} else if constexpr (std::is_same_v<plain, OTF2_AttributeList>) {
		return nullptr;
	} else if constexpr (std::is_pointer_v<T> && sizeof(plain) == 1) {
		static const plain few[4] = {4, 4, 4, 4};

		return few;
	} else if constexpr (std::is_pointer_v<T>) {
		static const plain few[4] = {};

		return few;
	} else if constexpr (sizeof(T) == 1) {
		return 4;
	} else if constexpr (std::is_same_v<T, uint64_t>) {
		return UINT64_C(0x1122334455);
	} else if constexpr (std::is_arithmetic_v<T>) {
		return 3;
	} else {
		return T();
	}
}

template <class Writer, class... Arguments>
void put(Writer *writer, OTF2_ErrorCode (*function)(Writer *, Arguments...))
{
	EXPECT_EQ(function(writer, any<Arguments>()...), OTF2_SUCCESS);
}

void put_events(OTF2_EvtWriter *w)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	for (OTF2_Type type = OTF2_TYPE_UINT8; type <= OTF2_TYPE_LOCATION_GROUP; type++)
		OTF2_AttributeList_AddAttribute(list, type, type, any<OTF2_AttributeValue>());
	OTF2_EvtWriter_Enter(w, list, any<OTF2_TimeStamp>(), OTF2_UNDEFINED_REGION);
	OTF2_AttributeList_Delete(list);
	put(w, OTF2_EvtWriter_BufferFlush);
	put(w, OTF2_EvtWriter_MeasurementOnOff);
	put(w, OTF2_EvtWriter_Enter);
	put(w, OTF2_EvtWriter_Leave);
	put(w, OTF2_EvtWriter_MpiSend);
	put(w, OTF2_EvtWriter_MpiIsend);
	put(w, OTF2_EvtWriter_MpiIsendComplete);
	put(w, OTF2_EvtWriter_MpiIrecvRequest);
	put(w, OTF2_EvtWriter_MpiRecv);
	put(w, OTF2_EvtWriter_MpiIrecv);
	put(w, OTF2_EvtWriter_MpiRequestTest);
	put(w, OTF2_EvtWriter_MpiRequestCancelled);
	put(w, OTF2_EvtWriter_MpiCollectiveBegin);
	put(w, OTF2_EvtWriter_MpiCollectiveEnd);
	put(w, OTF2_EvtWriter_OmpFork);
	put(w, OTF2_EvtWriter_OmpJoin);
	put(w, OTF2_EvtWriter_OmpAcquireLock);
	put(w, OTF2_EvtWriter_OmpReleaseLock);
	put(w, OTF2_EvtWriter_OmpTaskCreate);
	put(w, OTF2_EvtWriter_OmpTaskSwitch);
	put(w, OTF2_EvtWriter_OmpTaskComplete);
	put(w, OTF2_EvtWriter_Metric);
	put(w, OTF2_EvtWriter_ParameterString);
	put(w, OTF2_EvtWriter_ParameterInt);
	put(w, OTF2_EvtWriter_ParameterUnsignedInt);
	put(w, OTF2_EvtWriter_RmaWinCreate);
	put(w, OTF2_EvtWriter_RmaWinDestroy);
	put(w, OTF2_EvtWriter_RmaCollectiveBegin);
	put(w, OTF2_EvtWriter_RmaCollectiveEnd);
	put(w, OTF2_EvtWriter_RmaGroupSync);
	put(w, OTF2_EvtWriter_RmaRequestLock);
	put(w, OTF2_EvtWriter_RmaAcquireLock);
	put(w, OTF2_EvtWriter_RmaTryLock);
	put(w, OTF2_EvtWriter_RmaReleaseLock);
	put(w, OTF2_EvtWriter_RmaSync);
	put(w, OTF2_EvtWriter_RmaWaitChange);
	put(w, OTF2_EvtWriter_RmaPut);
	put(w, OTF2_EvtWriter_RmaGet);
	put(w, OTF2_EvtWriter_RmaAtomic);
	put(w, OTF2_EvtWriter_RmaOpCompleteBlocking);
	put(w, OTF2_EvtWriter_RmaOpCompleteNonBlocking);
	put(w, OTF2_EvtWriter_RmaOpTest);
	put(w, OTF2_EvtWriter_RmaOpCompleteRemote);
	put(w, OTF2_EvtWriter_ThreadFork);
	put(w, OTF2_EvtWriter_ThreadJoin);
	put(w, OTF2_EvtWriter_ThreadTeamBegin);
	put(w, OTF2_EvtWriter_ThreadTeamEnd);
	put(w, OTF2_EvtWriter_ThreadAcquireLock);
	put(w, OTF2_EvtWriter_ThreadReleaseLock);
	put(w, OTF2_EvtWriter_ThreadTaskCreate);
	put(w, OTF2_EvtWriter_ThreadTaskSwitch);
	put(w, OTF2_EvtWriter_ThreadTaskComplete);
	put(w, OTF2_EvtWriter_ThreadCreate);
	put(w, OTF2_EvtWriter_ThreadBegin);
	put(w, OTF2_EvtWriter_ThreadWait);
	put(w, OTF2_EvtWriter_ThreadEnd);
	put(w, OTF2_EvtWriter_CallingContextEnter);
	put(w, OTF2_EvtWriter_CallingContextLeave);
	put(w, OTF2_EvtWriter_CallingContextSample);
	put(w, OTF2_EvtWriter_IoCreateHandle);
	put(w, OTF2_EvtWriter_IoDestroyHandle);
	put(w, OTF2_EvtWriter_IoDuplicateHandle);
	put(w, OTF2_EvtWriter_IoSeek);
	put(w, OTF2_EvtWriter_IoChangeStatusFlags);
	put(w, OTF2_EvtWriter_IoDeleteFile);
	put(w, OTF2_EvtWriter_IoOperationBegin);
	put(w, OTF2_EvtWriter_IoOperationTest);
	put(w, OTF2_EvtWriter_IoOperationIssued);
	put(w, OTF2_EvtWriter_IoOperationComplete);
	put(w, OTF2_EvtWriter_IoOperationCancelled);
	put(w, OTF2_EvtWriter_IoAcquireLock);
	put(w, OTF2_EvtWriter_IoReleaseLock);
	put(w, OTF2_EvtWriter_IoTryLock);
	put(w, OTF2_EvtWriter_ProgramBegin);
	put(w, OTF2_EvtWriter_ProgramEnd);
	put(w, OTF2_EvtWriter_NonBlockingCollectiveRequest);
	put(w, OTF2_EvtWriter_NonBlockingCollectiveComplete);
	put(w, OTF2_EvtWriter_CommCreate);
	put(w, OTF2_EvtWriter_CommDestroy);
	put(w, OTF2_EvtWriter_Leave);
}

/* Of the functions of either kind of writer. */
#define PUT_DEFINITIONS(w, prefix)                                                                 \
	put(w, prefix##String);                                                                    \
	put(w, prefix##Attribute);                                                                 \
	put(w, prefix##SystemTreeNode);                                                            \
	put(w, prefix##LocationGroup);                                                             \
	put(w, prefix##Location);                                                                  \
	put(w, prefix##Region);                                                                    \
	put(w, prefix##Callsite);                                                                  \
	put(w, prefix##Callpath);                                                                  \
	put(w, prefix##Group);                                                                     \
	put(w, prefix##MetricMember);                                                              \
	put(w, prefix##MetricClass);                                                               \
	put(w, prefix##MetricInstance);                                                            \
	put(w, prefix##Comm);                                                                      \
	put(w, prefix##Parameter);                                                                 \
	put(w, prefix##RmaWin);                                                                    \
	put(w, prefix##MetricClassRecorder);                                                       \
	put(w, prefix##SystemTreeNodeProperty);                                                    \
	put(w, prefix##SystemTreeNodeDomain);                                                      \
	put(w, prefix##LocationGroupProperty);                                                     \
	put(w, prefix##LocationProperty);                                                          \
	put(w, prefix##CartDimension);                                                             \
	put(w, prefix##CartTopology);                                                              \
	put(w, prefix##CartCoordinate);                                                            \
	put(w, prefix##SourceCodeLocation);                                                        \
	put(w, prefix##CallingContext);                                                            \
	put(w, prefix##CallingContextProperty);                                                    \
	put(w, prefix##InterruptGenerator);                                                        \
	put(w, prefix##IoFileProperty);                                                            \
	put(w, prefix##IoRegularFile);                                                             \
	put(w, prefix##IoDirectory);                                                               \
	put(w, prefix##IoHandle);                                                                  \
	put(w, prefix##IoPreCreatedHandleState);                                                   \
	put(w, prefix##CallpathParameter);                                                         \
	put(w, prefix##InterComm);

void put_definitions(OTF2_GlobalDefWriter *w)
{
	put(w, OTF2_GlobalDefWriter_WriteClockProperties);
	put(w, OTF2_GlobalDefWriter_WriteParadigm);
	put(w, OTF2_GlobalDefWriter_WriteParadigmProperty);
	put(w, OTF2_GlobalDefWriter_WriteIoParadigm);
	PUT_DEFINITIONS(w, OTF2_GlobalDefWriter_Write);
}

void put_local_definitions(OTF2_DefWriter *w)
{
	put(w, OTF2_DefWriter_WriteMappingTable);
	put(w, OTF2_DefWriter_WriteClockOffset);
	PUT_DEFINITIONS(w, OTF2_DefWriter_Write);
}

TEST(ArchiveWriter, AllItsRecordsAreRead)
{
	static const OTF2_FlushCallbacks flush = {[](void *, OTF2_FileType, OTF2_LocationRef,
						     void *,
						     bool) -> OTF2_FlushType { return OTF2_FLUSH; },
						  nullptr};
	ScratchDir scratch;
	const std::string dir = scratch.path("trace");
	OTF2_Archive *archive = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE,
						  1 << 20, 1 << 20, OTF2_SUBSTRATE_POSIX,
						  OTF2_COMPRESSION_NONE);
	archive_report report;
	struct error err;

	OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, 0);
	put_events(w);
	uint64_t events;
	OTF2_EvtWriter_GetNumberOfEvents(w, &events);
	OTF2_Archive_CloseEvtWriter(archive, w);
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_OpenDefFiles(archive);
	OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, 0);
	put_local_definitions(local);
	OTF2_Archive_CloseDefWriter(archive, local);
	OTF2_Archive_CloseDefFiles(archive);
	OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
	OTF2_GlobalDefWriter_WriteLocation(d, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
	put_definitions(d);
	uint64_t definitions;
	OTF2_GlobalDefWriter_GetNumberOfDefinitions(d, &definitions);
	OTF2_MarkerWriter *m = OTF2_Archive_GetMarkerWriter(archive);
	put(m, OTF2_MarkerWriter_WriteDefMarker);
	put(m, OTF2_MarkerWriter_WriteMarker);
	OTF2_Archive_CloseMarkerWriter(archive, m);
	OTF2_Archive_Close(archive);

	ASSERT_EQ(archive_verify(dir.c_str(), &report, &err), 0) << err.text;
	/* Of a file that is refused none is read. */
	EXPECT_EQ(report.events, events);
	EXPECT_EQ(report.markers, 1u);
	EXPECT_EQ(report.definitions, definitions);
}

} // namespace
