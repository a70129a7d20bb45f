/*
 * text: prints every io_event as a line, and then the definitions of the trace. The reference for golden tests.
 *
 * A line is TIME TID@PID KIND and the fields of that kind, in this order, with one space between.
 * Events of block devices have the name of the device instead of TID@PID, and samples have sda/samples
 * or machine/samples. A location that several threads shared has "t" and its number.
 * TIME is in nanoseconds. Ids are letters with a number: h3 is a handle, f2 a file, #17 a matchingId.
 * Text from outside is in quotes; '"' and the characters that escape.h escapes have a backslash before
 * them. Unknown fields are omitted, except that '-' is a missing id, and '*' an undefined number of
 * bytes.
 *
 *	12000 101@100 PROGRAM_BEGIN
 *	12000 101@100 PROGRAM_END status=0              the wait status, '?' if not known
 *	12000 101@100 THREAD_BEGIN                      also THREAD_END
 *	12000 101@100 ENTER openat h3 f2                h and f if there is one
 *	12000 101@100 LEAVE openat ENOENT "/data/x"     the error's name if there is one, and what the call named, if known
 *	12000 101@100 CREATE_HANDLE h3 O_RDONLY|O_CLOEXEC
 *	12000 101@100 DESTROY_HANDLE h3
 *	12000 101@100 DUPLICATE_HANDLE h3 h4 O_CLOEXEC  old, new, flags if any
 *	12000 101@100 SEEK h3 SEEK_END -10 = 90         whence, offset asked for, offset got
 *	12000 101@100 CHANGE_STATUS_FLAGS h3 O_RDWR|O_APPEND
 *	12000 101@100 DELETE_FILE f2
 *	12000 101@100 OP_BEGIN h3 #17 READ 4096 @8192 NON_BLOCKING
 *	12000 101@100 ENTER "writeback" key=7 "name" group "254:0"
 *	                                                of a span: the numbers and the text of its key, its group
 *	12000 101@100 LEAVE "writeback" group "254:0" LOST
 *	                                                its group, if only its end says it; why the end was not seen
 *	12000 101@100 OP_BEGIN h3 #17 FLUSH * NON_BLOCKING key=7 group "FUSE_OPEN(14)"
 *	                                                the same of a span that does not nest
 *	12000 101@100 OP_ISSUED h3 #17
 *	12000 sda OP_BEGIN h3 #17 WRITE 4096 @8192 NON_BLOCKING DISCARD "DS" 100 "mkfs" f2
 *	                                                of a request: its kind, letters; process, command, file if known
 *	12000 101@100 OP_COMPLETE h3 #17 4096
 *	12000 sda OP_COMPLETE h3 #17 4096 EIO           the error's name if there is one
 *	12000 101@100 OP_CANCELLED h3 #17 EXIT
 *	12000 101@100 ACQUIRE_LOCK h3 SHARED            also RELEASE_LOCK, TRY_LOCK
 *	12000 101@100 METRIC s0 12 0 7                  a series and its values
 *	12000 101@100 PARAMETER a0 "text"
 *	12000 - LOST 42
 *	12000 - MARK 101 "step 7"                       who set it, if known
 *
 * After the last event stand the arrays of the trace, see text_defs.c.
 */
#include "text.h"

#include "sinks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/errname.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_bytes(FILE *out, uint64_t bytes)
{
	if (bytes == IO_BYTES_UNDEFINED)
		fputs(" *", out);
	else
		fprintf(out, " %" PRIu64, bytes);
}

static void print_region(struct sink *sink, region_id id)
{
	const struct trace_region *region = id < trace_regions(sink->trace)
						    ? trace_region(sink->trace, id)
						    : NULL;

	if (region && region->source != REGION_CALL)
		text_string(sink, region->name);
	else
		fprintf(sink->out, " %s", region ? trace_text(sink->trace, region->name) : "?");
}

static void print_program_end(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	if (event->program.exit_status < 0)
		fputs(" status=?", out);
	else
		fprintf(out, " status=%d", event->program.exit_status);
}

