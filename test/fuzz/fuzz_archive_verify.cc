/*
 * Fuzz target: the files of an archive, verified and read back.
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

/* What an io_event names is defined. */
void check(void *context, const struct io_event *event)
{
	const struct trace *trace = static_cast<struct trace *>(context);
	bool is_region = event->kind == IO_ENTER || event->kind == IO_LEAVE;

	if (event->kind >= IO_EVENT_KINDS || event->thread >= trace->threads ||
	    trace->thread[event->thread].process >= trace->processes ||
	    (event->handle != ID_NONE && event->handle >= trace->handles) ||
	    (is_region && (event->region.id >= trace->regions ||
			   (event->region.file != ID_NONE && event->region.file >= trace->files) ||
			   event->region.path >= strtab_count(trace->strings))) ||
	    (event->kind == IO_METRIC && event->metric.series >= trace->series_count) ||
	    (event->kind == IO_PARAMETER && event->parameter.parameter >= trace->parameters) ||
	    (event->kind == IO_DELETE_FILE && event->delete_file.file >= trace->files))
		abort();
}

void read_back(const std::string &dir)
{
	struct trace trace;
	struct tally tally = {};
	struct archive_source source = {};
	error err;

	trace_init(&trace);
	source.dir = dir.c_str();
	source.trace = &trace;
	source.tally = &tally;
	source.on_event = check;
	source.context = &trace;
	archive_read(&source, &err);
	for (uint32_t i = 0; i < trace.handles; i++)
		if (trace.handle[i].file != ID_NONE && trace.handle[i].file >= trace.files)
			abort();
	for (uint32_t i = 0; i < trace.processes; i++)
		if ((trace.process[i].parent != ID_NONE &&
		     trace.process[i].parent >= trace.processes) ||
		    (trace.process[i].kind == TRACE_DEVICE &&
		     trace.process[i].device >= trace.devices))
			abort();
	trace_release(&trace);
}

} // namespace

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
	archive_verify(dir.c_str(), &report, &err);
	read_back(dir);
	std::filesystem::remove_all(dir);
	return 0;
}
