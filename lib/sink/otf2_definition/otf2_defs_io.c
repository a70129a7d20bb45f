/*
 * otf2_defs_io: I/O paradigms, files and handles; properties of the archive that say which data is missing, and trace properties
 * with the counters.
 */
#include "otf2_define.h"
#include "otf2_defs.h"
#include "otf2_flags.h"
#include "otf2_text.h"
#include "otf2_use.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifndef IOTRACE_VERSION
#define IOTRACE_VERSION "(unknown version)"
#endif

enum { PROPERTY_SIZE = 128 };

static uint32_t paradigm_of(const struct trace_handle *handle)
{
	return handle->is_span ? PARADIGM_SPAN : handle->is_block ? PARADIGM_BLOCK : PARADIGM_POSIX;
}

/* Only as many as the handles need. */
static uint32_t last_paradigm(const struct sink *sink)
{
	uint32_t last = PARADIGM_POSIX;

	for (handle_id h = 0; h < trace_handles(sink->trace); h++) {
		cold_pass(trace_cold(sink->trace), h);
		uint32_t paradigm = paradigm_of(trace_handle(sink->trace, h));

		last = paradigm > last ? paradigm : last;
	}
	return last;
}

/* Readers recognise POSIX by this identification, class and flag. lo2s has introduced the name for the block layer. */
static bool write_paradigms(struct sink *sink)
{
	static const struct {
		const char *identification, *name;
	} row[] = {[PARADIGM_POSIX] = {"POSIX", "POSIX I/O"},
		   [PARADIGM_BLOCK] = {"block_io", "Block I/O"},
		   [PARADIGM_SPAN] = {"span", "Spans of iotrace"}};
	uint32_t rows = last_paradigm(sink) + 1;
	bool good = true;

	for (uint32_t i = 0; i < rows; i++)
		good &= is_good(OTF2_GlobalDefWriter_WriteIoParadigm(
			sink->definitions, i, define_text(sink, row[i].identification),
			define_text(sink, row[i].name), OTF2_IO_PARADIGM_CLASS_SERIAL,
			OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL));
	return good;
}

static bool has_file(const struct sink *sink, const struct trace_handle *handle)
{
	return handle->file < trace_files(sink->trace) && !handle->is_all_proxy;
}

/* Adds the files that events have not used yet. */
static void use_files_of_handles(struct sink *sink)
{
	for (handle_id h = 0; h < trace_handles(sink->trace); h++) {
		cold_pass(trace_cold(sink->trace), h);
		const struct trace_handle *handle = trace_handle(sink->trace, h);

		if (has_file(sink, handle))
			otf2_file(sink, handle->file);
	}
}

static bool write_files(struct sink *sink)
{
	OTF2_GlobalDefWriter *w = sink->definitions;
	bool good = true;

	for (OTF2_IoFileRef f = 0; f < sink->file_refs; f++) {
		cold_pass(trace_cold(sink->trace), f);
		const struct trace_file *file = trace_file(sink->trace, sink->file_of_ref[f]);
		OTF2_StringRef name = define_str(sink, file->path);

		good &= is_good(
			file->kind == FILE_DIRECTORY
				? OTF2_GlobalDefWriter_WriteIoDirectory(w, f, name, NODE_HOST)
				: OTF2_GlobalDefWriter_WriteIoRegularFile(w, f, name, NODE_HOST));
	}
	return good;
}

static bool write_properties_of(struct sink *sink, OTF2_IoFileRef f)
{
	const struct trace_file *file = trace_file(sink->trace, sink->file_of_ref[f]);
	const struct trace_mount *mount = file->mount < trace_mounts(sink->trace)
						  ? trace_mount(sink->trace, file->mount)
						  : NULL;
	const struct property property[] = {
		{"File system",
		 mount,
		 OTF2_TYPE_STRING,
		 {.stringRef = mount ? define_str(sink, mount->type) : 0}},
		{"Mount Point",
		 mount,
		 OTF2_TYPE_STRING,
		 {.stringRef = mount ? define_str(sink, mount->mount_point) : 0}},
		{"Mount Source",
		 mount,
		 OTF2_TYPE_STRING,
		 {.stringRef = mount ? define_str(sink, mount->source) : 0}},
		/* Another file of the archive may have had the same path later. */
		{"Deleted",
		 file->is_deleted,
		 OTF2_TYPE_STRING,
		 {.stringRef = define_text(sink, "yes")}},
	};

	return define_properties(sink, OTF2_GlobalDefWriter_WriteIoFileProperty, f, property,
				 sizeof(property) / sizeof(*property));
}