/* What is known of a span: the numbers of its key, and texts. */
static void print_span(struct sink *sink, const struct io_span *span)
{
	for (uint32_t i = 0; span && i < span->keys; i++)
		fprintf(sink->out, " key=%" PRIu64, span->key[i]);
	if (span && span->text)
		text_string(sink, span->text);
	if (!span || !span->group)
		return;
	fputs(" group", sink->out);
	text_string(sink, span->group);
}

static bool is_region_of_span(const struct sink *sink, const struct io_event *event)
{
	return event->region.id < trace_regions(sink->trace) &&
	       trace_region(sink->trace, event->region.id)->source == REGION_SPAN;
}

static bool is_of_span(const struct sink *sink, handle_id handle)
{
	return handle < trace_handles(sink->trace) && trace_handle(sink->trace, handle)->is_span;
}

static const char *end_name(enum io_end end)
{
	static const char *const name[] = {[IO_END_EXIT] = "EXIT",
					   [IO_END_LOST] = "LOST",
					   [IO_END_RECORDING] = "RECORDING",
					   [IO_END_DEATH] = "DEATH",
					   [IO_END_MERGED] = "MERGED",
					   [IO_END_ABORTED] = "ABORTED",
					   [IO_END_UNREPORTED] = "UNREPORTED"};

	return end < sizeof(name) / sizeof(*name) ? name[end] : "?";
}

static void print_enter(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	print_region(sink, event->region.id);
	if (event->handle != ID_NONE)
		text_id(out, 'h', event->handle);
	if (event->region.file != ID_NONE)
		text_id(out, 'f', event->region.file);
	if (is_region_of_span(sink, event))
		print_span(sink, event->region.span);
}

static void print_error(FILE *out, int error)
{
	const char *name = error ? errname(error) : NULL;

	if (name)
		fprintf(out, " %s", name);
	else if (error)
		fprintf(out, " errno=%d", error);
}

static void print_leave(struct sink *sink, const struct io_event *event)
{
	print_region(sink, event->region.id);
	print_error(sink->out, event->region.error);
	if (event->region.path)
		text_string(sink, event->region.path);
	if (!is_region_of_span(sink, event))
		return;
	print_span(sink, event->region.span);
	if (event->region.is_cut)
		fprintf(sink->out, " %s", end_name(event->region.end));
}

static void print_create(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	text_id(out, 'h', event->handle);
	putc(' ', out);
	text_flags(out, event->create.flags);
}

static void print_handle(struct sink *sink, const struct io_event *event)
{
	text_id(sink->out, 'h', event->handle);
}

static void print_duplicate(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	text_id(out, 'h', event->handle);
	text_id(out, 'h', event->duplicate.new_handle);
	if (event->duplicate.flags & O_CLOEXEC)
		fputs(" O_CLOEXEC", out);
}

static void print_seek(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;
	static const char *const whence[] = {"SEEK_SET", "SEEK_CUR", "SEEK_END", "SEEK_DATA",
					     "SEEK_HOLE"};

	text_id(out, 'h', event->handle);
	if (event->seek.whence < sizeof(whence) / sizeof(whence[0]))
		fprintf(out, " %s", whence[event->seek.whence]);
	else
		fprintf(out, " whence=%u", event->seek.whence);
	fprintf(out, " %" PRId64 " = %" PRIu64, event->seek.request, event->seek.result);
}

static void print_delete(struct sink *sink, const struct io_event *event)
{
	text_id(sink->out, 'f', event->delete_file.file);
}

static void print_op(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	text_id(out, 'h', event->handle);
	fprintf(out, " #%" PRIu64, event->op.id);
}

