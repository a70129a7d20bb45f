/*
 * otf2_events: prints a number for the form in which the OTF2 library writes event files.
 *
 * iotrace writes these files by itself (lib/sink/otf2_writer/otf2_record.h), in the form that the library has. So the configuration runs this
 * program: it lets the library write all records that iotrace writes, with short and long numbers, and prints a hash of the file.
 * usage: otf2_events DIRECTORY, which must not exist.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
			    bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static void put(OTF2_EvtWriter *w, OTF2_AttributeList *list, uint64_t time, uint64_t n)
{
	OTF2_Type type[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64};
	OTF2_MetricValue value[] = {{.unsigned_int = n}, {.unsigned_int = ~n}};
	OTF2_StringRef words[] = {1, (uint32_t)n, 3};
	uint32_t ref = (uint32_t)n;

	OTF2_AttributeList_AddUint64(list, 0, n);
	OTF2_AttributeList_AddInt32(list, 1, -(int32_t)(n & 0xff));
	OTF2_AttributeList_AddStringRef(list, 2, ref);
	OTF2_AttributeList_AddIoFileRef(list, 3, ref);
	OTF2_AttributeList_AddIoHandleRef(list, 4, ref);
	OTF2_EvtWriter_ProgramBegin(w, list, time, ref, 3, words);
	OTF2_EvtWriter_ThreadBegin(w, NULL, time + 1, ref, n);
	OTF2_EvtWriter_Enter(w, NULL, time + 2, ref);
	OTF2_EvtWriter_IoCreateHandle(w, NULL, time + 2, ref, OTF2_IO_ACCESS_MODE_READ_WRITE,
				      OTF2_IO_CREATION_FLAG_CREATE, OTF2_IO_STATUS_FLAG_APPEND);
	OTF2_EvtWriter_IoDuplicateHandle(w, NULL, time + 3, ref, 1, 0);
	OTF2_EvtWriter_IoSeek(w, NULL, time + 4, ref, -(int64_t)n, OTF2_IO_SEEK_FROM_END, n);
	OTF2_EvtWriter_IoChangeStatusFlags(w, NULL, time + 5, ref,
					   OTF2_IO_STATUS_FLAG_NON_BLOCKING);
	OTF2_EvtWriter_IoDeleteFile(w, NULL, time + 6, 0, ref);
	OTF2_AttributeList_AddUint64(list, 0, n);
	OTF2_EvtWriter_IoOperationBegin(w, list, time + 7, ref, OTF2_IO_OPERATION_MODE_WRITE,
					OTF2_IO_OPERATION_FLAG_NON_BLOCKING, n, n);
	OTF2_EvtWriter_IoOperationIssued(w, NULL, time + 8, ref, n);
	OTF2_EvtWriter_IoOperationComplete(w, NULL, time + 9, ref, n, n);
	OTF2_EvtWriter_IoOperationCancelled(w, NULL, time + 9, ref, n);
	OTF2_EvtWriter_IoAcquireLock(w, NULL, time + 9, ref, OTF2_LOCK_SHARED);
	OTF2_EvtWriter_IoTryLock(w, NULL, time + 9, ref, OTF2_LOCK_EXCLUSIVE);
	OTF2_EvtWriter_IoReleaseLock(w, NULL, time + 9, ref, OTF2_LOCK_SHARED);
	OTF2_EvtWriter_Metric(w, NULL, time + 10, ref, 2, type, value);
	OTF2_EvtWriter_ParameterString(w, NULL, time + 11, ref, 7);
	OTF2_EvtWriter_Leave(w, NULL, time + 12, ref);
	OTF2_EvtWriter_ThreadEnd(w, NULL, time + 13, ref, n);
	OTF2_EvtWriter_ProgramEnd(w, NULL, time + 14, (int64_t)n);
}

static int print_hash(const char *directory)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	char path[4096];
	FILE *file;
	int byte;

	snprintf(path, sizeof(path), "%s/traces/0.evt", directory);
	file = fopen(path, "rb");
	if (!file)
		return EXIT_FAILURE;
	while ((byte = fgetc(file)) != EOF)
		hash = (hash ^ (unsigned)byte) * UINT64_C(1099511628211);
	fclose(file);
	printf("%016" PRIx64 "\n", hash);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const OTF2_FlushCallbacks callbacks = {flush, NULL};
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	OTF2_Archive *archive;
	OTF2_EvtWriter *w;

	if (argc != 2)
		return EXIT_FAILURE;
	archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 256 * 1024, 256 * 1024,
				    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!archive)
		return EXIT_FAILURE;
	OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	w = OTF2_Archive_GetEvtWriter(archive, 0);
	for (uint64_t i = 0; i < 6400; i++) /* several chunks */
		put(w, list, 100 * i, i % 65 ? UINT64_MAX >> (i % 65 - 1) : 0);
	OTF2_Archive_CloseEvtWriter(archive, w);
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_Close(archive);
	OTF2_AttributeList_Delete(list);
	return print_hash(argv[1]);
}
