/*
 * otf2: writes the OTF2 archive.
 *
 * Events are written as they arrive, to one file for each location, which is closed when its thread ends. Definitions are written
 * at close, from the arrays of the trace. The archive grows in a hidden directory beside PATH (place.h) and becomes PATH when it
 * is complete. When the disk is full or a write fails, no further calls are written, and what was converted becomes a valid
 * archive that says where it ends.
 */
#include "otf2.h"
#include "otf2_definition/otf2_defs.h"
#include "otf2_definition/otf2_mark.h"
#include "otf2_definition/otf2_use.h"
#include "sinks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the errno of the failure. */
static int trouble(const struct sink *sink)
{
	if (sink->write_code)
		return sink->write_code;
	return sink->library_errno ? sink->library_errno : EIO;
}

/* Closes the location. Afterwards its events are on disk, or were cut off and counted. */
static void location_close(struct sink *sink, OTF2_LocationRef ref)
{
	struct location *location = &sink->location[ref];
	int code = otf2_file_close(sink, location);

	if (!code) {
		location->state = LOCATION_ENDED;
		return;
	}
	sink->write_code = -code;
	otf2_stop(sink, -code, location->last_time);
	sink->not_written += location->events - location->flushed_events;
	location->events = location->flushed_events;
	location->state = LOCATION_CLOSED;
}

static void location_open(struct sink *sink, thread_id thread, uint64_t time)
{
	otf2_file_open(sink, &sink->location[thread]);
	otf2_check_space(sink, time);
}

/* Tracks which regions and programs are open after the event. */
static void nest(struct sink *sink, struct location *location, const struct io_event *event)
{
	struct nest *nest = &location->nest;

	if (event->kind == IO_ENTER && nest->depth++ < NEST_MOST)
		nest->region[nest->depth - 1] = otf2_region(sink, event->region.id);
	else if (event->kind == IO_LEAVE && nest->depth)
		nest->depth--;
	else if (event->kind == IO_THREAD_END || event->kind == IO_PROGRAM_END)
		location_close(sink, event->thread);
}

static inline void written(struct sink *sink, struct location *location,
			   const struct io_event *event)
{
	location->events++;
	if (event->kind <= IO_LEAVE)
		nest(sink, location, event);
}

/* After a failed write, the location takes no further events. Any other refusal concerns one record. */
static void refused(struct sink *sink, struct location *location)
{
	if (location->state != LOCATION_TORN) {
		sink->refused++;
		return;
	}
	sink->not_written++;
	otf2_stop(sink, trouble(sink), location->last_time);
}

/* Returns whether the event is written. A call that has begun may end, so that the archive has only complete calls. */
static bool is_taken(struct sink *sink, const struct location *location,
		     const struct io_event *event)
{
	if (location->state == LOCATION_TORN || location->state == LOCATION_CLOSED ||
	    (sink->is_stopped && location->nest.depth == 0)) {
		sink->not_written++;
		return false;
	}
	bool is_begin = event->kind == IO_PROGRAM_BEGIN, is_end = event->kind == IO_PROGRAM_END;

	/* OTF2 requires that each comes once, and in pairs */
	if (location->state == LOCATION_ENDED || (is_begin && location->had_program) ||
	    (is_end && !location->nest.in_program)) {
		sink->refused++;
		return false;
	}
	return true;
}

/* Returns whether the event can be written. */
__attribute__((noinline, cold)) static bool is_writable(struct sink *sink,
							const struct io_event *event)
{
	if (event->kind == IO_LOST || event->kind == IO_MARK) {
		otf2_mark(sink, event);
		return false;
	}
	if (event->thread >= trace_threads(sink->trace)) {
		sink->refused++;
		return false;
	}
	MEM_GROW(sink->location, sink->location_capacity, event->thread + 1);
	struct location *location = &sink->location[event->thread];

	if (!is_taken(sink, location, event))
		return false;
	if (location->state == LOCATION_NEW)
		location_open(sink, event->thread, event->time);
	if (event->time < sink->first_time)
		sink->first_time = event->time;
	return true;
}

