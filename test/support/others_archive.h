/*
 * others_archive: an archive as a profiler of MPI programs might write it. References have arbitrary numbers, and come before
 * their definitions. The clock counts microseconds, there are two hosts, matching ids are unique for each handle only, and one
 * layer of I/O calls the other.
 */
#ifndef OTHERS_ARCHIVE_H
#define OTHERS_ARCHIVE_H

#include "scratch_dir.h"

#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <map>
#include <string>

class OthersArchive : public ::testing::Test
{
      protected:
	ScratchDir dir;
	std::string path = dir.path("a");
	OTF2_Archive *archive = nullptr;
	OTF2_GlobalDefWriter *defs = nullptr;
	OTF2_EvtWriter *rank[2] = {};

	enum : uint32_t {
		STRINGS = 100,
		TREE = 40,
		GROUP = 1000,
		REGION = 7000,
		PARADIGM = 5,
		FILES = 900,
		HANDLE = 3000
	};
	static constexpr uint64_t LOCATION = 1ULL << 40;

	static OTF2_FlushType before(void *, OTF2_FileType, OTF2_LocationRef, void *, bool)
	{
		return OTF2_FLUSH;
	}

	OTF2_StringRef string(const std::string &text)
	{
		static const OTF2_StringRef first = STRINGS;
		auto found = text_.find(text);

		if (found != text_.end())
			return found->second;
		OTF2_StringRef ref = first + 3 * static_cast<OTF2_StringRef>(text_.size());

		text_[text] = ref;
		OTF2_GlobalDefWriter_WriteString(defs, ref, text.c_str());
		return ref;
	}

	void SetUp() override
	{
		static const OTF2_FlushCallbacks flush = {before, nullptr};

		archive = OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20,
					    4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
		ASSERT_NE(archive, nullptr);
		OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
		OTF2_Archive_SetSerialCollectiveCallbacks(archive);
		OTF2_Archive_SetCreator(archive, "another program");
		OTF2_Archive_OpenEvtFiles(archive);
		for (uint64_t i = 0; i < 2; i++)
			rank[i] = OTF2_Archive_GetEvtWriter(archive, LOCATION + i);
		defs = OTF2_Archive_GetGlobalDefWriter(archive);
	}

	void define()
	{
		OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000, 1000, 9000,
							  OTF2_UNDEFINED_TIMESTAMP);
		for (uint32_t i = 0; i < 2; i++) {
			std::string number = std::to_string(i);
			uint64_t events;

			OTF2_EvtWriter_GetNumberOfEvents(rank[i], &events);
			OTF2_GlobalDefWriter_WriteLocation(defs, LOCATION + i,
							   string("Master thread"),
							   OTF2_LOCATION_TYPE_CPU_THREAD, events,
							   GROUP + 10 * i);
			OTF2_GlobalDefWriter_WriteLocationGroup(defs, GROUP + 10 * i,
								string("MPI Rank " + number),
								OTF2_LOCATION_GROUP_TYPE_PROCESS,
								TREE + i,
								OTF2_UNDEFINED_LOCATION_GROUP);
			OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, TREE + i,
								 string("host" + number),
								 string("node"),
								 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		}
		region(0, "MPI_File_write_at", OTF2_REGION_ROLE_FILE_IO);
		region(1, "pwrite64", OTF2_REGION_ROLE_FILE_IO);
		region(2, "main", OTF2_REGION_ROLE_FUNCTION);
		handle(0, "MPI-IO", 1);
		handle(1, "POSIX", 1);
		OTF2_GlobalDefWriter_WriteIoRegularFile(defs, FILES + 1, string("/scratch/out"),
							TREE);
	}

	void region(uint32_t id, const char *name, OTF2_RegionRole role)
	{
		OTF2_GlobalDefWriter_WriteRegion(defs, REGION - id, string(name), string(name),
						 OTF2_UNDEFINED_STRING, role, OTF2_PARADIGM_MPI,
						 OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
						 0);
	}

	void handle(uint32_t id, const char *paradigm, uint32_t file)
	{
		OTF2_GlobalDefWriter_WriteIoParadigm(defs, PARADIGM + id, string(paradigm),
						     string(paradigm),
						     OTF2_IO_PARADIGM_CLASS_PARALLEL,
						     OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr,
						     nullptr, nullptr);
		OTF2_GlobalDefWriter_WriteIoHandle(defs, HANDLE + 50 * id, string(paradigm),
						   FILES + file, PARADIGM + id,
						   OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
						   OTF2_UNDEFINED_IO_HANDLE);
	}

	void enter(int on, uint64_t time, uint32_t region)
	{
		OTF2_EvtWriter_Enter(rank[on], nullptr, time, REGION - region);
	}

	void leave(int on, uint64_t time, uint32_t region)
	{
		OTF2_EvtWriter_Leave(rank[on], nullptr, time, REGION - region);
	}

	void begin(int on, uint64_t time, uint32_t handle, uint64_t bytes, uint64_t id,
		   OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE)
	{
		OTF2_EvtWriter_IoOperationBegin(rank[on], nullptr, time, HANDLE + 50 * handle,
						OTF2_IO_OPERATION_MODE_WRITE, flags, bytes, id);
	}

	void complete(int on, uint64_t time, uint32_t handle, uint64_t bytes, uint64_t id)
	{
		OTF2_EvtWriter_IoOperationComplete(rank[on], nullptr, time, HANDLE + 50 * handle,
						   bytes, id);
	}

	void create(int on, uint64_t time, uint32_t handle)
	{
		OTF2_EvtWriter_IoCreateHandle(rank[on], nullptr, time, HANDLE + 50 * handle,
					      OTF2_IO_ACCESS_MODE_WRITE_ONLY,
					      OTF2_IO_CREATION_FLAG_CREATE,
					      OTF2_IO_STATUS_FLAG_APPEND);
	}

	/* The archive is complete. */
	void close()
	{
		define();
		for (auto &writer : rank)
			OTF2_Archive_CloseEvtWriter(archive, writer);
		OTF2_Archive_CloseEvtFiles(archive);
		OTF2_Archive_CloseGlobalDefWriter(archive, defs);
		OTF2_Archive_Close(archive);
	}

      private:
	std::map<std::string, OTF2_StringRef> text_;
};

#endif