/* Prints what is known of a block request, and of the task that caused it. */
static void print_request(struct sink *sink, const struct io_event *event)
{
	static const char *const kind[] = {
		[REQUEST_READ] = "READ",     [REQUEST_WRITE] = "WRITE",
		[REQUEST_FLUSH] = "FLUSH",   [REQUEST_DISCARD] = "DISCARD",
		[REQUEST_ZEROES] = "ZEROES", [REQUEST_OTHER] = "OTHER",
	};

	fprintf(sink->out, " %s", event->op.type < REQUEST_KINDS ? kind[event->op.type] : "?");
	if (event->op.rwbs)
		text_string(sink, event->op.rwbs);
	if (event->op.pid)
		fprintf(sink->out, " %u", event->op.pid);
	if (event->op.name)
		text_string(sink, event->op.name);
	if (event->op.file != ID_NONE)
		text_id(sink->out, 'f', event->op.file);
	if (event->op.cgroup != ID_NONE)
		text_id(sink->out, 'g', event->op.cgroup);
}

static bool is_block(const struct sink *sink, handle_id handle)
{
	return handle < trace_handles(sink->trace) && trace_handle(sink->trace, handle)->is_block;
}

static void print_begin(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;
	static const char *const mode[] = {
		[IO_MODE_READ] = "READ", [IO_MODE_WRITE] = "WRITE", [IO_MODE_FLUSH] = "FLUSH"};

	print_op(sink, event);
	fprintf(out, " %s", mode[event->op.mode]);
	print_bytes(out, event->op.bytes);
	if (event->op.offset != IO_OFFSET_UNKNOWN)
		fprintf(out, " @%" PRIu64, event->op.offset);
	if (event->op.is_non_blocking)
		fputs(" NON_BLOCKING", out);
	if (event->op.is_collective_proxy)
		fputs(" ALL", out);
	if (is_block(sink, event->handle))
		print_request(sink, event);
	else if (is_of_span(sink, event->handle))
		print_span(sink, event->op.span);
	else if (event->op.name)
		text_string(sink, event->op.name);
}

static void print_complete(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	print_op(sink, event);
	print_bytes(out, event->op.bytes);
	print_error(out, event->op.error);
	if (is_of_span(sink, event->handle))
		print_span(sink, event->op.span);
}

static void print_cancelled(struct sink *sink, const struct io_event *event)
{
	print_op(sink, event);
	fprintf(sink->out, " %s", end_name(event->op.end));
}

static void print_lock(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	text_id(out, 'h', event->handle);
	fputs(event->lock.lock == IO_LOCK_SHARED ? " SHARED" : " EXCLUSIVE", out);
}

static void print_value(FILE *out, const struct trace_metric *metric, uint64_t value)
{
	double real;

	memcpy(&real, &value, sizeof(real));
	if (metric && metric->is_real)
		fprintf(out, " %.17g", real);
	else if (metric && metric->is_signed)
		fprintf(out, " %" PRId64, (int64_t)value);
	else
		fprintf(out, " %" PRIu64, value);
}

static void print_metric(struct sink *sink, const struct io_event *event)
{
	uint32_t id = event->metric.series;
	const struct trace_series *series = id < trace_series_count(sink->trace)
						    ? trace_series(sink->trace, id)
						    : NULL;

	text_id(sink->out, 's', id);
	for (uint32_t i = 0; i < event->metric.counters && i < EVENT_COUNTERS; i++)
		print_value(sink->out,
			    series && i < series->metrics
				    ? trace_metric(sink->trace, series->metric + i)
				    : NULL,
			    event->metric.counter[i]);
}

static void print_parameter(struct sink *sink, const struct io_event *event)
{
	text_id(sink->out, 'a', event->parameter.parameter);
	text_string(sink, event->parameter.value);
}

static void print_lost(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	fprintf(out, " %" PRIu64, event->lost.count);
}

static void print_mark(struct sink *sink, const struct io_event *event)
{
	if (event->mark.pid)
		fprintf(sink->out, " %" PRIu32, event->mark.pid);
	text_string(sink, event->mark.text);
}