static void otf2_event(struct sink *sink, const struct io_event *event)
{
	bool is_plain = event->thread < sink->location_capacity && event->kind > IO_PROGRAM_END &&
			!sink->is_stopped && sink->location[event->thread].state == LOCATION_OPEN;

	if (!is_plain && !is_writable(sink, event))
		return;
	struct location *location = &sink->location[event->thread];
	uint64_t time = event->time < location->last_time ? location->last_time : event->time;

	if (otf2_write_event(sink, location, event, time))
		written(sink, location, event);
	else
		refused(sink, location);
}

static bool otf2_failed(const struct sink *sink)
{
	return sink->is_stopped;
}

/* OTF2 requires an end for each program that began. If no end was recorded, its status is undefined. */
static void end_program(struct sink *sink, struct location *location)
{
	if (!location->nest.in_program || location->state != LOCATION_OPEN || location->nest.depth)
		return;
	if (otf2_write_program_end(sink, location, OTF2_UNDEFINED_INT64, location->last_time))
		location->events++;
}

static bool is_empty(const struct trace *trace)
{
	for (thread_id t = 0; t < trace_threads(trace); t++)
		if (!trace_thread(trace, t)->is_excluded)
			return false;
	return true;
}

/* Every location of the trace is defined, so each gets its files, even if no event of it was written. */
static void close_locations(struct sink *sink)
{
	uint32_t locations = otf2_locations(sink);
	OTF2_LocationRef next = 0;

	MEM_GROW(sink->location, sink->location_capacity, locations);
	for (thread_id t = 0; t < locations; t++) {
		struct location *location = &sink->location[t];

		if (!otf2_is_defined(sink, t))
			continue;
		location->ref = next++;
		if (location->last_time > sink->last_time)
			sink->last_time = location->last_time;
		if (location->state == LOCATION_NEW)
			otf2_file_open(sink, location);
		end_program(sink, location);
		if (location->state == LOCATION_OPEN || location->state == LOCATION_TORN)
			location_close(sink, t);
	}
}

/* Without its (empty) file of local definitions, readers need megabytes for a location. */
static bool write_local_definitions(struct sink *sink)
{
	bool good = OTF2_Archive_OpenDefFiles(sink->archive) == OTF2_SUCCESS;

	for (thread_id t = 0; good && t < otf2_locations(sink); t++) {
		if (!otf2_is_defined(sink, t))
			continue;
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(sink->archive,
								   sink->location[t].ref);

		good = writer && OTF2_Archive_CloseDefWriter(sink->archive, writer) == OTF2_SUCCESS;
	}
	return OTF2_Archive_CloseDefFiles(sink->archive) == OTF2_SUCCESS && good;
}

/* Gives the event files numbers without gaps. */
static int rename_locations(struct sink *sink)
{
	int code = 0;

	for (thread_id t = 0; !code && t < otf2_locations(sink); t++)
		if (otf2_is_defined(sink, t) && sink->location[t].ref != t)
			code = otf2_file_rename(sink, t, sink->location[t].ref);
	return code;
}

static int finish(struct sink *sink, struct error *err)
{
	sink->is_empty = is_empty(sink->trace);
	/* Errors from here on have another cause than the one that ended the events. */
	close_locations(sink);
	OTF2_Archive_CloseEvtFiles(sink->archive);
	space_release(&sink->space);
	int code = otf2_repair(sink);

	if (!code)
		code = rename_locations(sink);
	if (code)
		return error_set(err, -code, "cannot complete the event files in %s", sink->part);
	sink->library_code = OTF2_SUCCESS;
	sink->write_code = 0;
	sink->definitions = OTF2_Archive_GetGlobalDefWriter(sink->archive);
	otf2_write_properties(sink);
	if (!sink->definitions || !write_local_definitions(sink) || !otf2_write_definitions(sink) ||
	    !otf2_write_io_definitions(sink) || !otf2_write_markers(sink) ||
	    OTF2_Archive_CloseGlobalDefWriter(sink->archive, sink->definitions) != OTF2_SUCCESS)
		return error_say(err, trouble(sink), "cannot write definitions in %s: %s",
				 sink->part, sink->library_text);
	OTF2_ErrorCode closed = OTF2_Archive_Close(sink->archive);

	sink->archive = NULL;
	if (closed != OTF2_SUCCESS || sink->library_code != OTF2_SUCCESS || sink->write_code)
		return error_say(err, trouble(sink), "cannot close %s: %s", sink->part,
				 sink->library_text);
	return 0;
}

