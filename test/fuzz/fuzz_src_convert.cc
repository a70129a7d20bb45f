/*
 * Fuzz target: the whole way of `iotrace convert`: a capture becomes an archive, whatever the capture is, and the archive has no
 * fault. A capture that breaks off gives an archive of what came before.
 */
#include "scratch_dir.h"

#include <iotrace/archive.h>
#include <iotrace/books.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/sink.h>

#include "run/output.h"
#include "run/run.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace
{

/* Makes the archive, with its iotrace.json. Returns whether it is there. */
bool convert(const char *capture, const char *archive)
{
	output_options options = {};
	output out = {};
	run_source source = {};
	error err = {};
	bool is_made = false;

	log_set_level(LOG_ERROR);
	output_options_init(&options);
	options.is_quiet = true;
	options.summary.kind = OUTPUT_NONE;
	out.options = &options;
	out.path = archive;
	out.run = run_new();
	source.path = capture;
	if (!output_open(&out, &err)) {
		int rc = run_convert(out.run, &source, &err);

		is_made = !output_close(&out, rc == RUN_COMPLETE, &err);
	} else {
		output_discard(&out);
	}
	run_free(out.run);
	return is_made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static ScratchDir scratch("/dev/shm");
	int fd = memfd_create("capture", MFD_CLOEXEC);
	const std::string capture = "/proc/self/fd/" + std::to_string(fd);
	const std::string archive = scratch.path("archive");
	archive_report report;
	error err;

	if (write(fd, data, size) == static_cast<ssize_t>(size) &&
	    convert(capture.c_str(), archive.c_str())) {
		if (archive_verify(archive.c_str(), &report, &err)) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
		if (report.findings) {
			fprintf(stderr, "%s\n", report.finding[0]);
			abort();
		}
	}
	std::filesystem::remove_all(archive);
	close(fd);
	return 0;
}