static bool write_file_properties(struct sink *sink)
{
	bool good = true;

	for (OTF2_IoFileRef f = 0; f < sink->file_refs; f++) {
		cold_pass(trace_cold(sink->trace), f);
		good &= write_properties_of(sink, f);
	}
	return good;
}

static OTF2_IoHandleFlag handle_flags(const struct trace_handle *handle)
{
	return (handle->is_pre_created ? OTF2_IO_HANDLE_FLAG_PRE_CREATED : 0u) |
	       (handle->is_all_proxy ? OTF2_IO_HANDLE_FLAG_ALL_PROXY : 0u);
}

static bool write_handles(struct sink *sink)
{
	OTF2_GlobalDefWriter *w = sink->definitions;
	bool good = true;

	for (handle_id h = 0; h < trace_handles(sink->trace); h++) {
		cold_pass(trace_cold(sink->trace), h);
		const struct trace_handle *handle = trace_handle(sink->trace, h);
		bool is_of_file = has_file(sink, handle);
		str_id name = handle->name || !is_of_file
				      ? handle->name
				      : trace_file(sink->trace, handle->file)->path;

		good &= is_good(OTF2_GlobalDefWriter_WriteIoHandle(
			w, h, define_str(sink, name),
			is_of_file ? otf2_file(sink, handle->file) : OTF2_UNDEFINED_IO_FILE,
			paradigm_of(handle), handle_flags(handle), OTF2_UNDEFINED_COMM,
			OTF2_UNDEFINED_IO_HANDLE));
	}
	for (handle_id h = 0; h < trace_handles(sink->trace); h++) {
		cold_pass(trace_cold(sink->trace), h);
		const struct trace_handle *handle = trace_handle(sink->trace, h);

		if (handle->is_pre_created && !handle->is_all_proxy)
			good &= is_good(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
				w, h, otf2_access_mode(handle->pre_flags),
				otf2_status_flags(handle->pre_flags)));
	}
	return good;
}

bool otf2_write_io_definitions(struct sink *sink)
{
	use_files_of_handles(sink);
	return write_paradigms(sink) && write_files(sink) && write_file_properties(sink) &&
	       write_handles(sink) && sink->library_code == OTF2_SUCCESS;
}

static void set_number(struct sink *sink, const char *key, uint64_t number)
{
	char name[PROPERTY_SIZE], value[24];

	snprintf(name, sizeof(name), "IOTRACE::%s", key);
	for (char *c = name; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	snprintf(value, sizeof(value), "%" PRIu64, number);
	OTF2_Archive_SetProperty(sink->archive, name, value, true);
}

/* OTF2 requires capitals: IOTRACE::BEGUN is the counter `begun`. */
void otf2_write_properties(struct sink *sink)
{
	const struct trace_host *host = trace_host(sink->trace);
	OTF2_StringRef line = define_words(sink, host->argv, host->is_argv_cut);
	OTF2_StringRef name = otf2_text(sink, trace_text(sink->trace, host->hostname));

	OTF2_Archive_SetCreator(sink->archive, "iotrace " IOTRACE_VERSION);
	if (strtab_length(sink->strings, name))
		OTF2_Archive_SetMachineName(sink->archive, strtab_text(sink->strings, name));
	if (strtab_length(sink->strings, line))
		OTF2_Archive_SetDescription(sink->archive, strtab_text(sink->strings, line));
	for (uint32_t i = 0; sink->tally && i < TALLY_COUNT; i++)
		set_number(sink, tally_name(i), sink->tally->n[i]);
	set_number(sink, "processes_seen", host->processes_seen);
	set_number(sink, "threads_seen", host->threads_seen);
	set_number(sink, "events_not_written", sink->not_written);
	set_number(sink, "events_refused", sink->refused);
	set_number(sink, "ends_early", sink->is_stopped);
}