/* Combines the errors of the stream in one message. The archive exists nevertheless. */
static int report(const struct sink *sink, struct error *err)
{
	if (sink->is_stopped) {
		double seconds = (double)(sink->stop_time - sink->first_time) / 1e9;

		if (error_is_full(sink->stop_code))
			error_say(err, sink->stop_code, "cannot write %s: %s", sink->path,
				  error_full_text(sink->stop_code));
		else
			error_set(err, sink->stop_code, "cannot write events to %s", sink->path);
		if (sink->first_time == UINT64_MAX)
			error_hint(err, "The archive has no events.");
		else
			error_hint(err,
				   "The archive ends %.6f s after its first event; %" PRIu64
				   " later events were not written.%s",
				   sink->stop_time > sink->first_time ? seconds : 0.0,
				   sink->not_written,
				   sink->stop_code == ENOSPC || sink->stop_code == EDQUOT
					   ? " Choose a disk with more space with -o."
					   : "");
		return -sink->stop_code;
	}
	if (sink->refused)
		return error_say(err, EPROTO,
				 "%" PRIu64 " events that OTF2 cannot express are missing from %s",
				 sink->refused, sink->path);
	return 0;
}

static void sink_free(struct sink *sink)
{
	if (sink->archive)
		OTF2_Archive_Close(sink->archive);
	otf2_messages_end(sink);
	otf2_chunk_release(sink);
	otf2_file_release(sink);
	space_release(&sink->space);
	if (sink->directory >= 0)
		close(sink->directory);
	place_close(sink->own_place);
	strtab_free(sink->strings);
	free(sink->location);
	free(sink->scratch);
	free(sink->ref_of_region);
	free(sink->region_of_ref);
	cold_area_release(&sink->ref_area, sink->ref_of_file);
	cold_area_release(&sink->file_area, sink->file_of_ref);
	free(sink->comm_of_process);
	free(sink->process_of_comm);
	free(sink->ref_of_string);
	free(sink->recorder);
	map_release(&sink->recorder_of);
	map_release(&sink->cgroup_of_ref);
	free(sink->group_of_process);
	map_release(&sink->node_of_rank);
	free(sink->lost);
	free(sink->mark);
	free(sink->path);
	free(sink->part);
	free(sink);
}

/* The archive is complete: adds iotrace.json, and gives the archive its name. */
static int publish(struct sink *sink, struct error *err)
{
	const struct sink_options *options = &sink->options;
	struct error trouble = {0};
	int code = report(sink, &trouble), added = 0, published;
	const struct sink_end end = {.code = code,
				     .not_written = sink->not_written,
				     .text = code ? trouble.text : NULL,
				     .is_cut = sink->is_stopped,
				     .time = sink->stop_time};

	if (sink->tally) {
		sink->tally->n[TALLY_sink_refused] += sink->refused;
		sink->tally->n[TALLY_sink_unwritten] += sink->not_written;
	}
	if (options->complete)
		added = options->complete(options->context, sink->directory, &end, err);
	/* Without iotrace.json, nobody could see what the archive lacks, so it is not published. */
	if (added)
		return added;
	published = place_publish(sink->place, PLACE_ARCHIVE, sink_mode(options), err);
	if (published)
		return published;
	if (err && code)
		*err = trouble;
	return code;
}

static int otf2_close(struct sink *sink, struct error *err)
{
	bool is_wanted = !place_is_given_up(sink->place);
	int code = is_wanted ? finish(sink, err) : 0;

	if (!code && is_wanted)
		code = publish(sink, err);
	sink_free(sink);
	return code;
}

static struct sink *sink_new(const struct sink_options *options)
{
	struct sink *sink = mem_zero(sizeof(*sink));

