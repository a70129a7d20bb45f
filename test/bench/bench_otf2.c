/*
 * bench_otf2: what it takes the OTF2 library to write the events of an archive, beside iotrace's own writer.
 *
 *	bench_otf2 ARCHIVE [DIRECTORY]
 *
 * Reads ARCHIVE/traces.otf2 of `iotrace`, and writes its operations, ENTER and LEAVE into a new archive. Prints the number of
 * records and the CPU time that the writing took, which is that of a run with DIRECTORY less that of a run without.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct copy {
	OTF2_Archive *archive; /* NULL: events are read only */
	OTF2_Reader *reader;
	OTF2_EvtWriter **to; /* lent; by location */
	uint64_t locations, records;
};

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
			    bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

#define ARGUMENTS                                                                                  \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,             \
		OTF2_AttributeList *list
#define COPY(call, ...)                                                                            \
	struct copy *copy = data;                                                                  \
	(void)position;                                                                            \
	copy->records++;                                                                           \
	if (copy->archive)                                                                         \
		OTF2_EvtWriter_##call(copy->to[location], list, time, __VA_ARGS__);                \
	return OTF2_CALLBACK_SUCCESS

static OTF2_CallbackCode enter(ARGUMENTS, OTF2_RegionRef region)
{
	COPY(Enter, region);
}

static OTF2_CallbackCode leave(ARGUMENTS, OTF2_RegionRef region)
{
	COPY(Leave, region);
}

static OTF2_CallbackCode begin(ARGUMENTS, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
			       OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t id)
{
	COPY(IoOperationBegin, handle, mode, flags, bytes, id);
}

static OTF2_CallbackCode complete(ARGUMENTS, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
{
	COPY(IoOperationComplete, handle, bytes, id);
}

static OTF2_CallbackCode open_location(void *data, OTF2_LocationRef location, OTF2_StringRef name,
				       OTF2_LocationType type, uint64_t events,
				       OTF2_LocationGroupRef group)
{
	struct copy *copy = data;

	(void)name, (void)type, (void)events, (void)group;
	if (location >= copy->locations) {
		copy->locations = location + 1;
		copy->to = realloc(copy->to, copy->locations * sizeof(*copy->to));
	}
	copy->to[location] = copy->archive ? OTF2_Archive_GetEvtWriter(copy->archive, location)
					   : NULL;
	OTF2_Reader_SelectLocation(copy->reader, location);
	return OTF2_CALLBACK_SUCCESS;
}

static void open_archive(struct copy *copy, const char *directory)
{
	static const OTF2_FlushCallbacks callbacks = {flush, NULL};

	copy->archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 256 * 1024,
					  256 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(copy->archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(copy->archive);
	OTF2_Archive_OpenEvtFiles(copy->archive);
}

static void read_definitions(struct copy *copy)
{
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(copy->reader);
	uint64_t ignored;

	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, open_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(copy->reader, reader, callbacks, copy);
	OTF2_Reader_ReadAllGlobalDefinitions(copy->reader, reader, &ignored);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

static void read_events(struct copy *copy)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	uint64_t ignored;

	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, leave);
	OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, begin);
	OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, complete);
	OTF2_Reader_OpenEvtFiles(copy->reader);
	for (uint64_t i = 0; i < copy->locations; i++) {
		OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(copy->reader, i);

		OTF2_Reader_RegisterEvtCallbacks(copy->reader, reader, callbacks, copy);
		OTF2_Reader_ReadAllLocalEvents(copy->reader, reader, &ignored);
		OTF2_Reader_CloseEvtReader(copy->reader, reader);
	}
	OTF2_Reader_CloseEvtFiles(copy->reader);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct copy copy = {0};
	char anchor[4096];
	double begun;

	if (argc < 2 || argc > 3)
		return EXIT_FAILURE;
	snprintf(anchor, sizeof(anchor), "%s/traces.otf2", argv[1]);
	copy.reader = OTF2_Reader_Open(anchor);
	if (!copy.reader)
		return EXIT_FAILURE;
	OTF2_Reader_SetSerialCollectiveCallbacks(copy.reader);
	if (argc == 3)
		open_archive(&copy, argv[2]);
	read_definitions(&copy);
	begun = cpu_seconds();
	read_events(&copy);
	for (uint64_t i = 0; copy.archive && i < copy.locations; i++)
		OTF2_Archive_CloseEvtWriter(copy.archive, copy.to[i]);
	printf("%" PRIu64 " records, %.3f s\n", copy.records, cpu_seconds() - begun);
	if (copy.archive) {
		OTF2_Archive_CloseEvtFiles(copy.archive);
		OTF2_Archive_Close(copy.archive);
	}
	OTF2_Reader_Close(copy.reader);
	free(copy.to);
	return EXIT_SUCCESS;
}
