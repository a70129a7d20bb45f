/*
 * Fuzz target: the files of an archive, read back and verified.
 *
 * An input is a row of files: a byte that chooses the name, the size in four bytes, the contents. What the last one lacks is
 * not there. test/fuzz/pack makes such an input of an archive.
 */
#include "scratch_dir.h"

#include <iotrace/archive.h>
#include <iotrace/error.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

const char *const names[] = {"traces.otf2",  "traces.def",   "iotrace.json", "traces.marker",
			     "traces/0.evt", "traces/0.def", "traces/1.evt", "traces/1.def",
			     "traces/2.evt", "traces/2.def"};

void put(const std::string &path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path.c_str(), "wb");

	if (!file || (size && fwrite(data, size, 1, file) != 1) || fclose(file))
		abort();
}

} // namespace

/* The library neither frees nor closes what it had of an archive that it could not read to its end. */
extern "C" const char *__lsan_default_suppressions()
{
	return "leak:libopen-trace-format2";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static ScratchDir scratch("/dev/shm");
	const std::string dir = scratch.path("archive");
	archive_report report;
	error err;

	mkdir(dir.c_str(), 0700);
	mkdir((dir + "/traces").c_str(), 0700);
	while (size > 5) {
		const char *name = names[data[0] % (sizeof(names) / sizeof(names[0]))];
		uint32_t wanted;

		memcpy(&wanted, data + 1, sizeof(wanted));
		data += 5;
		size -= 5;
		if (wanted > size)
			wanted = static_cast<uint32_t>(size);
		put(dir + "/" + name, data, wanted);
		data += wanted;
		size -= wanted;
	}
	const int first = dup(STDERR_FILENO);

	archive_verify(dir.c_str(), &report, &err);
	close_range(static_cast<unsigned>(first), ~0U, 0);
	std::filesystem::remove_all(dir);
	return 0;
}