	sink->options = *options;
	sink->is_of_library = IOTRACE_OTF2_LIBRARY || options->is_of_library;
	sink->trace = options->trace;
	sink->tally = options->tally;
	sink->directory = -1;
	sink->files_most = otf2_files_most();
	sink->strings = strtab_new();
	strtab_use(sink->strings, trace_cold(sink->trace));
	cold_area_init(&sink->ref_area, trace_cold(sink->trace));
	cold_area_init(&sink->file_area, trace_cold(sink->trace));
	sink->scratch = mem_alloc(SCRATCH_SIZE);
	sink->first_time = UINT64_MAX;
	otf2_messages_begin(sink);
	return sink;
}

/* The library takes only paths. This path leads to the open directory, even if somebody renames it. */
static int archive_open(struct sink *sink)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", sink->directory);
	sink->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_SIZE,
					  CHUNK_SIZE, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!sink->archive)
		return -1;
	otf2_chunk_install(sink);
	if (OTF2_Archive_SetSerialCollectiveCallbacks(sink->archive) != OTF2_SUCCESS ||
	    OTF2_Archive_OpenEvtFiles(sink->archive) != OTF2_SUCCESS)
		return -1;
	return 0;
}

static int make_directory(struct sink *sink, struct error *err)
{
	sink->place = sink->options.place;
	if (!sink->place)
		sink->place = sink->own_place = place_open("archive", sink->options.path, err);
	if (!sink->place)
		return -err->code;
	sink->path = mem_strdup(place_target(sink->place));
	sink->part = mem_format("%s/" PLACE_ARCHIVE, place_work(sink->place));
	if (mkdirat(place_dir(sink->place), PLACE_ARCHIVE, 0700))
		return error_set(err, errno, "cannot create the directory %s", sink->part);
	sink->directory = openat(place_dir(sink->place), PLACE_ARCHIVE,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return sink->directory < 0
		       ? error_set(err, errno, "cannot open the directory %s", sink->part)
		       : 0;
}

/* The space that the recording already uses there counts as free. */
static int refuse_space(const struct sink *sink, struct error *err)
{
	uint64_t has = space_free(&sink->space), before = place_free_before(sink->place);
	uint64_t used = before > has ? before - has : 0;
	uint64_t needs = sink->space.keep + CHECK_BYTES +
			 space_with_margin(otf2_space_of_end(sink)) + used;

	error_say(err, ENOSPC,
		  "too little space left for an archive at %s: %" PRIu64
		  " KiB are free there, and it needs %" PRIu64 " KiB to begin with",
		  sink->path, (has + used) >> 10, (needs + 1023) >> 10);
	error_hint(err, "Free some space there, or choose another file system with -o.");
	return -ENOSPC;
}

static int open_all(struct sink *sink, struct error *err)
{
	int code = make_directory(sink, err);

	if (code)
		return code;
	space_open(&sink->space, sink->directory, sink->options.reserve);
	code = space_reserve(&sink->space, otf2_space_of_end(sink));
	if (!code && space_room(&sink->space) < CHECK_BYTES)
		code = -ENOSPC;
	if (code == -ENOSPC)
		return refuse_space(sink, err);
	if (code)
		return error_set(err, -code, "cannot reserve disk space for the archive %s",
				 sink->path);
	if (archive_open(sink) != 0)
		return error_say(err, trouble(sink), "cannot create an archive in %s: %s",
				 sink->part, sink->library_text);
	return 0;
}

static struct sink *otf2_open(const struct sink_options *options, struct error *err)
{
	struct error why = {0};
	struct sink *sink;

	if (!options->path || !*options->path || strcmp(options->path, "-") == 0) {
		error_say(err, EINVAL, "an OTF2 archive is a directory and needs a name");
		return NULL;
	}
	sink = sink_new(options);
	if (!open_all(sink, &why))
		return sink;
	sink_free(sink);
	if (err)
		*err = why;
	return NULL;
}

const struct sink_ops sink_otf2_ops = {
	.name = "otf2",
	.help = "an OTF2 archive: a directory for Vampir, otf2-print and other readers",
	.open = otf2_open,
	.event = otf2_event,
	.close = otf2_close,
	.failed = otf2_failed,
};