/* NULL: the kind has no fields. */
static void (*const print_fields[IO_EVENT_KINDS])(struct sink *sink,
						  const struct io_event *event) = {
	[IO_PROGRAM_END] = print_program_end,
	[IO_ENTER] = print_enter,
	[IO_LEAVE] = print_leave,
	[IO_CREATE_HANDLE] = print_create,
	[IO_DESTROY_HANDLE] = print_handle,
	[IO_DUPLICATE_HANDLE] = print_duplicate,
	[IO_SEEK] = print_seek,
	[IO_CHANGE_STATUS_FLAGS] = print_create,
	[IO_DELETE_FILE] = print_delete,
	[IO_OP_BEGIN] = print_begin,
	[IO_OP_ISSUED] = print_op,
	[IO_OP_COMPLETE] = print_complete,
	[IO_OP_CANCELLED] = print_cancelled,
	[IO_ACQUIRE_LOCK] = print_lock,
	[IO_RELEASE_LOCK] = print_lock,
	[IO_TRY_LOCK] = print_lock,
	[IO_METRIC] = print_metric,
	[IO_PARAMETER] = print_parameter,
	[IO_LOST] = print_lost,
	[IO_MARK] = print_mark,
};

static void text_event(struct sink *sink, const struct io_event *event)
{
	FILE *out = sink->out;

	fprintf(out, "%" PRIu64, event->time);
	if (event->thread < trace_threads(sink->trace))
		text_location(sink, event->thread);
	else
		fputs(" -", out);
	fprintf(out, " %s", io_event_name(event->kind));
	if (event->kind < IO_EVENT_KINDS && print_fields[event->kind])
		print_fields[event->kind](sink, event);
	putc('\n', out);
}

static void sink_free(struct sink *sink)
{
	if (sink->out && sink->out != stdout)
		fclose(sink->out);
	place_close(sink->own_place);
	free(sink->path);
	free(sink);
}

static int text_close(struct sink *sink, struct error *err)
{
	int code = 0;

	if (sink->place && place_is_given_up(sink->place)) {
		sink_free(sink);
		return 0;
	}
	text_definitions(sink);
	if (fflush(sink->out) != 0 || ferror(sink->out))
		code = error_set(err, errno ? errno : EIO, "cannot write %s", sink->path);
	if (sink->out != stdout && fclose(sink->out) != 0 && !code)
		code = error_set(err, errno, "cannot close %s", sink->path);
	sink->out = NULL;
	/* A file that has its final name is complete. */
	if (!code && sink->place)
		code = place_publish(sink->place, PLACE_TEXT, sink_mode(&sink->options), err);
	sink_free(sink);
	return code;
}

static bool text_failed(const struct sink *sink)
{
	return ferror(sink->out) != 0;
}

static int create(struct sink *sink, const struct sink_options *options, struct error *err)
{
	int fd;

	if (!options->place)
		sink->own_place = place_open("text", options->path, err);
	sink->place = options->place ? options->place : sink->own_place;
	if (!sink->place)
		return -err->code;
	fd = place_create(sink->place, PLACE_TEXT);
	sink->out = fd < 0 ? NULL : fdopen(fd, "w");
	return sink->out ? 0 : error_set(err, errno, "cannot create %s", options->path);
}

static struct sink *text_open(const struct sink_options *options, struct error *err)
{
	bool is_stdout = !options->path || strcmp(options->path, "-") == 0;
	struct sink *sink = mem_zero(sizeof(*sink));
	struct error why = {0};

	sink->out = stdout;
	sink->trace = options->trace;
	sink->options = *options;
	sink->path = mem_strdup(is_stdout ? "standard output" : options->path);
	if (is_stdout || !create(sink, options, &why))
		return sink;
	sink_free(sink);
	if (err)
		*err = why;
	return NULL;
}

const struct sink_ops sink_text_ops = {
	.name = "text",
	.help = "text: a line for each event, for people and tests",
	.open = text_open,
	.event = text_event,
	.close = text_close,
	.failed = text_failed,
	.is_whole_or_nothing = true,
};
